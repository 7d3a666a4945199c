/* opencl_device.c - opening a device: its context and its memory; and the backend's table.
 *
 * Each device has its own context, so that a device that fails does not affect others. Drivers
 * allocate lazily: clCreateBuffer succeeds, and the kernel that first uses the memory fails. So
 * memory is counted here, and a GPU is made to allocate at once by migrating the new buffer to it.
 * The caller then learns that memory is exhausted while it can still evict something. A device that
 * is the CPU uses the host's memory, where the first touch may meet the kernel's OOM killer
 * instead: there the host's available memory is the limit.
 */
#include "../../base/alloc.h"
#include "../../base/process_lock.h"
#include "../../base/status.h"
#include "../../platform/topology.h"
#include "../leavable.h"
#include "opencl.h"

/* Parts of devices (units=), which are never released: a thread of PoCL 3.1 may still use a part
 * after everything made with it has been released, and would crash. */
static struct yk_process_lock parts_lock = YK_PROCESS_LOCK_INITIAL;
static struct {
    cl_device_id whole, part;
    int64_t units;
} parts[64];
static int part_count;

static yoke_status take_units(struct yk_opencl_device *device, int64_t units)
{
    const intptr_t by_counts[] = { CL_DEVICE_PARTITION_BY_COUNTS, (intptr_t)units, 0, 0 };
    cl_int code = CL_SUCCESS;
    int i = 0;
    yk_process_lock(&parts_lock);
    while (i < part_count && (parts[i].whole != device->handle || parts[i].units != units))
        ++i;
    if (i == (int)(sizeof parts / sizeof *parts))
        code = CL_OUT_OF_HOST_MEMORY;
    else if (i == part_count) {
        code = device->cl->CreateSubDevices(device->handle, by_counts, 1, &parts[i].part, NULL);
        parts[i].whole = device->handle;
        parts[i].units = units;
        part_count += code == CL_SUCCESS;
    }
    if (code == CL_SUCCESS)
        device->handle = parts[i].part;
    yk_process_unlock(&parts_lock);
    if (code == CL_SUCCESS)
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   "%s: the driver cannot set %d compute units apart (%s); leave out units=",
                   device->base.desc.name, (int)units, yk_opencl_code_name(code));
}

static yoke_status open_context(struct yk_opencl_device *device)
{
    cl_int code;
    cl_ulong allocation_max = 0;
    device->context = device->cl->CreateContext(NULL, 1, &device->handle, NULL, NULL, &code);
    if (!device->context)
        return yk_opencl_fail(device, code, "opening a context");
    device->errands = device->cl->CreateCommandQueue(device->context, device->handle,
                                                     CL_QUEUE_PROFILING_ENABLE, &code);
    if (!device->errands)
        return yk_opencl_fail(device, code, "opening a queue");
    code = device->cl->GetDeviceInfo(device->handle, CL_DEVICE_MAX_MEM_ALLOC_SIZE,
                                     sizeof allocation_max, &allocation_max, NULL);
    if (code == CL_SUCCESS)
        code = device->cl->GetDeviceInfo(device->handle, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                         sizeof device->group_items_max, &device->group_items_max,
                                         NULL);
    if (code != CL_SUCCESS)
        return yk_opencl_fail(device, code, "asking for its limits");
    /* For a GPU the limit is left to its driver: NVIDIA's reports a quarter of the memory as the
     * limit, but accepts all of it. */
    device->allocation_bytes_max =
        device->base.desc.is_cpu ? (int64_t)allocation_max : device->base.desc.memory_bytes;
    return yk_opencl_clock_compare(device);
}

static void device_close(struct yk_device *base)
{
    struct yk_opencl_device *device = (struct yk_opencl_device *)base;
    if (!device)
        return;
    yk_opencl_host_close(device);
    int unused = yk_opencl_watcher_close(device);
    if (device->errands)
        device->cl->ReleaseCommandQueue(device->errands);
    if (device->context)
        device->cl->ReleaseContext(device->context);
    if (unused)
        yk_free(device);
}

/* Gives the device a table without the slots that `pin` excludes: those of pinning, or of pinning
 * and staging. */
static void choose_slots(struct yk_opencl_device *device, int pin)
{
    device->table = yk_backend_opencl;
    if (pin != YK_OPENCL_PIN_YES) {
        device->table.pin = NULL;
        device->table.unpin = NULL;
    }
    if (pin == YK_OPENCL_PIN_NO) {
        device->table.host_alloc = NULL;
        device->table.host_free = NULL;
    }
    device->base.backend = &device->table;
}

