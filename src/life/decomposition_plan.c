/* decomposition_plan.c - makes a decomposition's plan (partition/plan.h) when the first job of a
 * round begins, updates it from time to time, and tries other teams (partition/explore.h). */
#include "decomposition_plan.h"

#include <math.h>
#include <string.h>

#include "../base/alloc.h"
#include "../job/kernel.h"
#include "decomposition.h"
#include "decomposition_input.h"
#include "decomposition_ready.h"
#include "decomposition_round.h"

/* A plan is updated when the number of jobs has grown by this fraction. */
#define MORE_JOBS (1.0 / 3)
/* Making plans may take this fraction of the time of all jobs (see yk_decomposition_is_due). */
#define PLANNING 0.01

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
    yk_decomposition_cut(decomposition, cuts);
    decomposition->division.team = team;
    decomposition->division.stand = 1;
    decomposition->division.guessed = 0;
    decomposition->round.counts = 0;
}

/* Returns the factor by which `team` may be faster than the times of its parts show, if cores
 * leave. Only cores use the host's memory all the time: the rows of GPUs stay on the GPUs. */
static double relief(const struct yk_decomposition *decomposition, const struct yk_plan *plan,
                     uint32_t team)
{
    int d, cores = 0;
    for (d = 0; d < plan->devices; d++)
        cores |= ((decomposition->division.team & ~team) >> d & 1) && yk_plan_is_host(plan, d);
    return yk_team_relief(cores);
}

struct prospect { /* a plan for another team */
    const struct yk_job *job;
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
        .relief = relief(decomposition, plan, team),
        .move_ns = yk_plan_move_ns(plan, &decomposition->division.cuts, &prospect->cuts),
    };
    if (out->parts_ns >=
        prospect->present_ns) /* it is not expected to win, so rows will move back */
        out->move_ns *= 2;
    return 1;
}

/* Returns 1 if the cuts must wait until devices are ready. Then jobs follow the present ones, and
 * the first job after that makes a new plan, which waits only if there are more arrays or kernels
 * now. */
static int awaits(const struct yk_job *job, struct yk_plan *plan, const struct yk_cuts *cuts)
{
    struct yk_planning *planning = &job->split.decomposition->planning;
    const double gain_ns =
        yk_plan_ns(plan, &job->split.decomposition->division.cuts) - yk_plan_ns(plan, cuts);
    const int needs = yk_decomposition_needs(job);
    planning->waits =
        needs > planning->waited && yk_decomposition_awaits(job, cuts, gain_ns) ? needs : 0;
    planning->stale |= planning->waits > 0;
    return planning->waits > 0;
}

static int prospect_awaits(void *context)
{
    const struct prospect *prospect = context;
    return awaits(prospect->job, prospect->plan, &prospect->cuts);
}

/* Follows the plan of another team if that may be better than the present one. */
static void offer_others(const struct yk_job *job, struct yk_plan *plan)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    struct prospect prospect = { .job = job,
                                 .decomposition = decomposition,
                                 .plan = plan,
                                 .present_ns = decomposition->round.last_jobs *
                                               yk_plan_ns(plan, &decomposition->division.cuts) };
    const struct yk_offers offers = { .team = decomposition->division.team,
                                      .make = decomposition->members[decomposition->leads].make,
                                      .devices = decomposition->devices,
                                      .present_ns = prospect.present_ns,
                                      .predict = predict,
                                      .awaits = prospect_awaits,
                                      .context = &prospect };
    if (yk_offer_others(&decomposition->explorer, &offers))
        follow_cuts(decomposition, plan, &prospect.cuts);
}

/* If nothing is known except that all devices are of one make, gives them equal parts. */
static void guess(struct yk_decomposition *decomposition, const int *make)
{
    const int devices = decomposition->devices;
    struct yk_cuts cuts = { .tied = 1 };
    int k, d;
    for (d = 1; d < devices; d++)
        if (make[d] != make[0])
            return;
    for (k = 0; k < YK_PLAN_KERNELS; k++)
        for (d = 0; d < devices; d++)
            cuts.share[k][d] = 1.0 / devices;
    yk_decomposition_cut(decomposition, &cuts);
    decomposition->division.team = yk_team_all(devices);
    decomposition->division.stand = 1;
    decomposition->division.guessed = 1;
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

/* Returns 1 if it is known for how many jobs the arrays will last, and a CPU could do these jobs.
 * Then *home are the cuts by which all rows are on the host, as they are in new arrays, and the
 * plan counts that results come home in the end. */
static int begins_home(const struct yk_job *job, struct yk_plan *plan, struct yk_cuts *home)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    int d = 0, k;
    while (d < plan->devices && !job->runtime->devices[d].device->desc.host_memory)
        d++;
    if (!(job->split.to_come > 0) || d == plan->devices)
        return 0;
    plan->jobs = fmax(plan->jobs, job->split.to_come);
    *home = (struct yk_cuts){ .tied = 1 };
    for (k = 0; k < YK_PLAN_KERNELS; k++)
        home->share[k][d] = 1;
    for (k = 0; k < plan->kernels; k++)
        plan->kernel[k].home_bytes =
            fmax(plan->kernel[k].home_bytes,
                 decomposition->members[k].result_bytes / job->split.to_come);
    return isfinite(yk_plan_ns(plan, home));
}

