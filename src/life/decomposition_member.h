/* decomposition_member.h - a member of a decomposition: a kernel whose jobs use its arrays, with
 * what the plan has to know of these jobs. The member is described anew when one of them begins.
 */
#ifndef YK_LIFE_DECOMPOSITION_MEMBER_H
#define YK_LIFE_DECOMPOSITION_MEMBER_H

#include "../partition/plan.h"
#include "../partition/trial.h"

struct yk_decomposition;
struct yk_job;
struct yk_kernel;

/* Some of a decomposition's rows: from `low` to `high`, as fractions of all. */
struct yk_stretch {
    double low, high;
};

/* What the cuts divide for a member. ROWS: all rows; the plan counts on its part of them.
 * EACH_PART: each part alike, because its parts do not run side by side. SWEEP: all rows; the plan
 * counts on all of them, because jobs on its other parts run beside this one. */
enum yk_divides { YK_DIVIDES_ROWS, YK_DIVIDES_EACH_PART, YK_DIVIDES_SWEEP };

/* Times of the latest rounds in which a member's jobs were split in one way. */
struct yk_way {
    int rounds;            /* number of such rounds */
    double ns[YK_LASTING]; /* the latest ones, at rounds % YK_LASTING */
};

/* Whether rows stay where a plan put them, and what is faster if not (rows_stay in planned_job.c).
 */
struct yk_keeping {
    int64_t jobs;              /* number of the member's jobs */
    int by_plan;               /* 1: its latest job followed the plan */
    int in_round;              /* 1: it had a job in the present round */
    int put;                   /* 1: the plan gave rows to devices with memory of their own */
    int64_t gone;              /* latest jobs in a row that found most of these rows gone */
    int64_t pause_until;       /* no plan is followed while jobs < pause_until */
    int64_t pause_jobs;        /* length of that pause in jobs; 0: there was none */
    int64_t stay_jobs;         /* value of `gone` at which jobs without a plan are tried again */
    struct yk_way alone, plan; /* without and with a plan */
};

/* A kernel, with the array shapes of one yk_memory. */
struct yk_member {
    struct yk_kernel *kernel; /* NULL: the entry is free */
    uint64_t key;
    uint64_t used; /* value of decomposition->jobs at its latest use */
    /* Its latest job. */
    double items;           /* number of its items */
    double unit;            /* its chunks are multiples of this number of items */
    struct yk_stretch part; /* the rows that these items cover */
    enum yk_divides divides;
    /* How its jobs follow each other. */
    int by_parts; /* 1: they work on one part of the rows after the other */
    int crowded;  /* 1: the latest one that ended ran beside others */
    /* Where rows that it uses are and change. */
    double rows_from[YK_PLAN_KERNELS], whole_from[YK_PLAN_KERNELS]; /* as in yk_plan_kernel */
    double halo_copies, halo_bytes;
    double read_bytes;     /* bytes of the arrays that it reads by rows, ... */
    double changing_bytes; /* ... and of those that jobs change */
    double result_bytes;   /* bytes of all rows that it writes */
    /* Of each device, for this kernel. */
    int make[YK_PLAN_DEVICES];
    struct yk_plan_fill fill[YK_PLAN_DEVICES];
    double peak[YK_PLAN_DEVICES];        /* operations per ns */
    double overhead_ns[YK_PLAN_DEVICES]; /* estimated overhead of a chunk before any was measured */
    /* How long kernels waited for rows, in the latest job that measured it, and how much came from
     * the host. */
    int64_t fetch_ns[YK_PLAN_DEVICES], fetch_bytes[YK_PLAN_DEVICES];
    /* How it gets on with the plan. */
    uint64_t checked; /* value of decomposition->planning.at for which the next one holds */
    int fits;         /* 1: everything it uses has room on each device with a part */
    uint64_t cut;     /* value of decomposition->division.since for which the next one holds */
    int timed;        /* number of jobs by these cuts that measured fetch_ns */
    struct yk_keeping keeping;
};

/* The fraction of all rows that its latest job covers. */
static inline double yk_member_part(const struct yk_member *member)
{
    return member->part.high - member->part.low;
}
/* The rows that the cuts divide for its latest job: 0 to 1 also stands for any part alike. */
static inline struct yk_stretch yk_member_divided(const struct yk_member *member)
{
    return member->divides == YK_DIVIDES_EACH_PART ? (struct yk_stretch){ 0, 1 } : member->part;
}

/* Returns the member with the job's kernel; NULL: there is none. */
struct yk_member *yk_decomposition_member(struct yk_decomposition *decomposition,
                                          const struct yk_job *job);
/* Returns the member with the job's kernel, described by this job. If there is none, makes one;
 * that may replace the member that was unused for longest. */
struct yk_member *yk_decomposition_admit(struct yk_decomposition *decomposition,
                                         const struct yk_job *job);

#endif
