/* default.c - the runtime of programs that open none.
 *
 * At the program's end this runtime is not closed. It only waits for jobs and writes what
 * yoke_close writes. It frees nothing: drivers have exit handlers, too, so they may be gone
 * already, and memory goes with the process.
 *
 * A driver that leaves while a thread is inside it may crash: PoCL does, in a kernel that it is
 * compiling. Exit handlers run in the reverse of the order of their installation, and drivers
 * install handlers when they are loaded and when they compile for the first time. So the end of the
 * main thread, which comes before all handlers, waits for threads that are in drivers. That is not
 * possible if the main thread never calls the default runtime, if another thread calls exit, or if
 * the C library cannot run a function at the end of the main thread (main_thread.h). Then an exit
 * handler waits, but it runs after those that drivers installed later.
 */

#include "default.h"

#include <pthread.h>
#include <stdlib.h>
#include <yoke/for.h>

#include "../base/status.h"
#include "../job/builds.h"
#include "../job/entry.h"
#include "../platform/main_thread.h"
#include "../platform/thread.h"
#include "../work/wait.h"
#include "loader.h"
#include "loading.h"
#include "open.h"

static yk_mutex lock = YK_MUTEX_INITIAL;
static _Atomic(yoke_runtime *) standing; /* stored with release when it is open */
static _Thread_local int asked;          /* 1: yk_main_thread_at_end was called in this thread */

/* Waits until no thread is in a driver. Jobs of exit handlers that run later use the devices that
 * are open by now. */
static void get_out_of_drivers(void *unused)
{
    yoke_runtime *runtime = atomic_load_explicit(&standing, memory_order_acquire);
    (void)unused;
    if (!runtime)
        return;
    yk_jobs_wait_for(runtime, NULL, 1);
    yk_loading_leave(runtime);
    yk_loaders_join();
    yk_builds_end(YK_BUILDS_MOST_NS);
}

static void end_with_program(void)
{
    yoke_runtime *runtime = atomic_load_explicit(&standing, memory_order_acquire);
    if (!runtime)
        return;
    get_out_of_drivers(NULL);
    if (yk_runtime_conclude(runtime) != YOKE_OK) /* no caller sees the status */
        yk_log(YOKE_LOG_WARN, "%s", yoke_error_text());
}

/* A child of fork does not have the parent's threads. */
static void forget_in_child(void)
{
    static const yk_mutex fresh = YK_MUTEX_INITIAL;
    lock = fresh; /* another thread may have been opening a runtime */
    asked = 0;    /* the thread that forked is the main thread now */
    atomic_store_explicit(&standing, NULL, memory_order_relaxed);
}

static void tell_the_process(void)
{
    atexit(end_with_program);
    pthread_atfork(NULL, NULL, forget_in_child);
}

static void tell_the_thread(void)
{
    asked = 1;
    yk_main_thread_at_end(get_out_of_drivers, NULL);
}

yoke_status yk_default_get(yoke_runtime **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    yoke_status status = YOKE_OK;
    if (!asked)
        tell_the_thread();
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
    yoke_status status = yk_default_get(&runtime);
    yk_runtime_no_default(status);
    return status == YOKE_OK ? runtime : NULL;
}

void yk_default_forget(const yoke_runtime *runtime)
{
    yk_lock(&lock);
    if (atomic_load_explicit(&standing, memory_order_relaxed) == runtime)
        atomic_store_explicit(&standing, NULL, memory_order_relaxed);
    yk_unlock(&lock);
}
