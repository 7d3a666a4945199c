/* kept_cores.h - PURE. How many cores a job keeps free for the threads that drive its GPUs.
 *
 * Such a thread sleeps most of the time, but when it has something to do a GPU waits for it. If
 * every core runs a worker, the thread gets a core only when a worker's time slice ends, whatever
 * its priority: with 64 cores and three GPUs the first chunks of Barnes-Hut's forces, a job of 6
 * ms, began 3 to 7 ms late. So a core is kept free for each of them, as far as the cores' share of
 * the work allows.
 */
#ifndef YK_PARTITION_KEPT_CORES_H
#define YK_PARTITION_KEPT_CORES_H

/* The core on which the thread of the nth GPU stays, as an index into the lanes. Only a thread that
 * slept on an idle core is sure to wake on one, because Linux does not look for an idle core if
 * most are busy. So this core is the first to be kept free. -1: there are too few cores. */
int yk_kept_core(int lanes, int cores, int nth);
/* Returns how many of the `lanes` cores to keep free for `gpus` GPUs. share: part of all work that
 * the cores do; < 0: unknown. */
int yk_kept_cores(int lanes, double share, int gpus);

#endif
