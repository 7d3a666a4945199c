/* test_option.c - text into settings: units, defaults, the environment, and messages about invalid
 * input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/option.h"

struct settings {
    char *path;
    int64_t chunk, memory;
    double alpha, pause;
    int mode;
    char guard;
};

static const char *const modes[] = { "spin", "yield", "block", NULL };

static const struct yk_option table[] = {
    { "path", "TEST_PATH", NULL, "where", YK_OPTION_TEXT, offsetof(struct settings, path), NULL },
    { "chunk", "TEST_CHUNK", "4k", "rows", YK_OPTION_INT, offsetof(struct settings, chunk), NULL },
    { "mem", NULL, "64M", "bytes", YK_OPTION_BYTES, offsetof(struct settings, memory), NULL },
    { "alpha", NULL, "0.25", "share", YK_OPTION_REAL, offsetof(struct settings, alpha), NULL },
    { "pause", NULL, NULL, "time", YK_OPTION_SECONDS, offsetof(struct settings, pause), NULL },
    { "mode", "TEST_MODE", "block", "how", YK_OPTION_CHOICE, offsetof(struct settings, mode),
      modes },
    { 0 },
};

static int clean(void **state)
{
    (void)state;
    unsetenv("TEST_PATH");
    unsetenv("TEST_CHUNK");
    unsetenv("TEST_MODE");
    yk_alloc_fail_at(0);
    return yk_alloc_outstanding() != 0;
}

static void says(const char *part)
{
    if (!strstr(yoke_error_text(), part)) {
        fail_msg("'%s' does not say '%s'", yoke_error_text(), part);
    }
}

static void whole_numbers(void **state)
{
    (void)state;
    const struct {
        enum yk_option_type type;
        const char *text;
        int64_t value;
    } cases[] = {
        { YK_OPTION_INT, "0", 0 },
        { YK_OPTION_INT, "-17", -17 },
        { YK_OPTION_INT, "+5", 5 },
        { YK_OPTION_INT, "3k", 3000 },
        { YK_OPTION_INT, "2M", 2000000 },
        { YK_OPTION_INT, "1.5G", 1500000000 },
        { YK_OPTION_INT, "1e6", 1000000 },
        { YK_OPTION_INT, "9223372036854775807", INT64_MAX },
        { YK_OPTION_INT, "-9223372036854775808", INT64_MIN },
        { YK_OPTION_INT, "9007199254740993", 9007199254740993 }, /* not representable as a double */
        { YK_OPTION_BYTES, "4096", 4096 },
        { YK_OPTION_BYTES, "4k", 4096 },
        { YK_OPTION_BYTES, "4K", 4096 },
        { YK_OPTION_BYTES, "256M", 268435456 },
        { YK_OPTION_BYTES, "0.5G", 536870912 },
        { YK_OPTION_BYTES, "2T", INT64_C(2) << 40 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 12345;
        assert_int_equal(yk_option_number(cases[i].type, cases[i].text, &value), YOKE_OK);
        assert_true(value == cases[i].value);
    }
}

