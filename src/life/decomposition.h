/* decomposition.h - a set of arrays whose rows are divided among devices at the same bounds, the
 * jobs that run over them, and the plan (partition/plan.h) that splits these jobs.
 *
 * Arrays that a job uses by rows share one decomposition from then on. If they had different ones,
 * these are merged. A decomposition knows the kernels of the latest jobs, their order, and their
 * times on each device (struct yk_memory). So it can choose for all of them together where rows
 * should be. Protected by runtime.lock; all functions need it held.
 */
#ifndef YK_LIFE_DECOMPOSITION_H
#define YK_LIFE_DECOMPOSITION_H

#include "../base/interval.h"
#include "../partition/explore.h"
#include "../partition/offers.h"
#include "../partition/plan.h"

struct yk_job;
struct yk_kernel;
struct yk_memory;
struct yk_split_device;
struct yoke_array;

/* A kernel of these jobs, with the array shapes of one yk_memory. */
struct yk_member {
    struct yk_kernel *kernel; /* NULL: the entry is free */
    uint64_t key;
    uint64_t used;              /* value of decomposition->jobs at its latest use */
    double items;               /* number of items of its job */
    double part_low, part_high; /* the part of all rows that these items cover, from 0 to 1 */
    int by_parts;               /* 1: its jobs work on one part of the rows after the other */
    int crowded;                /* 1: its latest job ran beside others */
    int sweeps;       /* 1: so do all kernels, and the plan is for a sweep over all rows */
    double low, high; /* what the cuts divide for it: that part, or 0 to 1 if each part is
                         divided alike, because parts do not run side by side */
    double rows_from[YK_PLAN_KERNELS], whole_from[YK_PLAN_KERNELS]; /* as in yk_plan_kernel */
    double halo_copies, halo_bytes;
    double changing_bytes; /* bytes of the arrays that it reads by rows and that jobs change */
    double result_bytes;   /* bytes of all rows that it writes */
    double fill[YK_PLAN_DEVICES];
    uint64_t checked; /* value of decomposition->planned for which `fits` was computed */
    int fits;         /* 1: everything it uses has room on each device with a part */
    int make[YK_PLAN_DEVICES];
    double peak[YK_PLAN_DEVICES];        /* operations per ns */
    double overhead_ns[YK_PLAN_DEVICES]; /* estimated overhead of a chunk before any was measured,
                                            ns */
    /* Whether rows stay where a plan put them (rows_stay). went_by_plan: 1: the latest job followed
     * the plan. put: fraction of the rows that the plan gave to devices with memory of their own.
     * fetched: latest jobs in a row that found most of these rows gone. seen: number of its jobs.
     * No plan is followed while seen < apart_until. apart_for: length of that pause in jobs. */
    int went_by_plan, fetched;
    double put;
    int64_t seen, apart_until, apart_for;
};

enum { YK_RECENT_JOBS = 32 }; /* the latest jobs, which show the order of the members */

/* Where the cuts come from. PLANNED: from estimates. GUESSED: from the first job, or equal parts.
 * CONFIRMED: guessed, and estimates give the same cuts. */
enum yk_guess { YK_PLANNED, YK_GUESSED, YK_CONFIRMED };

struct yk_decomposition {
    int users; /* number of arrays that use it, and of jobs that have begun and are not over */
    int devices;
    struct yk_member members[YK_PLAN_KERNELS];
    unsigned char recent[YK_RECENT_JOBS]; /* members of the latest jobs, at jobs % YK_RECENT_JOBS */
    double sent[YK_RECENT_JOBS]; /* bytes that they read by rows and that the program had written
                                    since the job before, at the same indexes */
    double home[YK_RECENT_JOBS]; /* bytes of their results that the program has read, at the same
                                    indexes */
    uint64_t jobs;               /* number of jobs that used it */
    uint64_t planned;            /* value of `jobs` at the latest plan; 0: never */
    int stale;                   /* 1: a device's cost has changed since the latest plan */
    int stands;                  /* 1: cuts are valid */
    enum yk_guess guessed;
    uint32_t team; /* devices of the cuts, as bits */
    struct yk_cuts cuts;
    struct yk_cuts proven; /* the latest cuts of the explorer's best team; all 0: none */
    /* A round lasts from one job of the rarest kernel to the next; if it works by parts, until it
     * has worked on all of them. */
    struct yk_explorer explorer;
    int leads;        /* the member with the rarest kernel */
    int round_counts; /* 1: so far all jobs of this round followed the plan, and their times count
                       */
    int cut_within;   /* 1: the cuts changed within this round, so rows move in the next one, too */
    int round_jobs;   /* number of its jobs */
    int round_ends;   /* 1: it ends with the next job that ends, because a round's first job has
                         begun behind that one (flight/pipeline.h) */
    double round_low; /* part_low of its first job */
    double round_ns;  /* sum of their times, and of the program's waits for their results */
    int last_round;   /* number of jobs of the latest complete round */
    double planning_ns;          /* time spent on making plans */
    double expected_ns;          /* mean time of a job by the latest plan */
    struct yk_plan_move weighed; /* gain and cost of the latest bounds that were compared */
    double unexplained_ns;       /* time by which rounds have exceeded the plan since it was made */
};

/* Call it before the job begins. If the job uses arrays by rows and may be split by a plan, sets
 * job->split.decomposition and makes its kernel a member. */
void yk_job_decompose(struct yk_job *job);
/* Returns 1 if a plan says what each device does; then sets known[].share and job->split.planned.
 * Returns 0 if the job is split without a plan. */
int yk_job_follow_plan(struct yk_job *job, const struct yk_memory *memory,
                       struct yk_split_device *known);
/* The program has acquired rows of an array: learns how long it waited for them. */
struct yk_program_read {
    struct yk_interval rows;
    int64_t waited_ns;
    int readied; /* 1: something was made ready that later reads use, too */
};
void yk_decomposition_read(struct yoke_array *array, const struct yk_program_read *read);
/* The program has acquired rows of an array to write them. */
void yk_decomposition_written(struct yoke_array *array, struct yk_interval rows);
/* Drops the job's use of the decomposition, when it is over or could not begin. */
void yk_job_leave_decomposition(struct yk_job *job);
/* Drops the use of a closed array. The last user frees the decomposition. */
void yk_decomposition_leave(struct yoke_array *array);

/* --- decomposition_costs.c --- */
/* For a job that ended well, with any partitioner: stores each device's time in `memory`. crowded:
 * 1: it ran beside other jobs. */
void yk_job_note_costs(struct yk_job *job, struct yk_memory *memory, int crowded);

/* --- decomposition_plan.c --- */
/* Starts or continues a round with this job. Makes a new plan if something changed or enough jobs
 * have run. */
void yk_decomposition_plan(const struct yk_job *job);
/* Returns 1 if the next job should make a plan. */
int yk_decomposition_is_due(const struct yk_decomposition *decomposition);
/* The present round is complete: its time tells about the team. */
void yk_decomposition_end_round(struct yk_decomposition *decomposition);

#endif
