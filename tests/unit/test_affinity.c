/* test_affinity.c - a program whose threads were bound before yoke_open: yoke reports the cause
 * once, and the program can get its whole cpuset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "platform/affinity.h"
#include "platform/topology.h"
#include "rerun.h"

static int lines;
static char first_line[512];

static void take(void *context, yoke_log_level level, const char *line)
{
    (void)context;
    if (strncmp(line, "cpu: ", 5) != 0)
        return;
    if (lines++ == 0)
        snprintf(first_line, sizeof first_line, "%s %s", level == YOKE_LOG_WARN ? "warn" : "info",
                 line);
}

static void bind_to_one(void)
{
    cpu_set_t set;
    int cpu = 0;
    sched_getaffinity(0, sizeof set, &set);
    while (!CPU_ISSET(cpu, &set))
        cpu++;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static int cores_of_cpuset(void)
{
    struct yk_topology whole;
    int cores;
    assert_int_equal(yk_topology_open_cpuset(&whole), YOKE_OK);
    cores = whole.core_count;
    yk_topology_close(&whole);
    return cores;
}

/* Opens twice; prints the number of cores, whether there was a message, and its text. */
static void print_open(void)
{
    yoke_config config = { .devices = "cpu", .knowledge = "off" };
    cpu_set_t before, after;
    yoke_device device;
    yoke_set_log(take, NULL, YOKE_LOG_INFO);
    sched_getaffinity(0, sizeof before, &before);
    for (int i = 0; i < 2; i++) {
        yoke_runtime *runtime;
        if (yoke_open(&config, &runtime) != YOKE_OK ||
            yoke_device_get(runtime, 0, &device) != YOKE_OK) {
            printf("%s\n", yoke_error_text());
            return;
        }
        yoke_close(runtime);
    }
    sched_getaffinity(0, sizeof after, &after);
    printf("%d cores, %d lines, %s: %s\n", device.cores, lines,
           CPU_EQUAL(&before, &after) ? "same mask" : "other mask", first_line);
}

static void print_bound(void)
{
    bind_to_one();
    print_open();
}

static void print_finding(void *context, const yoke_finding *finding)
{
    (void)context;
    if (strcmp(finding->backend, "cpu") == 0)
        printf("%s\n", finding->text);
}

static void print_doctor(void)
{
    bind_to_one();
    yoke_doctor(print_finding, NULL);
}

/* Like a program that links OpenMP: the library binds the thread that loads it. */
static void print_openmp(void)
{
    if (!dlopen("libgomp.so.1", RTLD_NOW))
        exit(77);
    print_open();
}

static void a_binding_is_told_once(void **state)
{
    char output[1024];
    (void)state;
    if (cores_of_cpuset() < 2)
        skip();
    assert_int_equal(rerun("bound", "SLURM_CPU_BIND=quiet", output, sizeof output), 0);
    assert_memory_equal(output, "1 cores, 1 lines, same mask: warn cpu: 1 of ", 44);
    assert_non_null(strstr(output, "srun (Slurm) bound the thread that opens yoke to processors "));
    assert_non_null(strstr(output, "YOKE_CPU_AFFINITY=ignore"));
    assert_int_equal(rerun("bound", "OMPI_COMM_WORLD_SIZE=2", output, sizeof output), 0);
    assert_non_null(strstr(output, "warn cpu: 1 of "));
    assert_non_null(strstr(output, "mpirun (Open MPI)"));
    /* taskset binds exactly this program on purpose */
    assert_int_equal(rerun("bound", NULL, output, sizeof output), 0);
    assert_non_null(strstr(output, "info cpu: 1 of "));
    assert_non_null(strstr(output, "taskset"));
    /* without the library, its variable binds no thread */
    assert_int_equal(rerun("bound", "OMP_PROC_BIND=true", output, sizeof output), 0);
    assert_null(strstr(output, "OMP_PROC_BIND"));
}

static void the_doctor_tells_of_it(void **state)
{
    char output[1024];
    (void)state;
    if (cores_of_cpuset() < 2)
        skip();
    assert_int_equal(rerun("doctor", NULL, output, sizeof output), 0);
    assert_non_null(strstr(output, "more in its cpuset: taskset"));
    assert_int_equal(rerun("doctor", "YOKE_CPU_AFFINITY=ignore", output, sizeof output), 0);
    assert_null(strstr(output, "cpuset"));
}

static void openmp_binds_and_is_named(void **state)
{
    char output[1024];
    int status;
    (void)state;
    if (cores_of_cpuset() < 2)
        skip();
    status = rerun("openmp", "OMP_PROC_BIND=true", output, sizeof output);
    if (status == 77)
        skip();
    assert_int_equal(status, 0);
    assert_memory_equal(output, "1 cores, 1 lines, same mask: warn", 33);
    assert_non_null(strstr(output, "OMP_PROC_BIND=true bound the thread"));
    assert_int_equal(rerun("openmp", "OMP_PROC_BIND=false", output, sizeof output), 0);
    assert_non_null(strstr(output, " 0 lines"));
}

static void the_whole_cpuset_can_be_had(void **state)
{
    char output[1024], wanted[64];
    (void)state;
    snprintf(wanted, sizeof wanted, "%d cores, 0 lines, same mask", cores_of_cpuset());
    assert_int_equal(rerun("bound", "YOKE_CPU_AFFINITY=ignore", output, sizeof output), 0);
    assert_memory_equal(output, wanted, strlen(wanted));
    assert_int_equal(rerun("bound", "YOKE_CPU_AFFINITY=all", output, sizeof output), 0);
    assert_non_null(strstr(output, "keep"));
}

static void sets_are_written_as_people_write_them(void **state)
{
    static const struct {
        int cpus[6], count;
        const char *text;
    } cases[] = { { { 0 }, 1, "0" },
                  { { 0, 1, 2, 3, 8 }, 5, "0-3,8" },
                  { { 5, 6, 1023 }, 3, "5-6,1023" },
                  { { 0 }, 0, "" },
                  { { 100, 102, 104, 106, 108, 110 }, 6, "100,102,104..." } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cpu_set_t set;
        struct yk_processors processors = { &set, sizeof set };
        char text[16];
        CPU_ZERO(&set);
        for (int c = 0; c < cases[i].count; c++)
            CPU_SET(cases[i].cpus[c], &set);
        yk_processors_write(&processors, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

static void each_allocation_may_fail(void **state)
{
    int reached = 1, failures = 0;
    (void)state;
    cores_of_cpuset();
    for (int nth = 1; reached; nth++) {
        struct yk_topology whole;
        yk_alloc_fail_at(nth);
        yoke_status status = yk_topology_open_cpuset(&whole);
        reached = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_int_equal(status, reached ? YOKE_ENOMEM : YOKE_OK);
        if (status == YOKE_OK)
            yk_topology_close(&whole);
        failures += reached;
        assert_int_equal(yk_alloc_outstanding(), 0);
    }
    assert_true(failures >= 4); /* two of a thread, the set, the cores */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_binding_is_told_once),
        cmocka_unit_test(the_doctor_tells_of_it),
        cmocka_unit_test(openmp_binds_and_is_named),
        cmocka_unit_test(the_whole_cpuset_can_be_had),
        cmocka_unit_test(sets_are_written_as_people_write_them),
        cmocka_unit_test(each_allocation_may_fail),
    };
    if (argc > 1) {
        if (strcmp(argv[1], "bound") == 0)
            print_bound();
        else if (strcmp(argv[1], "doctor") == 0)
            print_doctor();
        else
            print_openmp();
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
