/* decomposition_learn.c - what a finished job teaches a decomposition: each device's time for its
 * part (model/cost.h), and the time of the round. */
#include "decomposition_learn.h"

#include <math.h>

#include "../array/place.h"
#include "../base/typical.h"
#include "../job/job.h"
#include "../job/kernel.h"
#include "decomposition.h"
#include "decomposition_round.h"

/* Returns a device's part of a job as a sample of its cost. Subtracts its wait for rows; that is
 * uncertain (unsure_ns), because the wait may have overlapped another chunk's kernel. A chunk that
 * did not fill the device counts as one that did; but what cores gave back was not done, so it has
 * no round to end. A CPU's chunks count as one, because its cores
 * are woken once in a job. cold_ns: what may be a cold start. */
static struct yk_cost_sample sample_of(const struct yk_job *job, int d, double cold_ns)
{
    const struct yk_job_device *jd = &job->devices[d];
    const struct yk_split_outcome *outcome = &jd->outcome;
    const struct yk_member *member = yk_job_member(job);
    const double busy_ns = (double)outcome->busy_ns, fetch_ns = (double)outcome->fetch_ns;
    const double chunks = jd->device->device->desc.host_memory ? 1 : (double)outcome->chunks;
    return (struct yk_cost_sample){
        .items =
            yk_plan_counted((double)outcome->items, chunks, member->fill[d]) + outcome->given_back,
        .chunks = chunks,
        .ns = fmax(busy_ns - fetch_ns, fmin(busy_ns, chunks * member->overhead_ns[d])),
        .unsure_ns = (outcome->chunks > 1 ? fetch_ns / 2 : fetch_ns / 8) + cold_ns,
    };
}

/* Learns from a sample. An unknown cost begins with assumed_ns, the estimated overhead of a chunk.
 */
static enum yk_cost_news note_part(struct yk_cost *cost, double assumed_ns,
                                   const struct yk_cost_sample *sample)
{
    const int first = !yk_cost_is_known(cost);
    enum yk_cost_news news;
    if (first)
        yk_cost_open(cost, assumed_ns);
    news = yk_cost_observe(cost, sample);
    return first && news == YK_COST_LEARNED ? YK_COST_CHANGED : news;
}

/* The first job over all rows decides where the rows are for later jobs of all kernels. */
static void stay_there(const struct yk_job *job)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    const struct yk_member *member = yk_job_member(job);
    const struct yk_stretch divided = yk_member_divided(member);
    struct yk_cuts cuts = { .tied = 1 };
    int k, d;
    if (divided.low > 0 || divided.high < 1)
        return;
    decomposition->division.team = 0;
    for (d = 0; d < job->device_count; d++) {
        const double share = (double)job->devices[d].outcome.items / member->items;
        for (k = 0; k < YK_PLAN_KERNELS; k++)
            cuts.share[k][d] = share;
        if (share > 0)
            decomposition->division.team |= (uint32_t)1 << d;
    }
    yk_decomposition_cut(decomposition, &cuts);
    decomposition->division.stand = 1;
    decomposition->division.guessed = 1;
    decomposition->planning.at = decomposition->jobs;
    decomposition->planning.expected_ns = (double)(job->outcome.ended_ns - yk_job_since(job));
}

/* Returns 0 if the job says nothing about the device: it ran beside others, and a job by itself has
 * taught the device's cost. Until one does, jobs beside others teach what parts take there. A part
 * launched behind another one has no overhead of its own, so its job counts as one beside others.
 */
static int teaches(struct yk_memory *memory, int device, int beside)
{
    const uint32_t bit = yk_team_bit(device);
    if (beside && yk_cost_is_known(&memory->cost[device]) && !(memory->costs_beside & bit))
        return 0;
    memory->costs_beside = beside ? memory->costs_beside | bit : memory->costs_beside & ~bit;
    return 1;
}

/* Keeps how long devices waited for rows, for jobs that need not measure it. */
static void note_waits(const struct yk_job *job)
{
    struct yk_member *member = yk_job_member(job);
    int d;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_job_device *jd = &job->devices[d];
        if (jd->wait.is_known && !jd->outcome.fetch_ns)
            continue; /* it had nothing to wait for */
        member->fetch_ns[d] = jd->outcome.fetch_ns;
        member->fetch_bytes[d] = jd->bytes_in;
    }
    member->timed = job->split.planned ? member->timed + 1 : 0;
}

/* Learns from each device's part. */
static void note_parts(const struct yk_job *job, struct yk_memory *memory)
{
    const struct yk_member *member = yk_job_member(job);
    const int beside = member->crowded || job->pipeline.before;
    int d;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_job_device *jd = &job->devices[d];
        struct yk_cost_sample sample;
        if (jd->outcome.items + jd->outcome.given_back <= 0 || !teaches(memory, d, beside))
            continue;
        sample = sample_of(job, d, memory->device[d].cold_ns);
        if (note_part(&memory->cost[d], member->overhead_ns[d], &sample) == YK_COST_CHANGED)
            job->split.decomposition->planning.stale = 1;
    }
}

/* Learns how late devices begin beside cores. */
static void note_late(struct yk_job *job)
{
    int d, cores = 0;
    for (d = 0; d < job->device_count; d++)
        cores |=
            job->devices[d].device->device->desc.host_memory && job->devices[d].outcome.items > 0;
    for (d = 0; d < job->device_count && cores; d++) {
        struct yk_runtime_device *device = job->devices[d].device;
        const struct yk_split_outcome *outcome = &job->devices[d].outcome;
        if (!device->device->desc.host_memory && outcome->chunks == 1)
            yk_typical_note(&device->late_ns,
                            outcome->ended_ns - yk_job_since(job) - outcome->busy_ns);
    }
}

void yk_job_note_costs(struct yk_job *job, struct yk_memory *memory, int crowded, int readied)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    if (!decomposition)
        return;
    yk_job_member(job)->crowded = crowded;
    note_waits(job);
    note_parts(job, memory);
    if (job->split.planned && !readied && !crowded && !job->pipeline.before)
        note_late(job);
    memory->stays = (struct yk_stays){ yk_explore_settled(&decomposition->explorer),
                                       yk_explore_has_tried(&decomposition->explorer) };
    memory->stays_of = job->device_count;
    if (!decomposition->division.stand)
        stay_there(job);
    yk_job_member(job)->keeping.by_plan = job->split.planned;
    yk_job_member(job)->keeping.in_round = 1;
    yk_round_note(job, !readied);
}
