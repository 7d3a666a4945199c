/* test_cuda_ahead.c - memory that is pinned ahead of jobs, by a thread of its own, while the others
 * work: results stay right, and whoever closes first leaves nothing pinned.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "job_kernels.h"
#include "runtime/runtime.h"
#include "standin.h"

enum { ROWS = 4 << 20, JOBS_MOST = 200 };

struct scene {
    yoke_runtime *runtime;
    float *from, *to;
    yoke_array *from_array, *to_array;
    int times; /* that to got from added */
};

static int64_t pinned_bytes(const yoke_runtime *runtime)
{
    int64_t bytes = 0;
    for (int d = 0; d < atomic_load(&runtime->device_count); d++)
        if (runtime->devices[d].place->pinner)
            bytes += yk_pinner_pinned(runtime->devices[d].place->pinner);
    return bytes;
}

static void scene_open(struct scene *scene)
{
    const yoke_config config = { .devices = "cpu:1,cuda:0" };
    *scene = (struct scene){ 0 };
    assert_int_equal(yoke_open(&config, &scene->runtime), YOKE_OK);
    scene->from = yoke_alloc(scene->runtime, ROWS * sizeof(float));
    scene->to = yoke_alloc(scene->runtime, ROWS * sizeof(float));
    assert_non_null(scene->from);
    assert_non_null(scene->to);
    for (int i = 0; i < ROWS; i++) {
        scene->from[i] = (float)(i % 16);
        scene->to[i] = 0;
    }
}

static void arrays_open(struct scene *scene)
{
    assert_int_equal(
        yoke_array_wrap(scene->runtime, scene->from, ROWS, sizeof(float), &scene->from_array),
        YOKE_OK);
    assert_int_equal(
        yoke_array_wrap(scene->runtime, scene->to, ROWS, sizeof(float), &scene->to_array), YOKE_OK);
}

static void arrays_close(struct scene *scene)
{
    assert_int_equal(yoke_array_close(scene->from_array), YOKE_OK);
    assert_int_equal(yoke_array_close(scene->to_array), YOKE_OK);
}

static void scene_close(struct scene *scene)
{
    yoke_free(scene->runtime, scene->from);
    yoke_free(scene->runtime, scene->to);
    assert_int_equal(yoke_close(scene->runtime), YOKE_OK);
    assert_int_equal(standin_outstanding(), 0);
}

/* to += from, out of memory that the host has changed since the last time. */
static yoke_status add_once(struct scene *scene)
{
    float one = 1;
    yoke_job job = { .kernel = &k_saxpy,
                     .range = { 0, ROWS },
                     .args = { yoke_value(one), yoke_in(scene->from_array),
                               yoke_inout_home(scene->to_array) } };
    yoke_array *arrays[2] = { scene->from_array, scene->to_array };
    for (int a = 0; a < 2; a++) {
        assert_int_equal(yoke_array_acquire(arrays[a], YOKE_READ_WRITE), YOKE_OK);
        assert_int_equal(yoke_array_release(arrays[a]), YOKE_OK);
    }
    return yoke_run(scene->runtime, &job, NULL);
}

static void run(struct scene *scene)
{
    assert_int_equal(add_once(scene), YOKE_OK);
    assert_int_equal(yoke_array_acquire(scene->to_array, YOKE_READ), YOKE_OK);
    scene->times++;
    for (int i = 0; i < ROWS; i += 97)
        assert_true(scene->to[i] == (float)scene->times * scene->from[i]);
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

/* Arrays that close while orders for them wait, or are being carried out. */
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

/* Each allocation fails once, wherever it is made: the orders' and the thread's too. */
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
        yoke_status status = add_once(&scene);
        yk_alloc_fail_at(0);
        assert_true(status == YOKE_OK || status == YOKE_ENOMEM);
        scene.times = 0; /* a job that failed leaves rows undefined */
        assert_int_equal(yoke_array_acquire(scene.to_array, YOKE_WRITE), YOKE_OK);
        memset(scene.to, 0, ROWS * sizeof(float));
        assert_int_equal(yoke_array_release(scene.to_array), YOKE_OK);
        run(&scene);
    }
    arrays_close(&scene);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_go_on_while_memory_is_pinned),
        cmocka_unit_test(closing_in_between),
        cmocka_unit_test(without_memory),
    };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