static void fractions_and_times(void **state)
{
    (void)state;
    const struct {
        enum yk_option_type type;
        const char *text;
        double value;
    } cases[] = {
        { YK_OPTION_REAL, "0.25", 0.25 },     { YK_OPTION_REAL, "-1e-3", -1e-3 },
        { YK_OPTION_REAL, ".5", 0.5 },        { YK_OPTION_REAL, "7", 7 },
        { YK_OPTION_SECONDS, "2", 2 },        { YK_OPTION_SECONDS, "1.5s", 1.5 },
        { YK_OPTION_SECONDS, "20ms", 20e-3 }, { YK_OPTION_SECONDS, "3us", 3e-6 },
        { YK_OPTION_SECONDS, "400ns", 4e-7 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        assert_int_equal(yk_option_number(cases[i].type, cases[i].text, &value), YOKE_OK);
        assert_true(value - cases[i].value < 1e-15 && cases[i].value - value < 1e-15);
    }
}

static void odd_numbers_are_refused(void **state)
{
    (void)state;
    const struct {
        enum yk_option_type type;
        const char *text, *says;
    } cases[] = {
        { YK_OPTION_INT, "", "'' is no count" },
        { YK_OPTION_INT, " 1", "is no count" },
        { YK_OPTION_INT, "1 ", "is no count" },
        { YK_OPTION_INT, "12abc", "'12abc' is no count" },
        { YK_OPTION_INT, "-", "is no count" },
        { YK_OPTION_INT, "0x10", "is no count" },
        { YK_OPTION_INT, "1.5", "is no count" },
        { YK_OPTION_INT, "1kk", "is no count" },
        { YK_OPTION_INT, "9223372036854775808", "is too large" },
        { YK_OPTION_INT, "9223372036854775807k", "is too large" },
        { YK_OPTION_INT, "1e19", "is too large" },
        { YK_OPTION_INT, "1e999", "is too large" },
        { YK_OPTION_BYTES, "0.3", "is no size" },
        { YK_OPTION_BYTES, "5Q", "is no size" },
        { YK_OPTION_BYTES, "9000000T", "is too large" },
        { YK_OPTION_REAL, "nan", "is no number" },
        { YK_OPTION_REAL, "-inf", "is no number" },
        { YK_OPTION_REAL, "1e999", "is no number" },
        { YK_OPTION_REAL, "0,5", "is no number" },
        { YK_OPTION_SECONDS, "5m", "is no time" },
        { YK_OPTION_TEXT, "5", "is no number" },
        { YK_OPTION_CHOICE, "5", "is no number" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t untouched = 77;
        assert_int_equal(yk_option_number(cases[i].type, cases[i].text, &untouched), YOKE_EINVAL);
        says(cases[i].says);
        assert_int_equal(untouched, 77);
    }
}

static void a_comma_locale_changes_nothing(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
        skip();
    }
    double value;
    yoke_status status = yk_option_number(YK_OPTION_REAL, "0.25", &value);
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(status, YOKE_OK);
    assert_true(value == 0.25);
}

static void defaults_fill_every_field(void **state)
{
    (void)state;
    struct settings settings;
    memset(&settings, 0xAA, sizeof settings);
    assert_int_equal(yk_options_default(table, &settings), YOKE_OK);
    assert_null(settings.path);
    assert_int_equal(settings.chunk, 4000);
    assert_int_equal(settings.memory, 64 << 20);
    assert_true(settings.alpha == 0.25 && settings.pause == 0);
    assert_int_equal(settings.mode, 2);
    assert_int_equal((unsigned char)settings.guard, 0xAA);
    yk_options_clear(table, &settings);
}

static void the_environment_wins_over_defaults(void **state)
{
    (void)state;
    struct settings settings;
    setenv("TEST_PATH", "/some:where,else", 1);
    setenv("TEST_CHUNK", "7", 1);
    setenv("TEST_MODE", "", 1); /* empty counts as unset */
    assert_int_equal(yk_options_default(table, &settings), YOKE_OK);
    assert_string_equal(settings.path, "/some:where,else");
    assert_int_equal(settings.chunk, 7);
    assert_int_equal(settings.mode, 2);
    yk_options_clear(table, &settings);
    assert_null(settings.path);
    yk_options_clear(table, &settings);
    assert_string_equal(yk_environment("TEST_CHUNK"), "7");
    unsetenv("TEST_CHUNK");
    assert_null(yk_environment("TEST_CHUNK"));
}

static void an_odd_variable_is_named(void **state)
{
    (void)state;
    struct settings settings;
    setenv("TEST_PATH", "held", 1);
    setenv("TEST_CHUNK", "many", 1);
    assert_int_equal(yk_options_default(table, &settings), YOKE_EINVAL);
    says("TEST_CHUNK: 'many' is no count");
    assert_null(settings.path); /* nothing is allocated after a failure */
    unsetenv("TEST_CHUNK");
    setenv("TEST_MODE", "sleep", 1);
    assert_int_equal(yk_options_default(table, &settings), YOKE_EINVAL);
    says("TEST_MODE: 'sleep' is none of its values; give one of: spin, yield, block");
}

static void lists_set_what_they_name(void **state)
{
    (void)state;
    struct settings settings;
    assert_int_equal(yk_options_default(table, &settings), YOKE_OK);
    assert_int_equal(yk_options_parse(table, "demo", NULL, &settings), YOKE_OK);
    assert_int_equal(yk_options_parse(table, "demo", "", &settings), YOKE_OK);
    assert_int_equal(settings.chunk, 4000);
    assert_int_equal(
        yk_options_parse(table, "demo", "chunk=1k,mode=yield:path=a:pause=5ms,path=b=c", &settings),
        YOKE_OK);
    assert_int_equal(settings.chunk, 1000);
    assert_int_equal(settings.mode, 1);
    assert_true(settings.pause == 5e-3);
    assert_string_equal(settings.path, "b=c"); /* the last one counts, the first is freed */
    assert_true(settings.alpha == 0.25);
    yk_options_clear(table, &settings);
}

static void odd_lists_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *says;
    } cases[] = {
        { "size=3", "demo has no option 'size'; there are: path, chunk, mem, alpha, pause, mode" },
        { "chunk", "demo: chunk has no value; give chunk=VALUE (rows)" },
        { "chunk=", "demo: chunk has no value" },
        { "chunk=abc", "demo: chunk: 'abc' is no count" },
        { "chunk=3,,alpha=1", "demo has no option ''" },
        { "chunk=3:", "demo has no option ''" },
        { "=3", "demo has no option ''" },
        { "mode=4", "demo: mode: '4' is none of its values; give one of: spin, yield, block" },
        { "mem=1e30", "demo: mem: '1e30' is too large" },
        { "Chunk=3", "demo has no option 'Chunk'" },
    };
    struct settings settings;
    assert_int_equal(yk_options_default(table, &settings), YOKE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(yk_options_parse(table, "demo", cases[i].text, &settings), YOKE_EINVAL);
        says(cases[i].says);
    }
    yk_options_clear(table, &settings);
    static const struct yk_option none[] = { { 0 } };
    assert_int_equal(yk_options_parse(none, "even", "a=1", &settings), YOKE_EINVAL);
    says("even has no option 'a', nor any other");
}

