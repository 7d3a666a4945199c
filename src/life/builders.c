/* builders.c - see builders.h. */
#include "builders.h"

#include <math.h>

#include "../job/kernel.h"
#include "../platform/clock.h"
#include "decomposition.h"

/* Returns 1 if the GPU has a part in the plan of the job's arrays. */
static int has_part(const struct yk_job *job, int d)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    return decomposition && decomposition->division.stand && yk_job_shares(job)[d] > 0;
}

static int must_build(const struct yk_job *job, int d)
{
    return yk_device_must_build(&job->runtime->devices[d], job->kernel);
}

/* Returns the time that these devices need for the job, in ns; infinite if no speed is known. */
static double ns_by(const struct yk_job *job, uint32_t team, const struct yk_split_device *known)
{
    double rate = 0;
    int d;
    for (d = 0; d < job->device_count; d++)
        if (team & yk_team_bit(d))
            rate += known[d].rate;
    return (double)(job->last - job->first) / rate;
}

/* Returns 1 if the device's build began longer ago than the job will take. */
static int is_too_late(const struct yk_job *job, int d, double job_ns)
{
    const int64_t begun_ns = yk_kernel_build_begun(job->kernel, job->devices[d].device->number);
    return begun_ns > 0 && job_ns < (double)(yk_clock_ns() - begun_ns);
}

uint32_t yk_job_call_builders(struct yk_job *job, uint32_t team,
                              const struct yk_split_device *known)
{
    uint32_t hosts = 0, builders = 0, others;
    double job_ns;
    int d;
    for (d = 0; d < job->device_count; d++) {
        if (job->runtime->devices[d].device->desc.host_memory)
            hosts |= yk_team_bit(d);
        else if (must_build(job, d) && (has_part(job, d) || (team & yk_team_bit(d))))
            builders |= yk_team_bit(d);
    }
    job->split.unbuilt = 0;
    job->split.builds = 0;
    if (!builders)
        return team;
    others = (team | hosts) & ~builders;
    job_ns = known ? ns_by(job, others, known) : INFINITY;
    for (d = 0; d < job->device_count; d++)
        if ((builders & yk_team_bit(d)) && !has_part(job, d) && is_too_late(job, d, job_ns))
            job->split.unbuilt |= yk_team_bit(d);
    builders &= ~job->split.unbuilt;
    job->split.builds = builders != 0;
    return others | builders;
}
