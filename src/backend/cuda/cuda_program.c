/* cuda_program.c - a kernel on a device: taken from the disk cache or from an equal device, or
 * compiled; then loaded, and tried once.
 *
 * A text made by YOKE_KERNEL gets the language prelude before it and, after it, a check of the size
 * of every shared type, because host and device must agree on structs. Its #line markers make the
 * compiler refer to the user's file. A handwritten text is compiled as it is. After a range
 * kernel's text comes its entry for 32-bit indexes (access/narrow.h); if that does not compile, the
 * kernel is built without it.
 *
 * build() runs in any thread, while others use the device. If a launch needs more local memory (a
 * stack, arrays indexed by variables) than all launches before, it waits until the driver has
 * allocated that for all threads of the device. So a kernel with local memory is launched once
 * here, on an empty range, which touches no memory: when build returns, the device can start at
 * once. For other kernels this would only cost the first job 0.06 ms.
 */
#include <stdio.h>
#include <string.h>
#include <yoke/job.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../claim.h"
#include "../prelude.h"
#include "cuda.h"

enum { BLOCK_ITEMS = 256, VALUE_MOST = 3500 };
static const char *const recipe = "yoke cuda 3"; /* part of the key: change it when this folder's
                                                  * code changes */

/* All that the machine code depends on, as one text. */
struct source {
    struct yk_cuda_source plan; /* its text points into key */
    char arch_option[48];
    char *key; /* recipe, options, compiler, then the text */
};

static yoke_status source_open(const struct yk_program *program, const yoke_kernel *kernel,
                               struct source *source)
{
    const struct yk_cuda_device *device = program->device;
    const struct yk_nvrtc *nvrtc;
    int by_hand = kernel->cuda.source.entry != NULL;
    *source = (struct source){ .plan.kernel = kernel->name };
    yoke_status status = yk_cuda_source_plan(device, &source->plan, source->arch_option);
    if (status == YOKE_OK)
        status = yk_nvrtc_load(&nvrtc);
    if (status != YOKE_OK)
        return status;
    if (!by_hand && strstr(kernel->cuda.source.text, "yk_exact")) /* decided by the text, which is
                                                                   * in the key */
        source->plan.options[source->plan.option_count++] = "--fmad=false";
    char *head = yk_format("%s\n%s\n%s\n%d.%d\n", recipe, source->plan.options[0],
                           source->plan.options[1], nvrtc->major, nvrtc->minor);
    const struct yk_source_parts parts = { head, yk_prelude_cuda(), &kernel->cuda.source,
                                           program->narrow.is.text, program->spreads };
    source->key = head ? yk_prelude_source(kernel, &parts) : NULL;
    if (source->key)
        source->plan.text = source->key + strlen(head);
    yk_free(head);
    return source->key ? YOKE_OK : YOKE_ENOMEM;
}

/* Gives the image to the driver. If it refuses it, the image is not kept on disk either. */
static CUresult load_image(struct yk_program *program, const struct yk_claim *claim,
                           struct yk_blob image)
{
    struct yk_cuda_device *device = program->device;
    CUresult code = CUDA_ERROR_INVALID_CONTEXT;
    if (yk_cuda_enter_anyway(device)) {
        code = device->cu->ModuleLoadData(&program->module, image.bytes);
        yk_cuda_leave(device);
    }
    if (code != CUDA_SUCCESS) {
        program->module = NULL;
        yk_cache_remove(claim->key);
    }
    yk_free((void *)image.bytes);
    return code;
}

/* Codes about the image concern only this kernel, not the device. */
static yoke_status load_failed(const struct yk_program *program, CUresult code)
{
    struct yk_cuda_device *device = program->device;
    switch (code) {
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_INVALID_VALUE:
        return yk_fail(YOKE_EBUILD,
                       "%s: the driver (%s) does not take the code of kernel %s (%s); NVRTC may be "
                       "newer than the driver: update the driver, or name an older one in "
                       "YOKE_NVRTC_LIBRARY",
                       device->base.desc.name, device->base.desc.driver, program->shape.name,
                       yk_cuda_code_name(device->cu, code));
    default:
        return yk_cuda_fail(device, code, "loading a kernel");
    }
}

/* The claim ends before the image is loaded: equal GPUs load it at the same time, and none waits
 * for another one that hangs. */
