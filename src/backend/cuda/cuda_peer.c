/* cuda_peer.c - memory of other GPUs: which GPU reaches it, and copies out of it.
 *
 * A context may read another GPU's memory of cuMemAlloc if it has enabled access to that GPU's
 * context. A device may read mapped memory if it was given access to the mapping, which happens
 * when it first copies from there.
 *
 * A copy engine begins late: a halo that waits for a peer's kernel arrives 18 us after it, and 5 us
 * after it if a kernel reads it (two H200s). So a kernel takes what is small. It occupies
 * processors, so engines take what is large.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../platform/clock.h"
#include "cuda.h"

/* Rough values: NVLink as on an H100 or H200, per direction. PCIe is at best as fast as the host's
 * link, and shares it. A link with atomics between GPUs is NVLink. */
static const double nvlink_bytes_per_ns = 300, pcie_bytes_per_ns = 10;

/* A peer that accepted work less than this ago is not checked before a copy, because the check is a
 * driver call, which waits for other threads' calls on that GPU. */
static const int64_t well_for_ns = 200000;

/* Most bytes that a kernel takes. That occupies the processors for 4 us at NVLink's speed, less
 * than what an engine loses. */
static const int64_t taken_most = 1 << 20;

static const char taker_text[] =
    "struct __attribute__((aligned(16))) sixteen { unsigned words[4]; };\n"
    "template <typename T> __device__ void take(T *to, const T *from, long long count, long long "
    "i,\n"
    "                                           long long stride)\n"
    "{\n"
    "    for (; i < count; i += stride)\n"
    "        to[i] = from[i];\n"
    "}\n"
    "extern \"C\" __global__ void yoke_take(char *to, const char *from, long long bytes)\n"
    "{\n"
    "    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
    "    const long long stride = gridDim.x * (long long)blockDim.x;\n"
    "    const long long odd = (long long)to | (long long)from | bytes;\n"
    "    if (odd % 16 == 0)\n"
    "        take((sixteen *)to, (const sixteen *)from, bytes / 16, i, stride);\n"
    "    else if (odd % 4 == 0)\n"
    "        take((unsigned *)to, (const unsigned *)from, bytes / 4, i, stride);\n"
    "    else\n"
    "        take(to, from, bytes, i, stride);\n"
    "}\n";
enum { TAKER_BLOCK = 256, TAKER_BYTES = 16 }; /* bytes for each thread */

/* Without the kernel, engines copy everything. */
static void build_taker(struct yk_cuda_device *device)
{
    const yoke_kernel kernel = { .struct_size = sizeof kernel,
                                 .name = "yoke_take",
                                 .cuda = {
                                     .source = { .text = taker_text, .entry = "yoke_take" } } };
    if (!device->taker && yk_cuda_build(&device->base, &kernel, &device->taker) != YOKE_OK)
        yk_log(YOKE_LOG_DEBUG, "%s: engines copy halos: %s", device->base.desc.name,
               yoke_error_text());
}

static int attribute(const struct yk_cuda_device *device, const struct yk_cuda_device *from,
                     int name)
{
    int value = 0;
    if (device->cu->DeviceGetP2PAttribute(&value, name, device->handle, from->handle) !=
        CUDA_SUCCESS)
        return 0;
    return value;
}

/* Lets `device` read the memory that `from` allocates with cuMemAlloc. */
static CUresult open_memory(struct yk_cuda_device *device, struct yk_cuda_device *from)
{
    CUresult code;
    if (yk_cuda_enter(device) != YOKE_OK)
        return CUDA_ERROR_INVALID_CONTEXT;
    code = device->cu->CtxEnablePeerAccess(from->context, 0);
    yk_cuda_leave(device);
    return code == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ? CUDA_SUCCESS : code;
}

