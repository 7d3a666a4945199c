/* loading.c - see loading.h.
 *
 *     awaited --> over    when the load is due or made to hurry, or the runtime closes
 *     failed  --> over    when a call that needs all devices starts a loader
 *
 * If several threads find a reason at the same time, one of them takes the runtime from awaited to
 * over and notes its reason.
 */

#include "loading.h"

#include <pthread.h>

#include "../backend/find.h"
#include "../base/status.h"
#include "../life/admit.h"
#include "../platform/clock.h"
#include "loader.h"

_Atomic int64_t yk_loading_price_ns = YK_LOAD_PRICE_NS;

/* When the process first opened a runtime without named devices; 0: it has not. */
static atomic_int_fast64_t first_open_ns;

/* In a child of fork the time begins anew. */
static void forget_in_child(void)
{
    atomic_store(&first_open_ns, 0);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_in_child);
}

static int64_t first_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int_fast64_t none = 0;
    pthread_once(&once, watch_forks);
    atomic_compare_exchange_strong(&first_open_ns, &none, yk_clock_ns());
    return atomic_load(&first_open_ns);
}

static int64_t used_ns(void)
{
    return yk_clock_ns() - atomic_load(&first_open_ns);
}

/* Takes the runtime from awaited to over and notes the cause. Returns 0 if another thread did. */
static int note(yoke_runtime *runtime, enum yk_loading_cause cause, int64_t ns)
{
    int awaited = YK_LOADING_AWAITED;
    if (!atomic_compare_exchange_strong(&runtime->loading, &awaited, YK_LOADING_OVER))
        return 0;
    atomic_store(&runtime->loading_ns, ns);
    atomic_store_explicit(&runtime->loading_cause, cause, memory_order_release);
    return 1;
}

/* Starts a loader; the runtime must have none. With a cause the load begins at once, or no loader
 * is started if there is nothing to load. With load_lock held. */
static yoke_status start(yoke_runtime *runtime, enum yk_loading_cause cause, int64_t due_ns)
{
    yoke_status status;
    if (cause != YK_CAUSE_NONE && !yk_find_sees_gpu()) {
        atomic_store(&runtime->loading, YK_LOADING_OVER);
        return YOKE_OK;
    }
    atomic_store(&runtime->loading, YK_LOADING_AWAITED);
    atomic_store(&runtime->awaits_ns, yk_loading_price_ns);
    if (cause != YK_CAUSE_NONE)
        note(runtime, cause, 0);
    status = yk_loader_start(runtime, due_ns, &runtime->loader);
    if (status != YOKE_OK) {
        atomic_store(&runtime->loading_cause, YK_CAUSE_NONE);
        atomic_store(&runtime->loading, YK_LOADING_FAILED);
        atomic_store(&runtime->awaits_ns, 0);
    }
    return status;
}

yoke_status yk_loading_open(yoke_runtime *runtime, yoke_loading when)
{
    const int at_once = when == YOKE_LOAD_OPEN || !yk_job_splits_freely(runtime->partitioner) ||
                        atomic_load(&runtime->weighs);
    const int64_t due_ns = first_open() + yk_loading_price_ns;
    yoke_status status;
    yk_lock(&runtime->load_lock);
    status = at_once ? start(runtime, YK_CAUSE_OPEN, 0) : start(runtime, YK_CAUSE_NONE, due_ns);
    yk_unlock(&runtime->load_lock);
    if (status == YOKE_OK || at_once)
        return status;
    yk_log(YOKE_LOG_WARN, "GPUs are left out, their drivers cannot be loaded: %s",
           yoke_error_text());
    return YOKE_OK;
}

yoke_status yk_loading_finish(yoke_runtime *runtime)
{
    yoke_status status = YOKE_OK;
    yk_lock(&runtime->load_lock);
    if (atomic_load(&runtime->loading) == YK_LOADING_FAILED)
        status = start(runtime, YK_CAUSE_ASKED, 0);
    else if (note(runtime, YK_CAUSE_ASKED, 0))
        yk_loader_hurry(runtime->loader);
    if (runtime->loader)
        yk_loader_join(runtime->loader);
    runtime->loader = NULL;
    yk_unlock(&runtime->load_lock);
    return status;
}

void yk_loading_leave(yoke_runtime *runtime)
{
    yk_lock(&runtime->load_lock);
    if (!note(runtime, YK_CAUSE_NEVER, used_ns()))
        atomic_store(&runtime->loading, YK_LOADING_OVER);
    if (runtime->loader)
        yk_loader_leave(runtime->loader);
    runtime->loader = NULL;
    yk_unlock(&runtime->load_lock);
}

void yk_loading_foreseen(yoke_runtime *runtime, double ns)
{
    yk_lock(&runtime->load_lock);
    if (note(runtime, YK_CAUSE_FORESEEN, ns < 9e18 ? (int64_t)ns : INT64_MAX))
        yk_loader_hurry(runtime->loader);
    yk_unlock(&runtime->load_lock);
}

int yk_loading_foresees(yoke_runtime *runtime)
{
    const double ns = yk_jobs_rest_ns(runtime, yk_now(runtime) - yk_loading_look_ns());
    return ns > (double)yk_loading_price_ns &&
           note(runtime, YK_CAUSE_FORESEEN, ns < 9e18 ? (int64_t)ns : INT64_MAX);
}

int yk_loading_begins(yoke_runtime *runtime)
{
    note(runtime, YK_CAUSE_TIME, used_ns());
    return yk_find_sees_gpu();
}
