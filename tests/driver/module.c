/* module.c - machine code: an image from the stand-in NVRTC, loaded as a shared object. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"
#include "image.h"

struct CUmod_st {
    struct standin_object object; /* first */
    int file; /* open while the module is loaded: the library is loaded by this descriptor's name */
    void *library;
    standin_open_fn *open;
    struct CUfunc_st *functions;
};

struct standin_indices *standin_module_indices(CUmodule module)
{
    return module->open(standin_barrier);
}

CUcontext standin_module_context(CUmodule module)
{
    return module->object.context;
}

/* The code that a driver of this version returns for an image for this GPU. */
static CUresult judge(const struct standin_image *image)
{
    const struct standin_settings *settings = standin_settings();
    if (memcmp(image->magic, STANDIN_MAGIC, sizeof image->magic) != 0)
        return CUDA_ERROR_INVALID_IMAGE;
    if (image->kind == STANDIN_CUBIN)
        return image->arch == settings->arch ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (image->version > settings->version)
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    return image->arch <= settings->arch ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static int write_all(int file, const char *bytes, size_t count)
{
    while (count) {
        ssize_t written = write(file, bytes, count);
        if (written <= 0)
            return 0;
        bytes += written;
        count -= (size_t)written;
    }
    return 1;
}

static CUresult load(CUmodule module, const struct standin_image *image)
{
    char path[64];
    module->file = memfd_create("standin-kernel", MFD_CLOEXEC);
    if (module->file < 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!write_all(module->file, (const char *)(image + 1), image->bytes))
        goto close_file;
    snprintf(path, sizeof path, "/proc/self/fd/%d", module->file);
    module->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module->library)
        goto close_file;
    *(void **)&module->open = dlsym(module->library, "standin_open");
    return CUDA_SUCCESS;
close_file:
    close(module->file);
    return CUDA_ERROR_INVALID_IMAGE;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code == CUDA_SUCCESS)
        code = judge(image);
    if (code != CUDA_SUCCESS)
        return code;
    CUmodule made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = load(made, image);
    if (code != CUDA_SUCCESS) {
        free(made);
        return code;
    }
    standin_object_add(&made->object, STANDIN_MODULE, context);
    *module = made;
    return CUDA_SUCCESS;
}

void standin_module_close(CUmodule module)
{
    standin_object_remove(&module->object);
    while (module->functions) {
        struct CUfunc_st *function = module->functions;
        module->functions = function->next;
        free(function);
    }
    dlclose(module->library);
    close(module->file);
    free(module);
}

/* Waits for its kernels that still run. */
CUresult cuModuleUnload(CUmodule module)
{
    CUcontext context;
    CUresult code, dead = standin_give_back(__func__, &context, &code);
    if (dead != CUDA_SUCCESS)
        return dead;
    if (!module)
        return STANDIN_INVALID_HANDLE;
    standin_context_wait(module->object.context);
    standin_module_close(module);
    return code;
}

/* No lock: only one thread uses a module while it is being built. */
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    char symbol[160];
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!module)
        return STANDIN_INVALID_HANDLE;
    snprintf(symbol, sizeof symbol, "standin_entry_%s", name);
    const struct standin_entry *entry = dlsym(module->library, symbol);
    if (!entry)
        return CUDA_ERROR_NOT_FOUND;
    CUfunction made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->module = module;
    made->entry = entry;
    snprintf(made->name, sizeof made->name, "%s", name);
    made->next = module->functions;
    module->functions = *function = made;
    return CUDA_SUCCESS;
}

/* Tests name kernels so: `stack`, and `registers`, whose larger groups have too few of them. */
static int uses_stack(const char *name)
{
    return strstr(name, "stack") || (strstr(name, "registers") && strstr(name, "spread"));
}

CUresult cuFuncGetAttribute(int *value, int name, CUfunction function)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!function)
        return CUDA_ERROR_INVALID_VALUE;
    if (name == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
        *value = 1024;
    else if (name == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
        *value = uses_stack(function->name) ? 64 : 0;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return code;
}