/* Finds the first cuts, if rows should leave the host for these now. */
static int find_first(const struct yk_job *job, struct yk_plan *plan, struct yk_cuts *out)
{
    struct yk_planning *planning = &job->split.decomposition->planning;
    struct yk_cuts home;
    if (!begins_home(job, plan, &home))
        return yk_plan_find(plan, NULL, out);
    planning->stays_home = !yk_plan_find(plan, &home, out) && plan->weighed.gain_ns > 0;
    return !planning->stays_home;
}

/* Returns 1 if the costs are wrong: by them the cuts would make jobs longer than the first job was,
 * which shows what is possible. They are then known better after the next job. A plan for several
 * kernels says nothing about the first one's job. */
static int is_refuted(const struct yk_decomposition *decomposition, const struct yk_plan *plan,
                      const struct yk_cuts *cuts)
{
    return decomposition->division.guessed && plan->kernels == 1 &&
           yk_plan_ns(plan, cuts) > decomposition->planning.expected_ns;
}

/* Finds the cuts of the first plan; 0: the present ones stay. If the costs are wrong, these are
 * followed, and the next job plans again. */
static int find_better(const struct yk_job *job, struct yk_plan *plan, struct yk_cuts *out)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    if (!decomposition->division.stand)
        return find_first(job, plan, out);
    if (!yk_plan_find(plan, &decomposition->division.cuts, out))
        return 0;
    if (is_refuted(decomposition, plan, out)) {
        *out = decomposition->division.cuts;
        decomposition->planning.stale = 1;
    }
    return 1;
}

/* Makes the first plan. Rows stay where they are unless moving them pays by the estimates. These
 * count as exact (`certain`), because there is no plan yet that noise could undo. */
static void begin(const struct yk_job *job, struct yk_plan *plan)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    double rounds = 0;
    const uint32_t team = recalled_team(job, &rounds);
    struct yk_cuts cuts;
    int found;
    plan->certain = 1;
    plan->allowed = team ? team : yk_team_all(decomposition->devices);
    plan->keeps = team > 0;
    if (!isfinite(yk_plan_ns(plan, &decomposition->division.cuts)))
        decomposition->division.stand = 0;
    found = find_better(job, plan, &cuts);
    if (found && decomposition->division.stand && awaits(job, plan, &cuts))
        return;
    if (found)
        follow_cuts(decomposition, plan, &cuts);
    if (decomposition->division.stand && team && decomposition->division.team == team)
        yk_explore_recall(&decomposition->explorer, team, rounds);
    else if (decomposition->division.stand &&
             decomposition->explorer.best != decomposition->division.team)
        yk_explore_begin(&decomposition->explorer, decomposition->division.team);
    if (decomposition->division.guessed)
        offer_others(job, plan);
}

/* Follows the plan of another team: a trial is over, or another team's turn has come. The best team
 * gets the cuts back with which it was measured if the plan leaves out one of its devices, or finds
 * no better ones. */
static void change_team(struct yk_decomposition *decomposition, struct yk_plan *plan, uint32_t team)
{
    const struct yk_cuts *proven = &decomposition->division.proven;
    struct yk_cuts cuts;
    int found;
    plan->allowed = team;
    plan->keeps = 1;
    found = yk_plan_find(plan, NULL, &cuts);
    if (yk_plan_team(plan, proven) == team &&
        (!found || yk_plan_team(plan, &cuts) != team ||
         yk_plan_ns(plan, proven) < yk_plan_ns(plan, &cuts))) {
        cuts = *proven;
        found = isfinite(yk_plan_ns(plan, &cuts));
    }
    if (found)
        follow_cuts(decomposition, plan, &cuts);
    if (decomposition->division.team != team) /* a device's cost is no longer known */
        yk_explore_begin(&decomposition->explorer, decomposition->division.team);
}

