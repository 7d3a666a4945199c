/* decomposition.h - which arrays have their rows on devices by one set of bounds, which jobs run
 * over them, and the plan (partition/plan.h) that splits these jobs.
 *
 * Arrays that a job uses by rows share one decomposition from then on; if they had different ones,
 * these are merged. It knows the kernels of the latest jobs, their order, and their times on each
 * device (struct yk_memory). So it can choose for all of them together where rows should be.
 * Protected by runtime.lock.
 */
#ifndef YK_LIFE_DECOMPOSITION_H
#define YK_LIFE_DECOMPOSITION_H

#include "../partition/explore.h"
#include "../partition/offers.h"
#include "../partition/plan.h"

struct yk_job;
struct yk_kernel;
struct yk_memory;
struct yk_split_device;
struct yoke_array;

/* One of the kernels, with one set of shapes: that of one yk_memory. */
struct yk_member {
    struct yk_kernel *kernel; /* NULL: a free place */
    uint64_t key;
    uint64_t used;                      /* decomposition->jobs at its latest use */
    double items;                       /* items of its job */
    double low, high;                   /* the part of the rows that these are */
    double changing_bytes, whole_bytes; /* as in yk_plan_kernel */
    double result_bytes;                /* of all rows that it writes */
    double fill[YK_PLAN_DEVICES];
    uint64_t checked; /* decomposition->planned of the plan to which `fits` applies */
    int fits;         /* 1: everything it uses has room on each device with a part */
    int make[YK_PLAN_DEVICES];
    double peak[YK_PLAN_DEVICES]; /* operations per ns */
    /* Whether rows stay where a plan put them: number of its latest jobs that found them missing,
     * and the job until which no plan is followed because of that. */
    int went_by_plan, fetched;
    int64_t seen, apart_until, apart_for;
};

enum { YK_RECENT_JOBS = 32 }; /* they show the order of the members */

struct yk_decomposition {
    int users; /* arrays that use it, and jobs that have begun and are not over */
    int devices;
    struct yk_member members[YK_PLAN_KERNELS];
    unsigned char recent[YK_RECENT_JOBS]; /* members of the latest jobs, at jobs % YK_RECENT_JOBS */
    uint64_t jobs;                        /* number of jobs that used it */
    uint64_t planned;                     /* value of `jobs` at the latest plan; 0: never */
    int stale;                            /* 1: a device has changed */
    int stands;                           /* 1: cuts are valid */
    int guessed;                          /* 1: cuts are no plan, but where the first job put
                                           * rows, or should */
    uint32_t team;                        /* devices of the cuts, as bits */
    struct yk_cuts cuts;
    /* Rounds: from one job of the rarest kernel to the next. */
    struct yk_explorer explorer;
    int leads;          /* the rarest kernel */
    int told;           /* 1: all jobs of this round so far followed the plan, and nothing else was
                         * done */
    int round_jobs;     /* number of its jobs */
    double round_ns;    /* sum of their times */
    int last_round;     /* number of jobs of the latest complete round */
    double planning_ns; /* time in which plans were made */
    double expected_ns; /* mean time of a job by the latest plan, */
    double unexplained_ns; /* and the time by which rounds have exceeded that since */
};

/* Call before the job begins. If it uses arrays by rows and may be split by a plan, it gets a
 * decomposition (job->decomposition) and becomes one of its members. */
void yk_job_decompose(struct yk_job *job);
/* 1: a plan says what each device does: sets known[].share and job->planned. */
int yk_job_follow_plan(struct yk_job *job, const struct yk_memory *memory,
                       struct yk_split_device *known);
/* The job ended well: stores each device's time in `memory`, for any partitioner. */
void yk_job_note_costs(struct yk_job *job, struct yk_memory *memory);
/* The job is over, or did not begin. */
void yk_job_leave_decomposition(struct yk_job *job);
/* An array is closed. The last user frees the decomposition. */
void yk_decomposition_leave(struct yoke_array *array);

/* --- decomposition_plan.c --- */
/* The job starts or continues a round. Makes a new plan if something changed or enough jobs have
 * come. */
void yk_decomposition_plan(const struct yk_job *job);

#endif
