/* plan_time.h - PURE. The time that jobs take by given bounds between devices ("cuts").
 *
 * A job takes as long as the device that ends last: for its items, for the rows that it has to get
 * (halos, rows that other kernels or the program left elsewhere, arrays that it reads whole), and,
 * beside cores, until it begins. Then the results that the program reads are copied home.
 */
#ifndef YK_PARTITION_PLAN_TIME_H
#define YK_PARTITION_PLAN_TIME_H

#include "../model/cost.h"

enum { YK_PLAN_KERNELS = 8, YK_PLAN_DEVICES = 32 };

/* Number of items that occupy a device: a smaller part takes as long. rounds: a larger part takes
 * as long as a multiple of it, because each core does one unit after the other. */
struct yk_plan_fill {
    double items;
    int rounds;
};

/* A kernel that runs over rows low .. high of the decomposition, as fractions. */
struct yk_plan_kernel {
    double items, low, high;
    double weight; /* its fraction of all jobs; the sum over all kernels is 1 */
    /* Bytes of arrays that jobs change, by the kernel whose bounds show where their rows are.
     * rows_from: of arrays that it reads by rows; kernel m used them last. whole_from: of arrays
     * that each part reads whole; kernel m wrote them last. */
    double rows_from[YK_PLAN_KERNELS], whole_from[YK_PLAN_KERNELS];
    /* Rows of neighbours (halos) that a part reads of arrays that jobs change: number of copies,
     * and bytes, for both sides together. */
    double halo_copies, halo_bytes;
    double sent_bytes; /* bytes that it reads by rows and that the program wrote since the latest
                        * job, on average */
    double sent_whole_bytes; /* the same of arrays that each part reads whole */
    double home_bytes; /* bytes of its results that the program reads after a job, on average */
    double home_part;  /* fraction of its jobs after which the program reads some */
    struct yk_cost cost[YK_PLAN_DEVICES];
    struct yk_plan_fill fill[YK_PLAN_DEVICES];
};
/* What moving rows to the best bounds would be worth. */
struct yk_plan_move {
    double gain_ns;  /* time saved per job, on average; <= 0: none */
    double error_ns; /* standard error of that */
    double move_ns;  /* time that moving the rows costs */
};
struct yk_plan {
    int devices, kernels;
    uint32_t allowed;  /* devices that may have a part, as bits */
    int keeps;         /* 1: each of these must have a part */
    double jobs;       /* expected number of jobs */
    double round_jobs; /* number of jobs in which all kernels run once; 0: unknown */
    double grain;      /* bounds are multiples of this fraction of the rows, so that all kernels cut
                        * rows at the same places; 0: they are at any place */
    double bytes;      /* bytes of the rows that move with bounds, all arrays together */
    int certain;       /* 1: estimates are compared as if they had no errors */
    double start_ns;   /* time until a copy begins */
    double return_ns;  /* a job with cores takes longer by this time: until its caller returns. A
                        * caller drives GPUs alone by itself. */
    double lacks[YK_PLAN_DEVICES]; /* fraction of the rows outside of its part that the device does
                                    * not have */
    double lacks_own[YK_PLAN_DEVICES]; /* the same of the rows of its part: the bounds were guessed,
                                        * or are so new that some rows have not moved yet */
    double late_ns[YK_PLAN_DEVICES]; /* beside cores a device begins later by this time, because its
                                      * host thread must be woken; 0: it is the host */
    double link_ns[YK_PLAN_DEVICES]; /* time of a byte between host and device; 0: it is the
                                      * host */
    double peer_ns[YK_PLAN_DEVICES][YK_PLAN_DEVICES]; /* time of a byte directly from the first
                                                       * device to the second; 0: only through
                                                       * the host */
    struct yk_plan_kernel kernel[YK_PLAN_KERNELS];
    struct yk_plan_move weighed; /* set by yk_plan_find if `now` is given */
};

/* Each kernel's shares of the rows, in the order of the devices; equal for all kernels if `tied`.
 */
struct yk_cuts {
    int tied;
    double share[YK_PLAN_KERNELS][YK_PLAN_DEVICES];
};

static inline int yk_plan_is_host(const struct yk_plan *plan, int device)
{
    return !(plan->link_ns[device] > 0);
}
/* Mean time of a job; infinite if a device with a part has an unknown cost. */
double yk_plan_ns(const struct yk_plan *plan, const struct yk_cuts *cuts);
/* Time of a job of kernel k. Sets *latest to the device that ends last, including the copies of its
 * own results. */
double yk_plan_kernel_ns(const struct yk_plan *plan, const struct yk_cuts *cuts, int k,
                         int *latest);
/* Time by which the jobs of a round take longer if rows of all arrays move from one plan to the
 * other: each device waits for its new rows, a part of them in each job, while others work. */
double yk_plan_move_ns(const struct yk_plan *plan, const struct yk_cuts *from,
                       const struct yk_cuts *to);
/* Standard error of the gain of other cuts, from the items that move between devices. */
double yk_plan_error_ns(const struct yk_plan *plan, const struct yk_cuts *from,
                        const struct yk_cuts *to);
/* Where the device's rows begin, as a fraction of all rows. */
static inline double yk_plan_first(const double *share, int device)
{
    double first = 0;
    int d;
    for (d = 0; d < device; d++)
        first += share[d];
    return first;
}
/* Items of a kernel's job that a device does. */
double yk_plan_items(const struct yk_plan_kernel *kernel, const double *share, int device);
/* Items of a part in `chunks` chunks as costs count them, see yk_plan_fill. */
double yk_plan_counted(double items, double chunks, struct yk_plan_fill fill);
/* A device's peak, as it promises the time of the items as counted. A part that does not fill the
 * device takes at least its fraction of the time of a fill, and at most all of it. Before anything
 * is measured, the geometric mean of these is expected. */
double yk_plan_peak(double peak, double items, struct yk_plan_fill fill);
/* The devices that have a part, as bits. */
uint32_t yk_plan_team(const struct yk_plan *plan, const struct yk_cuts *cuts);

#endif
