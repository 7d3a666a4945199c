/* test_faults.c - everything fails in turn: every allocation, every backend call, devices in the
 * middle of a job.
 *
 * Nothing hangs, nothing leaks, and a job that reports success has the correct result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "backend/backend.h"
#include "base/alloc.h"
#include "job_kernels.h"
#include "runtime/device.h"
#include "scene.h"
#include "walk.h"

static const char *const machines[] = { "cpu", "sim:gpu:mem=6K", "sim:cpu:cores=2,sim:gpu*2",
                                        "sim:cpu:cores=2,sim:gpu:pages=256" };
enum { MACHINES = sizeof machines / sizeof *machines };

static void every_allocation(void **state)
{
    int m;
    (void)state;
    for (m = 0; m < MACHINES; m++) {
        assert_int_equal(scene_run(machines[m]), YOKE_OK);
        assert_true(walk_allocations(scene_run, machines[m],
                                     1u << YOKE_OK | 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE) >= 20);
    }
}

static void every_call(const char *devices, yoke_status kind, int cpus_fail)
{
    int64_t calls, went_well;
    yk_check_devices = 1;
    assert_int_equal(scene_run(devices), YOKE_OK);
    calls = walk_calls(scene_run, devices, kind, &went_well);
    assert_true(calls >= 50);
    /* most failures of a device lose rows of time steps */
    assert_true(cpus_fail || went_well > (calls + 1) / 12);
}

static void every_backend_call(void **state)
{
    (void)state;
    every_call("sim:cpu:cores=2:rate=1e7,sim:gpu*2", YOKE_EDEVICE, 0);
    every_call("sim:gpu*2", YOKE_EDEVICE, 0);
    every_call("sim:cpu:cores=2:rate=1e7,sim:gpu*2", YOKE_ENOMEM, 0);
    every_call("sim:gpu:mem=6K", YOKE_ENOMEM, 1);
    every_call("sim:cpu:cores=2:rate=1e7,sim:gpu*2:pages=256", YOKE_EDEVICE, 0);
    every_call("sim:cpu:cores=2:rate=1e7,sim:gpu*2:mem=8K:taken=1K:pages=256", YOKE_ENOMEM, 0);
}

/* A device dies at ever later moments, and the other does its share. Returns how often no row was
 * needed that only the first had. */
static int deaths_made_good(const char *partitioner)
{
    int after, made_good = 0;
    assert_int_equal(setenv("YOKE_PARTITIONER", partitioner, 1), 0);
    for (after = 1; after < 60; after++) {
        char devices[96];
        yoke_status status;
        alarm(60);
        snprintf(devices, sizeof devices, "sim:cpu:cores=2,sim:gpu:fail_after=%d", after);
        status = scene_run(devices);
        if (status != YOKE_OK && status != YOKE_ELOST && status != YOKE_EDEVICE)
            fail_msg("%s: %s: %s", devices, yoke_status_text(status), yoke_error_text());
        made_good += status == YOKE_OK;
    }
    print_message("%s: %d of 59 deaths made good\n", partitioner, made_good);
    assert_int_equal(unsetenv("YOKE_PARTITIONER"), 0);
    return made_good;
}

/* A plan leaves rows of time steps where they are, so more of them are lost with their device. */
static void devices_that_die(void **state)
{
    (void)state;
    assert_true(deaths_made_good("alone") > 30);
    assert_true(deaths_made_good("auto") > 5);
}

/* One job from host data to host data must survive any death of the other device. */
static void one_job_survives(void **state)
{
    int after;
    (void)state;
    for (after = 1; after < 40; after++) {
        enum { N = 600 };
        static float xs[N], ys[N];
        char devices[96];
        const float a = 2;
        yoke_runtime *rt;
        yoke_array *x, *y;
        yoke_status status;
        int i;
        for (i = 0; i < N; i++) {
            xs[i] = (float)i;
            ys[i] = 1;
        }
        snprintf(devices, sizeof devices, "sim:cpu:cores=2,sim:gpu:fail_after=%d", after);
        status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
        if (status != YOKE_OK) {
            assert_int_equal(status, YOKE_EDEVICE);
            continue;
        }
        assert_int_equal(yoke_array_wrap(rt, xs, N, 4, &x), YOKE_OK);
        assert_int_equal(yoke_array_wrap(rt, ys, N, 4, &y), YOKE_OK);
        yoke_job job = { .kernel = &k_saxpy,
                         .range = { 0, N },
                         .partitioner = "dynamic:chunk=20",
                         .args = { yoke_value(a), yoke_in(x), yoke_inout(y) } };
        status = yoke_run(rt, &job, NULL);
        if (status == YOKE_OK)
            status = yoke_array_acquire(y, YOKE_READ);
        if (status == YOKE_OK)
            for (i = 0; i < N; i++)
                assert_true(ys[i] == 1 + 2 * (float)i);
        else
            assert_int_equal(status, YOKE_ELOST); /* it died with finished rows of an inout array */
        yoke_array_close(x);
        yoke_array_close(y);
        assert_int_equal(yoke_close(rt), YOKE_OK);
    }
}

