/* weight.h - PURE. The CPU weight (papers/001, section 3.2): the weight that applies to a kernel,
 * and how it changes after a job. */
#ifndef YK_MODEL_WEIGHT_H
#define YK_MODEL_WEIGHT_H

#include <yoke/weight.h>

/* Jobs of a kernel that overlap: they work at the same time towards one result (a product's
 * panels), so which of them ends first says nothing about the weight. */
struct yk_weight_run {
    int open;      /* jobs that have begun and not ended; 0: the run is over */
    int jobs;      /* number of jobs begun */
    int told;      /* number of jobs that reported times */
    double weight; /* weight of all of these; NaN: they had several */
    int64_t begun_ns, cpu_ended_ns, gpu_ended_ns;
    int64_t cpu_items, gpu_items;
};

/* What one of these jobs did. */
struct yk_weight_job {
    double weight;                                /* < 0: none */
    int64_t begun_ns, cpu_ended_ns, gpu_ended_ns; /* ended 0: it had no items */
    int64_t cpu_items, gpu_items;
};

/* Settings for one kernel or for all kernels, and their results. */
struct yk_weight {
    double given;               /* by the user; the kernel's policy moves it. < 0: none */
    double moved;               /* a kernel's weight as moved by the policy for all kernels; <
                                 * 0: not yet */
    int cpu_chunks, gpu_chunks; /* < 0: not set */
    int has_policy;             /* 1: a policy was set; it may be NULL: none */
    yoke_weight_fn *policy;
    void *context;
    yoke_times times; /* of the latest run */
    struct yk_weight_run run;
};

/* The state without any settings, for a kernel or a runtime. */
void yk_weight_open(struct yk_weight *weight);
/* 0 to 1. */
int yk_weight_is_valid(double weight);

/* The values that apply to a kernel with the settings `own` if `all` are those for all kernels; <
 * 0: no weight. */
double yk_weight_now(const struct yk_weight *own, const struct yk_weight *all);
int yk_weight_cpu_chunks(const struct yk_weight *own, const struct yk_weight *all);
int yk_weight_gpu_chunks(const struct yk_weight *own, const struct yk_weight *all);
/* 1: a policy changes the weight. */
int yk_weight_moves(const struct yk_weight *own, const struct yk_weight *all);

/* begin: a job begins. tell: a job that succeeded reports its times. end: a job is over; returns 1
 * if the run is over, too.
 */
void yk_weight_begin(struct yk_weight_run *run);
void yk_weight_tell(struct yk_weight_run *run, const struct yk_weight_job *job);
int yk_weight_end(struct yk_weight_run *run);
/* For a finished run: the time of each class, from the run's beginning to the class's own end. 1:
 * all its jobs reported times, and were split by run->weight. */
int yk_weight_times(const struct yk_weight_run *run, yoke_times *out);

/* Reports the times of a run that was split by `weight`: calls the policy, if there is one and the
 * weight has not changed since. */
void yk_weight_adapt(struct yk_weight *own, const struct yk_weight *all, double weight,
                     const yoke_times *times);

double yk_weight_paper(double weight, const yoke_times *times);
double yk_weight_rate(double weight, const yoke_times *times);

#endif
