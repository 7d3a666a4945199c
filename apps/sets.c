/* sets.c - see sets.h. */
#include "sets.h"

#include <string.h>

static int is_cores(const struct measure_device *device)
{
    return !strcmp(device->backend, "cpu") || !strncmp(device->name, "sim:cpu", 7);
}

static int are_alike(const struct measure_device *devices, int count)
{
    int first = -1;
    for (int d = 0; d < count; d++) {
        if (is_cores(&devices[d]))
            continue;
        if (first >= 0 && !measure_alike(&devices[first], &devices[d]))
            return 0;
        first = d;
    }
    return 1;
}

static void find_parts(const struct measure_device *devices, int count, struct sets *out)
{
    for (int d = 0; d < count; d++)
        if (is_cores(&devices[d]))
            out->devices_of[0] |= (uint32_t)1 << d;
    out->has_cores = out->part_count = out->devices_of[0] != 0;
    for (int d = 0; d < count; d++)
        if (!is_cores(&devices[d]))
            out->devices_of[out->part_count++] = (uint32_t)1 << d;
}

/* "cpu+cuda:0" */
static void name_by_devices(const struct measure_device *devices, struct set *set)
{
    size_t used = 0;
    for (int d = 0; d < SETS_DEVICES_MAX && used < sizeof set->name; d++)
        if (set->devices >> d & 1)
            used += (size_t)snprintf(set->name + used, sizeof set->name - used, "%s%s",
                                     used ? "+" : "", devices[d].name);
}

/* "C+2G" */
static void name_by_count(const struct sets *sets, struct set *set)
{
    int cores = sets->has_cores && (set->parts & 1);
    int gpus = __builtin_popcount(set->parts) - cores;
    size_t used = (size_t)snprintf(set->name, sizeof set->name, "%s", cores ? "C" : "");
    if (gpus == 1)
        snprintf(set->name + used, sizeof set->name - used, "%sG", cores ? "+" : "");
    else if (gpus > 1)
        snprintf(set->name + used, sizeof set->name - used, "%s%dG", cores ? "+" : "", gpus);
}

static void add(const struct measure_device *devices, uint32_t parts, int shown, struct sets *out)
{
    struct set *set = &out->sets[out->count];
    *set = (struct set){ .parts = parts, .shown = shown };
    for (int p = 0; p < out->part_count; p++)
        if (parts >> p & 1) {
            set->devices |= out->devices_of[p];
            if (parts == (uint32_t)1 << p)
                out->alone[p] = out->count;
        }
    if (out->alike && shown)
        name_by_count(out, set);
    else
        name_by_devices(devices, set);
    out->shown += shown;
    out->count++;
}

yoke_status sets_make(const struct measure_device *devices, int count, struct sets *out)
{
    *out = (struct sets){ .alike = 1 };
    if (count > SETS_DEVICES_MAX)
        return app_fail(YOKE_EINVAL,
                        "a matrix has %d devices at most, here are %d; name fewer with "
                        "--devices",
                        SETS_DEVICES_MAX, count);
    find_parts(devices, count, out);
    out->alike = are_alike(devices, count);
    uint32_t cores = (uint32_t)out->has_cores, gpus = 0;
    if (cores)
        add(devices, cores, 1, out);
    for (int p = out->has_cores; p < out->part_count; p++) {
        uint32_t one = (uint32_t)1 << p;
        int several = gpus != 0;
        gpus |= one;
        if (!several || !out->alike)
            add(devices, one, 1, out);
        if (several)
            add(devices, gpus, 1, out);
        if (cores)
            add(devices, cores | gpus, 1, out);
    }
    for (int p = out->has_cores + 1; out->alike && p < out->part_count; p++)
        add(devices, (uint32_t)1 << p, 0, out);
    return YOKE_OK;
}
