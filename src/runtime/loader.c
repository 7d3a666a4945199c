/* loader.c - see loader.h.
 *
 *     sleeps --> loads for a runtime --> joined, when all devices are there
 *       |                              --> left, when the runtime closes before
 *       '--> joined at once, when the runtime closes before it is due
 *     left   --> sleeps for the next runtime
 *            --> ended --> joined
 *
 * Starting a driver and making its contexts takes 0.1 to 0.5 s and cannot be broken off, so a
 * thread that was left ends after the call it is in. The thread that closes the runtime installs an
 * exit handler that joins it, because a driver that is torn down while a thread is inside it may
 * crash. dlclose of the library runs that handler, too.
 *
 * A loader's lock is held while a device joins a runtime, so no runtime leaves in that time. The
 * static lock is taken first.
 */

#include "loader.h"

#include <pthread.h>
#include <stdlib.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../life/admit.h"
#include "../platform/clock.h"
#include "device.h"
#include "loading.h"

struct yk_loader {
    yk_mutex lock;
    yoke_runtime *runtime; /* under lock; NULL: the loader was left */
    unsigned turn;         /* incremented for every runtime; under lock */
    int64_t due_ns;        /* when to begin, by yk_clock_ns; under lock */
    int begun;             /* 1: the thread no longer sleeps and may be in a driver; under lock */
    int ended;             /* 1: the thread takes no further runtime; under lock */
    struct yk_parker parker;
    struct yk_thread thread;
    int guarded;            /* 1: an exit handler joins it */
    struct yk_loader *next; /* in the list of loaders that were left */
};

static yk_mutex lock = YK_MUTEX_INITIAL;
static struct yk_loader *left; /* under the static lock */

/* Adds the device to the runtime, or closes it. Returns 0 if the loader was left since that turn
 * began. */
static int hand_over(struct yk_loader *loader, unsigned turn, struct yk_device *device)
{
    int serves;
    yk_lock(&loader->lock);
    serves = loader->runtime && loader->turn == turn;
    if (!serves)
        device->backend->close(device);
    else if (yk_runtime_add_device(loader->runtime, device) != YOKE_OK)
        yk_runtime_say_left_out(&device->desc);
    else
        yk_jobs_admit(loader->runtime);
    yk_unlock(&loader->lock);
    return serves;
}

static int serves(struct yk_loader *loader, unsigned turn)
{
    int yes;
    yk_lock(&loader->lock);
    yes = loader->runtime && loader->turn == turn;
    yk_unlock(&loader->lock);
    return yes;
}

/* The runtime has all its devices, unless the loader was left since that turn began. */
static void end_turn(struct yk_loader *loader, unsigned turn)
{
    yk_lock(&loader->lock);
    if (loader->runtime && loader->turn == turn)
        yk_jobs_admit_no_more(loader->runtime);
    yk_unlock(&loader->lock);
}

/* Returns how long to sleep until the load of that turn is due; 0: not at all. Sets *loads to 1 if
 * there is something to load. */
static int64_t begin_or_wait(struct yk_loader *loader, unsigned turn, int *loads)
{
    int64_t wait_ns = 0;
    yk_lock(&loader->lock);
    *loads = 0;
    if (loader->runtime && loader->turn == turn) {
        wait_ns = loader->due_ns - yk_clock_ns();
        if (wait_ns > 0 && yk_loading_foresees(loader->runtime))
            wait_ns = 0;
        loader->begun = wait_ns <= 0;
        *loads = loader->begun && yk_loading_begins(loader->runtime);
    }
    yk_unlock(&loader->lock);
    return wait_ns > 0 ? wait_ns : 0;
}

/* A job that runs may turn out to be long, so the loader looks at it meanwhile, each time when
 * twice as much time has passed. */
static int sleep_until_due(struct yk_loader *loader, unsigned turn)
{
    int64_t wait_ns, look_ns = yk_loading_look_ns();
    int loads;
    while ((wait_ns = begin_or_wait(loader, turn, &loads)) > 0) {
        yk_parker_sleep(&loader->parker, wait_ns < look_ns ? wait_ns : look_ns);
        look_ns *= 2;
    }
    return loads;
}

static void load_for(struct yk_loader *loader, unsigned turn)
{
    struct yk_device_list list = { 0 };
    yoke_status status = yk_devices_find(NULL, &list);
    int i;
    if (status != YOKE_OK)
        yk_log(YOKE_LOG_WARN, "looking for GPUs failed: %s", yoke_error_text());
    for (i = 0; status == YOKE_OK && i < list.count && serves(loader, turn); i++) {
        struct yk_device *device;
        if (list.items[i].host_memory)
            continue;
        if (yk_runtime_open_device(&list.items[i], &device) != YOKE_OK)
            yk_runtime_say_left_out(&list.items[i]);
        else if (!hand_over(loader, turn, device))
            break;
    }
    yk_device_list_close(&list);
}

