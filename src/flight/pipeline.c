/* pipeline.c - see pipeline.h: the turn of a chunk, by the rows that both jobs use. */
#include "pipeline.h"

#include "../base/status.h"
#include "../job/rows.h"
#include "../job/wake.h"
#include "alternative.h"
#include "flight.h"
#include "homeward.h"
#include "watchdog.h"

/* A flight of the job before, behind which the lane's chunk can be launched. */
struct leader {
    int device, lane;
    struct yk_interval items;
};

/* A lane's chunk beside the unfinished items of the job before. */
struct look {
    struct yk_job *job, *before;
    int device, lane;
    struct yk_interval items;
    struct leader leaders[YK_BEHIND_MOST]; /* chunks under way that use its rows */
    int count;
    int later; /* 1: so do items behind which it cannot be launched */
    int waits; /* 1: another thread than this one will report some of these items */
};

static int uses_rows(const struct yk_job *job, int p)
{
    return job->args[p].array && job->args[p].mode != YOKE_PARAM_VALUE &&
           job->args[p].mode != YOKE_PARAM_REDUCE;
}

/* Returns 1 if argument p of the chunk uses rows of argument q of those items, and one writes
 * them. */
static int meets(const struct look *look, int p, int q, struct yk_interval items)
{
    const yoke_arg *mine = &look->job->args[p], *theirs = &look->before->args[q];
    return uses_rows(look->before, q) && mine->array->whole == theirs->array->whole &&
           (yk_changes_array(mine->mode) || yk_changes_array(theirs->mode)) &&
           !yk_interval_empty(yk_interval_common(yk_job_rows(look->job, p, look->items),
                                                 yk_job_rows(look->before, q, items)));
}

static int conflicts(const struct look *look, struct yk_interval items)
{
    int p, q;
    for (p = 0; p < look->job->arg_count; p++)
        for (q = 0; uses_rows(look->job, p) && q < look->before->arg_count; q++)
            if (meets(look, p, q, items))
                return 1;
    return 0;
}

static struct yk_place *place_of(const struct yk_job *job, int device)
{
    return job->devices[device].device->place;
}

/* Returns 1 if the device can wait for the other one's kernels and copy rows from there. */
static int reaches(const struct look *look, int other)
{
    return other == look->device || (atomic_load(&place_of(look->job, look->device)->direct) &
                                     yk_place_bit(place_of(look->before, other)->number));
}

static int see(void *context, const struct yk_undone *undone)
{
    struct look *look = context;
    const int is_own =
        undone->device == look->device && !yk_job_is_driven(look->before, look->device);
    if (!conflicts(look, undone->items))
        return 0;
    look->waits |= !is_own;
    if (look->count < YK_BEHIND_MOST && undone->device >= 0 &&
        look->before->devices[undone->device].flights[undone->lane].leads &&
        reaches(look, undone->device)) {
        look->leaders[look->count++] =
            (struct leader){ undone->device, undone->lane, undone->items };
        return 0;
    }
    look->later = 1;
    return 1;
}

/* With before->lock held. */
static void look_at(struct look *look)
{
    struct yk_job *before = look->before;
    if (atomic_load(&before->lanes.stop))
        look->later = look->waits = atomic_load(&before->phase) != YK_DONE;
    else if (atomic_load(&before->phase) == YK_RUNNING)
        yk_dispatch_find_undone(before->dispatch, see, look);
    if (look->waits)
        atomic_fetch_or(&before->pipeline.awaited, yk_team_bit(look->device));
}

static struct look look_of(struct yk_job *job, int device, int lane)
{
    return (struct look){ .job = job,
                          .before = job->pipeline.before,
                          .device = device,
                          .lane = lane,
                          .items = yk_flight_items(&job->devices[device].flights[lane]) };
}

/* --- launching behind --- */

/* Returns 1 if the device has rows of its own of all arrays that the job before changes and the
 * chunk reads. Rows that go through the host could leave their device before they are written. */
static int holds_rows(const struct look *look)
{
    const struct yk_job *job = look->job;
    int p, q;
    for (p = 0; p < job->arg_count; p++)
        for (q = 0; yk_reads_rows(job->args[p].mode) && q < look->before->arg_count; q++)
            if (yk_changes_array(look->before->args[q].mode) &&
                look->before->args[q].array->whole == job->args[p].array->whole &&
                job->devices[look->device].holding[p] != YK_HELD_WHOLE)
                return 0;
    return 1;
}

/* Tells coherence that the leader has written its rows. So the chunk takes them from there, behind
 * the leader's kernel. */
static yoke_status tell_written(const struct look *look, const struct leader *leader)
{
    const struct yk_job *before = look->before;
    struct yk_flight *flight = &before->devices[leader->device].flights[leader->lane];
    yoke_status status = YOKE_OK;
    int q;
    if (flight->told == YK_TOLD_ALL)
        return YOKE_OK;
    flight->told = YK_TOLD_PART;
    for (q = 0; q < before->arg_count && status == YOKE_OK; q++)
        if (yk_writes_rows(before->args[q].mode))
            status =
                yk_transfer_written(before->args[q].array, place_of(before, leader->device)->number,
                                    yk_job_rows(before, q, leader->items));
    if (status == YOKE_OK)
        flight->told = YK_TOLD_ALL;
    return status;
}

