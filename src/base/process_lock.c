/* process_lock.c - see process_lock.h. A lock enters the list of all when it is first taken.
 *
 * Threads take these locks in any order, also the list's. So before a fork only one lock is waited
 * for at a time, with no other held; the others are tried, and all are released if one is not free.
 */
#include "process_lock.h"

#include <stddef.h>

static struct yk_process_lock list_lock = { .mutex = PTHREAD_MUTEX_INITIALIZER, .is_known = 1 };
static struct yk_process_lock *all; /* under list_lock */

static void release_until(const struct yk_process_lock *end, struct yk_process_lock *first)
{
    for (struct yk_process_lock *lock = all; lock != end; lock = lock->next)
        if (lock != first && !lock->is_freed)
            pthread_mutex_unlock(&lock->mutex);
    if (first != &list_lock)
        pthread_mutex_unlock(&list_lock.mutex);
    pthread_mutex_unlock(&first->mutex);
}

/* Waits for `first` and takes all others. Returns the one that was not free, and then holds none;
 * NULL: it holds all. */
static struct yk_process_lock *take_all(struct yk_process_lock *first)
{
    pthread_mutex_lock(&first->mutex);
    if (first != &list_lock && pthread_mutex_trylock(&list_lock.mutex) != 0) {
        pthread_mutex_unlock(&first->mutex);
        return &list_lock;
    }
    for (struct yk_process_lock *lock = all; lock; lock = lock->next)
        if (lock != first && !lock->is_freed && pthread_mutex_trylock(&lock->mutex) != 0) {
            release_until(lock, first);
            return lock;
        }
    return NULL;
}

static struct yk_process_lock *waited_for; /* by the thread that forks, which then holds all */

static void before_fork(void)
{
    struct yk_process_lock *first = &list_lock, *busy;
    while ((busy = take_all(first)))
        first = busy;
    waited_for = first;
}

static void in_parent(void)
{
    release_until(NULL, waited_for);
}

static void in_child(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    for (struct yk_process_lock *lock = all; lock; lock = lock->next)
        if (lock->is_freed)
            lock->mutex = fresh;
    release_until(NULL, waited_for);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

static void enlist(struct yk_process_lock *lock)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&list_lock.mutex);
    if (!atomic_load_explicit(&lock->is_known, memory_order_relaxed)) {
        lock->next = all;
        all = lock;
        atomic_store_explicit(&lock->is_known, 1, memory_order_release);
    }
    pthread_mutex_unlock(&list_lock.mutex);
}

void yk_process_lock(struct yk_process_lock *lock)
{
    if (!atomic_load_explicit(&lock->is_known, memory_order_acquire))
        enlist(lock);
    pthread_mutex_lock(&lock->mutex);
}

void yk_process_unlock(struct yk_process_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}
