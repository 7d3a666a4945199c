/* opencl_find.c - which OpenCL devices there are, and what each is.
 *
 * Devices are numbered over all platforms in the driver's order, CPUs and GPUs together, so that
 * "opencl:1" is always the same device. Loading the drivers costs 20 ms (0.4 s from a cold disk),
 * so they are not loaded if OpenCL was not asked for and the machine shows no GPU.
 */
#include <stdio.h>
#include <string.h>

#include "../../base/alloc.h"
#include "../../base/option.h"
#include "../../base/process_lock.h"
#include "../../base/status.h"
#include "../../platform/topology.h"
#include "../find.h"
#include "opencl.h"

static const char *const packages =
    "a GPU's driver (nvidia-opencl-icd, mesa-opencl-icd, intel-opencl-icd) or, for the CPU, "
    "pocl-opencl-icd";

static const char *const wakes[] = { "auto", "callback", "poll", NULL };
static const char *const pins[] = { "auto", "yes", "stage", "no", NULL };
enum { COPIES = 16 }; /* copies of sums on GPUs; measured: docs/results/irregular-h200.md */
const struct yk_option yk_opencl_options[] = {
    { "mem", NULL, NULL, "use at most this much of the device's memory", YK_OPTION_BYTES,
      offsetof(struct yk_opencl_settings, memory_bytes), NULL, 1 },
    { "lanes", NULL, NULL, "chunks in flight at the same time [4, CPUs 1]", YK_OPTION_INT,
      offsetof(struct yk_opencl_settings, lanes), NULL, 1 },
    { "units", NULL, NULL, "use only this many of its compute units [all]", YK_OPTION_INT,
      offsetof(struct yk_opencl_settings, units), NULL, 1 },
    { "wake", NULL, "auto",
      "how the end of work is noticed: the driver's callback or a sleeping poll [GPUs poll]",
      YK_OPTION_CHOICE, offsetof(struct yk_opencl_settings, wake), wakes },
    { "pin", NULL, "auto",
      "stage copies through the driver's pinned memory; yes: also pin the program's memory [stage "
      "if the device has its own memory, else no]",
      YK_OPTION_CHOICE, offsetof(struct yk_opencl_settings, pin), pins },
    { "copies", NULL, NULL,
      "copies of a sum (mode add) that groups share, a power of two [16, CPUs 1]", YK_OPTION_INT,
      offsetof(struct yk_opencl_settings, copies), NULL, 1 },
    { 0 },
};

