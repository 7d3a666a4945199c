/* touches.c - compares the elements that a kernel's text touches with the rows that the job
 * declares, and refuses jobs that work only if devices share the host's memory.
 *
 * For index i, a device with memory of its own has row i of an array (and its halo); other rows may
 * be missing. So in an index expression i * stride + rest the stride must be the elements of a row,
 * and the rest must stay in the rows that the job declares.
 */

#include "touches.h"

#include <stdio.h>
#include <string.h>

#include "../access/access.h"
#include "../base/hash.h"
#include "../base/status.h"
#include "index_value.h"

/* An index expression of an argument, in one job. */
struct touch {
    const struct yk_job *job;
    const struct yk_touch *is;
    const yoke_arg *arg;
    const struct yk_index *nowhere; /* for what does not depend on the index */
    int64_t stride, row;            /* elements from one i to the next; elements in a row */
    char text[96];                  /* the expression as written in the kernel */
};

#define TOUCH "kernel %s, argument %d (%s): %s:%d: the index '%s' "
#define TOUCH_OF(t)                                                                                \
    (t)->job->kernel->kernel.name, (t)->is->parameter + 1,                                         \
        (t)->job->kernel->kernel.params[(t)->is->parameter].name, file_of(t), (t)->is->line,       \
        (t)->text

/* Arguments for "%s %lld": a row relative to i. */
#define SIGN_OF(row) (row) < 0 ? "-" : "+", (long long)((row) < 0 ? -(row) : (row))

static const char *file_of(const struct touch *touch)
{
    const char *file = touch->job->kernel->kernel.file, *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file ? file : "";
}

static void write_text(struct touch *touch)
{
    static const char ours[] = "yk_size", users[] = "YOKE_SIZE";
    const char *at = touch->is->text, *end = at + touch->is->length;
    char *out = touch->text, *room = touch->text + sizeof touch->text - sizeof users;
    while (at < end && out < room) {
        if (end - at < (int)sizeof ours || memcmp(at, ours, sizeof ours - 1) != 0) {
            *out++ = *at++;
            continue;
        }
        memcpy(out, users, sizeof users - 1);
        out += sizeof users - 1;
        at += sizeof ours - 1;
    }
    *out = 0;
}

static int holds(const struct touch *touch, const struct yk_index *index)
{
    const struct yk_guard *guard = &touch->is->guard;
    int64_t difference;
    int c;
    for (c = 0; c < guard->count; c++) {
        const struct yk_condition *condition =
            &touch->job->kernel->access.conditions[guard->number[c]];
        if (!yk_index_value(touch->job, index, &condition->difference, &difference))
            return 0;
        if (!(condition->is == YK_BELOW_0     ? difference < 0
              : condition->is == YK_AT_MOST_0 ? difference <= 0
              : condition->is == YK_IS_0      ? difference == 0
                                              : difference != 0))
            return 0;
    }
    return 1;
}

static int64_t row_of(int64_t element, int64_t row)
{
    return element >= 0 ? element / row : -((row - 1 - element) / row);
}

static int64_t halo_before(const struct touch *touch)
{
    return touch->arg->shape == YOKE_HALO ? touch->arg->before : 0;
}

static int64_t halo_after(const struct touch *touch)
{
    return touch->arg->shape == YOKE_HALO ? touch->arg->after : 0;
}

/* Returns 1 if the kernel may touch any row, so a device has all of them. */
static int is_whole(const struct touch *touch)
{
    return touch->arg->shape == YOKE_WHOLE || touch->arg->mode == YOKE_PARAM_ADD;
}

static int has_row(const struct touch *touch, int64_t row)
{
    return yk_interval_has(yk_array_rows(touch->arg->array), row);
}

/* Returns 1 if the touch at that index is in a row that the array does not have or the job does not
 * declare, *rows away from row i. Returns 0 if not, or if that is unknown. */
static int leaves(const struct touch *touch, const struct yk_index *index, int64_t *rows)
{
    int64_t element, apart; /* both counted from the first element of row i */
    if (!yk_index_value(touch->job, index, &touch->is->rest, &element) ||
        __builtin_mul_overflow(touch->stride - touch->row, index->at[0], &apart) ||
        __builtin_add_overflow(element, apart, &element))
        return 0;
    *rows = row_of(element, touch->row);
    return !has_row(touch, index->at[0] + *rows) ||
           (!is_whole(touch) && (*rows < -halo_before(touch) || *rows > halo_after(touch)));
}

