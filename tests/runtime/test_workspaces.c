/* test_workspaces.c - objects that jobs reuse from each other: results of many jobs whose tickets
 * were not waited for, jobs of different kinds in turn, allocations that fail at every point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "ok.h"
#include "under_sanitizer.h"

static void increase(void *const *args, const yoke_chunk *chunk)
{
    int64_t *x = args[0], i;
    for (i = chunk->first; i < chunk->last; i++)
        x[i]++;
}

static void count(void *const *args, const yoke_chunk *chunk)
{
    int64_t *sum = args[1];
    const int64_t *step = args[0];
    *sum += *step * (chunk->last - chunk->first);
}

static const yoke_param increase_params[] = {
    { YOKE_PARAM_INOUT, "int64_t", "x", sizeof(int64_t), _Alignof(int64_t) },
};
static const yoke_param count_params[] = {
    { YOKE_PARAM_VALUE, "int64_t", "step", sizeof(int64_t), _Alignof(int64_t) },
    { YOKE_PARAM_ADD, "int64_t", "sum", sizeof(int64_t), _Alignof(int64_t) },
};
static const yoke_kernel increasing = { .struct_size = sizeof(yoke_kernel),
                                        .kind = YOKE_KERNEL_NATIVE,
                                        .name = "increasing",
                                        .file = __FILE__,
                                        .params = increase_params,
                                        .param_count = 1,
                                        .cpu.variant = { increase } };
static const yoke_kernel counting = { .struct_size = sizeof(yoke_kernel),
                                      .kind = YOKE_KERNEL_NATIVE,
                                      .name = "counting",
                                      .file = __FILE__,
                                      .params = count_params,
                                      .param_count = 2,
                                      .cpu.variant = { count } };

enum { ROWS = 300, KEPT = 16 };

struct scene {
    yoke_runtime *runtime;
    yoke_array *array, *sum;
    int64_t rows[ROWS], total;
};

static yoke_status open_scene(struct scene *scene)
{
    const yoke_config config = { .devices = "cpu", .threads = 3 };
    yoke_status status;
    *scene = (struct scene){ 0 };
    status = yoke_open(&config, &scene->runtime);
    if (status == YOKE_OK)
        status =
            yoke_array_wrap(scene->runtime, scene->rows, ROWS, sizeof *scene->rows, &scene->array);
    if (status == YOKE_OK)
        status =
            yoke_array_wrap(scene->runtime, &scene->total, 1, sizeof scene->total, &scene->sum);
    return status;
}

/* Rows of a failed job are lost, and closing their array reports it. */
static void close_scene(struct scene *scene, yoke_status jobs)
{
    yoke_array *const arrays[] = { scene->array, scene->sum };
    for (int i = 0; i < 2; i++)
        if (arrays[i]) {
            yoke_status closed = yoke_array_close(arrays[i]);
            assert_true(closed == YOKE_OK || (closed == YOKE_ELOST && jobs != YOKE_OK));
        }
    OK(yoke_close(scene->runtime));
}

static yoke_job job_on(struct scene *scene, int64_t first, int64_t last)
{
    return (yoke_job){ .kernel = &increasing,
                       .range = { .first = first, .last = last },
                       .args = { yoke_inout(scene->array) } };
}

/* --- results --- */

/* 1: it also has reasons and decisions. */
static int check_result(const yoke_result *result, int64_t items)
{
    int64_t all = 0, decided = 0, i;
    int d, told = 0;
    assert_string_equal(result->partitioner, "auto");
    for (d = 0; d < result->device_count; d++) {
        all += result->devices[d].items;
        told |= result->devices[d].reason[0] != 0;
        assert_int_equal(result->devices[d].device, d);
        assert_true(result->devices[d].chunks > 0 && result->devices[d].share == 1);
        assert_non_null(result->waits[d].reason);
    }
    for (i = 0; i < result->decision_count; i++)
        decided += result->decisions[i].last - result->decisions[i].first;
    assert_int_equal(all, items);
    assert_int_equal(told, result->decision_count > 0);
    assert_int_equal(decided, told ? items : 0);
    return told;
}

