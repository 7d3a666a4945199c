/* test_plan_stays.c - jobs of `auto` on data that stay on devices: no rows move any
 * more, the end is as early as with the best fixed split, a lost device or arrays opened and closed
 * between jobs do no harm, and rows that the host rewrites are correct. On simulated machines, with
 * noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "array/array.h"
#include "job/runtime.h"
#include "job_kernels.h"
#include "life/decomposition.h"
#include "ok.h"

enum { ITEMS = 200000, JOBS = 60 };
#define GPUS  "sim:gpu*2:rate=4e9:fixed=2us:fill=1000:noise=0.08:seed=7"
#define CORES ",sim:cpu:cores=4:rate=5e7:noise=0.08:seed=9"

struct run {
    const char *devices, *partitioner;
    int rewrites;   /* the host writes x before each job */
    double late_ns; /* mean time per job of the second half */
    int64_t late_bytes;
};

static float x[ITEMS], y[ITEMS];

static void open_both(yoke_runtime *rt, yoke_array **xs, yoke_array **ys)
{
    OK(yoke_array_wrap(rt, x, ITEMS, sizeof *x, xs));
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, ys));
}

static int64_t bytes_of(const yoke_result *result)
{
    return result->traffic.to_devices + result->traffic.from_devices +
           result->traffic.between_devices;
}

static yoke_status add(yoke_runtime *rt, const char *partitioner, yoke_array *xs, yoke_array *ys,
                       yoke_result **result)
{
    const float a = 1;
    const yoke_job job = { .kernel = &k_saxpy,
                           .range = { 0, ITEMS },
                           .partitioner = partitioner,
                           .args = { yoke_value(a), yoke_in(xs), yoke_inout(ys) } };
    return yoke_run(rt, &job, result);
}

static void write_x(yoke_array *xs, float to)
{
    OK(yoke_array_acquire(xs, YOKE_WRITE));
    for (int i = 0; i < ITEMS; i++)
        x[i] = to;
    OK(yoke_array_release(xs));
}

static void check_y(yoke_array *ys, float sum)
{
    OK(yoke_array_acquire(ys, YOKE_READ));
    for (int i = 0; i < ITEMS; i++)
        if (y[i] != sum)
            fail_msg("y[%d] is %g, not %g", i, (double)y[i], (double)sum);
    OK(yoke_array_release(ys));
}

static void run_jobs(struct run *run)
{
    yoke_runtime *rt;
    yoke_array *xs, *ys;
    float sum = 0;
    int j;
    OK(yoke_open(&(yoke_config){ .devices = run->devices, .knowledge = "off" }, &rt));
    memset(y, 0, sizeof y);
    for (int i = 0; i < ITEMS; i++)
        x[i] = 1;
    open_both(rt, &xs, &ys);
    for (j = 0; j < JOBS; j++) {
        yoke_result *result;
        if (run->rewrites)
            write_x(xs, (float)(j % 3));
        sum += run->rewrites ? (float)(j % 3) : 1;
        OK(add(rt, run->partitioner, xs, ys, &result));
        if (j >= JOBS / 2) {
            run->late_ns += 1e9 * result->seconds / (JOBS - JOBS / 2.0);
            run->late_bytes += bytes_of(result);
        }
        yoke_result_close(result);
    }
    check_y(ys, sum);
    yoke_array_close(xs);
    yoke_array_close(ys);
    OK(yoke_close(rt));
}

static void equal_devices_keep_halves(void **state)
{
    struct run even = { GPUS, "even", 0, 0, 0 }, plan = { GPUS, "auto", 0, 0, 0 };
    (void)state;
    run_jobs(&even);
    run_jobs(&plan);
    assert_true(plan.late_ns < 1.05 * even.late_ns);
    assert_true(plan.late_bytes < ITEMS * 4 / 10); /* a tenth of one array, in all */
}

