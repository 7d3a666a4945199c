/* stranded.c - a job with items left and no device that takes part: benched devices step in, or the
 * job fails. */

#include "stranded.h"

#include "../base/status.h"
#include "../job/kernel.h"

/* Returns a failed build of the kernel; NULL: none. Prefers a kernel that does not compile to one
 * without an implementation, because that explains more. */
static const struct yk_build *failed_build(const struct yk_job *job, int form)
{
    const struct yk_build *found = NULL;
    int d;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_build *build =
            &yk_job_kernel(job, form)->builds[job->devices[d].device->number];
        if (atomic_load_explicit(&build->state, memory_order_acquire) == YK_BUILD_FAILED &&
            (!found || build->status == YOKE_EBUILD))
            found = build;
    }
    return found;
}

/* Lets benched devices step in. Returns 1 if there were some. */
static int call_bench(struct yk_job *job)
{
    int d, called = 0;
    for (d = 0; d < job->device_count; d++) {
        struct yk_job_device *jd = &job->devices[d];
        if (!jd->benched)
            continue;
        jd->benched = 0;
        called = 1;
        yk_dispatch_readmit(job->dispatch, d);
        jd->joined = jd->device->device->desc.host_memory;
        if (jd->joined)
            yk_dispatch_join(job->dispatch, d, yk_now(job->runtime));
    }
    return called;
}

/* Returns 1 if a device had too little memory for the job. */
static int lacked_memory(const struct yk_job *job)
{
    int d, lacked = 0;
    for (d = 0; d < job->device_count; d++)
        lacked |= job->devices[d].status == YOKE_ENOMEM;
    return lacked;
}

void yk_job_check_stranded(struct yk_job *job)
{
    const struct yk_build *build;
    int d;
    for (d = 0; d < job->device_count; d++)
        if (!job->devices[d].joined ||
            !(job->devices[d].failed || job->devices[d].retired || job->devices[d].benched))
            return;
    if (yk_dispatch_left(job->dispatch) == 0 || call_bench(job))
        return;
    build = failed_build(job, 0);
    if (!build && job->pair)
        build = failed_build(job, 1);
    if (build)
        yk_job_fail(job, yk_fail(build->status, "%s", build->text ? build->text : job->name));
    else
        yk_job_fail(job, yk_fail(lacked_memory(job) ? YOKE_ENOMEM : YOKE_EDEVICE,
                                 "%s: no device is left that could do the rest (%s)", job->name,
                                 yoke_error_text()));
}