static void results_of_many_jobs_have_figures(void **state)
{
    enum { JOBS = 100 };
    yoke_ticket *tickets[JOBS];
    struct scene scene;
    yoke_result *result;
    int round, n, told;
    (void)state;
    OK(open_scene(&scene));
    for (round = 1; round <= 3; round++) {
        for (n = 0; n < JOBS; n++) {
            yoke_job job = job_on(&scene, 3 * n, 3 * n + 3);
            OK(yoke_submit(scene.runtime, &job, &tickets[n]));
        }
        OK(yoke_wait_all(scene.runtime));
        for (n = told = 0; n < JOBS; n++) {
            OK(yoke_wait(tickets[n], &result));
            told += check_result(result, 3);
            yoke_result_close(result);
        }
        assert_int_equal(told, KEPT);
    }
    for (n = 0; n < ROWS; n++)
        assert_int_equal(scene.rows[n], 3);
    close_scene(&scene, YOKE_OK);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void tickets_that_nobody_waits_for_hold_nothing_back(void **state)
{
    struct scene scene;
    yoke_ticket *ticket;
    int n;
    (void)state;
    OK(open_scene(&scene));
    for (n = 0; n < 2 * KEPT; n++) {
        yoke_job job = job_on(&scene, 0, ROWS);
        OK(yoke_submit(scene.runtime, &job, &ticket));
    }
    close_scene(&scene, YOKE_OK);
    assert_int_equal(scene.rows[ROWS - 1], 2 * KEPT);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void nothing(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    (void)chunk;
}

/* The reason is that of its job, though later jobs have shown how much faster the other device is
 * alone. */
static void why_a_device_was_left_out_is_told_as_it_was(void **state)
{
    enum { JOBS = 12 };
    static const yoke_kernel kernel = { .struct_size = sizeof(yoke_kernel),
                                        .kind = YOKE_KERNEL_NATIVE,
                                        .name = "nothing",
                                        .file = __FILE__,
                                        .cpu.variant = { nothing } };
    const yoke_config config = { .devices = "sim:cpu:cores=2:rate=1e6,sim:gpu:rate=1e10" };
    const yoke_job job = { .kernel = &kernel, .range = { .last = 100000 } };
    yoke_ticket *tickets[JOBS];
    yoke_runtime *runtime;
    yoke_result *result;
    int n, tried = 0, settled = 0;
    (void)state;
    OK(yoke_open(&config, &runtime));
    for (n = 0; n < JOBS; n++) {
        OK(yoke_submit(runtime, &job, &tickets[n]));
        OK(yoke_wait_all(runtime));
    }
    for (n = 0; n < JOBS; n++) {
        OK(yoke_wait(tickets[n], &result));
        tried += strstr(result->devices[0].reason, "left out of this job") != NULL;
        settled += strstr(result->devices[0].reason, "does not pay") != NULL;
        assert_int_equal(tried + settled > 0, result->devices[0].items == 0);
        assert_int_equal(result->devices[1].reason[0] != 0, 1);
        yoke_result_close(result);
    }
    assert_int_equal(tried, 2);
    assert_true(settled >= 4);
    OK(yoke_close(runtime));
}

/* --- jobs that differ --- */

static yoke_status run_turn(struct scene *scene, int turn, yoke_result **result)
{
    static const char *const partitioners[] = { NULL, "dynamic:chunk=7", "even", "guided", "auto" };
    yoke_job job = job_on(scene, turn % 5, ROWS);
    int64_t step = turn;
    if (turn % 3 == 1)
        job = (yoke_job){ .kernel = &counting,
                          .range = { .last = turn },
                          .args = { yoke_value(step), yoke_add_to(scene->sum) } };
    job.partitioner = partitioners[turn % 5];
    return yoke_run(scene->runtime, &job, result);
}

static void jobs_of_all_kinds_take_turns(void **state)
{
    struct scene scene;
    int64_t total = 0, last = 0;
    int turn;
    (void)state;
    OK(open_scene(&scene));
    for (turn = 0; turn < 300; turn++) {
        yoke_result *result;
        int adds = turn % 3 == 1;
        OK(run_turn(&scene, turn, &result));
        assert_int_equal(result->devices[0].items, adds ? turn : ROWS - turn % 5);
        if (turn % 5)
            assert_non_null(strstr("dynamic:chunk=7 even guided auto", result->partitioner));
        yoke_result_close(result);
        total += adds ? turn * turn : 0;
        last += !adds;
    }
    assert_int_equal(scene.total, total);
    assert_int_equal(scene.rows[ROWS - 1], last);
    close_scene(&scene, YOKE_OK);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

/* --- memory that runs out --- */

static yoke_status whole_life(struct scene *scene)
{
    enum { JOBS = 6 };
    yoke_ticket *tickets[JOBS];
    yoke_status status = open_scene(scene), waited;
    yoke_result *result;
    int n, submitted = 0;
    for (n = 0; n < JOBS && status == YOKE_OK; n++) {
        yoke_job job = job_on(scene, n % 2, ROWS);
        status = yoke_submit(scene->runtime, &job, &tickets[n]);
        submitted += status == YOKE_OK;
    }
    for (n = 0; n < submitted; n++) {
        waited = yoke_wait(tickets[n], n % 2 ? NULL : &result);
        if (waited == YOKE_OK && n % 2 == 0)
            yoke_result_close(result);
        status = status != YOKE_OK ? status : waited;
    }
    for (n = 0; n < 4 && status == YOKE_OK; n++)
        status = run_turn(scene, n, NULL);
    if (scene->runtime)
        close_scene(scene, status);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    struct scene scene;
    int64_t nth, kept;
    int failed = 1;
    (void)state;
    OK(whole_life(&scene)); /* objects kept for the life of the process */
    kept = yk_alloc_outstanding();
    for (nth = 1; failed; nth += WALK_STRIDE) {
        yk_alloc_fail_at(nth);
        whole_life(&scene);
        failed = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_int_equal(yk_alloc_outstanding(), kept);
    }
    assert_true(nth > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_many_jobs_have_figures),
        cmocka_unit_test(tickets_that_nobody_waits_for_hold_nothing_back),
        cmocka_unit_test(why_a_device_was_left_out_is_told_as_it_was),
        cmocka_unit_test(jobs_of_all_kinds_take_turns),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
