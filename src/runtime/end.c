/* end.c - how a job ends: the last lane out of a job with nothing left to do ends it, whoever that
 * is.
 *
 * `flying` counts lanes inside the job. A lane enters before it asks for a chunk and leaves after
 * it has reported it, so when the count drops to zero nobody touches the job's devices, and what it
 * holds can be let go. Who enters counts himself and then looks whether the job still runs; who
 * ends it says so and then looks whether anybody is in: at least one of the two sees the other.
 */
#include "../base/alloc.h"
#include "../base/status.h"
#include "../partition/partitioner.h"
#include "decomposition.h"
#include "explain.h"
#include "flight.h"
#include "knowledge.h"
#include "reduction.h"

/* Where no device could take part, a kernel that does not compile explains more than one that is
 * missing. */
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

void yk_job_fail(struct yk_job *job, yoke_status status)
{
    int expected = 0;
    if (!atomic_compare_exchange_strong(&job->stop, &expected, 1))
        return;
    job->status = status;
    job->text = yk_strdup(yoke_error_text());
}

/* Devices that were left out step in. 1 if there were any. */
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

/* Whether there was a device that had too little memory for it. */
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

int yk_job_enter(struct yk_job *job)
{
    /* Most who come too late touch nothing: where somebody just looks whether he can end it, and
     * cannot, it is for another one who is in. */
    if (atomic_load(&job->phase) != YK_RUNNING)
        return 0;
    atomic_fetch_add(&job->flying, 1);
    if (atomic_load(&job->phase) == YK_RUNNING && !atomic_load(&job->stop))
        return 1;
    yk_job_leave(job);
    return 0;
}

static void take_stock(struct yk_job *job)
{
    int d;
    for (d = 0; d < job->device_count; d++)
        yk_dispatch_outcome(job->dispatch, d, &job->devices[d].outcome);
}

/* All of it but what is each device's own. Others that ran beside it had a part in the time it
 * took; that tells how long parts take unless memory was made ready, which jobs to come will not
 * need, a device was lost, or tried kernels. */
static struct yk_learned_job what_ran(const struct yk_job *job, const struct yk_memory *memory)
{
    struct yk_learned_job ran = { .items = job->last - job->first,
                                  .crowded = job->crowded || job->runtime->turns != job->turn,
                                  .begun_ns = job->submitted_ns,
                                  .ended_ns = job->ended_ns,
                                  .by_lines = yk_partitioner_needs_lessons(job->partitioner),
                                  .tells_lines = yk_job_readied(job) == job->readied };
    int d;
    for (d = 0; d < job->device_count; d++) {
        yk_learned_did(&ran, d, &memory->device[d], &job->devices[d].outcome);
        ran.tells_lines &= !job->devices[d].failed && !job->devices[d].tried;
    }
    return ran;
}

/* `ran` by each device. 1 if none failed, or was busy with finding out which kernel is the better
 * one. Under runtime.lock. */
static int learn_speeds(struct yk_job *job, struct yk_memory *memory, struct yk_learned_job *ran)
{
    int d, whole = 1, forgives = yk_job_splits_freely(job->partitioner);
    for (d = 0; d < job->device_count; d++) {
        const struct yk_device_desc *desc = &job->devices[d].device->device->desc;
        struct yk_learned *learned = &memory->device[d];
        const struct yk_split_outcome *outcome = &job->devices[d].outcome;
        ran->told_ns = desc->launch_ns;
        ran->everybodys = job->alone < 0 && job->devices[d].joined && yk_job_in_team(job, d);
        ran->forgives = forgives && !desc->host_memory;
        yk_learned_note(learned, outcome, ran);
        memcpy(memory->pace[d], job->devices[d].pace, sizeof memory->pace[d]);
        yk_learned_sum_up(ran, d, learned, outcome);
        whole &= !job->devices[d].failed && !job->devices[d].retired && !job->devices[d].tried;
    }
    return whole;
}

/* Where the partitioner adjusts shares, the next job begins with others. Under runtime.lock. */
static void adjust_shares(const struct yk_job *job, struct yk_memory *memory)
{
    double shares[YK_PLACES];
    int d;
    if (!yk_dispatch_adjust(job->dispatch, &memory->adjust, shares))
        return;
    for (d = 0; d < job->device_count; d++)
        memory->device[d].share = shares[d];
}

