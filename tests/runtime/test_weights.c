/* test_weights.c - the CPU weight of jobs: the weight set for a kernel or for all applies until it
 * is changed or a policy moves it; the times of each class of devices can be queried. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job_kernels.h"
#include "ok.h"

enum { ITEMS = 10000, CORES = 0, GPU = 1 };

/* The cores do one item in the time in which the GPU does nine: the best weight is 0.1. */
static const char machine[] = "sim:cpu:cores=2:rate=5e5:fixed=0,"
                              "sim:gpu:rate=9e6:fixed=0:latency=0:link=1e15";

struct scene {
    yoke_runtime *rt;
    yoke_array *array;
    int32_t y[ITEMS];
};

static struct scene *open_scene(const char *devices)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->rt = open_runtime(devices);
    OK(yoke_array_wrap(scene->rt, scene->y, ITEMS, sizeof *scene->y, &scene->array));
    return scene;
}

static void close_scene(struct scene *scene)
{
    OK(yoke_array_close(scene->array));
    OK(yoke_close(scene->rt));
    free(scene);
}

static yoke_job job_of(struct scene *scene, const char *partitioner)
{
    static const int32_t offset = 7;
    return (yoke_job){ .kernel = &k_index,
                       .range = { 0, ITEMS },
                       .partitioner = partitioner,
                       .args = { yoke_value(offset), yoke_out(scene->array) } };
}

/* Items of the first device in a job. */
static int64_t run(struct scene *scene, const char *partitioner)
{
    yoke_job job = job_of(scene, partitioner);
    yoke_result *result;
    int64_t items;
    int i;
    OK(yoke_array_acquire(scene->array, YOKE_WRITE));
    memset(scene->y, 0, sizeof scene->y);
    OK(yoke_array_release(scene->array));
    OK(yoke_run(scene->rt, &job, &result));
    items = result->devices[0].items;
    yoke_result_close(result);
    OK(yoke_array_acquire(scene->array, YOKE_READ));
    for (i = 0; i < ITEMS; i++)
        assert_int_equal(scene->y[i], i + 7);
    OK(yoke_array_release(scene->array));
    return items;
}

static double weight_of(struct scene *scene, const yoke_kernel *kernel)
{
    double weight;
    OK(yoke_get_cpu_weight(scene->rt, kernel, &weight));
    return weight;
}

static void a_weight_stays_until_it_is_changed(void **state)
{
    struct scene *scene = open_scene(machine);
    (void)state;
    assert_true(weight_of(scene, NULL) < 0);
    OK(yoke_set_cpu_weight(scene->rt, NULL, 0.3));
    assert_int_equal(run(scene, NULL), 3000);
    assert_int_equal(run(scene, NULL), 3000);
    OK(yoke_set_cpu_weight(scene->rt, NULL, 0.45));
    assert_int_equal(run(scene, NULL), 4500);
    OK(yoke_clear_cpu_weight(scene->rt, NULL));
    assert_true(weight_of(scene, NULL) < 0);
    assert_int_not_equal(run(scene, NULL), 4500);
    close_scene(scene);
}

static void the_nearest_word_counts(void **state)
{
    struct scene *scene = open_scene(machine);
    (void)state;
    OK(yoke_set_cpu_weight(scene->rt, NULL, 0.3));
    OK(yoke_set_cpu_weight(scene->rt, &k_saxpy, 0.9)); /* not of this kernel */
    assert_int_equal(run(scene, NULL), 3000);
    OK(yoke_set_cpu_weight(scene->rt, &k_index, 0.6));
    assert_int_equal(run(scene, NULL), 6000);
    assert_int_equal(run(scene, "static:shares=0.2/0.8"), 2000);
    assert_int_equal(run(scene, NULL), 6000);
    OK(yoke_clear_cpu_weight(scene->rt, &k_index));
    assert_int_equal(run(scene, NULL), 3000);
    close_scene(scene);
}

static void the_low_end_is_the_cores(void **state)
{
    struct scene *scene = open_scene("sim:gpu,sim:cpu:cores=2");
    yoke_job job = job_of(scene, NULL);
    yoke_result *result;
    (void)state;
    OK(yoke_set_cpu_weight(scene->rt, NULL, 0.25));
    OK(yoke_set_weight_chunks(scene->rt, NULL, 1, 3));
    OK(yoke_run(scene->rt, &job, &result));
    assert_int_equal(result->devices[1].items, 2500);
    assert_int_equal(result->devices[1].chunks, 1);
    assert_int_equal(result->devices[0].chunks, 3);
    assert_string_equal(result->partitioner, "weight:cpu=0.25,cpu-chunks=1,gpu-chunks=3");
    yoke_result_close(result);
    close_scene(scene);
}

