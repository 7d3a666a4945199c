/* merge.c - mode add: kernels add to private copies, which are added to the array once, when the
 * job ends.
 *
 * Every CPU lane and every device adds into its own zeroed copy. So adds need no atomics on a CPU,
 * and a failing device loses only its own work. First all copies are collected on the host. They
 * are added only when all are there, in order of device and lane, so that the result does not
 * depend on timing. A panel's copy is as large as its whole array, because kernels index it like
 * the array.
 */

#include "merge.h"

#include "../base/alloc.h"
#include "../flight/sum_copies.h"
#include "../flight/sums.h"
#include "../job/sum.h"
#include "retire.h"

static yoke_status collect_all(struct yk_job *job, int *again)
{
    int d;
    for (d = 0; d < job->device_count; d++) {
        struct yk_job_device *jd = &job->devices[d];
        yoke_status status;
        if (jd->failed && !jd->device->device->desc.host_memory) {
            yk_private_forget(job, d);
            continue;
        }
        status = yk_sums_collect(job, d);
        if (status == YOKE_EDEVICE) {
            yk_private_forget(job, d);
            yk_lock(&job->lock);
            yk_job_drop_device(job, d, yoke_error_text());
            yk_unlock(&job->lock);
            yk_runtime_device_lost(job->runtime, jd->device);
            *again = 1;
        } else if (status != YOKE_OK) {
            return status;
        }
    }
    return YOKE_OK;
}

/* Adds a private copy to the rows of the array, which are on the host. */
static void fold_one(const yoke_array *array, yoke_merge_fn *merge, const char *from)
{
    const int together = array->row_bytes == array->pitch;
    const int64_t elements = array->row_bytes / (int64_t)array->element_size;
    const int64_t runs = together ? 1 : array->rows, count = together ? array->rows : 1;
    int64_t run, at = array->column;
    for (run = 0; run < runs; run++, at += array->pitch)
        merge(array->host + at, from + at, count * elements);
}

static yoke_status fold(struct yk_job *job, int arg)
{
    const yoke_arg *a = &job->args[arg];
    yoke_merge_fn *merge =
        a->merge ? a->merge : yk_sum_of(job->kernel->kernel.params[arg].type)->merge;
    yoke_status status = yk_transfer_home(a->array, yk_array_rows(a->array));
    int d, lane;
    if (status != YOKE_OK)
        return status;
    for (d = 0; d < job->device_count; d++)
        for (lane = 0; lane < job->devices[d].device->lanes; lane++) {
            const char *from = job->devices[d].private_hosts[lane * job->arg_count + arg];
            if (from)
                fold_one(a->array, merge, from);
        }
    return yk_transfer_written(a->array, YK_HOST, yk_array_rows(a->array));
}

/* A job without items does not conflict with others, which may be writing the array, so it must not
 * touch a row. */
yoke_status yk_job_merge(struct yk_job *job, int *again)
{
    yoke_status status;
    int p;
    *again = 0;
    if (!job->sums.has_add || job->first == job->last)
        return YOKE_OK;
    status = collect_all(job, again);
    for (p = 0; p < job->arg_count && status == YOKE_OK && !*again; p++)
        if (job->args[p].mode == YOKE_PARAM_ADD)
            status = fold(job, p);
    return status;
}
