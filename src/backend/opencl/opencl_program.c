/* opencl_program.c - a kernel's text becomes machine code for one device.
 *
 * A text made by YOKE_KERNEL gets the language prelude before it and, after it, a check of the size
 * of every shared type, because host and device must agree on structs. Its #line markers make the
 * compiler refer to the user's file. A handwritten text is compiled as it is. After a range
 * kernel's text comes its entry for 32-bit indexes (access/narrow.h); if that does not compile, the
 * kernel is built without it. CPUs have only one entry: 64-bit indexes cost them nothing, and a
 * second build takes PoCL as long as the first. The compiled program is kept in the disk cache,
 * under everything it depends on, and equal devices that want it meanwhile get it.
 *
 * build() runs in any thread, while others use the device. Drivers leave a part of the work to the
 * first launch (PoCL compiles for the group size, 0.1 to 1 s; NVIDIA loads the module). So a kernel
 * made by YOKE_KERNEL is launched once here, on an empty range, which touches no memory: when build
 * returns, the device can start at once.
 */
#include <stdio.h>
#include <string.h>
#include <yoke/job.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../platform/thread.h"
#include "../claim.h"
#include "../launch_space.h"
#include "../prelude.h"
#include "opencl.h"

/* Work-items of a group. On a CPU shorter groups are slower; longer ones cause load imbalance in
 * short chunks. */
enum { CPU_GROUP_ITEMS = 64, GPU_GROUP_ITEMS = 256, POCL_LARGE_SPACE = 65536 };
static const char *const recipe = "yoke opencl 4"; /* part of the key: change it when this file's
                                                    * code changes */

/* All that the machine code depends on, as one text. */
struct source {
    char *key;        /* recipe, options, device, driver, then `text` */
    const char *text; /* points into key */
    char options[64];
    struct yk_claim claim;
    int claimed; /* 1: this thread makes the binary, and others may wait for it */
};

const char *yk_opencl_optimisation(int lanes, const char *version)
{
    const int is_pocl = strstr(version, "PoCL") || strstr(version, "pocl");
    return is_pocl && lanes ? " -cl-opt-disable" : "";
}

static yoke_status source_open(const struct yk_program *program, const yoke_kernel *kernel,
                               struct source *source)
{
    const struct yk_opencl_device *device = program->device;
    int by_hand = kernel->opencl.source.entry != NULL;
    const struct yk_device_desc *desc = &device->base.desc;
    const struct yk_opencl_property version =
        yk_opencl_property(device->cl, device->handle, CL_DEVICE_VERSION);
    if (!by_hand)
        snprintf(source->options, sizeof source->options, "-cl-std=CL1.2 -DYK_NVIDIA=%d%s",
                 yk_opencl_nvidia(device->cl, device->handle),
                 yk_opencl_optimisation(program->shape.lanes, version.text));
    char *head = yk_format("%s\n%s\n%s\n%s\n%.127s\n%d\n", recipe, source->options, desc->model,
                           desc->driver, version.text, desc->cores);
    const struct yk_source_parts parts = { head, yk_prelude_opencl(), &kernel->opencl.source,
                                           program->narrow.is.text };
    source->key = head ? yk_prelude_source(kernel, &parts) : NULL;
    if (source->key) {
        source->claim.key = (struct yk_blob){ source->key, strlen(source->key) };
        source->text = source->key + strlen(head);
    }
    yk_free(head);
    return source->key ? YOKE_OK : YOKE_ENOMEM;
}

/* The compiler's messages about `text`; NULL if there are none. Freed by the caller. */
static char *build_log(const struct yk_opencl_device *device, cl_program handle, const char *text)
{
    size_t size = 0;
    if (device->cl->GetProgramBuildInfo(handle, device->handle, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                        &size) != CL_SUCCESS)
        return NULL;
    char *translated = NULL, *log = yk_calloc(1, size + 1);
    if (log &&
        device->cl->GetProgramBuildInfo(handle, device->handle, CL_PROGRAM_BUILD_LOG, size, log,
                                        NULL) == CL_SUCCESS &&
        log[strspn(log, " \t\r\n")])
        translated = yk_opencl_log(log, text);
    yk_free(log);
    return translated;
}

