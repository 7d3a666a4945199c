/* cuda_compile.c - kernel text to machine code for one GPU, by NVRTC.
 *
 * Machine code for the exact GPU needs no compiling when it is loaded. A GPU newer than the
 * compiler gets PTX for the newest architecture that the compiler knows; the driver compiles that.
 */
#include <stdio.h>
#include <string.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "cuda.h"

/* Returns the newest architecture up to `arch` that NVRTC knows; 0 if there is none. */
static int newest_known(const struct yk_nvrtc_api *nvrtc, int arch)
{
    int archs[256], count = 0, best = 0;
    if (nvrtc->GetNumSupportedArchs(&count) != NVRTC_SUCCESS ||
        count > (int)(sizeof archs / sizeof *archs) ||
        nvrtc->GetSupportedArchs(archs) != NVRTC_SUCCESS)
        return 0;
    for (int i = 0; i < count; ++i)
        if (archs[i] <= arch && archs[i] > best)
            best = archs[i];
    return best;
}

yoke_status yk_cuda_source_plan(const struct yk_cuda_device *device, struct yk_cuda_source *source,
                                char arch_option[48])
{
    const struct yk_nvrtc *nvrtc;
    const char *name = device->base.desc.name;
    yoke_status status = yk_nvrtc_load(&nvrtc);
    if (status == YOKE_ENOMEM)
        return status;
    if (status != YOKE_OK)
        return yk_fail(YOKE_EBUILD, "%s: kernel %s needs a compiler: %s", name, source->kernel,
                       yoke_error_text());
    int known = newest_known(&nvrtc->api, device->arch);
    if (!known)
        return yk_fail(YOKE_EBUILD,
                       "%s: NVRTC %d.%d (%s) no longer knows compute capability %d.%d; install an "
                       "older one and name it in YOKE_NVRTC_LIBRARY",
                       name, nvrtc->major, nvrtc->minor, nvrtc->path, device->arch / 10,
                       device->arch % 10);
    source->to_ptx = known != device->arch;
    snprintf(arch_option, 48, "--gpu-architecture=%s_%d", source->to_ptx ? "compute" : "sm", known);
    source->options[0] = arch_option;
    source->options[1] = "--std=c++17";
    source->option_count = 2;
    return YOKE_OK;
}

/* The compiler's messages; NULL if there are none. Freed by the caller. */
static char *build_log(const struct yk_nvrtc_api *nvrtc, nvrtcProgram program)
{
    size_t size = 0;
    if (nvrtc->GetProgramLogSize(program, &size) != NVRTC_SUCCESS || size <= 1)
        return NULL;
    char *log = yk_calloc(1, size + 1);
    if (log && nvrtc->GetProgramLog(program, log) != NVRTC_SUCCESS)
        log[0] = 0;
    if (log && !log[strspn(log, " \t\r\n")]) {
        yk_free(log);
        log = NULL;
    }
    return log;
}

static int read_image(const struct yk_nvrtc_api *nvrtc, nvrtcProgram program, int to_ptx,
                      struct yk_blob *out)
{
    size_t size = 0;
    int code = to_ptx ? nvrtc->GetPTXSize(program, &size) : nvrtc->GetCUBINSize(program, &size);
    if (code == NVRTC_SUCCESS && size == 0)
        code = NVRTC_ERROR_COMPILATION;
    if (code != NVRTC_SUCCESS)
        return code;
    char *bytes = yk_calloc(1, size + 1);
    if (!bytes)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    code = to_ptx ? nvrtc->GetPTX(program, bytes) : nvrtc->GetCUBIN(program, bytes);
    if (code != NVRTC_SUCCESS) {
        yk_free(bytes);
        return code;
    }
    *out = (struct yk_blob){ bytes, size };
    return code;
}

yoke_status yk_cuda_compile(const struct yk_cuda_device *device,
                            const struct yk_cuda_source *source, struct yk_blob *image)
{
    const struct yk_nvrtc *nvrtc;
    const char *name = device->base.desc.name;
    nvrtcProgram program;
    yoke_status status = yk_nvrtc_load(&nvrtc);
    if (status != YOKE_OK)
        return YOKE_EBUILD;
    int code = nvrtc->api.CreateProgram(&program, source->text, source->kernel, 0, NULL, NULL);
    if (code != NVRTC_SUCCESS)
        return yk_fail(code == NVRTC_ERROR_OUT_OF_MEMORY ? YOKE_ENOMEM : YOKE_EBUILD,
                       "%s: kernel %s: NVRTC: %s", name, source->kernel,
                       nvrtc->api.GetErrorString(code));
    code = nvrtc->api.CompileProgram(program, source->option_count, source->options);
    char *log = build_log(&nvrtc->api, program);
    if (code == NVRTC_SUCCESS)
        code = read_image(&nvrtc->api, program, source->to_ptx, image);
    nvrtc->api.DestroyProgram(&program);
    if (code == NVRTC_ERROR_OUT_OF_MEMORY)
        status = yk_fail(YOKE_ENOMEM, "%s: no memory to compile kernel %s", name, source->kernel);
    else if (code != NVRTC_SUCCESS)
        status = yk_fail(YOKE_EBUILD, "%s (%s): kernel %s does not compile (%s); NVRTC says:\n%s",
                         name, device->base.desc.model, source->kernel,
                         nvrtc->api.GetErrorString(code), log ? log : "nothing");
    else if (log)
        yk_log(YOKE_LOG_INFO, "%s: compiling kernel %s: %s", name, source->kernel, log);
    yk_free(log);
    return status;
}
