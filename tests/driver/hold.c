/* hold.c - calls that wait until a test releases them. */
#include <pthread.h>
#include <string.h>

#include "driver.h"

enum { HELD_MOST = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static const char *held[HELD_MOST]; /* under lock; NULL: free */
/* Checked before the lock is taken, so the lock adds no ordering to runs without holds. */
static atomic_int holds;
static atomic_int waiting;

static int find(const char *function)
{
    int i = 0;
    while (i < HELD_MOST && (!held[i] || strcmp(held[i], function) != 0))
        i++;
    return i;
}

void standin_hold(const char *function, int hold)
{
    pthread_mutex_lock(&lock);
    int at = find(function), i = 0;
    if (!hold && at < HELD_MOST) {
        held[at] = NULL;
        atomic_fetch_sub(&holds, 1);
    }
    while (hold && at == HELD_MOST && i < HELD_MOST && held[i])
        i++;
    if (hold && at == HELD_MOST && i < HELD_MOST) {
        held[i] = function;
        atomic_fetch_add(&holds, 1);
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

int standin_held_calls(void)
{
    return atomic_load(&waiting);
}

void standin_await_hold(const char *function)
{
    if (!atomic_load_explicit(&holds, memory_order_relaxed))
        return;
    pthread_mutex_lock(&lock);
    if (find(function) < HELD_MOST) {
        atomic_fetch_add(&waiting, 1);
        while (find(function) < HELD_MOST)
            pthread_cond_wait(&changed, &lock);
        atomic_fetch_sub(&waiting, 1);
    }
    pthread_mutex_unlock(&lock);
}
