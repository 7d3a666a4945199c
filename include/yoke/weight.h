/* yoke/weight.h - the CPU weight: one number that says which part of a range the cores get.
 *
 * With weight w the first w * n of a job's n indexes (rounded to multiples of its unit) are for the
 * CPU devices, the others for all other devices. Each side's part is split equally over its
 * devices, and a device that has finished takes work over from others of its side. After Odajima et
 * al., "Adaptive Task Size Control on High Level Programming for GPU/CPU Work Sharing"
 * (docs/scheduling.md).
 *
 * A weight holds for the jobs of one kernel, or of all kernels without their own, until it is
 * changed. A job is split by the first of these that is set: job.partitioner, the kernel's weight,
 * the runtime's weight, the runtime's partitioner. A job uses the weight at its submission or, if a
 * policy changes the weight, at its start.
 *
 * With weight 0 the cores get nothing, with weight 1 the other devices get nothing. Exception: if
 * only one side has devices, or has devices left after failures, it does everything, whatever the
 * weight.
 *
 * `kernel` NULL: for all kernels of the runtime. Each call may come from any thread at any time.
 * YOKE_EINVAL: the runtime is NULL, or `out` is, or as described below; then nothing changes.
 */
#ifndef YOKE_WEIGHT_H
#define YOKE_WEIGHT_H

#include <yoke/job.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the weight of the kernel, or of the runtime. YOKE_EINVAL: it is less than 0, above 1, or not
 * a number. The environment variable YOKE_CPU_WEIGHT gives a runtime its first weight, unless its
 * configuration names a partitioner (none: no weight). A new weight of the runtime replaces what
 * policies made of the old one, but not the weights of individual kernels. */
YOKE_API yoke_status yoke_set_cpu_weight(yoke_runtime *runtime, const yoke_kernel *kernel,
                                         double weight);
/* Removes the weight of the kernel, or of the runtime. */
YOKE_API yoke_status yoke_clear_cpu_weight(yoke_runtime *runtime, const yoke_kernel *kernel);
/* The weight that the next job of the kernel, or of a kernel without its own, would use; negative:
 * none. */
YOKE_API yoke_status yoke_get_cpu_weight(yoke_runtime *runtime, const yoke_kernel *kernel,
                                         double *out);

/* Cuts each side's part into this many chunks; each device's number of chunks is rounded up. 0, the
 * default: cores get one chunk, which they cut into pieces; other devices one for each of their
 * lanes. YOKE_EINVAL: less than 0, or above 1,000,000. */
YOKE_API yoke_status yoke_set_weight_chunks(yoke_runtime *runtime, const yoke_kernel *kernel,
                                            int cpu, int gpu);

/* Time that each class of devices took for a job, however it was split: from its start to the end
 * of the class's last chunk. Jobs of one kernel that overlap, such as the panels of a product,
 * count as one that ends with the last of them. */
typedef struct yoke_times {
    double cpu_seconds, gpu_seconds; /* gpu: all devices except CPUs. 0: had nothing to do */
    int64_t cpu_items, gpu_items;    /* indexes of the first dimension that each class did */
} yoke_times;
/* Gets the times of the latest successful job of the kernel, or of all kernels. All fields are 0 if
 * there was none, or if jobs that overlap with it are still running. */
YOKE_API yoke_status yoke_last_times(yoke_runtime *runtime, const yoke_kernel *kernel,
                                     yoke_times *out);

/* Computes the next weight from the weight that a job was split by and the times it took. Must be
 * pure: it depends only on these and on what `context` points to, returns soon and calls nothing of
 * yoke, because the runtime is stopped meanwhile. Any thread may call it, but only one at a
 * time. */
typedef double yoke_weight_fn(void *context, double weight, const yoke_times *times);
/* Sets the policy. It is called after each successful job that was split by a weight, if devices of
 * both sides took part to the end (of several jobs that overlap, after the last); not if the weight
 * was changed while the job ran. Its result is limited to 0 .. 1; a result that is not a number
 * changes nothing. A policy for all kernels changes each kernel's weight separately, starting with
 * the runtime's; a kernel's own policy has precedence. NULL: none; for a kernel this also means
 * that the runtime's policy is not used. The environment variable YOKE_WEIGHT_POLICY (none, paper
 * or rate) gives a runtime its first policy. */
YOKE_API yoke_status yoke_set_weight_policy(yoke_runtime *runtime, const yoke_kernel *kernel,
                                            yoke_weight_fn *policy, void *context);
/* The paper's policy: down by 0.01 if the cores took longer than the others, otherwise up by
 * 0.01. */
YOKE_API double yoke_weight_paper(void *context, double weight, const yoke_times *times);
/* The weight with which both sides end together if they keep their rates; if that is closer than
 * 0.05 to `weight`, the result is only halfway there, because times vary. A side that had nothing,
 * so that its rate is unknown, gets 0.01. */
YOKE_API double yoke_weight_rate(void *context, double weight, const yoke_times *times);

#ifdef __cplusplus
}
#endif
#endif