static yoke_status compile(struct yk_program *program, const struct source *source)
{
    struct yk_opencl_device *device = program->device;
    cl_int code;
    program->handle = device->cl->CreateProgramWithSource(
        device->context, 1, (const char **)&source->text, NULL, &code);
    if (!program->handle)
        return yk_opencl_fail(device, code, "reading a kernel's source");
    yk_thread_begin_long();
    code =
        device->cl->BuildProgram(program->handle, 1, &device->handle, source->options, NULL, NULL);
    yk_thread_end_long();
    char *log = build_log(device, program->handle, source->text);
    yoke_status status = YOKE_OK;
    if (code == CL_OUT_OF_HOST_MEMORY || code == CL_DEVICE_NOT_AVAILABLE)
        status = yk_opencl_fail(device, code, "compiling");
    else if (code != CL_SUCCESS)
        status = yk_fail(YOKE_EBUILD, "%s (%s): kernel %s does not compile (%s); it says:\n%s",
                         device->base.desc.name, device->base.desc.model, program->shape.name,
                         yk_opencl_code_name(code), log ? log : "nothing");
    else if (log)
        yk_log(YOKE_LOG_INFO, "%s: compiling kernel %s: %s", device->base.desc.name,
               program->shape.name, log);
    yk_free(log);
    return status;
}

/* Returns 1 if the driver accepts the binary, which this frees. Otherwise it is not kept on disk
 * either. */
static int load_binary(struct yk_program *program, const struct source *source,
                       struct yk_blob binary)
{
    struct yk_opencl_device *device = program->device;
    const unsigned char *bytes = binary.bytes;
    cl_int state = CL_SUCCESS, code;
    program->handle = device->cl->CreateProgramWithBinary(device->context, 1, &device->handle,
                                                          &binary.size, &bytes, &state, &code);
    yk_free((void *)binary.bytes);
    if (program->handle && state == CL_SUCCESS)
        code = device->cl->BuildProgram(program->handle, 1, &device->handle, source->options, NULL,
                                        NULL);
    if (program->handle && state == CL_SUCCESS && code == CL_SUCCESS) {
        yk_log(YOKE_LOG_DEBUG, "%s: kernel %s came from the cache", device->base.desc.name,
               program->shape.name);
        return 1;
    }
    yk_cache_remove(source->claim.key);
    if (program->handle)
        device->cl->ReleaseProgram(program->handle);
    program->handle = NULL;
    return 0;
}

/* The driver's machine code; bytes NULL if it gives none. Freed by the caller. */
static struct yk_blob read_binary(const struct yk_program *program)
{
    const struct yk_opencl_api *cl = program->device->cl;
    unsigned char *binary = NULL;
    size_t size = 0;
    if (cl->GetProgramInfo(program->handle, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) ==
            CL_SUCCESS &&
        size > 0)
        binary = yk_calloc(1, size);
    if (binary && cl->GetProgramInfo(program->handle, CL_PROGRAM_BINARIES, sizeof binary, &binary,
                                     NULL) != CL_SUCCESS) {
        yk_free(binary);
        binary = NULL;
    }
    return (struct yk_blob){ binary, size };
}

/* Ends the claim, if there is one, with the program if it was built. */
static void end_claim(const struct yk_program *program, struct source *source, yoke_status status)
{
    struct yk_blob binary = { NULL, 0 };
    if (!source->claimed)
        return;
    if (status == YOKE_OK)
        binary = read_binary(program);
    source->claimed = 0;
    yk_claim_end(&source->claim, binary);
    yk_free((void *)binary.bytes);
}

/* Finds a kernel of the program, and makes groups small enough for it. */
static yoke_status find_kernel(struct yk_program *program, const char *entry, cl_kernel *out,
                               size_t *most)
{
    struct yk_opencl_device *device = program->device;
    cl_int code;
    *out = device->cl->CreateKernel(program->handle, entry, &code);
    if (!*out)
        return yk_fail(YOKE_EBUILD, "%s: the source of kernel %s has no __kernel '%s' (%s)",
                       device->base.desc.name, program->shape.name, entry,
                       yk_opencl_code_name(code));
    code = device->cl->GetKernelWorkGroupInfo(*out, device->handle, CL_KERNEL_WORK_GROUP_SIZE,
                                              sizeof *most, most, NULL);
    if (code != CL_SUCCESS || *most < 1)
        *most = 1;
    while (program->group_items > *most)
        program->group_items /= 2;
    return YOKE_OK;
}

