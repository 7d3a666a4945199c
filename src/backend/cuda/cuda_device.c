/* cuda_device.c - opening a GPU, pinned host memory, and the backend's table. */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../leavable.h"
#include "cuda.h"

static void device_close(struct yk_device *base)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    if (!device)
        return;
    yk_watcher_close(&device->watcher);
    yk_cuda_program_close(base, device->taker);
    int entered = yk_cuda_enter_anyway(device);
    yk_cuda_events_close(device);
    yk_cuda_memory_close(device);
    if (entered)
        yk_cuda_leave(device);
    device->cu->CtxDestroy(device->context);
    yk_mutex_close(&device->pieces_lock);
    yk_free(device);
}

static yoke_status open_failed(const struct yk_device_desc *desc, const struct yk_cuda_api *cu,
                               CUresult code)
{
    const char *cure = "see `nvidia-smi`";
    if (code == CUDA_ERROR_DEVICE_UNAVAILABLE || code == CUDA_ERROR_CONTEXT_ALREADY_IN_USE)
        cure = "another process has it in exclusive mode; end that, or `nvidia-smi -c DEFAULT`";
    if (code == CUDA_ERROR_OUT_OF_MEMORY)
        cure = "its memory is taken by other processes; `nvidia-smi` lists them";
    if (code == CUDA_ERROR_MPS_CONNECTION_FAILED)
        cure = "the MPS server does not answer";
    return yk_fail(YOKE_EDEVICE, "%s (%s) cannot be opened: %s; %s", desc->name, desc->model,
                   yk_cuda_code_name(cu, code), cure);
}

static CUresult open_context(struct yk_cuda_device *device)
{
    const struct yk_cuda_api *cu = device->cu;
    struct yk_cuda_warming warming;
    CUcontext context;
    int major = 0, minor = 0, shared = 0;
    CUresult code = cu->DeviceGet(&device->handle, device->base.desc.index);
    if (code == CUDA_SUCCESS)
        code = cu->DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                      device->handle);
    if (code == CUDA_SUCCESS)
        code = cu->DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                      device->handle);
    device->arch = 10 * major + minor;
    if (cu->DeviceGetAttribute(&shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
                               device->handle) == CUDA_SUCCESS)
        device->shared_bytes = shared;
    if (code != CUDA_SUCCESS)
        return code;
    yk_cuda_warm_begin(device, &warming);
    code = cu->CtxCreate(&device->context, CU_CTX_SCHED_BLOCKING_SYNC, device->handle);
    if (code == CUDA_SUCCESS) /* cuCtxCreate pushes the context */
        cu->CtxPopCurrent(&context);
    yk_cuda_warm_end(&warming);
    return code;
}

static yoke_status open_parts(struct yk_cuda_device *device)
{
    yoke_status status = yk_cuda_enter(device);
    if (status != YOKE_OK)
        return status;
    status = yk_cuda_events_open(device);
    if (status == YOKE_OK)
        yk_cuda_memory_open(device);
    yk_cuda_leave(device);
    return status;
}

static yoke_status device_open(const struct yk_device_desc *desc, struct yk_device **out)
{
    const struct yk_cuda_driver *driver;
    yoke_status status = yk_cuda_load(&driver);
    if (status != YOKE_OK)
        return status;
    struct yk_cuda_device *device = yk_calloc(1, sizeof *device);
    if (!device)
        return YOKE_ENOMEM;
    device->base.backend = &yk_backend_cuda;
    device->base.desc = *desc;
    device->base.desc.settings = NULL; /* the list, which owns them, may be freed before */
    device->cu = &driver->api;
    CUresult code = open_context(device);
    if (code != CUDA_SUCCESS) {
        yk_free(device);
        return open_failed(desc, &driver->api, code);
    }
    status = yk_mutex_open(&device->event_lock);
    if (status != YOKE_OK)
        goto destroy_context;
    status = yk_mutex_open(&device->pieces_lock);
    if (status != YOKE_OK)
        goto close_lock;
    status = yk_cuda_watcher_open(device);
    if (status != YOKE_OK)
        goto close_locks;
    status = open_parts(device);
    if (status != YOKE_OK) {
        device_close(&device->base);
        return status;
    }
    *out = &device->base;
    return YOKE_OK;
close_locks:
    yk_mutex_close(&device->pieces_lock);
close_lock:
    yk_mutex_close(&device->event_lock);
destroy_context:
    device->cu->CtxDestroy(device->context);
    yk_free(device);
    return status;
}

