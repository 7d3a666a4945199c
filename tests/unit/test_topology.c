/* test_topology.c - this machine under several affinities, synthetic machines of hwloc, and no
 * hwloc at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hwloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "platform/thread.h"
#include "platform/topology.h"
#include "rerun.h"

static void this_machine_makes_sense(void **state)
{
    (void)state;
    cpu_set_t set;
    struct yk_topology topology;
    sched_getaffinity(0, sizeof set, &set);
    assert_int_equal(yk_topology_open(&topology), YOKE_OK);
    assert_true(topology.core_count >= 1 && topology.core_count <= CPU_COUNT(&set));
    for (int i = 0; i < topology.core_count; i++) {
        const struct yk_core *core = &topology.cores[i];
        assert_true(CPU_ISSET(core->cpu, &set));
        assert_true(i == 0 || core->core > core[-1].core);
        assert_true(core->numa >= -1 && core->l2 >= -1 && core->l3 >= -1);
    }
    assert_true(topology.memory_bytes > 16 << 20);
    assert_true(topology.memory_bytes <= (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    assert_true(topology.quota_cores >= 0 && topology.l2_bytes >= 0 && topology.l3_bytes >= 0);
    assert_true(strlen(topology.model) > 0);
    yk_topology_close(&topology);
    assert_null(topology.cores);
    yk_topology_close(&topology);
    yk_topology_close(NULL);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void affinity_holds_at_every_call(void **state)
{
    (void)state;
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all)) {
            continue;
        }
        cpu_set_t one;
        struct yk_topology topology;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
        yoke_status status = yk_topology_open(&topology);
        sched_setaffinity(0, sizeof all, &all);
        assert_int_equal(status, YOKE_OK);
        assert_int_equal(topology.core_count, 1);
        assert_int_equal(topology.cores[0].cpu, cpu);
        yk_topology_close(&topology);
    }
}

/* The system's present value in bytes: MemTotal, MemAvailable. */
static int64_t system_memory(const char *field)
{
    char line[128];
    long long kilobytes = -1;
    size_t length = strlen(field);
    FILE *file = fopen("/proc/meminfo", "r");
    assert_non_null(file);
    while (kilobytes < 0 && fgets(line, sizeof line, file)) {
        if (strncmp(line, field, length) == 0) {
            sscanf(line + length, ": %lld kB", &kilobytes);
        }
    }
    fclose(file);
    assert_true(kilobytes >= 0);
    return kilobytes * 1024;
}

static void available_memory_is_what_the_system_says(void **state)
{
    (void)state;
    struct yk_topology topology;
    assert_int_equal(yk_topology_open(&topology), YOKE_OK);
    int64_t before = system_memory("MemAvailable"), available = yk_memory_available();
    int64_t after = system_memory("MemAvailable");
    const int64_t slack = 256 << 20; /* other processes allocate and free meanwhile */
    assert_true(available > 0 && available <= topology.memory_bytes);
    int64_t least = before < after ? before : after, most = before > after ? before : after;
    assert_true(available <= most + slack);
    /* less only if a cgroup allows less than the machine has */
    if (topology.memory_bytes >= system_memory("MemTotal")) {
        assert_true(available >= least - slack);
    }
    yk_topology_close(&topology);
}

