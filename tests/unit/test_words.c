/* Tests of figures in sentences: suitable units, no exponents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/words.h"

static void times(void **state)
{
    (void)state;
    assert_string_equal(yk_time_words(0).text, "0 ns");
    assert_string_equal(yk_time_words(1e-9).text, "0 ns");
    assert_string_equal(yk_time_words(0.01564).text, "0.01564 ns");
    assert_string_equal(yk_time_words(999.94).text, "999.9 ns");
    assert_string_equal(yk_time_words(999.96).text, "1 us");
    assert_string_equal(yk_time_words(235849).text, "235.8 us");
    assert_string_equal(yk_time_words(12.5e9).text, "12.5 s");
}

static void numbers(void **state)
{
    (void)state;
    assert_string_equal(yk_number_words(0.125).text, "0.125");
    assert_string_equal(yk_number_words(9999.4).text, "9999");
    assert_string_equal(yk_number_words(14860.2).text, "14860");
    assert_string_equal(yk_number_words(1e300).text, "1e+300");
}

static void counts(void **state)
{
    (void)state;
    assert_string_equal(yk_count_words(0, "item").text, "0 items");
    assert_string_equal(yk_count_words(1, "item").text, "1 item");
    assert_string_equal(yk_count_words(INT64_MAX, "item").text, "9223372036854775807 items");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(times), cmocka_unit_test(numbers),
                                        cmocka_unit_test(counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
