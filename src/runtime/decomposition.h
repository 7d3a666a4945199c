/* decomposition.h - which arrays have their rows on devices by one set of bounds, which jobs run
 * over them, and by what plan (partition/plan.h) these are split.
 *
 * Arrays that a job uses by rows live by one decomposition from then on: two that had each its own
 * become one. It knows the kernels of the latest jobs, in what turns they come, and what each takes
 * each device (struct yk_memory); so it can say for all of them together where rows should be. All
 * of it is under runtime.lock.
 */
#ifndef YK_RUNTIME_DECOMPOSITION_H
#define YK_RUNTIME_DECOMPOSITION_H

#include "../partition/explore.h"
#include "../partition/plan.h"

struct yk_job;
struct yk_kernel;
struct yk_memory;
struct yk_split_device;
struct yoke_array;

/* One of the kernels, with shapes: those of one memory. */
struct yk_member {
    struct yk_kernel *kernel; /* NULL: nobody's place */
    uint64_t key;
    uint64_t used;                      /* decomposition->jobs when it was last */
    double items;                       /* of its job, */
    double low, high;                   /* which are this part of the rows */
    double changing_bytes, whole_bytes; /* as in yk_plan_kernel */
    double fill[YK_PLAN_DEVICES];
    uint64_t checked; /* decomposition->planned of the plan of which is known whether */
    int fits;         /* all that it uses has room on each device that has a part */
    int make[YK_PLAN_DEVICES];
    double peak[YK_PLAN_DEVICES]; /* of each device, operations per ns */
    /* Whether rows stay where a plan put them: how many of its latest jobs found them gone, and
     * until which job no plan is followed for that. */
    int went_by_plan, fetched;
    int64_t seen, apart_until, apart_for;
};

enum { YK_RECENT_JOBS = 32 }; /* which show in what turns members come */

struct yk_decomposition {
    int users; /* arrays that live by it, and jobs that have begun and are not over */
    int devices;
    struct yk_member members[YK_PLAN_KERNELS];
    unsigned char recent[YK_RECENT_JOBS]; /* members of the latest jobs, at jobs % YK_RECENT_JOBS */
    uint64_t jobs;                        /* that used it */
    uint64_t planned;                     /* how many had when it was planned last; 0: never */
    int stale;                            /* a device has changed */
    int stands;                           /* cuts are a plan, */
    int guessed;                          /* or only where the first job put rows, or should */
    uint32_t team;                        /* for these devices, as bits: */
    struct yk_cuts cuts;
    /* Rounds: from one job of the rarest kernel to the next. */
    struct yk_explorer explorer;
    int leads;       /* which kernel that is */
    int told;        /* all jobs of this round so far went by the plan, and nothing else was done */
    int round_jobs;  /* there were so many of them, */
    double round_ns; /* and they took so long */
    int last_round;  /* jobs of the latest whole round */
};

/* The job, about to begin, uses arrays by rows and nothing is against splitting it by a plan: it
 * has a decomposition (job->decomposition) and is one of its members. */
void yk_job_decompose(struct yk_job *job);
/* 1: a plan says what each device does: known[].share, and job->planned. */
int yk_job_follow_plan(struct yk_job *job, const struct yk_memory *memory,
                       struct yk_split_device *known);
/* It ended well: what each device took is noted in `memory`, whoever split it. */
void yk_job_note_costs(struct yk_job *job, struct yk_memory *memory);
/* The job is over, or did not begin; */
void yk_job_leave_decomposition(struct yk_job *job);
/* an array is closed. The last of them takes it along. */
void yk_decomposition_leave(struct yoke_array *array);

/* --- decomposition_plan.c --- */
/* A round begins or goes on with the job; where something is new, or enough jobs have come, there
 * is a plan anew. */
void yk_decomposition_plan(const struct yk_job *job);

#endif
