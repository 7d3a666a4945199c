/* test_machine_sysfs.c - the machine as described by /sys: recorded trees, this machine compared
 * with hwloc, and missing or malformed files. This program links machine_sysfs.c instead of
 * machine_hwloc.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yoke/doctor.h>

#include "base/alloc.h"
#include "platform/machine.h"
#include "root_folder.h"

#define CPU  "/sys/devices/system/cpu/"
#define NODE "/sys/devices/system/node/"

static struct yk_machine *read_tree(void)
{
    struct yk_machine *machine = NULL;
    assert_int_equal(yk_machine_read_under(root, &machine), YOKE_OK);
    assert_int_equal(machine->this_system, 1);
    return machine;
}

static void write_text(const char *path, const char *text)
{
    write_file(&(struct file){ path, text });
}

/* Compares "cpu:core:numa:l3:l2" of each thread, in the table's order. */
static void assert_threads(const struct yk_machine *machine, const char *expected)
{
    char text[512] = "";
    for (int i = 0; i < machine->count; i++) {
        const struct yk_core *at = &machine->threads[i];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d:%d:%d:%d:%d", i ? " " : "",
                 at->cpu, at->core, at->numa, at->l3, at->l2);
    }
    assert_string_equal(text, expected);
}

/* Two packages, a node each, of two cores with two threads; numbered as on many servers: the
 * threads of a core far apart, packages alternating. */
static void write_server(void)
{
    write_text(CPU "online", "0-7\n");
    for (int cpu = 0; cpu < 8; cpu++) {
        char path[128], text[32];
        const int core = cpu % 4, package = cpu % 2;
        snprintf(path, sizeof path, CPU "cpu%d/topology/thread_siblings_list", cpu);
        snprintf(text, sizeof text, "%d,%d\n", core, core + 4);
        write_text(path, text);
        snprintf(path, sizeof path, CPU "cpu%d/topology/physical_package_id", cpu);
        snprintf(text, sizeof text, "%d\n", package);
        write_text(path, text);
        snprintf(path, sizeof path, CPU "cpu%d/cache/index2/shared_cpu_list", cpu);
        snprintf(text, sizeof text, "%d,%d\n", core, core + 4);
        write_text(path, text);
        snprintf(path, sizeof path, CPU "cpu%d/cache/index3/shared_cpu_list", cpu);
        write_text(path, package ? "1,3,5,7\n" : "0,2,4,6\n");
    }
    write_text(CPU "cpu0/cache/index1/level", "1\n");
    write_text(CPU "cpu0/cache/index1/size", "32K\n");
    write_text(CPU "cpu0/cache/index2/level", "2\n");
    write_text(CPU "cpu0/cache/index2/type", "Unified\n");
    write_text(CPU "cpu0/cache/index2/size", "512K\n");
    write_text(CPU "cpu0/cache/index3/level", "3\n");
    write_text(CPU "cpu0/cache/index3/type", "Unified\n");
    write_text(CPU "cpu0/cache/index3/size", "32M\n");
    write_text(NODE "online", "0-1\n");
    write_text(NODE "node0/cpulist", "0,2,4,6\n");
    write_text(NODE "node1/cpulist", "1,3,5,7\n");
    write_text("/proc/cpuinfo", "processor\t: 0\nmodel\t\t: 1\nmodel name\t: Some Processor 7\n");
}

static void a_server_is_told_package_by_package(void **state)
{
    (void)state;
    write_server();
    struct yk_machine *machine = read_tree();
    assert_threads(machine, "0:0:0:0:0 4:0:0:0:0 2:1:0:0:1 6:1:0:0:1 "
                            "1:2:1:1:2 5:2:1:1:2 3:3:1:1:3 7:3:1:1:3");
    assert_int_equal(machine->l2_bytes, 512 << 10);
    assert_int_equal(machine->l3_bytes, 32 << 20);
    assert_string_equal(machine->model, "Some Processor 7");
    yk_free_kept(machine);
}

