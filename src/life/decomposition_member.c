/* decomposition_member.c - see decomposition_member.h. */
#include "decomposition_member.h"

#include <math.h>
#include <string.h>

#include "../job/kernel.h"
#include "../job/rows.h"
#include "../job/unit.h"
#include "decomposition.h"

/* Makes an entry for a new member: a free one, or that of the member that was unused for longest.
 * Until a plan includes the new member, its bounds are those of the latest member. */
static struct yk_member *admit(struct yk_decomposition *decomposition, const struct yk_job *job)
{
    int m, r, oldest = 0, latest = 0;
    for (m = 1; m < YK_PLAN_KERNELS; m++) {
        const uint64_t used = decomposition->members[m].used;
        if (used < decomposition->members[oldest].used)
            oldest = m;
        if (used > decomposition->members[latest].used)
            latest = m;
    }
    memcpy(decomposition->division.cuts.share[oldest], decomposition->division.cuts.share[latest],
           sizeof decomposition->division.cuts.share[oldest]);
    memcpy(decomposition->division.proven.share[oldest],
           decomposition->division.proven.share[latest],
           sizeof decomposition->division.proven.share[oldest]);
    for (r = 0; r < YK_RECENT_JOBS; r++)
        if (decomposition->recent.member[r] == oldest)
            decomposition->recent.member[r] = YK_PLAN_KERNELS;
    decomposition->members[oldest] =
        (struct yk_member){ .kernel = job->kernel, .key = job->split.key };
    decomposition->planning.stale = 1;
    return &decomposition->members[oldest];
}

struct yk_member *yk_decomposition_member(struct yk_decomposition *decomposition,
                                          const struct yk_job *job)
{
    int m;
    for (m = 0; m < YK_PLAN_KERNELS; m++) {
        struct yk_member *member = &decomposition->members[m];
        if (member->kernel == job->kernel && member->key == job->split.key)
            return member;
    }
    return NULL;
}

/* Returns the argument that shows which rows a job covers: one that it writes index by index, if
 * there is one. */
static const yoke_arg *leading(const struct yk_job *job)
{
    const yoke_arg *found = NULL;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        if (!yk_job_uses_by_rows(job, p) || arg->shape == YOKE_CUSTOM)
            continue;
        if (!found || (yk_writes_rows(arg->mode) && !yk_writes_rows(found->mode)))
            found = arg;
    }
    return found;
}

/* Returns the member whose job had this number; -1: it is unknown. */
static int member_of_job(const struct yk_decomposition *decomposition, uint64_t number)
{
    int m;
    if (number == 0 || decomposition->jobs - number >= YK_RECENT_JOBS)
        return -1;
    m = decomposition->recent.member[(number - 1) % YK_RECENT_JOBS];
    return m < YK_PLAN_KERNELS ? m : -1;
}

/* Returns the fraction of the array's rows that the program wrote since the job before; of an array
 * that is new in each job, all. */
static double sent_part(const yoke_array *array)
{
    return yk_array_is_of_one_job(array)
               ? 1
               : fmin(1, (double)array->whole->sent_rows / (double)array->rows);
}

/* Describes where the rows are that the member reads by rows: where the program wrote them, and
 * where the job was split that used them last. Only rows that change have to move. */
static void describe_rows(const yoke_arg *arg, struct yk_decomposition *decomposition,
                          struct yk_member *member)
{
    const yoke_array *array = arg->array;
    const double all = (double)yk_array_bytes(array), bytes = all * yk_member_part(member);
    const double sent = fmin(bytes, sent_part(array) * all);
    const int before = member_of_job(decomposition, array->whole->used);
    decomposition->recent.sent[decomposition->jobs % YK_RECENT_JOBS] += sent;
    member->read_bytes += bytes;
    if (!array->whole->changes)
        return;
    member->changing_bytes += bytes;
    if (arg->shape == YOKE_HALO) {
        member->halo_copies += (arg->before > 0) + (arg->after > 0);
        member->halo_bytes += (double)((arg->before + arg->after) * array->row_bytes);
    }
    if (before >= 0)
        member->rows_from[before] += bytes - sent;
}

/* Describes an array that each part reads whole: which of its rows come from the program, and where
 * the others are. Before a job has written them, they are assumed to be where this job is. */
