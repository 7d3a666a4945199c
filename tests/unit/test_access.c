/* test_access.c - index expressions of kernel texts as polynomials; texts that are truncated or
 * garbage may give fewer accesses, but never crash. */
#include "access/access.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/body.h"
#include "base/alloc.h"

static const char head[] = "#line 3 \"k.c\"\nYOKE_FN void yk_body_k(int64_t i, int64_t j, int64_t "
                           "yk_size2, int64_t yk_size3 , int n , "
                           "const float *x); void f() { } YOKE_FN void yk_body_k(int64_t i, "
                           "int64_t j, int64_t yk_size2, int64_t yk_size3 "
                           ", int n , const float *x)\n{\n";
static const yoke_param params[] = { { YOKE_PARAM_VALUE, "int", "n", 4, 4 },
                                     { YOKE_PARAM_IN, "float", "x", 4, 4 } };

static yoke_kernel kernel_of(const char *text)
{
    yoke_kernel kernel = { .struct_size = sizeof kernel,
                           .name = "k",
                           .params = params,
                           .param_count = 2,
                           .dimensions = 2 };
    kernel.opencl.source.text = text;
    return kernel;
}

/* Writes the polynomial as "12 i*s2 + j", terms in stored order; the result of an operation as
 * "(1*i/2)". */
static void write_polynomial(const struct yk_access *access, const struct yk_polynomial *p,
                             char *out, size_t room)
{
    static const char *const names[] = { "i", "j", "k", "s2", "s3", "load", "inner", "n" };
    size_t used = (size_t)snprintf(out, room, "%s", p->count ? "" : "0");
    for (int t = 0; t < p->count; t++) {
        used += (size_t)snprintf(out + used, room - used, "%s%lld", t ? " " : "",
                                 (long long)p->terms[t].factor);
        for (int v = 0; v < p->terms[t].count; v++) {
            const int variable = p->terms[t].variable[v];
            char a[64], b[64];
            if (variable < YK_VAR_RESULT) {
                used += (size_t)snprintf(out + used, room - used, "*%s", names[variable]);
                continue;
            }
            const struct yk_operation *of = &access->operations[variable - YK_VAR_RESULT];
            write_polynomial(access, &of->a, a, sizeof a);
            write_polynomial(access, &of->b, b, sizeof b);
            used += (size_t)snprintf(out + used, room - used, "*(%s%s%s)", a, of->sign, b);
        }
    }
}

/* Checks the accesses to x in a body: "stride | rest", separated by ";". */
static void expect(const char *body, const char *expected)
{
    char text[2048], found[512] = "", stride[128], rest[128];
    struct yk_access access;
    snprintf(text, sizeof text, "%s%s\n}\n", head, body);
    const yoke_kernel kernel = kernel_of(text);
    yk_access_open(&kernel, &access);
    for (int t = 0; t < access.count; t++) {
        write_polynomial(&access, &access.touches[t].stride, stride, sizeof stride);
        write_polynomial(&access, &access.touches[t].rest, rest, sizeof rest);
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s | %s", t ? "; " : "",
                 stride, rest);
    }
    yk_access_close(&access);
    if (strcmp(found, expected) != 0)
        fail_msg("%s\n  gives    %s\n  expected %s", body, found, expected);
}

