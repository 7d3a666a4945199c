/* device.c - finds the runtime's devices, opens them with queues and threads, and closes them.
 *
 * CPU devices open at once. GPUs that were not named are found and opened by a separate thread
 * (loader.c), because loading a driver takes from tens of milliseconds to seconds. Each takes part
 * in the jobs that begin after it has joined.
 */

#include "device.h"

#include "../backend/guard/guard_device.h"
#include "../backend/stalled.h"
#include "../base/alloc.h"
#include "../base/status.h"
#include "../flight/step_memory.h"
#include "../job/kernel.h"
#include "../work/worker.h"
#include "loading.h"
#include "tracing.h"

#ifdef YK_CHECKED
int yk_check_devices = 1;
#else
int yk_check_devices = 0;
#endif

static yoke_status open_queues(struct yk_runtime_device *device)
{
    const struct yk_backend *backend = device->device->backend;
    int lane;
    yoke_status status = YOKE_OK;
    device->queues = yk_calloc((size_t)device->lanes, sizeof *device->queues);
    if (!device->queues)
        return YOKE_ENOMEM;
    for (lane = 0; lane < device->lanes && status == YOKE_OK; lane++)
        status = backend->queue_open(device->device, &device->queues[lane]);
    return status;
}

static void close_queues(struct yk_runtime_device *device)
{
    int lane;
    for (lane = 0; device->queues && lane < device->lanes; lane++)
        if (device->queues[lane])
            device->device->backend->queue_close(device->queues[lane]);
    yk_free(device->queues);
    yk_free(device->tracks);
    device->queues = NULL;
    device->tracks = NULL;
}

static int has_cpu(const yoke_runtime *runtime)
{
    int d, count = atomic_load(&runtime->device_count), found = 0;
    for (d = 0; d < count; d++)
        found |= runtime->devices[d].device->desc.host_memory;
    return found;
}

static int lanes_of(const yoke_runtime *runtime, const struct yk_device_desc *desc)
{
    int lanes = desc->lanes > 0 ? desc->lanes : 1;
    if (!desc->host_memory || desc->virtual_clock)
        return lanes;
    if (runtime->threads > 0)
        return runtime->threads;
    return has_cpu(runtime) ? lanes : lanes + runtime->extra_lanes;
}

static yoke_status fits_clock(const yoke_runtime *runtime, const struct yk_device *device)
{
    if (atomic_load(&runtime->device_count) == 0 ||
        runtime->virtual_clock == device->desc.virtual_clock)
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   "%s: simulated and real devices cannot work together, their clocks "
                   "differ; name only one kind (the cores beside simulated GPUs are sim:cpu)",
                   device->desc.name);
}

yoke_status yk_runtime_add_device(yoke_runtime *runtime, struct yk_device *device)
{
    int index = atomic_load(&runtime->device_count);
    struct yk_runtime_device *entry = &runtime->devices[index];
    yoke_status status = fits_clock(runtime, device);
    if (status == YOKE_OK && index == YK_PLACES - 1)
        status = yk_fail(YOKE_EINVAL, "%s: a runtime has at most %d devices", device->desc.name,
                         YK_PLACES - 1);
    if (status != YOKE_OK) {
        device->backend->close(device);
        return status;
    }
    *entry = (struct yk_runtime_device){ .place = &runtime->places.items[index],
                                         .number = index,
                                         .lanes = lanes_of(runtime, &device->desc) };
    status = yk_place_open(device, device->desc.host_memory ? YK_HOST : index + 1, entry->place);
    if (status != YOKE_OK)
        return status;
    entry->device = device;
    atomic_init(&entry->late_ns, YK_WAKE_NS);
    status = yk_mutex_open(&entry->admission);
    if (status != YOKE_OK)
        goto close_place;
    status = yk_mutex_open(&entry->stall_lock);
    if (status != YOKE_OK)
        goto close_admission;
    status = open_queues(entry);
    if (status != YOKE_OK)
        goto close_queues;
    if (runtime->trace) {
        status = yk_runtime_open_tracks(runtime, entry);
        if (status != YOKE_OK)
            goto close_queues;
    }
    if (device->desc.virtual_clock) {
        runtime->virtual_clock = 1;
        runtime->clock = device->backend;
    }
    yk_places_connect(&runtime->places, index);
    /* release: pairs with the acquire of threads that walk the devices; workers may start right
     * away */
    atomic_store_explicit(&runtime->places.count, index + 1, memory_order_release);
    if (!device->desc.virtual_clock) {
        status = yk_workers_open(runtime, entry);
        if (status != YOKE_OK)
            goto close_workers;
    }
    atomic_store_explicit(&runtime->device_count, index + 1, memory_order_release);
    return YOKE_OK;
close_workers:
    if (entry->worker_count >
        0) /* only CPU devices have threads that run by now, and they are opened first */
        atomic_store(&runtime->stop, 1);
    yk_workers_join(entry);
    yk_workers_close(entry);
    atomic_store(&runtime->places.count, index);
close_queues:
    close_queues(entry);
    yk_mutex_close(&entry->stall_lock);
close_admission:
    yk_mutex_close(&entry->admission);
close_place:
    yk_place_close(entry->place);
    return status;
}

