/* test_underfilled.c - how many times too slow a GPU may look that was measured with few items: its
 * kernel may become faster with more items, copies only up to what saturates the link. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "partition/dispatch.h"
#include "partition/speed.h"

/* Copies of 1,000 items saturate its link. */
static const struct yk_split_device gpu = { .fill = 100000, .link_fill = 1000, .rate = 0.01 };

static void assert_near(double value, double expected)
{
    assert_true(value > 0.99 * expected && value < 1.01 * expected);
}

static void a_kernel_becomes_faster(void **state)
{
    (void)state;
    assert_near(yk_underfilled(&gpu, 10000, 40000), 2);
    assert_near(yk_underfilled(&gpu, 10, 1e6), YK_UNDERFILLED);
    assert_near(yk_underfilled(&gpu, 50000, 1e6), 1); /* it was nearly full */
}

static void copies_do_not(void **state)
{
    struct yk_split_device copies = gpu;
    (void)state;
    copies.copying = 1;
    assert_near(yk_underfilled(&copies, 10000, 40000), 1);
    copies.copying = 0.5;
    assert_near(yk_underfilled(&copies, 10000, 40000), 4 / 3.0);
    copies.copying = 1;
    assert_near(yk_underfilled(&copies, 125, 40000), 2); /* the link was not saturated */
    copies.copying = 0;
    copies.copy_item_ns = 100; /* what the link takes at least, of 100 ns an item */
    assert_near(yk_underfilled(&copies, 10000, 40000), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_becomes_faster),
        cmocka_unit_test(copies_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
