/* decomposition_plan.c - makes a decomposition's plan from what is known of its kernels and devices
 * (partition/plan.h), updates it from time to time, and tries other teams (partition/explore.h). */
#include "decomposition_plan.h"

#include <math.h>
#include <string.h>

#include "../base/alloc.h"
#include "../job/job.h"
#include "../job/kernel.h"
#include "decomposition.h"

/* A plan is updated when the number of jobs has grown by this fraction. */
#define MORE_JOBS (1.0 / 3)
/* Making plans may take this fraction of the time of all jobs (see is_due). */
#define PLANNING 0.01

/* Describes links by the rates that devices report. Starting a copy takes as long as starting a
 * kernel. */
static void describe_ways(const struct yk_job *job, struct yk_plan *plan)
{
    int from, to;
    for (to = 0; to < job->device_count; to++) {
        const struct yk_runtime_device *target = &job->runtime->devices[to];
        const struct yk_device_desc *desc = &target->device->desc;
        if (desc->host_memory)
            continue;
        plan->start_ns = fmax(plan->start_ns, desc->launch_ns);
        if (desc->link_bytes_per_ns > 0)
            plan->link_ns[to] = 1 / desc->link_bytes_per_ns;
        for (from = 0; from < job->device_count; from++) {
            const double rate = target->place->reach[job->runtime->devices[from].place->number];
            if (from != to && rate > 0 && !job->runtime->devices[from].device->desc.host_memory)
                plan->peer_ns[from][to] = 1 / rate;
        }
    }
}

static void describe_bytes(const struct yk_job *job, struct yk_plan *plan)
{
    yoke_array *array;
    double away = 0;
    for (array = job->runtime->arrays; array; array = array->next) {
        if (array->decomposition != job->split.decomposition)
            continue;
        plan->bytes += (double)yk_array_bytes(array);
        away += (double)(yk_array_missing(array, YK_HOST, yk_array_rows(array)) * array->row_bytes);
    }
    plan->away = plan->bytes > 0 ? away / plan->bytes : 0;
}

/* Describes how often each kernel runs. */
static void describe_turns(const struct yk_decomposition *decomposition, struct yk_plan *plan)
{
    const uint64_t seen =
        decomposition->jobs < YK_RECENT_JOBS ? decomposition->jobs : YK_RECENT_JOBS;
    double all = 0;
    uint64_t job;
    int k;
    for (job = decomposition->jobs - seen; job < decomposition->jobs; job++) {
        const int now = decomposition->recent.member[job % YK_RECENT_JOBS];
        if (now < YK_PLAN_KERNELS) {
            plan->kernel[now].weight++;
            all++;
        }
    }
    for (k = 0; k < plan->kernels && all > 0; k++)
        plan->kernel[k].weight /= all;
}

/* Bytes that the latest jobs moved. */
struct recent {
    const double *bytes; /* at job % YK_RECENT_JOBS */
    uint64_t end;        /* jobs before this one count */
    double most;         /* more bytes of one job count as this number */
};

/* Returns the mean of the bytes that jobs of member m moved. Sets *part to the fraction of these
 * jobs that moved some. */
static double mean_bytes(const struct yk_decomposition *decomposition, int m,
                         const struct recent *recent, double *part)
{
    uint64_t job = decomposition->jobs < YK_RECENT_JOBS ? 0 : decomposition->jobs - YK_RECENT_JOBS;
    double sum = 0;
    int jobs = 0, some = 0;
    for (; job < recent->end; job++) {
        const double bytes = recent->bytes[job % YK_RECENT_JOBS];
        if (decomposition->recent.member[job % YK_RECENT_JOBS] != m)
            continue;
        jobs++;
        sum += fmin(bytes, recent->most);
        some += bytes > 0;
    }
    *part = some / fmax(1, jobs);
    return sum / fmax(1, jobs);
}

/* Describes what the program writes that the member reads, and reads of the member's results. The
 * results of the present job are not there yet. Rows that are read twice count once. */
