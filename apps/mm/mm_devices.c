/* mm_devices.c - see mm_devices.h. */
#include "mm_devices.h"

#include <stdio.h>
#include <string.h>

#include "../app.h"

static int is_cores(const yoke_device *device)
{
    return strcmp(device->backend, "cpu") == 0 || strncmp(device->name, "sim:cpu", 7) == 0;
}

yoke_status mm_devices_count(yoke_runtime *runtime, struct mm_devices *out)
{
    const int count = yoke_device_count(runtime);
    struct mm_devices devices = { 0 };
    int d;
    for (d = 0; d < count; d++) {
        yoke_device device;
        const yoke_status status = yoke_device_get(runtime, d, &device);
        if (status != YOKE_OK)
            return status;
        if (is_cores(&device))
            devices.cores += device.lanes;
        else
            devices.others++;
        devices.nvidia += strcmp(device.backend, "cuda") == 0;
    }
    *out = devices;
    return YOKE_OK;
}

/* Explains why the device cannot take part, and what to do. */
static yoke_status explain(const yoke_device *device, const struct mm_stream_spec *spec, int asked,
                           char text[MM_DEVICES_TEXT])
{
    const int good = mm_stream_panels(spec), panels = asked && good > 0 ? asked : spec->panels_most;
    const double needs = (double)mm_stream_bytes(spec, panels) / 1e6;
    const double has = (double)spec->memory_bytes / 1e6;
    if (asked && good > 0) {
        snprintf(text, MM_DEVICES_TEXT,
                 "--panels %d: a panel of B and some rows of A and C take %.3g MB, %s has %.3g; "
                 "give --panels %d, or leave that to mm",
                 asked, needs, device->name, has, good);
        return YOKE_EINVAL;
    }
    snprintf(text, MM_DEVICES_TEXT,
             "%s has %.3g MB, and the narrowest panel of B with some rows of A and C takes %.3g; "
             "give it more memory (mem=) or fewer lanes (lanes=), or take a smaller --size",
             device->name, has, needs);
    return YOKE_ENOMEM;
}

/* Adds the needs of a device that can take part. */
static void ask_for(const yoke_device *device, const struct mm_stream_spec *spec,
                    struct mm_devices_need *need)
{
    const int panels = mm_stream_panels(spec);
    if (panels <= need->panels)
        return;
    need->panels = panels;
    need->memory_bytes = (double)spec->memory_bytes;
    memcpy(need->device, device->name, sizeof need->device);
}

yoke_status mm_devices_panels(yoke_runtime *runtime, struct mm_stream_spec spec, int asked,
                              struct mm_devices_need *out)
{
    const int count = yoke_device_count(runtime);
    struct mm_devices_need need = { 0 };
    int d, able = 0;
    struct mm_devices devices;
    yoke_status refusal = YOKE_OK, status = mm_devices_count(runtime, &devices);
    if (status != YOKE_OK)
        return status;
    spec.devices = devices.others + (devices.cores > 0);
    for (d = 0; d < count; d++) {
        yoke_device device;
        status = yoke_device_get(runtime, d, &device);
        if (status != YOKE_OK)
            return status;
        spec.memory_bytes = device.memory_bytes;
        spec.lanes = device.lanes;
        if (device.memory_bytes == 0) /* it works in host memory */
            able++;
        else if (!mm_stream_fits(&spec, asked ? asked : spec.panels_most))
            refusal = explain(&device, &spec, asked, need.without);
        else {
            able++;
            ask_for(&device, &spec, &need);
        }
    }
    if (!able && refusal != YOKE_OK)
        return app_fail(refusal, "%s", need.without);
    *out = need;
    return YOKE_OK;
}

void mm_devices_report(const struct mm_devices_need *need, FILE *out)
{
    if (need->panels > 1)
        fprintf(out, "%s has %.3g MB: B comes in %d panels, and all of A and C in rows with each\n",
                need->device, need->memory_bytes / 1e6, need->panels);
    else if (need->panels)
        fprintf(out, "%s has %.3g MB: A and C come in rows\n", need->device,
                need->memory_bytes / 1e6);
    if (need->without[0])
        fprintf(out, "without a device: %s\n", need->without);
}
