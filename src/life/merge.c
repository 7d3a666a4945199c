/* merge.c - mode add: kernels add to private copies, which are added to the array once, when the
 * job ends.
 *
 * Every CPU lane and every device adds into its own zeroed copy. So adds need no atomics on a CPU,
 * and a failing device loses only its own work. A lane that finds nothing left to do joins its copy
 * with those of other such lanes: they do that side by side, and mostly while a GPU still works.
 * With 15 cores and 256 KiB, one thread at the job's end took 0.6 ms. At the end all copies are
 * collected on the host, and added only when all are there. A panel's copy is as large as its whole
 * array, because kernels index it like the array.
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

/* Adds a private copy of the argument to `into`: the array's rows on the host, or another copy. */
static void fold_one(const struct yk_job *job, int arg, char *into, const char *from)
{
    const yoke_arg *a = &job->args[arg];
    const yoke_array *array = a->array;
    yoke_merge_fn *merge =
        a->merge ? a->merge : yk_sum_of(job->kernel->kernel.params[arg].type)->merge;
    const int together = array->row_bytes == array->pitch;
    const int64_t elements = array->row_bytes / (int64_t)array->element_size;
    const int64_t runs = together ? 1 : array->rows, count = together ? array->rows : 1;
    int64_t run, at = array->column;
    for (run = 0; run < runs; run++, at += array->pitch)
        merge(into + at, from + at, count * elements);
}

/* Leaves the copy to the next lane that is done, or joins it with one that was left. */
static void join(struct yk_job *job, int arg, char *mine)
{
    char *other, *none;
    do {
        while ((other = atomic_exchange(&job->sums.joined[arg], NULL))) {
            fold_one(job, arg, mine, other);
            yk_free(other);
        }
        none = NULL;
    } while (!atomic_compare_exchange_strong(&job->sums.joined[arg], &none, mine));
}

void yk_job_join_sums(struct yk_job *job, int device, int lane)
{
    char **copies = &job->devices[device].private_hosts[lane * job->arg_count];
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (copies[p]) {
            join(job, p, copies[p]);
            copies[p] = NULL; /* the lane takes a new one if items come back */
        }
}

void yk_job_close_sums(struct yk_job *job)
{
    int p;
    for (p = 0; p < job->arg_count; p++)
        yk_free(atomic_exchange(&job->sums.joined[p], NULL));
}

static void fold_device(const struct yk_job *job, int device, int arg)
{
    const struct yk_job_device *jd = &job->devices[device];
    char *const array = job->args[arg].array->host;
    const char *from = yk_sums_held(job, device, arg);
    int lane;
    if (from)
        fold_one(job, arg, array, from);
    for (lane = 0; lane < jd->device->lanes; lane++)
        if ((from = jd->private_hosts[lane * job->arg_count + arg]))
            fold_one(job, arg, array, from);
}

static yoke_status fold(struct yk_job *job, int arg)
{
    const yoke_arg *a = &job->args[arg];
    const char *joined = atomic_load(&job->sums.joined[arg]);
    yoke_status status = yk_transfer_home(a->array, yk_array_rows(a->array));
    int d;
    if (status != YOKE_OK)
        return status;
    if (joined)
        fold_one(job, arg, a->array->host, joined);
    for (d = 0; d < job->device_count; d++)
        fold_device(job, d, arg);
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