static void describe_program(const struct yk_decomposition *decomposition, int m,
                             struct yk_plan_kernel *out)
{
    const struct recent sent = { decomposition->recent.sent, decomposition->jobs, INFINITY };
    const struct recent home = { decomposition->recent.home, decomposition->jobs - 1,
                                 decomposition->members[m].result_bytes };
    double unused;
    out->sent_bytes = mean_bytes(decomposition, m, &sent, &unused);
    out->home_bytes = mean_bytes(decomposition, m, &home, &out->home_part);
}

/* Describes which rows the member covers. A sweep counts as one only until its latest job has ended
 * by itself. */
static void describe_extent(const struct yk_member *member, struct yk_plan_kernel *out)
{
    const struct yk_stretch divided = yk_member_divided(member);
    out->items = member->items;
    out->low = divided.low;
    out->high = divided.high;
    if (member->divides == YK_DIVIDES_SWEEP && member->crowded) {
        out->items /= yk_member_part(member);
        out->low = 0;
        out->high = 1;
    }
}

/* Describes member m. Returns 1 if its kernel's cost is known. */
static int describe_kernel(const struct yk_job *job, int m, struct yk_plan_kernel *out)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    const struct yk_member *member = &decomposition->members[m];
    const struct yk_memory *memory =
        member->kernel ? yk_kernel_recall(member->kernel, member->key) : NULL;
    int d, known = 0;
    if (!memory)
        return 0;
    describe_extent(member, out);
    out->halo_copies = member->halo_copies;
    out->halo_bytes = member->halo_bytes;
    memcpy(out->rows_from, member->rows_from, sizeof out->rows_from);
    memcpy(out->whole_from, member->whole_from, sizeof out->whole_from);
    describe_program(decomposition, m, out);
    memcpy(out->cost, memory->cost, (size_t)decomposition->devices * sizeof *out->cost);
    memcpy(out->fill, member->fill, sizeof out->fill);
    yk_cost_pool(out->cost, &(struct yk_cost_pool){ .make = member->make,
                                                    .peak = member->peak,
                                                    .told = member->overhead_ns,
                                                    .count = decomposition->devices });
    for (d = 0; d < decomposition->devices; d++) {
        if (!yk_device_can_run(&job->runtime->devices[d], member->kernel))
            out->cost[d] = (struct yk_cost){ 0 };
        known |= yk_cost_is_known(&out->cost[d]);
    }
    return known;
}

/* Fills in the input of a plan, and finds the leading kernel, which is the rarest one. */
static void describe(const struct yk_job *job, struct yk_plan *plan)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    const int leads = decomposition->leads;
    double least;
    int m;
    plan->devices = decomposition->devices;
    for (m = 0; m < YK_PLAN_KERNELS; m++)
        if (decomposition->members[m].kernel)
            plan->kernels = m + 1;
    describe_turns(decomposition, plan);
    least = plan->kernel[decomposition->leads].weight;
    for (m = 0; m < plan->kernels; m++) {
        if (!describe_kernel(job, m, &plan->kernel[m]))
            plan->kernel[m].weight = 0;
        if (plan->kernel[m].weight > 0 && (plan->kernel[m].weight < least - 1e-9 || !(least > 0))) {
            least = plan->kernel[m].weight;
            decomposition->leads = m;
        }
    }
    if (decomposition->leads != leads) /* the present round has lost its beginning */
        decomposition->round.counts = 0;
    describe_ways(job, plan);
    describe_bytes(job, plan);
    plan->jobs = (double)decomposition->jobs;
}

/* Keeps the cuts that a trial may have to return to. */
static void keep_proven(struct yk_decomposition *decomposition)
{
    if (decomposition->division.stand &&
        decomposition->division.team == decomposition->explorer.best)
        decomposition->division.proven = decomposition->division.cuts;
}

