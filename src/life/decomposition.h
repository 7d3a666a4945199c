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
#include "../job/job.h"
#include "../partition/explore.h"
#include "../partition/offers.h"
#include "decomposition_member.h"

enum { YK_RECENT_JOBS = 32 };

/* The latest jobs, which show the order of the members, and what the program does between them. Job
 * number n is at (n - 1) % YK_RECENT_JOBS. */
struct yk_recent_jobs {
    unsigned char member[YK_RECENT_JOBS]; /* YK_PLAN_KERNELS: it was replaced */
    double sent[YK_RECENT_JOBS]; /* bytes that it read by rows and that the program had written
                                    since the job before */
    double sent_whole[YK_RECENT_JOBS]; /* the same of arrays that each part reads whole */
    double home[YK_RECENT_JOBS];       /* bytes of its results that the program has read */
};

/* Where rows should be. */
struct yk_division {
    int stand;             /* 1: the cuts are valid */
    int guessed;           /* 1: they are from the first job, or equal parts; 0: from estimates */
    uint32_t team;         /* devices of the cuts, as bits */
    struct yk_cuts cuts;   /* set by yk_decomposition_cut only */
    uint64_t since;        /* number of jobs when these cuts came */
    struct yk_cuts proven; /* the latest cuts of the explorer's best team; all 0: none */
};

/* When a plan was made, what it said and what it cost. */
struct yk_planning {
    uint64_t at;                 /* number of jobs at the latest plan; 0: never */
    int stale;                   /* 1: a device's cost has changed since then, or better cuts wait
                                  * for their devices */
    int waits, waited;           /* number of arrays and kernels for which the latest plan, or the
                                  * one before, put new cuts off until devices are ready; 0: it did
                                  * not */
    double expected_ns;          /* mean time of a job by that plan; before any, the time of the
                                  * first job */
    double unexplained_ns;       /* time by which rounds have exceeded it; < 0: they took less */
    struct yk_plan_move weighed; /* gain and cost of the latest bounds that were compared */
    int stays_home; /* 1: there are no cuts yet, because the arrays are not expected to last until
                     * the move from the host pays */
    double pays_at; /* number of jobs from which these pay by the estimates then; infinite: they did
                     * already, or never will */
    double spent_ns; /* time spent on making plans */
};

/* A round lasts from one job of the leading member to the next; if that works by parts, until it
 * has worked on all of them. */
struct yk_round {
    int tells;        /* 1: so far the times of all its jobs count */
    int counts;       /* 1: and all its jobs followed the plan */
    int cut_within;   /* 1: the cuts changed within it, so rows move in the next one, too */
    uint64_t first;   /* number of its first job */
    int jobs;         /* number of its jobs that have ended */
    int ends;         /* 1: it is complete when the next job ends, because the first job of the next
                         round has begun behind that one (flight/pipeline.h) */
    double low;       /* where the rows of its first job begin, as a fraction of all rows */
    double ns;        /* time in which at least one ran, and the program's waits for results */
    int64_t until_ns; /* end of the job that ended last */
    uint64_t foreign; /* number of jobs so far that did not use it, when that one ended */
    int last_jobs;    /* number of jobs of the latest complete round that counted */
};

struct yk_decomposition {
    int users;     /* number of arrays that use it, and of jobs that have begun and are not over */
    int devices;   /* number of devices that divide it */
    uint64_t jobs; /* number of jobs that used it */
    struct yk_member members[YK_PLAN_KERNELS];
    int leads; /* the member that begins rounds (decomposition_input.c) */
    struct yk_recent_jobs recent;
    struct yk_division division;
    struct yk_planning planning;
    struct yk_explorer explorer; /* tries teams, round by round */
    struct yk_round round;
};

/* Replaces the cuts. */
static inline void yk_decomposition_cut(struct yk_decomposition *decomposition,
                                        const struct yk_cuts *cuts)
{
    decomposition->division.cuts = *cuts;
    decomposition->division.since = decomposition->jobs;
}

/* The member of a job with a decomposition, and what fractions of the cuts its devices have. */
static inline struct yk_member *yk_job_member(const struct yk_job *job)
{
    return &job->split.decomposition->members[job->split.member];
}
static inline const double *yk_job_shares(const struct yk_job *job)
{
    return job->split.decomposition->division.cuts.share[job->split.member];
}

/* Call it before the job begins. If the job uses arrays by rows and may be split by a plan, sets
 * job->split.decomposition and makes its kernel a member. */
void yk_job_decompose(struct yk_job *job);
/* The program has acquired rows of an array: learns how long it waited for them. */
struct yk_program_read {
    struct yk_interval rows;
    int64_t waited_ns;
    int readied; /* 1: something was made ready that later reads use, too */
};
void yk_decomposition_read(yoke_array *array, const struct yk_program_read *read);
/* The program has acquired rows of an array to write them. */
void yk_decomposition_written(yoke_array *array, struct yk_interval rows);
/* Drops the job's use of the decomposition, when it is over or could not begin. */
void yk_job_leave_decomposition(struct yk_job *job);
/* Drops the use of a closed array. The last user frees the decomposition. */
void yk_decomposition_leave(yoke_array *array);

#endif
