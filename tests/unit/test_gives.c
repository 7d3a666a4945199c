/* test_gives.c - which kernels may fold an index's values by themselves (access/gives.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <yoke/kernel_type.h>

#include "access/gives.h"

/* A kernel with one result r of this type, whose body is `body`. */
static int gives_apart(const char *type, const char *body)
{
    char text[1000];
    const yoke_param params[] = { { YOKE_PARAM_IN, "float", "x", 4, 4 },
                                  { YOKE_PARAM_REDUCE, type, "r", 8, 8 } };
    const yoke_kernel kernel = { .name = "k", .params = params, .param_count = 2, .dimensions = 1 };
    snprintf(text, sizeof text,
             "void yk_body_k(long i, float *x, double *r, int r_takes); void yk_body_k(long i, "
             "float *x, double *r, int r_takes) { %s }",
             body);
    return yk_gives_apart(&kernel, text);
}

#define GIVE "yk_reduce_into(r_takes_yoke_reduce, &(*YK_MINE(r)), x[i]);"
#define FOLD "((void)r_takes_yoke_fold_f, *YK_MINE(r) = f(*YK_MINE(r), x[i]));"

static void one_value_outside_loops(void **state)
{
    (void)state;
    assert_true(gives_apart("double", GIVE));
    assert_true(gives_apart("double", FOLD));
    assert_true(gives_apart("double", "if (x[i] > 0) " GIVE " else x[i] = 1;"));
    assert_true(gives_apart("double", "for (;;) { break; } while (0) if (x[i]) ; else ; " GIVE));
    assert_true(gives_apart("double", "do { x[i]++; } while (x[i] < 3); " GIVE));
}

static void several_values(void **state)
{
    (void)state;
    assert_false(gives_apart("double", GIVE GIVE));
    assert_false(gives_apart("double", GIVE FOLD));
    assert_false(gives_apart("double", "for (;;) " GIVE));
    assert_false(gives_apart("double", "for (;;) { if (x[i]) { i++; } " GIVE " }"));
    assert_false(gives_apart("double", "for (;;) if (x[i]) i++; else " GIVE));
    assert_false(gives_apart("double", "while (x[i]) for (;;) { i++; " GIVE " }"));
    assert_false(gives_apart("double", "do { " GIVE " } while (i < 3);"));
    assert_false(gives_apart("double", "again: " GIVE " if (x[i]) goto again;"));
}

static void other_uses(void **state)
{
    (void)state;
    assert_false(gives_apart("double", "*r += x[i];"));
    assert_false(gives_apart("double", GIVE "*r += x[i];"));
    assert_false(gives_apart("double", "helper(r);" GIVE));
    assert_false(gives_apart("double", ""));
}

static void integers(void **state)
{
    (void)state;
    assert_true(gives_apart("int64_t", GIVE GIVE));
    assert_true(gives_apart("uint32_t", "for (;;) " GIVE));
    assert_false(gives_apart("int64_t", "for (;;) " FOLD)); /* the program's own fold */
}

static void unreadable(void **state)
{
    const yoke_kernel kernel = { .name = "k" };
    (void)state;
    assert_false(yk_gives_apart(&kernel, NULL));
    assert_false(yk_gives_apart(&kernel, "void yk_body_k(long i) { "));
    assert_false(yk_gives_apart(&kernel, "void yk_body_k(long i) { }")); /* no result */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_value_outside_loops),
        cmocka_unit_test(several_values),
        cmocka_unit_test(other_uses),
        cmocka_unit_test(integers),
        cmocka_unit_test(unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
