/* cuda_find.c - which NVIDIA GPUs there are, and what each is.
 *
 * Starting the driver costs 50 ms to seconds, so it is not started if CUDA was not asked for and
 * the machine shows no GPU. A GPU for which no compiler (NVRTC) is found is left to its OpenCL
 * driver, which contains one, unless the user names CUDA: handwritten kernels need no compiler.
 */
#include <stdio.h>
#include <string.h>

#include "../../base/option.h"
#include "../../base/status.h"
#include "../find.h"
#include "cuda.h"

enum { COPIES = 64 }; /* copies of sums; measured: docs/results/irregular-h200.md */
const struct yk_option yk_cuda_options[] = {
    { "mem", NULL, NULL, "use at most this much of the GPU's memory", YK_OPTION_BYTES,
      offsetof(struct yk_cuda_settings, memory_bytes), NULL, 1 },
    { "lanes", NULL, NULL, "chunks in flight at the same time [4]", YK_OPTION_INT,
      offsetof(struct yk_cuda_settings, lanes), NULL, 1 },
    { "copies", NULL, NULL, "copies of a sum (mode add) that groups share, a power of two [64]",
      YK_OPTION_INT, offsetof(struct yk_cuda_settings, copies), NULL, 1 },
    { 0 },
};

static int attribute(const struct yk_cuda_api *cu, CUdevice device, int name)
{
    int value = 0;
    return cu->DeviceGetAttribute(&value, name, device) == CUDA_SUCCESS ? value : 0;
}

