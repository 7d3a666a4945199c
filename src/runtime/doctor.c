/* doctor.c - diagnosis before anything runs: which devices are there, why others are missing, and
 * which partitioners there are. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <yoke/doctor.h>

#include "../backend/backend.h"
#include "../base/status.h"
#include "../partition/partitioner.h"
#include "../platform/cache_folder.h"
#include "../platform/machine.h"
#include "../platform/topology.h"

static int numa_nodes(const struct yk_topology *topology)
{
    int nodes = 0, c, before;
    for (c = 0; c < topology->core_count; c++) {
        int numa = topology->cores[c].numa;
        for (before = 0; before < c && topology->cores[before].numa != numa; before++) {
        }
        nodes += numa >= 0 && before == c;
    }
    return nodes;
}

yoke_status yoke_machine_get(yoke_machine *out)
{
    struct yk_topology topology;
    yoke_status status;
    if (!out)
        return yk_fail(YOKE_EINVAL, "yoke_machine_get: out is NULL");
    status = yk_topology_open(&topology);
    if (status != YOKE_OK)
        return status;
    *out = (yoke_machine){ .cores = topology.core_count,
                           .quota_cores = topology.quota_cores,
                           .numa_nodes = numa_nodes(&topology),
                           .memory_bytes = topology.memory_bytes,
                           .memory_available = yk_memory_available(),
                           .l2_bytes = topology.l2_bytes,
                           .l3_bytes = topology.l3_bytes,
                           .gpu_nodes = yk_gpu_present(),
                           .described_by = yk_machine_source };
    memcpy(out->processor, topology.model, sizeof out->processor);
    yk_cache_folder(out->cache_folder, sizeof out->cache_folder);
    yk_topology_close(&topology);
    return YOKE_OK;
}

const char *yoke_cache_trouble(void)
{
    char folder[PATH_MAX];
    int trouble;
    yk_cache_folder(folder, sizeof folder);
    trouble = *folder ? yk_folder_trouble(folder) : 0;
    return trouble ? strerror(trouble) : NULL;
}

/* A backend that is asked for by name reports what it lacks as an error. */
static void examine(const struct yk_backend *backend, yoke_finding *finding)
{
    struct yk_device_spec spec = { .backend = backend };
    struct yk_device_list list = { 0 };
    yoke_status status;
    *finding = (yoke_finding){ .backend = backend->name, .summary = backend->summary };
    status = backend->find(&spec, 1, &list, finding->text);
    finding->devices = list.count;
    finding->missing = status != YOKE_OK || list.count == 0;
    if (status != YOKE_OK && !finding->text[0])
        snprintf(finding->text, sizeof finding->text, "%s", yoke_error_text());
    yk_device_list_close(&list);
}

yoke_status yoke_doctor(yoke_finding_fn *fn, void *context)
{
    yoke_finding finding;
    int b, works = 0;
    if (!fn)
        return yk_fail(YOKE_EINVAL, "yoke_doctor: fn is NULL");
    for (b = 0; yk_backends[b]; b++) {
        examine(yk_backends[b], &finding);
        if (b == 0) /* cpu is the first backend */
            works = !finding.missing;
        fn(context, &finding);
    }
    return works ? YOKE_OK : yk_fail(YOKE_ENODEV, "no CPU core can be used: %s", yoke_error_text());
}

static const struct yk_partitioner *partitioner_at(int index)
{
    int p = 0;
    if (index < 0)
        return NULL;
    while (p < index && yk_partitioners[p])
        p++;
    return yk_partitioners[p];
}

const char *yoke_partitioner_name(int index)
{
    const struct yk_partitioner *partitioner = partitioner_at(index);
    return partitioner ? partitioner->name : NULL;
}

const char *yoke_partitioner_summary(int index)
{
    const struct yk_partitioner *partitioner = partitioner_at(index);
    return partitioner ? partitioner->summary : NULL;
}

const char *yoke_partitioner_setting(int index, int setting, char *line)
{
    const struct yk_partitioner *partitioner = partitioner_at(index);
    const struct yk_option *option = partitioner ? partitioner->options : NULL;
    int at;
    if (!option || setting < 0 || !line)
        return NULL;
    for (at = 0; at < setting && option->name; at++)
        option++;
    if (!option->name)
        return NULL;
    snprintf(line, 256, "%s: %s%s%s%s", option->name, option->help, option->initial ? " [" : "",
             option->initial ? option->initial : "", option->initial ? "]" : "");
    return line;
}
