/* loop.c - yoke_for: makes a job of plain memory and values, runs it, and brings its results home;
 * yoke_submit_for: makes a job of arrays and values, and submits it.
 *
 * Memory becomes an array during the call. Memory that is given twice becomes one array, so that a
 * kernel which reads it in two ways has one copy of it on a device.
 */
#include <string.h>
#include <yoke/for.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../job/array_handle.h"
#include "../job/entry.h"
#include "../job/job.h"
#include "../job/validate.h"
#include "../job/value.h"
#include "default.h"

struct call {
    yoke_runtime *runtime;
    const yoke_loop *loop;
    int waits;        /* 1: the call lasts until the job is over */
    int64_t sizes[3]; /* 1 for a dimension that the kernel does not have */
    yoke_job job;
    yoke_array *opened[YOKE_ARGS_MAX]; /* arrays opened by this call, by argument */
};

#define ARGUMENT         "kernel %s, argument %d (%s): "
#define NAMES_OF(job, p) (job)->kernel->name, (p) + 1, (job)->kernel->params[p].name

static yoke_status check_along(const yoke_loop *loop, int d)
{
    const yoke_span *along = &loop->along[d];
    if (along->size < 0)
        return yk_fail(YOKE_EINVAL, "kernel %s: dimension %d of the range has %lld indexes",
                       loop->kernel->name, d + 1, (long long)along->size);
    if (0 <= along->first && along->first <= along->last && along->last <= along->size)
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   "kernel %s: indexes [%lld, %lld) of dimension %d, which has %lld; give "
                   "yoke_indexes(first, last, size) with 0 <= first <= last <= size",
                   loop->kernel->name, (long long)along->first, (long long)along->last, d + 1,
                   (long long)along->size);
}

/* Fills in the range. If a dimension has no index to do, the whole loop does nothing and needs no
 * row. */
static yoke_status take_sizes(struct call *call)
{
    static const char *const words[] = { "", "", "2", "3" };
    const yoke_loop *loop = call->loop;
    const int dimensions = loop->kernel->dimensions > 1 ? loop->kernel->dimensions : 1;
    yoke_span along[3];
    int d, is_empty = 0;
    if (loop->dimensions != dimensions)
        return yk_fail(YOKE_EINVAL, "kernel %s has %d dimension%s; run it with yoke_for%s",
                       loop->kernel->name, dimensions, dimensions == 1 ? "" : "s",
                       words[dimensions]);
    for (d = 0; d < 3; d++) {
        along[d] = d < dimensions ? loop->along[d] : yoke_indexes(0, 1, 1);
        if (d < dimensions && check_along(loop, d) != YOKE_OK)
            return YOKE_EINVAL;
        is_empty |= along[d].first == along[d].last;
    }
    for (d = 0; d < 3; d++)
        call->sizes[d] = is_empty ? d > 0 : along[d].size;
    if (is_empty)
        return YOKE_OK;
    call->job.range.first = along[0].first;
    call->job.range.last = along[0].last;
    for (d = 0; d < 2; d++)
        call->job.range.extent[d] = along[d + 1].size;
    call->job.range.second.first = along[1].first;
    call->job.range.second.last = along[1].last;
    call->job.range.third.first = along[2].first;
    call->job.range.third.last = along[2].last;
    return YOKE_OK;
}

/* A pointer to something else than numbers: to a struct, to a row of a C array, to void. */
static yoke_status refuse_elements(const struct call *call, int p)
{
    const yoke_param *param = &call->job.kernel->params[p];
    const size_t size = call->loop->given[p].size;
    const int may_be_rows = size > param->size && size % param->size == 0;
    return yk_fail(YOKE_EINVAL,
                   ARGUMENT "elements of type %s (%u bytes) are wanted, elements of %zu byte%s "
                            "given%s%s%s",
                   NAMES_OF(&call->job, p), param->type, param->size, size, size == 1 ? "" : "s",
                   may_be_rows ? "; of an array of arrays pass the first element, &" : "",
                   may_be_rows ? param->name : "",
                   may_be_rows ? "[0][0]"
                   : size == 1 ? "; a void * tells no type: cast it"
                               : "");
}

