/* decomposition_round.c - see decomposition_round.h. Jobs of a round may overlap. So its time is
 * not the sum of their times: each job adds the time from the end of the one before to its own end.
 * Jobs that do not use these arrays disturb the round, which then says nothing about the team. */
#include "decomposition_round.h"

#include <math.h>

#include "../base/typical.h"
#include "decomposition.h"

/* Returns 1 if the leading kernel runs again, and if it works by parts, at the beginning of the
 * rows or where the round began. */
static int is_first(const struct yk_job *job)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    const struct yk_member *member = yk_job_member(job);
    if (!decomposition->division.stand)
        return 1;
    if (job->split.member != decomposition->leads)
        return 0;
    return member->divides != YK_DIVIDES_EACH_PART || member->part.low <= decomposition->round.low;
}

/* How a kernel's rows are split matters to the kernels after it, so the round's time tells. */
static void note_ways(struct yk_decomposition *decomposition)
{
    const struct yk_round *round = &decomposition->round;
    int m;
    for (m = 0; m < YK_PLAN_KERNELS; m++) {
        struct yk_keeping *keeping = &decomposition->members[m].keeping;
        struct yk_way *way = keeping->by_plan ? &keeping->plan : &keeping->alone;
        if (round->tells && keeping->in_round)
            way->ns[way->rounds++ % YK_LASTING] = round->ns;
        keeping->in_round = 0;
    }
}

/* What the round tells the explorer, and its members. */
static void complete(struct yk_decomposition *decomposition)
{
    struct yk_round *round = &decomposition->round;
    note_ways(decomposition);
    if (round->counts && round->jobs > 0) {
        round->last_jobs = round->jobs;
        decomposition->planning.unexplained_ns +=
            round->ns - round->jobs * decomposition->planning.expected_ns;
        yk_explore_note(&decomposition->explorer, decomposition->division.team, round->ns);
        if (round->cut_within)
            yk_explore_recut(&decomposition->explorer, decomposition->division.team);
        round->cut_within = 0;
    } else {
        yk_explore_wait(&decomposition->explorer, round->ns);
    }
    round->ns = round->jobs = round->ends = 0;
    round->counts = round->tells = 1;
}

int yk_round_begin(const struct yk_job *job)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    if (!is_first(job))
        return 0;
    if (job->pipeline.before)
        decomposition->round.ends = 1;
    else
        complete(decomposition);
    decomposition->round.low = yk_job_member(job)->part.low;
    decomposition->round.first = decomposition->jobs;
    return 1;
}

/* Returns the number of jobs so far that did not belong to the decomposition. */
static uint64_t foreign_jobs(const struct yk_job *job)
{
    return job->runtime->turns - job->split.decomposition->jobs;
}

void yk_round_enter(struct yk_job *job)
{
    const struct yk_job *other;
    if (!job->split.decomposition)
        return;
    job->split.foreign = foreign_jobs(job);
    job->split.disturbed = 0;
    for (other = job->runtime->running; other; other = other->lists.next_running)
        job->split.disturbed |= other->split.decomposition != job->split.decomposition;
}

/* Returns from when on the job's time belongs to its round: from its begin, or the end of the job
 * before if that was later. Also if the job waited for that one: then the time between, in which
 * threads leave one job and begin the next, is this team's overhead. */
static int64_t since(const struct yk_job *job)
{
    const struct yk_round *round = &job->split.decomposition->round;
    const int64_t begun = yk_job_since(job);
    const int follows = job->split.queued && job->split.foreign == round->foreign;
    return round->until_ns && (follows || begun < round->until_ns) ? round->until_ns : begun;
}

void yk_round_note(const struct yk_job *job, int counts)
{
    struct yk_round *round = &job->split.decomposition->round;
    const int64_t ended = job->outcome.ended_ns, from = since(job);
    round->jobs++;
    round->ns += ended > from ? (double)(ended - from) : 0;
    round->until_ns = ended > round->until_ns ? ended : round->until_ns;
    round->foreign = foreign_jobs(job);
    if (job->caller.attended && !job->outcome.ended_by_caller && !job->runtime->virtual_clock)
        round->ns += (double)yk_typical(&job->runtime->return_ns);
    round->tells &= counts && !job->split.disturbed && job->split.foreign == foreign_jobs(job);
    round->counts &= round->tells && job->split.planned;
    if (round->ends)
        complete(job->split.decomposition);
}
