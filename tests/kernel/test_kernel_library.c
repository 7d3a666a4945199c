/* test_kernel_library.c - functions of <math.h> and limits have the same values on all devices
 * here: those of this machine's cores, to a few units in the last place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <yoke/yoke.h>

enum { RESULTS = 96, ROWS = 101 }; /* as in library_kernels.c */

extern const yoke_kernel library_float, library_double, library_limits;

struct results {
    float narrow[ROWS * RESULTS];
    double wide[ROWS * RESULTS], real[RESULTS];
    int64_t whole[RESULTS];
};

/* Returns 0 if there is no such device. */
static int compute(const char *devices, struct results *out)
{
    static float narrow[ROWS];
    static double wide[ROWS];
    yoke_runtime *rt;
    if (yoke_open(&(yoke_config){ .devices = devices }, &rt) != YOKE_OK)
        return 0;
    for (int i = 0; i < ROWS; i++)
        narrow[i] = (float)(wide[i] = (i - 50) * 0.1875 + 0.0625);
    if (yoke_for(rt, &library_float, ROWS, narrow, yoke_row(out->narrow, RESULTS)) != YOKE_OK ||
        yoke_for(rt, &library_double, ROWS, wide, yoke_row(out->wide, RESULTS)) != YOKE_OK ||
        yoke_for(rt, &library_limits, 1, yoke_row(out->whole, RESULTS),
                 yoke_row(out->real, RESULTS)) != YOKE_OK)
        fail_msg("%s: %s", devices, yoke_error_text());
    assert_int_equal(yoke_close(rt), YOKE_OK);
    return 1;
}

static int is_near(double one, double other, double part)
{
    return one == other || fabs(one - other) <= part * (1 + fabs(one)) ||
           (isnan(one) && isnan(other));
}

static void compare(const struct results *cores, const struct results *device)
{
    for (int at = 0; at < ROWS * RESULTS; at++) {
        if (!is_near(cores->narrow[at], device->narrow[at], 2e-5))
            fail_msg("float: row %d, result %d: %g, not %g", at / RESULTS, at % RESULTS,
                     (double)device->narrow[at], (double)cores->narrow[at]);
        if (!is_near(cores->wide[at], device->wide[at], 1e-11))
            fail_msg("double: row %d, result %d: %g, not %g", at / RESULTS, at % RESULTS,
                     device->wide[at], cores->wide[at]);
    }
    for (int at = 0; at < RESULTS; at++) {
        assert_int_equal(device->whole[at], cores->whole[at]);
        assert_true(is_near(cores->real[at], device->real[at], 1e-15));
    }
}

static void same_on_all(void **state)
{
    static const char *const devices[] = { "opencl:0", "cuda:0" };
    static struct results cores, device;
    (void)state;
    assert_true(compute("cpu:1", &cores));
    for (int d = 0; d < 2; d++)
        if (compute(devices[d], &device))
            compare(&cores, &device);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_on_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
