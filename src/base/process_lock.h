/* process_lock.h - locks of the process, not of a runtime: a child of fork goes on using them.
 *
 * The child has only the thread that forked. A lock that another thread held would stay locked for
 * ever there, and what it protects might be half changed. So fork waits until all these locks are
 * free, and takes them; then both processes release them. A lock that is held for seconds, or by
 * threads that may themselves fork, is `freed` instead: in the child it is made free, so what it
 * protects must be usable at any moment.
 */
#ifndef YK_BASE_PROCESS_LOCK_H
#define YK_BASE_PROCESS_LOCK_H

#include <pthread.h>
#include <stdatomic.h>

struct yk_process_lock {
    pthread_mutex_t mutex;
    int is_freed;
    atomic_int is_known;          /* 1: it is in the list of all */
    struct yk_process_lock *next; /* in that list */
};
#define YK_PROCESS_LOCK_INITIAL                                                                    \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                         \
    }
#define YK_PROCESS_LOCK_FREED                                                                      \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER, .is_freed = 1                                          \
    }

/* Locks are static: one that was taken once is never closed. */
void yk_process_lock(struct yk_process_lock *lock);
void yk_process_unlock(struct yk_process_lock *lock);

#endif
