/* test_plan_load.c - load that comes and goes on one of two equal GPUs that keep their rows: within
 * five jobs the other one has more of them, and within five jobs both have halves again. For load
 * that is gone after two jobs no row moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job_kernels.h"
#include "ok.h"

/* A job takes 52 us, 102 us under load, and 69 us when two thirds are the other GPU's. */
enum { ITEMS = 200000, JOBS = 400, SOON = 5 };
#define GPU "sim:gpu:rate=2e9:fixed=2us:fill=1000:peer=50e9"

struct past {        /* what one job did */
    double share;    /* of the GPU with the load */
    double end_ns;   /* on the virtual clock, which only jobs move */
    int64_t between; /* bytes from one GPU to the other */
};

static float x[ITEMS], y[ITEMS];
static struct past past[JOBS];

static void note(const yoke_result *result, int job)
{
    past[job].share = result->devices[1].share;
    past[job].between = result->traffic.between_devices;
    if (past[job].between > 0)
        assert_null(strstr(result->devices[1].reason, "its rows stay"));
    past[job].end_ns = (job ? past[job - 1].end_ns : 0) + 1e9 * result->seconds;
}

static void run_under(const char *devices)
{
    const float a = 1;
    yoke_runtime *runtime;
    yoke_array *xs, *ys;
    OK(yoke_open(&(yoke_config){ .devices = devices, .knowledge = "off" }, &runtime));
    OK(yoke_array_wrap(runtime, x, ITEMS, sizeof *x, &xs));
    OK(yoke_array_wrap(runtime, y, ITEMS, sizeof *y, &ys));
    const yoke_job job = { .kernel = &k_saxpy,
                           .range = { 0, ITEMS },
                           .partitioner = "auto",
                           .args = { yoke_value(a), yoke_in(xs), yoke_inout(ys) } };
    for (int j = 0; j < JOBS; j++) {
        yoke_result *result;
        OK(yoke_run(runtime, &job, &result));
        note(result, j);
        yoke_result_close(result);
    }
    OK(yoke_array_close(xs));
    OK(yoke_array_close(ys));
    OK(yoke_close(runtime));
}

/* The first job that ends after the time. */
static int job_at(double ns)
{
    int j = 0;
    while (j < JOBS - 1 && past[j].end_ns <= ns)
        j++;
    return j;
}

static void comes_and_goes(void **state)
{
    (void)state;
    run_under(GPU "," GPU ":load=8ms-16ms*2");
    const int comes = job_at(8e6), goes = job_at(16e6);
    assert_in_range(comes, 50, goes - 50);
    assert_true(past[comes - 1].share > 0.48);
    assert_true(past[comes + SOON].share < 0.37);
    assert_true(past[goes - 1].share < 0.37);
    assert_true(past[goes + SOON].share > 0.48);
    assert_true(past[JOBS - 1].share > 0.48);
}

static void is_gone_at_once(void **state)
{
    (void)state;
    run_under(GPU "," GPU ":load=8ms-8.11ms*2");
    for (int j = job_at(4e6); j < JOBS; j++)
        assert_int_equal(past[j].between, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_and_goes),
        cmocka_unit_test(is_gone_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