/* Indexes of a dimension that are checked: its ends, the one after the first, and the middle. */
enum { SAMPLES = 4 };
static int64_t sample(int64_t first, int64_t last, int number)
{
    const int64_t at[SAMPLES] = { first, first + 1, first + (last - first) / 2, last - 1 };
    return at[number] < last ? at[number] : last - 1;
}

static int samples_of(const struct yk_job *job, int dimension)
{
    return job->kernel->kernel.dimensions > dimension ? SAMPLES : 1;
}

static struct yk_index index_of(const struct yk_job *job, int i, int j, int k)
{
    struct yk_index index;
    index.is_known = 1;
    index.at[0] = sample(job->first, job->last, i);
    index.at[1] = sample(job->along[0].first, job->along[0].last, j);
    index.at[2] = sample(job->along[1].first, job->along[1].last, k);
    yk_index_compute(job, &index);
    return index;
}

/* Returns 1 if the touch leaves its rows at some sample; sets *index to the sample and *rows as
 * `leaves` does. */
static int find_leaving(const struct touch *touch, struct yk_index *index, int64_t *rows)
{
    int i, j, k;
    for (i = 0; i < SAMPLES; i++)
        for (j = 0; j < samples_of(touch->job, 1); j++)
            for (k = 0; k < samples_of(touch->job, 2); k++) {
                *index = index_of(touch->job, i, j, k);
                if (leaves(touch, index, rows) && holds(touch, index))
                    return 1;
            }
    return 0;
}

/* Returns 1 if both ends of the range execute the touch. */
static int is_for_several(const struct touch *touch)
{
    int i, j, k, count = 0;
    for (i = 0; i < SAMPLES; i += SAMPLES - 1) {
        int found = 0;
        for (j = 0; j < samples_of(touch->job, 1); j++)
            for (k = 0; k < samples_of(touch->job, 2); k++) {
                const struct yk_index index = index_of(touch->job, i, j, k);
                found |= holds(touch, &index);
            }
        count += found;
    }
    return count > 1;
}

/* Returns 1 if the expression is linear in each dimension, steps by rows, and leaves its rows at no
 * corner of the range. Then it leaves them nowhere. */
static int stays(const struct touch *touch)
{
    int i, j, k;
    int64_t rows;
    if (touch->stride != touch->row || yk_polynomial_bends(&touch->is->rest))
        return 0;
    for (i = 0; i < SAMPLES; i += SAMPLES - 1)
        for (j = 0; j < samples_of(touch->job, 1); j += SAMPLES - 1)
            for (k = 0; k < samples_of(touch->job, 2); k += SAMPLES - 1) {
                const struct yk_index index = index_of(touch->job, i, j, k);
                if (leaves(touch, &index, &rows))
                    return 0;
            }
    return 1;
}

/* Begin of a cure for what is read at other rows of an array that the kernel writes: other indexes
 * may have changed these rows, or not yet. */
#define OF_TWO_ARRAYS                                                                              \
    "a kernel reads only row i of an array that it writes: write to one array, and read another "  \
    "one (YOKE_IN)"

#define ONLY_ITS_ROW                                                                               \
    "a kernel may write to row i only: let all that index i writes be one row (yoke_row, "         \
    "row_elements), or use several arrays"

/* How the argument should be passed for an index that leaves its rows. */
static const char *cure_of(const struct touch *touch)
{
    if (touch->arg->mode == YOKE_PARAM_IN)
        return "declare the whole array (yoke_whole, yoke_in_whole)";
    if (!touch->is->writes)
        return OF_TWO_ARRAYS " as a whole (yoke_whole, yoke_in_whole)";
    return "write to row i only, by a loop over what is written, or sum into it (YOKE_ADD, "
           "yoke_add_to)";
}

