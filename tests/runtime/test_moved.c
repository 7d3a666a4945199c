/* test_moved.c - a device that is fast with rows it has, but slow to get them: if rows stay, it
 * does later jobs; if the host rewrites them each time, the cores do. On a simulated machine, so
 * the figures are always the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job_kernels.h"
#include "ok.h"

enum { ITEMS = 40000, JOBS = 16, CORES = 0, GPU = 1 };
/* The cores do 4 items per us; the GPU does 1,000, but 12 bytes take it 4 us to get. */
static const char machine[] = "sim:cpu:cores=4:rate=1e6,sim:gpu:rate=1e9:link=3e6:fixed=8us";

static float x[ITEMS], y[ITEMS];

enum rows { STAY, REWRITTEN };

static int64_t items_of_gpu(yoke_runtime *rt, yoke_array *xs, yoke_array *ys)
{
    const float a = 1;
    const yoke_job job = { .kernel = &k_saxpy,
                           .range = { 0, ITEMS },
                           .args = { yoke_value(a), yoke_in(xs), yoke_inout(ys) } };
    yoke_result *result;
    int64_t items;
    OK(yoke_run(rt, &job, &result));
    items = result->devices[GPU].items;
    yoke_result_close(result);
    return items;
}

/* Number of items that the GPU did in the last of many jobs. */
static int64_t after_many(enum rows rows)
{
    yoke_runtime *rt;
    yoke_array *xs, *ys;
    int64_t items = -1;
    int j;
    OK(yoke_open(&(yoke_config){ .devices = machine, .knowledge = "off" }, &rt));
    memset(y, 0, sizeof y);
    OK(yoke_array_wrap(rt, x, ITEMS, sizeof *x, &xs));
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &ys));
    for (j = 0; j < JOBS; j++) {
        if (rows == REWRITTEN) {
            OK(yoke_array_acquire(xs, YOKE_WRITE));
            OK(yoke_array_acquire(ys, YOKE_READ_WRITE));
            for (int i = 0; i < ITEMS; i++)
                x[i] = (float)j;
            OK(yoke_array_release(xs));
            OK(yoke_array_release(ys));
        }
        items = items_of_gpu(rt, xs, ys);
    }
    OK(yoke_array_close(xs));
    OK(yoke_array_close(ys));
    OK(yoke_close(rt));
    for (int i = 0; i < ITEMS; i++)
        assert_true(y[i] == (rows == REWRITTEN ? (float)(JOBS * (JOBS - 1) / 2) : 0));
    return items;
}

static void rows_that_stay_are_moved_once(void **state)
{
    (void)state;
    memset(x, 0, sizeof x);
    assert_in_range(after_many(STAY), ITEMS * 9 / 10, ITEMS);
}

static void rows_that_are_rewritten_count_each_time(void **state)
{
    (void)state;
    assert_in_range(after_many(REWRITTEN), 0, ITEMS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_stay_are_moved_once),
        cmocka_unit_test(rows_that_are_rewritten_count_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
