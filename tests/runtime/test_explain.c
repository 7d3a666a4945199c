/* test_explain.c - the report about a runtime's jobs and decisions at close, if requested
 * (YOKE_EXPLAIN); and the models in results. On simulated devices, so the figures are always the
 * same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "job_kernels.h"
#include "ok.h"
#include "runtime/explain.h"

enum { ITEMS = 4000 };
static const char slow[] = "sim:cpu:cores=1:rate=1e5,sim:gpu:rate=3e5:link=1e9",
                  fast[] = "sim:cpu:cores=1:rate=1e8,sim:gpu:rate=3e8:link=1e9";

static char said[8192];

static void listen(void *context, yoke_log_level level, const char *line)
{
    size_t length = strlen(said);
    (void)context;
    if (level == YOKE_LOG_INFO)
        snprintf(said + length, sizeof said - length, "%s\n", line);
}

static yoke_runtime *opened(const char *machine, const char *knowledge)
{
    const yoke_config config = { .devices = machine, .knowledge = knowledge };
    yoke_runtime *rt;
    said[0] = '\0';
    yoke_set_log(listen, NULL, YOKE_LOG_WARN);
    OK(yoke_open(&config, &rt));
    return rt;
}

static void run_jobs(yoke_runtime *rt, int jobs, yoke_result **result)
{
    static int32_t y[ITEMS];
    const int32_t offset = 7;
    yoke_array *array;
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &array));
    while (jobs-- > 0) {
        yoke_job job = { .kernel = &k_index,
                         .range = { 0, ITEMS },
                         .args = { yoke_value(offset), yoke_out(array) } };
        OK(yoke_run(rt, &job, jobs == 0 ? result : NULL));
    }
    OK(yoke_array_close(array));
}

static void closing_tells_what_each_device_got(void **state)
{
    yoke_runtime *rt;
    (void)state;
    setenv("YOKE_EXPLAIN", "1", 1);
    rt = opened(slow, NULL);
    run_jobs(rt, 5, NULL);
    OK(yoke_close(rt));
    unsetenv("YOKE_EXPLAIN");
    assert_non_null(strstr(said, "4000 items in"));
    assert_non_null(strstr(said, " by auto, job 5 of 5"));
    assert_non_null(strstr(said, "  sim:cpu "));
    assert_non_null(strstr(said, "  sim:gpu "));
    assert_non_null(strstr(said, "1 GB/s"));
    assert_non_null(strstr(said, "  sim:gpu: "));
}

static void nobody_is_told_unasked(void **state)
{
    yoke_runtime *rt = opened(slow, NULL);
    (void)state;
    run_jobs(rt, 2, NULL);
    OK(yoke_close(rt));
    assert_string_equal(said, "");
    setenv("YOKE_EXPLAIN", "1", 1); /* a runtime that the program does not expose */
    rt = opened(slow, "off");
    run_jobs(rt, 2, NULL);
    OK(yoke_close(rt));
    unsetenv("YOKE_EXPLAIN");
    assert_string_equal(said, "");
}

/* Without the GPU the job takes more than 2.5 times as long, without the CPU 1.1 to 1.7 times. */
static void results_carry_models(void **state)
{
    yoke_runtime *rt = opened(slow, "off");
    yoke_result *result;
    const yoke_model_result *cpu, *gpu;
    (void)state;
    run_jobs(rt, 4, &result);
    cpu = &result->models[0];
    gpu = &result->models[1];
    assert_int_equal(result->version, 4);
    assert_float_equal(cpu->item_seconds, 1e-5, 1e-7);
    assert_true(cpu->link_bytes_per_second == 0);
    assert_float_equal(gpu->item_seconds, 1 / 3e5, 0.1e-5);
    assert_float_equal(gpu->link_bytes_per_second, 1e9, 1);
    assert_true(gpu->chunk_items >= 1);
    assert_true(gpu->without_seconds > 2.5 * result->seconds);
    assert_true(cpu->without_seconds > 1.1 * result->seconds);
    assert_true(cpu->without_seconds < 1.7 * result->seconds);
    yoke_result_close(result);
    OK(yoke_close(rt));
}

