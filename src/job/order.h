/* order.h - the jobs that a job must wait for: earlier jobs that use rows which it writes, or write
 * rows which it uses, and the jobs that it names.
 *
 * Every array lists its uses by jobs that are not done, readers and writers separately. A new job
 * waits for each use that conflicts with its own uses. If it writes, the uses that its rows cover
 * leave the list: a later job that conflicts with one of them also conflicts with the new job. So a
 * chain of any length has one entry, and the time to link a job depends only on its own conflicts.
 *
 * A stencil's job reads a row more at both ends than the next job writes, so its use stays. Such a
 * use goes to a list of its own, `overwritten`. It leaves that when a later job reads all of its
 * rows: that job waits for the one that wrote some of them, and this one for the use. So a later
 * job that conflicts with the use also conflicts with the new reader.
 *
 * An edge leads from a job to one that waits for it. It lies in the memory of the waiting job,
 * which exists as long as it waits. Protected by runtime.lock; prepare and close need no lock.
 */
#ifndef YK_JOB_ORDER_H
#define YK_JOB_ORDER_H

#include <yoke/array.h>

#include "../array/interval_map.h"

struct yk_job;

struct yk_use { /* how a job uses an array */
    struct yk_job *job;
    yoke_array *array;
    struct yk_interval rows;
    int writes, reads;
    struct yk_use *next, **link; /* link NULL: in no list */
};

struct yk_edge {
    struct yk_job *to;
    struct yk_edge *next; /* next edge from the same job */
    int needs;            /* 1: `to` reads what this job writes, or names this job */
};

enum { YK_EDGES = 4 }; /* more edges need extra memory */

struct yk_order {
    /* One per argument (its `job` is NULL if the argument is no array of the program), then one for
     * each result of a reduction. Allocated together with the job. */
    struct yk_use *uses;
    int count;
    struct yk_edge edges[YK_EDGES], *more_edges;
    struct yk_edge *first_out; /* edges to jobs that wait for this one */
    int waits;                 /* number of edges to this job from jobs that are not over */
    int named;                 /* number of jobs that it names as its predecessors */
    int misses_rows;           /* 1: it was not done, because rows that it needs are lost */
};

/* Computes the rows that the job uses. Calls the arguments' rows functions. Without locks. */
void yk_order_prepare(struct yk_job *job);
/* Frees the extra edges. Without locks. */
void yk_order_close(struct yk_job *job);
/* Makes the job wait for all linked jobs with which it conflicts, and for the `count` jobs of
 * `after`, some of which may be done. With runtime.lock held. YOKE_ENOMEM: nothing has changed. */
yoke_status yk_order_link(struct yk_job *job, struct yk_job *const *after, int count);
/* Returns 1 if the job waits for no other job than `from`, and that because of rows. With
 * runtime.lock held. */
int yk_order_waits_only_for(const struct yk_job *job, const struct yk_job *from);
/* For a job that is over: passes jobs that waited only for it to `ready`. If it failed, passes jobs
 * that need its results to `doomed` before that. With runtime.lock held. `next` may be NULL if no
 * job waits for it. */
struct yk_order_next {
    void (*ready)(struct yk_job *job);
    void (*doomed)(struct yk_job *job, const struct yk_job *because);
};
void yk_order_unlink(struct yk_job *job, int failed, const struct yk_order_next *next);

#endif