static void cores_have_their_part(void **state)
{
    struct run fixed = { GPUS CORES, "static:shares=48.8/48.8/2.4,chunks=1", 0, 0, 0 };
    struct run plan = { GPUS CORES, "auto", 0, 0, 0 };
    (void)state;
    run_jobs(&fixed);
    run_jobs(&plan);
    assert_true(plan.late_ns < 1.1 * fixed.late_ns);
}

/* A GPU for which the kernel does not build changes nothing for the others. */
static void a_device_cannot_run_the_kernel(void **state)
{
    struct run able = { GPUS CORES, "auto", 0, 0, 0 };
    struct run plan = { GPUS CORES ",sim:gpu:rate=9e9:build=fails", "auto", 0, 0, 0 };
    (void)state;
    run_jobs(&able);
    run_jobs(&plan);
    assert_true(plan.late_ns < 1.02 * able.late_ns);
    assert_true(plan.late_bytes < ITEMS * 4 / 10);
}

/* Jobs on arrays of their own, two at a time in each step: each keeps its rows, too. */
static void jobs_side_by_side_keep_rows(void **state)
{
    static float more[2][ITEMS];
    yoke_runtime *rt;
    yoke_array *xs[2], *ys[2];
    int64_t late_bytes = 0;
    int j, k;
    (void)state;
    OK(yoke_open(&(yoke_config){ .devices = GPUS CORES, .knowledge = "off" }, &rt));
    memset(y, 0, sizeof y);
    memset(more[1], 0, sizeof more[1]);
    open_both(rt, &xs[0], &ys[0]);
    OK(yoke_array_wrap(rt, more[0], ITEMS, sizeof *x, &xs[1]));
    OK(yoke_array_wrap(rt, more[1], ITEMS, sizeof *x, &ys[1]));
    write_x(xs[0], 1);
    for (j = 0; j < JOBS; j++) {
        yoke_ticket *tickets[2];
        for (k = 0; k < 2; k++)
            OK(yoke_submit(rt,
                           &(yoke_job){ .kernel = &k_saxpy,
                                        .range = { 0, ITEMS },
                                        .partitioner = "auto",
                                        .args = { yoke_value((float){ 1 }), yoke_in(xs[k]),
                                                  yoke_inout(ys[k]) } },
                           &tickets[k]));
        for (k = 0; k < 2; k++) {
            yoke_result *result;
            OK(yoke_wait(tickets[k], &result));
            late_bytes += j >= JOBS / 2 ? bytes_of(result) : 0;
            yoke_result_close(result);
        }
    }
    check_y(ys[0], JOBS);
    assert_true(late_bytes < ITEMS * 4 / 10);
    for (k = 0; k < 2; k++) {
        yoke_array_close(xs[k]);
        yoke_array_close(ys[k]);
    }
    OK(yoke_close(rt));
}

static yoke_rows same_rows(const void *context, yoke_rows items)
{
    (void)context;
    return items;
}

/* Two kernels on the rows of y: one of them has no other array with as many rows, but one with a
 * row more, as bounds of lists have. Both are cut at the same places, so that no row moves. */
static void a_row_more_changes_no_cut(void **state)
{
    enum { LATE = 2 * JOBS / 3 };
    static float more[ITEMS + 1];
    const float a = 1;
    yoke_array *xs, *ys, *mores;
    yoke_runtime *rt;
    int64_t late_bytes = 0;
    (void)state;
    OK(yoke_open(&(yoke_config){ .devices = "sim:gpua:rate=4e9:fixed=2us:peer=1e11,"
                                            "sim:gpub:rate=3e9:fixed=2us:peer=1e11",
                                 .knowledge = "off" },
                 &rt));
    memset(y, 0, sizeof y);
    open_both(rt, &xs, &ys);
    OK(yoke_array_wrap(rt, more, ITEMS + 1, sizeof *more, &mores));
    write_x(xs, 1);
    for (int j = 0; j < JOBS; j++) {
        yoke_result *result;
        const yoke_job other = { .kernel = &k_saxpy,
                                 .range = { 0, ITEMS },
                                 .args = { yoke_value(a), yoke_in_halo(mores, 0, 1),
                                           (yoke_arg){ .mode = YOKE_PARAM_INOUT,
                                                       .array = ys,
                                                       .shape = YOKE_CUSTOM,
                                                       .rows = same_rows } } };
        OK(add(rt, "auto", xs, ys, &result));
        late_bytes += j >= LATE ? bytes_of(result) : 0;
        yoke_result_close(result);
        OK(yoke_run(rt, &other, &result));
        late_bytes += j >= LATE ? bytes_of(result) : 0;
        assert_true(result->devices[0].share > 0.1 && result->devices[1].share > 0.1);
        yoke_result_close(result);
    }
    check_y(ys, JOBS);
    assert_int_equal(late_bytes, 0);
    yoke_array_close(xs);
    yoke_array_close(ys);
    yoke_array_close(mores);
    OK(yoke_close(rt));
}