/* A driver may end the process at the launch of a kernel that wants more than the device has. */
static yoke_status check_local_memory(const struct yk_program *program)
{
    const struct yk_opencl_device *device = program->device;
    cl_ulong wanted = 0, there = 0;
    if (device->cl->GetKernelWorkGroupInfo(program->kernel, device->handle,
                                           CL_KERNEL_LOCAL_MEM_SIZE, sizeof wanted, &wanted,
                                           NULL) != CL_SUCCESS ||
        device->cl->GetDeviceInfo(device->handle, CL_DEVICE_LOCAL_MEM_SIZE, sizeof there, &there,
                                  NULL) != CL_SUCCESS ||
        wanted <= there)
        return YOKE_OK;
    return yk_fail(YOKE_EBUILD,
                   "%s: kernel %s wants %llu bytes of local memory a group, the device has %llu; "
                   "make its YOKE_LOCAL arrays smaller",
                   device->base.desc.name, program->shape.name, (unsigned long long)wanted,
                   (unsigned long long)there);
}

/* A driver may end the process when an argument is set that the kernel does not have, or that is of
 * another kind: a handwritten entry has to take as many as it gets. */
static yoke_status check_arguments(const struct yk_program *program)
{
    const struct yk_opencl_device *device = program->device;
    const struct yk_launch nowhere = { .extent = { 1, 1 } };
    int64_t range[YK_RANGE_ARGS_MOST];
    const int of_range = yk_range_args(&nowhere, program->shape.dimensions, range);
    cl_uint has = 0, wanted = (cl_uint)of_range;
    if (program->generated)
        return YOKE_OK;
    for (int p = 0; p < program->shape.param_count; ++p)
        wanted += program->shape.params[p].mode == YOKE_PARAM_VALUE ? 1 : 2;
    if (device->cl->GetKernelInfo(program->kernel, CL_KERNEL_NUM_ARGS, sizeof has, &has, NULL) !=
            CL_SUCCESS ||
        has == wanted)
        return YOKE_OK;
    return yk_fail(YOKE_EBUILD,
                   "%s: the OpenCL source of kernel %s takes %u arguments and gets %u: %d of the "
                   "range, one for each value, and two for each array, a pointer and its shift in "
                   "bytes (yoke_source in yoke/kernel_type.h)",
                   device->base.desc.name, program->shape.name, (unsigned)has, (unsigned)wanted,
                   of_range);
}

static yoke_status find_entry(struct yk_program *program, const yoke_kernel *kernel)
{
    struct yk_opencl_device *device = program->device;
    const struct yk_entry_name name = yk_kernel_entry_name(kernel, 0);
    const char *own = kernel->opencl.source.entry;
    size_t most = 0;
    program->group_items = device->base.desc.is_cpu ? CPU_GROUP_ITEMS : GPU_GROUP_ITEMS;
    yoke_status status = find_kernel(program, own ? own : name.text, &program->kernel, &most);
    if (status != YOKE_OK)
        return status;
    if ((size_t)program->shape.lanes > most)
        return yk_fail(YOKE_EBUILD, "%s: kernel %s wants groups of %d lanes, it can have %zu here",
                       device->base.desc.name, program->shape.name, program->shape.lanes, most);
    status = check_arguments(program);
    return status == YOKE_OK ? check_local_memory(program) : status;
}

static yoke_status find_narrow_entry(struct yk_program *program, const yoke_kernel *kernel)
{
    const struct yk_entry_name name = yk_kernel_entry_name(kernel, 1);
    size_t most = 0;
    return find_kernel(program, name.text, &program->narrow_kernel, &most);
}

static yoke_status launch_empty(struct yk_queue *queue, struct yk_program *program, int64_t items)
{
    static const char nothing[1024]; /* the largest argument that every device accepts */
    struct yk_launch_arg args[YOKE_ARGS_MAX] = { 0 };
    const struct yk_launch launch = { .extent = { 64, 64 }, .args = args };
    struct yk_event *event;
    for (int p = 0; p < program->shape.param_count; ++p) {
        args[p].value = nothing;
        if (program->shape.params[p].mode == YOKE_PARAM_VALUE &&
            program->shape.params[p].size > sizeof nothing)
            return YOKE_OK;
    }
    program->rehearsal_items = items;
    yoke_status status = yk_opencl_launch(queue, program, &launch, &event);
    if (status != YOKE_OK)
        return status;
    status = yk_opencl_wait(event);
    yk_opencl_event_close(event);
    return status;
}

/* Launches an empty range (see the file head), in a queue of its own, because other threads use the
 * device meanwhile. For index spaces of 65536 and more, which one-dimensional chunks reach, PoCL
 * compiles another version. */