static void expressions(void **state)
{
    (void)state;
    expect("x[i];", "1 | 0");
    expect("x[(i * yk_size2) + j - 1];", "1*s2 | 1*j -1");
    expect("x[(int64_t)i * 4 + 0x3u];", "4 | 3");
    expect("const int64_t at = i * n + j; x[at + 1] = x[at - n];", "1*n | 1*j 1; 1*n | 1*j -1*n");
    expect("const int64_t w = n, at = i * w; x[at];", "1*n | 0");
    expect("for (int t = -2; t < 3; ++t) x[i + t];", "1 | -2; 1 | 2");
    expect("for (int64_t t = n; t >= 1; t--) x[i - t];", "1 | -1*n; 1 | -1");
    expect("for (int t = 7; t > 3; t -= 1) x[i + t];", "1 | 7; 1 | 4");
    expect("for (int t = 0; t < 8; t += 2) x[i + t];", "1 | 0");
    expect("for (int t = 0; t < 8; t++) { if (n) break; x[i + t]; }", "1 | 0");
    expect("for (int t = 0; t < 8 && n; t++) x[i + t];", "1 | 0");
    expect("for (int t = 0; t < x[i]; t++) x[i + t];", "1 | 0");
    expect("for (int a = 0; a < n; a++) for (int b = 0; b <= a; b++) x[i + a + b];",
           "1 | 0; 1 | 2*n -2");
    expect("int64_t k = i; k += 3; x[k];", "");
    expect("int64_t k = i; f(&k); x[k];", "");
    expect("int64_t k = i; if (n) { int64_t k = 5; } x[k];", "");
    expect("x[i > 0 ? i - 1 : n];", "1 | -1; 0 | 1*n");
    expect("x[x[i]];", "0 | 1*load; 1 | 0");
    expect("int k = (int)(x[i] * 3.5f) % n; x[k & 7];", "1 | 0; 0 | 1*load");
    expect("x[j / 2]; x[i / 2]; x[min(j, 3)]; x[max(i, 3)];",
           "0 | 1*(1*j/2); 0 | 1*(1*i/2); 0 | 1*inner");
    expect("x[-i]; x[i * i]; x[i << 1]; x[2 * (i + (j + 3)) - j];",
           "-1 | 0; 0 | 1*i*i; 0 | 1*(1*i<<1); 2 | 1*j 6");
    expect("x[i % n + 1]; x[(i ^ 1) & ~n]; x[i + (i > 3)]; x[(i + x[j]) % n];",
           "0 | 1*(1*i%1*n) 1; 0 | 1*(1*(1*i^1)&1*(1*n~0)); 1 | 1*(1*i>3); 0 | 1*load; 0 | 1*j");
    expect("*(x + i + 1) = 3; y = 2 * (x + i)[1]; return *(x - i);", "1 | 1; -1 | 0");
    expect("x[x[i] - x[n]]; x[min(j, 3) - min(n, 2)]; x[i + x[i] - x[j]];",
           "0 | 1*load; 1 | 0; 0 | 1*n; 0 | 1*inner; 1 | 1*load; 0 | 1*j");
    expect("p.x[i]; q->x[0];", "");
    expect("x[9223372036854775807 * i + 9223372036854775807 * i];", "");
    expect("float s = \"x[0]\"; 'x'; x[1];", "0 | 1");
}

/* Where a variable has which value. */
static void locals(void **state)
{
    (void)state;
    expect("int t, u; for (t = 0; t < n; t++) x[i * n + t];", "1*n | 0; 1*n | 1*n -1");
    expect("int t; for (t = 0; t < n; t++) ; x[i + t];", "");
    expect("int t; for (t = 0; t < n; t++) { x[i + t]; t++; }", "");
    expect("for (int t = 1; t < 3; t++) x[t]; for (int t = 5; t < 7; t++) x[t];",
           "0 | 1; 0 | 5; 0 | 2; 0 | 6");
    expect("int t; for (t = 1; t < 3; t++) x[t]; for (t = 5; t < 7; t++) x[t];",
           "0 | 1; 0 | 5; 0 | 2; 0 | 6");
    expect("for (int t = 2; t < 5; t++) if (n) x[t]; else x[i + t];", "0 | 2; 1 | 2; 0 | 4; 1 | 4");
    expect("for (int t = 2; t < 5; t++) if (n) { x[t]; } else { t++; }", "");
    expect("int at; x[at]; at = i * n; x[at + 1]; { x[at + 2]; }", "1*n | 1; 1*n | 2");
    expect("int at = 3; at = i; x[at]; if (n) at = 4; x[at];", "");
    expect("int at = i; x[at]; { int at = 2 * i; x[at]; }", "2 | 0");
    expect("{ int at = i; x[at]; } { int at = 2 * i; x[at]; }", "1 | 0; 2 | 0");
    expect("int at; if (n) at = 4; x[at]; if (n) { at = 5; x[at]; }", "0 | 5");
    expect("int at; at = 4; while (n) { x[at]; at = 5; x[at]; }", "0 | 5");
    expect("float a = 1, at = i; x[(int)at];", "");
    expect("float f; f = i; x[(int)f]; q = i; x[q];", "");
    expect("int s = 0, t; for (s = 1, t = 2; s < n; t++) { x[t]; x[i + s]; }", "1 | 1");
    expect("int t; t = t; for (t = t; t < 9; t++) x[t]; for (t = 3; t < t; t++) x[t];", "0 | 3");
    expect("for (int t = (i - 1) * n; t < i * n; t++) x[t];", "1*n | -1*n; 1*n | -1");
    expect("int at = 0, *p = &at; at = i; *p = 3; x[at];", "");
    expect("const float *n = x; x[i + n];", "");
}