static yoke_status compile_and_load(struct yk_program *program, const struct source *source,
                                    struct yk_claim *claim)
{
    struct yk_blob image = { NULL, 0 };
    yk_thread_begin_long();
    yoke_status status = yk_cuda_compile(program->device, &source->plan, &image);
    yk_thread_end_long();
    yk_claim_end(claim, image);
    if (status != YOKE_OK)
        return status;
    CUresult code = load_image(program, claim, image);
    return code == CUDA_SUCCESS ? YOKE_OK : load_failed(program, code);
}

static yoke_status obtain_module(struct yk_program *program, const struct source *source)
{
    struct yk_claim claim = { .key = { source->key, strlen(source->key) } };
    struct yk_blob image;
    while (yk_claim_begin(&claim, &image))
        if (load_image(program, &claim, image) == CUDA_SUCCESS) {
            yk_log(YOKE_LOG_DEBUG, "%s: kernel %s came from the cache",
                   program->device->base.desc.name, program->shape.name);
            return YOKE_OK;
        }
    return compile_and_load(program, source, &claim);
}

/* Finds a function of the module, and makes blocks small enough for it. The context must be
 * current. */
static yoke_status find_function(struct yk_program *program, const char *entry, CUfunction *out,
                                 int *most)
{
    struct yk_cuda_device *device = program->device;
    CUresult code = device->cu->ModuleGetFunction(out, program->module, entry);
    if (code == CUDA_ERROR_NOT_FOUND)
        return yk_fail(YOKE_EBUILD,
                       "%s: the source of kernel %s has no extern \"C\" __global__ '%s'",
                       device->base.desc.name, program->shape.name, entry);
    if (code == CUDA_SUCCESS)
        code = device->cu->FuncGetAttribute(most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, *out);
    if (code != CUDA_SUCCESS)
        return yk_cuda_fail(device, code, "finding a kernel's entry");
    while (program->block_items > *most && program->block_items > 1)
        program->block_items /= 2;
    return YOKE_OK;
}

/* The function's bytes of local memory for each thread; 1 if they cannot be told. The context must
 * be current. */
static int local_bytes(const struct yk_program *program, CUfunction function)
{
    int bytes = 1;
    const CUresult code =
        program->device->cu->FuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
    return code == CUDA_SUCCESS ? bytes : 1;
}

/* Threads of larger groups have fewer registers: the entry is not used if variables then lie in
 * local memory. The context must be current. */
static yoke_status find_spread_entry(struct yk_program *program, const yoke_kernel *kernel)
{
    struct yk_entry_name name;
    int most;
    snprintf(name.text, sizeof name.text, "yoke_spread_%s", kernel->name);
    const yoke_status status = find_function(program, name.text, &program->spread_function, &most);
    if (status == YOKE_OK &&
        local_bytes(program, program->spread_function) > local_bytes(program, program->function))
        program->spread_function = NULL;
    return status;
}

/* The context must be current. */
static yoke_status find_entry(struct yk_program *program, const yoke_kernel *kernel)
{
    struct yk_cuda_device *device = program->device;
    const struct yk_entry_name name = yk_kernel_entry_name(kernel, 0);
    const char *own = kernel->cuda.source.entry;
    int most = 0;
    program->block_items = BLOCK_ITEMS;
    yoke_status status = find_function(program, own ? own : name.text, &program->function, &most);
    if (status != YOKE_OK)
        return status;
    if (program->shape.lanes > most)
        return yk_fail(YOKE_EBUILD, "%s: kernel %s wants groups of %d lanes, it can have %d here",
                       device->base.desc.name, program->shape.name, program->shape.lanes, most);
    return program->spreads ? find_spread_entry(program, kernel) : YOKE_OK;
}

/* The context must be current. */
static yoke_status find_narrow_entry(struct yk_program *program, const yoke_kernel *kernel)
{
    const struct yk_entry_name name = yk_kernel_entry_name(kernel, 1);
    int most;
    return find_function(program, name.text, &program->narrow_function, &most);
}

/* Launches an empty range (see the file head), in a queue of its own, because other threads use the
 * device meanwhile. */
static yoke_status rehearse(struct yk_program *program)
{
    static const char nothing[4096]; /* the largest argument possible */
    struct yk_launch_arg args[YOKE_ARGS_MAX] = { 0 };
    const struct yk_launch launch = { .extent = { 1, 1 }, .args = args };
    struct yk_queue *queue;
    struct yk_event *event;
    for (int p = 0; p < program->shape.param_count; ++p)
        args[p].value = nothing;
    yoke_status status = yk_cuda_queue_open(&program->device->base, &queue);
    if (status != YOKE_OK)
        return status;
    status = yk_cuda_launch(queue, program, &launch, &event);
    if (status == YOKE_OK) {
        status = yk_cuda_wait(event);
        yk_cuda_event_close(event);
    }
    yk_cuda_queue_release(queue);
    return status;
}

