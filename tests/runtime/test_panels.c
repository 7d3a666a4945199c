/* test_panels.c - column panels: which job waits for which, bytes moved, evicted memory, and
 * devices that fail. */
#include <stdio.h>
#include <string.h>

#include <pthread.h>

#include "backend/sim/sim.h"
#include "job/array_handle.h"
#include "panel_scene.h"

/* --- several threads --- */

struct owner {
    yoke_runtime *rt;
    yoke_array *panel;
    tile_t tile;
    uint32_t rounds;
    int failed;
};

static void *work_on_panel(void *context)
{
    struct owner *owner = context;
    uint32_t by;
    for (by = 0; by < owner->rounds; by++) {
        yoke_job job = columns_job(owner->panel, &owner->tile, &by);
        job.partitioner = "dynamic:chunk=11";
        owner->failed |= yoke_run(owner->rt, &job, NULL) != YOKE_OK;
        if (by % 3 == 2)
            owner->failed |= yoke_array_acquire(owner->panel, YOKE_READ) != YOKE_OK;
    }
    return NULL;
}

/* Each thread has its own columns of the same rows. */
static void threads(void **state)
{
    static uint32_t m[ROWS * WIDTH];
    yoke_runtime *rt = open_runtime("cpu:2");
    yoke_array *array = open_array(rt, m, ROWS, WIDTH);
    struct owner owners[PANELS];
    pthread_t thread[PANELS];
    uint32_t by;
    int n, i, j;
    (void)state;
    for (n = 0; n < PANELS; n++) {
        owners[n] = (struct owner){ .rt = rt,
                                    .tile = { .width = WIDTH,
                                              .first = WIDTH * n / PANELS,
                                              .last = WIDTH * (n + 1) / PANELS },
                                    .rounds = 40 };
        OK(yoke_array_panel(array, owners[n].tile.first, owners[n].tile.last - owners[n].tile.first,
                            &owners[n].panel));
    }
    for (n = 0; n < PANELS; n++)
        assert_int_equal(pthread_create(&thread[n], NULL, work_on_panel, &owners[n]), 0);
    for (n = 0; n < PANELS; n++) {
        pthread_join(thread[n], NULL);
        assert_false(owners[n].failed);
        OK(yoke_array_close(owners[n].panel));
    }
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
    for (i = 0; i < ROWS; i++)
        for (j = 0; j < WIDTH; j++) {
            uint32_t right = 0;
            for (by = 0; by < 40; by++)
                right = right * 3u + by * (uint32_t)(i + 7 * j + 1);
            assert_int_equal(m[i * WIDTH + j], right);
        }
}

/* --- order, overlap, traffic --- */

/* Virtual seconds of two jobs of one second each, each on its own device. */
static double both(int panels_of_its_own)
{
    static uint32_t m[ROWS * WIDTH];
    yoke_runtime *rt = open_runtime("sim:gpu*2:rate=90");
    yoke_array *array = open_array(rt, m, ROWS, WIDTH), *panels[2];
    const tile_t tiles[2] = { { .width = WIDTH, .last = 10 },
                              { .width = WIDTH, .first = 20, .last = 30 } };
    const uint32_t by = 1;
    int64_t start = yk_now(rt);
    double seconds;
    int n;
    for (n = 0; n < 2; n++)
        OK(yoke_array_panel(array, tiles[n].first, 10, &panels[n]));
    for (n = 0; n < 2; n++) {
        yoke_job job = columns_job(panels[panels_of_its_own ? n : 0], &tiles[n], &by);
        yoke_ticket *ticket;
        job.partitioner = n ? "static:shares=0/1" : "static:shares=1/0";
        OK(yoke_submit(rt, &job, &ticket));
    }
    OK(yoke_wait_all(rt));
    seconds = 1e-9 * (double)(yk_now(rt) - start);
    for (n = 0; n < 2; n++)
        OK(yoke_array_close(panels[n]));
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
    return seconds;
}