static yoke_status refuse_type(const struct call *call, int p)
{
    const yoke_param *param = &call->job.kernel->params[p];
    const yoke_given *given = &call->loop->given[p];
    const char *type = yk_type_name(given->type, given->size);
    const int is_memory = given->kind != YOKE_GIVEN_VALUE;
    if (is_memory && (given->type == YOKE_TYPE_OTHER || given->size > sizeof(double)))
        return refuse_elements(call, p);
    if (is_memory)
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "elements of type %s (%u bytes) are wanted, %s (%zu bytes) given",
                       NAMES_OF(&call->job, p), param->type, param->size, type, given->size);
    return yk_fail(YOKE_EINVAL,
                   ARGUMENT "a value of type %s (%u bytes) is wanted, %s (%zu bytes) given; "
                            "convert it: (%s)...",
                   NAMES_OF(&call->job, p), param->type, param->size, type, given->size,
                   param->type);
}

static int is_integer(yoke_type type)
{
    return type == YOKE_TYPE_SIGNED || type == YOKE_TYPE_UNSIGNED;
}

/* Returns an integer as 64 bits; a signed one is sign-extended. */
static uint64_t widen(const yoke_given *given)
{
    uint64_t bits = 0;
    int unused = 64 - 8 * (int)given->size;
    memcpy(&bits, given->at, given->size);
    if (given->type == YOKE_TYPE_SIGNED && unused > 0)
        bits = (uint64_t)((int64_t)(bits << unused) >> unused);
    return bits;
}

static int fits(uint64_t bits, yoke_type from, yoke_type to, size_t size)
{
    int is_negative = from == YOKE_TYPE_SIGNED && (int64_t)bits < 0;
    int free_bits = 64 - 8 * (int)size + (to == YOKE_TYPE_SIGNED);
    uint64_t most = UINT64_MAX >> free_bits;
    if (is_negative)
        return to == YOKE_TYPE_SIGNED && (int64_t)bits >= -(int64_t)most - 1;
    return bits <= most;
}

static yoke_status take_value(struct call *call, int p)
{
    const yoke_param *param = &call->job.kernel->params[p];
    const yoke_given *given = &call->loop->given[p];
    const yoke_type wanted = yk_type_named(param->type);
    yoke_arg *arg = &call->job.args[p];
    arg->value_size = param->size;
    if (is_integer(wanted) && is_integer(given->type)) {
        arg->type = wanted;
        arg->bits = widen(given);
        if (!fits(arg->bits, given->type, wanted, param->size))
            return yk_fail(YOKE_EINVAL, ARGUMENT "the value does not fit %s",
                           NAMES_OF(&call->job, p), param->type);
        return YOKE_OK;
    }
    if (given->size != param->size ||
        (given->type != wanted && given->type != YOKE_TYPE_OTHER && wanted != YOKE_TYPE_OTHER))
        return refuse_type(call, p);
    arg->value = given->at;
    return YOKE_OK;
}

/* Rows of the array that the memory becomes. All elements that are known to be there may be used if
 * each index may use any; otherwise as many as the range needs, so that one array in C can be
 * several arguments. */
static int64_t rows_of(const struct call *call, int p, int is_whole, int64_t row)
{
    const yoke_given *given = &call->loop->given[p];
    const int64_t after = given->shape == YOKE_HALO && given->after > 0 ? given->after : 0;
    const int64_t rows = given->count == YOKE_NO_ELEMENTS ? 0 : given->count / row;
    if (given->count == 0)
        return call->sizes[0];
    return is_whole || rows - call->sizes[0] <= after ? rows : call->sizes[0] + after;
}