static yoke_status refuse_loaded(const struct touch *touch)
{
    return yk_fail(YOKE_EINVAL,
                   TOUCH "is read from memory and may be of any row of " YK_THE_ARRAY ", of which "
                         "the job declares row i only; %s",
                   TOUCH_OF(touch), YK_NAME_OF(touch->arg->array), cure_of(touch));
}

static yoke_status refuse_outside(const struct touch *touch, const struct yk_index *index,
                                  int64_t rows)
{
    const struct yk_interval has = yk_array_rows(touch->arg->array);
    return yk_fail(
        YOKE_EINVAL,
        TOUCH "is of row %lld for index %lld of the range, and " YK_THE_ARRAY
              " has rows [%lld, %lld); let the range or a condition leave such "
              "indexes out%s",
        TOUCH_OF(touch), (long long)(index->at[0] + rows), (long long)index->at[0],
        YK_NAME_OF(touch->arg->array), (long long)has.first, (long long)has.last,
        touch->arg->mode == YOKE_PARAM_IN || touch->arg->mode == YOKE_PARAM_ADD
            ? ", or, if there are more rows, give their number (yoke_whole(pointer, count))"
            : "");
}

static yoke_status refuse_other_row(const struct touch *touch, const struct yk_index *index,
                                    int64_t rows)
{
    return yk_fail(YOKE_EINVAL,
                   TOUCH "is of row %lld of " YK_THE_ARRAY " for index %lld of the range, for "
                         "which the job does not declare it; %s",
                   TOUCH_OF(touch), (long long)(index->at[0] + rows), YK_NAME_OF(touch->arg->array),
                   (long long)index->at[0], cure_of(touch));
}

static yoke_status refuse_fixed(const struct touch *touch)
{
    return yk_fail(YOKE_EINVAL,
                   TOUCH
                   "does not depend on the range's index, so all of the range touches the same "
                   "rows of " YK_THE_ARRAY ", of which the job declares row i only; %s",
                   TOUCH_OF(touch), YK_NAME_OF(touch->arg->array), cure_of(touch));
}

/* Returns 1 if the kernel writes down a column: to row j at index i, as in a loop that transposes a
 * matrix. */
static int is_transposed(const struct touch *touch)
{
    return touch->stride == 1 && touch->row > 1 && touch->arg->mode != YOKE_PARAM_IN &&
           yk_job_indexes_each(touch->job) > 1;
}

static yoke_status refuse_stride(const struct touch *touch)
{
    const yoke_array *array = touch->arg->array;
    char rows[128], cure[320];
    if (touch->stride < 0)
        return yk_fail(YOKE_EINVAL,
                       TOUCH "leads to other rows of " YK_THE_ARRAY
                             " than i, and the job declares row i "
                             "only; %s",
                       TOUCH_OF(touch), YK_NAME_OF(array), cure_of(touch));
    snprintf(rows, sizeof rows,
             "pass yoke_row(pointer, %lld), or open the array with row_elements = %lld",
             (long long)touch->stride, (long long)touch->stride);
    if (is_transposed(touch))
        snprintf(cure, sizeof cure,
                 "exchange the indexes in the body, so that it writes to row i, and declare the "
                 "array that it then reads at other rows as a whole (yoke_whole, yoke_in_whole)");
    else if (touch->stride > touch->row)
        snprintf(cure, sizeof cure, "%s", rows);
    else
        snprintf(cure, sizeof cure, "if its rows have as many, %s; otherwise %s", rows,
                 cure_of(touch));
    return yk_fail(YOKE_EINVAL,
                   TOUCH
                   "takes %lld element%s for each index of the range, but a row of " YK_THE_ARRAY
                   " has %lld; %s",
                   TOUCH_OF(touch), (long long)touch->stride, touch->stride == 1 ? "" : "s",
                   YK_NAME_OF(array), (long long)touch->row, cure);
}

enum { HALO_TEXT = 64 };
static const char *text_of_halo(int64_t before, int64_t after, char text[HALO_TEXT])
{
    snprintf(text, HALO_TEXT, "s i - %lld to i + %lld", (long long)before, (long long)after);
    return text;
}

