/* opencl_watch.c - waiting asleep for the end of queued work.
 *
 * clWaitForEvents keeps a core busy with some drivers, so it is never called here. There are two
 * ways; the device's setting wake= selects one:
 *
 *   callback  The driver calls back, and that wakes the sleeping thread. For PoCL: 5 to 50 us late.
 *             Because a lost device may never call, sleeping threads also poll ten times per
 *             second.
 *   poll      Sleeping threads poll, at intervals that grow with the time they have waited (a
 *             sixteenth of it, at most 0.5 ms: under 1 % of a core). A thread of the device polls
 *             for notifications; it sleeps while none is wanted. For GPUs: NVIDIA's callbacks come
 *             up to 20 ms late.
 *
 * A watch holds its event. With callbacks, the device counts the watches that the driver still has,
 * and is not freed before the last callback, whatever the caller closes meanwhile.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../platform/clock.h"
#include "opencl.h"

static const int64_t look_again_ns = 100000000; /* between polls, with callbacks */
static const int64_t interval_least_ns = 20000, interval_most_ns = 500000;

struct yk_opencl_watch {
    struct yk_event *event;
    void (*fn)(void *context); /* NULL: a thread sleeps on `parker` */
    void *context;
    struct yk_parker parker; /* for a sleeping thread */
    atomic_int parted; /* set by the callback, and by a sleeping thread that stops waiting for the
                          callback; the later of the two frees the watch */
    struct yk_opencl_watch *next; /* poll: in the device's list, oldest first */
    int64_t since_ns;
};

static void watch_close(struct yk_opencl_watch *watch)
{
    yk_opencl_event_close(watch->event);
    yk_free(watch);
}

static yoke_status watch_open(struct yk_event *event, void (*fn)(void *context), void *context,
                              struct yk_opencl_watch **out)
{
    struct yk_opencl_watch *watch = yk_calloc(1, sizeof *watch);
    if (!watch)
        return YOKE_ENOMEM;
    yk_opencl_event_hold(event);
    watch->event = event;
    watch->fn = fn;
    watch->context = context;
    watch->since_ns = yk_clock_ns();
    *out = watch;
    return YOKE_OK;
}

/* ---- callback ---- */

/* Runs in a thread of the driver. It calls fn or wakes the thread last, because everything may be
 * closed then. */
static void on_complete(cl_event handle, cl_int state, void *context)
{
    struct yk_opencl_watch *watch = context;
    struct yk_opencl_device *device = yk_opencl_event_device(watch->event);
    void (*fn)(void *) = watch->fn;
    void *fn_context = watch->context;
    (void)handle;
    yk_opencl_settle(watch->event, state > CL_COMPLETE ? CL_COMPLETE : state);
    if (!fn && !atomic_exchange(&watch->parted, 1)) {
        atomic_fetch_sub(&device->callbacks, 1);
        yk_parker_wake(&watch->parker); /* the woken thread frees the watch */
        return;
    }
    watch_close(watch);
    atomic_fetch_sub(&device->callbacks, 1);
    if (fn)
        fn(fn_context);
}

/* Gives the watch to the driver. On failure closes it. */
static yoke_status watch_register(struct yk_opencl_watch *watch)
{
    struct yk_opencl_device *device = yk_opencl_event_device(watch->event);
    atomic_fetch_add(&device->callbacks, 1);
    cl_int code = device->cl->SetEventCallback(*yk_opencl_event_slot(watch->event), CL_COMPLETE,
                                               on_complete, watch);
    if (code == CL_SUCCESS)
        return YOKE_OK;
    atomic_fetch_sub(&device->callbacks, 1);
    watch_close(watch);
    return yk_opencl_fail(device, code, "asking to be called back");
}

/* Call it if the event is over and the driver has not called back: leaves the watch to the
 * callback, which may still come. */
static void watch_leave(struct yk_opencl_watch *watch)
{
    if (!atomic_exchange(&watch->parted, 1))
        return;
    while (!yk_parker_sleep(&watch->parker, -1)) /* the callback is running */
        ;
    watch_close(watch);
}