/* ---- host memory ---- */

/* Whether the driver has pinned the page of `host`. */
static int is_pinned(const struct yk_cuda_device *device, const void *host)
{
    unsigned type = 0;
    return device->cu->PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                           (CUdeviceptr)(uintptr_t)host) == CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_HOST;
}

static const void *device_pinned_until(struct yk_device *base, const void *host)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    const CUdeviceptr address = (CUdeviceptr)(uintptr_t)host;
    CUdeviceptr first = 0;
    size_t bytes = 0;
    if (yk_cuda_enter(device) != YOKE_OK)
        return NULL;
    const int is_known =
        is_pinned(device, host) &&
        device->cu->PointerGetAttribute(&first, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address) ==
            CUDA_SUCCESS &&
        device->cu->PointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address) ==
            CUDA_SUCCESS;
    yk_cuda_leave(device);
    return is_known && first <= address && address - first < bytes
               ? (const void *)(uintptr_t)(first + bytes)
               : NULL;
}

static yoke_status device_pin(struct yk_device *base, void *host, int64_t bytes, int *foreign)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    yoke_status status = yk_cuda_enter(device);
    *foreign = 0;
    if (status != YOKE_OK)
        return status;
    CUresult code = device->cu->MemHostRegister(host, (size_t)bytes, CU_MEMHOSTREGISTER_PORTABLE);
    if (code == CUDA_ERROR_INVALID_VALUE && is_pinned(device, host))
        code = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED; /* the driver reports memory of
                                                           * cuMemHostAlloc as invalid */
    yk_cuda_leave(device);
    switch (code) {
    case CUDA_SUCCESS:
        return YOKE_OK;
    case CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
        *foreign = 1;
        return yk_fail(YOKE_EINVAL, "%s: %lld bytes at %p are pinned already", base->desc.name,
                       (long long)bytes, host);
    case CUDA_ERROR_NOT_PERMITTED:
        return yk_fail(YOKE_EINVAL, "%s: %lld bytes at %p may not be pinned", base->desc.name,
                       (long long)bytes, host);
    default:
        return yk_cuda_refuse(device, code, "pinning host memory");
    }
}

static void device_unpin(struct yk_device *base, void *host)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    if (!yk_cuda_enter_anyway(device))
        return;
    device->cu->MemHostUnregister(host);
    yk_cuda_leave(device);
}

static yoke_status device_host_alloc(struct yk_device *base, int64_t bytes, void **out)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    yoke_status status = yk_cuda_enter(device);
    void *host;
    if (status != YOKE_OK)
        return status;
    CUresult code = device->cu->MemHostAlloc(&host, (size_t)bytes, CU_MEMHOSTALLOC_PORTABLE);
    yk_cuda_leave(device);
    if (code != CUDA_SUCCESS)
        return yk_cuda_fail(device, code, "allocating pinned host memory");
    *out = host;
    return YOKE_OK;
}

static void device_host_free(struct yk_device *base, void *host)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    if (!host || !yk_cuda_enter_anyway(device))
        return;
    device->cu->MemFreeHost(host);
    yk_cuda_leave(device);
}

YK_LEAVABLE_SLOTS(cuda)

const struct yk_backend yk_backend_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs through their driver and NVRTC",
    .options = yk_cuda_options,
    .settings_bytes = sizeof(struct yk_cuda_settings),
    .find = yk_cuda_find,
    .hides = yk_cuda_hides,
    .open = device_open,
    .close = device_close,
    .alloc = yk_cuda_alloc,
    .free = yk_cuda_free,
    .memory_free = yk_cuda_memory_free,
    .commit = yk_cuda_commit,
    .reserve = yk_cuda_reserve,
    .decommit = yk_cuda_decommit,
    .pin = device_pin,
    .pinned_until = device_pinned_until,
    .unpin = device_unpin,
    .host_alloc = device_host_alloc,
    .host_free = device_host_free,
    .queue_open = yk_cuda_queue_open,
    .queue_close = yk_cuda_queue_close,
    .reach = yk_cuda_reach,
    .copy = leavable_copy,
    .zero = leavable_zero,
    .build = yk_cuda_build,
    .program_close = yk_cuda_program_close,
    .launch = leavable_launch,
    .poll = leavable_poll,
    .wait = leavable_wait,
    .notify = leavable_notify,
    .event_times = yk_cuda_event_times,
    .event_close = leavable_event_close,
    .event_hold = yk_cuda_event_hold,
};
