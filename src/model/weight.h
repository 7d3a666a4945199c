/* weight.h - PURE. The CPU weight (papers/001, section 3.2): the weight that applies to a kernel,
 * and how it changes after a job. */
#ifndef YK_MODEL_WEIGHT_H
#define YK_MODEL_WEIGHT_H

#include <yoke/weight.h>

/* A run: jobs of a kernel that overlap in time. They work towards one result (a product's panels),
 * so which of them ends first says nothing about the weight. */
struct yk_weight_run {
    int open;      /* jobs that have begun and not ended; 0: the run is over */
    int jobs;      /* number of jobs begun */
    int told;      /* number of jobs that reported times */
    double weight; /* weight of all these jobs; NaN: they had different ones */
    int64_t begun_ns, cpu_ended_ns, gpu_ended_ns;
    int64_t cpu_items, gpu_items;
};

/* What one of these jobs did. */
struct yk_weight_job {
    double weight;                                /* < 0: none */
    int64_t begun_ns, cpu_ended_ns, gpu_ended_ns; /* ended 0: that side had no items */
    int64_t cpu_items, gpu_items;
};

/* Settings for one kernel or for all kernels, and their results. */
struct yk_weight {
    double given;               /* set by the user, then moved by the policy; < 0: none */
    double moved;               /* the weight for all kernels as the policy moved it for this
                                 * kernel; < 0: not moved */
    int cpu_chunks, gpu_chunks; /* < 0: not set */
    int has_policy;             /* 1: `policy` was set, perhaps to NULL (no policy) */
    yoke_weight_fn *policy;
    void *context;
    yoke_times times; /* of the latest run */
    struct yk_weight_run run;
};

/* The state without any settings, for a kernel or a runtime. */
void yk_weight_open(struct yk_weight *weight);
/* Returns 1 if the weight is 0 to 1. */
int yk_weight_is_valid(double weight);

/* The values that apply to a kernel with the settings `own`; `all` are the settings for all
 * kernels. yk_weight_now returns < 0 if there is no weight. */
double yk_weight_now(const struct yk_weight *own, const struct yk_weight *all);
int yk_weight_cpu_chunks(const struct yk_weight *own, const struct yk_weight *all);
int yk_weight_gpu_chunks(const struct yk_weight *own, const struct yk_weight *all);
/* Returns 1 if a policy changes the weight. */
int yk_weight_moves(const struct yk_weight *own, const struct yk_weight *all);

/* begin: a job begins. tell: a job that succeeded reports its times. end: a job is over; returns 1
 * if the run is over, too.
 */
void yk_weight_begin(struct yk_weight_run *run);
void yk_weight_tell(struct yk_weight_run *run, const struct yk_weight_job *job);
int yk_weight_end(struct yk_weight_run *run);
/* Writes the times of a finished run: that of each side, from the run's beginning to the side's own
 * end. Returns 1 if all its jobs reported times and were split by run->weight. */
int yk_weight_times(const struct yk_weight_run *run, yoke_times *out);

/* Adapts the weight after a run that was split by `weight`: calls the policy with the times, if
 * there is a policy and the weight has not changed since. */
void yk_weight_adapt(struct yk_weight *own, const struct yk_weight *all, double weight,
                     const yoke_times *times);

double yk_weight_paper(double weight, const yoke_times *times);
double yk_weight_rate(double weight, const yoke_times *times);

#endif
