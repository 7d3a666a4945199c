/* test_memory.c - host memory that is copied to devices: pinned, staged, refused; and all failures
 * meanwhile. For the choice of memory to pin see test_pinning.c.
 *
 * Simulated GPUs keep a driver's records and are behind the checking wrapper, so these end the
 * test: memory pinned twice, unpinned while in use or never, and copies across parts that were
 * pinned separately. Sizes are small, so that a few pages take every path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/sim/sim.h"
#include "job_kernels.h"
#include "ok.h"
#include "unaligned.h"
#include "walk.h"

static yoke_status count(yoke_runtime *rt, struct unaligned *s, yoke_array *keys)
{
    const int32_t bins = BINS;
    yoke_array *h = NULL, *w = NULL;
    yoke_status status = yoke_array_wrap(rt, s->h, BINS, 4, &h);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->w, BINS, 4, &w);
    yoke_job job = { .kernel = &k_histogram,
                     .range = { 0, N },
                     .args = { yoke_value(bins), yoke_in(keys), yoke_add_to(h), yoke_add_to(w) } };
    if (status == YOKE_OK)
        status = yoke_run(rt, &job, NULL);
    if (status == YOKE_OK)
        status = yoke_array_acquire(h, YOKE_READ);
    yoke_array_close(h);
    yoke_array_close(w);
    return status;
}

enum { ROUNDS = 3 };

static yoke_status work(struct unaligned *s, yoke_runtime *rt)
{
    yoke_array *x = NULL, *y = NULL, *z = NULL, *keys = NULL;
    yoke_status status = yoke_array_wrap(rt, s->x, N, 4, &x), closing;
    int round;
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->y, N, 4, &y);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->z, N, 4, &z);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->keys, N, 4, &keys);
    for (round = 0; round < ROUNDS && status == YOKE_OK; round++) {
        status = unaligned_saxpy(rt, x, y, round % 2);
        if (status == YOKE_OK)
            status = yoke_array_acquire(y, YOKE_READ_WRITE); /* so that it is uploaded again */
        if (status == YOKE_OK)
            status = yoke_array_release(y);
        if (status == YOKE_OK)
            status = unaligned_blur(rt, x, z);
    }
    if (status == YOKE_OK)
        status = count(rt, s, keys);
    if (status == YOKE_OK)
        status = yoke_array_acquire(z, YOKE_READ);
    closing = yoke_array_close(x);
    closing = status == YOKE_OK ? closing : status;
    if (yoke_array_close(y) != YOKE_OK && status == YOKE_OK)
        closing = YOKE_ELOST;
    yoke_array_close(z);
    yoke_array_close(keys);
    return closing;
}

static void check(const struct unaligned *s, const char *where)
{
    int i;
    for (i = 0; i < N; i++) {
        float x = (float)(i % 100), before = i ? (float)((i - 1) % 100) : 0;
        float after = i < N - 1 ? (float)((i + 1) % 100) : 0;
        if (s->y[i] != 1 + 2 * ROUNDS * x || s->z[i] != before + x + after)
            fail_msg("%s: y[%d] = %g, z = %g", where, i, s->y[i], s->z[i]);
    }
    for (i = 0; i < BINS; i++)
        assert_true(s->h[i] == N / BINS || s->h[i] == N / BINS + 1);
}

static yoke_status program(const char *devices)
{
    yoke_runtime *rt = NULL;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
    if (status != YOKE_OK)
        return status;
    unaligned_fill(&unaligned);
    status = work(&unaligned, rt);
    if (status == YOKE_OK)
        check(&unaligned, devices);
    assert_int_equal(yk_sim.pinned_bytes, 0);
    assert_int_equal(yoke_close(rt), YOKE_OK);
    assert_null(yk_sim.devices);
    return status;
}