static yoke_status rehearse(struct yk_program *program)
{
    struct yk_queue *queue;
    yoke_status status = yk_opencl_queue_open(&program->device->base, &queue);
    if (status != YOKE_OK)
        return status;
    status = launch_empty(queue, program, 1);
    if (status == YOKE_OK && program->device->base.desc.is_cpu && program->shape.dimensions == 1 &&
        !program->shape.lanes)
        status = launch_empty(queue, program, POCL_LARGE_SPACE);
    yk_opencl_queue_close(queue);
    return status;
}

/* Takes the program from the cache or another thread, or compiles it; then it has the claim. */
static yoke_status load(struct yk_program *program, const yoke_kernel *kernel,
                        struct source *source)
{
    struct yk_blob binary;
    *source = (struct source){ 0 };
    yoke_status status = source_open(program, kernel, source);
    if (status != YOKE_OK)
        return status;
    while (yk_claim_begin(&source->claim, &binary))
        if (load_binary(program, source, binary))
            return YOKE_OK;
    source->claimed = 1;
    status = compile(program, source);
    if (status != YOKE_OK)
        end_claim(program, source, status);
    return status;
}

/* Loads the program again, without the entry for 32-bit indexes. */
static yoke_status load_again(struct yk_program *program, const yoke_kernel *kernel,
                              struct source *source)
{
    yk_log(YOKE_LOG_DEBUG, "without 32-bit indexes: %s", yoke_error_text());
    yk_narrow_close(&program->narrow.is);
    yk_free(source->key);
    program->device->cl->ReleaseProgram(program->handle);
    program->handle = NULL;
    return load(program, kernel, source);
}

static yoke_status find_and_rehearse(struct yk_program *program, const yoke_kernel *kernel)
{
    yoke_status status = find_entry(program, kernel);
    if (status == YOKE_OK && program->generated)
        status = rehearse(program);
    if (status != YOKE_OK || !program->narrow.is.text)
        return status;
    status = find_narrow_entry(program, kernel);
    return status == YOKE_OK ? rehearse(program) : status; /* the rehearsal's numbers, all 0, select
                                                            * this entry */
}

/* PoCL compiles in the rehearsal, so the binary is read after it. A GPU's is complete before, and
 * others do not wait for work on this GPU. */
static yoke_status build_source(struct yk_program *program, const yoke_kernel *kernel)
{
    const int is_cpu = program->device->base.desc.is_cpu;
    struct source source;
    if (program->generated && !is_cpu)
        yk_narrow_open(kernel, kernel->opencl.source.text, &program->narrow.is);
    yoke_status status = load(program, kernel, &source);
    if (status == YOKE_EBUILD && program->narrow.is.text)
        status = load_again(program, kernel, &source);
    if (!is_cpu)
        end_claim(program, &source, status);
    if (status == YOKE_OK)
        status = find_and_rehearse(program, kernel);
    end_claim(program, &source, status);
    yk_free(source.key);
    return status;
}

yoke_status yk_opencl_build(struct yk_device *base, const yoke_kernel *kernel,
                            struct yk_program **out)
{
    struct yk_opencl_device *device = (struct yk_opencl_device *)base;
    yoke_status status = yk_opencl_alive(device);
    if (status != YOKE_OK)
        return status;
    if (!kernel->opencl.native && !kernel->opencl.source.text)
        return yk_fail(YOKE_ENOIMPL,
                       "kernel %s has nothing for OpenCL; build its file with yoke_add_kernels, or "
                       "leave %s out",
                       kernel->name, base->desc.name);
    struct yk_program *program = yk_calloc(1, sizeof *program);
    if (!program)
        return YOKE_ENOMEM;
    program->device = device;
    program->native = kernel->opencl.native;
    program->generated = !kernel->opencl.native && !kernel->opencl.source.entry;
    status = yk_kernel_shape_take(kernel, &program->shape);
    if (status == YOKE_OK && !program->native)
        status = build_source(program, kernel);
    if (status != YOKE_OK) {
        yk_opencl_program_close(base, program);
        return status;
    }
    *out = program;
    return YOKE_OK;
}

void yk_opencl_program_close(struct yk_device *base, struct yk_program *program)
{
    const struct yk_opencl_api *cl = ((struct yk_opencl_device *)base)->cl;
    if (!program)
        return;
    if (program->kernel)
        cl->ReleaseKernel(program->kernel);
    if (program->narrow_kernel)
        cl->ReleaseKernel(program->narrow_kernel);
    if (program->handle)
        cl->ReleaseProgram(program->handle);
    yk_narrow_close(&program->narrow.is);
    yk_free(program);
}
