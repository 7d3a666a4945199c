/* by_hand.c - see by_hand.h. Names and numbers of functions are the driver's (cuda_api.h). */
#include "by_hand.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda_api.h"
#include "driver.h"
#include "prelude_cuda.inc"

enum { NUM_REGS = 4, LOCAL_SIZE_BYTES = 3, OPTIONS_MAX = 3 }; /* attributes of a function */

static struct yk_cuda_api cu;
static struct yk_nvrtc_api rtc;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "by hand: %s: %s\n", what, why);
    exit(1);
}

static void done(CUresult code, const char *what)
{
    const char *name = "the driver gives no name";
    if (code == CUDA_SUCCESS)
        return;
    cu.GetErrorName(code, &name);
    fail(what, name);
}

static void compiled(int code, const char *what)
{
    if (code != NVRTC_SUCCESS)
        fail(what, rtc.GetErrorString(code));
}

/* --- driver and compiler --- */

/* Loads the library that the variable names; if it is not set, the first of `names` that exists. */
static void *library_open(const char *variable, const char *const *names)
{
    const char *own = getenv(variable);
    void *library = own && *own ? dlopen(own, RTLD_NOW) : NULL;
    for (; !library && !(own && *own) && *names; names++)
        library = dlopen(*names, RTLD_NOW);
    if (!library)
        fail(variable, dlerror());
    return library;
}

static void symbol(void *library, const char *name, void *slot)
{
    void *address = dlsym(library, name);
    if (!address)
        fail(name, dlerror());
    memcpy(slot, &address, sizeof address);
}

static void libraries_open(void)
{
    static const char *const drivers[] = { "libcuda.so.1", NULL };
    static const char *const compilers[] = { "libnvrtc.so.13",
                                             "libnvrtc.so.12",
                                             "libnvrtc.so",
                                             "/usr/local/cuda/lib64/libnvrtc.so",
                                             "/usr/local/cuda/lib/libnvrtc.so",
                                             NULL };
    void *driver = library_open("YOKE_CUDA_LIBRARY", drivers);
    void *compiler = library_open("YOKE_NVRTC_LIBRARY", compilers);
#define SYMBOL(name, text, parameters) symbol(driver, text, &cu.name);
    YK_CUDA_FUNCTIONS(SYMBOL)
#undef SYMBOL
#define SYMBOL(result, name, text, parameters) symbol(compiler, text, &rtc.name);
    YK_NVRTC_FUNCTIONS(SYMBOL)
#undef SYMBOL
}