/* The reasons of a short job cost more than the job: they are kept for the 1st, 2nd, 4th, 8th ...
 * job. */
static void of_short_jobs_some_are_kept(void **state)
{
    yoke_runtime *rt;
    char *text;
    (void)state;
    setenv("YOKE_EXPLAIN", "1", 1);
    rt = opened(fast, NULL);
    unsetenv("YOKE_EXPLAIN");
    run_jobs(rt, 7, NULL);
    text = yk_story_text(rt, yk_story_print_json);
    assert_non_null(strstr(text, "\"jobs\":4,"));
    yk_free(text);
    OK(yoke_close(rt));
}

static void run_noop(yoke_runtime *rt, const char *partitioner, int64_t items, yoke_result **result)
{
    const int32_t unused = 0;
    yoke_job job = { .kernel = &k_noop,
                     .range = { 0, items },
                     .partitioner = partitioner,
                     .args = { yoke_value(unused) } };
    OK(yoke_run(rt, &job, result));
}

static void assert_told(const char *text, const yoke_result *result)
{
    char part[512];
    int d;
    for (d = 0; d < result->device_count; d++) {
        const yoke_device_result *device = &result->devices[d];
        snprintf(part, sizeof part, "\"items\":%.9g,\"share\":%.9g,\"chunks\":%.9g,",
                 (double)device->items, device->share, (double)device->chunks);
        assert_non_null(strstr(text, part));
        snprintf(part, sizeof part, "\"without_seconds\":%.9g,\"reason\":\"%s\"",
                 result->models[d].without_seconds, device->reason);
        assert_non_null(strstr(text, part));
    }
}

/* Independent of the number of jobs of other kernels since, and of the job's chunks. */
static void a_story_is_that_of_its_job(void **state)
{
    yoke_runtime *rt;
    yoke_result *few, *many;
    char *text;
    int i;
    (void)state;
    setenv("YOKE_EXPLAIN", "1", 1);
    rt = opened(slow, NULL);
    unsetenv("YOKE_EXPLAIN");
    run_jobs(rt, 5, &few);
    run_noop(rt, "dynamic:chunk=1", 5000, &many);
    for (i = 1; i < 10; i++) {
        text = yk_story_text(rt, yk_story_print_json);
        assert_told(text, few);
        assert_told(text, many);
        yk_free(text);
        yoke_result_close(many);
        run_noop(rt, i % 2 ? "even" : "dynamic:chunk=1", 5000 + i, &many);
    }
    yoke_result_close(many);
    yoke_result_close(few);
    OK(yoke_close(rt));
}

static void counts_are_told_to_the_digit(void **state)
{
    yoke_runtime *rt;
    char *text;
    (void)state;
    setenv("YOKE_EXPLAIN", "1", 1);
    rt = opened("sim:cpu:cores=1", NULL);
    unsetenv("YOKE_EXPLAIN");
    run_noop(rt, "auto", 1234567891, NULL);
    text = yk_story_text(rt, yk_story_print_json);
    assert_non_null(strstr(text, "\"items\":1234567891,\"seconds\""));
    assert_non_null(strstr(text, "\"items\":1234567891,\"share\":1,"));
    yk_free(text);
    OK(yoke_close(rt));
}

static void of_one_there_is_no_plural(void **state)
{
    yoke_runtime *rt;
    (void)state;
    setenv("YOKE_EXPLAIN", "1", 1);
    rt = opened("sim:cpu:cores=1", NULL);
    unsetenv("YOKE_EXPLAIN");
    run_noop(rt, "auto", 1, NULL);
    OK(yoke_close(rt));
    assert_non_null(strstr(said, ": 1 item in "));
    assert_non_null(strstr(said, " in 1 chunk, at "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closing_tells_what_each_device_got),
        cmocka_unit_test(nobody_is_told_unasked),
        cmocka_unit_test(results_carry_models),
        cmocka_unit_test(of_short_jobs_some_are_kept),
        cmocka_unit_test(a_story_is_that_of_its_job),
        cmocka_unit_test(counts_are_told_to_the_digit),
        cmocka_unit_test(of_one_there_is_no_plural),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
