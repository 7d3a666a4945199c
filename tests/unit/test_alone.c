/* test_alone.c - texts of a kernel without the others of its file: what stays, what goes, and texts
 * that are truncated. */
#include "access/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

static const char text[] =
    "#line 1 \"k.c\"\n"
    "static int own(int a) { return a; }\n"
    "inline void yk_body_a(long i); __kernel void yoke_entry_a(long n)\n{ yk_body_a(n); }"
    " inline void yk_body_a(long i)\n{ own(1); }\n"
    "#pragma before\n"
    "inline void yk_body_ab(long i); __attribute__((reqd_work_group_size(8, 1, 1)))\n"
    "#line 7 \"k.c\"\n  #pragma unroll\n"
    "__kernel void yoke_entry_ab(long n) { char c = '}'; if (n) { yk_body_ab(n); } }"
    " inline void yk_body_ab(long i)\n{ own(2); }\n";

static void keep(const char *name, const char *want)
{
    char *got = yk_alone_text(text, name);
    assert_non_null(got);
    assert_int_equal(strlen(got), strlen(text));
    for (size_t i = 0; text[i]; i++) { /* lines stay, and everything else is as before or blank */
        assert_int_equal(got[i] == '\n', text[i] == '\n');
        assert_true(got[i] == text[i] || got[i] == ' ');
    }
    assert_non_null(strstr(got, want));
    assert_non_null(strstr(got, "#pragma before\n"));
    assert_non_null(strstr(got, "#line 7 \"k.c\"\n"));
    assert_non_null(strstr(got, "static int own(int a) { return a; }"));
    yk_free(got);
}

static void other_kernels_go(void **state)
{
    (void)state;
    keep("a", "inline void yk_body_a(long i);");
    keep("a", "__kernel void yoke_entry_a(long n)\n{ yk_body_a(n); }");
    keep("a", "inline void yk_body_a(long i)\n{ own(1); }");
    keep("ab", "__kernel void yoke_entry_ab(long n) { char c = '}'; if (n) { yk_body_ab(n); } }");
    keep("ab", "inline void yk_body_ab(long i)\n{ own(2); }");
    keep("ab", "#line 7 \"k.c\"\n  #pragma unroll\n");
    char *got = yk_alone_text(text, "a");
    assert_null(strstr(got, "yoke_entry_ab"));
    assert_null(strstr(got, "yk_body_ab"));
    assert_null(strstr(got, "own(2)"));
    assert_null(strstr(got, "unroll"));
    assert_null(strstr(got, "reqd_work_group_size"));
    yk_free(got);
    got = yk_alone_text(text, "b");
    assert_null(strstr(got, "__kernel"));
    assert_null(strstr(got, "yk_body_"));
    yk_free(got);
}

/* Whatever the text is, it is read to its end and no further. */
static void truncated_texts_keep_their_length(void **state)
{
    (void)state;
    for (size_t length = 0; length <= sizeof text - 1; length++) {
        char *part = calloc(length + 1, 1);
        assert_non_null(part);
        memcpy(part, text, length);
        char *got = yk_alone_text(part, "a");
        assert_non_null(got);
        assert_int_equal(strlen(got), length);
        yk_free(got);
        free(part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_kernels_go),
        cmocka_unit_test(truncated_texts_keep_their_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
