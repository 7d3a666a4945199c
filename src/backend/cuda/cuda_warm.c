/* cuda_warm.c - the compiler's first use, while a context is made.
 *
 * To load NVRTC takes 2 to 7 ms, and it takes 0.2 to 0.3 s for the first kernel of a process,
 * whatever it is, and 10 ms for the next (CUDA 13). Making a context takes 0.1 to 0.3 s. So while
 * the first one is made, another thread loads NVRTC, whose version is part of a cached kernel's
 * key, and compiles an empty kernel. If kernels are cached from earlier runs it does not compile,
 * because that may not be needed at all. Failure does not matter here: the next compilation reports
 * it.
 */
#include <stdatomic.h>

#include "cuda.h"

static atomic_flag warmed = ATOMIC_FLAG_INIT;

static void compile_nothing(const struct yk_cuda_device *device, const struct yk_nvrtc *nvrtc)
{
    struct yk_cuda_source source = { .kernel = "nothing" };
    char arch_option[48];
    nvrtcProgram program;
    if (yk_cuda_source_plan(device, &source, arch_option) != YOKE_OK ||
        nvrtc->api.CreateProgram(&program, "extern \"C\" __global__ void nothing() {}",
                                 source.kernel, 0, NULL, NULL) != NVRTC_SUCCESS)
        return;
    nvrtc->api.CompileProgram(program, source.option_count, source.options);
    nvrtc->api.DestroyProgram(&program);
}

static void prepare(void *context)
{
    const struct yk_nvrtc *nvrtc;
    if (yk_nvrtc_load(&nvrtc) == YOKE_OK && yk_cache_is_empty())
        compile_nothing(context, nvrtc);
}

void yk_cuda_warm_begin(struct yk_cuda_device *device, struct yk_cuda_warming *warming)
{
    const struct yk_thread_spec spec = {
        .name = "yk-compiler", .cpu = -1, .run = prepare, .context = device
    };
    warming->runs =
        !atomic_flag_test_and_set(&warmed) && yk_thread_open(&spec, &warming->thread) == YOKE_OK;
}

void yk_cuda_warm_end(struct yk_cuda_warming *warming)
{
    if (warming->runs)
        yk_thread_join(&warming->thread);
}
