/* reduction.c - see reduction.h: opens, folds and keeps arrays of partial results. */

#include "reduction.h"

#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "array_list.h"
#include "blocks.h"
#include "unit.h"
#include "value.h"

#define ARGUMENT            "kernel %s, argument %d (%s): "
#define NAMES_OF(kernel, p) (kernel)->name, (p) + 1, (kernel)->params[p].name

int yk_reduces(const yoke_kernel *kernel)
{
    int p, count = 0;
    for (p = 0; p < kernel->param_count; p++)
        count += kernel->params[p].mode == YOKE_PARAM_REDUCE;
    return count;
}

static yoke_status check_into(const yoke_kernel *kernel, int p, const yoke_array *into)
{
    if (into->rows == 1 && into->row_bytes == kernel->params[p].size)
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   ARGUMENT
                   "the result is one %s of %u bytes, array %s has %lld rows of %lld; open "
                   "it with one row of one element",
                   NAMES_OF(kernel, p), kernel->params[p].type, kernel->params[p].size, into->name,
                   (long long)into->rows, (long long)into->row_bytes);
}

yoke_status yk_reduction_check(const yoke_job *spec, int p)
{
    const yoke_kernel *kernel = spec->kernel;
    const yoke_param *param = &kernel->params[p];
    const yoke_arg *arg = &spec->args[p];
    const yoke_type wanted = yk_type_named(param->type);
    if (arg->shape != YOKE_ROWS && arg->shape != YOKE_ONTO)
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "a result is one value and has no rows to choose (shape %d); pass "
                                "&variable, which is set, or yoke_onto(&variable), whose present "
                                "value takes part (in a yoke_job: YOKE_ROWS or YOKE_ONTO)",
                       NAMES_OF(kernel, p), (int)arg->shape);
    if (arg->array)
        return check_into(kernel, p, arg->array);
    if (!arg->value)
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "there is no place for the result; pass yoke_reduce_to(&variable)",
                       NAMES_OF(kernel, p));
    if (arg->value_size == param->size &&
        (arg->type == YOKE_TYPE_OTHER || wanted == YOKE_TYPE_OTHER ||
         (arg->type == YOKE_TYPE_REAL) == (wanted == YOKE_TYPE_REAL)))
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   ARGUMENT "the result is of type %s (%u bytes), and goes to a variable of %zu; "
                            "pass the address of one of type %s",
                   NAMES_OF(kernel, p), param->type, param->size, arg->value_size, param->type);
}

static yoke_rows rows_of(const void *context, yoke_rows indexes)
{
    return yk_blocks_of(context, indexes);
}

static int fits(const yoke_array *array, const yoke_array_spec *spec)
{
    return array && array->rows == spec->rows && array->element_size == spec->element_size &&
           array->row_bytes == spec->row_elements * (int64_t)spec->element_size;
}

/* Sets *out to an array that an earlier job left, or to a new one. The array is in the runtime's
 * list, so that it is updated when devices fail. */
static yoke_status take_partials(yoke_runtime *runtime, const yoke_array_spec *spec,
                                 yoke_array **out)
{
    yoke_array *found = NULL;
    yoke_status status;
    int i;
    yk_lock(&runtime->lock);
    for (i = 0; i < YK_SPARE_PARTIALS && !found; i++)
        if (fits(runtime->spare_partials[i], spec)) {
            found = runtime->spare_partials[i];
            runtime->spare_partials[i] = NULL;
        }
    yk_unlock(&runtime->lock);
    *out = found;
    if (found)
        return YOKE_OK;
    status = yk_array_open(&runtime->places, spec, out);
    if (status != YOKE_OK)
        return status;
    (*out)->runtime = runtime;
    yk_lock(&runtime->lock);
    yk_arrays_add(*out);
    yk_unlock(&runtime->lock);
    return YOKE_OK;
}

static yoke_status open_total(struct yk_job *job, const yoke_job *spec, int p)
{
    struct yk_reduction *reduction = job->reduction;
    struct yk_total *total = &reduction->total[p];
    const yoke_array_spec partials = { .rows = reduction->count > 0 ? reduction->count : 1,
                                       .row_elements = reduction->blocks.parts,
                                       .element_size = spec->kernel->params[p].size,
                                       .name = "of partial results" };
    yoke_arg *arg = &job->args[p];
    yoke_status status = take_partials(job->runtime, &partials, &total->partials);
    if (status != YOKE_OK)
        return status;
    total->into = arg->array;
    memcpy(&total->value, &arg->value, sizeof total->value); /* the address of the result */
    total->onto = arg->shape == YOKE_ONTO;
    *arg = (yoke_arg){ .mode = YOKE_PARAM_OUT,
                       .array = total->partials,
                       .shape = YOKE_CUSTOM,
                       .rows = rows_of,
                       .rows_context = &reduction->blocks,
                       .home = YOKE_HOME_NOW };
    return YOKE_OK;
}

/* Lanes of the job's group kernels, each of which does something for a unit; 1: there are none. */
static int64_t most_lanes(const yoke_job *spec)
{
    const int mine = spec->kernel->lanes;
    const int other = spec->alternative ? spec->alternative->lanes : 0;
    const int most = mine > other ? mine : other;
    return most > 1 ? most : 1;
}

