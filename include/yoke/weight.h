/* yoke/weight.h - the CPU weight: one number that says which part of a range the cores get.
 *
 * With weight w the first w * n of a job's n indexes (rounded to what its chunks are multiples of)
 * are for the CPU devices, the others for all other devices; each side's part is split equally over
 * its devices, and whoever has done his takes over from others of his side. After Odajima et al.,
 * "Adaptive Task Size Control on High Level Programming for GPU/CPU Work Sharing".
 *
 * A weight holds for the jobs of one kernel, or of all kernels that have none of their own, until
 * it is changed. Of who splits a job, the first that there is counts: job.partitioner, the kernel's
 * weight, the runtime's weight, the runtime's partitioner. A job takes the weight that holds when
 * it is submitted, or, where a policy changes it, when it begins.
 *
 * 0: the cores get nothing, 1: the other devices do not, unless nobody else is left. Where there is
 * no other device, or no CPU device, whoever there is does all, whatever the weight.
 *
 * `kernel` NULL: for all kernels of the runtime. Each call may come from any thread at any time;
 * YOKE_EINVAL: the runtime, or where a place for an answer is asked for that, is NULL, or what is
 * said below; nothing is changed then.
 */
#ifndef YOKE_WEIGHT_H
#define YOKE_WEIGHT_H

#include <yoke/job.h>

#ifdef __cplusplus
extern "C" {
#endif

/* YOKE_EINVAL: the weight is less than 0, above 1, or no number. The environment variable
 * YOKE_CPU_WEIGHT gives a runtime its first weight, unless its configuration names a partitioner
 * (none: there is none). For all kernels it ends what policies made of the weight before, but not
 * the weights that kernels have of their own. */
YOKE_API yoke_status yoke_set_cpu_weight(yoke_runtime *runtime, const yoke_kernel *kernel,
                                         double weight);
/* There is none any more: of the kernel, or of the runtime. */
YOKE_API yoke_status yoke_clear_cpu_weight(yoke_runtime *runtime, const yoke_kernel *kernel);
/* What the next job would take, of the kernel, or of one that has none of its own; a negative
 * number: there is none. */
YOKE_API yoke_status yoke_get_cpu_weight(yoke_runtime *runtime, const yoke_kernel *kernel,
                                         double *out);

/* Each side's part is cut into so many chunks, each device's share of them rounded up. 0, the
 * default: cores get theirs in one, which they share out in pieces, other devices one for each of
 * their lanes. YOKE_EINVAL: less than 0, or above 1,000,000. */
YOKE_API yoke_status yoke_set_weight_chunks(yoke_runtime *runtime, const yoke_kernel *kernel,
                                            int cpu, int gpu);

/* What the classes of devices took for a job, however it was split: from when it began to the end
 * of the last chunk of the class. Jobs of one kernel that overlap, as the panels of a product do,
 * count as one that ends with the last of them. */
typedef struct yoke_times {
    double cpu_seconds, gpu_seconds; /* gpu: all devices but CPUs. 0: had nothing to do */
    int64_t cpu_items, gpu_items;
} yoke_times;
/* Of the latest job of the kernel, or of all, that ended well; all 0: there was none, or others
 * that overlap with the first still run. */
YOKE_API yoke_status yoke_last_times(yoke_runtime *runtime, const yoke_kernel *kernel,
                                     yoke_times *out);

/* The next weight, from the one that a job was split by and the times it took. Pure: it depends on
 * nothing but these and what `context` points to, returns soon and calls nothing of yoke: the
 * runtime stands still meanwhile. One thread calls it at a time, any thread. */
typedef double yoke_weight_fn(void *context, double weight, const yoke_times *times);
/* From now on asked after each job (of several that overlap, the last) that was split by a weight
 * and ended well, with devices of both sides taking part to the end; not if the weight was changed
 * while the job ran. What it answers counts as 0 or 1 where it is less or more, and changes nothing
 * if it is no number. One for all kernels moves each kernel's weight by itself, beginning with the
 * runtime's; a kernel's own policy counts instead. NULL: none, which for a kernel means that the
 * runtime's is not asked either. The environment variable YOKE_WEIGHT_POLICY (none, paper or rate)
 * gives a runtime its first one. */
YOKE_API yoke_status yoke_set_weight_policy(yoke_runtime *runtime, const yoke_kernel *kernel,
                                            yoke_weight_fn *policy, void *context);
/* The paper's: down by 0.01 if the cores took longer than the others, else up by 0.01. */
YOKE_API double yoke_weight_paper(void *context, double weight, const yoke_times *times);
/* The weight that makes both sides end together if they go on at the rates they had, or half of the
 * way there if it is nearer than 0.05, for times vary; a side whose rate is not known for it had
 * nothing gets 0.01. */
YOKE_API double yoke_weight_rate(void *context, double weight, const yoke_times *times);

#ifdef __cplusplus
}
#endif
#endif
