/* join.c - a device joins a job when its kernel is built, its arrays have room, and the memory that
 * it will probably copy from is pinned. */
#include "join.h"

#include "../flight/alternative.h"
#include "../flight/held_memory.h"
#include "../flight/pin_ahead.h"
#include "../flight/sum_copies.h"
#include "../job/builds.h"
#include "../job/call.h"
#include "../job/wake.h"
#include "end.h"
#include "retire.h"

/* Most items of a chunk; 0: no limit. */
static int64_t most_items(const struct yk_job *job, const struct yk_job_device *jd)
{
    if (jd->queues && job->last - job->first >= YK_STEP_INDEXES_MOST &&
        (!jd->windows || jd->window_items >= YK_STEP_INDEXES_MOST))
        return YK_STEP_INDEXES_MOST - 1;
    return jd->windows ? jd->window_items : 0;
}

static void join(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    yk_lock(&job->lock);
    jd->joined = 1;
    if (jd->status == YOKE_OK) {
        if (most_items(job, jd))
            yk_dispatch_limit(job->dispatch, jd->device->number, most_items(job, jd));
        yk_dispatch_join(job->dispatch, jd->device->number, yk_now(job->runtime));
    } else {
        const char *text = job->kernel->builds[jd->device->number].text;
        yk_job_retire_device(job, device, text ? text : yoke_error_text());
    }
    yk_unlock(&job->lock);
    if (jd->status == YOKE_EDEVICE)
        yk_runtime_device_lost(job->runtime, jd->device);
    if (jd->retired)
        yk_wake_all(job->runtime);
    else if (job->split.alone < 0 &&
             !atomic_load(&job->caller.driven)) /* other lanes may get other chunks now */
        yk_job_wake(job);
}

/* Returns 0 if the process is ending and other devices have done the job: then the build would only
 * be for later jobs, and there are none. */
static int is_worth_building(const struct yk_job *job)
{
    return !yk_builds_are_ending() || atomic_load(&job->phase) != YK_DONE;
}

static void build(struct yk_job *job, int device)
{
    yk_builds_enter();
    if (is_worth_building(job))
        job->devices[device].status = yk_alternative_build(job, device);
    if (is_worth_building(job))
        yk_folds_build(job, device);
    yk_builds_leave();
}

int yk_job_prepare(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    int joins = 1;
    if (!atomic_load(&jd->ready)) {
        if (!yk_kernel_is_ready(job->kernel, jd->device->number) && yk_job_enter(job)) {
            yk_job_pins_all(job, device);
            yk_job_leave(job);
        }
        build(job, device); /* outside the job, which may end in the meantime */
    }
    /* If it cannot enter, the other devices have done everything. If one of them fails at the job's
     * end, the job continues and this device is asked again. */
    if (!yk_job_enter(job))
        return 1;
    if (!atomic_load(&jd->ready) && jd->status == YOKE_OK)
        jd->status = yk_place_check(jd->device->place);
    if (!atomic_load(&jd->ready) && jd->status == YOKE_OK)
        jd->status = yk_job_make_room(job, device);
    atomic_store(&jd->ready, jd->status != YOKE_EBUSY);
    if (jd->status == YOKE_EBUSY)
        joins = 0;
    else if (jd->status == YOKE_OK)
        joins = !yk_job_pins_ahead(job, device);
    if (joins)
        join(job, device);
    yk_job_leave(job);
    return joins;
}