/* Asked devices whose speed was known and that got nothing, as bits. */
static uint32_t idle_devices(const struct yk_job *job, const struct yk_memory *memory)
{
    uint32_t idle = 0;
    int d;
    for (d = 0; d < job->device_count; d++)
        if (yk_job_in_team(job, d) && memory->device[d].rate > 0 &&
            job->devices[d].outcome.items == 0)
            idle |= yk_team_bit(d);
    return idle;
}

/* Under runtime.lock. */
static void learn(struct yk_job *job)
{
    struct yk_memory *memory = yk_kernel_memorise(job->kernel, job->key);
    struct yk_learned_job ran = what_ran(job, memory);
    struct yk_team_job team = { .asked = job->team,
                                .idle = idle_devices(job, memory),
                                .crowded = ran.crowded,
                                .tells = job->tells && ran.tells_lines,
                                .ns = (double)(ran.ended_ns - ran.begun_ns) };
    yk_job_note_times(job);
    yk_knowledge_note(job, memory);
    if (!learn_speeds(job, memory, &ran))
        return;
    if (!ran.crowded)
        yk_job_note_costs(job, memory);
    if (job->planned)
        return;
    yk_late_note(&memory->late, &ran);
    adjust_shares(job, memory);
    yk_team_note(&memory->team, &team);
}

/* Under runtime.lock: track 0 belongs to whoever holds it. */
static void trace(struct yk_job *job)
{
    struct yk_trace_event event = { .start_ns = job->submitted_ns,
                                    .end_ns = job->ended_ns,
                                    .first = job->first,
                                    .last = job->last,
                                    .job = (uint32_t)job->number,
                                    .kind = YK_TRACE_JOB };
    event.name = yk_trace_name(job->runtime->trace, job->name);
    yk_trace_add(job->runtime->trace, 0, &event);
}

static void end_job(struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    struct yk_job *told = NULL;
    yoke_status status;
    int d, again = 0, running, keeps;
    enum yk_begun begun;
    if (!atomic_load(&job->stop)) {
        status = yk_job_merge(job, &again);
        if (status == YOKE_OK && !again)
            status = yk_reduction_fold(job);
        if (status != YOKE_OK)
            yk_job_fail(job, status);
        else if (again) {
            atomic_store(&job->phase, YK_RUNNING);
            yk_wake_all(runtime);
            return;
        }
    }
    if (!atomic_load(&job->stop))
        yk_job_tell_progress(job, 1);
    for (d = 0; d < job->device_count; d++)
        yk_job_let_go(job, d);
    if (atomic_load(&job->stop))
        yk_job_spoil(job);
    job->ended_ns = job->reported_ns;
    if (job->has_add || job->reduction || atomic_load(&job->stop) || !job->ended_ns)
        job->ended_ns = yk_now(runtime);
    job->ended_by_caller = yk_caller_is_here(job);
    take_stock(job);
    yk_lock(&runtime->lock);
    if (job->last > job->first && !atomic_load(&job->stop)) {
        learn(job);
        if (runtime->tells)
            told = yk_told_note(job);
    }
    if (runtime->trace)
        trace(job);
    yk_job_condense(job);
    yk_job_retire(job);
    begun = yk_jobs_start_ready(runtime);
    running = runtime->running_count;
    yk_unlock(&runtime->lock);
    /* The caller looks at the job or holds it, so it is there until he has left. */
    keeps = job->keeps;
    yk_reduction_close(job);
    yk_gate_open(&job->done);
    if (!keeps)
        yk_job_look_away(job);
    if (told)
        yk_job_release(told);
    if (begun == YK_BEGUN_LONG)
        yk_wake_all(runtime);
    else if (begun == YK_BEGUN_BRIEF && !(yk_is_core(runtime) && running == 1))
        yk_wake_few(runtime, running);
}

void yk_job_leave(struct yk_job *job)
{
    int ends = 0;
    if (atomic_fetch_sub(&job->flying, 1) != 1)
        return;
    yk_lock(&job->lock);
    if (atomic_load(&job->phase) == YK_RUNNING && atomic_load(&job->flying) == 0 &&
        (atomic_load(&job->stop) || (yk_dispatch_left(job->dispatch) == 0))) {
        atomic_store(&job->phase, YK_ENDING);
        ends = atomic_load(&job->flying) == 0;
        if (!ends) /* somebody came in between, and ends it when he leaves */
            atomic_store(&job->phase, YK_RUNNING);
    }
    yk_unlock(&job->lock);
    if (ends)
        end_job(job);
}
