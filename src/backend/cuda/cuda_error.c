/* cuda_error.c - the driver's codes as texts and status classes, and entering a context.
 *
 * Once a kernel has faulted, every call in its context fails with the same code: the context is
 * unusable, and so is the device for this runtime. No document lists the codes that mean this, so
 * every code that is not known to be harmless counts as fatal.
 */
#include "../../base/status.h"
#include "cuda.h"

const char *yk_cuda_code_name(const struct yk_cuda_api *api, CUresult code)
{
    const char *name = NULL;
    if (api && api->GetErrorName && api->GetErrorName(code, &name) == CUDA_SUCCESS && name)
        return name;
    return "a CUDA error without a name";
}

yoke_status yk_cuda_lose(struct yk_cuda_device *device, CUresult code, const char *what)
{
    atomic_store(&device->lost, 1);
    return yk_fail(YOKE_EDEVICE,
                   "%s: %s: %s (%d), the device is lost; a kernel may have touched memory outside "
                   "its arrays: run with YOKE_CHECK=1 to find out",
                   device->base.desc.name, what, yk_cuda_code_name(device->cu, code), code);
}

yoke_status yk_cuda_fail(struct yk_cuda_device *device, CUresult code, const char *what)
{
    if (code != CUDA_ERROR_OUT_OF_MEMORY)
        return yk_cuda_lose(device, code, what);
    return yk_fail(YOKE_ENOMEM,
                   "%s: %s: out of memory (%s); use smaller arrays or mem=", device->base.desc.name,
                   what, yk_cuda_code_name(device->cu, code));
}

yoke_status yk_cuda_refuse(struct yk_cuda_device *device, CUresult code, const char *what)
{
    if (code != CUDA_ERROR_INVALID_VALUE && code != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES &&
        code != CUDA_ERROR_NOT_SUPPORTED)
        return yk_cuda_fail(device, code, what);
    return yk_fail(YOKE_EINVAL, "%s: %s: the driver refused it with %s (%d)",
                   device->base.desc.name, what, yk_cuda_code_name(device->cu, code), code);
}

yoke_status yk_cuda_enter(struct yk_cuda_device *device)
{
    if (atomic_load_explicit(&device->lost, memory_order_relaxed))
        return yk_fail(YOKE_EDEVICE, "%s: lost earlier; leave it out with YOKE_DEVICES",
                       device->base.desc.name);
    CUresult code = device->cu->CtxPushCurrent(device->context);
    return code == CUDA_SUCCESS ? YOKE_OK : yk_cuda_lose(device, code, "entering its context");
}

int yk_cuda_enter_anyway(struct yk_cuda_device *device)
{
    return device->context && device->cu->CtxPushCurrent(device->context) == CUDA_SUCCESS;
}

void yk_cuda_leave(struct yk_cuda_device *device)
{
    CUcontext context;
    device->cu->CtxPopCurrent(&context);
}
