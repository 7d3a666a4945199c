/* moved.c - whole jobs show which devices do them best (partition/team.h), but a job that brought
 * rows to a device also includes the one-time cost of moving them, if the device keeps them.
 * Whether it keeps them is known when the next such job begins: rows that the host has written
 * meanwhile are moved again each time, and then that is a cost of the team. So a team learns from a
 * job that moved rows only at that time. */
#include "flight.h"

void yk_moved_hold(const struct yk_job *job, const struct yk_team_job *ran,
                   struct yk_memory *memory)
{
    const int64_t moved = atomic_load_explicit(&job->bytes_to, memory_order_relaxed) +
                          atomic_load_explicit(&job->bytes_between, memory_order_relaxed);
    struct yk_held *held = &memory->held;
    int d;
    if (held->job.asked) /* this job began before that one ended */
        yk_team_learn(&memory->team, &held->job);
    held->job.asked = 0;
    if (moved == 0) {
        yk_team_learn(&memory->team, ran);
        return;
    }
    held->job = *ran;
    held->moved = moved;
    for (d = 0; d < job->device_count; d++)
        held->share[d] = (double)job->devices[d].outcome.items / (double)ran->items;
}

/* Bytes per ns that the links of the devices with a part move together. */
static double links_of(const struct yk_job *job, const struct yk_held *held)
{
    double sum = 0;
    int d;
    for (d = 0; d < job->device_count; d++)
        if (held->share[d] > 0)
            sum += job->runtime->devices[d].device->desc.link_bytes_per_ns;
    return sum;
}

void yk_moved_hear(const struct yk_job *job, const struct yk_memory *known)
{
    struct yk_memory *memory;
    struct yk_held *held;
    double links, stays_ns = 0;
    if (!known->held.job.asked)
        return;
    memory = yk_kernel_memorise(job->kernel, job->key);
    held = &memory->held;
    links = links_of(job, held);
    if (links > 0)
        stays_ns = ((double)held->moved - yk_job_moves_again(job, held)) / links;
    if (yk_team_counts(&memory->team, &held->job, stays_ns))
        yk_team_learn(&memory->team, &held->job);
    held->job.asked = 0;
}