/* Uses new cuts from now on. Comparisons with other bounds become invalid, because rows move. */
static void follow_cuts(struct yk_decomposition *decomposition, struct yk_plan *plan,
                        const struct yk_cuts *cuts)
{
    const uint32_t team = yk_plan_team(plan, cuts);
    plan->weighed = (struct yk_plan_move){ 0 };
    keep_proven(decomposition);
    if (decomposition->division.stand &&
        (decomposition->division.guessed || team == decomposition->division.team))
        yk_explore_recut(&decomposition->explorer, decomposition->division.team);
    decomposition->division.cuts = *cuts;
    decomposition->division.team = team;
    decomposition->division.stand = 1;
    decomposition->division.guessed = YK_PLANNED;
    decomposition->round.counts = 0;
}

/* Returns the factor by which `team` may be faster than the times of its parts show, if cores
 * leave. Only cores use the host's memory all the time: the rows of GPUs stay on the GPUs. */
static double relief(const struct yk_decomposition *decomposition, uint32_t team)
{
    const double *fill = decomposition->members[decomposition->leads].fill;
    int d, cores = 0;
    for (d = 0; d < decomposition->devices; d++)
        cores |= ((decomposition->division.team & ~team) >> d & 1) && !(fill[d] > 0);
    return yk_team_relief(cores);
}

struct prospect { /* a plan for another team */
    const struct yk_decomposition *decomposition;
    struct yk_plan *plan;
    double present_ns;   /* predicted time of a round by the present plan */
    struct yk_cuts cuts; /* the cuts for the team that was predicted last */
};

/* Predicts a round with another team (see yk_offers). Returns 0 if there is no plan for it. */
static int predict(void *context, uint32_t team, struct yk_explore_offer *out)
{
    struct prospect *prospect = context;
    const struct yk_decomposition *decomposition = prospect->decomposition;
    struct yk_plan *plan = prospect->plan;
    plan->allowed = team;
    plan->keeps = 1;
    if (!team || !yk_plan_find(plan, NULL, &prospect->cuts))
        return 0;
    *out = (struct yk_explore_offer){
        .devices = yk_plan_team(plan, &prospect->cuts),
        .parts_ns = decomposition->round.last_jobs * yk_plan_ns(plan, &prospect->cuts),
        .least_ns = decomposition->round.last_jobs * yk_plan_least_ns(plan, &prospect->cuts),
        .relief = relief(decomposition, team),
        .move_ns = yk_plan_move_ns(plan, &decomposition->division.cuts, &prospect->cuts),
    };
    if (out->parts_ns >=
        prospect->present_ns) /* it is not expected to win, so rows will move back */
        out->move_ns *= 2;
    return 1;
}

/* Follows the plan of another team if that may be better than the present one. */
static void offer_others(struct yk_decomposition *decomposition, struct yk_plan *plan)
{
    struct prospect prospect = { .decomposition = decomposition,
                                 .plan = plan,
                                 .present_ns = decomposition->round.last_jobs *
                                               yk_plan_ns(plan, &decomposition->division.cuts) };
    const struct yk_offers offers = { .team = decomposition->division.team,
                                      .make = decomposition->members[decomposition->leads].make,
                                      .devices = decomposition->devices,
                                      .present_ns = prospect.present_ns,
                                      .predict = predict,
                                      .context = &prospect };
    if (yk_offer_others(&decomposition->explorer, &offers))
        follow_cuts(decomposition, plan, &prospect.cuts);
}

/* If nothing is known except that all devices are of one make, gives them equal parts. */
static void guess(struct yk_decomposition *decomposition, const int *make)
{
    const int devices = decomposition->devices;
    int k, d;
    for (d = 1; d < devices; d++)
        if (make[d] != make[0])
            return;
    decomposition->division.cuts = (struct yk_cuts){ .tied = 1 };
    for (k = 0; k < YK_PLAN_KERNELS; k++)
        for (d = 0; d < devices; d++)
            decomposition->division.cuts.share[k][d] = 1.0 / devices;
    decomposition->division.team = yk_team_all(devices);
    decomposition->division.stand = 1;
    decomposition->division.guessed = YK_GUESSED;
}

