/* test_landing.c - results that are being copied home, and rows that do not arrive: no older
 * version overwrites them, and lost rows are reported by name.
 *
 * All on simulated devices, whose copies and kernels end at times set by the machine's description.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "backend/backend.h"
#include "base/alloc.h"
#include "job/runtime.h"
#include "ok.h"
#include "storm_kernels.h"

enum { ROWS = 1024 };

struct scene {
    yoke_runtime *runtime;
    yoke_array *x, *y;
    uint32_t xs[ROWS], ys[ROWS];
};

static void scene_open(struct scene *scene, const char *devices)
{
    int i;
    for (i = 0; i < ROWS; i++)
        scene->xs[i] = scene->ys[i] = (uint32_t)i;
    OK(yoke_open(&(yoke_config){ .devices = devices }, &scene->runtime));
    OK(yoke_array_open(
        scene->runtime,
        &(yoke_array_spec){ .host = scene->xs, .rows = ROWS, .element_size = 4, .name = "xs" },
        &scene->x));
    OK(yoke_array_open(
        scene->runtime,
        &(yoke_array_spec){ .host = scene->ys, .rows = ROWS, .element_size = 4, .name = "ys" },
        &scene->y));
}

static void scene_close(struct scene *scene)
{
    yoke_array_close(scene->x); /* rows may be lost */
    yoke_array_close(scene->y);
    OK(yoke_close(scene->runtime));
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static yoke_job made(yoke_array *array, const uint32_t *a)
{
    yoke_job job = { .kernel = &s_make,
                     .range = { 0, ROWS, { 0, 0 } },
                     .args = { yoke_value_of(a, sizeof *a), yoke_out(array) },
                     .partitioner = "static:shares=0/1" };
    return job;
}

/* The second device has an old version of y. It writes that back, slowly, to make room for z, while
 * results of the first device are being copied home to the same rows in a job without the second.
 */
static void old_version_stays_away(const char *devices, const char *partitioner)
{
    const uint32_t a = 3;
    struct scene scene;
    yoke_ticket *tickets[2];
    yoke_array *z;
    yoke_job old, new, other;
    int i;
    scene_open(&scene, devices);
    OK(yoke_array_open(scene.runtime, &(yoke_array_spec){ .rows = ROWS, .element_size = 4 }, &z));
    old = made(scene.y, &a);
    OK(yoke_run(scene.runtime, &old, NULL));
    new = (yoke_job){ .kernel = &s_copy,
                      .range = { 0, ROWS, { 0, 0 } },
                      .args = { yoke_value(a), yoke_in(scene.x), yoke_out_home(scene.y) },
                      .partitioner = partitioner };
    other = made(z, &a);
    OK(yoke_submit(scene.runtime, &new, &tickets[0]));
    OK(yoke_submit(scene.runtime, &other, &tickets[1]));
    OK(yoke_wait(tickets[1], NULL));
    OK(yoke_wait(tickets[0], NULL));
    OK(yoke_array_acquire(scene.y, YOKE_READ));
    for (i = 0; i < ROWS; i++)
        assert_int_equal(scene.ys[i], (uint32_t)i * 5 + a);
    OK(yoke_array_close(z));
    scene_close(&scene);
}

static void results_are_not_overtaken(void **state)
{
    (void)state;
    old_version_stays_away("sim:gpu:lanes=1,sim:gpu:latency=10ms:mem=4K", "static:shares=1/0");
}

/* The same through windows of the first device. */
static void results_of_windows_are_not_overtaken(void **state)
{
    (void)state;
    old_version_stays_away("sim:gpu:lanes=1:mem=1K,sim:gpu:latency=10ms:mem=4K",
                           "static:shares=1/0:chunks=8");
}

/* mix changes y in place; the device is lost at ever later times. Rows that are not reported lost
 * are correct, and the report names array and rows. */
static int dies_in_place(const char *format, int time_us, int *lost)
{
    const uint32_t a = 3;
    struct scene scene;
    char devices[128];
    yoke_status status;
    int i;
    snprintf(devices, sizeof devices, format, time_us);
    scene_open(&scene, devices);
    yoke_job job = { .kernel = &s_mix,
                     .range = { 0, ROWS, { 0, 0 } },
                     .args = { yoke_value(a), yoke_in(scene.x), yoke_inout_home(scene.y) },
                     .partitioner = "dynamic:chunk=128" };
    status = yoke_run(scene.runtime, &job, NULL);
    if (status == YOKE_ELOST) {
        assert_non_null(strstr(yoke_error_text(), "array ys: "));
        assert_non_null(strstr(yoke_error_text(), " of rows "));
        ++*lost;
        /* the next acquire reports it: half of a result is not taken for the whole */
        assert_int_equal(yoke_array_acquire(scene.y, YOKE_READ), YOKE_ELOST);
        assert_non_null(strstr(yoke_error_text(), "array ys: rows "));
    } else {
        if (status != YOKE_OK)
            fail_msg("%s: %s", devices, yoke_error_text());
        OK(yoke_array_acquire(scene.y, YOKE_READ));
        for (i = 0; i < ROWS; i++)
            assert_int_equal(scene.ys[i], (uint32_t)i * 3 + (uint32_t)i * a + 1);
    }
    scene_close(&scene);
    return status == YOKE_OK;
}

static void lost_rows_are_named(void **state)
{
    int time_us, good = 0, lost = 0;
    (void)state;
    for (time_us = 1; time_us < 600; time_us += 6) {
        good +=
            dies_in_place("sim:cpu:cores=1:rate=1e6,sim:gpu:rate=1e6:fail=%dus", time_us, &lost);
        good += dies_in_place("sim:cpu:cores=1:rate=1e6,sim:gpu:rate=1e6:mem=1500:fail=%dus",
                              time_us, &lost);
    }
    print_message("made good %d times, lost %d times\n", good, lost);
    assert_true(good > 50 && lost > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_not_overtaken),
        cmocka_unit_test(results_of_windows_are_not_overtaken),
        cmocka_unit_test(lost_rows_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