static void gpu_open(struct by_hand *hand)
{
    CUdevice device;
    int major, minor;
    done(cu.Init(0), "cuInit");
    done(cu.DeviceGet(&device, 0), "cuDeviceGet");
    done(cu.DeviceGetName(hand->gpu, sizeof hand->gpu, device), "cuDeviceGetName");
    done(cu.DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
         "cuDeviceGetAttribute");
    done(cu.DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
         "cuDeviceGetAttribute");
    hand->arch = 10 * major + minor;
    done(cu.CtxCreate((CUcontext *)&hand->context, 0, device), "cuCtxCreate");
    done(cu.StreamCreate((CUstream *)&hand->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    done(cu.EventCreate((CUevent *)&hand->before, CU_EVENT_DEFAULT), "cuEventCreate");
    done(cu.EventCreate((CUevent *)&hand->after, CU_EVENT_DEFAULT), "cuEventCreate");
}

/* --- the kernel --- */

/* The kernel's text. A text that must stay exact contains a mark for it (yoke/kernel.h); for fused
 * sums the mark is replaced. */
static char *text_of(const yoke_kernel *kernel, enum by_hand_sums sums)
{
    static const char exact[] = "yk_exact", fused[] = "yk_fused";
    const size_t bytes = sizeof prelude_cuda + strlen(kernel->cuda.source.text) + 1;
    char *text = malloc(bytes), *mark;
    if (!text)
        fail("the kernel's text", "no memory");
    snprintf(text, bytes, "%s%s", prelude_cuda, kernel->cuda.source.text);
    while (sums == BY_HAND_FUSED && (mark = strstr(text, exact)))
        memcpy(mark, fused, strlen(fused));
    return text;
}

static char *image_of(const struct by_hand *hand, enum by_hand_sums sums)
{
    char arch[48], *text = text_of(&path_plain, sums), *image;
    const char *const options[OPTIONS_MAX] = { arch, "--std=c++14", "--fmad=false" };
    nvrtcProgram program;
    size_t bytes;
    snprintf(arch, sizeof arch, "--gpu-architecture=sm_%d", hand->arch);
    compiled(rtc.CreateProgram(&program, text, path_plain.name, 0, NULL, NULL), "nvrtc");
    if (rtc.CompileProgram(program, sums == BY_HAND_EXACT ? OPTIONS_MAX : OPTIONS_MAX - 1,
                           options) != NVRTC_SUCCESS) {
        char words[4096] = "";
        if (rtc.GetProgramLogSize(program, &bytes) == NVRTC_SUCCESS && bytes < sizeof words)
            rtc.GetProgramLog(program, words);
        fail("the kernel does not compile", words);
    }
    compiled(rtc.GetCUBINSize(program, &bytes), "nvrtcGetCUBINSize");
    image = malloc(bytes);
    if (!image)
        fail("the kernel's code", "no memory");
    compiled(rtc.GetCUBIN(program, image), "nvrtcGetCUBIN");
    compiled(rtc.DestroyProgram(&program), "nvrtcDestroyProgram");
    free(text);
    return image;
}

static struct by_hand_kernel kernel_open(const struct by_hand *hand, enum by_hand_sums sums)
{
    struct by_hand_kernel out;
    char entry[128], *image = image_of(hand, sums);
    CUmodule module;
    snprintf(entry, sizeof entry, "yoke_entry_%s", path_plain.name);
    done(cu.ModuleLoadData(&module, image), "cuModuleLoadData");
    done(cu.ModuleGetFunction((CUfunction *)&out.function, module, entry), entry);
    if (cu.FuncGetAttribute(&out.registers, NUM_REGS, out.function) != CUDA_SUCCESS)
        out.registers = -1;
    if (cu.FuncGetAttribute(&out.local_bytes, LOCAL_SIZE_BYTES, out.function) != CUDA_SUCCESS)
        out.local_bytes = -1;
    free(image);
    return out;
}

/* --- the scene and the picture --- */

enum { ARRAYS = 4 };
struct upload {
    unsigned long long *on_gpu;
    const void *host;
    size_t bytes;
};

static void uploads(struct by_hand *hand, struct upload out[ARRAYS])
{
    const struct path_scene *scene = &hand->state->scene;
    const int64_t lights = scene->light_count > 0 ? scene->light_count : 1;
    out[0] = (struct upload){ &hand->nodes, scene->bvh.nodes,
                              (size_t)scene->bvh.node_count * sizeof(node_t) };
    out[1] = (struct upload){ &hand->triangles, scene->triangles,
                              (size_t)scene->triangle_count * sizeof(triangle_t) };
    out[2] = (struct upload){ &hand->materials, scene->materials,
                              (size_t)scene->material_count * sizeof(material_t) };
    out[3] = (struct upload){ &hand->lights, scene->lights, (size_t)lights * sizeof(light_t) };
}

void by_hand_open(const struct path_state *state, struct by_hand *out)
{
    const size_t bytes = (size_t)state->setup.count * sizeof(pixel_t);
    struct upload all[ARRAYS];
    *out = (struct by_hand){ .state = state };
    libraries_open();
    gpu_open(out);
    for (int s = 0; s < BY_HAND_SUMS; s++)
        out->kernels[s] = kernel_open(out, (enum by_hand_sums)s);
    uploads(out, all);
    for (int a = 0; a < ARRAYS; a++)
        done(cu.MemAlloc(all[a].on_gpu, all[a].bytes), "memory for the scene");
    done(cu.MemAlloc(&out->on_gpu, bytes), "memory for the pixels");
    done(cu.MemHostAlloc((void **)&out->pixels, bytes, 0), "memory for the pixels on the host");
}

void by_hand_close(struct by_hand *hand)
{
    cu.MemFreeHost(hand->pixels);
    cu.CtxDestroy(hand->context);
}

/* --- a run --- */

static void launch(struct by_hand *hand, enum by_hand_sums sums, int block)
{
    int64_t range[] = { 0, hand->state->setup.count, 1, 1 };
    path_setup_t setup = hand->state->setup;
    void *args[] = {
        &range[0],    &range[1],        &range[2],        &range[3],     &setup,
        &hand->nodes, &hand->triangles, &hand->materials, &hand->lights, &hand->on_gpu
    };
    done(cu.LaunchKernel(hand->kernels[sums].function, (unsigned)((range[1] + block - 1) / block),
                         1, 1, (unsigned)block, 1, 1, 0, hand->stream, args, NULL),
         "cuLaunchKernel");
}

struct by_hand_seconds by_hand_run(struct by_hand *hand, enum by_hand_sums sums, int block)
{
    struct by_hand_seconds out;
    struct upload all[ARRAYS];
    double start = app_wall_seconds();
    float milliseconds;
    uploads(hand, all);
    for (int a = 0; a < ARRAYS; a++)
        done(cu.MemcpyHtoDAsync(*all[a].on_gpu, all[a].host, all[a].bytes, hand->stream), "upload");
    done(cu.StreamSynchronize(hand->stream), "upload");
    out.upload = app_wall_seconds() - start;
    start = app_wall_seconds();
    done(cu.EventRecord(hand->before, hand->stream), "cuEventRecord");
    launch(hand, sums, block);
    done(cu.EventRecord(hand->after, hand->stream), "cuEventRecord");
    done(cu.MemcpyDtoHAsync(hand->pixels, hand->on_gpu,
                            (size_t)hand->state->setup.count * sizeof(pixel_t), hand->stream),
         "download");
    done(cu.StreamSynchronize(hand->stream), "the kernel");
    out.run = app_wall_seconds() - start;
    done(cu.EventElapsedTime(&milliseconds, hand->before, hand->after), "cuEventElapsedTime");
    out.kernel = 1e-3 * milliseconds;
    return out;
}