static const char *const machines[] = {
    "sim:gpu:pin=yes:staging=yes",
    "sim:gpu:pin=yes",
    "sim:gpu:staging=yes",
    "sim:gpu:pin=refused:staging=yes",
    "sim:gpu:pin=yes:staging=refused",
    "sim:gpu:pin=yes:staging=yes:pinnable=16K:lanes=3",
    "sim:cpu:cores=2,sim:gpu*2:pin=yes:staging=yes:pages=4K",
    "sim:gpu:pin=yes:staging=yes:mem=40K",
    "sim:cpu:cores=2:rate=1e6,sim:gpu:staging=yes:mem=24K:pages=512",
};
enum { MACHINES = sizeof machines / sizeof *machines };

static void every_way(void **state)
{
    int m;
    (void)state;
    for (m = 0; m < MACHINES; m++)
        if (program(machines[m]) != YOKE_OK)
            fail_msg("%s: %s", machines[m], yoke_error_text());
}

static void every_allocation(void **state)
{
    static const int tried[] = { 0, 6, 7 };
    size_t m;
    (void)state;
    for (m = 0; m < sizeof tried / sizeof *tried; m++)
        walk_allocations(program, machines[tried[m]],
                         1u << YOKE_OK | 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE | 1u << YOKE_ELOST);
}

static void every_call(const char *devices, yoke_status kind)
{
    int64_t went_well;
    walk_calls(program, devices, kind, &went_well);
    assert_true(went_well > 0);
}

static void every_backend_call(void **state)
{
    (void)state;
    every_call("sim:gpu:pin=yes:staging=yes", YOKE_ENOMEM);
    every_call("sim:cpu:cores=2,sim:gpu:pin=yes:staging=yes:pages=4K", YOKE_ENOMEM);
    every_call("sim:cpu:cores=2,sim:gpu:pin=yes:staging=yes:pages=4K", YOKE_EDEVICE);
    every_call("sim:cpu:cores=2,sim:gpu:staging=yes:mem=40K", YOKE_EDEVICE);
}

/* If the device dies, rows of an inout array that are half home cannot be computed again; rows that
 * wait in staging buffers can. */
static void dying_on_the_way_home(void **state)
{
    static const char *const kinds[] = { "staging=yes", "pin=yes:staging=yes", "latency=10us" };
    int after, made_good = 0;
    size_t k;
    (void)state;
    for (k = 0; k < 3; k++)
        for (after = 1; after < 120; after++) {
            char devices[96];
            yoke_runtime *rt;
            yoke_array *x, *y;
            yoke_status status;
            int i;
            alarm(60);
            snprintf(devices, sizeof devices, "sim:cpu:cores=2,sim:gpu:fail_after=%d:%s", after,
                     kinds[k]);
            rt = open_runtime(devices);
            unaligned_fill(&unaligned);
            OK(yoke_array_wrap(rt, unaligned.x, N, 4, &x));
            OK(yoke_array_wrap(rt, unaligned.y, N, 4, &y));
            status = unaligned_saxpy(rt, x, y, 1);
            if (status == YOKE_OK)
                status = yoke_array_acquire(y, YOKE_READ);
            for (i = 0; i < N && status == YOKE_OK; i++)
                if (unaligned.y[i] != 1 + 2 * (float)(i % 100))
                    fail_msg("%s: y[%d] = %g", devices, i, unaligned.y[i]);
            if (status != YOKE_OK && status != YOKE_ELOST)
                fail_msg("%s: %s", devices, yoke_error_text());
            made_good += status == YOKE_OK;
            yoke_array_close(x);
            yoke_array_close(y);
            OK(yoke_close(rt));
        }
    print_message("%d of 357 deaths made good\n", made_good);
    assert_true(made_good > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way),
        cmocka_unit_test(every_allocation),
        cmocka_unit_test(every_backend_call),
        cmocka_unit_test(dying_on_the_way_home),
    };
    return cmocka_run_group_tests(tests, unaligned_sizes, NULL);
}