static void one_side_alone_does_all(void **state)
{
    static const char *const machines[] = { "sim:cpu:cores=2", "sim:gpu" };
    static const double weights[] = { 0, 0.3, 1 };
    size_t m, w;
    (void)state;
    for (m = 0; m < 2; m++) {
        struct scene *scene = open_scene(machines[m]);
        OK(yoke_set_weight_policy(scene->rt, NULL, yoke_weight_paper, NULL));
        for (w = 0; w < 3; w++) {
            OK(yoke_set_cpu_weight(scene->rt, NULL, weights[w]));
            assert_int_equal(run(scene, NULL), ITEMS);
            /* there is nothing to compare with, so the policy is not called */
            assert_float_equal(weight_of(scene, &k_index), weights[w], 0);
        }
        close_scene(scene);
    }
}

static void zero_and_one_leave_a_side_out(void **state)
{
    struct scene *scene = open_scene(machine);
    yoke_times times;
    (void)state;
    OK(yoke_set_cpu_weight(scene->rt, NULL, 0));
    assert_int_equal(run(scene, NULL), 0);
    OK(yoke_last_times(scene->rt, NULL, &times));
    assert_true(times.cpu_seconds == 0 && times.gpu_seconds > 0 && times.gpu_items == ITEMS);
    OK(yoke_set_cpu_weight(scene->rt, NULL, 1));
    assert_int_equal(run(scene, NULL), ITEMS);
    close_scene(scene);
}

static void what_is_no_weight_changes_nothing(void **state)
{
    static const double wrong[] = { (double)NAN, -0.01, 1.01, (double)INFINITY };
    struct scene *scene = open_scene(machine);
    yoke_kernel unfilled = { 0 };
    double weight;
    yoke_times times;
    size_t w;
    (void)state;
    OK(yoke_set_cpu_weight(scene->rt, NULL, 0.3));
    for (w = 0; w < sizeof wrong / sizeof *wrong; w++)
        assert_int_equal(yoke_set_cpu_weight(scene->rt, NULL, wrong[w]), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "give 0 to 1"));
    assert_float_equal(weight_of(scene, NULL), 0.3, 0);
    assert_int_equal(yoke_set_cpu_weight(NULL, NULL, 0.3), YOKE_EINVAL);
    assert_int_equal(yoke_set_cpu_weight(scene->rt, &unfilled, 0.3), YOKE_EINVAL);
    assert_int_equal(yoke_set_weight_chunks(scene->rt, NULL, -1, 0), YOKE_EINVAL);
    assert_int_equal(yoke_set_weight_chunks(scene->rt, NULL, 0, 1000001), YOKE_EINVAL);
    assert_int_equal(yoke_get_cpu_weight(scene->rt, NULL, NULL), YOKE_EINVAL);
    assert_int_equal(yoke_last_times(scene->rt, NULL, NULL), YOKE_EINVAL);
    assert_int_equal(yoke_get_cpu_weight(NULL, NULL, &weight), YOKE_EINVAL);
    assert_int_equal(yoke_last_times(NULL, NULL, &times), YOKE_EINVAL);
    assert_int_equal(yoke_clear_cpu_weight(NULL, NULL), YOKE_EINVAL);
    assert_int_equal(yoke_set_weight_policy(NULL, NULL, NULL, NULL), YOKE_EINVAL);
    close_scene(scene);
}

/* Two cores take 1 us per item, the GPU 1/9 us. */
static void times_are_told_by_class(void **state)
{
    struct scene *scene = open_scene(machine);
    yoke_times times;
    (void)state;
    OK(yoke_last_times(scene->rt, &k_index, &times));
    assert_true(times.cpu_seconds == 0 && times.gpu_seconds == 0 && times.cpu_items == 0);
    OK(yoke_set_cpu_weight(scene->rt, NULL, 0.5));
    run(scene, NULL);
    OK(yoke_last_times(scene->rt, &k_index, &times));
    assert_int_equal(times.cpu_items, 5000);
    assert_int_equal(times.gpu_items, 5000);
    assert_float_equal(times.cpu_seconds, 5000e-6, 100e-6);
    assert_float_equal(times.gpu_seconds, 5000e-6 / 9, 50e-6);
    OK(yoke_last_times(scene->rt, &k_saxpy, &times));
    assert_int_equal(times.cpu_items, 0);
    run(scene, "static:shares=1/3"); /* with any partitioner */
    OK(yoke_last_times(scene->rt, NULL, &times));
    assert_int_equal(times.cpu_items, 2500);
    close_scene(scene);
}