/* Returns the team that an earlier process found best for the job; 0: unknown. Sets *rounds to the
 * number of rounds after which trials had decided that. */
static uint32_t recalled_team(const struct yk_job *job, double *rounds)
{
    const struct yk_memory *memory = yk_kernel_recall(job->kernel, job->split.key);
    if (!memory || job->split.decomposition->explorer.best || memory->stays_of != job->device_count)
        return 0;
    *rounds = memory->stays.tried ? (double)memory->taught : 0;
    return memory->stays.devices;
}

/* Notes that the guess was right. In the round that begins, chunks are still held back in case it
 * was wrong. So that round says little about the team: with two equal GPUs and a job of 0.2 ms it
 * took twice as long as later ones. */
static void confirm(struct yk_decomposition *decomposition)
{
    decomposition->division.guessed = YK_CONFIRMED;
    decomposition->round.counts = 0;
}

/* Makes the first plan. Rows stay where they are unless moving them pays by the estimates. These
 * count as exact (`certain`), because there is no plan yet that noise could undo. */
static void begin(const struct yk_job *job, struct yk_plan *plan)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    double rounds = 0;
    const uint32_t team = recalled_team(job, &rounds);
    struct yk_cuts cuts;
    plan->certain = 1;
    plan->allowed = team ? team : yk_team_all(decomposition->devices);
    plan->keeps = team > 0;
    if (!isfinite(yk_plan_ns(plan, &decomposition->division.cuts)))
        decomposition->division.stand = 0;
    if (yk_plan_find(plan, decomposition->division.stand ? &decomposition->division.cuts : NULL,
                     &cuts))
        follow_cuts(decomposition, plan, &cuts);
    else if (decomposition->division.guessed == YK_GUESSED)
        confirm(decomposition);
    if (decomposition->division.stand && team && decomposition->division.team == team)
        yk_explore_recall(&decomposition->explorer, team, rounds);
    else if (decomposition->division.stand &&
             decomposition->explorer.best != decomposition->division.team)
        yk_explore_begin(&decomposition->explorer, decomposition->division.team);
    if (decomposition->division.guessed)
        offer_others(decomposition, plan);
}

/* Follows the plan of another team: a trial is over, or another team's turn has come. If the plan
 * leaves out a device of the best team, that gets the cuts back with which it was measured. */
static void change_team(struct yk_decomposition *decomposition, struct yk_plan *plan, uint32_t team)
{
    struct yk_cuts cuts;
    int found;
    plan->allowed = team;
    plan->keeps = 1;
    found = yk_plan_find(plan, NULL, &cuts);
    if ((!found || yk_plan_team(plan, &cuts) != team) &&
        yk_plan_team(plan, &decomposition->division.proven) == team) {
        cuts = decomposition->division.proven;
        found = isfinite(yk_plan_ns(plan, &cuts));
    }
    if (found)
        follow_cuts(decomposition, plan, &cuts);
    if (decomposition->division.team != team) /* a device's cost is no longer known */
        yk_explore_begin(&decomposition->explorer, decomposition->division.team);
}

/* Moves bounds if that pays. New bounds that leave a device without a part are tried first. */
static void go_on(struct yk_decomposition *decomposition, struct yk_plan *plan)
{
    struct yk_cuts cuts;
    plan->allowed = decomposition->division.team;
    if (yk_plan_find(plan, &decomposition->division.cuts, &cuts)) {
        if (yk_plan_team(plan, &cuts) == decomposition->division.team) {
            follow_cuts(decomposition, plan, &cuts);
        } else if (yk_explore_try(
                       &decomposition->explorer, yk_plan_team(plan, &cuts),
                       2 * yk_plan_move_ns(plan, &decomposition->division.cuts, &cuts))) {
            follow_cuts(decomposition, plan, &cuts);
            return;
        }
    }
    offer_others(decomposition, plan);
}