/* Checks the conditions of the last access to x, each after a blank; "no touch" if the access is
 * dropped. */
static void expect_guard(const char *body, const char *expected)
{
    static const char *const signs[] = { "<0", "<=0", "==0", "!=0" };
    char text[2048], found[512] = "", difference[128];
    struct yk_access access;
    snprintf(text, sizeof text, "%s%s\n}\n", head, body);
    const yoke_kernel kernel = kernel_of(text);
    yk_access_open(&kernel, &access);
    const struct yk_guard *guard = access.count ? &access.touches[access.count - 1].guard : NULL;
    for (int c = 0; guard && c < guard->count; c++) {
        write_polynomial(&access, &access.conditions[guard->number[c]].difference, difference,
                         sizeof difference);
        snprintf(found + strlen(found), sizeof found - strlen(found), " %s%s", difference,
                 signs[access.conditions[guard->number[c]].is]);
    }
    if (!guard)
        strcpy(found, "no touch");
    yk_access_close(&access);
    if (strcmp(found, expected) != 0)
        fail_msg("%s\n  gives    %s\n  expected %s", body, found, expected);
}

static void conditions(void **state)
{
    (void)state;
    expect_guard("x[i];", "");
    expect_guard("if (i > 0) x[i];", " -1*i<0");
    expect_guard("if (i > 0) { } x[i];", "");
    expect_guard("if (!(i >= n)) x[i];", " 1*i -1*n<0");
    expect_guard("if (i < n) f(); else x[i];", " 1*n -1*i<=0");
    expect_guard("if (n) x[i];", " 1*n!=0");
    expect_guard("if (i == 3 || (n < 2)) return; x[i];", " 2 -1*n<=0 3 -1*i!=0");
    expect_guard("if (i == 3) { if (n) return; } x[i];", " 3 -1*i!=0");
    expect_guard("if (n) { return; } else { return; } x[i];", " 1*n!=0 -1*n==0");
    expect_guard("return; x[i];", "no touch");
    expect_guard("for (int t = 0; t < n; t++) x[i + t];", " -1*n<0");
    expect_guard("for (int t = 0; t < n; t++) { if (i) break; } x[i];", "");
    expect_guard("for (int t = 0; t < n; t++) { if (i) return; } x[i];", "no touch");
    expect_guard("for (;;) { if (j == n) continue; x[i]; }", " 1*n -1*j!=0");
    expect_guard("while (n > 1) x[i];", " 1 -1*n<0");
    expect_guard("do { x[i]; } while (n > 1);", "");
    expect_guard("switch (n) { case 1: x[i]; }", "no touch");
    expect_guard("f(n && x[i]);", " 1*n!=0");
    expect_guard("f(n == 1 || x[i]);", " 1 -1*n!=0");
    expect_guard("y = n ? 2 : x[i];", " -1*n==0");
    expect_guard("y = n ? x[i] : 2;", " 1*n!=0");
    expect_guard("x[n ? i + 1 : 3];", " -1*n==0");
    expect_guard("const int k = n ? i : 0; x[k];", " -1*n==0");
    expect_guard("if (i == 1 || n) x[i];", "no touch"); /* of a disjunction nothing is known */
    expect_guard("if (f(i)) x[i];", "no touch");
    expect_guard("if (q[i] > 0) x[i];", "no touch");
    expect_guard("if (q[i] > 0) x[q[i]];", "");
    expect_guard("if (f(n)) x[q[i]];", "no touch");
    expect_guard("if (q[i] == q[j]) x[i + 1];", "no touch");
    expect_guard("if (q[i] != q[j]) return; x[i];", "no touch");
    expect_guard("for (int t = q[i]; t < q[i + 1]; t++) x[t];", "");
}