static void panels_do_not_wait_for_each_other(void **state)
{
    double apart = both(1), together = both(0);
    (void)state;
    if (!(apart > 0.99 && apart < 1.01 && together > 1.99))
        fail_msg("two jobs of a second took %g s on two panels, %g s on one", apart, together);
}

/* Only the columns that a job names are copied. */
static void only_its_columns_are_moved(void **state)
{
    static uint32_t m[ROWS * WIDTH];
    yoke_runtime *rt = open_runtime("sim:gpu");
    yoke_array *array = open_array(rt, m, ROWS, WIDTH), *panel;
    const tile_t tile = { .width = WIDTH, .first = 3, .last = 8 };
    const tile_t all = { .width = WIDTH, .last = WIDTH };
    const uint32_t by = 1;
    yoke_job job;
    (void)state;
    OK(yoke_array_panel(array, 3, 5, &panel));
    job = columns_job(panel, &tile, &by);
    OK(yoke_run(rt, &job, NULL));
    assert_int_equal(yoke_array_traffic(panel).to_devices, ROWS * 5 * 4);
    assert_int_equal(yoke_array_traffic(panel).from_devices, 0);
    job = columns_job(array, &all, &by); /* the other columns */
    OK(yoke_run(rt, &job, NULL));
    assert_int_equal(yoke_array_traffic(panel).to_devices, ROWS * 5 * 4);
    assert_int_equal(yoke_array_traffic(array).to_devices, ROWS * WIDTH * 4);
    OK(yoke_array_acquire_rows(panel, YOKE_READ, 10, 20));
    assert_int_equal(yoke_array_traffic(panel).from_devices, 10 * 5 * 4);
    OK(yoke_array_acquire(array, YOKE_READ));
    assert_int_equal(yoke_array_traffic(array).from_devices, ROWS * WIDTH * 4);
    OK(yoke_array_close(panel));
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
    assert_int_equal(m[3 * WIDTH + 4], 4 * (3 + 28 + 1));
    assert_int_equal(m[3 * WIDTH + 9], 3 + 63 + 1);
}

/* --- evicted memory, failing devices --- */

/* There is room for one of two arrays. */
static void eviction_takes_all_panels(void **state)
{
    static uint32_t m[2][ROWS * WIDTH];
    yoke_runtime *rt = open_runtime("sim:gpu:mem=30K:staging=yes");
    const tile_t tiles[2] = { { .width = WIDTH, .first = 1, .last = 9 },
                              { .width = WIDTH, .first = 9, .last = 60 } };
    const uint32_t by = 3;
    yoke_array *arrays[2], *panels[2][2];
    int a, n, round, i;
    (void)state;
    memset(m, 0, sizeof m);
    for (a = 0; a < 2; a++) {
        arrays[a] = open_array(rt, m[a], ROWS, WIDTH);
        for (n = 0; n < 2; n++)
            OK(yoke_array_panel(arrays[a], tiles[n].first, tiles[n].last - tiles[n].first,
                                &panels[a][n]));
    }
    for (round = 0; round < 3; round++)
        for (a = 0; a < 2; a++)
            for (n = 0; n < 2; n++) {
                yoke_job job = columns_job(panels[a][n], &tiles[n], &by);
                OK(yoke_run(rt, &job, NULL));
            }
    assert_null(yk_array_of(arrays[0], "a test")->replicas[1]->buffer); /* it was evicted */
    assert_non_null(yk_array_of(arrays[1], "a test")->replicas[1]->buffer);
    for (a = 0; a < 2; a++) {
        for (n = 0; n < 2; n++)
            OK(yoke_array_close(panels[a][n]));
        OK(yoke_array_close(arrays[a]));
        for (i = 0; i < ROWS * WIDTH; i++) {
            const int column = i % WIDTH;
            const uint32_t right = (1 + 3 + 9) * 3 * (uint32_t)(i / WIDTH + 7 * column + 1);
            assert_int_equal(m[a][i], column >= 1 && column < 60 ? right : 0);
        }
    }
    OK(yoke_close(rt));
}