/* Sums are lost with their device, and what it did cannot be repeated on rows that it has changed,
 * whether they are at home (out of its memory, or as soon as a chunk ends) or not. */
static yoke_status grow(const char *devices)
{
    enum { N = 3000, JOBS = 4 };
    static int32_t xs[N];
    static int64_t sums[1];
    yoke_runtime *rt;
    yoke_array *x, *sum;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
    if (status != YOKE_OK)
        return status;
    memset(xs, 0, sizeof xs);
    sums[0] = 0;
    assert_int_equal(yoke_array_wrap(rt, xs, N, 4, &x), YOKE_OK);
    assert_int_equal(yoke_array_wrap(rt, sums, 1, 8, &sum), YOKE_OK);
    for (int job = 0; job < JOBS && status == YOKE_OK; job++) {
        const yoke_job spec = { .kernel = &k_grow,
                                .range = { 0, N },
                                .partitioner = "dynamic:chunk=100",
                                .args = { yoke_inout_home(x), yoke_add_to(sum) } };
        status = yoke_run(rt, &spec, NULL);
    }
    for (int i = 0; i < N && status == YOKE_OK; i++)
        assert_int_equal(xs[i], 15);
    if (status == YOKE_OK && yoke_array_acquire(sum, YOKE_READ) == YOKE_OK)
        assert_int_equal(sums[0], N * (1 + 3 + 7 + 15));
    yoke_array_close(x);
    yoke_array_close(sum);
    assert_int_equal(yoke_close(rt), YOKE_OK);
    return status;
}

static void rows_in_place_beside_sums(void **state)
{
    static const char *const other[] = { "gpub", "cpu:cores=2", "gpub:mem=6K" };
    int after, lost = 0, well = 0;
    (void)state;
    for (after = 1; after < 150; after++) {
        char devices[96];
        snprintf(devices, sizeof devices, "sim:gpua:fail_after=%d%s,sim:%s", after,
                 after % 3 == 2 ? ":mem=6K" : "", other[after % 3]);
        const yoke_status status = grow(devices);
        if (status != YOKE_OK && status != YOKE_ELOST && status != YOKE_EDEVICE)
            fail_msg("%s: %s", devices, yoke_error_text());
        lost += status == YOKE_ELOST;
        well += status == YOKE_OK;
    }
    assert_true(lost > 0 && well > 0);
}

/* Jobs in flight on the only device: each message names the cause once. */
static void the_messages_of_many_jobs(void **state)
{
    enum { N = 64, JOBS = 6 };
    static float xs[N], ys[JOBS][N];
    const float a = 2;
    yoke_ticket *tickets[JOBS];
    yoke_array *x, *y[JOBS];
    yoke_runtime *rt;
    int j, lost = 0;
    (void)state;
    assert_int_equal(yoke_open(&(yoke_config){ .devices = "sim:gpu:fail_after=12" }, &rt), YOKE_OK);
    assert_int_equal(yoke_array_wrap(rt, xs, N, 4, &x), YOKE_OK);
    for (j = 0; j < JOBS; j++) {
        assert_int_equal(yoke_array_wrap(rt, ys[j], N, 4, &y[j]), YOKE_OK);
        yoke_job job = { .kernel = &k_saxpy,
                         .range = { 0, N },
                         .args = { yoke_value(a), yoke_in(x), yoke_inout(y[j]) } };
        assert_int_equal(yoke_submit(rt, &job, &tickets[j]), YOKE_OK);
    }
    for (j = 0; j < JOBS; j++) {
        const char *text;
        if (yoke_wait(tickets[j], NULL) == YOKE_OK)
            continue;
        lost++;
        text = strstr(yoke_error_text(), "no device is left");
        assert_true(!text || !strstr(text + 1, "no device is left"));
    }
    assert_true(lost > 1);
    yoke_array_close(x);
    for (j = 0; j < JOBS; j++)
        yoke_array_close(y[j]);
    assert_int_equal(yoke_close(rt), YOKE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),          cmocka_unit_test(every_backend_call),
        cmocka_unit_test(devices_that_die),          cmocka_unit_test(one_job_survives),
        cmocka_unit_test(rows_in_place_beside_sums), cmocka_unit_test(the_messages_of_many_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
