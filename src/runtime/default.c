/* default.c - the runtime of programs that open none.
 *
 * At the program's end it is not closed, only what yoke_close waits for and writes is done: drivers
 * may have gone before it, as they too leave by exit handlers, and memory goes with the process.
 */
#include <pthread.h>
#include <stdlib.h>
#include <yoke/for.h>

#include "../base/status.h"
#include "../platform/thread.h"
#include "job.h"

static yk_mutex lock = YK_MUTEX_INITIAL;
static _Atomic(yoke_runtime *) standing; /* release: it is open */

static void end_with_program(void)
{
    yoke_runtime *runtime = atomic_load_explicit(&standing, memory_order_acquire);
    if (runtime)
        yk_runtime_conclude(runtime);
}

/* The parent's threads are not in the child. */
static void forget_in_child(void)
{
    static const yk_mutex fresh = YK_MUTEX_INITIAL;
    lock = fresh; /* another thread may have been opening one */
    atomic_store_explicit(&standing, NULL, memory_order_relaxed);
}

static void tell_the_process(void)
{
    atexit(end_with_program);
    pthread_atfork(NULL, NULL, forget_in_child);
}

yoke_status yk_default_get(yoke_runtime **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    yoke_status status = YOKE_OK;
    *out = atomic_load_explicit(&standing, memory_order_acquire);
    if (*out)
        return YOKE_OK;
    yk_lock(&lock);
    *out = atomic_load_explicit(&standing, memory_order_relaxed);
    if (!*out)
        status = yoke_open(NULL, out);
    if (status == YOKE_OK) {
        pthread_once(&once, tell_the_process);
        atomic_store_explicit(&standing, *out, memory_order_release);
    }
    yk_unlock(&lock);
    return status;
}

yoke_runtime *yoke_default(void)
{
    yoke_runtime *runtime;
    return yk_default_get(&runtime) == YOKE_OK ? runtime : NULL;
}

void yk_default_forget(const yoke_runtime *runtime)
{
    yk_lock(&lock);
    if (atomic_load_explicit(&standing, memory_order_relaxed) == runtime)
        atomic_store_explicit(&standing, NULL, memory_order_relaxed);
    yk_unlock(&lock);
}