yoke_status yk_runtime_open_device(const struct yk_device_desc *desc, struct yk_device **out)
{
    yoke_status status = desc->backend->open(desc, out);
    return status == YOKE_OK && yk_check_devices ? yk_backend_check(*out, out) : status;
}

void yk_runtime_say_left_out(const struct yk_device_desc *desc)
{
    yk_log(YOKE_LOG_WARN, "%s is left out: %s", desc->name, yoke_error_text());
}

/* NAMED: all listed devices must open. THERE: those that do not open are left out. */
enum choice { NAMED, THERE };

static yoke_status add_all(yoke_runtime *runtime, const struct yk_device_list *list,
                           enum choice choice)
{
    yoke_status status = YOKE_OK;
    int i;
    for (i = 0; i < list->count && status == YOKE_OK; i++) {
        const struct yk_device_desc *desc = &list->items[i];
        struct yk_device *device;
        status = yk_runtime_open_device(desc, &device);
        if (status == YOKE_OK)
            status = yk_runtime_add_device(runtime, device);
        if (status != YOKE_OK && choice != NAMED && !desc->host_memory) {
            yk_runtime_say_left_out(desc);
            status = YOKE_OK; /* the other devices may do */
        }
    }
    return status;
}

/* Notes what all devices need of the CPU's threads, before the first one gets its threads. */
static void note_wishes(yoke_runtime *runtime, const struct yk_device_list *list)
{
    int i;
    for (i = 0; i < list->count; i++) {
        int lanes = list->items[i].lanes > 0 ? list->items[i].lanes : 1;
        if (!list->items[i].host_memory)
            runtime->extra_lanes += runtime->streams < lanes ? (int)runtime->streams : lanes;
        runtime->roams |= list->items[i].ignores_affinity;
    }
}

/* Starts only the device that checks, whichever devices were asked for. */
static yoke_status start_guard(yoke_runtime *runtime, const char *devices)
{
    struct yk_device_desc desc;
    struct yk_device_list list = { .items = &desc, .count = 1 };
    yk_guard_describe(&desc);
    yk_log(devices && *devices ? YOKE_LOG_WARN : YOKE_LOG_INFO,
           "checking (YOKE_CHECK): kernels run on guarded copies, on one core%s%s",
           devices && *devices ? " instead of " : "", devices ? devices : "");
    return add_all(runtime, &list, NAMED);
}

yoke_status yk_runtime_start_devices(yoke_runtime *runtime, const char *devices,
                                     yoke_loading loading)
{
    int by_name = devices && *devices;
    /* with streams the number of threads depends on the GPUs, so all drivers are loaded now */
    int at_once = by_name || runtime->streams > 0;
    struct yk_device_list list = { 0 };
    yoke_status status;
    if (runtime->checks)
        return start_guard(runtime, devices);
    status = yk_devices_find(at_once ? devices : "cpu", &list);
    note_wishes(runtime, &list);
    if (status == YOKE_OK)
        status = add_all(runtime, &list, by_name ? NAMED : THERE);
    yk_device_list_close(&list);
    return status == YOKE_OK && !at_once ? yk_loading_open(runtime, loading) : status;
}

void yk_runtime_close_devices(yoke_runtime *runtime)
{
    int d, count = atomic_load(&runtime->device_count);
    for (d = count - 1; d >= 0; d--)
        yk_workers_join(&runtime->devices[d]);
    yk_kernels_close(&runtime->kernels, &runtime->places);
    for (d = count - 1; d >= 0; d--) {
        struct yk_runtime_device *device = &runtime->devices[d];
        const int is_left = yk_device_is_left(device->device);
        close_queues(device);
        yk_steps_forget_device(device);
        yk_mutex_close(&device->stall_lock);
        yk_mutex_close(&device->admission);
        yk_place_close(device->place);
        if (!is_left) /* otherwise its driver may still wake them */
            yk_workers_close(device);
    }
}
