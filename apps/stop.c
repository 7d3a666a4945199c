/* stop.c - see stop.h. */
#include "stop.h"

#include <pthread.h>
#include <stdatomic.h>

#include "app.h"

/* Runtimes at the same time: the judged one, one for baselines or a sweep, one for the host's own
 * work; an application may have some more, and a matrix one for each set (sets.h). */
enum { WATCHED_MAX = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static yoke_runtime *watched[WATCHED_MAX]; /* NULL: free */
static atomic_int stopped;

static int replace(yoke_runtime *old, yoke_runtime *new)
{
    int i;
    pthread_mutex_lock(&lock);
    for (i = 0; i < WATCHED_MAX && watched[i] != old; i++)
        continue;
    if (i < WATCHED_MAX)
        watched[i] = new;
    pthread_mutex_unlock(&lock);
    return i < WATCHED_MAX;
}

yoke_status app_stop_watch(yoke_runtime *runtime)
{
    if (!replace(NULL, runtime))
        return app_fail(YOKE_ENOMEM, "more than %d runtimes at once; close one", WATCHED_MAX);
    return YOKE_OK;
}

void app_stop_forget(yoke_runtime *runtime)
{
    replace(runtime, NULL);
}

void app_stop(void)
{
    atomic_store(&stopped, 1);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < WATCHED_MAX; i++)
        if (watched[i])
            yoke_cancel_all(watched[i]);
    pthread_mutex_unlock(&lock);
}

yoke_status app_stop_check(void)
{
    return atomic_load(&stopped) ? app_fail(YOKE_ECANCELED, "stopped on request") : YOKE_OK;
}
