/* retire.c - a device leaves a job, or the runtime because it failed. */

#include "retire.h"

#include "../base/alloc.h"
#include "../base/status.h"
#include "../job/call.h"
#include "../job/wake.h"
#include "stranded.h"

/* The device's sums are lost, so what it did must be computed again. But rows that it changed in
 * place may have left it, and would be changed a second time: the job fails. */
static void lose_sums(struct yk_job *job, int device, const char *reason)
{
    int p = 0;
    char *why;
    while (p < job->arg_count && job->args[p].mode != YOKE_PARAM_INOUT)
        p++;
    if (p == job->arg_count)
        return;
    why = yk_strdup(reason); /* may be this thread's error text, which changes now */
    yk_job_fail(job, yk_fail(YOKE_ELOST,
                             "%s: the sums of %s are lost with it, and what it did cannot be "
                             "repeated, because it has changed argument %d (%s) in place; write "
                             "the rows again and repeat the job (%s)",
                             job->name, job->devices[device].device->device->desc.name, p + 1,
                             job->kernel->kernel.params[p].name, why ? why : "it failed"));
    yk_fail(YOKE_EDEVICE, "%s", why ? why : "it failed");
    yk_free(why);
}

void yk_job_drop_device(struct yk_job *job, int device, const char *reason)
{
    struct yk_job_device *jd = &job->devices[device];
    int lane;
    if (jd->failed)
        return;
    jd->failed = 1;
    for (lane = 0; lane < jd->device->lanes; lane++)
        atomic_store_explicit(&jd->flights[lane].out, 0, memory_order_relaxed);
    if (yk_dispatch_failed(job->dispatch, jd->device->number, reason) > 0)
        lose_sums(job, device, reason);
    yk_job_note_free(job);
    yk_job_check_stranded(job);
}

void yk_job_retire_device(struct yk_job *job, int device, const char *reason)
{
    struct yk_job_device *jd = &job->devices[device];
    if (jd->failed || jd->retired)
        return;
    jd->retired = 1;
    yk_dispatch_leave(job->dispatch, jd->device->number, reason);
    yk_job_check_stranded(job);
}

void yk_runtime_device_lost(yoke_runtime *runtime, struct yk_runtime_device *device)
{
    int64_t lost, all = 0;
    yoke_array *array;
    yk_place_drain(device->place); /* fails at once */
    yk_lock(&runtime->lock);
    if (!device->lost) {
        device->lost = 1;
        atomic_store(&device->place->lost, 1);
        for (array = runtime->arrays; array; array = array->next) {
            yk_transfer_place_failed(array, device->place->number, &lost);
            all += lost;
        }
        yk_log(YOKE_LOG_WARN,
               "%s failed and gets no more work (%lld rows only it had are lost): %s",
               device->device->desc.name, (long long)all, yoke_error_text());
    }
    yk_unlock(&runtime->lock);
    yk_wake_all(runtime);
}