/* Mean time of a sweep of jobs over one block of the rows after the other, in the second half. */
static double sweep_ns(const char *partitioner, int64_t *late_bytes)
{
    enum { BLOCKS = 10, SWEEPS = 40 };
    yoke_runtime *rt;
    yoke_array *xs, *ys;
    double late_ns = 0;
    int j;
    OK(yoke_open(&(yoke_config){ .devices = GPUS, .knowledge = "off" }, &rt));
    memset(y, 0, sizeof y);
    open_both(rt, &xs, &ys);
    write_x(xs, 1);
    *late_bytes = 0;
    for (j = 0; j < SWEEPS * BLOCKS; j++) {
        const int64_t block = ITEMS / BLOCKS, first = j % BLOCKS * block;
        const yoke_job job = { .kernel = &k_saxpy,
                               .range = { first, first + block },
                               .partitioner = partitioner,
                               .args = { yoke_value((float){ 1 }), yoke_in(xs), yoke_inout(ys) } };
        yoke_result *result;
        OK(yoke_run(rt, &job, &result));
        if (j >= SWEEPS * BLOCKS / 2) {
            late_ns += 1e9 * result->seconds / (SWEEPS / 2.0);
            *late_bytes += bytes_of(result);
        }
        yoke_result_close(result);
    }
    check_y(ys, SWEEPS);
    yoke_array_close(xs);
    yoke_array_close(ys);
    OK(yoke_close(rt));
    return late_ns;
}

/* Each block is divided, instead of the rows of all of them. */
static void blocks_are_divided(void **state)
{
    int64_t even_bytes, auto_bytes;
    const double even = sweep_ns("even", &even_bytes);
    (void)state;
    assert_true(sweep_ns("auto", &auto_bytes) < 1.1 * even);
    assert_true(auto_bytes < ITEMS * 4 / 10);
}

/* Plans that leave the cuts as they are do not begin anew to measure how long kernels wait for rows
 * of other devices. */
static void the_same_cuts_are_timed_once(void **state)
{
    yoke_runtime *rt;
    yoke_array *xs, *ys;
    uint64_t since = 0, planned = 0;
    int timed = 0, renewed = 0;
    (void)state;
    OK(yoke_open(&(yoke_config){ .devices = GPUS, .knowledge = "off" }, &rt));
    open_both(rt, &xs, &ys);
    write_x(xs, 1);
    for (int j = 0; j < JOBS; j++) {
        OK(add(rt, "auto", xs, ys, NULL));
        const struct yk_decomposition *decomposition = rt->arrays->decomposition;
        const struct yk_member *member = &decomposition->members[decomposition->leads];
        if (decomposition->division.since == since && decomposition->planning.at != planned) {
            renewed++;
            assert_true(member->timed >= timed);
        }
        since = decomposition->division.since;
        planned = decomposition->planning.at;
        timed = member->timed;
    }
    assert_true(renewed > 1 && timed > 1);
    yoke_array_close(xs);
    yoke_array_close(ys);
    OK(yoke_close(rt));
}

