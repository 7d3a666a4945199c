/* device.c - initialization of the driver, and the properties of its GPUs. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

static atomic_int started;

static const struct {
    CUresult code;
    const char *name, *text;
} codes[] = {
    { CUDA_SUCCESS, "CUDA_SUCCESS", "no error" },
    { CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
    { CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
    { CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
    { CUDA_ERROR_STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library" },
    { CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE",
      "CUDA-capable device(s) is/are busy or unavailable" },
    { CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
    { CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
    { CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid" },
    { CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context" },
    { CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
      "no kernel image is available for execution on the device" },
    { CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed" },
    { CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
      "the provided PTX was compiled with an unsupported toolchain." },
    { STANDIN_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
    { CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
    { CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready" },
    { STANDIN_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
      "an illegal memory access was encountered" },
    { CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
      "too many resources requested for launch" },
    { CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
      "part or all of the requested memory range is already mapped" },
    { CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
      "pointer does not correspond to a registered memory region" },
    { CUDA_ERROR_SYSTEM_NOT_READY, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized" },
    { CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
      "system has unsupported display driver / cuda driver combination" },
};

CUresult cuGetErrorName(CUresult code, const char **name)
{
    *name = NULL;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
        if (codes[i].code == code)
            *name = codes[i].name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
        if (codes[i].code == code)
            *text = codes[i].text;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDriverGetVersion(int *version)
{
    CUresult code = standin_call(__func__);
    if (code == CUDA_SUCCESS)
        *version = standin_settings()->version;
    return code;
}

CUresult cuInit(unsigned flags)
{
    CUresult code = standin_call(__func__);
    usleep(1000 * (unsigned)standin_settings()->init_ms);
    if (code == CUDA_SUCCESS)
        code = standin_settings()->init_code;
    if (code == CUDA_SUCCESS && flags)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS && !standin_settings()->visible_count)
        code = CUDA_ERROR_NO_DEVICE;
    if (code == CUDA_SUCCESS)
        atomic_store(&started, 1);
    return code;
}

/* The first line of all calls about a GPU. */
static CUresult ask(const char *function, int device)
{
    CUresult code = standin_call(function);
    if (code != CUDA_SUCCESS)
        return code;
    if (!atomic_load(&started))
        return CUDA_ERROR_NOT_INITIALIZED;
    return device >= 0 && device < standin_settings()->visible_count ? CUDA_SUCCESS
                                                                     : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetCount(int *count)
{
    CUresult code = ask(__func__, 0);
    if (code == CUDA_SUCCESS)
        *count = standin_settings()->visible_count;
    return code;
}

CUresult cuDeviceGet(CUdevice *device, int index)
{
    CUresult code = ask(__func__, index);
    if (code == CUDA_SUCCESS)
        *device = index;
    return code;
}

CUresult cuDeviceGetName(char *name, int capacity, CUdevice device)
{
    CUresult code = ask(__func__, device);
    if (code == CUDA_SUCCESS)
        snprintf(name, (size_t)capacity, "Stand-in GPU");
    return code;
}

/* Identifies the physical GPU, independent of its number under CUDA_VISIBLE_DEVICES. */
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    CUresult code = ask(__func__, device);
    if (code != CUDA_SUCCESS)
        return code;
    memset(uuid->bytes, 0x5d, sizeof uuid->bytes);
    uuid->bytes[15] = (unsigned char)standin_settings()->visible[device];
    return code;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    CUresult code = ask(__func__, device);
    if (code == CUDA_SUCCESS)
        *bytes = standin_settings()->memory_bytes;
    return code;
}

CUresult cuDeviceGetAttribute(int *value, int name, CUdevice device)
{
    const struct standin_settings *settings = standin_settings();
    CUresult code = ask(__func__, device);
    if (code != CUDA_SUCCESS)
        return code;
    switch (name) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 1024;
        return code;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        *value = 1500000;
        return code;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = settings->cores;
        return code;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        *value = 256;
        return code;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        *value = 64 << 10;
        return code;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
        *value = 0;
        return code;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
        *value = settings->compute_mode;
        return code;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
        *value = 0x40 + settings->visible[device];
        return code;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = settings->arch / 10;
        return code;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = settings->arch % 10;
        return code;
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
        *value = settings->unified;
        return code;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
        *value = 1;
        return code;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}
