/* watcher.c - see watcher.h. */
#include "watcher.h"

yoke_status yk_watcher_open(struct yk_watcher *watcher)
{
    return yk_mutex_open(&watcher->lock);
}

yoke_status yk_watcher_start(struct yk_watcher *watcher, const char *name,
                             void (*run)(void *context), void *context)
{
    const struct yk_thread_spec spec = {
        .name = name, .cpu = -1, .kind = YK_THREAD_ATTENDS, .run = run, .context = context
    };
    yoke_status status = watcher->runs ? YOKE_OK : yk_thread_open(&spec, &watcher->thread);
    watcher->runs = status == YOKE_OK;
    return status;
}

void yk_watcher_close(struct yk_watcher *watcher)
{
    if (watcher->runs) {
        yk_lock(&watcher->lock);
        watcher->stops = 1;
        yk_unlock(&watcher->lock);
        yk_parker_wake(&watcher->parker);
        yk_thread_join(&watcher->thread);
    }
    yk_mutex_close(&watcher->lock);
}
