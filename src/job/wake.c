/* wake.c - wakes a runtime's threads. A wake costs its caller some microseconds, so one thread
 * wakes a few others, which wake the rest. Which threads a job needs is decided in call.c.
 */
#include "wake.h"

#include "../platform/thread.h"

/* Returns 1 if a thread of the program steps the host thread's device. It wakes the host thread
 * when it leaves. */
static int is_replaced(const struct yk_worker *worker)
{
    return worker->lane < 0 && atomic_load(&worker->runtime->devices[worker->device].stepped_by) ==
                                   YK_STEPPED_BY_PROGRAM;
}

void yk_wake_sleeper(struct yk_worker *worker)
{
    if (atomic_load(&worker->asleep) && !is_replaced(worker))
        yk_parker_wake(&worker->parker);
}

/* A wake takes its caller about 5 us, which adds up on many cores. So a woken thread helps:
 * runtime.next_to_wake deals out the sleeping threads. The caller itself goes on to the end of the
 * list, so a helper that does not run at once delays no other thread. */
void yk_wake_help(yoke_runtime *runtime)
{
    int count = atomic_load_explicit(&runtime->device_count, memory_order_acquire), d, w;
    while ((w = atomic_fetch_add(&runtime->next_to_wake, 1)) >= 0) {
        /* Host threads come first, because their devices take time to start. */
        for (d = count - 1; d >= 0 && w >= runtime->devices[d].worker_count; d--)
            w -= runtime->devices[d].worker_count;
        if (d < 0)
            return;
        w = (w + atomic_load(&runtime->wake_from)) % runtime->devices[d].worker_count;
        yk_wake_sleeper(&runtime->devices[d].workers[w]);
    }
}

int yk_lane_on(const struct yk_runtime_device *device, int cpu)
{
    int w = 0;
    while (w < device->worker_count && device->workers[w].cpu != cpu)
        w++;
    return w < device->worker_count ? w : -1;
}

/* The worker of the calling thread's core comes last: it may take the core from this thread, which
 * has perhaps another job to submit. (Of two products of 512 rows that were submitted together, one
 * then began 0.8 ms late.) */
void yk_wake_all(yoke_runtime *runtime)
{
    const int count = atomic_load_explicit(&runtime->device_count, memory_order_acquire);
    int d;
    atomic_store(&runtime->wake_from, yk_lane_on(&runtime->devices[0], yk_thread_cpu()) + 1);
    for (d = 0; d < count; d++)
        atomic_fetch_add(&runtime->devices[d].change, 1);
    atomic_store(&runtime->next_to_wake, 0);
    yk_wake_help(runtime);
}

void yk_wake(yoke_runtime *runtime, struct yk_worker *worker)
{
    /* in case the worker is about to sleep */
    atomic_fetch_add(&runtime->devices[worker->device].change, 1);
    yk_wake_sleeper(worker);
}

/* Returns 1 if the device is one of `devices` and works in host memory. */
static int is_core_of(const struct yk_runtime_device *device, uint32_t devices)
{
    return (devices & yk_team_bit(device->number)) && device->device->desc.host_memory;
}

/* A core that is about to sleep first says so, then reads `change` again. So a core that still
 * looks awake after `change` was incremented will look for work: at once if no other job runs. If
 * other jobs run, it may be in a long chunk, so a sleeping core is woken instead. If there are no
 * cores, all threads are woken. */
void yk_wake_few(yoke_runtime *runtime, uint32_t devices, int running)
{
    int count = atomic_load_explicit(&runtime->device_count, memory_order_acquire), d, w, cores = 0;
    struct yk_worker *sleeper = NULL;
    for (d = 0; d < count && !(sleeper && running > 1); d++) {
        struct yk_runtime_device *device = &runtime->devices[d];
        if (!is_core_of(device, devices))
            continue;
        atomic_fetch_add(&device->change, 1);
        for (w = 0; w < device->worker_count && !(sleeper && running > 1); w++) {
            cores++;
            if (atomic_load(&device->workers[w].asleep))
                sleeper = &device->workers[w];
            else if (running == 1)
                return;
        }
    }
    if (sleeper)
        yk_parker_wake(&sleeper->parker);
    else if (!cores)
        yk_wake_all(runtime);
}

static _Thread_local const struct yk_worker *self;

void yk_worker_enter(const struct yk_worker *worker)
{
    self = worker;
}

int yk_is_core(const yoke_runtime *runtime, uint32_t devices)
{
    return self && self->runtime == runtime && self->lane >= 0 &&
           (devices & yk_team_bit(self->device));
}

int yk_is_host_thread(const struct yk_runtime_device *device)
{
    return self && self == device->workers;
}

void yk_wake_devices(yoke_runtime *runtime, uint32_t devices)
{
    int count = atomic_load_explicit(&runtime->device_count, memory_order_acquire), d, w;
    for (d = count - 1; devices && d >= 0; d--)
        for (w = 0; (devices & yk_team_bit(d)) && w < runtime->devices[d].worker_count; w++)
            yk_wake(runtime, &runtime->devices[d].workers[w]);
}

void yk_wake_team(yoke_runtime *runtime, uint32_t devices)
{
    const uint32_t all =
        yk_team_all(atomic_load_explicit(&runtime->device_count, memory_order_acquire));
    if ((devices & all) == all)
        yk_wake_all(runtime);
    else
        yk_wake_devices(runtime, devices);
}
