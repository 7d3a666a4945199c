/* test_typical.c - the typical value follows the median of what is measured, whatever outliers say,
 * and sleeps that are shortened by it still sleep.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/typical.h"
#include "platform/clock.h"

static int64_t typical_of(int count, int64_t usual_ns, int64_t odd_ns)
{
    _Atomic int64_t typical_ns = 0;
    for (int i = 0; i < count; i++)
        yk_typical_note(&typical_ns, i % 5 == 4 ? odd_ns : usual_ns);
    return yk_typical(&typical_ns);
}

static void the_median_is_followed(void **state)
{
    const int64_t odd[] = { 0, 40000, 1000000000, INT64_MAX, INT64_MIN };
    (void)state;
    for (int i = 0; i < 5; i++) {
        const int64_t typical_ns = typical_of(200, 40000, odd[i]);
        assert_true(typical_ns > 30000 && typical_ns < 52000);
    }
    assert_true(typical_of(50, 0, 0) == 0);
}

static void it_comes_down_again(void **state)
{
    _Atomic int64_t typical_ns = 5000000;
    (void)state;
    for (int i = 0; i < 100; i++)
        yk_typical_note(&typical_ns, 20000);
    assert_true(yk_typical(&typical_ns) < 26000);
}

static void a_sleep_lasts_half_its_time_at_least(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        const int64_t begun_ns = yk_clock_ns();
        yk_clock_sleep_until(begun_ns + 2000000);
        assert_true(yk_clock_ns() - begun_ns >= 900000);
        yk_clock_sleep_until(begun_ns); /* returns */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_is_followed),
        cmocka_unit_test(it_comes_down_again),
        cmocka_unit_test(a_sleep_lasts_half_its_time_at_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
