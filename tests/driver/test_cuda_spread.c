/* test_cuda_spread.c - kernels that reduce, in groups with several threads for each lane: the bits
 * of the CPU's results for ranges of all sizes. Kernels whose results would have other bits, and
 * ranges whose groups occupy the device, get groups of lanes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "spread_kernels.h"
#include "standin.h"

enum { ROWS = 3000000 };

static yoke_runtime *gpu, *cpu;
static float xs[ROWS], ys[ROWS];

struct results {
    float sum, several;
    yoke_at_float high;
    extent_t all;
    int64_t integers;
    uint32_t bits;
};

static int open_all(void **state)
{
    unsigned random = 7;
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        random = random * 1664525u + 1013904223u;
        xs[i] = (float)(random >> 8) * 0x1p-20f - 7.5f;
    }
    return yoke_open(&(yoke_config){ .devices = "cuda:0" }, &gpu) != YOKE_OK ||
           yoke_open(&(yoke_config){ .devices = "cpu", .threads = 2 }, &cpu) != YOKE_OK;
}

static int close_all(void **state)
{
    (void)state;
    return yoke_close(gpu) != YOKE_OK || yoke_close(cpu) != YOKE_OK;
}

static void ok(yoke_status status)
{
    if (status != YOKE_OK)
        fail_msg("%s", yoke_error_text());
}

/* Runs the kernel over indexes 5 .. 5 + n - 1. Returns the number of its launches with several
 * threads for a lane. */
static long run(yoke_runtime *runtime, const yoke_kernel *kernel, int64_t n, struct results *out)
{
    yoke_array *x, *y;
    ok(yoke_array_wrap(runtime, xs, n + 5, sizeof *xs, &x));
    ok(yoke_array_wrap(runtime, ys, n + 5, sizeof *ys, &y));
    yoke_job job = { .kernel = kernel, .range = { .first = 5, .last = n + 5 } };
    if (kernel == &s_once) {
        const yoke_arg args[] = { yoke_in(x), yoke_out(y), yoke_reduce_to(&out->sum),
                                  yoke_reduce_to(&out->high), yoke_reduce_to(&out->all) };
        memcpy(job.args, args, sizeof args);
    } else if (kernel == &s_integers) {
        const yoke_arg args[] = { yoke_value((int32_t){ 4 }), yoke_reduce_to(&out->integers),
                                  yoke_reduce_to(&out->bits) };
        memcpy(job.args, args, sizeof args);
    } else {
        const yoke_arg args[] = { yoke_in(x), yoke_reduce_to(&out->several) };
        memcpy(job.args, args, sizeof args);
    }
    standin_count_launches("yoke_spread");
    ok(yoke_run(runtime, &job, NULL));
    const long launches = standin_launches();
    ok(yoke_array_close(x));
    ok(yoke_array_close(y));
    return launches;
}

/* Returns whether the GPU's groups had several threads for a lane. */
static int same(const yoke_kernel *kernel, int64_t n)
{
    struct results mine, other;
    memset(&mine, 0, sizeof mine);
    memset(&other, 0, sizeof other);
    assert_int_equal(run(cpu, kernel, n, &other), 0);
    const long launches = run(gpu, kernel, n, &mine);
    assert_memory_equal(&mine, &other, sizeof mine);
    return launches > 0;
}

static void results_have_the_same_bits(void **state)
{
    static const int64_t sizes[] = { 1, 63, 16384, 16385, 30001, 70000, 130000 };
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int spreads = sizes[s] > 16384; /* blocks of more than 64 indexes */
        assert_int_equal(same(&s_once, sizes[s]), spreads);
        assert_int_equal(same(&s_integers, sizes[s]), spreads);
        assert_false(same(&s_several, sizes[s]));
    }
}

static void registers_suffice(void **state)
{
    (void)state;
    assert_false(same(&s_registers, 70000));
}

static void full_devices_get_groups_of_lanes(void **state)
{
    (void)state;
    assert_false(same(&s_once, ROWS - 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_the_same_bits),
        cmocka_unit_test(registers_suffice),
        cmocka_unit_test(full_devices_get_groups_of_lanes),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
