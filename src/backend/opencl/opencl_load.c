/* opencl_load.c - the OpenCL library, found when the program runs, and what its errors mean.
 *
 * Loaded once a process, on the first need, and never unloaded. YOKE_OPENCL_LIBRARY names another
 * library than the system's libOpenCL.so.1 (a particular driver's; in tests, one that is missing).
 */
#include "../../base/option.h"
#include "../../base/status.h"
#include "../../platform/clock.h"
#include "../../platform/library.h"
#include "opencl.h"

static yk_mutex load_lock = YK_MUTEX_INITIAL;
static struct yk_opencl_api api;
static struct yk_library *library; /* under load_lock; set once */

static const struct yk_symbol symbols[] = {
#define SYMBOL(result, name, parameters) { "cl" #name, (void **)&api.name, 0 },
    YK_OPENCL_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

yoke_status yk_opencl_load(const struct yk_opencl_api **out)
{
    const char *own = yk_environment("YOKE_OPENCL_LIBRARY");
    const char *const usual[] = { "libOpenCL.so.1", "libOpenCL.so", NULL };
    const char *const named[] = { own, NULL };
    yoke_status status = YOKE_OK;
    yk_lock(&load_lock);
    if (!library) {
        struct yk_library *found = NULL;
        status = yk_library_open(own && *own ? named : usual, &found);
        if (status == YOKE_OK)
            status = yk_library_symbols(found, symbols, sizeof symbols / sizeof *symbols);
        if (status == YOKE_OK)
            library = found;
    }
    yk_unlock(&load_lock);
    if (status == YOKE_OK)
        *out = &api;
    return status;
}

const char *yk_opencl_path(void)
{
    yk_lock(&load_lock);
    const char *path = library ? yk_library_path(library) : "";
    yk_unlock(&load_lock);
    return path;
}

const char *yk_opencl_code_name(cl_int code)
{
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
#define NAME(code) { code, #code },
        NAME(CL_SUCCESS) NAME(CL_DEVICE_NOT_FOUND) NAME(CL_DEVICE_NOT_AVAILABLE)
            NAME(CL_COMPILER_NOT_AVAILABLE) NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE) NAME(
                CL_OUT_OF_RESOURCES) NAME(CL_OUT_OF_HOST_MEMORY)
                NAME(CL_PROFILING_INFO_NOT_AVAILABLE) NAME(CL_BUILD_PROGRAM_FAILURE) NAME(
                    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) NAME(CL_DEVICE_PARTITION_FAILED)
                    NAME(CL_INVALID_VALUE) NAME(CL_INVALID_DEVICE) NAME(CL_INVALID_CONTEXT)
                        NAME(CL_INVALID_COMMAND_QUEUE) NAME(CL_INVALID_MEM_OBJECT)
                            NAME(CL_INVALID_BINARY) NAME(CL_INVALID_BUILD_OPTIONS) NAME(
                                CL_INVALID_PROGRAM_EXECUTABLE) NAME(CL_INVALID_KERNEL_NAME)
                                NAME(CL_INVALID_ARG_INDEX) NAME(CL_INVALID_ARG_VALUE)
                                    NAME(CL_INVALID_ARG_SIZE) NAME(CL_INVALID_KERNEL_ARGS) NAME(
                                        CL_INVALID_WORK_GROUP_SIZE) NAME(CL_INVALID_WORK_ITEM_SIZE)
                                        NAME(CL_INVALID_EVENT_WAIT_LIST) NAME(CL_INVALID_EVENT)
                                            NAME(CL_INVALID_BUFFER_SIZE)
                                                NAME(CL_INVALID_GLOBAL_WORK_SIZE)
                                                    NAME(CL_PLATFORM_NOT_FOUND_KHR)
                                                        NAME(CL_NVIDIA_ILLEGAL_ACCESS)
#undef NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (names[i].code == code)
            return names[i].name;
    return "an OpenCL error without a name";
}

/* A context that reported one of these accepts no further work (NVIDIA reports a faulting kernel as
 * CL_OUT_OF_RESOURCES or -9999, and every call after it as an invalid queue or context). */
static int is_fatal(cl_int code)
{
    switch (code) {
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_OUT_OF_RESOURCES:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
        return 1;
    default: /* codes of vendors' own lie far below the specification's */
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
                   "its arrays, run it on the CPU alone to see",
                   name, what, text, code);
}

yoke_status yk_opencl_alive(const struct yk_opencl_device *device)
{
    if (!atomic_load(&device->lost_ns))
        return YOKE_OK;
    return yk_fail(YOKE_EDEVICE, "%s: lost earlier; leave it out with YOKE_DEVICES",
                   device->base.desc.name);
}
