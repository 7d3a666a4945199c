/* cuda_watch.c - notifying of the end of queued work.
 *
 * A thread of the device sleeps in the driver until the oldest watched event is over. It then calls
 * the notify functions of all events that are over. While nothing is watched, it sleeps. The
 * driver's own callbacks (cuLaunchHostFunc) would delay the stream they are in.
 *
 * Work of one device ends nearly in the order in which it was queued, so the watcher rarely sleeps
 * beyond the end of a younger event. If it does, that costs time, never a result.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../platform/clock.h"
#include "cuda.h"

struct yk_cuda_watch {
    struct yk_event *event; /* the watch holds a reference */
    void (*fn)(void *context);
    void *context;
    struct yk_cuda_watch *next;
};

static struct yk_cuda_watch *oldest(struct yk_cuda_device *device)
{
    yk_lock(&device->watcher.lock);
    struct yk_cuda_watch *watch = device->first_watch;
    yk_unlock(&device->watcher.lock);
    return watch;
}

/* Removes the first watch whose event is over from the list and returns it; NULL if there is
 * none. */
static struct yk_cuda_watch *take_over(struct yk_cuda_device *device)
{
    struct yk_cuda_watch **link, *watch;
    yk_lock(&device->watcher.lock);
    link = &device->first_watch;
    while ((watch = *link) && yk_cuda_look(watch->event) == YK_CUDA_PENDING)
        link = &watch->next;
    device->telling = watch != NULL;
    if (watch) {
        *link = watch->next;
        if (device->watch_end == &watch->next)
            device->watch_end = link;
    }
    yk_unlock(&device->watcher.lock);
    return watch;
}

static int may_go(struct yk_cuda_device *device)
{
    yk_lock(&device->watcher.lock);
    int stops = device->watcher.stops && !device->first_watch;
    yk_unlock(&device->watcher.lock);
    return stops;
}

static void watcher_run(void *context)
{
    struct yk_cuda_device *device = context;
    struct yk_cuda_watch *watch;
    while (!may_go(device)) {
        watch = oldest(device); /* only this thread takes watches out */
        if (!watch) {
            yk_parker_sleep(&device->watcher.parker, -1);
            continue;
        }
        yk_cuda_sleep(watch->event);
        while ((watch = take_over(device))) {
            yk_cuda_event_close(watch->event);
            watch->fn(watch->context);
            yk_free(watch);
        }
    }
}

yoke_status yk_cuda_watcher_open(struct yk_cuda_device *device)
{
    device->watch_end = &device->first_watch;
    return yk_watcher_open(&device->watcher);
}

/* Call it when all queued work is over. When it returns, no notify function will be called any
 * more. */
void yk_cuda_watcher_drain(struct yk_cuda_device *device)
{
    int busy = 1;
    while (busy) {
        yk_lock(&device->watcher.lock);
        busy = device->first_watch || device->telling;
        yk_unlock(&device->watcher.lock);
        if (busy)
            yk_clock_sleep_ns(20000);
    }
}

yoke_status yk_cuda_notify(struct yk_event *event, void (*fn)(void *context), void *context)
{
    struct yk_cuda_device *device = yk_cuda_event_device(event);
    struct yk_cuda_watch *watch;
    if (yk_cuda_look(event) != YK_CUDA_PENDING) {
        fn(context);
        return YOKE_OK;
    }
    watch = yk_calloc(1, sizeof *watch);
    if (!watch)
        return YOKE_ENOMEM;
    yk_cuda_event_hold(event);
    *watch = (struct yk_cuda_watch){ .event = event, .fn = fn, .context = context };
    yk_lock(&device->watcher.lock);
    yoke_status status = yk_watcher_start(&device->watcher, "yoke-cuda", watcher_run, device);
    int was_idle = !device->first_watch;
    if (status == YOKE_OK) {
        *device->watch_end = watch;
        device->watch_end = &watch->next;
    }
    yk_unlock(&device->watcher.lock);
    if (status != YOKE_OK) {
        yk_cuda_event_close(event);
        yk_free(watch);
    } else if (was_idle) {
        yk_parker_wake(&device->watcher.parker);
    }
    return status;
}