static void describe_whole(const yoke_arg *arg, struct yk_decomposition *decomposition,
                           struct yk_member *member)
{
    const yoke_array *array = arg->array;
    const double all = (double)yk_array_bytes(array), sent = sent_part(array) * all;
    const int writer = member_of_job(decomposition, array->whole->written);
    decomposition->recent.sent_whole[decomposition->jobs % YK_RECENT_JOBS] += sent;
    if (array->whole->changes)
        member->whole_from[writer >= 0 ? writer : (int)(member - decomposition->members)] +=
            all - sent;
}

/* The same for all arrays. */
static void describe_sources(const struct yk_job *job, struct yk_decomposition *decomposition,
                             struct yk_member *member)
{
    int p;
    memset(member->rows_from, 0, sizeof member->rows_from);
    memset(member->whole_from, 0, sizeof member->whole_from);
    member->halo_copies = member->halo_bytes = 0;
    member->read_bytes = member->changing_bytes = 0;
    decomposition->recent.sent[decomposition->jobs % YK_RECENT_JOBS] = 0;
    decomposition->recent.sent_whole[decomposition->jobs % YK_RECENT_JOBS] = 0;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        if (!arg->array || arg->mode == YOKE_PARAM_OUT)
            continue;
        if (yk_job_uses_by_rows(job, p))
            describe_rows(arg, decomposition, member);
        else if (arg->mode == YOKE_PARAM_IN)
            describe_whole(arg, decomposition, member);
    }
}

/* Returns the rows of the argument's array that items can have for themselves: not those at its
 * ends that they only read beside their own, as in an array of bounds, with a row more than there
 * are items. Otherwise kernels with and without such an array would have different bounds. */
static struct yk_interval rows_of_items(const struct yk_job *job, const yoke_arg *arg)
{
    const struct yk_interval all = { arg->array->first_row,
                                     arg->array->first_row + arg->array->rows };
    struct yk_interval own = all;
    if (arg->shape == YOKE_HALO)
        own = (struct yk_interval){ all.first + arg->before, all.last - arg->after };
    return job->first >= own.first && job->last <= own.last ? own : all;
}

/* Returns the rows that the job covers; if its arrays do not have these, all rows. */
static struct yk_stretch part_of(const struct yk_job *job)
{
    const yoke_arg *arg = leading(job);
    struct yk_stretch part = { 0, 1 };
    if (arg) {
        const struct yk_interval rows = rows_of_items(job, arg);
        const double count = (double)(rows.last - rows.first);
        part.low = fmax(0, (double)(job->first - rows.first) / count);
        part.high = fmin(1, (double)(job->last - rows.first) / count);
    }
    return part.high > part.low ? part : (struct yk_stretch){ 0, 1 };
}

/* Notes which rows the latest job covers. The member works by parts if these are other rows than
 * those of the job before; parts that overlap say that it does not. */
static void note_part(struct yk_member *member, struct yk_stretch part)
{
    const struct yk_stretch before = member->part;
    member->part = part;
    if (before.high > before.low && (part.low >= before.high || part.high <= before.low))
        member->by_parts = 1;
    else if (part.low != before.low || part.high != before.high)
        member->by_parts = 0;
}

/* Returns 1 if all kernels that use the arrays work by parts. */
static int all_go_by_parts(const struct yk_decomposition *decomposition)
{
    int m, all = 1;
    for (m = 0; m < YK_PLAN_KERNELS; m++) {
        const struct yk_member *member = &decomposition->members[m];
        if (member->kernel && decomposition->jobs - member->used < YK_RECENT_JOBS)
            all &= member->by_parts;
    }
    return all;
}

static void describe_work(const struct yk_job *job, const struct yk_decomposition *decomposition,
                          struct yk_member *member)
{
    int p;
    note_part(member, part_of(job));
    if (!all_go_by_parts(decomposition))
        member->divides = YK_DIVIDES_ROWS;
    else
        member->divides = member->crowded ? YK_DIVIDES_SWEEP : YK_DIVIDES_EACH_PART;
    member->items = (double)(job->last - job->first);
    member->unit = (double)yk_job_unit(job);
    member->result_bytes = 0;
    for (p = 0; p < job->arg_count; p++)
        if (yk_job_writes_by_rows(job, p))
            member->result_bytes += (double)yk_array_bytes(job->args[p].array);
    member->result_bytes *= yk_member_part(member);
}

struct yk_member *yk_decomposition_admit(struct yk_decomposition *decomposition,
                                         const struct yk_job *job)
{
    struct yk_member *member = yk_decomposition_member(decomposition, job);
    if (!member)
        member = admit(decomposition, job);
    describe_work(job, decomposition, member);
    describe_sources(job, decomposition, member);
    return member;
}
