/* moved.c - whole jobs tell which devices do them best (partition/team.h), but a job that brought
 * rows to a device that keeps them tells what moving takes, once. Whether it keeps them shows when
 * the next such job begins: rows that the host has written meanwhile are moved again each time, and
 * that is what the team costs. So a team hears of a job no sooner than then.
 */
#include "flight.h"

void yk_moved_hold(const struct yk_job *job, const struct yk_team_job *ran,
                   struct yk_memory *memory)
{
    struct yk_held *held = &memory->held;
    int d;
    if (held->job.asked) /* the one after it began before it ended */
        yk_team_learn(&memory->team, &held->job);
    held->job = *ran;
    held->moved = atomic_load(&job->bytes_to) + atomic_load(&job->bytes_between);
    for (d = 0; d < job->device_count; d++)
        held->share[d] = (double)job->devices[d].outcome.items / (double)ran->items;
}

/* What the links of those who had a part move in a nanosecond, all of them together. */
static double links_of(const struct yk_job *job, const struct yk_held *held)
{
    double sum = 0;
    int d;
    for (d = 0; d < job->device_count; d++)
        if (held->share[d] > 0)
            sum += job->runtime->devices[d].device->desc.link_bytes_per_ns;
    return sum;
}

void yk_moved_hear(const struct yk_job *job)
{
    struct yk_memory *memory = yk_kernel_memorise(job->kernel, job->key);
    struct yk_held *held = &memory->held;
    const double links = held->moved > 0 ? links_of(job, held) : 0;
    double stays_ns = 0;
    if (!held->job.asked)
        return;
    if (links > 0)
        stays_ns = ((double)held->moved - yk_job_moves_again(job, held)) / links;
    if (yk_team_counts(&memory->team, &held->job, stays_ns))
        yk_team_learn(&memory->team, &held->job);
    held->job.asked = 0;
}
