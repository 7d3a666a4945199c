/* weight.h - PURE. The CPU weight (papers/001, section 3.2): which weight holds for a kernel, and
 * what becomes of it after a job.
 */
#ifndef YK_MODEL_WEIGHT_H
#define YK_MODEL_WEIGHT_H

#include <yoke/weight.h>

/* Jobs of a kernel that overlap: they work at the same time towards one end (a product's panels),
 * and which of them is over first says nothing of the weight. */
struct yk_weight_run {
    int open;      /* jobs that have begun and not ended; 0: the run is over */
    int jobs;      /* that have begun in all */
    int told;      /* that told their times, */
    double weight; /* all with this weight; NaN: with several */
    int64_t begun_ns, cpu_ended_ns, gpu_ended_ns;
    int64_t cpu_items, gpu_items;
};

/* What a job of it did. */
struct yk_weight_job {
    double weight;                                /* < 0: none */
    int64_t begun_ns, cpu_ended_ns, gpu_ended_ns; /* ended 0: had nothing */
    int64_t cpu_items, gpu_items;
};

/* What was said for one kernel, or for all of them, and what came of it. */
struct yk_weight {
    double given;               /* by the user; of a kernel its policy moves it. < 0: none */
    double moved;               /* by the policy for all kernels, of a kernel; < 0: not yet */
    int cpu_chunks, gpu_chunks; /* < 0: nothing was said */
    int has_policy;             /* one was given, which may be NULL: none */
    yoke_weight_fn *policy;
    void *context;
    yoke_times times; /* of the latest run */
    struct yk_weight_run run;
};

/* A kernel of which nothing was said, or a runtime. */
void yk_weight_open(struct yk_weight *weight);
/* 0 to 1. */
int yk_weight_is_valid(double weight);

/* What counts for a kernel of which `own` was said, and `all` for all; < 0: no weight does. */
double yk_weight_now(const struct yk_weight *own, const struct yk_weight *all);
int yk_weight_cpu_chunks(const struct yk_weight *own, const struct yk_weight *all);
int yk_weight_gpu_chunks(const struct yk_weight *own, const struct yk_weight *all);
/* Whether it changes by itself. */
int yk_weight_moves(const struct yk_weight *own, const struct yk_weight *all);

/* A job begins; it ended as one should, and says what it did; it is over. 1: so is the run. */
void yk_weight_begin(struct yk_weight_run *run);
void yk_weight_tell(struct yk_weight_run *run, const struct yk_weight_job *job);
int yk_weight_end(struct yk_weight_run *run);
/* Of a run that is over: how long each class took, from the run's beginning to its own end. 1: all
 * its jobs told it, and were split by run->weight. */
int yk_weight_times(const struct yk_weight_run *run, yoke_times *out);

/* A run of the kernel that was split by `weight` took so long: asks the policy, if there is one and
 * the weight is still what it was. */
void yk_weight_adapt(struct yk_weight *own, const struct yk_weight *all, double weight,
                     const yoke_times *times);

double yk_weight_paper(double weight, const yoke_times *times);
double yk_weight_rate(double weight, const yoke_times *times);

#endif