static int knows_any(const struct yk_plan *plan)
{
    int k;
    for (k = 0; k < plan->kernels; k++)
        if (plan->kernel[k].weight > 0)
            return 1;
    return 0;
}

static void plan_anew(const struct yk_job *job)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    const uint32_t asked = yk_explore_team(&decomposition->explorer);
    const int64_t begun_ns = yk_now(job->runtime);
    struct yk_plan *plan = yk_calloc(1, sizeof *plan);
    if (!plan)
        return; /* the present plan stays */
    describe(job, plan);
    if (!knows_any(plan))
        guess(decomposition, yk_job_member(job)->make);
    else if (decomposition->division.stand && asked && asked != decomposition->division.team)
        change_team(decomposition, plan, asked);
    else if (!decomposition->division.stand || decomposition->division.guessed)
        begin(job, plan);
    else
        go_on(decomposition, plan);
    decomposition->planning.expected_ns =
        decomposition->division.stand ? yk_plan_ns(plan, &decomposition->division.cuts) : INFINITY;
    decomposition->planning.weighed = plan->weighed;
    decomposition->planning.unexplained_ns = 0;
    decomposition->planning.at = decomposition->jobs;
    decomposition->planning.stale = 0;
    yk_free(plan);
    decomposition->planning.spent_ns += (double)(yk_now(job->runtime) - begun_ns);
}

/* Returns 1 if a plan should be made: there is none; or another team's turn has come; or costs have
 * changed, or the number of jobs has grown by MORE_JOBS, and there is time for planning. There is
 * time if all plans took less than PLANNING of the time of all jobs, plus the time by which jobs
 * have exceeded the plan, because another team may gain that. The first plan needs no such time. */
static int is_due(const struct yk_decomposition *decomposition)
{
    const uint32_t asked = yk_explore_team(&decomposition->explorer);
    if (!decomposition->division.stand || (asked && asked != decomposition->division.team))
        return 1;
    if (!decomposition->division.guessed &&
        decomposition->planning.spent_ns >
            PLANNING * decomposition->explorer.all_ns + decomposition->planning.unexplained_ns)
        return 0;
    return decomposition->planning.stale ||
           (!decomposition->explorer.trying &&
            (double)decomposition->jobs > (1 + MORE_JOBS) * (double)decomposition->planning.at);
}

/* Returns 1 if a round begins with the job: the leading kernel runs again, and if it works by
 * parts, at the beginning of the rows or where the round began. */
static int begins_round(const struct yk_job *job)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    const struct yk_member *member = yk_job_member(job);
    if (!decomposition->division.stand)
        return 1;
    if (job->split.member != decomposition->leads)
        return 0;
    return member->divides != YK_DIVIDES_EACH_PART || member->part.low <= decomposition->round.low;
}

static void end_round(struct yk_decomposition *decomposition)
{
    if (decomposition->round.counts && decomposition->round.jobs > 0) {
        decomposition->round.last_jobs = decomposition->round.jobs;
        decomposition->planning.unexplained_ns +=
            fmax(0, decomposition->round.ns -
                        decomposition->round.jobs * decomposition->planning.expected_ns);
        yk_explore_note(&decomposition->explorer, decomposition->division.team,
                        decomposition->round.ns);
        if (decomposition->round.cut_within)
            yk_explore_recut(&decomposition->explorer, decomposition->division.team);
        decomposition->round.cut_within = 0;
    } else {
        yk_explore_wait(&decomposition->explorer, decomposition->round.ns);
    }
    decomposition->round.ns = decomposition->round.jobs = 0;
    decomposition->round.counts = 1;
}

void yk_decomposition_plan(const struct yk_job *job)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    if (begins_round(job)) {
        end_round(decomposition);
        decomposition->round.low = yk_job_member(job)->part.low;
    } else if (!decomposition->division.guessed) {
        return;
    }
    if (!is_due(decomposition))
        return;
    plan_anew(job);
    decomposition->round.cut_within =
        !decomposition->round.counts && job->split.member != decomposition->leads;
}
