/* watcher.h - a device's thread that sleeps until somebody wants to be told of the end of queued
 * work, and for good while nobody does. What it looks at, and how, is the backend's.
 */
#ifndef YK_BACKEND_WATCHER_H
#define YK_BACKEND_WATCHER_H

#include <yoke/status.h>

#include "../platform/thread.h"

/* A device's, opened and closed with it. */
struct yk_watcher {
    yk_mutex lock; /* of what follows, and of the list of what is watched */
    struct yk_thread thread;
    struct yk_parker parker; /* the thread's */
    int runs;
    int stops; /* the thread ends as soon as nothing is watched */
};

yoke_status yk_watcher_open(struct yk_watcher *watcher);
/* Before the first thing is watched, with the lock held: begins the thread if there is none. */
yoke_status yk_watcher_start(struct yk_watcher *watcher, const char *name,
                             void (*run)(void *context), void *context);
/* Returns when the thread has ended. */
void yk_watcher_close(struct yk_watcher *watcher);

#endif
