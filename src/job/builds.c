/* builds.c - see builds.h.
 *
 * A thread first enters, then checks whether the process is ending. The thread that ends the
 * process first marks that, then checks whether builds are under way. So at least one of the two
 * sees the other.
 */

#include "builds.h"

#include <pthread.h>
#include <stdatomic.h>

#include "../platform/clock.h"
#include "../platform/main_thread.h"

#define LOOK_NS 1000000 /* time between two looks at `inside` */

static atomic_int inside, ending;
static _Atomic int64_t end_by_ns; /* 0: the process is not ending */
static _Thread_local int asked;   /* 1: yk_main_thread_at_end was called in this thread */

/* Builds that were under way belong to the parent's threads, which the child does not have. */
static void forget_in_child(void)
{
    atomic_store(&inside, 0);
    atomic_store(&ending, 0);
    atomic_store(&end_by_ns, 0);
    asked = 0; /* the thread that forked is the main thread now */
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_in_child);
}

void yk_builds_enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    atomic_fetch_add(&inside, 1);
}

void yk_builds_leave(void)
{
    atomic_fetch_sub(&inside, 1);
}

int yk_builds_are_ending(void)
{
    return atomic_load(&ending);
}

void yk_builds_end(int64_t most_ns)
{
    int64_t unset = 0;
    atomic_compare_exchange_strong(&end_by_ns, &unset, yk_clock_ns() + most_ns);
    atomic_store(&ending, 1);
    while (atomic_load(&inside) > 0 && yk_clock_ns() < atomic_load(&end_by_ns))
        yk_clock_sleep_ns(LOOK_NS);
}

static void end(void *unused)
{
    (void)unused;
    yk_builds_end(YK_BUILDS_MOST_NS);
}

void yk_builds_end_with_main(void)
{
    if (!asked)
        yk_main_thread_at_end(end, NULL);
    asked = 1;
}