/* Then `alone` is faster, and `auto` does as it does. */
static void rows_that_are_rewritten(void **state)
{
    struct run free = { GPUS CORES, "alone", 1, 0, 0 }, plan = { GPUS CORES, "auto", 1, 0, 0 };
    (void)state;
    run_jobs(&free);
    run_jobs(&plan);
    assert_true(plan.late_ns < 1.3 * free.late_ns);
}

/* Data that only it had are lost, and reported; from then on the other device does everything
 * correctly. */
static void a_device_is_lost(void **state)
{
    yoke_runtime *rt;
    yoke_array *xs, *ys;
    int j, lost = 0;
    (void)state;
    OK(yoke_open(&(yoke_config){ .devices = "sim:gpu:rate=4e9,sim:gpu:rate=4e9:fail_after=60",
                                 .knowledge = "off",
                                 .partitioner = "auto" },
                 &rt));
    open_both(rt, &xs, &ys);
    write_x(xs, 1);
    for (j = 0; j < JOBS; j++) {
        const yoke_status status = add(rt, NULL, xs, ys, NULL);
        if (status == YOKE_OK)
            continue;
        assert_int_equal(status, YOKE_ELOST);
        lost++;
        OK(yoke_array_acquire(ys, YOKE_WRITE));
        memset(y, 0, sizeof y);
        OK(yoke_array_release(ys));
        write_x(xs, 1);
    }
    assert_true(lost <= 2);
    OK(yoke_array_acquire(ys, YOKE_WRITE));
    memset(y, 0, sizeof y);
    OK(yoke_array_release(ys));
    for (j = 0; j < 5; j++)
        OK(add(rt, NULL, xs, ys, NULL));
    check_y(ys, 5);
    yoke_array_close(xs);
    yoke_array_close(ys);
    OK(yoke_close(rt));
}

/* Ranges are parts of arrays, arrays are closed between jobs, two decompositions become one. */
static void arrays_come_and_go(void **state)
{
    const float a = 1;
    yoke_runtime *rt;
    yoke_array *xs, *ys, *other;
    int j;
    (void)state;
    OK(yoke_open(&(yoke_config){ .devices = GPUS CORES, .knowledge = "off", .partitioner = "auto" },
                 &rt));
    memset(y, 0, sizeof y);
    for (j = 0; j < JOBS; j++) {
        const int64_t middle = ITEMS / 3 + 7 * j;
        yoke_job job = { .kernel = &k_saxpy, .range = { 0, middle } };
        OK(yoke_array_wrap(rt, x, ITEMS, sizeof *x, &xs));
        if (j == 0) {
            write_x(xs, 1);
            OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &ys));
        }
        job.args[0] = (yoke_arg)yoke_value(a);
        job.args[1] = (yoke_arg)yoke_in(xs);
        job.args[2] = (yoke_arg)yoke_inout(ys);
        OK(yoke_run(rt, &job, NULL));
        job.range.first = middle;
        job.range.last = ITEMS;
        OK(yoke_run(rt, &job, NULL));
        OK(yoke_array_open(rt, &(yoke_array_spec){ .rows = ITEMS, .element_size = 4 }, &other));
        write_x(xs, 1);
        yoke_array_close(other);
        yoke_array_close(xs);
    }
    check_y(ys, JOBS);
    yoke_array_close(ys);
    OK(yoke_close(rt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_devices_keep_halves),
        cmocka_unit_test(cores_have_their_part),
        cmocka_unit_test(a_device_cannot_run_the_kernel),
        cmocka_unit_test(a_row_more_changes_no_cut),
        cmocka_unit_test(jobs_side_by_side_keep_rows),
        cmocka_unit_test(blocks_are_divided),
        cmocka_unit_test(the_same_cuts_are_timed_once),
        cmocka_unit_test(rows_that_are_rewritten),
        cmocka_unit_test(a_device_is_lost),
        cmocka_unit_test(arrays_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
