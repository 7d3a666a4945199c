/* opencl_load.c - the OpenCL drivers, found at run time, and what their errors mean.
 *
 * Drivers are reached through the system's loader, libOpenCL.so.1. If that is missing or does not
 * know them (containers get NVIDIA's driver, but neither loader nor registration), they are called
 * directly. No loader is needed for that, because by cl_khr_icd every object of a driver begins
 * with a pointer to the table of the driver's functions.
 *
 * Drivers are loaded once per process, when first needed, and never unloaded. YOKE_OPENCL_LIBRARY
 * names the only library to use (another loader; in tests, one that is missing).
 */
#include <stdio.h>
#include <string.h>

#include "../../base/option.h"
#include "../../base/process_lock.h"
#include "../../base/status.h"
#include "../../platform/clock.h"
#include "../../platform/library.h"
#include "../../platform/topology.h"
#include "opencl.h"

/* A driver may fork while it loads. A child does not use drivers that its parent had begun to
 * load. */
static struct yk_process_lock load_lock = YK_PROCESS_LOCK_FREED;
static int loaded; /* 1: `found` is complete; guarded by load_lock */
static struct yk_opencl_platforms found;
static struct yk_opencl_api loader_api, direct_api;

static const struct yk_symbol loader_symbols[] = {
#define SYMBOL(place, result, name, parameters) { "cl" #name, (void **)&loader_api.name, 0 },
    YK_OPENCL_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

static void add_platforms(const struct yk_opencl_api *cl, const cl_platform_id *ids, cl_uint count)
{
    for (cl_uint i = 0; i < count && found.count < YK_OPENCL_PLATFORMS_MAX; ++i)
        found.items[found.count++] = (struct yk_opencl_platform){ cl, ids[i] };
}

static yoke_status load_loader(const char *own)
{
    const char *const usual[] = { "libOpenCL.so.1", "libOpenCL.so", NULL };
    const char *const named[] = { own, NULL };
    struct yk_library *library;
    cl_platform_id ids[YK_OPENCL_PLATFORMS_MAX];
    cl_uint count = 0;
    yoke_status status = yk_library_open(own ? named : usual, &library);
    if (status == YOKE_OK)
        status = yk_library_symbols(library, loader_symbols,
                                    sizeof loader_symbols / sizeof *loader_symbols);
    if (status != YOKE_OK)
        return status;
    snprintf(found.path, sizeof found.path, "%s", yk_library_path(library));
    if (loader_api.GetPlatformIDs(YK_OPENCL_PLATFORMS_MAX, ids, &count) == CL_SUCCESS)
        add_platforms(&loader_api, ids, count);
    return YOKE_OK;
}

/* Whether the loader already offers the platform with this name. */
static int is_known(const char *name)
{
    for (int i = 0; i < found.count; ++i) {
        char other[64] = "";
        found.items[i].cl->GetPlatformInfo(found.items[i].id, CL_PLATFORM_NAME, sizeof other, other,
                                           NULL);
        if (strcmp(name, other) == 0)
            return 1;
    }
    return 0;
}

static void load_direct(void)
{
    static const char *const names[] = { "libnvidia-opencl.so.1", NULL };
    void *(*function)(const char *) = NULL;
    const struct yk_symbol symbols[] = {
        { "clGetExtensionFunctionAddress", (void **)&function, 0 },
    };
    struct yk_library *library;
    cl_platform_id ids[4];
    cl_uint count = 0;
    if (is_known("NVIDIA CUDA") || yk_library_open(names, &library) != YOKE_OK ||
        yk_library_symbols(library, symbols, 1) != YOKE_OK)
        return;
    cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *) =
        (cl_int(*)(cl_uint, cl_platform_id *, cl_uint *))function("clIcdGetPlatformIDsKHR");
    if (!platforms || platforms(4, ids, &count) != CL_SUCCESS || count < 1 || count > 4)
        return;
    void **table = *(void ***)ids[0];
#define TAKE(place, result, name, parameters)                                                      \
    memcpy(&direct_api.name, &table[place], sizeof *table);
    YK_OPENCL_FUNCTIONS(TAKE)
#undef TAKE
    if (!found.path[0])
        snprintf(found.path, sizeof found.path, "%s", yk_library_path(library));
    add_platforms(&direct_api, ids, count);
}

