/* opencl_host.c - host memory that the device's copy engine reaches directly.
 *
 * OpenCL has no call that pins. But while a buffer is mapped, a driver pins its host side, which is
 * existing memory (CL_MEM_USE_HOST_PTR) or the driver's own (CL_MEM_ALLOC_HOST_PTR). So each pinned
 * piece has a buffer, which is mapped as long as the piece is pinned and is used for nothing else:
 * copies use addresses in the piece, and no kernel sees the buffer. Buffers belong to a context,
 * and a context to one device; other devices see ordinary memory.
 *
 * A buffer over existing memory has contents: those of the memory when the buffer was made. The
 * standard allows a driver to restore them when it maps the buffer, over what the program or a copy
 * has written there meanwhile. NVIDIA's seems to do so: in a saxpy of 268,435,456 floats on an
 * H100, 30,704 consecutive results, up to a page's end, were lost where memory was being pinned
 * while they came home. So the program's memory is pinned only on request (pin=yes), for drivers
 * known to leave it alone, such as PoCL. The buffer is mapped with CL_MAP_WRITE_INVALIDATE_REGION,
 * which gives up its contents and so needs no copy. Staging buffers (CL_MEM_ALLOC_HOST_PTR) are
 * mapped before they have contents.
 *
 * Mapping takes as long as pinning (90 us per MiB), so it has its own queue. memory_used does not
 * count what the driver allocates on the device for these buffers.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "opencl.h"

struct yk_opencl_host {
    void *memory;
    cl_mem buffer;
    struct yk_opencl_host *next;
};

struct piece {
    cl_bitfield flags; /* CL_MEM_USE_HOST_PTR or CL_MEM_ALLOC_HOST_PTR */
    void *memory;      /* NULL for CL_MEM_ALLOC_HOST_PTR */
    int64_t bytes;
    const char *what; /* what is being tried, for messages */
};

yoke_status yk_opencl_host_open(struct yk_opencl_device *device)
{
    yoke_status status = yk_mutex_open(&device->host_lock);
    if (status != YOKE_OK)
        return status;
    status = yk_opencl_queue_open(&device->base, &device->pinning);
    if (status != YOKE_OK)
        yk_mutex_close(&device->host_lock);
    return status;
}

void yk_opencl_host_close(struct yk_opencl_device *device)
{
    if (!device->pinning)
        return;
    yk_opencl_queue_close(device->pinning);
    yk_mutex_close(&device->host_lock);
}

/* If the driver cannot pin more, the device is not lost, although CL_OUT_OF_RESOURCES elsewhere
 * means that. */
static yoke_status refuse(struct yk_opencl_device *device, cl_int code, const struct piece *piece)
{
    switch (code) {
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
    case CL_MAP_FAILURE:
        return yk_fail(YOKE_ENOMEM, "%s: %s: the driver has no room for %lld bytes more (%s)",
                       device->base.desc.name, piece->what, (long long)piece->bytes,
                       yk_opencl_code_name(code));
    default:
        return yk_opencl_fail(device, code, piece->what);
    }
}

/* Unmaps the buffer, if it was mapped, and releases it. */
static void release(struct yk_opencl_device *device, struct yk_opencl_host *host)
{
    if (host->memory) {
        device->cl->EnqueueUnmapMemObject(device->pinning->handle, host->buffer, host->memory, 0,
                                          NULL, NULL);
        yk_opencl_queue_drain(device->pinning);
    }
    if (host->buffer)
        device->cl->ReleaseMemObject(host->buffer);
    yk_free(host);
}

static cl_int map(struct yk_opencl_device *device, const struct piece *piece,
                  struct yk_opencl_host *host)
{
    const struct yk_opencl_api *cl = device->cl;
    size_t bytes = (size_t)piece->bytes;
    cl_int code;
    host->buffer = cl->CreateBuffer(device->context, CL_MEM_READ_WRITE | piece->flags, bytes,
                                    piece->memory, &code);
    if (host->buffer)
        host->memory =
            cl->EnqueueMapBuffer(device->pinning->handle, host->buffer, 1,
                                 CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0, NULL, NULL, &code);
    return code;
}

static yoke_status make(struct yk_opencl_device *device, const struct piece *piece,
                        struct yk_opencl_host **out)
{
    yoke_status status = yk_opencl_alive(device);
    if (status != YOKE_OK)
        return status;
    struct yk_opencl_host *host = yk_calloc(1, sizeof *host);
    if (!host)
        return YOKE_ENOMEM;
    cl_int code = map(device, piece, host);
    if (!host->memory) {
        release(device, host);
        return refuse(device, code, piece);
    }
    yk_lock(&device->host_lock);
    host->next = device->hosts;
    device->hosts = host;
    yk_unlock(&device->host_lock);
    *out = host;
    return YOKE_OK;
}

yoke_status yk_opencl_pin(struct yk_device *base, void *memory, int64_t bytes, int *foreign)
{
    const struct piece piece = { .flags = CL_MEM_USE_HOST_PTR,
                                 .memory = memory,
                                 .bytes = bytes,
                                 .what = "pinning host memory" };
    struct yk_opencl_host *host;
    *foreign = 0; /* no driver reports this */
    return make((struct yk_opencl_device *)base, &piece, &host);
}

yoke_status yk_opencl_host_alloc(struct yk_device *base, int64_t bytes, void **out)
{
    const struct piece piece = { .flags = CL_MEM_ALLOC_HOST_PTR,
                                 .bytes = bytes,
                                 .what = "allocating pinned host memory" };
    struct yk_opencl_host *host = NULL; /* newer compilers do not see that make sets it */
    yoke_status status = make((struct yk_opencl_device *)base, &piece, &host);
    if (status == YOKE_OK)
        *out = host->memory;
    return status == YOKE_EINVAL ? YOKE_ENOMEM : status; /* the arguments are valid, so memory is
                                                          * short */
}

/* Removes the entry of `memory` from the list and returns it; NULL if there is none. */
static struct yk_opencl_host *take(struct yk_opencl_device *device, const void *memory)
{
    struct yk_opencl_host **at = &device->hosts, *host;
    yk_lock(&device->host_lock);
    while (*at && (*at)->memory != memory)
        at = &(*at)->next;
    host = *at;
    if (host)
        *at = host->next;
    yk_unlock(&device->host_lock);
    return host;
}

void yk_opencl_host_release(struct yk_device *base, void *memory)
{
    struct yk_opencl_device *device = (struct yk_opencl_device *)base;
    struct yk_opencl_host *host = memory ? take(device, memory) : NULL;
    if (host)
        release(device, host);
    else if (memory)
        yk_log(YOKE_LOG_ERROR, "%s: the memory at %p is neither pinned nor the driver's",
               base->desc.name, memory);
}