/* From 0.2 to 0.1, where it stays within 0.01. */
static void the_papers_policy_finds_the_balance(void **state)
{
    struct scene *scene = open_scene(machine);
    int step;
    (void)state;
    OK(yoke_set_cpu_weight(scene->rt, NULL, 0.2));
    OK(yoke_set_weight_policy(scene->rt, NULL, yoke_weight_paper, NULL));
    for (step = 1; step <= 10; step++) {
        run(scene, NULL);
        assert_float_equal(weight_of(scene, &k_index), 0.2 - 0.01 * step, 1e-9);
    }
    for (step = 0; step < 10; step++) {
        run(scene, NULL);
        assert_float_equal(weight_of(scene, &k_index), 0.1, 0.0101);
    }
    /* Each kernel's weight moves separately. */
    assert_float_equal(weight_of(scene, NULL), 0.2, 0);
    assert_float_equal(weight_of(scene, &k_saxpy), 0.2, 0);
    OK(yoke_set_cpu_weight(scene->rt, NULL, 0.4));
    assert_float_equal(weight_of(scene, &k_index), 0.4, 0);
    close_scene(scene);
}

static void the_rate_policy_is_there_in_four(void **state)
{
    struct scene *scene = open_scene(machine);
    int step;
    (void)state;
    OK(yoke_set_cpu_weight(scene->rt, &k_index, 0.2));
    OK(yoke_set_weight_policy(scene->rt, &k_index, yoke_weight_rate, NULL));
    for (step = 0; step < 4; step++)
        run(scene, NULL);
    assert_float_equal(weight_of(scene, &k_index), 0.1, 0.003);
    /* Jobs split by other partitioners do not move it. */
    run(scene, "static:shares=1/1");
    assert_float_equal(weight_of(scene, &k_index), 0.1, 0.003);
    OK(yoke_set_weight_policy(scene->rt, &k_index, NULL, NULL));
    OK(yoke_set_cpu_weight(scene->rt, &k_index, 0.5));
    run(scene, NULL);
    assert_float_equal(weight_of(scene, &k_index), 0.5, 0);
    close_scene(scene);
}

/* As with the panels of a product: which of them ends first has no meaning. */
static void jobs_that_overlap_are_one(void **state)
{
    enum { JOBS = 10 };
    struct scene *scene = open_scene(machine);
    yoke_ticket *tickets[JOBS];
    yoke_times times;
    int k;
    (void)state;
    OK(yoke_set_cpu_weight(scene->rt, &k_index, 0.2));
    OK(yoke_set_weight_policy(scene->rt, &k_index, yoke_weight_rate, NULL));
    for (k = 0; k < JOBS; k++) {
        yoke_job job = job_of(scene, NULL);
        job.range.first = k * ITEMS / JOBS;
        job.range.last = (k + 1) * ITEMS / JOBS;
        OK(yoke_submit(scene->rt, &job, &tickets[k]));
    }
    for (k = 0; k < JOBS; k++)
        OK(yoke_wait(tickets[k], NULL));
    OK(yoke_last_times(scene->rt, &k_index, &times));
    assert_int_equal(times.cpu_items, 0.2 * ITEMS);
    assert_int_equal(times.gpu_items, 0.8 * ITEMS);
    assert_float_equal(times.cpu_seconds, 2000 / 1e6, 100e-6);
    assert_float_equal(weight_of(scene, &k_index), 0.1, 0.01);
    close_scene(scene);
}

/* Jobs that were submitted together begin one after the other. */
static void a_job_begins_with_what_the_last_one_taught(void **state)
{
    struct scene *scene = open_scene(machine);
    yoke_job job = job_of(scene, NULL);
    yoke_ticket *tickets[3];
    yoke_result *result;
    int i;
    (void)state;
    OK(yoke_set_cpu_weight(scene->rt, NULL, 0.2));
    OK(yoke_set_weight_policy(scene->rt, NULL, yoke_weight_paper, NULL));
    for (i = 0; i < 3; i++)
        OK(yoke_submit(scene->rt, &job, &tickets[i]));
    for (i = 0; i < 3; i++) {
        OK(yoke_wait(tickets[i], &result));
        assert_int_equal(result->devices[CORES].items, 2000 - 100 * i);
        yoke_result_close(result);
    }
    close_scene(scene);
}

