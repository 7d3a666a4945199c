/* test_random.c - numbers are the same everywhere, depend on every bit of seed and index, and have
 * the correct moments. The bounds are 5 standard errors; seeds are fixed, so a pass is
 * reproducible. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random.h"

enum { DRAWS = 1 << 20 };

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void no_value_comes_twice(void **state)
{
    uint64_t *values = malloc(DRAWS * sizeof *values);
    int64_t i;
    (void)state;
    assert_non_null(values);
    for (i = 0; i < DRAWS; i++)
        values[i] = random_bits(7, (uint64_t)i);
    qsort(values, DRAWS, sizeof *values, by_value);
    for (i = 1; i < DRAWS; i++)
        assert_true(values[i - 1] != values[i]);
    free(values);
}

static int ones(uint64_t x)
{
    return __builtin_popcountll(x);
}

/* Flipping one bit of the index or of the seed flips each bit of the result half the time. */
static void every_bit_matters(void **state)
{
    const int trials = 4096;
    const double bound = 5 * sqrt(64.0 / 4 * trials);
    int bit, t;
    (void)state;
    for (bit = 0; bit < 64; bit++) {
        int by_index = 0, by_seed = 0;
        for (t = 0; t < trials; t++) {
            const uint64_t from = random_bits(11, (uint64_t)t), flip = (uint64_t)1 << bit;
            by_index += ones(from ^ random_bits(11, (uint64_t)t ^ flip));
            by_seed += ones(from ^ random_bits(11 ^ flip, (uint64_t)t));
        }
        assert_true(fabs(by_index - 32.0 * trials) < bound);
        assert_true(fabs(by_seed - 32.0 * trials) < bound);
    }
}

/* The sequences of neighbouring seeds are not shifted copies of each other. */
static void seeds_are_apart(void **state)
{
    int shift, i;
    (void)state;
    for (shift = -32; shift <= 32; shift++)
        for (i = 32; i < 64; i++)
            assert_int_not_equal(random_bits(1, (uint64_t)i),
                                 random_bits(2, (uint64_t)(i + shift)));
}

static void uniform_moments(void **state)
{
    double sum = 0, squares = 0, last = 0, product = 0;
    int64_t i;
    (void)state;
    for (i = 0; i < DRAWS; i++) {
        const double u = random_uniform(3, (uint64_t)i);
        assert_true(u >= 0 && u < 1);
        sum += u;
        squares += u * u;
        product += (u - 0.5) * last;
        last = u - 0.5;
    }
    assert_true(fabs(sum / DRAWS - 0.5) < 5 * sqrt(1.0 / 12 / DRAWS));
    assert_true(fabs(squares / DRAWS - 1.0 / 3) < 5 * sqrt(4.0 / 45 / DRAWS));
    assert_true(fabs(product / DRAWS) < 5 * (1.0 / 12) / sqrt(DRAWS));
}

static void gaussian_moments(void **state)
{
    double moment[5] = { 0 };
    int64_t i, beyond = 0;
    int k;
    (void)state;
    for (i = 0; i < DRAWS; i++) {
        const double g = random_gaussian(5, (uint64_t)i);
        double power = 1;
        assert_true(isfinite(g));
        for (k = 1; k <= 4; k++)
            moment[k] += (power *= g) / DRAWS;
        beyond += fabs(g) > 2;
    }
    assert_true(fabs(moment[1]) < 5 / sqrt(DRAWS));
    assert_true(fabs(moment[2] - 1) < 5 * sqrt(2.0 / DRAWS));
    assert_true(fabs(moment[3]) < 5 * sqrt(15.0 / DRAWS));
    assert_true(fabs(moment[4] - 3) < 5 * sqrt(96.0 / DRAWS));
    /* P(|g| > 2) */
    assert_true(fabs((double)beyond / DRAWS - 0.04550026) < 5 * sqrt(0.0455 / DRAWS));
}

/* Published values of SplitMix64, computed independently of this program: figures that users
 * compare depend on them. */
static void numbers_stay(void **state)
{
    (void)state;
    assert_true(random_bits(0, 0) == 0xa706dd2f4d197e6fu);
    assert_true(random_bits(1, 1000000007) == 0x1ae7f4c3bcd846d5u);
    assert_true(fabs(random_uniform(2, 3) - 0.557165432738076) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_value_comes_twice), cmocka_unit_test(every_bit_matters),
        cmocka_unit_test(seeds_are_apart),      cmocka_unit_test(uniform_moments),
        cmocka_unit_test(gaussian_moments),     cmocka_unit_test(numbers_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