static void add_kernel(struct yk_behind *behind, struct yk_event *kernel)
{
    behind->kernel[behind->count++] = kernel;
}

/* Takes references to the kernels of other devices, because their threads may close these at any
 * time. */
static void cross(const struct look *look, struct yk_flight *mine)
{
    const struct yk_backend *backend = look->job->devices[look->device].device->device->backend;
    int i;
    for (i = 0; i < look->count; i++) {
        const struct leader *leader = &look->leaders[i];
        const struct yk_flight *flight =
            &look->before->devices[leader->device].flights[leader->lane];
        if (leader->device == look->device)
            continue;
        backend->event_hold(flight->leads);
        add_kernel(&mine->behind, flight->leads);
        mine->crosses++;
        if (flight->leads_until_ns > mine->behind_ns)
            mine->behind_ns = flight->leads_until_ns;
        atomic_fetch_or(&look->before->pipeline.crossed, yk_team_bit(leader->device));
    }
}

/* Returns 0 if the chunk cannot be launched behind its leaders. */
static int chain(const struct look *look)
{
    struct yk_flight *mine = &look->job->devices[look->device].flights[look->lane];
    const struct leader *leader;
    if (!holds_rows(look))
        return 0;
    for (leader = look->leaders; leader < look->leaders + look->count; leader++)
        if (tell_written(look, leader) != YOKE_OK)
            return 0;
    mine->undone_before = atomic_load(&look->before->pipeline.undone);
    cross(look, mine);
    for (leader = look->leaders; leader < look->leaders + look->count; leader++) {
        atomic_fetch_or(&look->before->pipeline.followed, yk_team_bit(leader->device));
        if (leader->device == look->device && leader->lane != look->lane)
            add_kernel(&mine->behind,
                       look->before->devices[leader->device].flights[leader->lane].leads);
    }
    return 1;
}

enum yk_turn yk_pipeline_turn(struct yk_job *job, int device, int lane)
{
    struct yk_flight *mine = &job->devices[device].flights[lane];
    enum yk_turn turn = YK_TURN_NOW;
    struct look look;
    mine->behind.count = mine->crosses = 0;
    mine->behind_ns = 0;
    if (mine->alone && yk_pipeline_await(job, device))
        return YK_TURN_LATER;
    if (!yk_pipeline_waits(job))
        return YK_TURN_NOW;
    look = look_of(job, device, lane);
    yk_lock(&look.before->lock);
    look_at(&look);
    if (look.later)
        turn = YK_TURN_LATER;
    else if (look.count)
        turn = chain(&look) ? YK_TURN_BEHIND : YK_TURN_LATER;
    yk_unlock(&look.before->lock);
    return turn;
}

void yk_pipeline_issued(struct yk_job *job, int device, int lane)
{
    const struct yk_backend *backend = job->devices[device].device->device->backend;
    struct yk_flight *flight = &job->devices[device].flights[lane];
    int i;
    for (i = 0; i < flight->behind.count && i < flight->crosses; i++)
        backend->event_close(flight->behind.kernel[i]);
    flight->behind.count = 0;
}

/* --- leading --- */

/* Returns 1 if nothing follows the flight's kernel, and all that it writes stays on the device. */
static int can_lead(const struct yk_job *job, int device, int lane)
{
    const struct yk_job_device *jd = &job->devices[device];
    const struct yk_flight *flight = &jd->flights[lane];
    int p;
    if (jd->device->device->desc.host_memory || yk_job_is_driven(job, device) || !flight->kernel ||
        flight->home || flight->folded || yk_flight_comes_home(job, device) ||
        yk_form_is_steps(job, yk_flight_form(jd, flight)))
        return 0;
    for (p = 0; p < job->arg_count; p++)
        if (yk_changes_array(job->args[p].mode) && jd->holding[p] != YK_HELD_WHOLE)
            return 0;
    return 1;
}

void yk_pipeline_lead(struct yk_job *job, int device, int lane)
{
    struct yk_flight *flight = &job->devices[device].flights[lane];
    if (!can_lead(job, device, lane))
        return;
    yk_lock(&job->lock);
    flight->leads = flight->kernel;
    flight->leads_until_ns = flight->expected_ns;
    flight->told = YK_TOLD_NOTHING;
    yk_unlock(&job->lock);
    if (atomic_load(&job->pipeline.awaited))
        yk_wake_devices(job->runtime, atomic_exchange(&job->pipeline.awaited, 0));
}

struct unlaunched {
    const struct yk_job *job;
    int found; /* 1: there are items of the job that no kernel was launched for */
};

