/* test_virtual.c - how the clock advances on simulated machines: to the next end, or to the time at
 * which a lane asked to be called again, even if nothing is in progress; and not for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job/job.h"
#include "job/runtime.h"
#include "job_kernels.h"
#include "ok.h"

enum { ITEMS = 4000, CORES = 0, GPU = 1 };

static int32_t y[ITEMS];

static yoke_job index_job(yoke_array *array)
{
    static const int32_t offset = 7;
    return (yoke_job){ .kernel = &k_index,
                       .range = { 0, ITEMS },
                       .args = { yoke_value(offset), yoke_out(array) } };
}

static void run_on(const char *devices, yoke_result **result)
{
    yoke_runtime *rt = open_runtime(devices);
    yoke_array *array;
    yoke_job job;
    int i;
    memset(y, 0, sizeof y);
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &array));
    job = index_job(array);
    OK(yoke_run(rt, &job, result));
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
    for (i = 0; i < ITEMS; i++)
        assert_int_equal(y[i], i + 7);
}

/* Time of the device's nth decision in s; -1: it had fewer. */
static double decided_at(const yoke_result *result, int device, int nth)
{
    int64_t i;
    for (i = 0; i < result->decision_count; i++)
        if (result->decisions[i].device == device && nth-- == 0)
            return result->decisions[i].seconds;
    return -1;
}

/* A core takes 10 ms per item: the GPU waits 40 us for the cores and no longer, as on a real
 * machine. */
static void a_gpu_begins_when_its_wait_is_over(void **state)
{
    yoke_result *result;
    (void)state;
    run_on("sim:cpu:cores=2:rate=100,sim:gpu:rate=1e8", &result);
    assert_float_equal(decided_at(result, CORES, 0), 0, 1e-9);
    assert_float_equal(decided_at(result, GPU, 0), 40e-6, 1e-9);
    yoke_result_close(result);
}

/* An end before that time is not skipped: the cores' first result, at 10 us. */
static void a_result_is_seen_before_that(void **state)
{
    yoke_result *result;
    (void)state;
    run_on("sim:cpu:cores=2:rate=1e5,sim:gpu:rate=1e8", &result);
    assert_float_equal(decided_at(result, GPU, 0), 10e-6, 1e-9);
    yoke_result_close(result);
}

/* It is lost at 30 us, and found lost when it is to begin. */
static void a_gpu_fails_while_it_waits(void **state)
{
    yoke_result *result;
    (void)state;
    run_on("sim:cpu:cores=2:rate=1e4,sim:gpu:rate=1e8:fail=30us", &result);
    assert_int_equal(result->devices[CORES].items, ITEMS);
    assert_non_null(strstr(result->devices[GPU].reason, "is lost"));
    yoke_result_close(result);
}

/* No device may work on it, and none asks to be called again. */
static void nothing_is_left_to_wait_for(void **state)
{
    yoke_runtime *rt = open_runtime("sim:cpu,sim:gpu");
    yoke_ticket *ticket;
    yoke_array *array;
    yoke_job job;
    (void)state;
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &array));
    job = index_job(array);
    OK(yoke_submit(rt, &job, &ticket));
    rt->running->devices[CORES].benched = rt->running->devices[GPU].benched = 1;
    assert_int_equal(yoke_wait(ticket, NULL), YOKE_EDEVICE);
    assert_non_null(strstr(yoke_error_text(), "nothing left to do"));
    yoke_array_close(array);
    OK(yoke_close(rt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_begins_when_its_wait_is_over),
        cmocka_unit_test(a_result_is_seen_before_that),
        cmocka_unit_test(a_gpu_fails_while_it_waits),
        cmocka_unit_test(nothing_is_left_to_wait_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
