/* decomposition.c - see decomposition.h: which arrays share a decomposition, which jobs use it, and
 * what the program does with its arrays between them. */
#include "decomposition.h"

#include "../base/alloc.h"
#include "../job/kernel.h"
#include "../job/rows.h"

/* --- arrays --- */

static void let_go(struct yk_decomposition *decomposition)
{
    if (--decomposition->users == 0)
        yk_free(decomposition);
}

static void leave(yoke_array *array)
{
    if (array->decomposition)
        let_go(array->decomposition);
    array->decomposition = NULL;
}

/* The arrays of the next such jobs will probably last as long. */
static void note_life(const struct yk_decomposition *decomposition)
{
    int m;
    for (m = 0; m < YK_PLAN_KERNELS; m++) {
        const struct yk_member *member = &decomposition->members[m];
        if (member->kernel && yk_kernel_recall(member->kernel, member->key))
            yk_kernel_memorise(member->kernel, member->key)->lasted = decomposition->jobs;
    }
}

void yk_decomposition_leave(yoke_array *array)
{
    if (array->decomposition && array->decomposition->users == 1)
        note_life(array->decomposition);
    leave(array);
}

void yk_job_leave_decomposition(struct yk_job *job)
{
    if (job->split.decomposition)
        let_go(job->split.decomposition);
    job->split.decomposition = NULL;
}

static void live_by(yoke_array *array, struct yk_decomposition *decomposition)
{
    if (array->decomposition == decomposition)
        return;
    leave(array);
    array->decomposition = decomposition;
    array->written = array->used = 0;
    array->sent_rows = 0;
    decomposition->users++;
}

/* Moves all arrays of one decomposition to the other, which has been used more. */
static void unite(const yoke_runtime *runtime, struct yk_decomposition *from,
                  struct yk_decomposition *into)
{
    yoke_array *array;
    for (array = runtime->arrays; array; array = array->next)
        if (array->decomposition == from)
            live_by(array, into);
}

/* Returns 1 if the argument's array lives by a decomposition: the job uses it by rows, and later
 * jobs can use them, too. */
static int is_divided(const struct yk_job *job, int p)
{
    return yk_job_uses_by_rows(job, p) && !yk_array_is_of_one_job(job->args[p].array);
}

/* Returns the decomposition of the argument's array; NULL: none. An array that the job reads whole
 * counts if jobs change it, because then it matters where its rows are. */
static struct yk_decomposition *theirs(const struct yk_job *job, int p)
{
    const yoke_array *array = job->args[p].array;
    const int whole = array && array->whole->changes && job->args[p].shape == YOKE_WHOLE;
    return whole || is_divided(job, p) ? array->whole->decomposition : NULL;
}

/* Returns the decomposition of the job's arrays; of several, the most used one. NULL: none. */
static struct yk_decomposition *most_used(const struct yk_job *job)
{
    struct yk_decomposition *found = NULL;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        struct yk_decomposition *one = theirs(job, p);
        if (one && (!found || one->jobs > found->jobs))
            found = one;
    }
    return found;
}

static struct yk_decomposition *decomposition_of(const struct yk_job *job)
{
    struct yk_decomposition *found = most_used(job);
    int p;
    if (!found)
        found = yk_calloc(1, sizeof *found);
    if (!found)
        return NULL;
    for (p = 0; p < job->arg_count; p++) {
        struct yk_decomposition *one = theirs(job, p);
        if (one && one != found)
            unite(job->runtime, one, found);
        if (!is_divided(job, p))
            continue;
        live_by(job->args[p].array->whole, found);
        job->args[p].array->whole->changes |= yk_writes_rows(job->args[p].mode);
    }
    return found;
}

/* --- jobs --- */

/* Returns 1 if the job may be split freely, and rows stay where it puts them. A job that teaches
 * another partitioner is split without a plan, because a plan teaches no lines. */
static int may_be_planned(const struct yk_job *job)
{
    int p, divides = 0;
    if (!yk_job_goes_by_plan(job->split.partitioner) || job->split.asked_for || job->pair ||
        job->runtime->checks || job->device_count < 2 ||
        job->kernel->kernel.kind == YOKE_KERNEL_STEP || job->last == job->first)
        return 0;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        divides |= is_divided(job, p);
        if (yk_job_writes_by_rows(job, p) && arg->home == YOKE_HOME_NOW)
            return 0;
    }
    return divides;
}

/* Notes that the job, which is the latest one, uses the rows of its argument's array. */
static void note_rows(const struct yk_job *job, int p, int begins_round)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    yoke_array *array = job->args[p].array->whole;
    if (begins_round || array->used < decomposition->round.first)
        array->carried = yk_job_needs_by_rows(job, p);
    array->used = decomposition->jobs;
    if (yk_writes_rows(job->args[p].mode))
        array->written = decomposition->jobs;
}

static void note_use(const struct yk_job *job)
{
    const int begins_round = job->split.member == job->split.decomposition->leads;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        if (!job->args[p].array)
            continue;
        job->args[p].array->whole->sent_rows = 0;
        if (is_divided(job, p))
            note_rows(job, p, begins_round);
    }
}

void yk_decomposition_written(yoke_array *array, struct yk_interval rows)
{
    if (array->whole->in_use)
        array->whole->sent_rows += rows.last - rows.first;
    if (rows.last - rows.first == array->whole->rows)
        array->whole->written = 0;
}

void yk_decomposition_read(yoke_array *array, const struct yk_program_read *read)
{
    struct yk_decomposition *decomposition = array->whole->decomposition;
    const uint64_t written = array->whole->written;
    if (!decomposition)
        return;
    decomposition->round.ns += (double)read->waited_ns;
    decomposition->round.tells &= !read->readied;
    decomposition->round.counts &= !read->readied;
    if (written && decomposition->jobs - written < YK_RECENT_JOBS)
        decomposition->recent.home[(written - 1) % YK_RECENT_JOBS] +=
            (double)((read->rows.last - read->rows.first) * array->row_bytes);
}

void yk_job_decompose(struct yk_job *job)
{
    struct yk_decomposition *decomposition;
    struct yk_member *member;
    if (!may_be_planned(job))
        return;
    decomposition = decomposition_of(job);
    if (!decomposition)
        return; /* without memory the job is split by itself */
    if (decomposition->devices != job->device_count)
        decomposition->division.stand = 0;
    decomposition->devices = job->device_count;
    member = yk_decomposition_admit(decomposition, job);
    decomposition->recent.member[decomposition->jobs % YK_RECENT_JOBS] =
        (unsigned char)(member - decomposition->members);
    decomposition->recent.home[decomposition->jobs % YK_RECENT_JOBS] = 0;
    member->used = ++decomposition->jobs;
    job->split.decomposition = decomposition;
    decomposition->users++;
    job->split.member = (int)(member - decomposition->members);
    note_use(job);
}