/* An array whose rows have no element has none that a kernel could use. It becomes one with memory
 * of its own, because rows cannot be empty. */
static yoke_array_spec shape_of_nothing(const struct call *call, int p)
{
    return (yoke_array_spec){ .rows = call->sizes[0],
                              .element_size = call->loop->given[p].size,
                              .name = call->job.kernel->params[p].name };
}

/* Sets *out to the array that the memory becomes: one row per index, or elements for all indexes.
 */
static yoke_status shape_memory(const struct call *call, int p, yoke_array_spec *out)
{
    const yoke_param *param = &call->job.kernel->params[p];
    const yoke_given *given = &call->loop->given[p];
    const int is_whole = given->shape == YOKE_WHOLE || param->mode == YOKE_PARAM_ADD;
    int64_t row = given->row_elements;
    if (param->mode == YOKE_PARAM_ADD && !given->count)
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT
                       "the number of elements is not known; pass yoke_whole(pointer, count)",
                       NAMES_OF(&call->job, p));
    if (given->count == YOKE_TOO_FEW_ELEMENTS)
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "yoke_whole names more elements than there are; if there are more, "
                                "pass a pointer to the first",
                       NAMES_OF(&call->job, p));
    if (row == YOKE_NO_ELEMENTS) {
        *out = shape_of_nothing(call, p);
        return YOKE_OK;
    }
    if (row < 0 || (given->count < 0 && given->count != YOKE_NO_ELEMENTS))
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "%lld elements, %lld in a row; neither can be negative",
                       NAMES_OF(&call->job, p), (long long)given->count, (long long)row);
    if (!row)
        row = is_whole && given->count ? 1 : call->sizes[1] * call->sizes[2];
    *out = (yoke_array_spec){ .host = (void *)(uintptr_t)given->at,
                              .rows = rows_of(call, p, is_whole, row),
                              .row_elements = row,
                              .element_size = given->size,
                              .name = param->name };
    if (!given->at && out->rows > 0)
        return yk_fail(YOKE_EINVAL, ARGUMENT "the pointer is NULL", NAMES_OF(&call->job, p));
    return YOKE_OK;
}

static int64_t bytes_of(const yoke_array_spec *spec)
{
    return spec->rows * spec->row_elements * (int64_t)spec->element_size;
}

static int overlap(const yoke_array_spec *a, const yoke_array_spec *b)
{
    const uintptr_t at = (uintptr_t)a->host, other = (uintptr_t)b->host;
    return at < other + (uint64_t)bytes_of(b) && other < at + (uint64_t)bytes_of(a);
}

static int are_equal(const yoke_array_spec *a, const yoke_array_spec *b)
{
    return a->host == b->host && a->rows == b->rows && a->row_elements == b->row_elements &&
           a->element_size == b->element_size;
}

/* Sets *out to the memory that an argument is, or that its result goes to. Returns 0 if it is a
 * value or an array. */
static int find_memory(const struct call *call, int p, yoke_array_spec *out)
{
    const yoke_given *given = &call->loop->given[p];
    if (given->kind == YOKE_GIVEN_VALUE || given->kind == YOKE_GIVEN_ARRAY)
        return 0;
    if (call->job.kernel->params[p].mode != YOKE_PARAM_REDUCE)
        return shape_memory(call, p, out) == YOKE_OK;
    *out = (yoke_array_spec){ .host = (void *)(uintptr_t)given->at,
                              .rows = 1,
                              .row_elements = 1,
                              .element_size = given->size };
    return given->at != NULL;
}

/* Uses the array of an earlier argument if that has the same memory; a result has none. If the
 * memory overlaps an earlier argument's in another way, that is an error if the kernel writes to
 * one of them. */
