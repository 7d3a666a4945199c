/* kept.h - PURE. How many cores a job leaves to the threads that drive its GPUs.
 *
 * Such a thread sleeps most of the time, but when it has something to do a GPU waits for it. Where
 * every core has a worker it gets one only when a worker's slice ends, whatever its priority: with
 * 64 cores and three GPUs the first chunks of Barnes-Hut's forces, a job of 6 ms, began 3 to 7 ms
 * late. So a core is kept free for each of them, as far as the cores' share of the work allows.
 */
#ifndef YK_PARTITION_KEPT_H
#define YK_PARTITION_KEPT_H

/* The one that the thread of the nth GPU stays on, of cores in the order of the lanes: only a
 * thread that slept on an idle core is sure to wake on one, for where most are busy Linux does not
 * look for others. So it is the first to be kept for it. -1: there are too few cores to choose for
 * it. */
int yk_kept_core(int lanes, int cores, int nth);
/* Of `lanes` cores that do the part `share` of all work (< 0: nobody knows), beside so many GPUs.
 */
int yk_kept_cores(int lanes, double share, int gpus);

#endif