static yoke_status refuse_row(const struct touch *touch, int64_t row)
{
    const yoke_arg *arg = touch->arg;
    const int64_t before = halo_before(touch), after = halo_after(touch);
    char halo[HALO_TEXT];
    if (arg->mode != YOKE_PARAM_IN)
        return yk_fail(YOKE_EINVAL, TOUCH "is of row i %s %lld of " YK_THE_ARRAY "; %s",
                       TOUCH_OF(touch), SIGN_OF(row), YK_NAME_OF(arg->array),
                       touch->is->writes ? ONLY_ITS_ROW
                                         : OF_TWO_ARRAYS " with a halo (yoke_halo, yoke_in_halo)");
    return yk_fail(YOKE_EINVAL,
                   TOUCH "is of row i %s %lld of " YK_THE_ARRAY
                         ", and the job declares row%s; declare the rows "
                         "it reads (yoke_halo or yoke_in_halo(array, %lld, %lld))",
                   TOUCH_OF(touch), SIGN_OF(row), YK_NAME_OF(arg->array),
                   before || after ? text_of_halo(before, after, halo) : " i only",
                   (long long)(row < -before ? -row : before),
                   (long long)(row > after ? row : after));
}

/* Returns 1 if the touch depends on the index, though not linearly: in itself or in its guard. */
static int bends(const struct touch *touch)
{
    const struct yk_guard *guard = &touch->is->guard;
    int c, does = yk_polynomial_bends(&touch->is->rest);
    for (c = 0; c < guard->count && touch->is->stride.count == 0; c++)
        does |= yk_polynomial_bends(
            &touch->job->kernel->access.conditions[guard->number[c]].difference);
    return does;
}

/* With several elements in a row the loaded index may be computed so that it stays in the row. */
static yoke_status check_loaded(struct touch *touch)
{
    if (touch->row > 1 || is_whole(touch) || touch->arg->shape == YOKE_HALO ||
        touch->arg->array->rows == 1 || !is_for_several(touch))
        return YOKE_OK;
    write_text(touch);
    return refuse_loaded(touch);
}

/* Returns 1 if the touch, or whether it happens, certainly does not depend on the index of
 * dimension d, so all of that dimension's indexes touch the same element. */
static int is_the_same_for_all(const struct touch *touch, int d)
{
    static const int unknown[] = { YK_VAR_LOADED, YK_VAR_INNER };
    const struct yk_guard *guard = &touch->is->guard;
    int c, v,
        depends = yk_polynomial_has(&touch->is->stride, YK_VAR_I + d) ||
                  yk_polynomial_has(&touch->is->rest, YK_VAR_I + d) ||
                  yk_polynomial_bends(&touch->is->stride) || yk_polynomial_bends(&touch->is->rest);
    for (v = 0; v < 2; v++)
        depends |= yk_polynomial_has(&touch->is->stride, unknown[v]) ||
                   yk_polynomial_has(&touch->is->rest, unknown[v]);
    for (c = 0; c < guard->count; c++) {
        const struct yk_polynomial *difference =
            &touch->job->kernel->access.conditions[guard->number[c]].difference;
        depends |= yk_polynomial_has(difference, YK_VAR_I + d) || yk_polynomial_bends(difference);
    }
    return !depends;
}

/* Returns 1 if some index that is looked at executes the touch. */
static int is_reached(const struct touch *touch)
{
    int i, j, k, found = 0;
    for (i = 0; i < SAMPLES; i++)
        for (j = 0; j < samples_of(touch->job, 1); j++)
            for (k = 0; k < samples_of(touch->job, 2); k++) {
                const struct yk_index index = index_of(touch->job, i, j, k);
                found |= holds(touch, &index);
            }
    return found;
}

/* A further dimension's indexes are worked on at the same time, also those of one row. */
static yoke_status check_race(struct touch *touch)
{
    const struct yk_job *job = touch->job;
    int d;
    for (d = 1; d < job->kernel->kernel.dimensions; d++) {
        const int64_t count = yk_interval_length(job->along[d - 1]);
        if (!(touch->is->alters >> d & 1) || count < 2 || !is_the_same_for_all(touch, d) ||
            !is_reached(touch))
            continue;
        write_text(touch);
        return yk_fail(YOKE_EINVAL,
                       TOUCH "is the same for all %lld indexes of dimension %d, which would change "
                             "one element at the same time; sum with YOKE_REDUCE or YOKE_ADD, or "
                             "write the loop over this dimension in the body (YOKE_KERNEL%s)",
                       TOUCH_OF(touch), (long long)count, d + 1,
                       job->kernel->kernel.dimensions > 2 ? "2" : "");
    }
    return YOKE_OK;
}