static yoke_status load_module(struct yk_program *program, const yoke_kernel *kernel)
{
    struct source source;
    yoke_status status = source_open(program, kernel, &source);
    if (status != YOKE_OK)
        return status;
    status = obtain_module(program, &source);
    yk_free(source.key);
    return status;
}

/* Whether the function that was found last uses local memory. The context must be current. */
static int uses_local_memory(const struct yk_program *program)
{
    return local_bytes(program,
                       program->narrow_function ? program->narrow_function : program->function) > 0;
}

/* Called for the 64-bit entry, then for the 32-bit entry. Once both are found, a launch uses the
 * latter if its numbers allow it; a rehearsal's, all 0, do. */
static yoke_status find_and_rehearse(struct yk_program *program, const yoke_kernel *kernel,
                                     yoke_status (*find)(struct yk_program *, const yoke_kernel *))
{
    yoke_status status = yk_cuda_enter(program->device);
    if (status != YOKE_OK)
        return status;
    status = find(program, kernel);
    const int rehearses = status == YOKE_OK && program->generated && uses_local_memory(program);
    yk_cuda_leave(program->device);
    return rehearses ? rehearse(program) : status;
}

static yoke_status build_source(struct yk_program *program, const yoke_kernel *kernel)
{
    if (program->generated)
        yk_narrow_open(kernel, kernel->cuda.source.text, &program->narrow.is);
    program->spreads = yk_cuda_may_spread(program, kernel);
    yoke_status status = load_module(program, kernel);
    if (status == YOKE_EBUILD && program->narrow.is.text) {
        yk_log(YOKE_LOG_DEBUG, "without 32-bit indexes: %s", yoke_error_text());
        yk_narrow_close(&program->narrow.is);
        status = load_module(program, kernel);
    }
    if (status == YOKE_OK)
        status = find_and_rehearse(program, kernel, find_entry);
    if (status == YOKE_OK && program->narrow.is.text)
        status = find_and_rehearse(program, kernel, find_narrow_entry);
    return status;
}

/* CUDA passes 4 KiB by value, for all parameters together. */
static yoke_status check_values(const struct yk_program *program)
{
    const struct yk_kernel_shape *shape = &program->shape;
    for (int p = 0; p < shape->param_count; ++p)
        if (shape->params[p].mode == YOKE_PARAM_VALUE && shape->params[p].size > VALUE_MOST)
            return yk_fail(YOKE_EBUILD,
                           "%s: parameter %d of kernel %s has %u bytes, more than CUDA passes by "
                           "value; put it into an array",
                           program->device->base.desc.name, p + 1, shape->name,
                           (unsigned)shape->params[p].size);
    return YOKE_OK;
}

yoke_status yk_cuda_build(struct yk_device *base, const yoke_kernel *kernel,
                          struct yk_program **out)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    yoke_status status = yk_cuda_enter(device);
    if (status != YOKE_OK)
        return status;
    yk_cuda_leave(device);
    if (!kernel->cuda.native && !kernel->cuda.source.text)
        return yk_fail(YOKE_ENOIMPL,
                       "kernel %s has nothing for CUDA; build its file with yoke_add_kernels, or "
                       "leave %s out",
                       kernel->name, base->desc.name);
    struct yk_program *program = yk_calloc(1, sizeof *program);
    if (!program)
        return YOKE_ENOMEM;
    program->device = device;
    program->native = kernel->cuda.native;
    program->generated = !kernel->cuda.native && !kernel->cuda.source.entry;
    status = yk_kernel_shape_take(kernel, &program->shape);
    if (status == YOKE_OK)
        status = check_values(program);
    snprintf(program->launching, sizeof program->launching, "launching kernel %s",
             program->shape.name);
    if (status == YOKE_OK && !program->native)
        status = build_source(program, kernel);
    if (status != YOKE_OK) {
        yk_cuda_program_close(base, program);
        return status;
    }
    *out = program;
    return YOKE_OK;
}

void yk_cuda_program_close(struct yk_device *base, struct yk_program *program)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    if (!program)
        return;
    if (program->module && yk_cuda_enter_anyway(device)) {
        device->cu->ModuleUnload(program->module);
        yk_cuda_leave(device);
    }
    yk_narrow_close(&program->narrow.is);
    yk_free(program);
}
