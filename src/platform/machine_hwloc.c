/* machine_hwloc.c - hwloc's description of the machine, reduced to what scheduling needs.
 *
 * hwloc is closed as soon as its answer is copied, so that yoke does not disturb a program that
 * uses hwloc itself.
 */
#include "machine.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/alloc.h"
#include "../base/status.h"

const char yk_machine_source[] = "hwloc";

static char **lean_environment; /* under topology.c's lock; kept, because a slow reader may still
                                 * use it */

static void __attribute__((destructor)) forget_environment(void)
{
    yk_free_kept(lean_environment);
    lean_environment = NULL;
}

/* Loads only what the table needs. Nothing asks a GPU's driver or uses the CPUID instruction, which
 * would move this thread over all cores. Excluding a component that does not exist is not an
 * error. */
static int load(hwloc_topology_t topology)
{
    static const char *const excluded[] = { "x86",  "opencl", "cuda",      "gl",
                                            "nvml", "rsmi",   "levelzero", "pci" };
    static const hwloc_obj_type_t wanted[] = { HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE,
                                               HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE };
    for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++) {
        hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                      excluded[i]);
    }
    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    /* a NUMA node that is only part of a package is attached to a group; without groups all cores
     * would seem near to all nodes */
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        hwloc_topology_set_type_filter(topology, wanted[i], HWLOC_TYPE_FILTER_KEEP_ALL);
    }
    /* disallowed ones, too: a cpuset may grow later; affinity says what is allowed now */
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
#if HWLOC_API_VERSION >= 0x00020800
    flags |= HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS | HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
             HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS;
#endif
    hwloc_topology_set_flags(topology, flags);
    return yk_alloc_due() ? (errno = ENOMEM, -1) : hwloc_topology_load(topology);
}

/* hwloc_topology_init loads all plugins that the distribution has (X11, OpenGL, libxml2, OpenCL:
 * megabytes, and 2 to 4 ms of the 5 ms that opening a runtime may take), before anything can be
 * excluded; only the environment can prevent it. setenv would move the array while other threads
 * read it. So for that moment `environ` points to a copy with one more variable. Both arrays stay
 * valid, and a reader sees one or the other. If the program calls setenv at that very moment, its
 * array stays in use, and the variable stays in it. */
static int init_without_plugins(hwloc_topology_t *topology)
{
    static char no_plugins[] = "HWLOC_PLUGINS_PATH=/nonexistent";
    char **before = environ;
    size_t count = 0;
    while (before && before[count]) {
        count++;
    }
    yk_free_kept(lean_environment);
    lean_environment = yk_alloc_kept((count + 2) * sizeof *lean_environment);
    if (!lean_environment) {
        return ENOMEM;
    }
    lean_environment[0] = no_plugins;
    for (size_t i = 0; i <= count; i++) {
        lean_environment[i + 1] = i < count ? before[i] : NULL;
    }
    __atomic_store_n(&environ, lean_environment, __ATOMIC_RELEASE);
    int error = hwloc_topology_init(topology) ? errno : 0;
    char **expected = lean_environment;
    __atomic_compare_exchange_n(&environ, &expected, before, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    return error;
}

static int index_above(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t thread)
{
    hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(topology, type, thread);
    return above ? (int)above->logical_index : -1;
}

static int node_of(hwloc_topology_t topology, hwloc_obj_t thread)
{
    int first = thread->nodeset ? hwloc_bitmap_first(thread->nodeset) : -1;
    hwloc_obj_t node =
        first < 0 ? NULL : hwloc_get_numanode_obj_by_os_index(topology, (unsigned)first);
    return node ? (int)node->logical_index : -1;
}

static int64_t cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
    return cache ? (int64_t)cache->attr->cache.size : 0;
}

static void copy_model(hwloc_topology_t topology, struct yk_machine *to)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    snprintf(to->model, sizeof to->model, "%.63s", model ? model : "");
}

static struct yk_machine *copy_machine(hwloc_topology_t topology)
{
    int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    struct yk_machine *copy = yk_alloc_kept(sizeof *copy + (size_t)count * sizeof *copy->threads);
    if (!copy) {
        return NULL;
    }
    copy->this_system = hwloc_topology_is_thissystem(topology);
    copy->count = count;
    copy->l2_bytes = cache_bytes(topology, HWLOC_OBJ_L2CACHE);
    copy->l3_bytes = cache_bytes(topology, HWLOC_OBJ_L3CACHE);
    copy_model(topology, copy);
    for (int i = 0; i < count; i++) {
        hwloc_obj_t thread = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)i);
        int core = index_above(topology, HWLOC_OBJ_CORE, thread);
        copy->threads[i] = (struct yk_core){
            .cpu = (int)thread->os_index,
            .core = core < 0 ? i : core,
            .numa = node_of(topology, thread),
            .l3 = index_above(topology, HWLOC_OBJ_L3CACHE, thread),
            .l2 = index_above(topology, HWLOC_OBJ_L2CACHE, thread),
        };
    }
    return copy;
}

yoke_status yk_machine_read(struct yk_machine **out)
{
    hwloc_topology_t topology;
    int error = init_without_plugins(&topology);
    if (error) {
        goto fail;
    }
    error = load(topology) ? errno : 0;
    if (error) {
        goto destroy;
    }
    *out = copy_machine(topology);
    error = *out ? 0 : ENOMEM;
destroy:
    hwloc_topology_destroy(topology);
    if (!error) {
        return YOKE_OK;
    }
fail:
    return yk_fail(error == ENOMEM ? YOKE_ENOMEM : YOKE_EIO,
                   "hwloc cannot describe this machine: %s; see that /sys is mounted and that no "
                   "HWLOC_ variable is wrong",
                   strerror(error));
}