static yoke_status check_touch(struct touch *touch)
{
    const struct yk_touch *is = touch->is;
    struct yk_index index;
    int64_t rows;
    if (is->stride.count == 0 && yk_polynomial_has(&is->rest, YK_VAR_LOADED))
        return check_loaded(touch);
    if (!yk_index_value(touch->job, touch->nowhere, &is->stride, &touch->stride) || stays(touch) ||
        !find_leaving(touch, &index, &rows))
        return YOKE_OK;
    write_text(touch);
    if (!is_whole(touch) && is->stride.count > 0 && !bends(touch) && touch->stride != touch->row)
        return refuse_stride(touch);
    if ((is_whole(touch) || touch->arg->mode == YOKE_PARAM_IN) &&
        !has_row(touch, index.at[0] + rows))
        return refuse_outside(touch, &index, rows);
    if (bends(touch))
        return refuse_other_row(touch, &index, rows);
    if (is->stride.count == 0)
        return refuse_fixed(touch);
    return refuse_row(touch, rows);
}

static yoke_status check_adds(const struct yk_job *job)
{
    const yoke_kernel *kernel = &job->kernel->kernel;
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->kernel->access.wrong_add_line[p])
            return yk_fail(YOKE_EINVAL,
                           "kernel %s, argument %d (%s): line %d changes it without yoke_add; many "
                           "indexes add at the same time, so write yoke_add(&%s[k], v)",
                           kernel->name, p + 1, kernel->params[p].name,
                           job->kernel->access.wrong_add_line[p], kernel->params[p].name);
    return YOKE_OK;
}

/* Returns 1 if some dimension of the range has no index. */
static int is_empty(const struct yk_job *job)
{
    int d, empty = job->last <= job->first;
    for (d = 1; d < job->kernel->kernel.dimensions; d++)
        empty |= yk_interval_empty(job->along[d - 1]);
    return empty;
}

/* A hash of all that decides whether the job's touches are right. */
static uint64_t terms_of(const struct yk_job *job)
{
    int64_t terms[8 + 7 * YOKE_ARGS_MAX] = { job->first,          job->last,
                                             job->along[0].first, job->along[0].last,
                                             job->along[1].first, job->along[1].last,
                                             job->extent[0],      job->extent[1] };
    int p, count = 8;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        if (job->kernel->access.values >> p & 1)
            yk_index_parameter(job, p, &terms[count++]);
        if (!arg->array)
            continue;
        terms[count++] = arg->mode;
        terms[count++] = arg->shape;
        terms[count++] = arg->before;
        terms[count++] = arg->after;
        terms[count++] = arg->array->first_row;
        terms[count++] = arg->array->rows;
        terms[count++] = yk_array_row_elements(arg->array);
    }
    return yk_hash_large(yk_hash_start, terms, (size_t)count * sizeof *terms);
}

yoke_status yk_job_check_touches(const struct yk_job *job)
{
    const struct yk_access *access = &job->kernel->access;
    const uint64_t terms = access->count ? terms_of(job) : 0;
    struct yk_index nowhere = { 0 };
    yoke_status status = job->sums.has_add ? check_adds(job) : YOKE_OK;
    int t;
    if (!access->count || is_empty(job) || job->kernel->right_terms == terms)
        return status;
    yk_index_compute(job, &nowhere);
    for (t = 0; t < access->count && status == YOKE_OK; t++) {
        struct touch touch = { .job = job,
                               .nowhere = &nowhere,
                               .is = &access->touches[t],
                               .arg = &job->args[access->touches[t].parameter] };
        if (touch.arg->shape == YOKE_CUSTOM)
            continue;
        touch.row = yk_array_row_elements(touch.arg->array);
        status = check_touch(&touch);
        if (status == YOKE_OK && touch.is->alters)
            status = check_race(&touch);
    }
    if (status == YOKE_OK)
        job->kernel->right_terms = terms;
    return status;
}
