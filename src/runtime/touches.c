/* touches.c - what a kernel's text tells of the elements it touches, held against the job's arrays:
 * jobs that are right where devices share the host's memory, and wrong elsewhere, are refused.
 *
 * On a device with memory of its own index i has row i of an array (and its halo); other rows may
 * not be there. So an index expression i * stride + rest must step by the elements of a row, and
 * its rest must stay in the rows that the job declares.
 */
#include <string.h>

#include "../access/access.h"
#include "../base/status.h"
#include "flight.h"

/* An index expression of an argument, in one job. */
struct touch {
    const struct yk_job *job;
    const struct yk_touch *is;
    const yoke_arg *arg;
    int64_t stride, row; /* elements from one i to the next; of a row */
    char text[96];       /* the expression in the words of kernels */
};

#define TOUCH "kernel %s, argument %d (%s): %s:%d: the index '%s' "
#define TOUCH_OF(t)                                                                                \
    (t)->job->kernel->kernel.name, (t)->is->parameter + 1,                                         \
        (t)->job->kernel->kernel.params[(t)->is->parameter].name, file_of(t), (t)->is->line,       \
        (t)->text

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

static int value_of(const struct yk_job *job, int parameter, int64_t *out)
{
    const void *value = job->args[parameter].value;
    const char *type = job->kernel->kernel.params[parameter].type;
    int32_t narrow;
    if (!value)
        return 0; /* a row's distance, known where a device has it */
    if (job->args[parameter].value_size == sizeof *out) {
        memcpy(out, value, sizeof *out);
        return 1;
    }
    memcpy(&narrow, value, sizeof narrow);
    *out = *type == 'u' ? (int64_t)(uint32_t)narrow : narrow;
    return 1;
}

static int variable_of(const struct yk_job *job, int variable, int64_t *out)
{
    if (variable == YK_VAR_SIZE2 || variable == YK_VAR_SIZE3)
        *out = job->extent[variable - YK_VAR_SIZE2];
    else if (variable >= YK_VAR_VALUE)
        return value_of(job, variable - YK_VAR_VALUE, out);
    else
        return 0;
    return 1;
}

/* 0 if it depends on more than the job. */
static int number_of(const struct yk_job *job, const struct yk_polynomial *polynomial, int64_t *out)
{
    int64_t sum = 0, factor;
    int t, v;
    for (t = 0; t < polynomial->count; t++) {
        int64_t term = polynomial->terms[t].factor;
        for (v = 0; v < polynomial->terms[t].count; v++)
            if (!variable_of(job, polynomial->terms[t].variable[v], &factor) ||
                __builtin_mul_overflow(term, factor, &term))
                return 0;
        if (__builtin_add_overflow(sum, term, &sum))
            return 0;
    }
    *out = sum;
    return 1;
}

/* How an argument would have to be given for an index that leaves its rows. */
static const char *cure_of(const struct touch *touch)
{
    return touch->arg->mode == YOKE_PARAM_IN ? "declare the whole array (yoke_in_whole)"
                                             : "write to the index's own row only, or sum into it "
                                               "(YOKE_ADD, yoke_add_to)";
}

static yoke_status check_fixed(const struct touch *touch)
{
    if (touch->job->kernel->access.compares_index)
        return YOKE_OK;
    if (yk_polynomial_has(&touch->is->rest, YK_VAR_LOADED))
        return yk_fail(YOKE_EINVAL,
                       TOUCH "is read from memory and may be of any row of array %s, of which "
                             "the job declares row i only; %s",
                       TOUCH_OF(touch), touch->arg->array->name, cure_of(touch));
    return yk_fail(YOKE_EINVAL,
                   TOUCH
                   "does not depend on the range's index, so all of the range touches the same "
                   "rows of array %s, of which the job declares row i only; %s",
                   TOUCH_OF(touch), touch->arg->array->name, cure_of(touch));
}

