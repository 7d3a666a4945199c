/* test_halo.c - rows around an index: which of them are copied, and the largest possible number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "job_kernels.h"
#include "ok.h"

/* Fifty steps of a halo job with the same split copy each row to its device once, then only the
 * borders. */
static void only_missing_rows_move(void **state)
{
    enum { N = 1000 };
    static float u[N];
    bounds_t b = { 0, N, 1 };
    yoke_runtime *rt = open_runtime("sim:gpu*2");
    yoke_array *a[2];
    yoke_traffic before, after;
    int step;
    (void)state;
    OK(yoke_array_wrap(rt, u, N, 4, &a[0]));
    OK(yoke_array_open(rt, &(yoke_array_spec){ .rows = N, .element_size = 4 }, &a[1]));
    for (step = 0; step < 50; step++) {
        yoke_job job = { .kernel = &k_blur,
                         .range = { 0, N },
                         .partitioner = "static:shares=0.5/0.5,chunks=1",
                         .args = { yoke_value(b), yoke_in_halo(a[step % 2], 1, 1),
                                   yoke_out(a[1 - step % 2]) } };
        before = yoke_array_traffic(a[step % 2]);
        OK(yoke_run(rt, &job, NULL));
        after = yoke_array_traffic(a[step % 2]);
        /* First step: each half and one row of the other; later: the border row each way, through
         * the host. */
        assert_int_equal(after.to_devices - before.to_devices, step == 0 ? (N + 2) * 4 : 2 * 4);
        assert_int_equal(after.from_devices - before.from_devices, step == 0 ? 0 : 2 * 4);
    }
    OK(yoke_array_acquire(a[0], YOKE_READ));
    after = yoke_array_traffic(a[0]);
    OK(yoke_array_acquire(a[0], YOKE_READ));
    assert_int_equal(yoke_array_traffic(a[0]).from_devices, after.from_devices);
    OK(yoke_array_close(a[0]));
    OK(yoke_array_close(a[1]));
    OK(yoke_close(rt));
}

/* Rows before the first and after the last do not exist, however many are requested; also in
 * windows, where rows limit the length of a chunk. */
static void a_halo_longer_than_the_array(void **state)
{
    static const char *const devices[] = { "sim:gpu:lanes=2", "sim:gpu:lanes=1:mem=14K" };
    enum { ROWS = 2000 };
    static float x[ROWS], y[ROWS];
    const bounds_t b = { 0, ROWS, 1 };
    size_t d;
    (void)state;
    for (d = 0; d < sizeof devices / sizeof *devices; d++) {
        yoke_runtime *rt = open_runtime(devices[d]);
        yoke_array *from, *to;
        int i;
        for (i = 0; i < ROWS; i++) {
            x[i] = (float)i;
            y[i] = -1;
        }
        OK(yoke_array_wrap(rt, x, ROWS, 4, &from));
        OK(yoke_array_wrap(rt, y, ROWS, 4, &to));
        OK(yoke_run(rt,
                    &(yoke_job){ .kernel = &k_blur,
                                 .range = { 0, ROWS },
                                 .args = { yoke_value(b), yoke_in_halo(from, INT64_MAX, INT64_MAX),
                                           yoke_out(to) } },
                    NULL));
        OK(yoke_array_close(from));
        OK(yoke_array_close(to));
        for (i = 1; i < ROWS - 1; i++)
            if (y[i] != (float)(3 * i))
                fail_msg("%s: row %d is %g", devices[d], i, y[i]);
        OK(yoke_close(rt));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_missing_rows_move),
        cmocka_unit_test(a_halo_longer_than_the_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
