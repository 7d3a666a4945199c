/* foresee.c - see foresee.h. */
#include "foresee.h"

#include "../job/kernel.h"
#include "decomposition.h"
#include "decomposition_plan.h"

/* Returns 1 if its latest job followed the plan, and nothing has changed since. */
static int goes_on(const struct yk_decomposition *decomposition, const struct yk_member *member)
{
    return member && member->keeping.by_plan && member->checked == decomposition->planning.at &&
           member->fits && member->keeping.jobs >= member->keeping.pause_until;
}

/* Returns 1 if only devices with memory of their own have a part, and can start at once. */
static int parts_start(const struct yk_job *job, const double *share)
{
    const yoke_runtime *runtime = job->runtime;
    int d, count = atomic_load_explicit(&runtime->device_count, memory_order_acquire);
    for (d = 0; d < count; d++)
        if (share[d] > 0 && (runtime->devices[d].device->desc.host_memory ||
                             !yk_kernel_is_ready(job->kernel, runtime->devices[d].number)))
            return 0;
    return 1;
}

/* Returns 1 if none of the job's arrays is divided in another way. */
static int lives_there(const struct yk_job *job, const struct yk_decomposition *decomposition)
{
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].array && job->args[p].array->whole->decomposition &&
            job->args[p].array->whole->decomposition != decomposition)
            return 0;
    return 1;
}

/* Returns 1 if `before` follows a plan, and the job will, too. */
static int follows(const struct yk_job *job, const struct yk_job *before)
{
    struct yk_decomposition *decomposition = before->split.decomposition;
    const struct yk_member *member = yk_decomposition_member(decomposition, job);
    return before->split.planned && goes_on(decomposition, member) &&
           !yk_decomposition_is_due(decomposition) && lives_there(job, decomposition) &&
           parts_start(before, decomposition->division.cuts.share[before->split.member]) &&
           parts_start(job, decomposition->division.cuts.share[member - decomposition->members]);
}

int yk_job_foresees(const struct yk_job *job, const struct yk_job *before)
{
    static const double all = 1;
    if (!yk_job_goes_by_plan(job->split.partitioner) || job->pair || before->pair ||
        job->kernel->kernel.kind == YOKE_KERNEL_STEP)
        return 0;
    if (before->device_count == 1)
        return before->kernel->kernel.kind != YOKE_KERNEL_STEP && parts_start(job, &all);
    return before->split.decomposition && follows(job, before);
}