static yoke_status check_stride(const struct touch *touch)
{
    const yoke_array *array = touch->arg->array;
    if (touch->stride == touch->row)
        return YOKE_OK;
    if (touch->stride <= 0)
        return yk_fail(YOKE_EINVAL,
                       TOUCH "leads to other rows of array %s than i, and the job declares row i "
                             "only; %s",
                       TOUCH_OF(touch), array->name, cure_of(touch));
    return yk_fail(YOKE_EINVAL,
                   TOUCH
                   "takes %lld elements for each index of the range, but a row of array %s has "
                   "%lld; open it with rows = %lld and row_elements = %lld (yoke_array_open)",
                   TOUCH_OF(touch), (long long)touch->stride, array->name, (long long)touch->row,
                   (long long)(array->rows * touch->row / touch->stride), (long long)touch->stride);
}

/* Which row a rest that is a number leads to, beside row i; or how often the stride stands in it.
 */
static int row_of_rest(const struct touch *touch, int64_t *out)
{
    struct yk_polynomial left;
    int64_t number;
    if (yk_polynomial_is_number(&touch->is->rest, &number)) {
        *out = number >= 0 ? number / touch->row : -((touch->row - 1 - number) / touch->row);
        return 1;
    }
    if (touch->is->stride.count != 1 || touch->is->stride.terms[0].count == 0)
        return 0;
    for (*out = -8; *out <= 8; ++*out) /* wider halos are rare, and left to the checking mode */
        if (*out != 0 && yk_polynomial_add(&touch->is->rest, &touch->is->stride, -*out, &left) &&
            left.count < touch->is->rest.count)
            return 1;
    return 0;
}

static yoke_status check_rest(const struct touch *touch)
{
    const yoke_arg *arg = touch->arg;
    int64_t row, before = arg->shape == YOKE_HALO ? arg->before : 0,
                 after = arg->shape == YOKE_HALO ? arg->after : 0;
    if (!row_of_rest(touch, &row) || (row >= -before && row <= after))
        return YOKE_OK;
    if (arg->mode != YOKE_PARAM_IN)
        return yk_fail(YOKE_EINVAL,
                       TOUCH "is of row i %+lld of array %s; a kernel may write to row i only",
                       TOUCH_OF(touch), (long long)row, arg->array->name);
    return yk_fail(YOKE_EINVAL,
                   TOUCH "is of row i %+lld of array %s, and the job declares rows i - %lld to i + "
                         "%lld; declare the rows it reads (yoke_in_halo(array, %lld, %lld))",
                   TOUCH_OF(touch), (long long)row, arg->array->name, (long long)before,
                   (long long)after, (long long)(row < -before ? -row : before),
                   (long long)(row > after ? row : after));
}

static yoke_status check_touch(struct touch *touch)
{
    yoke_status status;
    if (!number_of(touch->job, &touch->is->stride, &touch->stride))
        return YOKE_OK;
    if (touch->stride == touch->row && touch->is->rest.count == 0)
        return YOKE_OK;
    write_text(touch);
    if (touch->is->stride.count == 0)
        return check_fixed(touch);
    status = check_stride(touch);
    return status == YOKE_OK ? check_rest(touch) : status;
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

yoke_status yk_job_check_touches(const struct yk_job *job)
{
    const struct yk_access *access = &job->kernel->access;
    yoke_status status = job->has_add ? check_adds(job) : YOKE_OK;
    int t;
    if (job->last - job->first < 2)
        return status; /* any row may be that index's own */
    for (t = 0; t < access->count && status == YOKE_OK; t++) {
        struct touch touch = { .job = job,
                               .is = &access->touches[t],
                               .arg = &job->args[access->touches[t].parameter] };
        if (touch.arg->shape != YOKE_ROWS && touch.arg->shape != YOKE_HALO)
            continue;
        touch.row = touch.arg->array->pitch / (int64_t)touch.arg->array->element_size;
        status = check_touch(&touch);
    }
    return status;
}
