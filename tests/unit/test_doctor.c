/* test_doctor.c - the doctor's report about this machine; every allocation of it can fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <yoke/doctor.h>

#include "base/alloc.h"

struct seen {
    int calls, cpu_devices, sim_devices, texts;
};

static void take(void *context, const yoke_finding *finding)
{
    struct seen *seen = context;
    seen->calls++;
    seen->texts += finding->text[0] != '\0' && finding->summary[0] != '\0';
    if (strcmp(finding->backend, "cpu") == 0 && !finding->missing)
        seen->cpu_devices = finding->devices;
    if (strcmp(finding->backend, "sim") == 0)
        seen->sim_devices = finding->devices;
}

static void every_backend_says_something(void **state)
{
    (void)state;
    struct seen seen = { 0 };
    assert_int_equal(yoke_doctor(take, &seen), YOKE_OK);
    assert_int_equal(seen.calls, 4);
    assert_int_equal(seen.texts, 4);
    assert_int_equal(seen.cpu_devices, 1);
    assert_int_equal(seen.sim_devices, 2);
    assert_int_equal(yoke_doctor(NULL, NULL), YOKE_EINVAL);
}

static void the_machine_is_this_one(void **state)
{
    (void)state;
    yoke_machine machine;
    cpu_set_t set;
    assert_int_equal(yoke_machine_get(&machine), YOKE_OK);
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    assert_in_range(machine.cores, 1, CPU_COUNT(&set));
    assert_true(machine.processor[0] != '\0');
    assert_true(machine.memory_bytes > 0);
    assert_true(machine.memory_available > 0 && machine.memory_available <= machine.memory_bytes);
    assert_int_equal(yoke_machine_get(NULL), YOKE_EINVAL);
}

static void partitioners_are_listed(void **state)
{
    (void)state;
    char line[256];
    int count = 0, chunk = 0;
    for (; yoke_partitioner_name(count); count++) {
        assert_true(yoke_partitioner_summary(count)[0] != '\0');
        for (int s = 0; yoke_partitioner_setting(count, s, line); s++)
            chunk += strcmp(yoke_partitioner_name(count), "dynamic") == 0 &&
                     strncmp(line, "chunk: ", 7) == 0;
    }
    assert_string_equal(yoke_partitioner_name(0), "auto");
    assert_true(count >= 5);
    assert_int_equal(chunk, 1);
    assert_null(yoke_partitioner_name(-1));
    assert_null(yoke_partitioner_summary(count));
    assert_null(yoke_partitioner_setting(count, 0, line));
    assert_null(yoke_partitioner_setting(0, -1, line));
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    int64_t nth = 0, before = yk_alloc_outstanding();
    do {
        struct seen seen = { 0 };
        yoke_machine machine;
        yk_alloc_fail_at(++nth);
        yoke_status status = yoke_machine_get(&machine);
        if (status == YOKE_OK)
            status = yoke_doctor(take, &seen);
        assert_true(status == YOKE_OK || yk_alloc_failed());
        assert_int_equal(yk_alloc_outstanding(), before);
    } while (yk_alloc_failed());
    yk_alloc_fail_at(0);
    assert_true(nth > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_backend_says_something),
        cmocka_unit_test(the_machine_is_this_one),
        cmocka_unit_test(partitioners_are_listed),
        cmocka_unit_test(every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
