/* cuda_load.c - NVIDIA's driver and run-time compiler, found at run time.
 *
 * The driver, libcuda.so.1, comes with the GPU's kernel module, and the loader finds it. NVRTC
 * comes with the toolkit, in a folder that depends on how that was installed; the newest soname is
 * used. YOKE_CUDA_LIBRARY and YOKE_NVRTC_LIBRARY name the only file to try.
 *
 * Each is loaded once per process, when first needed, and never unloaded. A failure is remembered,
 * too: drivers do not appear while a program runs, and trying costs time.
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "../../base/alloc.h"
#include "../../base/option.h"
#include "../../base/process_lock.h"
#include "../../base/status.h"
#include "../../platform/library.h"
#include "cuda.h"

/* The oldest usable version, CUDA 11.0 (driver 450): the first that loads machine code of NVRTC. */
enum { VERSION_LEAST = 11000 };

/* A driver may fork while it loads. A child does not use drivers that its parent had begun to
 * load. */
static struct yk_process_lock load_lock = YK_PROCESS_LOCK_FREED;

static struct yk_cuda_driver driver; /* guarded by load_lock until driver_tried is set */
static int driver_tried;
static yoke_status driver_status;
static char driver_text[384];

static const struct yk_symbol driver_symbols[] = {
#define SYMBOL(name, symbol, parameters) { symbol, (void **)&driver.api.name, 0 },
    YK_CUDA_FUNCTIONS(SYMBOL)
#undef SYMBOL
#define SYMBOL(name, symbol, parameters) { symbol, (void **)&driver.api.name, 1 },
        YK_CUDA_VIRTUAL_FUNCTIONS(SYMBOL) YK_CUDA_PEER_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

#define IS_THERE(name, symbol, parameters) &&api->name
static int all_virtual(const struct yk_cuda_api *api)
{
    return 1 YK_CUDA_VIRTUAL_FUNCTIONS(IS_THERE);
}

static int all_peer(const struct yk_cuda_api *api)
{
    return 1 YK_CUDA_PEER_FUNCTIONS(IS_THERE);
}
#undef IS_THERE

static yoke_status init_failed(CUresult code)
{
    const char *cure = "see `nvidia-smi` and the kernel's log";
    if (code == CUDA_ERROR_NO_DEVICE)
        cure = "CUDA_VISIBLE_DEVICES may hide all GPUs, or this process may not open /dev/nvidia*";
    if (code == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
        cure = "library and kernel module are of different versions: load the new module or reboot";
    if (code == CUDA_ERROR_SYSTEM_NOT_READY)
        cure = "start nvidia-fabricmanager, which this machine's GPUs need";
    if (code == CUDA_ERROR_STUB_LIBRARY)
        cure = "this libcuda is the toolkit's stub: install the driver's own, or take the stub's "
               "folder out of LD_LIBRARY_PATH";
    return yk_fail(YOKE_ENODEV, "%s (CUDA %d.%d) does not start: %s; %s", driver.path,
                   driver.version / 1000, driver.version % 1000 / 10,
                   yk_cuda_code_name(&driver.api, code), cure);
}

static yoke_status load_driver(void)
{
    const char *own = yk_environment("YOKE_CUDA_LIBRARY");
    const char *const usual[] = { "libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", NULL };
    const char *const named[] = { own, NULL };
    struct yk_library *library;
    yoke_status status = yk_library_open(own && *own ? named : usual, &library);
    if (status == YOKE_ENOMEM)
        return status;
    if (status != YOKE_OK)
        return yk_fail(YOKE_ENODEV, "NVIDIA's driver library %s cannot be loaded; %s",
                       own && *own ? own : "libcuda.so.1",
                       own && *own ? "correct YOKE_CUDA_LIBRARY or unset it"
                                   : "install libcuda1 (nvidia-driver) if this machine has an "
                                     "NVIDIA GPU");
    snprintf(driver.path, sizeof driver.path, "%s", yk_library_path(library));
    if (yk_library_symbols(library, driver_symbols,
                           sizeof driver_symbols / sizeof *driver_symbols) != YOKE_OK)
        return yk_fail(YOKE_ENODEV, "%s is too old or no CUDA driver; update the NVIDIA driver",
                       driver.path);
    driver.api.has_virtual = all_virtual(&driver.api);
    driver.api.has_peers = all_peer(&driver.api);
    CUresult code = driver.api.DriverGetVersion(&driver.version);
    if (code == CUDA_SUCCESS && driver.version < VERSION_LEAST)
        return yk_fail(YOKE_ENODEV,
                       "%s speaks CUDA %d.%d, at least %d.%d is needed; update the NVIDIA driver",
                       driver.path, driver.version / 1000, driver.version % 1000 / 10,
                       VERSION_LEAST / 1000, VERSION_LEAST % 1000 / 10);
    if (code == CUDA_SUCCESS)
        code = driver.api.Init(0);
    return code == CUDA_SUCCESS ? YOKE_OK : init_failed(code);
}

yoke_status yk_cuda_load(const struct yk_cuda_driver **out)
{
    yk_process_lock(&load_lock);
    if (!driver_tried) {
        driver_status = load_driver();
        driver_tried = driver_status != YOKE_ENOMEM;
        if (driver_status != YOKE_OK)
            snprintf(driver_text, sizeof driver_text, "%s", yoke_error_text());
    }
    yoke_status status = driver_status;
    yk_process_unlock(&load_lock);
    if (status != YOKE_OK)
        return yk_fail(status, "%s", driver_text);
    *out = &driver;
    return YOKE_OK;
}

/* ---- the compiler ---- */

static struct yk_nvrtc nvrtc; /* guarded by load_lock until nvrtc_tried is set */
static int nvrtc_tried;
static yoke_status nvrtc_status;

static const struct yk_symbol nvrtc_symbols[] = {
#define SYMBOL(result, name, symbol, parameters) { symbol, (void **)&nvrtc.api.name, 0 },
    YK_NVRTC_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

/* Searched by name where the loader looks, then in the usual folders, newest first. */
static const char *const nvrtc_names[] = { "libnvrtc.so.14", "libnvrtc.so.13",   "libnvrtc.so.12",
                                           "libnvrtc.so",    "libnvrtc.so.11.2", NULL };
static const char *const nvrtc_folders[] = {
    "/usr/local/cuda/lib64",
    "/usr/local/cuda-*/lib64",
    "/usr/local/cuda-*/targets/*/lib",
    "/opt/cuda/lib64",
    "/opt/nvidia/hpc_sdk/*/*/cuda/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/wsl/lib",
    "/usr/lib/python3*/site-packages/nvidia/*/lib",
    "/usr/local/lib/python3*/*-packages/nvidia/*/lib",
    "/opt/*/lib/python3*/site-packages/nvidia/*/lib",
    "/opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib",
    NULL,
};

static yoke_status take_nvrtc(const char *const *names)
{
    struct yk_library *library;
    yoke_status status = yk_library_open(names, &library);
    if (status == YOKE_OK)
        status = yk_library_symbols(library, nvrtc_symbols,
                                    sizeof nvrtc_symbols / sizeof *nvrtc_symbols);
    if (status == YOKE_OK && nvrtc.api.Version(&nvrtc.major, &nvrtc.minor) != NVRTC_SUCCESS)
        status = yk_fail(YOKE_ENODEV, "%s does not report its version", yk_library_path(library));
    if (status == YOKE_OK)
        snprintf(nvrtc.path, sizeof nvrtc.path, "%s", yk_library_path(library));
    return status;
}

static yoke_status search_folder(const char *folder)
{
    yoke_status status = YOKE_ENODEV;
    for (int n = 0; nvrtc_names[n] && status != YOKE_OK; ++n) {
        glob_t found;
        char *pattern = yk_format("%s/%s", folder, nvrtc_names[n]);
        if (!pattern)
            return YOKE_ENOMEM;
        if (glob(pattern, 0, NULL, &found) == 0) {
            for (size_t i = found.gl_pathc; i > 0 && status != YOKE_OK; --i)
                status = take_nvrtc((const char *[]){ found.gl_pathv[i - 1], NULL });
            globfree(&found);
        }
        yk_free(pattern);
    }
    return status;
}

static yoke_status load_nvrtc(const char *own)
{
    if (own)
        return take_nvrtc((const char *[]){ own, NULL });
    yoke_status status = take_nvrtc(nvrtc_names);
    for (int f = 0; nvrtc_folders[f] && status != YOKE_OK && status != YOKE_ENOMEM; ++f)
        status = search_folder(nvrtc_folders[f]);
    return status;
}

yoke_status yk_nvrtc_load(const struct yk_nvrtc **out)
{
    const char *own = yk_environment("YOKE_NVRTC_LIBRARY");
    own = own && *own ? own : NULL;
    yk_process_lock(&load_lock);
    if (!nvrtc_tried) {
        nvrtc_status = load_nvrtc(own);
        nvrtc_tried = nvrtc_status != YOKE_ENOMEM;
    }
    yoke_status status = nvrtc_status;
    yk_process_unlock(&load_lock);
    if (status == YOKE_ENOMEM)
        return status;
    if (status != YOKE_OK && own)
        return yk_fail(YOKE_ENODEV,
                       "NVRTC, NVIDIA's run-time compiler, cannot be loaded from %s; correct "
                       "YOKE_NVRTC_LIBRARY or unset it",
                       own);
    if (status != YOKE_OK)
        return yk_fail(YOKE_ENODEV,
                       "NVRTC, NVIDIA's run-time compiler, was not found; install libnvrtc (cuda-"
                       "nvrtc-*, or pip's nvidia-cuda-nvrtc) or name it in YOKE_NVRTC_LIBRARY");
    *out = &nvrtc;
    return YOKE_OK;
}