/* Processors in two places of the list, an instruction cache, a cache that spans packages. */
static void what_lies_apart_is_the_same_all_the_same(void **state)
{
    (void)state;
    write_server();
    write_text(CPU "online", "0-1,4,7\n");
    write_text(CPU "cpu0/cache/index2/type", "Instruction\n");
    write_text(NODE "node1/cpulist", "1,3,5\n");
    write_text(NODE "node0/cpulist", "0,2,4,6-7\n");
    struct yk_machine *machine = read_tree();
    assert_threads(machine, "0:0:0:0:-1 4:0:0:0:-1 7:1:0:1:-1 1:2:1:1:-1");
    assert_int_equal(machine->l2_bytes, 0);
    yk_free_kept(machine);
}

static void what_is_not_told_is_unknown(void **state)
{
    (void)state;
    write_text(CPU "online", "2-3\n");
    write_text(NODE "online", "?\n");
    struct yk_machine *machine = read_tree();
    assert_threads(machine, "2:0:-1:-1:-1 3:1:-1:-1:-1");
    assert_true(machine->l2_bytes == 0 && machine->l3_bytes == 0);
    assert_string_equal(machine->model, "");
    yk_free_kept(machine);
}

static void without_sys_the_cpuset_is_asked(void **state)
{
    (void)state;
    struct yk_machine *machine = read_tree();
    assert_true(machine->count >= 1 && machine->count <= sysconf(_SC_NPROCESSORS_CONF));
    assert_int_equal(machine->threads[machine->count - 1].core, machine->count - 1);
    yk_free_kept(machine);
}

static void odd_lists_are_told(void **state)
{
    static const char *const lists[] = { "none\n", "5-3\n", "-1\n", "0-99999999\n" };
    struct yk_machine *machine = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        write_text(CPU "online", lists[i]);
        assert_int_equal(yk_machine_read_under(root, &machine), YOKE_EIO);
        assert_non_null(strstr(yoke_error_text(), "lists no processors"));
        assert_null(machine);
    }
}

static void each_allocation_may_fail(void **state)
{
    int failures = 0;
    (void)state;
    write_server();
    for (int nth = 1, reached = 1; reached; nth++) {
        struct yk_machine *machine = NULL;
        yk_alloc_fail_at(nth);
        yoke_status status = yk_machine_read_under(root, &machine);
        reached = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_int_equal(status, reached ? YOKE_ENOMEM : YOKE_OK);
        assert_int_equal(machine == NULL, reached);
        assert_true(!reached || strstr(yoke_error_text(), "memory"));
        failures += reached;
        yk_free_kept(machine);
    }
    assert_int_equal(failures, 2);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void this_machine_is_as_hwloc_tells(void **state)
{
    struct yk_topology topology;
    yoke_machine machine;
    hwloc_topology_t told;
    (void)state;
    assert_int_equal(yk_topology_open(&topology), YOKE_OK);
    setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1); /* they leak */
    hwloc_topology_init(&told);
    hwloc_topology_set_flags(told, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_load(told);
    assert_int_equal(topology.machine_cores, hwloc_get_nbobjs_by_type(told, HWLOC_OBJ_CORE));
    hwloc_topology_destroy(told);
    assert_true(topology.core_count >= 1 && topology.cores[0].cpu >= 0);
    assert_true(strlen(topology.model) > 0);
    yk_topology_close(&topology);
    assert_int_equal(yoke_machine_get(&machine), YOKE_OK);
    assert_string_equal(machine.described_by, "/sys");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        rooted(a_server_is_told_package_by_package),
        rooted(what_lies_apart_is_the_same_all_the_same),
        rooted(what_is_not_told_is_unknown),
        rooted(without_sys_the_cpuset_is_asked),
        rooted(odd_lists_are_told),
        rooted(each_allocation_may_fail),
        cmocka_unit_test(this_machine_is_as_hwloc_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