static void sleep_until_called(struct yk_event *event)
{
    struct yk_opencl_watch *watch;
    int woken, over = 0;
    if (watch_open(event, NULL, NULL, &watch) != YOKE_OK || watch_register(watch) != YOKE_OK)
        return; /* out of memory, or a driver without callbacks: the caller polls */
    while (!(woken = yk_parker_sleep(&watch->parker, look_again_ns)) && !over)
        over = yk_opencl_look(event) != YK_OPENCL_PENDING; /* if over, sleep once more */
    if (woken)
        watch_close(watch);
    else
        watch_leave(watch);
}

/* ---- poll ---- */

static int64_t interval(int64_t since_ns)
{
    int64_t wanted = (yk_clock_ns() - since_ns) / 16;
    return wanted < interval_least_ns  ? interval_least_ns
           : wanted > interval_most_ns ? interval_most_ns
                                       : wanted;
}

/* Calls the functions of all watches whose events are over. The other watches return to the front
 * of the list, in their order. */
static void sweep(struct yk_opencl_device *device)
{
    yk_lock(&device->watcher.lock);
    struct yk_opencl_watch *list = device->watches, *kept = NULL, **end = &kept;
    device->watches = NULL;
    yk_unlock(&device->watcher.lock);
    while (list) {
        struct yk_opencl_watch *watch = list;
        list = watch->next;
        if (yk_opencl_look(watch->event) == YK_OPENCL_PENDING) {
            watch->next = NULL;
            *end = watch;
            end = &watch->next;
            continue;
        }
        void (*fn)(void *) = watch->fn;
        void *context = watch->context;
        watch_close(watch);
        fn(context);
    }
    yk_lock(&device->watcher.lock);
    *end = device->watches;
    device->watches = kept;
    yk_unlock(&device->watcher.lock);
}

static void watcher_run(void *context)
{
    struct yk_opencl_device *device = context;
    int go_on = 1;
    while (go_on) {
        sweep(device);
        yk_lock(&device->watcher.lock);
        int64_t pause = device->watches ? interval(device->watches->since_ns) : -1;
        go_on = device->watches || !device->watcher.stops;
        yk_unlock(&device->watcher.lock);
        if (go_on)
            yk_parker_sleep(&device->watcher.parker, pause);
    }
}

static yoke_status watch_by_thread(struct yk_opencl_watch *watch)
{
    struct yk_opencl_device *device = yk_opencl_event_device(watch->event);
    yk_lock(&device->watcher.lock);
    yoke_status status = yk_watcher_start(&device->watcher, "yoke-opencl", watcher_run, device);
    if (status == YOKE_OK) {
        struct yk_opencl_watch **end = &device->watches;
        while (*end)
            end = &(*end)->next;
        *end = watch;
    }
    yk_unlock(&device->watcher.lock);
    if (status == YOKE_OK)
        yk_parker_wake(&device->watcher.parker);
    else
        watch_close(watch);
    return status;
}

int yk_opencl_watcher_close(struct yk_opencl_device *device)
{
    yk_watcher_close(&device->watcher);
    for (int i = 0; i < 20000 && atomic_load(&device->callbacks) > 0; ++i)
        yk_clock_sleep_ns(50000);
    if (atomic_load(&device->callbacks) == 0)
        return 1;
    yk_log(YOKE_LOG_WARN, "%s: the driver did not report the end of some operations",
           device->base.desc.name);
    return 0;
}

/* ---- the backend's slots ---- */

yoke_status yk_opencl_wait(struct yk_event *event)
{
    yoke_status outcome;
    int64_t since = yk_clock_ns();
    int state = yk_opencl_look(event);
    if (state == YK_OPENCL_PENDING && yk_opencl_event_device(event)->calls_back)
        sleep_until_called(event);
    while (!yk_opencl_poll(event, &outcome))
        yk_clock_sleep_ns(interval(since));
    return outcome;
}

yoke_status yk_opencl_notify(struct yk_event *event, void (*fn)(void *context), void *context)
{
    struct yk_opencl_watch *watch;
    if (yk_opencl_look(event) != YK_OPENCL_PENDING) {
        fn(context);
        return YOKE_OK;
    }
    yoke_status status = watch_open(event, fn, context, &watch);
    if (status != YOKE_OK)
        return status;
    return yk_opencl_event_device(event)->calls_back ? watch_register(watch)
                                                     : watch_by_thread(watch);
}
