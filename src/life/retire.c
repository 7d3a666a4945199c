/* retire.c - a device leaves a job, or the runtime because it failed. */

#include "retire.h"

#include "../base/status.h"
#include "../job/call.h"
#include "../job/wake.h"
#include "stranded.h"

void yk_job_drop_device(struct yk_job *job, int device, const char *reason)
{
    struct yk_job_device *jd = &job->devices[device];
    int lane;
    if (jd->failed)
        return;
    jd->failed = 1;
    for (lane = 0; lane < jd->device->lanes; lane++)
        atomic_store_explicit(&jd->flights[lane].out, 0, memory_order_relaxed);
    yk_dispatch_failed(job->dispatch, jd->device->number, reason);
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
