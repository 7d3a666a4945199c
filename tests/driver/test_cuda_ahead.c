/* test_cuda_ahead.c - a thread pins memory ahead of jobs while other threads work: results stay
 * correct, and nothing stays pinned in whatever order things are closed. Meanwhile `auto` splits
 * jobs of `linear`. */
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

#include "ahead_scene.h"
#include "base/alloc.h"
#include "job/kernel.h"
#include "job/runtime.h"
#include "job_kernels.h"

static int64_t pinned_bytes(const yoke_runtime *runtime)
{
    int64_t bytes = 0;
    for (int d = 0; d < atomic_load(&runtime->device_count); d++)
        if (runtime->devices[d].place->pinner)
            bytes += yk_pinner_pinned(runtime->devices[d].place->pinner);
    return bytes;
}

/* to += from, after the host has acquired both arrays for writing. */
static yoke_status add(struct scene *scene, yoke_result **result)
{
    float one = 1;
    yoke_job job = { .kernel = &k_saxpy,
                     .range = { 0, scene->rows },
                     .args = { yoke_value(one), yoke_in(scene->from_array),
                               yoke_inout_home(scene->to_array) } };
    yoke_array *arrays[2] = { scene->from_array, scene->to_array };
    for (int a = 0; a < 2; a++) {
        assert_int_equal(yoke_array_acquire(arrays[a], YOKE_READ_WRITE), YOKE_OK);
        assert_int_equal(yoke_array_release(arrays[a]), YOKE_OK);
    }
    return yoke_run(scene->runtime, &job, result);
}

static yoke_result *run_for_result(struct scene *scene)
{
    yoke_result *result;
    OK(add(scene, &result));
    OK(yoke_array_acquire(scene->to_array, YOKE_READ));
    scene->times++;
    for (int i = 0; i < scene->rows; i += 97)
        assert_true(scene->to[i] == (float)scene->times * scene->from[i]);
    return result;
}

static void run(struct scene *scene)
{
    yoke_result_close(run_for_result(scene));
}

static void jobs_go_on_while_memory_is_pinned(void **state)
{
    struct scene scene;
    int jobs = 0;
    (void)state;
    scene_open(&scene);
    arrays_open(&scene);
    do
        jobs++, run(&scene);
    while (pinned_bytes(scene.runtime) < (4 << 20) && jobs < JOBS_MOST);
    assert_true(jobs < JOBS_MOST);
    for (int more = 0; more < 5; more++)
        run(&scene);
    arrays_close(&scene);
    scene_close(&scene);
}

/* Closes arrays while pin requests for them wait or are being carried out. */
static void closing_in_between(void **state)
{
    struct scene scene;
    (void)state;
    scene_open(&scene);
    for (int round = 0; round < 12; round++) {
        arrays_open(&scene);
        for (int job = 0; job <= round % 4; job++)
            run(&scene);
        arrays_close(&scene);
    }
    scene_close(&scene);
}

/* Each allocation fails once, those of the requests and of the thread too. */
static void without_memory(void **state)
{
    struct scene scene;
    (void)state;
    scene_open(&scene);
    arrays_open(&scene);
    run(&scene);
    run(&scene);
    for (int nth = 1; nth <= 40; nth++) {
        yk_alloc_fail_at(nth);
        yoke_status status = add(&scene, NULL);
        yk_alloc_fail_at(0);
        /* Lost: rows that a chunk had changed in place when memory ran out. */
        assert_true(status == YOKE_OK || status == YOKE_ENOMEM || status == YOKE_ELOST);
        scene.times = 0; /* a job that failed leaves rows undefined */
        assert_int_equal(yoke_array_acquire(scene.to_array, YOKE_WRITE), YOKE_OK);
        memset(scene.to, 0, ROWS * sizeof(float));
        assert_int_equal(yoke_array_release(scene.to_array), YOKE_OK);
        run(&scene);
    }
    arrays_close(&scene);
    scene_close(&scene);
}

/* --- a partitioner that splits with models from an earlier process --- */

static const char until_pinned[] = "auto (until memory is pinned: linear)";
static char folder[] = "/tmp/yoke-ahead-XXXXXX", file[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/knowledge.db", folder);
    return 0;
}

static int remove_folder(void **state)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal", "-lock" };
    char path[96];
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", file, ends[i]);
        unlink(path);
    }
    return rmdir(folder);
}

