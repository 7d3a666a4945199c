/* test_kernel_names.c - what a kernel file defines under a name of a device's language is what
 * counts on all devices here: they compute what the cores do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <yoke/yoke.h>

enum { RESULTS = 13, ROWS = 300 }; /* as in names_kernels.c */

extern const yoke_kernel names_own, names_parameters, names_reserved;

struct results {
    float own[ROWS * RESULTS], sums[ROWS], most, reserved[ROWS];
};

/* Returns 0 if there is no such device. */
static int compute(const char *devices, struct results *out)
{
    static float x[ROWS];
    yoke_runtime *rt;
    if (yoke_open(&(yoke_config){ .devices = devices }, &rt) != YOKE_OK)
        return 0;
    for (int i = 0; i < ROWS; i++)
        x[i] = (float)(i - 50) * 0.25f;
    if (yoke_for(rt, &names_own, ROWS, x, yoke_row(out->own, RESULTS)) != YOKE_OK ||
        yoke_for(rt, &names_parameters, ROWS, x, x, out->sums, &out->most) != YOKE_OK ||
        yoke_for(rt, &names_reserved, ROWS, x, 0.5f, out->reserved) != YOKE_OK)
        fail_msg("%s: %s", devices, yoke_error_text());
    assert_int_equal(yoke_close(rt), YOKE_OK);
    return 1;
}

static void compare(const struct results *cores, const struct results *device)
{
    for (int at = 0; at < ROWS * RESULTS; at++)
        if (cores->own[at] != device->own[at])
            fail_msg("row %d, result %d: %g, not %g", at / RESULTS, at % RESULTS,
                     (double)device->own[at], (double)cores->own[at]);
    for (int i = 0; i < ROWS; i++)
        assert_true(cores->sums[i] == device->sums[i] && cores->reserved[i] == device->reserved[i]);
    assert_true(cores->most == device->most);
}

static void own_names_count_on_all(void **state)
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
    const struct CMUnitTest tests[] = { cmocka_unit_test(own_names_count_on_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