/* Data that only the lost device had are lost, in its panel alone; the array reports it, even after
 * the panel was closed. */
static void lost_columns(void **state)
{
    static uint32_t m[ROWS * WIDTH];
    yoke_runtime *rt = open_runtime("sim:cpu,sim:gpu:fail=10");
    const tile_t tile = { .width = WIDTH, .first = 10, .last = 20 };
    yoke_array *array = open_array(rt, m, ROWS, WIDTH), *panel, *other;
    const uint32_t by = 1;
    int i;
    (void)state;
    memset(m, 0, sizeof m);
    OK(yoke_array_panel(array, 10, 10, &panel));
    OK(yoke_array_panel(array, 0, 4, &other));
    yoke_job job = columns_job(panel, &tile, &by);
    job.partitioner = "static:shares=0/1";
    OK(yoke_run(rt, &job, NULL));
    yk_lock(&yk_sim.mutex);
    yk_sim_move_to(11000000000);
    yk_unlock(&yk_sim.mutex);
    assert_int_equal(yoke_array_acquire(panel, YOKE_READ), YOKE_ELOST);
    assert_non_null(strstr(yoke_error_text(), "m[columns 10 to 19]"));
    OK(yoke_array_acquire(other, YOKE_READ));
    assert_int_equal(yoke_array_close(panel), YOKE_ELOST);
    assert_int_equal(yoke_array_close(other), YOKE_ELOST); /* the array's panels end with it */
    assert_int_equal(yoke_array_acquire(array, YOKE_READ), YOKE_ELOST);
    OK(yoke_array_acquire(array, YOKE_WRITE));
    for (i = 0; i < ROWS * WIDTH; i++)
        m[i] = (uint32_t)i;
    OK(yoke_array_release(array));
    OK(yoke_array_panel(array, 15, 10, &panel)); /* overlaps the remains of the others */
    OK(yoke_array_close(panel));
    assert_null(yk_array_of(array, "a test")->panels);
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
    assert_int_equal(m[77], 77);
}

/* A device fails at any time: the results are correct, or reported lost. */
static void failing_devices(void **state)
{
    static const struct tile {
        int first, last;
    } tiles[] = { { 0, 30 }, { 30, 31 }, { 31, 70 } };
    static uint32_t m[ROWS * WIDTH];
    int after, lost = 0, right = 0;
    (void)state;
    for (after = 1; after < 60; after++) {
        char devices[96];
        yoke_runtime *rt;
        yoke_array *array, *panels[3];
        yoke_status status = YOKE_OK;
        int n, round;
        snprintf(devices, sizeof devices,
                 "sim:cpu:rate=3e6,sim:gpu:rate=2e7:fail_after=%d:staging=yes", after);
        memset(m, 0, sizeof m);
        rt = open_runtime(devices);
        array = open_array(rt, m, ROWS, WIDTH);
        for (n = 0; n < 3; n++)
            OK(yoke_array_panel(array, tiles[n].first, tiles[n].last - tiles[n].first, &panels[n]));
        for (round = 0; round < 2 && status == YOKE_OK; round++)
            for (n = 0; n < 3 && status == YOKE_OK; n++) {
                const tile_t tile = { .width = WIDTH,
                                      .first = tiles[n].first,
                                      .last = tiles[n].last };
                const uint32_t by = 2;
                yoke_job job = columns_job(panels[n], &tile, &by);
                job.partitioner = "dynamic:chunk=20";
                status = yoke_run(rt, &job, NULL);
            }
        if (status == YOKE_OK)
            status = yoke_array_acquire(array, YOKE_READ);
        for (n = 0; status == YOKE_OK && n < ROWS * WIDTH; n++)
            assert_int_equal(m[n], (1 + 3) * 2 * (n / WIDTH + 7 * (n % WIDTH) + 1));
        assert_true(status == YOKE_OK || status == YOKE_ELOST);
        lost += status == YOKE_ELOST;
        right += status == YOKE_OK;
        for (n = 0; n < 3; n++)
            yoke_array_close(panels[n]);
        yoke_array_close(array);
        OK(yoke_close(rt));
    }
    print_message("right %d times, lost %d times\n", right, lost);
    assert_true(right > 10 && lost > 0);
}