static yoke_status device_open(const struct yk_device_desc *desc, struct yk_device **out)
{
    const struct yk_opencl_settings *settings = desc->settings;
    struct yk_opencl_device *device = yk_calloc(1, sizeof *device);
    if (!device)
        return YOKE_ENOMEM;
    int pin = settings ? settings->pin : YK_OPENCL_PIN_NO;
    choose_slots(device, pin);
    device->base.desc = *desc;
    device->base.desc.settings = NULL; /* the list, which owns them, may be freed before */
    int wake = settings ? settings->wake : YK_OPENCL_WAKE_AUTO;
    device->calls_back =
        wake == YK_OPENCL_WAKE_AUTO ? desc->is_cpu : wake == YK_OPENCL_WAKE_CALLBACK;
    yoke_status status = yk_watcher_open(&device->watcher);
    if (status != YOKE_OK) {
        yk_free(device);
        return status;
    }
    status = yk_opencl_handle(device);
    if (status == YOKE_OK && settings && settings->units)
        status = take_units(device, settings->units);
    if (status == YOKE_OK)
        status = open_context(device);
    if (status == YOKE_OK && pin != YK_OPENCL_PIN_NO)
        status = yk_opencl_host_open(device);
    if (status != YOKE_OK) {
        device_close(&device->base);
        return status;
    }
    *out = &device->base;
    return YOKE_OK;
}

static int64_t memory_left(const struct yk_opencl_device *device)
{
    int64_t left = device->base.desc.memory_bytes - device->memory_used;
    if (device->base.desc.is_cpu) {
        int64_t host = yk_memory_available();
        left = host < left ? host : left;
    }
    return left > 0 ? left : 0;
}

static int64_t device_memory_free(struct yk_device *base)
{
    return memory_left((struct yk_opencl_device *)base);
}

/* Makes the driver allocate the memory now. */
static cl_int touch(struct yk_opencl_device *device, cl_mem memory)
{
    cl_int code = device->cl->EnqueueMigrateMemObjects(
        device->errands, 1, &memory, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = device->cl->Finish(device->errands);
    return code == CL_OUT_OF_RESOURCES ? CL_MEM_OBJECT_ALLOCATION_FAILURE : code;
}

static yoke_status device_alloc(struct yk_device *base, int64_t bytes, struct yk_buffer **out)
{
    struct yk_opencl_device *device = (struct yk_opencl_device *)base;
    yoke_status status = yk_opencl_alive(device);
    if (status != YOKE_OK)
        return status;
    int64_t left = memory_left(device);
    if (bytes > left || bytes > device->allocation_bytes_max)
        return yk_fail(YOKE_ENOMEM,
                       "%s: %lld bytes asked for, %lld of %lld free and at most %lld at a time; "
                       "free some, or raise mem=",
                       base->desc.name, (long long)bytes, (long long)left,
                       (long long)base->desc.memory_bytes, (long long)device->allocation_bytes_max);
    struct yk_buffer *buffer = yk_calloc(1, sizeof *buffer);
    if (!buffer)
        return YOKE_ENOMEM;
    cl_int code;
    buffer->memory =
        device->cl->CreateBuffer(device->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    if (buffer->memory && !base->desc.is_cpu) {
        code = touch(device, buffer->memory);
        if (code != CL_SUCCESS)
            device->cl->ReleaseMemObject(buffer->memory);
    }
    if (!buffer->memory || code != CL_SUCCESS) {
        yk_free(buffer);
        return yk_opencl_fail(device, code, "allocating memory");
    }
    buffer->bytes = bytes;
    device->memory_used += bytes;
    *out = buffer;
    return YOKE_OK;
}

static void device_free(struct yk_device *base, struct yk_buffer *buffer)
{
    struct yk_opencl_device *device = (struct yk_opencl_device *)base;
    if (!buffer)
        return;
    device->cl->ReleaseMemObject(buffer->memory);
    device->memory_used -= buffer->bytes;
    yk_free(buffer);
}

YK_LEAVABLE_SLOTS(opencl)

const struct yk_backend yk_backend_opencl = {
    .name = "opencl",
    .summary = "GPUs, and CPUs if named, through their OpenCL 1.2 drivers",
    .options = yk_opencl_options,
    .settings_bytes = sizeof(struct yk_opencl_settings),
    .find = yk_opencl_find,
    .open = device_open,
    .close = device_close,
    .alloc = device_alloc,
    .free = device_free,
    .memory_free = device_memory_free,
    .pin = yk_opencl_pin,
    .unpin = yk_opencl_host_release,
    .host_alloc = yk_opencl_host_alloc,
    .host_free = yk_opencl_host_release,
    .queue_open = yk_opencl_queue_open,
    .queue_close = yk_opencl_queue_close,
    .copy = leavable_copy,
    .zero = leavable_zero,
    .build = yk_opencl_build,
    .program_close = yk_opencl_program_close,
    .launch = leavable_launch,
    .poll = leavable_poll,
    .wait = leavable_wait,
    .notify = leavable_notify,
    .event_times = yk_opencl_event_times,
    .event_close = leavable_event_close,
};
