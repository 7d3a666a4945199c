/* loading.h - when a runtime begins to load GPU drivers: when it opens, when the program asks for
 * all devices or runs a job that is known to be long or shows it, or once the process has used yoke
 * for as long as a load takes (docs/adr/020-drivers-loaded-later.md).
 *
 * Until then this costs a sleeping thread, and one atomic read in each job that begins. The machine
 * is not searched for GPUs.
 */
#ifndef YK_RUNTIME_LOADING_H
#define YK_RUNTIME_LOADING_H

#include "../job/job.h"

/* Cost of loading in ns: CUDA's cuInit took 70 to 230 ms of CPU time on machines with one to eight
 * GPUs, and a context 100 to 340 ms. */
#define YK_LOAD_PRICE_NS INT64_C(250000000)
/* The cost in ns that is used; tests change it. */
extern _Atomic int64_t yk_loading_price_ns;

/* After 1 / FIRST_LOOK of a load, the loader looks whether a job that runs will last longer than a
 * load. A job must run for as long as that before its speed counts. */
static inline int64_t yk_loading_look_ns(void)
{
    enum { FIRST_LOOK = 16 };
    return yk_loading_price_ns / FIRST_LOOK;
}

/* Call it when the runtime has its cores. Begins the load at once if `when` says so or the
 * partitioner needs all devices, and fails if it cannot. Otherwise lets the load begin later, and
 * only logs it if that is not possible. Takes load_lock. */
yoke_status yk_loading_open(yoke_runtime *runtime, yoke_loading when);
/* Waits until the runtime has all available devices. If the load cannot begin, the runtime keeps
 * the devices that it has, and the status says why. Takes load_lock. */
yoke_status yk_loading_finish(yoke_runtime *runtime);
/* The runtime gets no further devices. Takes load_lock. */
void yk_loading_leave(yoke_runtime *runtime);
/* Called by the loader while it sleeps, with loader.lock held. Returns 1 if a job that runs will
 * still take longer than a load, and notes that as the cause, unless there is another one. */
int yk_loading_foresees(yoke_runtime *runtime);
/* Called by the loader when it begins, with loader.lock held, so that the runtime cannot leave it.
 * Notes time as the cause, unless there is another one. Returns 0 if there is nothing to load. */
int yk_loading_begins(yoke_runtime *runtime);
/* Writes one line about when the load began and why, or why not; "": there was nothing to load. */
enum { YK_LOADING_TEXT = 192 };
void yk_loading_explain(const yoke_runtime *runtime, char text[YK_LOADING_TEXT]);

/* Returns the expected duration, in ns, of a job that has begun, by earlier jobs like it. Returns 0
 * if the load has begun already or the job is shorter than a load. With runtime.lock held. */
static inline double yk_loading_forecast(const struct yk_job *job)
{
    const double items = (double)(job->last - job->first);
    if (atomic_load_explicit(&job->runtime->loading, memory_order_relaxed) != YK_LOADING_AWAITED ||
        !(job->split.items_per_ns > 0) ||
        !(items > (double)yk_loading_price_ns * job->split.items_per_ns))
        return 0;
    return items / job->split.items_per_ns;
}
/* Begins the load because of a job of this duration. Without runtime.lock, which the loader takes
 * when devices join. */
void yk_loading_foreseen(yoke_runtime *runtime, double ns);

#endif