yoke_status yk_reduction_open(struct yk_job *job, const yoke_job *spec)
{
    const struct yk_blocks_spec cut = { .first = job->first,
                                        .last = job->last,
                                        .length = { yk_interval_length(job->along[0]),
                                                    yk_interval_length(job->along[1]) },
                                        .dimensions = spec->kernel->dimensions,
                                        .unit = yk_common_unit(spec->kernel, spec->alternative),
                                        .lanes = most_lanes(spec) };
    yoke_status status = YOKE_OK;
    int p;
    if (!yk_reduces(spec->kernel))
        return YOKE_OK;
    job->reduction = yk_calloc(1, sizeof *job->reduction);
    if (!job->reduction)
        return YOKE_ENOMEM;
    job->reduction->blocks = yk_blocks_cut(&cut);
    job->reduction->count =
        yk_blocks_of(&job->reduction->blocks, (yoke_rows){ job->first, job->last }).last;
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++)
        if (spec->kernel->params[p].mode == YOKE_PARAM_REDUCE)
            status = open_total(job, spec, p);
    return status;
}

/* Sets `value` to the total of all partial results; with `onto` that includes its present value. */
static yoke_status fold_into(struct yk_job *job, int p, void *value)
{
    const struct yk_total *total = &job->reduction->total[p];
    const yoke_kernel *kernel = &job->kernel->kernel;
    const size_t size = kernel->params[p].size;
    const struct yk_interval all = yk_array_rows(total->partials);
    const int is_empty = job->first == job->last;
    yoke_status status = is_empty ? YOKE_OK : yk_transfer_home(total->partials, all);
    char *both;
    if (status != YOKE_OK)
        return status;
    both = yk_calloc(2, size);
    if (!both)
        return YOKE_ENOMEM;
    memcpy(both, value, size);
    kernel->fold(p, both + size, total->partials->host,
                 is_empty ? 0 : total->partials->rows * job->reduction->blocks.parts);
    if (total->onto)
        kernel->fold(p, value, both, 2);
    else
        memcpy(value, both + size, size);
    yk_free(both);
    return YOKE_OK;
}

static yoke_status fold_into_array(struct yk_job *job, int p)
{
    yoke_array *into = job->reduction->total[p].into;
    const struct yk_interval row = yk_array_rows(into);
    yoke_status status = YOKE_OK;
    if (job->reduction->total[p].onto)
        status = yk_transfer_home(into, row);
    if (status == YOKE_OK)
        status = yk_transfer_written(into, YK_HOST, row);
    return status == YOKE_OK ? fold_into(job, p, into->host + into->column) : status;
}

yoke_status yk_reduction_fold(struct yk_job *job)
{
    yoke_status status = YOKE_OK;
    int p;
    for (p = 0; job->reduction && p < job->arg_count && status == YOKE_OK; p++) {
        const struct yk_total *total = &job->reduction->total[p];
        if (total->partials)
            status = total->into ? fold_into_array(job, p) : fold_into(job, p, total->value);
    }
    return status;
}

/* Removes the array from the runtime. It is closed later, without runtime.lock. */
static void strike(yoke_array *array)
{
    yk_arrays_remove(array);
    array->runtime = NULL;
}

/* Keeps the array for later jobs. Returns the array that it replaces; NULL: there was room. */
static yoke_array *keep_spare(yoke_runtime *runtime, yoke_array *array)
{
    yoke_array *left;
    int i = 0;
    while (i < YK_SPARE_PARTIALS && runtime->spare_partials[i])
        i++;
    if (i == YK_SPARE_PARTIALS)
        i = (int)(runtime->spare_turn++ % YK_SPARE_PARTIALS);
    left = runtime->spare_partials[i];
    runtime->spare_partials[i] = array;
    return left;
}

void yk_reduction_release(struct yk_job *job)
{
    int p;
    for (p = 0; job->reduction && p < job->arg_count; p++) {
        struct yk_total *total = &job->reduction->total[p];
        if (!total->partials || !total->partials->runtime)
            continue;
        total->partials = keep_spare(job->runtime, total->partials);
        if (total->partials)
            strike(total->partials);
    }
}

/* Returns 1 if the job still has arrays of the runtime, because it was never submitted. */
static int is_held(const struct yk_job *job)
{
    int p, held = 0;
    for (p = 0; job->reduction && p < job->arg_count; p++)
        held |= job->reduction->total[p].partials && job->reduction->total[p].partials->runtime;
    return held;
}

void yk_reduction_close(struct yk_job *job)
{
    int p;
    if (is_held(job)) {
        yk_lock(&job->runtime->lock);
        yk_reduction_release(job);
        yk_unlock(&job->runtime->lock);
    }
    for (p = 0; job->reduction && p < job->arg_count; p++)
        yk_array_close(job->reduction->total[p].partials);
    yk_free(job->reduction);
    job->reduction = NULL;
}

void yk_partials_forget(yoke_runtime *runtime)
{
    int i;
    for (i = 0; i < YK_SPARE_PARTIALS; i++) {
        yoke_array *array = runtime->spare_partials[i];
        if (!array)
            continue;
        yk_lock(&runtime->lock);
        strike(array);
        yk_unlock(&runtime->lock);
        yk_array_close(array);
        runtime->spare_partials[i] = NULL;
    }
}