/* Without a policy each job has the weight at its submission. */
static void a_set_weight_is_for_jobs_to_come(void **state)
{
    struct scene *scene = open_scene(machine);
    yoke_job job = job_of(scene, NULL);
    yoke_ticket *tickets[3];
    yoke_result *result;
    int i;
    (void)state;
    for (i = 0; i < 3; i++) {
        OK(yoke_set_cpu_weight(scene->rt, NULL, 0.1 * (i + 1)));
        OK(yoke_submit(scene->rt, &job, &tickets[i]));
    }
    for (i = 0; i < 3; i++) {
        OK(yoke_wait(tickets[i], &result));
        assert_int_equal(result->devices[CORES].items, 1000 * (i + 1));
        yoke_result_close(result);
    }
    close_scene(scene);
}

static void the_environment_gives_the_first_weight(void **state)
{
    struct scene *scene;
    yoke_runtime *rt;
    (void)state;
    setenv("YOKE_CPU_WEIGHT", "0.7", 1);
    setenv("YOKE_WEIGHT_POLICY", "paper", 1);
    scene = open_scene(machine);
    assert_int_equal(run(scene, NULL), 7000);
    assert_float_equal(weight_of(scene, &k_index), 0.69, 1e-9);
    assert_int_equal(run(scene, "static:shares=1/1"), 5000);
    close_scene(scene);
    setenv("YOKE_CPU_WEIGHT", "1.2", 1);
    assert_int_equal(yoke_open(&(yoke_config){ .devices = machine }, &rt), YOKE_EINVAL);
    assert_string_equal(yoke_error_text(),
                        "YOKE_CPU_WEIGHT=1.2 is no weight; give a number from 0 to 1");
    setenv("YOKE_CPU_WEIGHT", "nan", 1);
    assert_int_equal(yoke_open(&(yoke_config){ .devices = machine }, &rt), YOKE_EINVAL);
    unsetenv("YOKE_CPU_WEIGHT");
    setenv("YOKE_WEIGHT_POLICY", "fast", 1);
    assert_int_equal(yoke_open(&(yoke_config){ .devices = machine }, &rt), YOKE_EINVAL);
    unsetenv("YOKE_WEIGHT_POLICY");
}

static void a_program_that_names_a_partitioner_counts_more(void **state)
{
    yoke_config config = { .devices = machine, .partitioner = "even" };
    yoke_runtime *rt;
    double weight;
    (void)state;
    setenv("YOKE_CPU_WEIGHT", "0.7", 1);
    OK(yoke_open(&config, &rt));
    OK(yoke_get_cpu_weight(rt, NULL, &weight));
    assert_true(weight < 0);
    OK(yoke_close(rt));
    setenv("YOKE_CPU_WEIGHT", "1.2", 1);
    assert_int_equal(yoke_open(&config, &rt), YOKE_EINVAL);
    unsetenv("YOKE_CPU_WEIGHT");
}

/* Other devices do the work of a lost device; that says nothing about weights. */
static void a_lost_device_asks_no_policy(void **state)
{
    struct scene *scene = open_scene("sim:cpu:cores=2:rate=1e6,sim:gpu:rate=1e6:fail=100us");
    (void)state;
    OK(yoke_set_cpu_weight(scene->rt, NULL, 0.2));
    OK(yoke_set_weight_policy(scene->rt, NULL, yoke_weight_paper, NULL));
    assert_int_equal(run(scene, NULL), ITEMS);
    assert_float_equal(weight_of(scene, &k_index), 0.2, 0);
    close_scene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weight_stays_until_it_is_changed),
        cmocka_unit_test(the_nearest_word_counts),
        cmocka_unit_test(the_low_end_is_the_cores),
        cmocka_unit_test(one_side_alone_does_all),
        cmocka_unit_test(zero_and_one_leave_a_side_out),
        cmocka_unit_test(what_is_no_weight_changes_nothing),
        cmocka_unit_test(times_are_told_by_class),
        cmocka_unit_test(the_papers_policy_finds_the_balance),
        cmocka_unit_test(the_rate_policy_is_there_in_four),
        cmocka_unit_test(jobs_that_overlap_are_one),
        cmocka_unit_test(a_job_begins_with_what_the_last_one_taught),
        cmocka_unit_test(a_set_weight_is_for_jobs_to_come),
        cmocka_unit_test(the_environment_gives_the_first_weight),
        cmocka_unit_test(a_program_that_names_a_partitioner_counts_more),
        cmocka_unit_test(a_lost_device_asks_no_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
