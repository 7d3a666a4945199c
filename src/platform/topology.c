/* topology.c - the table of hardware threads, filtered by the current affinity.
 *
 * The machine is described once per process (machine.h); each open then only checks which of its
 * threads may be used. The table is under a lock until it is complete, and constant after that. It
 * is freed with the library.
 */
#include "topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../base/alloc.h"
#include "../base/process_lock.h"
#include "../base/status.h"
#include "affinity.h"
#include "limits.h"
#include "lines.h"
#include "machine.h"
#include "thread.h"

static struct yk_process_lock machine_lock = YK_PROCESS_LOCK_INITIAL;
static struct yk_machine *machine; /* under machine_lock until set */

static void __attribute__((destructor)) forget_machine(void)
{
    yk_free_kept(machine);
    machine = NULL;
}

/* The first usable hardware thread of each core. */
static int usable_cores(const struct yk_machine *from, const struct yk_processors *allowed,
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
    if (count == 0) { /* a processor that was added after the machine was described */
        cores[count++] = (struct yk_core){ .cpu = -1, .numa = -1, .l3 = -1, .l2 = -1 };
    }
    return count;
}

static int all_cores(const struct yk_machine *from)
{
    int count = 0;
    for (int i = 0; i < from->count; i++) {
        count += i == 0 || from->threads[i].core != from->threads[i - 1].core;
    }
    return count;
}

static yoke_status open_allowed(const struct yk_machine *from, const struct yk_processors *allowed,
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

static yoke_status read_machine(void)
{
    struct utsname system;
    yoke_status status = yk_machine_read(&machine);
    if (status == YOKE_OK && !machine->model[0] && uname(&system) == 0) {
        snprintf(machine->model, sizeof machine->model, "%.63s", system.machine);
    }
    return status;
}

static yoke_status open_by(yoke_status (*read)(struct yk_processors *), struct yk_topology *out)
{
    yk_process_lock(&machine_lock);
    yoke_status status = machine ? YOKE_OK : read_machine();
    const struct yk_machine *from = machine;
    yk_process_unlock(&machine_lock);
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

/* Bytes of address space that RLIMIT_AS (ulimit -v) leaves. */
static int64_t address_space_left(void)
{
    struct rlimit limit;
    struct yk_lines lines;
    int64_t pages;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= INT64_MAX)
        return INT64_MAX; /* RLIM_INFINITY, too */
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