/* The rows were never written: nothing is copied in order to write them. */
static void memory_of_its_own(void **state)
{
    yoke_runtime *rt = open_runtime("sim:gpu");
    yoke_array *array = open_array(rt, NULL, ROWS, WIDTH), *left, *right;
    const tile_t tiles[2] = { { .width = WIDTH, .last = 30 },
                              { .width = WIDTH, .first = 30, .last = WIDTH } };
    const uint32_t by = 1;
    uint32_t *m;
    (void)state;
    OK(yoke_array_panel(array, 0, 30, &left));
    yoke_job job = columns_job(left, &tiles[0], &by);
    OK(yoke_run(rt, &job, NULL));
    assert_int_equal(yoke_array_traffic(array).to_devices, 0);
    OK(yoke_array_panel(array, 30, WIDTH - 30, &right));
    job = columns_job(right, &tiles[1], &by);
    OK(yoke_run(rt, &job, NULL));
    assert_int_equal(yoke_array_traffic(array).to_devices, 0);
    OK(yoke_array_acquire(array, YOKE_WRITE));
    m = yoke_array_host(array);
    memset(m, 0, (size_t)ROWS * WIDTH * 4);
    OK(yoke_array_release(array));
    job = columns_job(left, &tiles[0], &by);
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_close(left));
    OK(yoke_array_close(right));
    OK(yoke_array_acquire(array, YOKE_READ));
    assert_int_equal(m[2 * WIDTH + 3], 2 + 21 + 1);
    assert_int_equal(m[2 * WIDTH + 33], 0);
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
}

/* What the program wrote before it opened a second panel is in the second panel, too. */
static void written_before_the_second_panel(void **state)
{
    yoke_runtime *rt = open_runtime("sim:gpu");
    yoke_array *array = open_array(rt, NULL, ROWS, WIDTH), *left, *right;
    const tile_t tile = { .width = WIDTH, .first = 30, .last = WIDTH };
    const uint32_t by = 1;
    uint32_t *m;
    (void)state;
    OK(yoke_array_acquire(array, YOKE_WRITE));
    m = yoke_array_host(array);
    for (int n = 0; n < ROWS * WIDTH; n++)
        m[n] = 5;
    OK(yoke_array_release(array));
    OK(yoke_array_panel(array, 0, 30, &left));
    OK(yoke_array_panel(array, 30, WIDTH - 30, &right));
    yoke_job job = columns_job(right, &tile, &by);
    OK(yoke_run(rt, &job, NULL));
    assert_true(yoke_array_traffic(array).to_devices > 0);
    OK(yoke_array_close(right));
    OK(yoke_array_panel(array, 30, WIDTH - 30, &right));
    job = columns_job(right, &tile, &by);
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_acquire(array, YOKE_READ));
    assert_int_equal(m[2 * WIDTH + 3], 5);
    assert_int_equal(m[2 * WIDTH + 33], 3 * (3 * 5 + 2 + 7 * 33 + 1) + 2 + 7 * 33 + 1);
    OK(yoke_array_release(array));
    OK(yoke_array_close(left));
    OK(yoke_array_close(right));
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads),
        cmocka_unit_test(panels_do_not_wait_for_each_other),
        cmocka_unit_test(only_its_columns_are_moved),
        cmocka_unit_test(eviction_takes_all_panels),
        cmocka_unit_test(lost_columns),
        cmocka_unit_test(failing_devices),
        cmocka_unit_test(memory_of_its_own),
        cmocka_unit_test(written_before_the_second_panel),
    };
    return cmocka_run_group_tests(tests, make_small, none_left);
}