static yoke_status find_same(struct call *call, int p, const yoke_array_spec *spec)
{
    const yoke_kernel *kernel = call->job.kernel;
    yoke_array_spec other;
    int q;
    for (q = 0; spec->host && q < p; q++) {
        if (!find_memory(call, q, &other) || !overlap(spec, &other))
            continue;
        if (kernel->params[p].mode != YOKE_PARAM_REDUCE && call->job.args[q].array &&
            are_equal(spec, &other))
            call->job.args[p].array = call->job.args[q].array;
        else if (yk_changes_array(kernel->params[p].mode) ||
                 yk_changes_array(kernel->params[q].mode))
            return yk_fail(YOKE_EINVAL,
                           ARGUMENT "its memory overlaps that of argument %d (%s), and the kernel "
                                    "writes there; give it memory of its own%s",
                           NAMES_OF(&call->job, p), q + 1, kernel->params[q].name,
                           call->loop->dimensions > 1
                               ? ", or, if index i has fewer elements of one of them than the "
                                 "further dimensions have indexes, pass yoke_row(pointer, elements)"
                               : "");
    }
    return YOKE_OK;
}

/* Notes in which directions rows will be copied: at most once each, because the array is only for
 * this call. */
static void tell_ways(yoke_array *handle, yoke_param_mode mode)
{
    yoke_array *array = yk_array_of(handle, "yoke_for");
    if (array)
        array->pages.ways |=
            (yk_reads_rows(mode) ? YK_PIN_UP : 0) | (yk_writes_rows(mode) ? YK_PIN_HOME : 0);
}

static yoke_status take_memory(struct call *call, int p)
{
    const yoke_param *param = &call->job.kernel->params[p];
    const yoke_given *given = &call->loop->given[p];
    const yoke_type wanted = yk_type_named(param->type);
    yoke_array_spec spec;
    yoke_status status;
    if (given->size != param->size ||
        (given->type != YOKE_TYPE_OTHER && wanted != YOKE_TYPE_OTHER &&
         (given->type == YOKE_TYPE_REAL) != (wanted == YOKE_TYPE_REAL)))
        return refuse_type(call, p);
    if (given->kind == YOKE_GIVEN_CONST_MEMORY && param->mode != YOKE_PARAM_IN)
        return yk_fail(YOKE_EINVAL, ARGUMENT "the kernel writes there, and the pointer is to const",
                       NAMES_OF(&call->job, p));
    /* The rows come home in any case; this lets them do so while other chunks compute. */
    if (yk_writes_rows(param->mode))
        call->job.args[p].home = YOKE_HOME_NOW;
    status = shape_memory(call, p, &spec);
    if (status == YOKE_OK)
        status = find_same(call, p, &spec);
    if (status == YOKE_OK && !call->job.args[p].array) {
        status = yoke_array_open(call->runtime, &spec, &call->opened[p]);
        call->job.args[p].array = call->opened[p];
    }
    if (status == YOKE_OK)
        tell_ways(call->job.args[p].array, param->mode);
    return status;
}

static yoke_status refuse_memory(const struct call *call, int p)
{
    return yk_fail(YOKE_EINVAL,
                   ARGUMENT
                   "a pointer is given, whose memory would have to stay until the loop has "
                   "run; give an array (yoke_array_wrap), or wait (yoke_for)",
                   NAMES_OF(&call->job, p));
}

/* Takes the address of a reduction's result. */
static yoke_status take_result(struct call *call, int p)
{
    const yoke_given *given = &call->loop->given[p];
    yoke_arg *arg = &call->job.args[p];
    yoke_array_spec spec;
    arg->shape = given->shape;
    if (given->kind == YOKE_GIVEN_CONST_MEMORY || given->row_elements || given->count > 1)
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "the address of one variable is wanted, for the result (%s)",
                       NAMES_OF(&call->job, p), call->job.kernel->params[p].type);
    if (given->kind == YOKE_GIVEN_ARRAY) {
        arg->array = given->array;
        return YOKE_OK;
    }
    arg->value = given->at;
    arg->value_size = given->size;
    arg->type = given->type;
    return find_memory(call, p, &spec) ? find_same(call, p, &spec) : YOKE_OK;
}

