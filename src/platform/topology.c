/* topology.c - hwloc's description of the machine, cut to what scheduling needs.
 *
 * hwloc is asked once a process; its answer is copied into a table of hardware threads and hwloc is
 * closed at once, so that nothing of ours stands in the way of a program that uses hwloc itself.
 * Each open then only filters the table by the affinity of the moment. The table is under a lock
 * until it is complete and constant from then on; it goes with the library.
 */
#include "topology.h"

#include <errno.h>
#include <hwloc.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "affinity.h"
#include "limits.h"
#include "lines.h"
#include "thread.h"

/* Hardware threads in hwloc's logical order: those of a core lie together. */
struct machine {
    int this_system; /* 0: hwloc describes another machine (HWLOC_SYNTHETIC, HWLOC_XMLFILE) */
    int count;
    int64_t l2_bytes, l3_bytes;
    char model[sizeof((struct yk_topology *)NULL)->model];
    struct yk_core threads[];
};

static yk_mutex machine_lock = YK_MUTEX_INITIAL;
static struct machine *machine; /* under machine_lock until set */
static char **lean_environment; /* under machine_lock; kept, for a reader of it may be slow */

static void __attribute__((destructor)) forget_machine(void)
{
    yk_free_kept(machine);
    machine = NULL;
    yk_free_kept(lean_environment);
    lean_environment = NULL;
}

/* Only what the table holds is looked for, and nothing asks a GPU's driver or the CPUID
 * instruction, which moves this thread over all cores. A component that is not there cannot be
 * excluded, which is no error. */
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
    /* a NUMA node that is only part of a package hangs on a group; without it all cores would seem
     * near to all nodes */
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        hwloc_topology_set_type_filter(topology, wanted[i], HWLOC_TYPE_FILTER_KEEP_ALL);
    }
    /* disallowed ones too: a cpuset may grow later, and affinity tells what is allowed now */
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
#if HWLOC_API_VERSION >= 0x00020800
    flags |= HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS | HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
             HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS;
#endif
    hwloc_topology_set_flags(topology, flags);
    return yk_alloc_due() ? (errno = ENOMEM, -1) : hwloc_topology_load(topology);
}

/* hwloc_topology_init loads all plugins the distribution ships (X11, OpenGL, libxml2, OpenCL:
 * megabytes, and 2 to 4 ms of the 5 that opening a runtime may take), before anything can be
 * excluded; only the environment can tell it not to. setenv would move the array under the feet of
 * threads that read it, so `environ` is pointed for that moment at a copy with one variable more.
 * Both arrays stay valid, and a reader sees one or the other. Where the program calls setenv in
 * that very moment its array wins, and the variable stays in it. */
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

static void copy_model(hwloc_topology_t topology, struct machine *to)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    struct utsname system;
    if (!model) {
        uname(&system);
        model = system.machine;
    }
    snprintf(to->model, sizeof to->model, "%.63s", model);
}

static struct machine *copy_machine(hwloc_topology_t topology)
{
    int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    struct machine *copy = yk_alloc_kept(sizeof *copy + (size_t)count * sizeof *copy->threads);
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

static yoke_status read_machine(struct machine **out)
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

/* The first usable hardware thread of each core. */
static int usable_cores(const struct machine *from, const struct yk_processors *allowed,
                        struct yk_core *cores)
{
    int count = 0;
    for (int i = 0; i < from->count; i++) {
        struct yk_core thread = from->threads[i];
        int seen = count > 0 && cores[count - 1].core == thread.core;
        int usable = !from->this_system || yk_processors_have(allowed, thread.cpu);
        if (seen || !usable) {
            continue;
        }
        thread.cpu = from->this_system ? thread.cpu : -1;
        cores[count++] = thread;
    }
    if (count == 0) { /* a processor that came after hwloc was asked */
        cores[count++] = (struct yk_core){ .cpu = -1, .numa = -1, .l3 = -1, .l2 = -1 };
    }
    return count;
}

static int all_cores(const struct machine *from)
{
    int count = 0;
    for (int i = 0; i < from->count; i++) {
        count += i == 0 || from->threads[i].core != from->threads[i - 1].core;
    }
    return count;
}

static yoke_status open_allowed(const struct machine *from, const struct yk_processors *allowed,
                                struct yk_topology *out)
{
    struct yk_core *cores = yk_calloc((size_t)from->count + 1, sizeof *cores);
    if (!cores) {
        return YOKE_ENOMEM;
    }
    struct yk_limits limits;
    yk_limits_read("", &limits);
    *out = (struct yk_topology){
        .cores = cores,
        .core_count = usable_cores(from, allowed, cores),
        .machine_cores = all_cores(from),
        .quota_cores = limits.quota_cores,
        .memory_bytes = limits.memory_bytes,
        .l2_bytes = from->l2_bytes,
        .l3_bytes = from->l3_bytes,
    };
    memcpy(out->model, from->model, sizeof out->model);
    return YOKE_OK;
}

static yoke_status open_by(yoke_status (*read)(struct yk_processors *), struct yk_topology *out)
{
    yk_lock(&machine_lock);
    yoke_status status = machine ? YOKE_OK : read_machine(&machine);
    const struct machine *from = machine;
    yk_unlock(&machine_lock);
    if (status != YOKE_OK) {
        return status;
    }
    struct yk_processors allowed;
    status = read(&allowed);
    if (status != YOKE_OK) {
        return status;
    }
    status = open_allowed(from, &allowed, out);
    yk_processors_close(&allowed);
    return status;
}

yoke_status yk_topology_open(struct yk_topology *out)
{
    return open_by(yk_affinity_read, out);
}

yoke_status yk_topology_open_cpuset(struct yk_topology *out)
{
    return open_by(yk_cpuset_read, out);
}

void yk_topology_close(struct yk_topology *topology)
{
    if (topology) {
        yk_free(topology->cores);
        topology->cores = NULL;
        topology->core_count = 0;
    }
}

/* What RLIMIT_AS (ulimit -v) leaves of address space. */
static int64_t address_space_left(void)
{
    struct rlimit limit;
    struct yk_lines lines;
    int64_t pages;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= INT64_MAX)
        return INT64_MAX; /* RLIM_INFINITY too */
    yk_lines_open(&lines, "", "/proc/self", "statm");
    char *line = yk_lines_next(&lines);
    int known = line && sscanf(line, "%" SCNd64, &pages) == 1;
    yk_lines_close(&lines);
    int64_t used = known ? pages * sysconf(_SC_PAGESIZE) : 0;
    return used < (int64_t)limit.rlim_cur ? (int64_t)limit.rlim_cur - used : 0;
}

int64_t yk_memory_available(void)
{
    struct yk_limits limits;
    yk_limits_read("", &limits);
    int64_t left = address_space_left();
    return left < limits.memory_available ? left : limits.memory_available;
}
