/* learn.c - what a finished job teaches: speeds and costs of its devices, its team, its shares. */
#include "learn.h"

#include "../job/kernel.h"
#include "../partition/partitioner.h"
#include "decomposition_learn.h"
#include "knowledge.h"
#include "weights.h"

/* Returns 1 if other jobs ran beside it than the one behind which it began and those that began
 * behind it. */
static int ran_beside(const struct yk_job *job)
{
    return job->split.crowded ||
           job->runtime->turns != job->turn + (uint64_t)job->pipeline.followers;
}

/* Returns 1 if the job made memory ready and later jobs need not do that. They need it, too, if the
 * program opens arrays for each job, as yoke_for does: then this job and the one before did so. */
static int made_ready(const struct yk_job *job, const struct yk_memory *memory)
{
    return !(job->split.opens && memory->opened) &&
           yk_places_readied(&job->runtime->places) != job->split.readied;
}

/* Returns what all devices have in common in this job. crowded: other jobs ran beside it and took
 * part of its time. tells_lines: its time shows how long parts take; it does not if memory was made
 * ready (readied), a device was lost, or devices tried kernels. */
static struct yk_learned_job what_ran(const struct yk_job *job, const struct yk_memory *memory,
                                      int readied)
{
    struct yk_learned_job ran = { .items = job->last - job->first,
                                  .crowded = ran_beside(job) || job->pipeline.before,
                                  .begun_ns = yk_job_since(job),
                                  .ended_ns = job->outcome.ended_ns,
                                  .by_lines = yk_partitioner_needs_lessons(job->split.partitioner),
                                  .readied = readied,
                                  .tells_lines = !readied };
    int d;
    for (d = 0; d < job->device_count; d++) {
        yk_learned_did(&ran, d, &memory->device[d], &job->devices[d].outcome);
        ran.tells_lines &= !job->devices[d].failed && !job->devices[d].tried;
    }
    return ran;
}

/* Returns 0 if the device failed, left, or tried kernels, so that the others' times tell little. A
 * device that cannot run the kernel leaves each job without an item, and disturbs none. */
static int was_whole(const struct yk_job_device *jd)
{
    return !jd->failed && !jd->tried && !(jd->retired && jd->outcome.items > 0);
}

/* Returns 1 if the device may have worked for other jobs since then. With runtime.lock held. */
static int served_others(const struct yk_job *job, int d, int64_t since)
{
    return ran_beside(job) && (job->runtime->running_count > 1 ||
                               atomic_load(&job->devices[d].device->served_ns) > since);
}

/* Returns the devices that could not work for this job all the time, because they worked for others
 * or had to build its kernel. With runtime.lock held. */
static uint32_t hindered(const struct yk_job *job, const struct yk_learned_job *ran)
{
    uint32_t found = 0;
    int d;
    for (d = 0; d < job->device_count; d++)
        if (job->split.builds || served_others(job, d, ran->begun_ns))
            found |= yk_team_bit(d);
    return found;
}

/* Of a GPU every chunk is noted (work/report.c). Of cores only the part of a whole job, because
 * they share many chunks. ended_ns 0: no part. With runtime.lock held. */
static void note_cores_served(struct yk_runtime_device *device, int64_t ended_ns)
{
    if (device->device->desc.host_memory && ended_ns > atomic_load(&device->served_ns))
        atomic_store(&device->served_ns, ended_ns);
}

/* Adds each device's part to its memory, to `ran` and to `team`. Returns 1 if all were whole. With
 * runtime.lock held. */
static int learn_speeds(struct yk_job *job, struct yk_memory *memory, struct yk_learned_job *ran,
                        struct yk_team_job *team)
{
    const int readied = ran->readied;
    int d, whole = 1, forgives = yk_job_splits_freely(job->split.partitioner);
    for (d = 0; d < job->device_count; d++) {
        const struct yk_device_desc *desc = &job->devices[d].device->device->desc;
        struct yk_learned *learned = &memory->device[d];
        const struct yk_split_outcome *outcome = &job->devices[d].outcome;
        if (!job->devices[d].retired) /* otherwise it cannot run the kernel: it is not idle */
            yk_team_did(team, d, learned->rate, outcome->items);
        ran->told_ns = desc->launch_ns;
        ran->readied = readied && !desc->host_memory;
        ran->all_asked = job->split.alone < 0 && job->devices[d].joined && yk_job_in_team(job, d) &&
                         !yk_job_grew(job);
        ran->forgives = forgives && !desc->host_memory && !(team->hindered & yk_team_bit(d));
        yk_learned_note(learned, outcome, ran);
        memcpy(memory->pace[d], job->devices[d].pace, sizeof memory->pace[d]);
        yk_learned_sum_up(ran, d, learned, outcome);
        note_cores_served(job->devices[d].device, outcome->ended_ns);
        whole &= was_whole(&job->devices[d]);
    }
    return whole;
}

/* If the partitioner adjusts shares, the next job begins with the adjusted ones. With runtime.lock
 * held. */
static void adjust_shares(const struct yk_job *job, struct yk_memory *memory)
{
    double shares[YK_PLACES];
    int d;
    if (!yk_dispatch_adjust(job->dispatch, &memory->adjust, shares))
        return;
    for (d = 0; d < job->device_count; d++)
        memory->device[d].share = shares[d];
}

void yk_job_learn(struct yk_job *job)
{
    struct yk_memory *memory = yk_kernel_memorise(job->kernel, job->split.key);
    const int readied = made_ready(job, memory);
    struct yk_learned_job ran = what_ran(job, memory, readied);
    struct yk_team_job team = { .asked = job->split.team,
                                .crowded = ran.crowded,
                                .hindered = hindered(job, &ran),
                                .tells = ran.tells_lines && !job->split.builds,
                                .ns = (double)(ran.ended_ns - ran.begun_ns) };
    yk_job_note_times(job);
    yk_knowledge_note(job, memory);
    memory->opened = job->split.opens;
    /* devices that came late show their speeds, but not what a whole job takes */
    if (!learn_speeds(job, memory, &ran, &team) || yk_job_grew(job))
        return;
    yk_job_note_costs(job, memory, ran_beside(job), readied);
    if (job->split.planned)
        return;
    yk_late_note(&memory->late, &ran);
    adjust_shares(job, memory);
    yk_team_note(&memory->team, &team);
}