static yoke_status take(struct call *call, int p)
{
    static const char *const kinds[] = { "a value", "a pointer", "a pointer", "an array" };
    const yoke_param *param = &call->job.kernel->params[p];
    const yoke_given *given = &call->loop->given[p];
    yoke_arg *arg = &call->job.args[p];
    arg->mode = param->mode;
    if ((param->mode == YOKE_PARAM_VALUE) != (given->kind == YOKE_GIVEN_VALUE))
        return yk_fail(YOKE_EINVAL, ARGUMENT "%s (%s) is wanted, %s given", NAMES_OF(&call->job, p),
                       param->mode == YOKE_PARAM_VALUE ? "a value" : "a pointer or an array",
                       param->type, kinds[given->kind]);
    if (param->mode == YOKE_PARAM_VALUE)
        return take_value(call, p);
    if (param->mode == YOKE_PARAM_REDUCE)
        return take_result(call, p);
    arg->shape = param->mode == YOKE_PARAM_ADD ? YOKE_WHOLE : given->shape;
    if (given->row_elements == YOKE_NO_ELEMENTS && param->mode == YOKE_PARAM_OUT)
        arg->shape = YOKE_PART; /* no index can write the element that the row has instead */
    arg->before = given->before;
    arg->after = given->after;
    if (given->kind != YOKE_GIVEN_ARRAY)
        return call->waits ? take_memory(call, p) : refuse_memory(call, p);
    arg->array = given->array;
    if (given->row_elements || given->count)
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "an array has its own rows; pass it without yoke_row and a count",
                       NAMES_OF(&call->job, p));
    return YOKE_OK;
}

/* Closes the arrays, which brings their rows home. Returns the first error of all. */
static yoke_status close_opened(struct call *call, yoke_status status)
{
    char *text = NULL;
    int p, all_closed = 1;
    if (status != YOKE_OK)
        text = yk_strdup(yoke_error_text());
    for (p = 0; p < YOKE_ARGS_MAX; p++) {
        yoke_status closed = yoke_array_close(call->opened[p]);
        all_closed &= closed == YOKE_OK;
        if (status == YOKE_OK)
            status = closed;
    }
    if (text && !all_closed)
        yk_fail(status, "%s", text);
    yk_free(text);
    return status;
}

/* Makes the job. After an error the arrays that it has opened are still to be closed. */
static yoke_status make_job(struct call *call, const char *name)
{
    const yoke_loop *loop = call->loop;
    yoke_status status = YOKE_OK;
    int p;
    if (!loop)
        return yk_fail(YOKE_EINVAL, "%s: the loop is NULL", name);
    if (!call->runtime)
        status = yk_default_get(&call->runtime);
    if (status == YOKE_OK)
        status = yk_runtime_check(call->runtime, name);
    call->job.kernel = loop->kernel;
    if (status == YOKE_OK)
        status = yk_job_check_layout(&call->job);
    if (status == YOKE_OK)
        status = yk_kernel_check_count(loop->kernel, loop->given_count);
    if (status == YOKE_OK)
        status = take_sizes(call);
    for (p = 0; status == YOKE_OK && p < loop->given_count; p++)
        status = take(call, p);
    return status;
}

yoke_status yoke_loop_run(yoke_runtime *runtime, const yoke_loop *loop)
{
    struct call call = { .runtime = runtime, .loop = loop, .waits = 1 };
    yoke_status status = make_job(&call, "yoke_for");
    if (status == YOKE_OK)
        status = yoke_run(call.runtime, &call.job, NULL);
    return close_opened(&call, status);
}

yoke_status yoke_loop_submit(yoke_runtime *runtime, const yoke_loop *loop)
{
    struct call call = { .runtime = runtime, .loop = loop };
    yoke_status status = make_job(&call, "yoke_submit_for");
    return status == YOKE_OK ? yoke_submit(call.runtime, &call.job, NULL) : status;
}