static cl_uint number32(const struct yk_opencl_api *cl, cl_device_id device, cl_uint name)
{
    cl_uint value = 0;
    return cl->GetDeviceInfo(device, name, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static cl_ulong number64(const struct yk_opencl_api *cl, cl_device_id device, cl_uint name)
{
    cl_ulong value = 0;
    return cl->GetDeviceInfo(device, name, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

struct yk_opencl_property yk_opencl_property(const struct yk_opencl_api *cl, cl_device_id device,
                                             cl_uint name)
{
    struct yk_opencl_property property = { "" };
    char *text = property.text;
    if (cl->GetDeviceInfo(device, name, sizeof property.text, text, NULL) != CL_SUCCESS)
        text[0] = 0;
    text[sizeof property.text - 1] = 0;
    memmove(text, text + strspn(text, " "), strlen(text + strspn(text, " ")) + 1);
    return property;
}

static int has_extension(const struct yk_opencl_api *cl, cl_device_id device, const char *name)
{
    size_t size = 0;
    if (cl->GetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS)
        return 0;
    char *all = yk_calloc(1, size + 1);
    int found = all &&
                cl->GetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, all, NULL) == CL_SUCCESS &&
                strstr(all, name) != NULL;
    yk_free(all);
    return found;
}

/* Writes a text that is the same for one physical device under any driver. */
static void identify(const struct yk_opencl_api *cl, cl_device_id device, char *text,
                     size_t capacity)
{
    unsigned char uuid[16];
    cl_uint pci[4]; /* domain, bus, device, function */
    text[0] = 0;
    if (has_extension(cl, device, "cl_khr_device_uuid") &&
        cl->GetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof uuid, uuid, NULL) == CL_SUCCESS) {
        size_t used = (size_t)snprintf(text, capacity, "uuid:");
        for (size_t i = 0; i < sizeof uuid && used + 2 < capacity; ++i)
            used += (size_t)snprintf(text + used, capacity - used, "%02x", uuid[i]);
    } else if (has_extension(cl, device, "cl_khr_pci_bus_info") &&
               cl->GetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof pci, pci, NULL) ==
                   CL_SUCCESS) {
        snprintf(text, capacity, "pci:%04x:%02x:%02x.%x", pci[0], pci[1], pci[2], pci[3]);
    } else if (has_extension(cl, device, "cl_nv_device_attribute_query")) {
        cl_uint slot = number32(cl, device, CL_DEVICE_PCI_SLOT_ID_NV);
        snprintf(text, capacity, "pci:%04x:%02x:%02x.%x",
                 number32(cl, device, CL_DEVICE_PCI_DOMAIN_ID_NV),
                 number32(cl, device, CL_DEVICE_PCI_BUS_ID_NV), slot >> 3, slot & 7);
    }
}

/* The state of find(). */
struct search {
    const struct yk_opencl_api *cl;
    const struct yk_device_spec *spec;
    struct yk_device_list *list;
    char *why;
    int asked, wanted; /* wanted: a device's number, or -1 for all */
    int seen, added;   /* devices seen so far; of these, devices appended */
    int pocl_is_empty; /* 1: PoCL is there, but offers no CPU */
};

int yk_opencl_nvidia(const struct yk_opencl_api *cl, cl_device_id device)
{
    if (!has_extension(cl, device, "cl_nv_device_attribute_query"))
        return 0;
    return (int)number32(cl, device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
}

/* Rough speed of copies, in bytes per ns. */
static double guess_link(const struct yk_opencl_api *cl, cl_device_id device, int is_pinned)
{
    if (!is_pinned)
        return 9;
    int capability = yk_opencl_nvidia(cl, device);
    return capability ? yk_find_nvidia_link(capability) : 25;
}

/* Theoretical peak, in operations per ns; 0 if unknown: OpenCL does not report a unit's width. */
static double find_peak(const struct yk_opencl_api *cl, cl_device_id device, int units)
{
    int capability = yk_opencl_nvidia(cl, device);
    if (!capability)
        return 0;
    int width = yk_find_nvidia_width(
        capability, (int)number32(cl, device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV));
    return (double)units * width * number32(cl, device, CL_DEVICE_MAX_CLOCK_FREQUENCY) / 1e3;
}

static yoke_status apply_settings(const struct search *search, struct yk_device_desc *desc)
{
    void *settings = NULL;
    yoke_status status = yk_device_settings_open(search->spec, &settings);
    if (status != YOKE_OK)
        return status;
    const struct yk_opencl_settings *set = settings;
    if (set->lanes > 64 || set->units > desc->cores) {
        yk_device_settings_close(search->spec->backend, settings);
        return yk_fail(YOKE_EINVAL, "%s: lanes= is at most 64, units= at most the device's %d",
                       desc->name, desc->cores);
    }
    status = yk_find_copies(desc, set->copies, desc->is_cpu ? 1 : COPIES);
    if (status != YOKE_OK) {
        yk_device_settings_close(search->spec->backend, settings);
        return status;
    }
    desc->settings = settings;
    if (set->memory_bytes && set->memory_bytes < desc->memory_bytes)
        desc->memory_bytes = set->memory_bytes;
    if (set->units)
        desc->cores = (int)set->units;
    desc->lanes = set->lanes ? (int)set->lanes : desc->is_cpu ? 1 : 4;
    return YOKE_OK;
}

static yoke_status describe(const struct search *search, cl_platform_id platform,
                            cl_device_id device, struct yk_device_desc *desc)
{
    const struct yk_opencl_api *cl = search->cl;
    char name[64] = "";
    *desc = (struct yk_device_desc){ .backend = search->spec->backend,
                                     .index = search->seen,
                                     .pins_alone = 1 };
    snprintf(desc->name, sizeof desc->name, "opencl:%d", search->seen);
    snprintf(desc->model, sizeof desc->model, "%.95s",
             yk_opencl_property(cl, device, CL_DEVICE_NAME).text);
    if (cl->GetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) != CL_SUCCESS)
        name[0] = 0;
    snprintf(desc->driver, sizeof desc->driver, "%.52s%s%.39s", name, *name ? " " : "",
             yk_opencl_property(cl, device, CL_DRIVER_VERSION).text);
    identify(cl, device, desc->identity, sizeof desc->identity);
    desc->is_cpu = (number64(cl, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    desc->cores = (int)number32(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS);
    desc->memory_bytes = (int64_t)number64(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE);
    yoke_status status = apply_settings(search, desc);
    if (status != YOKE_OK)
        return status;
    int own_memory = !desc->is_cpu && !number32(cl, device, CL_DEVICE_HOST_UNIFIED_MEMORY);
    struct yk_opencl_settings *set = desc->settings;
    if (set->pin == YK_OPENCL_PIN_AUTO)
        set->pin = own_memory ? YK_OPENCL_PIN_STAGE : YK_OPENCL_PIN_NO;
    /* Rough values for the first decision of auto; the first chunks replace them. */
    desc->fill = desc->is_cpu ? desc->cores : (int64_t)desc->cores * 2048;
    desc->link_bytes_per_ns =
        own_memory ? guess_link(cl, device, set->pin == YK_OPENCL_PIN_YES) : 15;
    desc->launch_ns = desc->is_cpu ? 30e3 : 12e3;
    desc->peak_per_ns = find_peak(cl, device, desc->cores);
    return YOKE_OK;
}

static yoke_status consider(struct search *search, cl_platform_id platform, cl_device_id device)
{
    struct yk_device_desc desc;
    yoke_status status = YOKE_OK;
    cl_bitfield type = number64(search->cl, device, CL_DEVICE_TYPE);
    int usable = number32(search->cl, device, CL_DEVICE_AVAILABLE) &&
                 number32(search->cl, device, CL_DEVICE_COMPILER_AVAILABLE);
    int left_out = search->wanted < 0 && !search->asked && (type & CL_DEVICE_TYPE_CPU);
    if (search->wanted < 0 || search->wanted == search->seen) {
        if (!usable && search->wanted >= 0)
            return yk_fail(YOKE_ENODEV, "opencl:%d is there but not available or has no compiler",
                           search->seen);
        if (usable && !left_out) {
            status = describe(search, platform, device, &desc);
            if (status == YOKE_OK)
                status = yk_device_list_add(search->list, &desc);
            search->added += status == YOKE_OK;
        }
        yk_find_say(search->why, "; opencl:%d %.63s%s", search->seen,
                    yk_opencl_property(search->cl, device, CL_DEVICE_NAME).text,
                    !usable    ? " (not available or no compiler)"
                    : left_out ? " (the CPU: only used if named)"
                               : "");
    }
    search->seen++;
    return status;
}

/* PoCL prepares its devices at the first call; a second thread that calls meanwhile sees none. */
static struct yk_process_lock driver_lock = YK_PROCESS_LOCK_FREED;

static int list_devices(const struct yk_opencl_api *cl, cl_platform_id platform, cl_device_id **out)
{
    cl_uint count = 0;
    *out = NULL;
    if (cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) != CL_SUCCESS || !count)
        return 0;
    cl_device_id *devices = yk_calloc(count, sizeof(cl_device_id));
    if (!devices)
        return -1;
    if (cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices, NULL) != CL_SUCCESS)
        count = 0;
    *out = devices;
    return (int)count;
}

/* Returns the number of a platform's devices, -1 if there is no memory. The caller frees *out. */
static int platform_devices(const struct yk_opencl_api *cl, cl_platform_id platform,
                            cl_device_id **out)
{
    yk_process_lock(&driver_lock);
    const int count = list_devices(cl, platform, out);
    yk_process_unlock(&driver_lock);
    return count;
}

static yoke_status search_platforms(struct search *search,
                                    const struct yk_opencl_platforms *platforms)
{
    yoke_status status = YOKE_OK;
    for (int p = 0; p < platforms->count && status == YOKE_OK; ++p) {
        cl_platform_id id = platforms->items[p].id;
        char name[64] = "", version[256] = ""; /* if too small, the driver writes nothing */
        search->cl = platforms->items[p].cl;
        search->cl->GetPlatformInfo(id, CL_PLATFORM_NAME, sizeof name, name, NULL);
        search->cl->GetPlatformInfo(id, CL_PLATFORM_VERSION, sizeof version, version, NULL);
        cl_device_id *devices;
        int devices_here = platform_devices(search->cl, id, &devices);
        /* There always is a CPU, so if PoCL has no device, it cannot use its own files. */
        const int empty_pocl = devices_here == 0 && strstr(name, "Portable Computing Language");
        search->pocl_is_empty |= empty_pocl;
        yk_find_say(search->why, "; %s (%.60s)%s%s", name, version,
                    devices_here ? "" : " has no device",
                    empty_pocl ? ": set HOME or POCL_CACHE_DIR to a folder it can write" : "");
        status = devices_here < 0 ? YOKE_ENOMEM : YOKE_OK;
        for (int d = 0; d < devices_here && status == YOKE_OK; ++d)
            status = consider(search, id, devices[d]);
        yk_free(devices);
    }
    return status;
}

static yoke_status nothing_found(const struct search *search, int platform_count)
{
    if (!search->asked)
        return YOKE_OK;
    if (search->wanted >= 0 && search->seen > 0)
        return yk_fail(YOKE_ENODEV, "there is no opencl:%d; the devices are opencl:0 to opencl:%d",
                       search->wanted, search->seen - 1);
    if (search->pocl_is_empty)
        return yk_fail(YOKE_ENODEV, "PoCL, the OpenCL driver found, offers no device: as a rule it "
                                    "cannot write its cache; set HOME, XDG_CACHE_HOME or "
                                    "POCL_CACHE_DIR to a folder that can be written");
    if (platform_count)
        return yk_fail(YOKE_ENODEV, "the OpenCL drivers found offer no usable device; install %s",
                       packages);
    return yk_fail(YOKE_ENODEV,
                   "no OpenCL driver is registered in /etc/OpenCL/vendors, or none can be loaded "
                   "(ulimit -v); install %s",
                   packages);
}

static yoke_status not_loaded(void)
{
    const char *own = yk_environment("YOKE_OPENCL_LIBRARY");
    if (own && *own)
        return yk_fail(YOKE_ENODEV,
                       "the OpenCL loader %s cannot be loaded; correct YOKE_OPENCL_LIBRARY or "
                       "unset it",
                       own);
    return yk_fail(YOKE_ENODEV,
                   "the OpenCL loader libOpenCL.so.1 cannot be loaded; install "
                   "ocl-icd-libopencl1 and %s",
                   packages);
}

yoke_status yk_opencl_find(const struct yk_device_spec *spec, int asked,
                           struct yk_device_list *list, char *why)
{
    struct search search = { .spec = spec, .list = list, .why = why, .asked = asked };
    const struct yk_opencl_platforms *platforms;
    yoke_status status = yk_find_number(spec, "device", &search.wanted);
    if (why)
        why[0] = 0;
    if (status != YOKE_OK)
        return status;
    if (!asked && !yk_gpu_present()) {
        yk_find_say(why,
                    "no GPU is visible in /dev, so OpenCL was not tried; name opencl:0 to use it");
        return YOKE_OK;
    }
    if (!yk_find_may_load(asked, why, &status))
        return status;
    status = yk_opencl_load(&platforms);
    if (status == YOKE_ENOMEM)
        return status;
    if (status != YOKE_OK) {
        status = not_loaded();
        yk_find_say(why, "%s", yoke_error_text());
        return asked ? status : YOKE_OK;
    }
    int before = list->count;
    yk_find_say(why, "%s", platforms->path);
    if (!platforms->count)
        yk_find_say(why, ": no driver is registered in /etc/OpenCL/vendors: install %s", packages);
    status = search_platforms(&search, platforms);
    if (status == YOKE_OK && !search.added)
        status = nothing_found(&search, platforms->count);
    if (status != YOKE_OK)
        yk_device_list_cut(list, before);
    return status;
}

yoke_status yk_opencl_handle(struct yk_opencl_device *device)
{
    const struct yk_opencl_platforms *platforms;
    int index = device->base.desc.index, seen = 0;
    yoke_status status = yk_opencl_load(&platforms);
    for (int p = 0; status == YOKE_OK && p < platforms->count; ++p) {
        cl_device_id *devices;
        int devices_here =
            platform_devices(platforms->items[p].cl, platforms->items[p].id, &devices);
        if (devices_here < 0)
            return YOKE_ENOMEM;
        int here = index >= seen && index < seen + devices_here;
        if (here) {
            device->cl = platforms->items[p].cl;
            device->handle = devices[index - seen];
        }
        yk_free(devices);
        if (here)
            return YOKE_OK;
        seen += devices_here;
    }
    return status != YOKE_OK ? status
                             : yk_fail(YOKE_ENODEV, "opencl:%d has gone since it was found", index);
}
