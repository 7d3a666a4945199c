/* decomposition.h - arrays that have their rows on devices by the same bounds, the jobs that run
 * over them, and the plan (partition/plan.h) that splits these jobs.
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

/* One of the kernels, with the shapes of one yk_memory. */
struct yk_member {
    struct yk_kernel *kernel; /* NULL: the entry is free */
    uint64_t key;
    uint64_t used;                      /* decomposition->jobs at its latest use */
    double items;                       /* items of its job */
    double low, high;                   /* the part of the rows that these items are, from 0 to 1 */
    double changing_bytes, whole_bytes; /* as in yk_plan_kernel */
    double result_bytes;                /* bytes of all rows that it writes */
    double fill[YK_PLAN_DEVICES];
    uint64_t checked; /* decomposition->planned of the plan to which `fits` applies */
    int fits;         /* 1: everything it uses has room on each device with a part */
    int make[YK_PLAN_DEVICES];
    double peak[YK_PLAN_DEVICES]; /* operations per ns */
    double told[YK_PLAN_DEVICES]; /* overhead of a chunk as far as is known without a job, ns */
    /* Whether rows stay where a plan put them. went_by_plan: 1: the latest job followed the plan,
     * which put this part of the rows on devices with memory of their own. fetched: number of
     * latest jobs that found rows missing. seen: number of its jobs. No plan is followed until job
     * number apart_until, which is apart_for jobs after it was set. */
    int went_by_plan, fetched;
    double put;
    int64_t seen, apart_until, apart_for;
};

enum { YK_RECENT_JOBS = 32 }; /* the latest jobs, which show the order of the members */

/* Whether the cuts are a guess: where the first job put rows, or equal parts. Confirmed: estimates
 * give the same. */
enum yk_guess { YK_PLANNED, YK_GUESSED, YK_CONFIRMED };

struct yk_decomposition {
    int users; /* number of arrays that use it, and of jobs that have begun and are not over */
    int devices;
    struct yk_member members[YK_PLAN_KERNELS];
    unsigned char recent[YK_RECENT_JOBS]; /* members of the latest jobs, at jobs % YK_RECENT_JOBS */
    double home[YK_RECENT_JOBS]; /* bytes of their results that the program has read, likewise */
    uint64_t jobs;               /* number of jobs that used it */
    uint64_t planned;            /* value of `jobs` at the latest plan; 0: never */
    int stale;                   /* 1: a device's cost has changed since the latest plan */
    int stands;                  /* 1: cuts are valid */
    enum yk_guess guessed;
    uint32_t team; /* devices of the cuts, as bits */
    struct yk_cuts cuts;
    /* Rounds: from one job of the rarest kernel to the next. */
    struct yk_explorer explorer;
    int leads;          /* the member with the rarest kernel */
    int told;           /* 1: all jobs of this round so far followed the plan, and nothing else was
                         * done */
    int round_jobs;     /* number of its jobs */
    double round_ns;    /* sum of their times, and of the program's waits for their results */
    int last_round;     /* number of jobs of the latest complete round */
    double planning_ns; /* time spent on making plans */
    double expected_ns; /* mean time of a job by the latest plan */
    struct yk_plan_move weighed; /* the latest bounds that were compared with the present ones */
    double unexplained_ns;       /* by how much rounds have exceeded that since */
};

/* Before the job begins: if it uses arrays by rows and may be split by a plan, it gets a
 * decomposition (job->decomposition) and becomes one of its members. */
void yk_job_decompose(struct yk_job *job);
/* 1: a plan says what each device does. Then known[].share and job->planned are set. 0: the job is
 * split by itself. */
int yk_job_follow_plan(struct yk_job *job, const struct yk_memory *memory,
                       struct yk_split_device *known);
/* The job ended well: stores each device's time in `memory`. For any partitioner. */
void yk_job_note_costs(struct yk_job *job, struct yk_memory *memory);
/* The program has got rows of an array. */
struct yk_program_read {
    struct yk_interval rows;
    int64_t waited_ns;
    int readied; /* 1: something was made ready that later reads use, too */
};
void yk_decomposition_read(struct yoke_array *array, const struct yk_program_read *read);
/* The job is over, or did not begin: drops its use of the decomposition. */
void yk_job_leave_decomposition(struct yk_job *job);
/* The array is closed: drops its use of the decomposition. The last user frees it. */
void yk_decomposition_leave(struct yoke_array *array);

/* --- decomposition_plan.c --- */
/* Starts or continues a round with this job. Makes a new plan if something changed or enough jobs
 * have come. */
void yk_decomposition_plan(const struct yk_job *job);

#endif
