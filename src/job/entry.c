/* entry.c - decides which calls may enter a runtime. A call that would wait for ever fails
 * instead. */

#include "entry.h"

#include "../base/status.h"
#include "../platform/fork.h"

static yk_mutex lock = YK_MUTEX_INITIAL;
static yoke_runtime *open_runtimes; /* protected by the lock */

void yk_runtime_enlist(yoke_runtime *runtime)
{
    runtime->forks = yk_fork_count();
    yk_runtime_relist(runtime);
}

void yk_runtime_relist(yoke_runtime *runtime)
{
    yk_lock(&lock);
    runtime->next_open = open_runtimes;
    open_runtimes = runtime;
    yk_unlock(&lock);
}

int yk_runtime_delist(yoke_runtime *runtime)
{
    yoke_runtime **at = &open_runtimes;
    int found;
    yk_lock(&lock);
    while (*at && *at != runtime)
        at = &(*at)->next_open;
    found = *at != NULL;
    if (found)
        *at = runtime->next_open;
    yk_unlock(&lock);
    return found;
}

/* The runtime whose progress callback this thread is in; NULL: it is in none. */
static _Thread_local const yoke_runtime *called_by;

const yoke_runtime *yk_callback_enter(const yoke_runtime *runtime)
{
    const yoke_runtime *outer = called_by;
    called_by = runtime;
    return outer;
}

int yk_runtime_refuses(const yoke_runtime *runtime, const char *call)
{
    if (!runtime)
        return 0; /* the public function reports NULL, with its own name */
    if (runtime->forks != yk_fork_count()) {
        yk_fail(YOKE_EINVAL,
                "%s: the runtime was opened before this process was forked, and has no threads "
                "here; open one in the child",
                call);
        return 1;
    }
    if (called_by != runtime)
        return 0;
    yk_fail(
        YOKE_EINVAL,
        "%s: a progress callback may not use the runtime of its job, which waits for it; return "
        "not 0 to cancel the job",
        call);
    return 1;
}
