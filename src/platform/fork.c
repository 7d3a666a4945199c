/* fork.c - see fork.h. One handler counts in the child, before it does anything else. */
#include "fork.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int forks, drivers_open, drivers_lost;

static void in_child(void)
{
    atomic_fetch_add(&forks, 1);
    if (atomic_load(&drivers_open))
        atomic_store(&drivers_lost, 1);
}

static void watch(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

void yk_fork_watch(void)
{
    pthread_once(&once, watch);
}

int yk_fork_count(void)
{
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

void yk_driver_opens(void)
{
    yk_fork_watch();
    atomic_store(&drivers_open, 1);
}

int yk_drivers_are_lost(void)
{
    return atomic_load(&drivers_lost);
}
