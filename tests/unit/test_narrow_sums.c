/* test_narrow_sums.c - which sums each thread of a second entry keeps: those of arrays that a body
 * only adds to, at constant indexes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "access/narrow.h"

#define ARRAYS "YOKE_GLOBAL const float *x , YOKE_GLOBAL float *z , YOKE_GLOBAL double *w "
#define HEAD   "int64_t i, int64_t j, int64_t yk_size2, int64_t yk_size3 , " ARRAYS

/* How many sums of z and w a thread keeps; -1: there is no second entry. `places` is what the entry
 * has for them. */
static void sums(const char *body, const char *places, int of_z, int of_w)
{
    static const yoke_param adds[] = { { YOKE_PARAM_IN, "float", "x", 4, 4 },
                                       { YOKE_PARAM_ADD, "float", "z", 4, 4 },
                                       { YOKE_PARAM_ADD, "double", "w", 8, 8 } };
    const yoke_kernel adding = { .struct_size = sizeof adding,
                                 .name = "k",
                                 .params = adds,
                                 .param_count = sizeof adds / sizeof *adds,
                                 .dimensions = 2 };
    char text[1024], wanted[64];
    struct yk_narrow narrow;
    snprintf(text, sizeof text,
             "YOKE_FN void yk_body_k(" HEAD "); extern \"C\" __global__ void "
             "yoke_entry_k(const yk_space yk_part, " ARRAYS ") { %s } YOKE_FN void yk_body_k(" HEAD
             ")\n{ %s }",
             places, body);
    yk_narrow_open(&adding, text, &narrow);
    if (of_z < 0)
        assert_null(narrow.text);
    else {
        assert_non_null(narrow.text);
        snprintf(wanted, sizeof wanted, "#define YK_SUMS_z %d\n", of_z);
        assert_non_null(strstr(narrow.text, wanted));
        snprintf(wanted, sizeof wanted, "#define YK_SUMS_w %d\n", of_w);
        assert_non_null(strstr(narrow.text, wanted));
        assert_int_equal(strstr(narrow.text, "yk_own_sum<float> *z") != NULL, of_z > 0);
        assert_int_equal(strstr(narrow.text, "yk_own_sum<double> *w") != NULL, of_w > 0);
        assert_int_equal(narrow.keeps_sums, of_z > 0 && of_w > 0);
    }
    yk_narrow_close(&narrow);
}

static void sums_of_threads(void **state)
{
    static const char places[] = "yk_thread_sums<float, YK_SUMS(z)> s;";
    (void)state;
    sums("yoke_add(&z[0], x[i]); yoke_add(&w[1], 1.0);", places, 1, 2);
    sums("for (int k = 0; k < 4; k++) for (int64_t l = 0; l <= k; l++) yoke_add(&z[k * 4 + l], 1);",
         places, 16, 0);
    sums("int k; for (k = 0; k < 4; k++) yoke_add(&z[k], 1); for (k = 0; k < 6; ++k) "
         "yoke_add(&w[k], "
         "1);",
         places, 4, 6);
    sums("int k; for (k = 0; k < 4; k++) { if (x[i] > 0) k++; yoke_add(&z[k], 1); }", places, -1,
         -1);
    sums("int k; for (k = 0; k < 4; k++) for (k = 0; k < 3; k++) yoke_add(&z[k], 1);", places, 3,
         0);
    sums("int k; for (k = 0; k < 4; k++) { for (k = 0; k < 3; k++) ; yoke_add(&z[k], 1); }", places,
         -1, -1);
    sums("int k; for (k = 0; k < 4; k++) ; yoke_add(&z[k], 1);", places, -1, -1);
    sums("int k = 0; for (k = 0; k < 4; k++) f(&k); yoke_add(&z[k], 1);", places, -1, -1);
    sums("const int k = 3; if (x[i] > 0) yoke_add(&z[(2 * k + 1)], 1);", places, 8, 0);
    sums("{ float z[4]; yoke_add(&z[i], 1); } yoke_add(&w[0], 1);", places, 0, 1);
    sums("for (int k = 0; k < 32; k++) yoke_add(&z[k], 1);", places, 32, 0);
    sums("for (int k = 0; k < 20; k++) { yoke_add(&z[k], 1); yoke_add(&w[k / 4], 1); }", places, 20,
         5);
    sums("for (int k = 0; k < 20; k++) { yoke_add(&z[k], 1); yoke_add(&w[k / 2], 1); }", places, 20,
         0);
    sums("yoke_add(w, x[i]); yoke_add(&w[1], 1);", places, 0, 2);
    sums("yoke_add(w, 1); helper(w, 1);", places, -1, -1);
    sums("yoke_add(&z[0], 1);", "", -1, -1);
    sums("for (int k = 0; k < 33; k++) yoke_add(&z[k], 1);", places, -1, -1);
    sums("for (int k = 0; k < 4; k++) yoke_add(&z[k - 1], 1);", places, -1, -1);
    sums("yoke_add(&z[0], 1); yoke_add(&z[(int)x[i] & 7], 1);", places, -1, -1);
    sums("yoke_add(&z[i > 5 ? 1 : 0], 1);", places, -1, -1);
    sums("yoke_add(&z[0], 1); yoke_add(z + 1, 1);", places, -1, -1);
    sums("yoke_add(&z[0], z[1]);", places, -1, -1);
    sums("yoke_add(&z[0], 1); helper(&z[1], 1);", places, -1, -1);
    sums("YOKE_GLOBAL float *other = z; yoke_add(&z[0], 1); yoke_add(&other[i], 1);", places, -1,
         -1);
    sums("int k = 0; k += i; yoke_add(&z[k], 1);", places, -1, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sums_of_threads) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