/* Moves bounds if that pays. New bounds that leave a device without a part are tried first. */
static void go_on(const struct yk_job *job, struct yk_plan *plan)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
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
    offer_others(job, plan);
}

static int knows_any(const struct yk_plan *plan)
{
    int k;
    for (k = 0; k < plan->kernels; k++)
        if (plan->kernel[k].weight > 0)
            return 1;
    return 0;
}

/* Cuts from a guess, or from before a kernel with a coarser grain came, get bounds that all kernels
 * can have. At most half of the grain moves. */
static void align_present(struct yk_decomposition *decomposition, const struct yk_plan *plan)
{
    struct yk_cuts cuts = decomposition->division.cuts;
    yk_plan_align(plan, &cuts);
    if (yk_plan_team(plan, &cuts) == yk_plan_team(plan, &decomposition->division.cuts) &&
        memcmp(&cuts, &decomposition->division.cuts, sizeof cuts) != 0)
        yk_decomposition_cut(decomposition, &cuts);
}

static void plan_anew(const struct yk_job *job)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    const uint32_t asked = yk_explore_team(&decomposition->explorer);
    const int64_t begun_ns = yk_now(job->runtime);
    struct yk_plan *plan = yk_calloc(1, sizeof *plan);
    if (!plan)
        return; /* the present plan stays */
    yk_decomposition_describe(job, plan);
    align_present(decomposition, plan);
    decomposition->planning.stale = 0;
    decomposition->planning.waited = decomposition->planning.waits;
    decomposition->planning.waits = 0;
    if (!knows_any(plan))
        guess(decomposition, yk_job_member(job)->make);
    else if (decomposition->division.stand && asked && asked != decomposition->division.team)
        change_team(decomposition, plan, asked);
    else if (!decomposition->division.stand || decomposition->division.guessed)
        begin(job, plan);
    else
        go_on(job, plan);
    decomposition->planning.expected_ns =
        decomposition->division.stand ? yk_plan_ns(plan, &decomposition->division.cuts) : INFINITY;
    decomposition->planning.weighed = plan->weighed;
    decomposition->planning.pays_at = yk_plan_pays_at(&plan->weighed);
    if (decomposition->planning.pays_at < plan->jobs)
        decomposition->planning.pays_at = INFINITY;
    decomposition->planning.unexplained_ns = 0;
    decomposition->planning.at = decomposition->jobs;
    yk_free(plan);
    decomposition->planning.spent_ns += (double)(yk_now(job->runtime) - begun_ns);
}

/* Returns 1 if a plan should be made: there is none; or another team's turn has come; or costs have
 * changed, or the number of jobs has grown by MORE_JOBS or until a move pays, and there is time for
 * planning. There is time if all plans took less than PLANNING of the time of all jobs, plus the
 * time by which jobs have differed from the plan: another team may gain the excess, and a plan that
 * promised too little was made with wrong costs. The first plan needs no such time. */
int yk_decomposition_is_due(const struct yk_decomposition *decomposition)
{
    const uint32_t asked = yk_explore_team(&decomposition->explorer);
    if (!decomposition->division.stand)
        return !decomposition->planning.stays_home || decomposition->planning.stale ||
               (double)decomposition->jobs > decomposition->planning.pays_at;
    if (asked && asked != decomposition->division.team)
        return 1;
    if (!decomposition->division.guessed &&
        decomposition->planning.spent_ns > PLANNING * decomposition->explorer.all_ns +
                                               fabs(decomposition->planning.unexplained_ns))
        return 0;
    return decomposition->planning.stale ||
           (!decomposition->explorer.trying &&
            (double)decomposition->jobs >
                fmin(decomposition->planning.pays_at,
                     (1 + MORE_JOBS) * (double)decomposition->planning.at));
}

void yk_decomposition_plan(const struct yk_job *job)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    if (!yk_round_begin(job) && !decomposition->division.guessed)
        return;
    /* Behind another job the plan stays, because that one still follows it. */
    if (job->pipeline.before || !yk_decomposition_is_due(decomposition) ||
        (decomposition->planning.waits && yk_decomposition_is_unready(job)))
        return;
    plan_anew(job);
    decomposition->round.cut_within =
        !decomposition->round.counts && job->split.member != decomposition->leads;
}