/* Writes a text that is the same for one physical device under any driver. */
static void identify(const struct yk_cuda_api *cu, CUdevice device, char *text, size_t capacity)
{
    CUuuid uuid;
    if (cu->DeviceGetUuid(&uuid, device) != CUDA_SUCCESS) {
        snprintf(text, capacity, "pci:%04x:%02x:%02x.0",
                 (unsigned)attribute(cu, device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
                 (unsigned)attribute(cu, device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
                 (unsigned)attribute(cu, device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
        return;
    }
    size_t used = (size_t)snprintf(text, capacity, "uuid:");
    for (size_t i = 0; i < sizeof uuid.bytes && used + 2 < capacity; ++i)
        used += (size_t)snprintf(text + used, capacity - used, "%02x", uuid.bytes[i]);
}

/* Rough values for the first decision of auto; the first chunks replace them. */
static void guess_speeds(const struct yk_cuda_api *cu, CUdevice device, struct yk_device_desc *desc)
{
    int major = attribute(cu, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    desc->fill = (int64_t)desc->cores *
                 attribute(cu, device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    if (desc->fill < 1)
        desc->fill = 2048;
    desc->link_bytes_per_ns = yk_find_nvidia_link(major);
    desc->launch_ns = 15e3; /* including a copy in each direction */
    desc->peak_per_ns =
        (double)desc->cores *
        yk_find_nvidia_width(major,
                             attribute(cu, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)) *
        attribute(cu, device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1e6;
}

/* With unified addressing all memory of cuMemHostAlloc is mapped into the contexts of all devices,
 * at the host's address. */
static int reaches_host(const struct yk_cuda_api *cu, CUdevice device)
{
    return attribute(cu, device, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING) &&
           attribute(cu, device, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
}

static yoke_status apply_settings(const struct yk_device_spec *spec, struct yk_device_desc *desc)
{
    void *settings = NULL;
    yoke_status status = yk_device_settings_open(spec, &settings);
    if (status != YOKE_OK)
        return status;
    const struct yk_cuda_settings *set = settings;
    if (set->lanes > 64) {
        yk_device_settings_close(spec->backend, settings);
        return yk_fail(YOKE_EINVAL, "%s: lanes= is at most 64", desc->name);
    }
    status = yk_find_copies(desc, set->copies, COPIES);
    if (status != YOKE_OK) {
        yk_device_settings_close(spec->backend, settings);
        return status;
    }
    desc->settings = settings;
    if (set->memory_bytes && set->memory_bytes < desc->memory_bytes)
        desc->memory_bytes = set->memory_bytes;
    /* 4 lanes give the GPU enough work while a host thread waits for a core. */
    desc->lanes = set->lanes ? (int)set->lanes : 4;
    return YOKE_OK;
}

static yoke_status describe(const struct yk_cuda_driver *driver, int index,
                            struct yk_device_desc *desc)
{
    const struct yk_cuda_api *cu = &driver->api;
    CUdevice device;
    size_t bytes = 0;
    *desc = (struct yk_device_desc){ .backend = &yk_backend_cuda, .index = index };
    snprintf(desc->name, sizeof desc->name, "cuda:%d", index);
    CUresult code = cu->DeviceGet(&device, index);
    if (code == CUDA_SUCCESS)
        code = cu->DeviceGetName(desc->model, (int)sizeof desc->model, device);
    if (code == CUDA_SUCCESS)
        code = cu->DeviceTotalMem(&bytes, device);
    if (code != CUDA_SUCCESS)
        return yk_fail(YOKE_ENODEV, "%s: its properties cannot be read: %s; see `nvidia-smi`",
                       desc->name, yk_cuda_code_name(cu, code));
    if (attribute(cu, device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) == CU_COMPUTEMODE_PROHIBITED)
        return yk_fail(YOKE_ENODEV,
                       "%s (%s) is in compute mode 'prohibited'; `nvidia-smi -c DEFAULT` allows "
                       "its use",
                       desc->name, desc->model);
    desc->memory_bytes = (int64_t)bytes;
    snprintf(desc->driver, sizeof desc->driver, "CUDA %d.%d", driver->version / 1000,
             driver->version % 1000 / 10);
    identify(cu, device, desc->identity, sizeof desc->identity);
    desc->cores = attribute(cu, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    desc->reaches_host = reaches_host(cu, device);
    desc->fails_as_one = 1; /* cuda_error.c */
    guess_speeds(cu, device, desc);
    return YOKE_OK;
}

/* Appends one GPU. If it fails with YOKE_ENODEV, that is an error only if the user gave the GPU's
 * number. */
static yoke_status consider(const struct yk_device_spec *spec, const struct yk_cuda_driver *driver,
                            int index, struct yk_device_list *list)
{
    struct yk_device_desc desc;
    yoke_status status = describe(driver, index, &desc);
    if (status == YOKE_OK)
        status = apply_settings(spec, &desc);
    if (status == YOKE_OK)
        status = yk_device_list_add(list, &desc);
    return status;
}

struct search {
    const struct yk_device_spec *spec;
    int asked, wanted, count; /* wanted: a number or -1; count: GPUs the driver shows */
    struct yk_device_list *list;
    char *why;
};

static yoke_status consider_all(const struct search *search, const struct yk_cuda_driver *driver)
{
    for (int i = 0; i < search->count; ++i) {
        if (search->wanted >= 0 && search->wanted != i)
            continue;
        int before = search->list->count;
        yoke_status status = consider(search->spec, driver, i, search->list);
        if (status == YOKE_OK)
            yk_find_say(search->why, "; cuda:%d %s", i, search->list->items[before].model);
        else if (status == YOKE_ENODEV && search->wanted < 0)
            yk_find_say(search->why, "; %.100s", yoke_error_text());
        else
            return status;
    }
    if (search->asked && search->wanted >= search->count)
        return yk_fail(YOKE_ENODEV, "there is no cuda:%d; the driver shows %d GPU%s%s",
                       search->wanted, search->count, search->count == 1 ? "" : "s",
                       search->count ? ", numbered from 0"
                                     : " (CUDA_VISIBLE_DEVICES may hide them)");
    return YOKE_OK;
}

static yoke_status search_driver(struct search *search, const struct yk_cuda_driver *driver)
{
    const struct yk_nvrtc *nvrtc;
    int before = search->list->count;
    CUresult code = driver->api.DeviceGetCount(&search->count);
    yk_find_say(search->why, "%s, CUDA %d.%d", driver->path, driver->version / 1000,
                driver->version % 1000 / 10);
    if (code != CUDA_SUCCESS) {
        search->count = 0;
        yk_find_say(search->why, ": does not count its GPUs (%s)",
                    yk_cuda_code_name(&driver->api, code));
    } else if (!search->count) {
        yk_find_say(search->why, ": shows no GPU");
    }
    yoke_status status = consider_all(search, driver);
    if (status != YOKE_OK || search->list->count == before)
        return status;
    status = yk_nvrtc_load(&nvrtc);
    if (status == YOKE_OK) {
        yk_find_say(search->why, "; compiler %.100s %d.%d", nvrtc->path, nvrtc->major,
                    nvrtc->minor);
        return YOKE_OK;
    }
    yk_find_say(search->why, "; %.200s%s", yoke_error_text(),
                search->asked ? "" : "; until then its OpenCL driver is used");
    if (!search->asked)
        yk_device_list_cut(search->list, before);
    return status == YOKE_ENOMEM ? status : YOKE_OK;
}

yoke_status yk_cuda_find(const struct yk_device_spec *spec, int asked, struct yk_device_list *list,
                         char *why)
{
    struct search search = { .spec = spec, .asked = asked, .list = list, .why = why };
    const struct yk_cuda_driver *driver;
    int before = list->count;
    yoke_status status = yk_find_number(spec, "GPU", &search.wanted);
    if (why)
        why[0] = 0;
    if (status != YOKE_OK)
        return status;
    if (!asked && !yk_find_sees_gpu()) {
        yk_find_say(why, "no GPU is visible in /dev, so CUDA was not tried");
        return YOKE_OK;
    }
    if (!yk_find_may_load(asked, why, &status))
        return status;
    status = yk_cuda_load(&driver);
    if (status == YOKE_ENODEV && !asked) {
        yk_find_say(why, "%.500s", yoke_error_text());
        return YOKE_OK;
    }
    if (status == YOKE_OK)
        status = search_driver(&search, driver);
    if (status == YOKE_OK && asked && list->count == before)
        status = yk_fail(YOKE_ENODEV, "the CUDA driver shows no usable GPU; CUDA_VISIBLE_DEVICES "
                                      "may hide them, `yoke doctor` says more");
    if (status != YOKE_OK)
        yk_device_list_cut(list, before);
    return status;
}

/* If all GPUs are hidden, the driver does not even start; then this one is hidden, too. */
int yk_cuda_hides(const struct yk_device_desc *desc)
{
    const struct yk_cuda_driver *driver;
    int count = 0;
    if (!yk_environment("CUDA_VISIBLE_DEVICES") || !strstr(desc->driver, "NVIDIA") ||
        strncmp(desc->identity, "uuid:", 5) != 0)
        return 0;
    if (yk_cuda_load(&driver) != YOKE_OK || driver->api.DeviceGetCount(&count) != CUDA_SUCCESS)
        return 1;
    for (int i = 0; i < count; ++i) {
        CUdevice device;
        char seen[sizeof desc->identity];
        if (driver->api.DeviceGet(&device, i) != CUDA_SUCCESS)
            continue;
        identify(&driver->api, device, seen, sizeof seen);
        if (!strcmp(seen, desc->identity))
            return 0;
    }
    return 1;
}
