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
#include "decomposition_member.h"

struct yoke_array;

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

#endif
