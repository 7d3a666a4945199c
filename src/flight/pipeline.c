/* pipeline.c - see pipeline.h: the turn of a chunk, by the rows that both jobs use. */
#include "pipeline.h"

#include "../base/status.h"
#include "../job/rows.h"
#include "flight.h"

/* A lane's chunk beside the unfinished items of the job before. */
struct look {
    struct yk_job *job, *before;
    int device;
    struct yk_interval items;
    int behind; /* 1: chunks under way on the device use its rows */
    int later;  /* 1: so do items that are not under way there */
    int own;    /* 1: its own thread will report those items */
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

/* Returns 1 if the flight's kernel was launched, nothing follows it, and this thread steps it. */
static int is_under_way(const struct yk_job *before, int device, int lane)
{
    const struct yk_flight *flight = &before->devices[device].flights[lane];
    return !yk_job_is_driven(before, device) && flight->busy && flight->kernel && !flight->home &&
           !flight->folded && !flight->homing;
}

static int see(void *context, const struct yk_undone *undone)
{
    struct look *look = context;
    if (!conflicts(look, undone->items))
        return 0;
    if (undone->device == look->device &&
        is_under_way(look->before, undone->device, undone->lane)) {
        look->behind++;
        return 0;
    }
    look->later = 1;
    look->own = undone->device == look->device && !yk_job_is_driven(look->before, look->device);
    return 1;
}

/* Returns 1 if the device has all rows of the arrays that the job before changes and the chunk
 * reads. Otherwise they would be copied from where they are, before that job's kernel has written
 * them. */
static int has_rows(const struct look *look)
{
    const struct yk_job *job = look->job;
    const int place = job->devices[look->device].device->place->number;
    int p, q;
    for (p = 0; p < job->arg_count; p++)
        for (q = 0; yk_reads_rows(job->args[p].mode) && q < look->before->arg_count; q++)
            if (yk_changes_array(look->before->args[q].mode) &&
                look->before->args[q].array->whole == job->args[p].array->whole &&
                yk_array_missing(job->args[p].array, place, yk_job_rows(job, p, look->items)) > 0)
                return 0;
    return 1;
}

static void look_at(struct look *look)
{
    struct yk_job *before = look->before;
    yk_lock(&before->lock);
    if (atomic_load(&before->lanes.stop))
        look->later = atomic_load(&before->phase) != YK_DONE;
    else if (atomic_load(&before->phase) == YK_RUNNING)
        yk_dispatch_find_undone(before->dispatch, see, look);
    if (look->later && !look->own)
        atomic_fetch_or(&before->pipeline.awaited, yk_team_bit(look->device));
    yk_unlock(&before->lock);
}

static struct look look_of(struct yk_job *job, int device, int lane)
{
    return (struct look){ .job = job,
                          .before = job->pipeline.before,
                          .device = device,
                          .items = yk_flight_items(&job->devices[device].flights[lane]) };
}

enum yk_turn yk_pipeline_turn(struct yk_job *job, int device, int lane)
{
    struct look look;
    if (!yk_pipeline_waits(job))
        return YK_TURN_NOW;
    look = look_of(job, device, lane);
    look_at(&look);
    if (look.later)
        return YK_TURN_LATER;
    if (!look.behind)
        return YK_TURN_NOW;
    return look.behind <= YK_BEHIND_MOST && has_rows(&look) ? YK_TURN_BEHIND : YK_TURN_LATER;
}

void yk_pipeline_chain(struct yk_job *job, int device, int lane)
{
    struct yk_job_pipeline *before = &job->pipeline.before->pipeline;
    job->devices[device].flights[lane].undone_before = atomic_load(&before->undone);
    atomic_fetch_or(&before->followed, yk_team_bit(device));
}

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

int yk_pipeline_await(struct yk_job *job, int device)
{
    if (!yk_pipeline_waits(job))
        return 0;
    atomic_fetch_or(&job->pipeline.before->pipeline.awaited, yk_team_bit(device));
    return yk_pipeline_waits(job);
}

/* The flights before it are over, so its kernel begins now. Without this the errors of predictions
 * would add up from job to job. */
static void foretell_again(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    const int64_t later_ns = yk_now(job->runtime) + flight->lasts_ns - flight->expected_ns;
    flight->turn = YK_TURN_REACHED;
    if (!flight->expected_ns)
        return;
    flight->expected_ns += later_ns;
    jd->expected_ns += later_ns;
}

int yk_pipeline_holds_back(struct yk_job *job, int device, int lane)
{
    const struct yk_flight *flight = &job->devices[device].flights[lane];
    struct look look;
    if (flight->turn != YK_TURN_BEHIND)
        return 0;
    look = look_of(job, device, lane);
    if (yk_pipeline_waits(job))
        look_at(&look);
    if (look.behind || look.later)
        return 1;
    foretell_again(job, device, lane);
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
    return ahead_ns > flight->issued_ns ? ahead_ns : flight->issued_ns;
}

int yk_pipeline_after(const struct yk_job *job, int device, int lane, struct yk_event **after)
{
    const struct yk_job *before = job->pipeline.before;
    int other, count = 0;
    if (!yk_flight_is_chained(&job->devices[device].flights[lane]))
        return 0;
    for (other = 0; other < job->devices[device].device->lanes; other++)
        if (other != lane && count < YK_BEHIND_MOST && is_under_way(before, device, other))
            after[count++] = before->devices[device].flights[other].kernel;
    return count;
}
