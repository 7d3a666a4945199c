/* weight.h - PURE. The CPU weight (papers/001, section 3.2): which weight holds for a kernel, and
 * what becomes of it after a job.
 */
#ifndef YK_MODEL_WEIGHT_H
#define YK_MODEL_WEIGHT_H

#include <yoke/weight.h>

/* What was said for one kernel, or for all of them, and what came of it. */
struct yk_weight {
    double given;               /* by the user; of a kernel its policy moves it. < 0: none */
    double moved;               /* by the policy for all kernels, of a kernel; < 0: not yet */
    int cpu_chunks, gpu_chunks; /* < 0: nothing was said */
    int has_policy;             /* one was given, which may be NULL: none */
    yoke_weight_fn *policy;
    void *context;
    yoke_times times; /* of the latest job */
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

/* A job of the kernel that was split by `weight` took so long: asks the policy, if there is one and
 * the weight is still what it was. */
void yk_weight_adapt(struct yk_weight *own, const struct yk_weight *all, double weight,
                     const yoke_times *times);

double yk_weight_paper(double weight, const yoke_times *times);
double yk_weight_rate(double weight, const yoke_times *times);

#endif
