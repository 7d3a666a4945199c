/* test_faults.c - whatever fails, in turn: every allocation, every backend call, devices in the
 * middle of a job.
 *
 * Nothing hangs, nothing leaks, and a job that says it went well has the right result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "backend/backend.h"
#include "base/alloc.h"
#include "job_kernels.h"
#include "runtime/runtime.h"

enum { N = 600, BINS = 5, STEPS = 3 };

/* What a small program does: a job in place, time steps with halos, a histogram. */
struct scene {
    float x[N], y[N], u[N];
    int32_t keys[N];
    uint32_t h[BINS];
    float w[BINS];
    yoke_array *ax, *ay, *au, *av, *akeys, *ah, *aw;
};

static void fill(struct scene *s)
{
    int i;
    memset(s, 0, sizeof *s);
    for (i = 0; i < N; i++) {
        s->x[i] = (float)i;
        s->y[i] = s->u[i] = 1;
        s->keys[i] = i;
    }
}

static yoke_status open_arrays(struct scene *s, yoke_runtime *rt)
{
    yoke_status status = yoke_array_wrap(rt, s->x, N, 4, &s->ax);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->y, N, 4, &s->ay);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->u, N, 4, &s->au);
    if (status == YOKE_OK)
        status = yoke_array_open(rt, &(yoke_array_spec){ .rows = N, .element_size = 4 }, &s->av);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->keys, N, 4, &s->akeys);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->h, BINS, 4, &s->ah);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->w, BINS, 4, &s->aw);
    return status;
}

static yoke_status run_jobs(struct scene *s, yoke_runtime *rt)
{
    const float a = 2;
    const bounds_t b = { 0, N, 1 };
    const int32_t bins = BINS;
    yoke_job saxpy = { .kernel = &k_saxpy,
                       .range = { 0, N },
                       .partitioner = "dynamic:chunk=64",
                       .args = { yoke_value(a), yoke_in(s->ax), yoke_inout(s->ay) } };
    yoke_job count = { .kernel = &k_histogram,
                       .range = { 0, N },
                       .partitioner = "dynamic:chunk=50",
                       .args = { yoke_value(bins), yoke_in(s->akeys), yoke_add_to(s->ah),
                                 yoke_add_to(s->aw) } };
    yoke_status status = yoke_run(rt, &saxpy, NULL);
    int step;
    for (step = 0; step < 2 * STEPS && status == YOKE_OK; step++) {
        yoke_job blur = { .kernel = &k_blur,
                          .range = { 0, N },
                          .args = { yoke_value(b), yoke_in_halo(step % 2 ? s->av : s->au, 1, 1),
                                    yoke_out(step % 2 ? s->au : s->av) } };
        status = yoke_run(rt, &blur, NULL);
    }
    if (status == YOKE_OK)
        status = yoke_run(rt, &count, NULL);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->ay, YOKE_READ);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->au, YOKE_READ);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->ah, YOKE_READ);
    return status;
}

static void check(const struct scene *s)
{
    float u[N], v[N];
    int i, step;
    for (i = 0; i < N; i++) {
        u[i] = 1;
        if (s->y[i] != 1 + 2 * (float)i)
            fail_msg("y[%d] = %g", i, s->y[i]);
    }
    for (step = 0; step < 2 * STEPS; step++) {
        for (i = 0; i < N; i++)
            v[i] = (i ? u[i - 1] : 0) + u[i] + (i < N - 1 ? u[i + 1] : 0);
        memcpy(u, v, sizeof u);
    }
    assert_memory_equal(u, s->u, sizeof u);
    for (i = 0; i < BINS; i++)
        assert_int_equal(s->h[i], N / BINS);
}

/* The whole program; YOKE_OK only with a right result. Everything is closed whatever happened. */
static yoke_status program(const char *devices)
{
    static struct scene s;
    yoke_runtime *rt = NULL;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt), closing;
    if (status != YOKE_OK)
        return status;
    fill(&s);
    status = open_arrays(&s, rt);
    if (status == YOKE_OK)
        status = run_jobs(&s, rt);
    if (status == YOKE_OK)
        check(&s);
    closing = yoke_array_close(s.ax);
    yoke_array_close(s.ay);
    yoke_array_close(s.au);
    yoke_array_close(s.av);
    yoke_array_close(s.akeys);
    yoke_array_close(s.ah);
    yoke_array_close(s.aw);
    assert_int_equal(yoke_close(rt), YOKE_OK);
    (void)closing;
    return status;
}

static const char *const machines[] = { "cpu", "sim:gpu:mem=6K", "sim:cpu:cores=2,sim:gpu*2",
                                        "sim:cpu:cores=2,sim:gpu:pages=256" };
enum { MACHINES = sizeof machines / sizeof *machines };

