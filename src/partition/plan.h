/* plan.h - PURE. Where the rows of a decomposition should be: bounds for every device, for each
 * kernel that runs over them.
 *
 * Programs run the same few kernels over and over on arrays that stay on devices. A plan is good
 * for all of these jobs together: its cost is what a job takes on average, with what rows travel
 * between kernels that have different bounds, and once what they travel from where they are now. It
 * replaces the plan there is only if, over as many jobs as may be expected (as many as were seen:
 * ski rental), that gains more than the move costs and than the costs of the model may be wrong.
 * So noise in measured speeds moves no rows.
 */
#ifndef YK_PARTITION_PLAN_H
#define YK_PARTITION_PLAN_H

#include "../model/cost.h"

enum { YK_PLAN_KERNELS = 8, YK_PLAN_DEVICES = 32 };

/* One that runs over rows low .. high of the decomposition, as fractions. */
struct yk_plan_kernel {
    double items, low, high;
    double weight;         /* its part of all jobs; all together have 1 */
    double changing_bytes; /* of all its rows that it reads and that jobs change */
    double whole_bytes;    /* of arrays that jobs change by rows, and that each part reads whole */
    struct yk_cost cost[YK_PLAN_DEVICES];
    double fill[YK_PLAN_DEVICES]; /* fewer items than that take a device as long as so many */
};
struct yk_plan {
    int devices, kernels;
    uint32_t allowed;                /* devices that may have a part, as bits */
    int keeps;                       /* 1: all of these shall have one */
    double jobs;                     /* to be expected */
    double bytes;                    /* of the decomposition's rows, all arrays together */
    double link_ns[YK_PLAN_DEVICES]; /* a byte's way between host and device; 0: it is the host */
    double peer_ns[YK_PLAN_DEVICES][YK_PLAN_DEVICES]; /* straight from the first device to the
                                                         second; 0: only through the host */
    struct yk_plan_kernel kernel[YK_PLAN_KERNELS];
    double follows[YK_PLAN_KERNELS][YK_PLAN_KERNELS]; /* how often, of all jobs, one of the second
                                                         comes after one of the first */
};

/* Each kernel's shares of the rows, in the order of the devices; the same for all kernels where
 * `tied`. */
struct yk_cuts {
    int tied;
    double share[YK_PLAN_KERNELS][YK_PLAN_DEVICES];
};

/* A job's time, on average; infinite where somebody has a part of whom nothing is known. */
double yk_plan_ns(const struct yk_plan *plan, const struct yk_cuts *cuts);
/* How long rows travel from one to the other, each row of all arrays once. */
double yk_plan_move_ns(const struct yk_plan *plan, const struct yk_cuts *from,
                       const struct yk_cuts *to);
/* Items of a kernel's job that a device does. */
double yk_plan_items(const struct yk_plan_kernel *kernel, const double *share, int device);
/* The best cuts there are, and whether they are worth the move: 1 if so. `now` NULL: there are
 * none yet, and anything is. Infinite cost, 0: no device can do it all. */
int yk_plan_find(const struct yk_plan *plan, const struct yk_cuts *now, struct yk_cuts *best);
/* Those that have a part, as bits. */
uint32_t yk_plan_team(const struct yk_plan *plan, const struct yk_cuts *cuts);

#endif