/* Adds samples to the models by which both devices do half. */
static void halve(const yoke_runtime *runtime, int rows)
{
    const double half = rows / 2.0, item_ns = 5;
    for (struct yk_kernel *kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        for (int m = 0; m < YK_MEMORIES && kernel->memories[m]; m++)
            for (int d = 0; d < 2; d++) {
                struct yk_learned *learned = &kernel->memories[m]->device[d];
                *learned = (struct yk_learned){ .rate = 1 / item_ns, .share = 0.5 };
                yk_fit_add(&learned->fit, &(struct yk_fit_sample){ .items = half,
                                                                   .ns = half * item_ns,
                                                                   .item_ns = item_ns,
                                                                   .team = 3 });
            }
}

struct life { /* settings of one process */
    const char *devices, *partitioner;
    int rows;
};

/* Zero fields: this test's defaults. */
static void life_open(const struct life *life, struct scene *scene)
{
    const yoke_config config = { .devices = life->devices ? life->devices : "cpu:1,cuda:0",
                                 .partitioner = life->partitioner ? life->partitioner : "linear",
                                 .knowledge = file };
    scene_open_with(scene, &config);
    if (life->rows)
        scene->rows = life->rows;
    arrays_open(scene);
}

static void life_close(struct scene *scene)
{
    arrays_close(scene);
    scene_close(scene);
}

static void teach(const struct life *life)
{
    struct scene scene;
    life_open(life, &scene);
    for (int job = 0; job < 3; job++)
        run(&scene);
    halve(scene.runtime, scene.rows);
    life_close(&scene);
}

/* The partitioner that split the next job; *share: the GPU's part of it. */
static const char *next_by(struct scene *scene, double *share, char text[64])
{
    yoke_result *result = run_for_result(scene);
    snprintf(text, 64, "%s", result->partitioner);
    *share = result->devices[1].share;
    yoke_result_close(result);
    return text;
}

/* `auto` splits until memory is pinned; samples from jobs without pins do not enter the split that
 * `linear` begins with. */
static void linear_does_not_wait_for_pins(void **state)
{
    const struct life life = { 0 };
    struct scene scene;
    char text[64];
    double share;
    int jobs = 0;
    (void)state;
    teach(&life);
    standin_hold("cuMemHostRegister", 1); /* otherwise memory is pinned as it is filled */
    life_open(&life, &scene);
    for (int job = 0; job < 4; job++)
        assert_string_equal(next_by(&scene, &share, text), until_pinned);
    standin_hold("cuMemHostRegister", 0);
    while (strcmp(next_by(&scene, &share, text), "linear") && jobs < JOBS_MOST) {
        assert_string_equal(text, until_pinned);
        jobs++;
    }
    assert_string_equal(text, "linear");
    assert_true(share > 0.49 && share < 0.51);
    assert_true(pinned_bytes(scene.runtime) >= (int64_t)(ROWS / 2 * sizeof(float)));
    life_close(&scene);
}

/* Few rows; more than the GPU's memory holds; splits that a user has fixed. */
static const struct life lives[] = {
    { .rows = ROWS / 16 },
    { .devices = "cpu:1,cuda:0:mem=16M" },
    { .partitioner = "static:shares=1/1" },
};

static void where_pins_are_not_worth_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        struct scene scene;
        char text[64];
        double share;
        teach(&lives[i]);
        life_open(&lives[i], &scene);
        assert_string_equal(next_by(&scene, &share, text),
                            lives[i].partitioner ? lives[i].partitioner : "linear");
        assert_true(share > 0.49 && share < 0.51);
        life_close(&scene);
    }
}

/* After a refused attempt to pin memory, `linear` does not wait for it any longer. */
static void where_pins_are_not_to_be_had(void **state)
{
    const struct standin_failure refused = { 1, 2, STANDIN_ONCE, "cuMemHostRegister" };
    const struct life life = { 0 };
    struct scene scene;
    char text[64];
    double share;
    (void)state;
    teach(&life);
    life_open(&life, &scene);
    for (int job = 0; job < JOBS_MOST; job++) {
        standin_fail(&refused); /* one array's pin; the other array may be pinned by then */
        if (!strcmp(next_by(&scene, &share, text), "linear"))
            break;
    }
    standin_fail(NULL);
    assert_string_equal(text, "linear");
    life_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_go_on_while_memory_is_pinned),
        cmocka_unit_test(closing_in_between),
        cmocka_unit_test(without_memory),
        cmocka_unit_test_teardown(linear_does_not_wait_for_pins, let_pins_go),
        cmocka_unit_test(where_pins_are_not_worth_it),
        cmocka_unit_test(where_pins_are_not_to_be_had),
    };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
