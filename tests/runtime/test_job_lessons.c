/* test_job_lessons.c - jobs of the partitioner `linear`: `auto` splits them while too little is
 * known, and they say so; later jobs take the predicted time, and a second runtime starts with
 * predictions. On simulated devices, so the figures are always the same. */
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

#include "backend/sim/sim.h"
#include "base/alloc.h"
#include "job_kernels.h"
#include "ok.h"

enum { ITEMS = 200000 };
static const char machine[] = "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=8e6:link=1e9,sim:gpu:rate=8e6",
                  pages[] = "sim:cpu:cores=4:rate=1e6,sim:gpu*2:rate=8e6:pages=4K:pin=yes",
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

static yoke_result *run_items(yoke_runtime *rt, const char *partitioner, int items)
{
    const int32_t offset = 7;
    yoke_array *array;
    yoke_result *result;
    OK(yoke_array_wrap(rt, y, items, sizeof *y, &array));
    const yoke_job job = { .kernel = &k_index,
                           .range = { 0, items },
                           .partitioner = partitioner,
                           .args = { yoke_value(offset), yoke_out(array) } };
    OK(yoke_run(rt, &job, &result));
    OK(yoke_array_close(array));
    return result;
}

static yoke_result *run_job(yoke_runtime *rt, const char *partitioner)
{
    return run_items(rt, partitioner, ITEMS);
}

/* The prediction is within 3 %, and all working devices ended within 3 % of each other. */
static void assert_foreseen(const yoke_result *result)
{
    if (!(fabs(result->predicted_seconds / result->seconds - 1) <= 0.03))
        fail_msg("%g s, predicted %g s", result->seconds, result->predicted_seconds);
    for (int d = 0; d < result->device_count; d++)
        if (result->devices[d].items > 0)
            assert_true(result->models[d].ended_seconds >= 0.97 * result->seconds);
}

static void teach_linear(const char *devices)
{
    yoke_runtime *rt = opened(devices, "off");
    int jobs;
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

static void auto_teaches_linear(void **state)
{
    (void)state;
    teach_linear(machine);
}

/* The program opens an array for each job, so each job maps memory. Its time tells, all the same.
 */
static void jobs_that_map_memory_teach(void **state)
{
    (void)state;
    teach_linear(pages);
}

/* `auto` does not learn from the work that `linear` gives devices. */
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

/* A loop of time steps: `auto` splits less than 5 % of 60 steps, and all later ones are predicted
 * from the first, whichever devices pay. (papers/004, section 4.1. For devices that slow each other
 * see test_linear_machine.) */
static const struct {
    const char *devices;
    int items;
} loops[] = {
    { "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=8e6", 20000 },
    { "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=8e6:link=1e9", 200000 },
    { "sim:cpu:cores=4:rate=1e6,sim:gpu*2:rate=8e6", 20000 },
    { "sim:cpu:cores=4:rate=1e6,sim:gpuA:rate=8e6,sim:gpuB:rate=3e6:link=1e9", 200000 },
    { "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=10", 20000 },             /* does not pay: slow, */
    { "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=8e6:link=1e6", 20000 },   /* slow link, */
    { "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=8e6:fixed=50ms", 20000 }, /* late: never tried */
    { "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=8e6:fixed=50ms", 200000 },
    { "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=1e5:fixed=5ms", 20000 },
    { "sim:cpu:cores=4:rate=1e6,sim:gpuA:rate=8e6,sim:gpuB:rate=10", 200000 }, /* one of two */
};

static void a_loops_first_steps_teach(void **state)
{
    enum { STEPS = 60, TEACH_MOST = 2, GUESSED_MOST = 1 };
    (void)state;
    for (size_t l = 0; l < sizeof loops / sizeof *loops; l++) {
        yoke_runtime *rt = opened(loops[l].devices, "off");
        int guessed = 0;
        for (int step = 0; step < STEPS; step++) {
            yoke_result *result = run_items(rt, NULL, loops[l].items);
            const double off = result->predicted_seconds / result->seconds - 1;
            const int taught = !strcmp(result->partitioner, "linear");
            if (!taught && step >= TEACH_MOST)
                fail_msg("%s: step %d by %s", loops[l].devices, step, result->partitioner);
            guessed += taught && result->predicted_seconds == 0;
            if (taught && result->predicted_seconds > 0 && !(fabs(off) <= 0.03))
                fail_msg("%s: step %d is %.1f %% off", loops[l].devices, step, 100 * off);
            yoke_result_close(result);
        }
        assert_true(guessed <= GUESSED_MOST); /* a device without a line was tried */
        OK(yoke_close(rt));
    }
}

/* A simulated driver pins at once: no job waits for it, and `auto` splits none because of it. */
static void pins_that_are_there_at_once(void **state)
{
    enum { MANY = 4 << 20 };
    static int32_t many[MANY];
    static const char pinning[] =
        "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=8e6:link=1e9:pin=yes:staging=yes:pageable=1e8";
    yoke_runtime *rt = opened(pinning, "off");
    const int32_t offset = 7;
    yoke_array *array;
    (void)state;
    OK(yoke_array_wrap(rt, many, MANY, sizeof *many, &array));
    for (int jobs = 0; jobs < 6; jobs++) {
        const yoke_job job = { .kernel = &k_index,
                               .range = { 0, MANY },
                               .args = { yoke_value(offset), yoke_out_home(array) } };
        yoke_result *result;
        OK(yoke_run(rt, &job, &result));
        assert_null(strstr(result->partitioner, "pinned"));
        if (jobs > 3)
            assert_string_equal(result->partitioner, "linear");
        yoke_result_close(result);
    }
    assert_true(yk_sim.pinned_bytes > 0);
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_teaches_linear),
        cmocka_unit_test(jobs_that_map_memory_teach),
        cmocka_unit_test(linear_learns_apart),
        cmocka_unit_test(who_does_not_pay_is_switched_off),
        cmocka_unit_test(a_second_runtime_needs_no_lesson),
        cmocka_unit_test(a_loops_first_steps_teach),
        cmocka_unit_test(pins_that_are_there_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
