/* test_job_lessons.c - jobs of the partitioner `linear`: those of which too little is known are
 * `auto`'s and say so, the next ones take as long as was predicted, and a second runtime begins
 * there. On simulated devices: the figures are always the same.
 */
#include <math.h>
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

#include "base/alloc.h"
#include "job_kernels.h"
#include "ok.h"

enum { ITEMS = 200000 };
static const char machine[] = "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=8e6:link=1e9,sim:gpu:rate=8e6",
                  feeble[] = "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=10";

static int32_t y[ITEMS];

static yoke_runtime *opened(const char *devices, const char *knowledge)
{
    const yoke_config config = { .devices = devices,
                                 .partitioner = "linear",
                                 .knowledge = knowledge };
    yoke_runtime *rt;
    OK(yoke_open(&config, &rt));
    return rt;
}

static yoke_result *run_job(yoke_runtime *rt, const char *partitioner)
{
    const int32_t offset = 7;
    yoke_array *array;
    yoke_result *result;
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &array));
    const yoke_job job = { .kernel = &k_index,
                           .range = { 0, ITEMS },
                           .partitioner = partitioner,
                           .args = { yoke_value(offset), yoke_out(array) } };
    OK(yoke_run(rt, &job, &result));
    OK(yoke_array_close(array));
    return result;
}

/* Within 3 %, and all who worked ended within 3 % of each other. */
static void assert_foreseen(const yoke_result *result)
{
    if (!(fabs(result->predicted_seconds / result->seconds - 1) <= 0.03))
        fail_msg("%g s, predicted %g s", result->seconds, result->predicted_seconds);
    for (int d = 0; d < result->device_count; d++)
        if (result->devices[d].items > 0)
            assert_true(result->models[d].ended_seconds >= 0.97 * result->seconds);
}

static void auto_teaches_linear(void **state)
{
    yoke_runtime *rt = opened(machine, "off");
    int jobs;
    (void)state;
    for (jobs = 0; jobs < 10; jobs++) {
        yoke_result *result = run_job(rt, NULL);
        const int taught = !strcmp(result->partitioner, "linear");
        if (!taught) {
            assert_string_equal(result->partitioner, "auto (teaches linear)");
            assert_float_equal(result->predicted_seconds, 0, 0);
        } else {
            assert_foreseen(result);
        }
        yoke_result_close(result);
        if (taught)
            break;
    }
    assert_int_equal(jobs, 2);
    OK(yoke_close(rt));
}

/* What `linear` makes devices do is not what `auto` learns from. */
static void linear_learns_apart(void **state)
{
    yoke_runtime *rt = opened(machine, "off");
    yoke_result *result;
    (void)state;
    for (int i = 0; i < 2; i++)
        yoke_result_close(run_job(rt, "auto"));
    for (int i = 0; i < 3; i++) {
        result = run_job(rt, "linear:chunks=2");
        assert_string_equal(result->partitioner, "linear:chunks=2");
        assert_foreseen(result);
        assert_int_equal(result->devices[1].chunks, 2);
        yoke_result_close(result);
    }
    OK(yoke_close(rt));
}

static void who_does_not_pay_is_switched_off(void **state)
{
    yoke_runtime *rt = opened(feeble, "off");
    yoke_result *result = NULL;
    (void)state;
    for (int i = 0; i < 8; i++) {
        yoke_result_close(result);
        result = run_job(rt, NULL);
    }
    assert_string_equal(result->partitioner, "linear");
    assert_int_equal(result->devices[0].items, ITEMS);
    assert_non_null(strstr(result->devices[1].reason, "nothing: "));
    yoke_result_close(result);
    OK(yoke_close(rt));
}

static void a_second_runtime_needs_no_lesson(void **state)
{
    char folder[] = "/tmp/yoke-lessons-XXXXXX", file[64], path[96];
    static const char *const ends[] = { "", "-wal", "-shm", "-journal", "-lock" };
    yoke_runtime *rt;
    yoke_result *result;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/knowledge.db", folder);
    rt = opened(machine, file);
    for (int i = 0; i < 5; i++)
        yoke_result_close(run_job(rt, NULL));
    OK(yoke_close(rt));
    rt = opened(machine, file);
    result = run_job(rt, NULL);
    assert_string_equal(result->partitioner, "linear");
    assert_foreseen(result);
    yoke_result_close(result);
    OK(yoke_close(rt));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", file, ends[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_teaches_linear),
        cmocka_unit_test(linear_learns_apart),
        cmocka_unit_test(who_does_not_pay_is_switched_off),
        cmocka_unit_test(a_second_runtime_needs_no_lesson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
