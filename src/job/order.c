/* order.c - see order.h: links jobs that conflict, and releases those that waited. */

#include "order.h"

#include "../base/alloc.h"
#include "reduction.h"
#include "rows.h"

static struct yk_interval used_rows(const struct yk_job *job, int p)
{
    const yoke_arg *arg = &job->args[p];
    if (job->first == job->last)
        return (struct yk_interval){ arg->array->first_row, arg->array->first_row };
    if (arg->shape == YOKE_WHOLE || arg->mode == YOKE_PARAM_ADD)
        return yk_array_rows(arg->array);
    return yk_job_rows(job, p, (struct yk_interval){ job->first, job->last });
}

/* Adds a use of the array that receives the total at the job's end, even if the range is empty.
 * Only this job uses its partial results, so they need no use. */
static void use_total(struct yk_job *job, int p, struct yk_use *next)
{
    const struct yk_total *total = &job->reduction->total[p];
    job->order.uses[p].rows = yk_array_rows(total->partials);
    if (total->into)
        *next = (struct yk_use){ .job = job,
                                 .array = total->into,
                                 .rows = yk_array_rows(total->into),
                                 .writes = 1,
                                 .reads = total->onto };
}

void yk_order_prepare(struct yk_job *job)
{
    struct yk_use *next = job->order.uses + job->arg_count;
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->reduction && job->reduction->total[p].partials)
            use_total(job, p, next++);
        else if (job->args[p].array)
            job->order.uses[p] = (struct yk_use){ .job = job,
                                                  .array = job->args[p].array,
                                                  .rows = used_rows(job, p),
                                                  .writes = yk_changes_array(job->args[p].mode),
                                                  .reads = job->args[p].mode != YOKE_PARAM_OUT };
}

void yk_order_close(struct yk_job *job)
{
    yk_free(job->order.more_edges);
}

static void unlist(struct yk_use *use)
{
    if (!use->link)
        return;
    *use->link = use->next;
    if (use->next)
        use->next->link = use->link;
    use->link = NULL;
}

static void list(struct yk_use *use, struct yk_use **first)
{
    use->next = *first;
    use->link = first;
    if (use->next)
        use->next->link = &use->next;
    *first = use;
}

/* --- linking: add_all is called twice, first to count the necessary edges, then to make them ---
 */

struct linking {
    struct yk_job *job;
    int count;
    struct yk_edge *room; /* NULL: only count; otherwise the next free edge */
};

static void add_edge(struct linking *linking, struct yk_job *from, int needs)
{
    struct yk_edge *edge = linking->room;
    linking->count++;
    if (!edge)
        return;
    *edge = (struct yk_edge){ .to = linking->job, .next = from->order.first_out, .needs = needs };
    from->order.first_out = edge;
    linking->room = edge + 1;
}

/* Returns 1 if a and b have a row in common. An empty interval has none. */
static int overlap(struct yk_interval a, struct yk_interval b)
{
    return (a.first > b.first ? a.first : b.first) < (a.last < b.last ? a.last : b.last);
}

static void add_conflicts(struct linking *linking, const struct yk_use *mine,
                          const struct yk_use *other)
{
    for (; other; other = other->next)
        if (other->job != linking->job && overlap(other->rows, mine->rows))
            add_edge(linking, other->job, other->writes && mine->reads);
}

static void add_all(struct linking *linking, struct yk_job *const *after, int count)
{
    struct yk_job *job = linking->job;
    const yoke_array *kin;
    int p, i;
    for (p = 0; p < job->order.count; p++) {
        const struct yk_use *mine = &job->order.uses[p];
        if (!mine->job)
            continue;
        for (kin = NULL; (kin = yk_array_kin(mine->array, kin));) {
            add_conflicts(linking, mine, kin->writers);
            if (mine->writes) {
                add_conflicts(linking, mine, kin->readers);
                add_conflicts(linking, mine, kin->overwritten);
            }
        }
    }
    for (i = 0; i < count; i++)
        if (atomic_load(&after[i]->phase) != YK_DONE)
            add_edge(linking, after[i], 1);
}

/* Removes uses of other jobs that lie within the rows used now: a later job that conflicts with one
 * of them also conflicts with these rows. A use without rows stays, because closing the array must
 * wait for its job. */
static void supersede_all(struct yk_use *mine, struct yk_use *other)
{
    while (other) {
        struct yk_use *next = other->next;
        if (other->job != mine->job && !yk_interval_empty(other->rows) &&
            other->rows.first >= mine->rows.first && other->rows.last <= mine->rows.last)
            unlist(other);
        other = next;
    }
}

/* Moves uses of other jobs that read some of the rows written now. */
static void overwrite(const struct yk_use *mine, yoke_array *array)
{
    struct yk_use *other = array->readers;
    while (other) {
        struct yk_use *next = other->next;
        if (other->job != mine->job && overlap(other->rows, mine->rows)) {
            unlist(other);
            list(other, &array->overwritten);
        }
        other = next;
    }
}

/* A panel writes only columns of its array, so uses of the whole array stay. */
static void supersede(struct yk_use *mine, yoke_array *array)
{
    const yoke_array *kin = NULL;
    while ((kin = yk_array_kin(array, kin)) && (kin == array || kin != array->whole)) {
        supersede_all(mine, kin->writers);
        supersede_all(mine, kin->readers);
        supersede_all(mine, kin->overwritten);
    }
    overwrite(mine, array);
}

static void list_uses(struct yk_job *job)
{
    int p;
    for (p = 0; p < job->order.count; p++) {
        struct yk_use *mine = &job->order.uses[p];
        yoke_array *array = mine->array;
        if (!mine->job)
            continue;
        if (mine->writes)
            supersede(mine, array);
        else
            supersede_all(mine, array->overwritten);
        list(mine, mine->writes ? &array->writers : &array->readers);
    }
}

yoke_status yk_order_link(struct yk_job *job, struct yk_job *const *after, int count)
{
    struct linking linking = { .job = job };
    add_all(&linking, after, count);
    if (linking.count > YK_EDGES) {
        job->order.more_edges = yk_calloc((size_t)linking.count, sizeof *job->order.more_edges);
        if (!job->order.more_edges)
            return YOKE_ENOMEM;
    }
    job->order.waits = linking.count;
    job->order.named = count;
    linking.room = linking.count > YK_EDGES ? job->order.more_edges : job->order.edges;
    if (linking.count > 0)
        add_all(&linking, after, count);
    list_uses(job);
    return YOKE_OK;
}

int yk_order_waits_only_for(const struct yk_job *job, const struct yk_job *from)
{
    const struct yk_edge *edge;
    int count = 0;
    for (edge = from->order.first_out; edge; edge = edge->next)
        count += edge->to == job;
    return count > 0 && count == job->order.waits && job->order.named == 0;
}

void yk_order_unlink(struct yk_job *job, int failed, const struct yk_order_next *next)
{
    struct yk_edge *edge = job->order.first_out, *later;
    int p;
    for (p = 0; p < job->order.count; p++)
        unlist(&job->order.uses[p]);
    for (; edge; edge = later) {
        struct yk_job *to = edge->to;
        later = edge->next; /* read first: the edge is in the memory of `to`, which may be freed
                               once it is ready */
        if (failed && edge->needs)
            next->doomed(to, job);
        if (--to->order.waits == 0)
            next->ready(to);
    }
    job->order.first_out = NULL;
}
