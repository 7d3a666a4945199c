/* peer.c - GPUs that access each other's memory: memory of cuMemAlloc after a context has asked for
 * access, and memory mapped for them. */
#include "driver.h"

CUresult cuDeviceGetP2PAttribute(int *value, int name, CUdevice from, CUdevice to)
{
    const struct standin_settings *settings = standin_settings();
    CUresult code = standin_call(__func__);
    if (code != CUDA_SUCCESS)
        return code;
    if (from < 0 || to < 0 || from >= settings->visible_count || to >= settings->visible_count)
        return CUDA_ERROR_INVALID_DEVICE;
    if (from == to || (name != CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED &&
                       name != CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED))
        return CUDA_ERROR_INVALID_VALUE;
    *value = settings->peers;
    return CUDA_SUCCESS;
}

/* The current context may use the peer's memory. */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (flags || !peer)
        return CUDA_ERROR_INVALID_VALUE;
    int device = standin_device_of(context);
    if (!standin_settings()->peers || device == standin_device_of(peer))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (standin_context_admits(peer, device))
        return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    standin_context_admit(peer, device);
    return CUDA_SUCCESS;
}

/* Stricter than a real driver, which copies through the host if access was not enabled: yoke relies
 * on direct copies. */
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream stream)
{
    if (!stream || to_context != standin_stream_context(stream) || !from_context)
        return CUDA_ERROR_INVALID_VALUE;
    if (standin_health(from_context) != CUDA_SUCCESS)
        return standin_health(from_context);
    if (!standin_ranges_open_to(standin_device_of(to_context), to, bytes) ||
        !standin_ranges_open_to(standin_device_of(to_context), from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return standin_copy_add(__func__, stream, to, from, bytes);
}
