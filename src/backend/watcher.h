/* watcher.h - a device's thread that watches queued operations and notifies of their ends; it
 * sleeps while there are none. The backend defines what it watches, and how.
 */
#ifndef YK_BACKEND_WATCHER_H
#define YK_BACKEND_WATCHER_H

#include <yoke/status.h>

#include "../platform/thread.h"

/* Opened and closed with its device. */
struct yk_watcher {
    yk_mutex lock; /* guards the fields below and the backend's list of watched operations */
    struct yk_thread thread;
    struct yk_parker parker; /* the thread's */
    int runs;
    int stops; /* 1: the thread ends as soon as nothing is watched */
};

yoke_status yk_watcher_open(struct yk_watcher *watcher);
/* Starts the thread if there is none. Call it, with the lock held, before you add to the list. */
yoke_status yk_watcher_start(struct yk_watcher *watcher, const char *name,
                             void (*run)(void *context), void *context);
/* Returns when the thread has ended. */
void yk_watcher_close(struct yk_watcher *watcher);

#endif
