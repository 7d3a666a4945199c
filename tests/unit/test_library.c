/* test_library.c - libraries that exist, do not exist, or lack a symbol. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/alloc.h"
#include "platform/library.h"

static const char *const math_names[] = { "libnone-such.so.9", "libm.so.6", NULL };

static void the_first_that_loads_is_taken(void **state)
{
    (void)state;
    struct yk_library *library = NULL;
    struct yk_library *again = NULL;
    assert_int_equal(yk_library_open(math_names, &library), YOKE_OK);
    assert_non_null(strstr(yk_library_path(library), "libm.so.6"));
    assert_int_equal(yk_library_path(library)[0], '/');
    assert_int_equal(yk_library_open(math_names, &again), YOKE_OK);
    assert_ptr_equal(library, again);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void absence_tells_what_was_tried(void **state)
{
    (void)state;
    static const char *const absent[] = { "libnone-such.so.9", "libnot-there.so", NULL };
    struct yk_library *untouched = (struct yk_library *)state;
    assert_int_equal(yk_library_open(absent, &untouched), YOKE_ENODEV);
    assert_ptr_equal(untouched, state);
    assert_non_null(strstr(yoke_error_text(), "libnone-such.so.9: cannot open"));
    assert_non_null(strstr(yoke_error_text(), "libnot-there.so: cannot open"));
    static const char *const none[] = { NULL };
    assert_int_equal(yk_library_open(none, &untouched), YOKE_ENODEV);
    assert_non_null(strstr(yoke_error_text(), "none was named"));
}

static void many_absent_names_fill_a_line_only(void **state)
{
    (void)state;
    enum { many = 64 };
    const char *names[many + 1];
    for (int i = 0; i < many; i++) {
        names[i] = "libnone-such-with-a-name-that-goes-on-and-on.so.9";
    }
    names[many] = NULL;
    struct yk_library *library;
    assert_int_equal(yk_library_open(names, &library), YOKE_ENODEV);
    assert_true(strlen(yoke_error_text()) < 1200);
    assert_non_null(strstr(yoke_error_text(), "install the driver"));
}

static void symbols_fill_their_slots(void **state)
{
    (void)state;
    struct yk_library *library;
    double (*cosine)(double) = NULL;
    void *missing = state;
    assert_int_equal(yk_library_open(math_names, &library), YOKE_OK);
    const struct yk_symbol symbols[] = {
        { .name = "cos", .slot = (void **)&cosine },
        { .name = "no_such_function", .slot = &missing, .optional = 1 },
    };
    assert_int_equal(yk_library_symbols(library, symbols, 2), YOKE_OK);
    assert_true(cosine(0) == 1);
    assert_null(missing);
}

static void a_missing_symbol_leaves_no_slot_filled(void **state)
{
    (void)state;
    struct yk_library *library;
    void *slots[3] = { state, state, state };
    assert_int_equal(yk_library_open(math_names, &library), YOKE_OK);
    const struct yk_symbol symbols[] = {
        { .name = "sin", .slot = &slots[0] },
        { .name = "no_such_function", .slot = &slots[1] },
        { .name = "tan", .slot = &slots[2] },
    };
    assert_int_equal(yk_library_symbols(library, symbols, 3), YOKE_ENODEV);
    assert_non_null(strstr(yoke_error_text(), "libm.so.6 lacks no_such_function"));
    for (int i = 0; i < 3; i++) {
        assert_null(slots[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_loads_is_taken),
        cmocka_unit_test(absence_tells_what_was_tried),
        cmocka_unit_test(many_absent_names_fill_a_line_only),
        cmocka_unit_test(symbols_fill_their_slots),
        cmocka_unit_test(a_missing_symbol_leaves_no_slot_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
