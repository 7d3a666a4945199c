/* decomposition_member.h - a member of a decomposition: a kernel whose jobs use its arrays, with
 * what the plan has to know of these jobs. The member is described anew when one of them begins.
 */
#ifndef YK_LIFE_DECOMPOSITION_MEMBER_H
#define YK_LIFE_DECOMPOSITION_MEMBER_H

#include "../partition/plan.h"

struct yk_decomposition;
struct yk_job;
struct yk_kernel;

/* A kernel, with the array shapes of one yk_memory. */
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

/* Returns the member with the job's kernel, described by this job. If there is none, makes one;
 * that may replace the member that was unused for longest. */
struct yk_member *yk_decomposition_admit(struct yk_decomposition *decomposition,
                                         const struct yk_job *job);

#endif