/* As printed by print_topology: number of cores, then core:numa:l3:l2 for each. */
static void machines_that_hwloc_makes_up(void **state)
{
    (void)state;
    const struct {
        const char *variable, *output;
    } cases[] = {
        { "HWLOC_SYNTHETIC=numa:2 l3:1 l2:2 core:1 pu:2",
          "4 l2 4194304 l3 16777216 unbound 4 0:0:0:0 1:0:0:1 2:1:1:2 3:1:1:3\n" },
        { "HWLOC_SYNTHETIC=pack:1 core:3 pu:1",
          "3 l2 0 l3 0 unbound 3 0:0:-1:-1 1:0:-1:-1 2:0:-1:-1\n" },
        { "HWLOC_SYNTHETIC=pu:2", "2 l2 0 l3 0 unbound 2 0:0:-1:-1 1:0:-1:-1\n" },
        { "HWLOC_SYNTHETIC=numa:1 l2:2(size=1048576) core:2 pu:1",
          "4 l2 1048576 l3 0 unbound 4 0:0:-1:0 1:0:-1:0 2:0:-1:1 3:0:-1:1\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char output[512];
        assert_int_equal(rerun("print", cases[i].variable, output, sizeof output), 0);
        assert_string_equal(output, cases[i].output);
    }
}

static void a_machine_may_be_large(void **state)
{
    (void)state;
    char output[8192];
    assert_int_equal(rerun("print", "HWLOC_SYNTHETIC=pack:4 numa:2 l3:4 l2:8 core:1 pu:2", output,
                           sizeof output),
                     0);
    assert_memory_equal(output, "256 l2 4194304 l3 16777216 unbound 256 ", 39);
    assert_non_null(strstr(output, " 255:7:31:255\n"));
}

static void environment_is_left_as_it_was(void **state)
{
    (void)state;
    char output[256];
    assert_int_equal(rerun("environment", "TEST_MARK=here", output, sizeof output), 0);
    assert_string_equal(output, "");
    assert_int_equal(rerun("environment", "HWLOC_PLUGINS_PATH=/x", output, sizeof output), 0);
    assert_string_equal(output, "/x\n");
}

/* The distribution's plugins load X11 and OpenGL; none must be loaded. */
static void no_plugin_was_loaded(void **state)
{
    (void)state;
    char output[256];
    assert_int_equal(rerun("plugins", NULL, output, sizeof output), 0);
    assert_string_equal(output, "0 loaded, program's own topology has devices as without us\n");
}

static void each_step_of_loading_may_fail(void **state)
{
    (void)state;
    char output[256];
    assert_int_equal(rerun("fail", NULL, output, sizeof output), 0);
    assert_string_equal(output, "4 failures\n2 failures\n");
}

static void threads_may_open_at_once(void **state)
{
    (void)state;
    char output[256];
    assert_int_equal(rerun("threads", NULL, output, sizeof output), 0);
    assert_string_equal(output, "");
}

static void print_topology(void)
{
    struct yk_topology topology;
    if (yk_topology_open(&topology) != YOKE_OK) {
        printf("%s\n", yoke_error_text());
        return;
    }
    int unbound = 0;
    for (int i = 0; i < topology.core_count; i++) {
        unbound += topology.cores[i].cpu == -1;
    }
    printf("%d l2 %lld l3 %lld unbound %d", topology.core_count, (long long)topology.l2_bytes,
           (long long)topology.l3_bytes, unbound);
    for (int i = 0; i < topology.core_count; i++) {
        const struct yk_core *core = &topology.cores[i];
        printf(" %d:%d:%d:%d", core->core, core->numa, core->l3, core->l2);
    }
    printf("\n");
    yk_topology_close(&topology);
}

static void print_failures(void)
{
    int failures = 0;
    for (int nth = 1, reached = 1; reached; nth++) {
        struct yk_topology topology = { .core_count = -5 };
        yk_alloc_fail_at(nth);
        yoke_status status = yk_topology_open(&topology);
        reached = yk_alloc_failed();
        failures += reached;
        if (status != (reached ? YOKE_ENOMEM : YOKE_OK) || (reached && topology.core_count != -5)) {
            printf("%d: status %d, %s\n", nth, status, yoke_error_text());
        }
        if (status == YOKE_OK) {
            yk_topology_close(&topology);
        }
        if (yk_alloc_outstanding() != 0) {
            printf("%d: leaks\n", nth);
        }
    }
    printf("%d failures\n", failures);
}

/* Before the machine is known, and after. */
static void print_all_failures(void)
{
    print_failures();
    print_failures();
}

static void print_environment(void)
{
    struct yk_topology topology;
    char **before = environ;
    if (yk_topology_open(&topology) == YOKE_OK) {
        yk_topology_close(&topology);
    }
    const char *path = getenv("HWLOC_PLUGINS_PATH");
    if (environ != before) {
        printf("moved\n");
    }
    if (path) {
        printf("%s\n", path);
    }
}

/* Loads hwloc's plugins, which leak: the caller must exit without the leak check. */
static int device_count(void)
{
    hwloc_topology_t topology;
    hwloc_topology_init(&topology);
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_load(topology);
    int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PCI_DEVICE) +
                hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_OS_DEVICE);
    hwloc_topology_destroy(topology);
    return count;
}

static void print_plugins(void)
{
    struct yk_topology topology;
    if (yk_topology_open(&topology) == YOKE_OK) {
        yk_topology_close(&topology);
    }
    int loaded = 0;
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        loaded += strstr(line, "hwloc_") || strstr(line, "libX11") || strstr(line, "libOpenCL");
    }
    if (maps) {
        fclose(maps);
    }
    int here = device_count();
    char fresh[64];
    rerun("devices", NULL, fresh, sizeof fresh);
    printf("%d loaded, program's own topology has devices %s\n", loaded,
           here == atoi(fresh) ? "as without us" : "fewer than without us");
    fflush(stdout);
    _exit(0);
}

static void open_often(void *wrong)
{
    for (int i = 0; i < 50; i++) {
        struct yk_topology topology;
        if (yk_topology_open(&topology) == YOKE_OK) {
            *(int *)wrong += topology.core_count < 1;
            yk_topology_close(&topology);
        } else {
            ++*(int *)wrong;
        }
    }
}

static void print_thread_failures(void)
{
    enum { count = 4 };
    struct yk_thread threads[count];
    int wrong[count] = { 0 };
    for (int i = 0; i < count; i++) {
        struct yk_thread_spec spec = {
            .name = "open", .cpu = -1, .run = open_often, .context = &wrong[i]
        };
        if (yk_thread_open(&spec, &threads[i]) != YOKE_OK) {
            abort();
        }
    }
    for (int i = 0; i < count; i++) {
        yk_thread_join(&threads[i]);
        if (wrong[i]) {
            printf("thread %d: %d wrong\n", i, wrong[i]);
        }
    }
}

static void print_devices(void)
{
    printf("%d\n", device_count());
    fflush(stdout);
    _exit(0);
}

static int in_a_fresh_process(const char *word)
{
    static const struct {
        const char *word;
        void (*print)(void);
    } jobs[] = {
        { "print", print_topology },          { "fail", print_all_failures },
        { "environment", print_environment }, { "plugins", print_plugins },
        { "threads", print_thread_failures }, { "devices", print_devices },
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        if (strcmp(word, jobs[i].word) == 0) {
            jobs[i].print();
            return 0;
        }
    }
    return 2;
}

int main(int count, char **words)
{
    if (count > 1) {
        return in_a_fresh_process(words[1]);
    }
    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("HWLOC_PLUGINS_PATH");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_machine_makes_sense),
        cmocka_unit_test(affinity_holds_at_every_call),
        cmocka_unit_test(available_memory_is_what_the_system_says),
        cmocka_unit_test(machines_that_hwloc_makes_up),
        cmocka_unit_test(a_machine_may_be_large),
        cmocka_unit_test(environment_is_left_as_it_was),
        cmocka_unit_test(no_plugin_was_loaded),
        cmocka_unit_test(each_step_of_loading_may_fail),
        cmocka_unit_test(threads_may_open_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
