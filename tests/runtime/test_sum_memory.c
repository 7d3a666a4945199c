/* test_sum_memory.c - the copies of sums (mode add) belong to the memory that a job takes at once:
 * it waits for their room, and windows leave it. With an argument: on that device, which should
 * have 3 MiB of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "job_kernels.h"
#include "ok.h"

enum { HANGS_SECONDS = 120, TABLE = 25000, SLOTS = 50000, FEW = 50, ROUNDS = 20 };

static const char *streaming = "sim:gpu:mem=3M:pages=64K";

/* The device has room for either job, but not for both. The orders take turns. */
static void jobs_wait_for_each_other(void **state)
{
    static pair_t table[TABLE], out[FEW];
    static int32_t slots[SLOTS];
    const int64_t n = TABLE;
    const int32_t rows = SLOTS;
    yoke_runtime *rt;
    yoke_array *at, *ao, *as;
    int round, i;
    (void)state;
    alarm(HANGS_SECONDS);
    rt = open_runtime("sim:gpu:mem=300K");
    OK(yoke_array_wrap(rt, table, TABLE, sizeof *table, &at));
    OK(yoke_array_wrap(rt, out, FEW, sizeof *out, &ao));
    OK(yoke_array_wrap(rt, slots, SLOTS, sizeof *slots, &as));
    for (round = 0; round < ROUNDS; round++) {
        const yoke_job jobs[] = { { .kernel = &k_gather,
                                    .range = { 0, FEW },
                                    .args = { yoke_value(n), yoke_in_whole(at), yoke_out(ao) } },
                                  { .kernel = &k_add_some,
                                    .range = { 0, FEW },
                                    .args = { yoke_value(rows), yoke_add_to(as) } } };
        yoke_ticket *first, *second;
        OK(yoke_submit(rt, &jobs[round % 2], &first));
        OK(yoke_submit(rt, &jobs[1 - round % 2], &second));
        OK(yoke_wait(first, NULL));
        OK(yoke_wait(second, NULL));
    }
    OK(yoke_array_close(at));
    OK(yoke_array_close(ao));
    OK(yoke_array_close(as));
    for (i = 0; i < SLOTS; i++)
        assert_int_equal(slots[i], i < FEW ? ROUNDS : 0);
    assert_int_equal(yoke_close(rt), YOKE_OK);
}

/* The first job of a device, over an array of seven times its memory. */
static void windows_leave_room(void **state)
{
    enum { N = 5500000, BINS = 13 };
    int32_t *x = malloc(N * sizeof *x), bins = BINS;
    uint32_t h[BINS] = { 0 };
    float w[BINS] = { 0 };
    yoke_runtime *rt;
    yoke_array *ax, *ah, *aw;
    int i;
    (void)state;
    alarm(HANGS_SECONDS);
    assert_non_null(x);
    for (i = 0; i < N; i++)
        x[i] = i % BINS;
    rt = open_runtime(streaming);
    OK(yoke_array_wrap(rt, x, N, sizeof *x, &ax));
    OK(yoke_array_wrap(rt, h, BINS, sizeof *h, &ah));
    OK(yoke_array_wrap(rt, w, BINS, sizeof *w, &aw));
    const yoke_job job = { .kernel = &k_histogram,
                           .range = { 0, N },
                           .args = { yoke_value(bins), yoke_in(ax), yoke_add_to(ah),
                                     yoke_add_to(aw) } };
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_close(ax));
    OK(yoke_array_close(ah));
    OK(yoke_array_close(aw));
    for (i = 0; i < BINS; i++)
        assert_int_equal(h[i], N / BINS + (i < N % BINS));
    assert_int_equal(yoke_close(rt), YOKE_OK);
    free(x);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(jobs_wait_for_each_other),
                                        cmocka_unit_test(windows_leave_room) };
    if (argc > 1)
        streaming = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