yoke_status yk_opencl_load(const struct yk_opencl_platforms **out)
{
    const char *own = yk_environment("YOKE_OPENCL_LIBRARY");
    yoke_status status = YOKE_OK;
    own = own && *own ? own : NULL;
    yk_process_lock(&load_lock);
    if (!loaded) {
        status = load_loader(own);
        if (!own && yk_gpu_present())
            load_direct();
        if (found.count)
            status = YOKE_OK;
        loaded = status == YOKE_OK;
    }
    yk_process_unlock(&load_lock);
    if (status == YOKE_OK)
        *out = &found;
    return status;
}

static const struct {
    cl_int code;
    const char *name;
} code_names[] = {
#define NAME(code)                                                                                 \
    {                                                                                              \
        code, #code                                                                                \
    }
    NAME(CL_SUCCESS),
    NAME(CL_DEVICE_NOT_FOUND),
    NAME(CL_DEVICE_NOT_AVAILABLE),
    NAME(CL_COMPILER_NOT_AVAILABLE),
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAME(CL_OUT_OF_RESOURCES),
    NAME(CL_OUT_OF_HOST_MEMORY),
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    NAME(CL_BUILD_PROGRAM_FAILURE),
    NAME(CL_MAP_FAILURE),
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAME(CL_DEVICE_PARTITION_FAILED),
    NAME(CL_INVALID_VALUE),
    NAME(CL_INVALID_DEVICE),
    NAME(CL_INVALID_CONTEXT),
    NAME(CL_INVALID_COMMAND_QUEUE),
    NAME(CL_INVALID_HOST_PTR),
    NAME(CL_INVALID_MEM_OBJECT),
    NAME(CL_INVALID_BINARY),
    NAME(CL_INVALID_BUILD_OPTIONS),
    NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    NAME(CL_INVALID_KERNEL_NAME),
    NAME(CL_INVALID_ARG_INDEX),
    NAME(CL_INVALID_ARG_VALUE),
    NAME(CL_INVALID_ARG_SIZE),
    NAME(CL_INVALID_KERNEL_ARGS),
    NAME(CL_INVALID_WORK_GROUP_SIZE),
    NAME(CL_INVALID_WORK_ITEM_SIZE),
    NAME(CL_INVALID_EVENT_WAIT_LIST),
    NAME(CL_INVALID_EVENT),
    NAME(CL_INVALID_BUFFER_SIZE),
    NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    NAME(CL_PLATFORM_NOT_FOUND_KHR),
    NAME(CL_NVIDIA_ILLEGAL_ACCESS),
#undef NAME
};

const char *yk_opencl_code_name(cl_int code)
{
    for (size_t i = 0; i < sizeof code_names / sizeof *code_names; ++i)
        if (code_names[i].code == code)
            return code_names[i].name;
    return "an OpenCL error without a name";
}

/* A context that reported one of these codes accepts no further work. (NVIDIA reports a faulting
 * kernel as CL_OUT_OF_RESOURCES or -9999, and every later call as an invalid queue or context.) */
static int is_fatal(cl_int code)
{
    switch (code) {
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_OUT_OF_RESOURCES:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
        return 1;
    default: /* vendors' own codes are far below the specification's */
        return code < -1100;
    }
}

yoke_status yk_opencl_fail(struct yk_opencl_device *device, cl_int code, const char *what)
{
    const char *name = device->base.desc.name, *text = yk_opencl_code_name(code);
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
    case CL_OUT_OF_HOST_MEMORY:
        return yk_fail(YOKE_ENOMEM, "%s: %s: out of memory (%s); use smaller arrays or mem=", name,
                       what, text);
    default:
        break;
    }
    if (!is_fatal(code))
        return yk_fail(YOKE_EINVAL, "%s: %s: the driver refused it with %s (%d)", name, what, text,
                       code);
    int64_t alive = 0;
    atomic_compare_exchange_strong(&device->lost_ns, &alive, yk_clock_ns());
    return yk_fail(YOKE_EDEVICE,
                   "%s: %s: %s (%d), the device is lost; a kernel may have touched memory outside "
                   "its arrays: run with YOKE_CHECK=1 to find out",
                   name, what, text, code);
}

yoke_status yk_opencl_alive(const struct yk_opencl_device *device)
{
    if (!atomic_load(&device->lost_ns))
        return YOKE_OK;
    return yk_fail(YOKE_EDEVICE, "%s: lost earlier; leave it out with YOKE_DEVICES",
                   device->base.desc.name);
}
