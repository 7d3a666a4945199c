/* loading.h - when a runtime begins to load GPU drivers: as it opens, when the program asks for all
 * devices or runs a job that is known to be long, or once the process has used yoke for as long as
 * a load takes (docs/adr/020-drivers-loaded-later.md).
 *
 * Until then a thread sleeps, nothing is looked for on the machine, and a job that begins reads one
 * atomic more.
 */
#ifndef YK_RUNTIME_LOADING_H
#define YK_RUNTIME_LOADING_H

#include "../job/job.h"

/* What loading costs: CUDA's cuInit took 70 to 230 ms of CPU time on machines with one to eight
 * GPUs, and a context 100 to 340. */
#define YK_LOAD_PRICE_NS INT64_C(250000000)
/* Tests have another one. */
extern int64_t yk_loading_price_ns;

/* The runtime has its cores. Begins at once if it was asked to or its partitioner means all
 * devices, and fails if it cannot; else in its time, and it is only told that it cannot. */
yoke_status yk_loading_open(yoke_runtime *runtime, yoke_loading when);
/* All devices are the runtime's when this returns. Where the load cannot begin it has the others;
 * the status says why. */
yoke_status yk_loading_finish(yoke_runtime *runtime);
/* The runtime gets no further devices. */
void yk_loading_leave(yoke_runtime *runtime);
/* The loader begins, if for nothing else because it is time. Under its lock, so the runtime has
 * not left it. 0: there is nothing to load. */
int yk_loading_begins(yoke_runtime *runtime);
/* One line about when it began and why, or why not; "": there was nothing to load. */
enum { YK_LOADING_TEXT = 192 };
void yk_loading_explain(const yoke_runtime *runtime, char text[YK_LOADING_TEXT]);

/* Under runtime.lock: ns that a job which has begun takes by earlier ones like it, if that is
 * longer than a load that is still to begin; else 0. */
static inline double yk_loading_forecast(const struct yk_job *job)
{
    const double items = (double)(job->last - job->first);
    if (atomic_load_explicit(&job->runtime->loading, memory_order_relaxed) != YK_LOADING_AWAITED ||
        !(job->recalled > 0) || !(items > (double)yk_loading_price_ns * job->recalled))
        return 0;
    return items / job->recalled;
}
/* Begins because of that job. Without runtime.lock, which the loader takes as devices join. */
void yk_loading_foreseen(yoke_runtime *runtime, double ns);

#endif
