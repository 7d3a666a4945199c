/* test_link.c - link measurements: exact on simulated devices; every failure is reported, leaks
 * nothing and leaves the runtime usable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "runtime/device.h"

static yoke_runtime *open_on(const char *devices)
{
    yoke_config config = { .devices = devices };
    yoke_runtime *runtime;
    assert_int_equal(yoke_open(&config, &runtime), YOKE_OK);
    return runtime;
}

static void near(double figure, double expected)
{
    assert_true(figure > 0.9999 * expected && figure < 1.0001 * expected);
}

static void a_simulated_link_is_exact(void **state)
{
    yoke_runtime *runtime = open_on("sim:cpu,sim:gpu:link=16e9:latency=0:fixed=7us:mem=256M");
    yoke_link link;
    (void)state;
    assert_int_equal(yoke_link_measure(runtime, 1, &link), YOKE_OK);
    near(link.pageable.to_device, 16e9);
    near(link.pageable.from_device, 16e9);
    near(link.pageable.both, 32e9);
    near(link.launch_seconds, 7e-6);
    assert_true(link.pinned.to_device == 0 && link.memory_bytes_per_second == 0);
    assert_int_equal(yoke_link_measure(runtime, 0, &link), YOKE_OK);
    assert_true(link.pageable.to_device == 0 && link.launch_seconds == 0 &&
                link.memory_bytes_per_second == 0);
    assert_int_equal(yoke_link_measure(runtime, 2, &link), YOKE_EINVAL);
    assert_int_equal(yoke_link_measure(runtime, -1, &link), YOKE_EINVAL);
    assert_int_equal(yoke_link_measure(runtime, 1, NULL), YOKE_EINVAL);
    assert_int_equal(yoke_link_measure(NULL, 0, &link), YOKE_EINVAL);
    assert_int_equal(yoke_close(runtime), YOKE_OK);
}

static void a_full_device_is_told(void **state)
{
    yoke_runtime *runtime = open_on("sim:gpu:mem=8k");
    yoke_link link = { .copy_seconds = -1 };
    (void)state;
    assert_int_equal(yoke_link_measure(runtime, 0, &link), YOKE_ENOMEM);
    assert_true(link.copy_seconds == -1);
    assert_int_equal(yoke_close(runtime), YOKE_OK);
}

static void cores_have_memory(void **state)
{
    yoke_runtime *runtime = open_on("cpu");
    yoke_link link;
    (void)state;
    assert_int_equal(yoke_link_measure(runtime, 0, &link), YOKE_OK);
    assert_true(link.memory_bytes_per_second > 0);
    assert_true(link.pageable.to_device == 0 && link.copy_seconds == 0);
    assert_int_equal(yoke_close(runtime), YOKE_OK);
}

/* A driver with pinned memory: the simulated one, with pinned memory from the test. */
static struct yk_backend pinning;
static int64_t pinned_blocks, refuse_from;

static yoke_status pinned_alloc(struct yk_device *device, int64_t bytes, void **out)
{
    void *block;
    (void)device;
    if (pinned_blocks >= refuse_from)
        return YOKE_ENOMEM;
    block = yk_alloc_aligned((size_t)bytes, 0);
    if (!block)
        return YOKE_ENOMEM;
    pinned_blocks++;
    *out = block;
    return YOKE_OK;
}

static void pinned_free(struct yk_device *device, void *host)
{
    (void)device;
    pinned_blocks--;
    yk_free(host);
}

static int measure_pinned(yoke_link *link)
{
    yoke_runtime *runtime = open_on("sim:cpu");
    struct yk_device_list list = { 0 };
    struct yk_device *device;
    int measured;
    assert_int_equal(yk_devices_find("sim:gpu:mem=64M", &list), YOKE_OK);
    assert_int_equal(list.items[0].backend->open(&list.items[0], &device), YOKE_OK);
    pinning = *device->backend;
    pinning.host_alloc = pinned_alloc;
    pinning.host_free = pinned_free;
    device->backend = &pinning;
    assert_int_equal(yk_runtime_add_device(runtime, device), YOKE_OK);
    measured = yoke_link_measure(runtime, 1, link) == YOKE_OK;
    assert_int_equal(yoke_close(runtime), YOKE_OK);
    yk_device_list_close(&list);
    assert_int_equal(pinned_blocks, 0);
    return measured;
}

static void pinned_memory_is_measured_where_it_can_be_had(void **state)
{
    yoke_link link;
    (void)state;
    for (refuse_from = 0; refuse_from <= 2; refuse_from++) {
        assert_true(measure_pinned(&link));
        assert_true((link.pinned.both > 0) == (refuse_from == 2));
        assert_true(link.pageable.both > 0);
        near(link.copy_seconds, 10e-6);
    }
}

static void every_allocation_may_fail(const char *devices)
{
    int64_t nth;
    int reached = 1;
    for (nth = 1; reached; nth++) {
        yoke_runtime *runtime = open_on(devices);
        yoke_link link;
        yoke_status status;
        yk_alloc_fail_at(nth);
        status = yoke_link_measure(runtime, 0, &link);
        reached = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_true(status == YOKE_OK || (reached && status == YOKE_ENOMEM));
        assert_int_equal(yoke_close(runtime), YOKE_OK);
    }
    assert_true(nth > 2);
}

static void memory_may_run_out(void **state)
{
    int64_t before = yk_alloc_outstanding();
    (void)state;
    every_allocation_may_fail("sim:gpu:mem=64k");
    every_allocation_may_fail("sim:gpu:mem=64k:pages=4k");
    every_allocation_may_fail("cpu:1");
    every_allocation_may_fail("cpu");
    assert_int_equal(yk_alloc_outstanding(), before);
}

/* The nth call of the backend fails: the device is lost, or memory runs out. */
static void calls_may_fail_with(yoke_status how)
{
    int64_t nth;
    int reached = 1;
    yk_check_devices = 1;
    for (nth = 1; reached; nth++) {
        yoke_runtime *runtime = open_on("sim:gpu:mem=64k:pages=4k");
        yoke_device device;
        yoke_link link;
        yoke_status status;
        yk_backend_fail_at(nth, how);
        status = yoke_link_measure(runtime, 0, &link);
        reached = yk_backend_failed();
        yk_backend_fail_at(0, YOKE_OK);
        assert_int_equal(status, reached ? how : YOKE_OK);
        assert_int_equal(yoke_device_get(runtime, 0, &device), YOKE_OK);
        assert_int_equal(device.lost, reached && how == YOKE_EDEVICE);
        assert_int_equal(yoke_link_measure(runtime, 0, &link),
                         device.lost ? YOKE_EDEVICE : YOKE_OK);
        assert_int_equal(yoke_close(runtime), YOKE_OK);
    }
    assert_true(nth > 10);
    yk_check_devices = 0;
}

static void the_device_may_fail(void **state)
{
    int64_t before = yk_alloc_outstanding();
    (void)state;
    calls_may_fail_with(YOKE_EDEVICE);
    calls_may_fail_with(YOKE_ENOMEM);
    assert_int_equal(yk_alloc_outstanding(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_simulated_link_is_exact),
        cmocka_unit_test(a_full_device_is_told),
        cmocka_unit_test(cores_have_memory),
        cmocka_unit_test(pinned_memory_is_measured_where_it_can_be_had),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(the_device_may_fail),
    };
    /* Measurements use more memory than all caches, and a server's caches may be half a gigabyte.
     */
    setenv("HWLOC_SYNTHETIC", "package:1 numa:1 l3:1(size=8388608) core:2 pu:1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