double yk_cuda_reach(struct yk_device *base, struct yk_device *from_base)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    struct yk_cuda_device *from = (struct yk_cuda_device *)from_base;
    CUresult code;
    if (!device->cu->has_peers || device->handle == from->handle ||
        base->desc.index >= YK_CUDA_READERS_MOST ||
        !attribute(device, from, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED))
        return 0;
    code = open_memory(device, from);
    if (code != CUDA_SUCCESS) {
        yk_log(YOKE_LOG_INFO, "%s does not reach the memory of %s: %s", base->desc.name,
               from_base->desc.name, yk_cuda_code_name(device->cu, code));
        return 0;
    }
    build_taker(device);
    return attribute(device, from, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED)
               ? nvlink_bytes_per_ns
               : pcie_bytes_per_ns;
}

static CUresult take(const struct yk_queue *queue, const struct yk_copy *copy)
{
    const struct yk_cuda_device *device = queue->device;
    CUdeviceptr to = copy->buffer->address + (CUdeviceptr)copy->offset;
    CUdeviceptr from = copy->from->address + (CUdeviceptr)copy->from_offset;
    long long bytes = copy->bytes;
    void *args[] = { &to, &from, &bytes };
    const unsigned threads = (unsigned)((bytes + TAKER_BYTES - 1) / TAKER_BYTES);
    return device->cu->LaunchKernel(device->taker->function,
                                    (threads + TAKER_BLOCK - 1) / TAKER_BLOCK, 1, 1, TAKER_BLOCK, 1,
                                    1, 0, queue->stream, args, NULL);
}

CUresult yk_cuda_copy_peer(const struct yk_queue *queue, const struct yk_copy *copy)
{
    const struct yk_cuda_device *device = queue->device;
    const struct yk_cuda_device *peer = (const struct yk_cuda_device *)copy->peer;
    if (device->taker && copy->bytes <= taken_most)
        return take(queue, copy);
    return device->cu->MemcpyPeerAsync(copy->buffer->address + (CUdeviceptr)copy->offset,
                                       device->context,
                                       copy->from->address + (CUdeviceptr)copy->from_offset,
                                       peer->context, (size_t)copy->bytes, queue->stream);
}

/* Needs no context: addresses are unique, and the device may read the memory
 * (yk_cuda_peer_ready). */
CUmemcpySide yk_cuda_peer_side(const struct yk_copy *copy)
{
    return (CUmemcpySide){ .type = CU_MEMORYTYPE_DEVICE,
                           .device = copy->from->address + (CUdeviceptr)copy->from_offset,
                           .pitch = (size_t)copy->host_pitch };
}

/* Checks the peer before a copy from it: otherwise the copy's calls would report the peer's errors
 * as if they were this device's. If the peer fails after the check, this device may be lost, too,
 * because the driver does not tell which one failed. */
static yoke_status check(const struct yk_queue *queue, struct yk_cuda_device *peer)
{
    CUresult code = CUDA_ERROR_INVALID_CONTEXT;
    const int64_t well_ns = atomic_load_explicit(&peer->well_ns, memory_order_relaxed);
    if (!atomic_load(&peer->lost) && yk_clock_ns() - well_ns < well_for_ns)
        return YOKE_OK;
    if (!atomic_load(&peer->lost) && yk_cuda_enter_anyway(peer)) {
        yk_lock(&peer->event_lock);
        code = peer->cu->EventQuery(peer->anchor);
        yk_unlock(&peer->event_lock);
        yk_cuda_leave(peer);
    }
    if (code == CUDA_SUCCESS || code == CUDA_ERROR_NOT_READY)
        return YOKE_OK;
    atomic_store(&peer->lost, 1);
    return yk_fail(YOKE_ELOST, "%s: its peer %s does not work any more: %s",
                   queue->device->base.desc.name, peer->base.desc.name,
                   yk_cuda_code_name(peer->cu, code));
}

yoke_status yk_cuda_peer_ready(const struct yk_queue *queue, const struct yk_copy *copy)
{
    yoke_status status = check(queue, (struct yk_cuda_device *)copy->peer);
    CUresult code;
    if (status != YOKE_OK)
        return status;
    code = yk_cuda_memory_open_to(queue->device, copy);
    return code == CUDA_SUCCESS ? YOKE_OK
                                : yk_cuda_fail(queue->device, code, "reaching a peer's memory");
}
