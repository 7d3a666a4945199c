/* order.h - what a job has to wait for: earlier jobs that use rows which it writes, or write rows
 * which it uses, and those it names itself.
 *
 * Every array lists the uses by jobs that are not done, readers and writers apart. A new job waits
 * for each use that its own conflict with. Where it writes, what its rows cover goes from the list:
 * whoever conflicts with that conflicts with the new job, too, which is later. So a chain of any
 * length has one entry, and linking a job takes a time of its own conflicts only.
 *
 * An edge leads from a job to one that waits for it and lies in the memory of the latter, which is
 * there as long as it waits. All under runtime.lock; prepare and close need no lock.
 */
#ifndef YK_RUNTIME_ORDER_H
#define YK_RUNTIME_ORDER_H

#include <yoke/array.h>

#include "../array/interval.h"

struct yk_job;

struct yk_use { /* of an array, by a job */
    struct yk_job *job;
    yoke_array *array;
    struct yk_interval rows;
    int writes, reads;
    struct yk_use *next, **link; /* link NULL: on no list */
};

struct yk_edge {
    struct yk_job *to;
    struct yk_edge *next; /* of the same origin */
    int needs;            /* `to` reads what the origin writes, or named it */
};

enum { YK_EDGES = 4 }; /* more of them need memory */

struct yk_order {
    /* One an argument, in the job's block (job NULL: it is no array of the program's), and one for
     * each result of a reduction. */
    struct yk_use *uses;
    int count;
    struct yk_edge edges[YK_EDGES], *more_edges;
    struct yk_edge *first_out; /* to those who wait for this job */
    int waits;                 /* jobs that this one still waits for */
};

/* Which rows it uses; calls the arguments' callbacks. */
void yk_order_prepare(struct yk_job *job);
void yk_order_close(struct yk_job *job);
/* Links the job, which comes after all that are linked, and after `count` jobs of `after` that may
 * be done. Memory may be out: then nothing has changed. */
yoke_status yk_order_link(struct yk_job *job, struct yk_job *const *after, int count);
/* The job is over. Those that waited for nothing else are handed to `ready`, those that needed the
 * results of one that failed to `doomed` before. */
struct yk_order_next {
    void (*ready)(struct yk_job *job);
    void (*doomed)(struct yk_job *job, const struct yk_job *because);
};
void yk_order_unlink(struct yk_job *job, int failed, const struct yk_order_next *next);

#endif
