/* test_plain.c - how messages show bytes that are not text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/plain.h"
#include "base/status.h"

static void shown(const char *text, const char *expected)
{
    char out[64];
    assert_int_equal(yk_plain_text(text, out, sizeof out), strlen(expected));
    assert_string_equal(out, expected);
}

static void text_stays(void **state)
{
    (void)state;
    shown("", "");
    shown("a b\tc\nd", "a b\tc\nd");
    shown("Grüße, 世界 \xf0\x9f\x90\x82", "Grüße, 世界 \xf0\x9f\x90\x82");
}

static void other_bytes_are_numbers(void **state)
{
    (void)state;
    shown("\x1b[31mred\x07", "\\x1b[31mred\\x07");
    shown("\xff\xfe", "\\xff\\xfe");
    shown("\xc2\x9b", "\\xc2\\x9b");          /* a control character of two bytes */
    shown("\xc0\xaf", "\\xc0\\xaf");          /* an overlong encoding */
    shown("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* half of a surrogate pair */
    shown("\xe4\xb8", "\\xe4\\xb8");          /* truncated */
    shown("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80");
}

static void what_does_not_fit_is_cut_between_characters(void **state)
{
    char out[8];
    (void)state;
    assert_int_equal(yk_plain_text("abcdefghij", out, sizeof out), 10);
    assert_string_equal(out, "abcdefg");
    assert_int_equal(yk_plain_text("abcde\x01z", out, sizeof out), 10);
    assert_string_equal(out, "abcde");
    assert_int_equal(yk_plain_text("\x01", NULL, 0), 4);
}

static void error_texts_are_plain(void **state)
{
    char long_text[600];
    (void)state;
    yk_fail(YOKE_EINVAL, "'%s' is no name", "\x1b]0;gotcha\x07");
    assert_string_equal(yoke_error_text(), "'\\x1b]0;gotcha\\x07' is no name");
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    long_text[0] = '\x1b';
    yk_fail(YOKE_EINVAL, "%s", long_text);
    assert_int_equal(strlen(yoke_error_text()), sizeof long_text - 1 + 3);
    assert_memory_equal(yoke_error_text(), "\\x1bxxx", 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_stays),
        cmocka_unit_test(other_bytes_are_numbers),
        cmocka_unit_test(what_does_not_fit_is_cut_between_characters),
        cmocka_unit_test(error_texts_are_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