static int see_unlaunched(void *context, const struct yk_undone *undone)
{
    struct unlaunched *look = context;
    look->found =
        undone->device < 0 || !look->job->devices[undone->device].flights[undone->lane].leads;
    return look->found;
}

int yk_pipeline_is_launched(struct yk_job *job)
{
    struct unlaunched look = { .job = job };
    yk_lock(&job->lock);
    yk_dispatch_find_undone(job->dispatch, see_unlaunched, &look);
    yk_unlock(&job->lock);
    return !look.found;
}

enum yk_told yk_pipeline_withdraw(struct yk_job *job, int device, int lane)
{
    struct yk_flight *flight = &job->devices[device].flights[lane];
    enum yk_told told = YK_TOLD_NOTHING;
    if (!flight->leads) /* only this thread sets it */
        return YK_TOLD_NOTHING;
    yk_lock(&job->lock);
    flight->leads = NULL;
    told = flight->told;
    yk_unlock(&job->lock);
    return told;
}

/* --- failures --- */

yoke_status yk_pipeline_undone(struct yk_job *job, int device)
{
    atomic_fetch_add(&job->pipeline.undone, 1);
    if (!(atomic_load(&job->pipeline.followed) & yk_team_bit(device)))
        return YOKE_OK;
    return yk_fail(
        YOKE_ELOST,
        "%s: %s could not do a chunk, and the next job had already begun on rows that the "
        "chunk reads, so it cannot be repeated; write the rows again and repeat both "
        "jobs",
        job->name, job->devices[device].device->device->desc.name);
}

yoke_status yk_pipeline_lost(struct yk_job *job, int device)
{
    if (!(atomic_load(&job->pipeline.crossed) & yk_team_bit(device)))
        return YOKE_OK;
    return yk_fail(YOKE_ELOST,
                   "%s: %s was lost, and another device had already begun the next job on rows "
                   "that its chunk reads, so it cannot be repeated; write the rows again and "
                   "repeat both jobs",
                   job->name, job->devices[device].device->device->desc.name);
}

int yk_pipeline_await(struct yk_job *job, int device)
{
    if (!yk_pipeline_waits(job))
        return 0;
    atomic_fetch_or(&job->pipeline.before->pipeline.awaited, yk_team_bit(device));
    return yk_pipeline_waits(job);
}

static int64_t later_of(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

/* The flights before it are over, so its kernel has begun: when it was predicted, or since they
 * were last seen under way, if that is later. (Their ends may have been noticed late.) Without this
 * the errors of predictions would add up from job to job. */
static void foretell_again(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    const int64_t now = yk_now(job->runtime);
    const int64_t begun_ns = later_of(flight->expected_ns - flight->lasts_ns, flight->seen_busy_ns);
    const int64_t later_ns =
        (begun_ns < now ? begun_ns : now) + flight->lasts_ns - flight->expected_ns;
    flight->turn = YK_TURN_REACHED;
    if (!flight->expected_ns)
        return;
    flight->expected_ns += later_ns;
    jd->expected_ns += later_ns;
}

/* Returns 1, once for a job that began behind this one, if the device gets a chunk of it. */
static int launches_first(struct yk_job *job, int device)
{
    const uint32_t bit = yk_team_bit(device);
    return (atomic_load_explicit(&job->pipeline.launches_first, memory_order_relaxed) & bit) &&
           (atomic_fetch_and(&job->pipeline.launches_first, ~bit) & bit);
}

int yk_pipeline_holds_back(struct yk_job *job, int device, int lane)
{
    struct yk_flight *flight = &job->devices[device].flights[lane];
    struct look look;
    if (launches_first(job, device))
        return 1;
    if (flight->turn != YK_TURN_BEHIND)
        return 0;
    look = look_of(job, device, lane);
    if (yk_pipeline_waits(job)) {
        yk_lock(&look.before->lock);
        look_at(&look);
        yk_unlock(&look.before->lock);
    }
    if (look.count || look.later) {
        flight->seen_busy_ns = yk_now(job->runtime);
        return 1;
    }
    foretell_again(job, device, lane);
    if (flight->crosses)
        yk_watchdog_begin(job, device, lane);
    return 0;
}

yoke_status yk_pipeline_outcome(const struct yk_job *job, const struct yk_flight *flight,
                                yoke_status outcome)
{
    if (outcome != YOKE_OK || !yk_flight_is_chained(flight) ||
        atomic_load(&job->pipeline.before->pipeline.undone) == flight->undone_before)
        return outcome;
    return yk_fail(YOKE_ELOST,
                   "%s: rows that it reads were not written, because a chunk of %s "
                   "before it was lost",
                   job->name, job->pipeline.before->name);
}

int64_t yk_pipeline_begins(const struct yk_job *job, int device, int lane)
{
    const struct yk_flight *flight = &job->devices[device].flights[lane];
    const int64_t ahead_ns =
        yk_flight_is_chained(flight) ? job->pipeline.before->devices[device].expected_ns : 0;
    return later_of(flight->issued_ns, later_of(ahead_ns, flight->behind_ns));
}