static void load(void *context)
{
    struct yk_loader *loader = context;
    unsigned served = 0;
    yk_lock(&loader->lock);
    while (loader->runtime && loader->turn != served) {
        served = loader->turn;
        yk_unlock(&loader->lock);
        if (sleep_until_due(loader, served))
            load_for(loader, served);
        end_turn(loader, served);
        yk_lock(&loader->lock);
        loader->begun = 0;
    }
    loader->ended = 1;
    yk_unlock(&loader->lock);
}

void yk_loader_join(struct yk_loader *loader)
{
    yk_thread_join(&loader->thread);
    yk_mutex_close(&loader->lock);
    yk_free(loader);
}

static int has_ended(struct yk_loader *loader)
{
    int ended;
    yk_lock(&loader->lock);
    ended = loader->ended;
    yk_unlock(&loader->lock);
    return ended;
}

/* Joins threads that have ended; with `all` waits for the others, too. With the static lock
 * held. */
static void reap(int all)
{
    struct yk_loader **at = &left, *loader;
    while ((loader = *at)) {
        if (!all && !has_ended(loader)) {
            at = &loader->next;
            continue;
        }
        *at = loader->next;
        yk_loader_join(loader);
    }
}

void yk_loaders_join(void)
{
    yk_lock(&lock);
    reap(1);
    yk_unlock(&lock);
}

/* A child of fork does not have the parent's threads. */
static void forget_in_child(void)
{
    static const yk_mutex fresh = YK_MUTEX_INITIAL;
    lock = fresh; /* another thread may have held it */
    left = NULL;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_in_child);
}

/* Returns a loader that was left and still runs. It serves the runtime from now on. NULL: there is
 * none. */
static struct yk_loader *adopt(yoke_runtime *runtime, int64_t due_ns)
{
    struct yk_loader *loader;
    yk_lock(&lock);
    reap(0);
    loader = left;
    if (loader) {
        yk_lock(&loader->lock);
        if (loader->ended) {
            yk_unlock(&loader->lock);
            loader = NULL; /* it has just ended */
        } else {
            left = loader->next;
            loader->runtime = runtime;
            loader->due_ns = due_ns;
            loader->turn++;
            yk_unlock(&loader->lock);
        }
    }
    yk_unlock(&lock);
    return loader;
}

static yoke_status start(yoke_runtime *runtime, int64_t due_ns, struct yk_loader **out)
{
    struct yk_loader *loader = yk_calloc(1, sizeof *loader);
    const struct yk_thread_spec spec = {
        .name = "yk-loader", .cpu = -1, .run = load, .context = loader
    };
    yoke_status status;
    if (!loader)
        return YOKE_ENOMEM;
    loader->runtime = runtime;
    loader->due_ns = due_ns;
    loader->turn = 1;
    status = yk_mutex_open(&loader->lock);
    if (status != YOKE_OK)
        goto free_loader;
    status = yk_thread_open(&spec, &loader->thread);
    if (status != YOKE_OK)
        goto close_lock;
    *out = loader;
    return YOKE_OK;
close_lock:
    yk_mutex_close(&loader->lock);
free_loader:
    yk_free(loader);
    return status;
}

yoke_status yk_loader_start(yoke_runtime *runtime, int64_t due_ns, struct yk_loader **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct yk_loader *loader;
    pthread_once(&once, watch_forks);
    loader = adopt(runtime, due_ns);
    if (!loader)
        return start(runtime, due_ns, out);
    *out = loader;
    return YOKE_OK;
}

void yk_loader_hurry(struct yk_loader *loader)
{
    yk_lock(&loader->lock);
    loader->due_ns = 0;
    yk_unlock(&loader->lock);
    yk_parker_wake(&loader->parker);
}

void yk_loader_leave(struct yk_loader *loader)
{
    int begun;
    yk_lock(&loader->lock);
    loader->runtime = NULL;
    begun = loader->begun;
    yk_unlock(&loader->lock);
    yk_parker_wake(&loader->parker);
    if (begun && !loader->guarded)
        loader->guarded = atexit(yk_loaders_join) == 0;
    if (!begun || !loader->guarded) {
        yk_loader_join(loader);
        return;
    }
    yk_lock(&lock);
    loader->next = left;
    left = loader;
    yk_unlock(&lock);
}

int yk_loaders_left(void)
{
    const struct yk_loader *loader;
    int count = 0;
    yk_lock(&lock);
    reap(0);
    for (loader = left; loader; loader = loader->next)
        count++;
    yk_unlock(&lock);
    return count;
}