static void long_lists_of_names_are_cut(void **state)
{
    (void)state;
    enum { many = 60 };
    struct yk_option wide[many + 1] = { { 0 } };
    for (int i = 0; i < many; i++) {
        wide[i] = (struct yk_option){ .name = "seventeen-letters", .type = YK_OPTION_INT };
    }
    int64_t value;
    assert_int_equal(yk_options_parse(wide, "wide", "a=1", &value), YOKE_EINVAL);
    says("seventeen-letters, seventeen-letters");
    assert_string_equal(yoke_error_text() + strlen(yoke_error_text()) - 3, "...");
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    setenv("TEST_PATH", "from the environment", 1);
    int reached = 1;
    for (int nth = 1; reached; nth++) {
        struct settings settings;
        yk_alloc_fail_at(nth);
        yoke_status status = yk_options_default(table, &settings);
        if (status == YOKE_OK) {
            status = yk_options_parse(table, "demo", "path=one:chunk=3:path=two", &settings);
            if (status != YOKE_OK) {
                assert_non_null(settings.path); /* the previous value stays */
            }
            yk_options_clear(table, &settings);
        }
        reached = yk_alloc_failed();
        assert_int_equal(status, reached ? YOKE_ENOMEM : YOKE_OK);
        assert_int_equal(yk_alloc_outstanding(), 0);
        assert_true(nth < 20);
    }
}

int main(void)
{
#define fresh(test) cmocka_unit_test_setup_teardown(test, clean, clean)
    const struct CMUnitTest tests[] = {
        fresh(whole_numbers),
        fresh(fractions_and_times),
        fresh(odd_numbers_are_refused),
        fresh(a_comma_locale_changes_nothing),
        fresh(defaults_fill_every_field),
        fresh(the_environment_wins_over_defaults),
        fresh(an_odd_variable_is_named),
        fresh(lists_set_what_they_name),
        fresh(odd_lists_are_refused),
        fresh(long_lists_of_names_are_cut),
        fresh(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