static void every_allocation(void **state)
{
    int m;
    (void)state;
    for (m = 0; m < MACHINES; m++) {
        int64_t nth, before;
        assert_int_equal(program(machines[m]), YOKE_OK);
        before = yk_alloc_outstanding();
        for (nth = 1;; nth++) {
            yoke_status status;
            alarm(60);
            yk_alloc_fail_at(nth);
            status = program(machines[m]);
            if (!yk_alloc_failed())
                break;
            yk_alloc_fail_at(0);
            if (yk_alloc_outstanding() != before)
                fail_msg("%s: allocation %d fails: %d blocks are left", machines[m], (int)nth,
                         (int)(yk_alloc_outstanding() - before));
            assert_true(status == YOKE_OK || status == YOKE_ENOMEM || status == YOKE_EDEVICE);
        }
        yk_alloc_fail_at(0);
        print_message("%s: %d allocations failed in turn\n", machines[m], (int)nth - 1);
        assert_true(nth > 20);
    }
}

static void every_call(const char *devices, yoke_status kind, int cpus_fail)
{
    int64_t nth, before, went_well = 0;
    yk_check_devices = 1;
    assert_int_equal(program(devices), YOKE_OK);
    before = yk_alloc_outstanding();
    for (nth = 1;; nth++) {
        yoke_status status;
        alarm(60);
        yk_backend_fail_at(nth, kind);
        status = program(devices);
        if (!yk_backend_failed())
            break;
        yk_backend_fail_at(0, YOKE_OK);
        if (yk_alloc_outstanding() != before)
            fail_msg("%s: call %d fails: %d blocks are left", devices, (int)nth,
                     (int)(yk_alloc_outstanding() - before));
        went_well += status == YOKE_OK;
        if (status != YOKE_OK && status != YOKE_ENOMEM && status != YOKE_EDEVICE &&
            status != YOKE_ELOST)
            fail_msg("%s: call %d fails: %s: %s", devices, (int)nth, yoke_status_text(status),
                     yoke_error_text());
    }
    yk_backend_fail_at(0, YOKE_OK);
    print_message("%s: %d calls failed in turn, %d times the others made it good\n", devices,
                  (int)nth - 1, (int)went_well);
    assert_true(nth > 50);
    assert_true(cpus_fail || went_well > nth / 12); /* most deaths take rows of time steps along */
}

static void every_backend_call(void **state)
{
    (void)state;
    every_call("sim:cpu:cores=2,sim:gpu*2", YOKE_EDEVICE, 0);
    every_call("sim:gpu*2", YOKE_EDEVICE, 0);
    every_call("sim:cpu:cores=2,sim:gpu*2", YOKE_ENOMEM, 0);
    every_call("sim:gpu:mem=6K", YOKE_ENOMEM, 1);
    every_call("sim:cpu:cores=2,sim:gpu*2:pages=256", YOKE_EDEVICE, 0);
    every_call("sim:cpu:cores=2,sim:gpu*2:mem=8K:taken=1K:pages=256", YOKE_ENOMEM, 0);
}

/* A device dies at ever later moments; the other does its share, and nothing it held alone was
 * needed. */
static void devices_that_die(void **state)
{
    int after, made_good = 0;
    (void)state;
    for (after = 1; after < 60; after++) {
        char devices[96];
        yoke_status status;
        alarm(60);
        snprintf(devices, sizeof devices, "sim:cpu:cores=2,sim:gpu:fail_after=%d", after);
        status = program(devices);
        if (status != YOKE_OK && status != YOKE_ELOST && status != YOKE_EDEVICE)
            fail_msg("%s: %s: %s", devices, yoke_status_text(status), yoke_error_text());
        made_good += status == YOKE_OK;
    }
    print_message("%d of 59 deaths made good\n", made_good);
    assert_true(made_good > 30);
}

/* One job from host data to host data must survive any death of the other device. */
static void one_job_survives(void **state)
{
    int after;
    (void)state;
    for (after = 1; after < 40; after++) {
        static float xs[N], ys[N];
        char devices[96];
        const float a = 2;
        yoke_runtime *rt;
        yoke_array *x, *y;
        yoke_status status;
        int i;
        for (i = 0; i < N; i++) {
            xs[i] = (float)i;
            ys[i] = 1;
        }
        snprintf(devices, sizeof devices, "sim:cpu:cores=2,sim:gpu:fail_after=%d", after);
        status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
        if (status != YOKE_OK) {
            assert_int_equal(status, YOKE_EDEVICE);
            continue;
        }
        assert_int_equal(yoke_array_wrap(rt, xs, N, 4, &x), YOKE_OK);
        assert_int_equal(yoke_array_wrap(rt, ys, N, 4, &y), YOKE_OK);
        yoke_job job = { .kernel = &k_saxpy,
                         .range = { 0, N },
                         .partitioner = "dynamic:chunk=20",
                         .args = { yoke_value(a), yoke_in(x), yoke_inout(y) } };
        status = yoke_run(rt, &job, NULL);
        if (status == YOKE_OK)
            status = yoke_array_acquire(y, YOKE_READ);
        if (status == YOKE_OK)
            for (i = 0; i < N; i++)
                assert_true(ys[i] == 1 + 2 * (float)i);
        else
            assert_int_equal(status, YOKE_ELOST); /* it died with finished rows of an inout array */
        yoke_array_close(x);
        yoke_array_close(y);
        assert_int_equal(yoke_close(rt), YOKE_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
        cmocka_unit_test(every_backend_call),
        cmocka_unit_test(devices_that_die),
        cmocka_unit_test(one_job_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
