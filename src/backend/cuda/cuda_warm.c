/* cuda_warm.c - the compiler's first use, while a context is made.
 *
 * NVRTC takes 0.2 to 0.3 s for the first kernel of a process, whatever it is, and 10 ms for the
 * next (CUDA 13). Making a context takes as long. So while it is made, another thread compiles an
 * empty kernel, once per process. If kernels are cached from earlier runs it does not, because the
 * compiler may not be needed at all. Failure does not matter here: the next compilation reports it.
 */
#include <stdatomic.h>

#include "cuda.h"

static atomic_flag warmed = ATOMIC_FLAG_INIT;

static void compile_nothing(void *context)
{
    const struct yk_cuda_device *device = context;
    struct yk_cuda_source source = { .kernel = "nothing" };
    const struct yk_nvrtc *nvrtc;
    char arch_option[48];
    nvrtcProgram program;
    if (yk_cuda_source_plan(device, &source, arch_option) != YOKE_OK ||
        yk_nvrtc_load(&nvrtc) != YOKE_OK ||
        nvrtc->api.CreateProgram(&program, "extern \"C\" __global__ void nothing() {}",
                                 source.kernel, 0, NULL, NULL) != NVRTC_SUCCESS)
        return;
    nvrtc->api.CompileProgram(program, source.option_count, source.options);
    nvrtc->api.DestroyProgram(&program);
}

void yk_cuda_warm_begin(struct yk_cuda_device *device, struct yk_cuda_warming *warming)
{
    const struct yk_thread_spec spec = {
        .name = "yk-compiler", .cpu = -1, .run = compile_nothing, .context = device
    };
    warming->runs = yk_cache_is_empty() && !atomic_flag_test_and_set(&warmed) &&
                    yk_thread_open(&spec, &warming->thread) == YOKE_OK;
}

void yk_cuda_warm_end(struct yk_cuda_warming *warming)
{
    if (warming->runs)
        yk_thread_join(&warming->thread);
}