/* A variable whose value refers to itself many times: the analysis ends. */
static void names_of_themselves(void **state)
{
    (void)state;
    expect("int k = k + k * (k ? k : k + k) + k; x[k];", "");
    expect("int k = k ? k : k; if (k && k || !k) x[k]; for (int t = t; t < t; t++) x[t];", "");
}

static void what_is_changed(void **state)
{
    (void)state;
    expect("i += 1; x[i];", "");
    expect("for (int j = 0; j < 3; j++) x[j];", "");
    expect("n = 3; x[i * n]; x[n];", "");
    expect("x++; x[i];", "");
    expect("f(&x[i]);", "1 | 0");
    expect("for (int t = 3; t-- > 0;) x[i * 3 + t];", "");
    expect("for (int t = -1; t < 2;) { t++; x[i + t]; }", "");
    expect("x[(uint8_t)i]; x[(uint8_t)j + i]; uint8_t k = i; x[k];", "1 | 1*inner");
}

static void lines_are_the_users(void **state)
{
    (void)state;
    char text[2048];
    struct yk_access access;
    snprintf(text, sizeof text, "%s    f();\n    f();\n    x[i];\n}\n", head);
    const yoke_kernel kernel = kernel_of(text);
    yk_access_open(&kernel, &access);
    assert_int_equal(access.count, 1);
    assert_int_equal(access.touches[0].line, 7);
    yk_access_close(&access);
}

/* Truncated at each byte; each byte replaced by several characters; without memory: no crash, and
 * no leak. */
static void hostile_texts(void **state)
{
    (void)state;
    static const char signs[] = "(){}[];=\"'#\\?:-x9\n";
    char text[1024];
    struct yk_access access;
    const int length = snprintf(
        text, sizeof text,
        "%sconst int64_t at = (i * n + j) * (n ? 2 : 3);\nfor (int t = 0; t < n; t++) x[at + "
        "t] += x[x[t]];\n}\n",
        head);
    for (int at = 0; at < length; at++) {
        char *cut = strndup(text, (size_t)at);
        const yoke_kernel kernel = kernel_of(cut);
        yk_access_open(&kernel, &access);
        yk_access_close(&access);
        free(cut);
        for (const char *sign = signs; *sign; sign++) {
            char *changed = strdup(text);
            changed[at] = *sign;
            const yoke_kernel other = kernel_of(changed);
            yk_access_open(&other, &access);
            yk_access_close(&access);
            free(changed);
        }
    }
    const yoke_kernel kernel = kernel_of(text);
    for (int n = 1; n < 8; n++) {
        yk_alloc_fail_at(n);
        yk_access_open(&kernel, &access);
        yk_access_close(&access);
    }
    yk_alloc_fail_at(0);
    assert_int_equal(yk_alloc_outstanding(), 0);
    expect("x[i];", "1 | 0"); /* none of it leaves anything behind */
}

/* Deep nesting of brackets gives "cannot be told". */
static void deep(void **state)
{
    (void)state;
    enum { DEEP = 20000 };
    char *text = calloc(1, sizeof head + 2 * DEEP + 16);
    struct yk_access access;
    strcpy(text, head);
    strcat(text, "x[");
    memset(text + strlen(text), '(', DEEP);
    strcat(text, "i");
    memset(text + strlen(text), ')', DEEP);
    strcat(text, "];}");
    const yoke_kernel kernel = kernel_of(text);
    yk_access_open(&kernel, &access);
    assert_int_equal(access.count, 0);
    yk_access_close(&access);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions),     cmocka_unit_test(locals),
        cmocka_unit_test(conditions),      cmocka_unit_test(names_of_themselves),
        cmocka_unit_test(what_is_changed), cmocka_unit_test(lines_are_the_users),
        cmocka_unit_test(hostile_texts),   cmocka_unit_test(deep),
    };
    return cmocka_run_group_tests_name("access", tests, NULL, NULL);
}
