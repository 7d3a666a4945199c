/* test_narrow.c - bodies with 32-bit indexes: generated texts, bounds at the limit, and texts that
 * are truncated or garbage. */
#include "access/narrow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

#define PARAMETERS                                                                                 \
    "int64_t n , int32_t m , float f , YOKE_GLOBAL const float *YOKE_RESTRICT x , YOKE_GLOBAL "    \
    "const int32_t *YOKE_RESTRICT a , YOKE_GLOBAL const int64_t *YOKE_RESTRICT b , YOKE_GLOBAL "   \
    "const uint8_t *YOKE_RESTRICT c , YOKE_GLOBAL float *YOKE_RESTRICT y "
#define INDEXES "int64_t i, int64_t j, int64_t yk_size2, int64_t yk_size3 , "
static const char head[] =
    "enum { THREE = 3, FOUR, TEN = 2 * THREE + FOUR };\ntypedef int64_t long_index;\n"
    "typedef struct pair { int64_t u; float v; } pair_t;\n"
    "YOKE_FN void yk_body_k(" INDEXES PARAMETERS "); extern \"C\" __global__ void "
    "yoke_entry_k(const yk_space yk_part, " PARAMETERS ") { YK_AXIS(yk_i, yk_part.first, "
    "yk_part.last, x) if (yk_i_beyond) return; yk_body_k(yk_i, 0, 1, 1, n, m, f, x, a, b, c, y); } "
    "YOKE_FN void yk_body_k(" INDEXES PARAMETERS ")\n{ ";
static const yoke_param params[] = {
    { YOKE_PARAM_VALUE, "int64_t", "n", 8, 8 }, { YOKE_PARAM_VALUE, "int32_t", "m", 4, 4 },
    { YOKE_PARAM_VALUE, "float", "f", 4, 4 },   { YOKE_PARAM_IN, "float", "x", 4, 4 },
    { YOKE_PARAM_IN, "int32_t", "a", 4, 4 },    { YOKE_PARAM_IN, "int64_t", "b", 8, 8 },
    { YOKE_PARAM_IN, "uint8_t", "c", 1, 1 },    { YOKE_PARAM_OUT, "float", "y", 4, 4 }
};
static const yoke_kernel kernel = { .struct_size = sizeof kernel,
                                    .name = "k",
                                    .params = params,
                                    .param_count = sizeof params / sizeof *params,
                                    .dimensions = 2 };

static char *text_of(const char *body)
{
    const size_t room = sizeof head + strlen(body) + 8;
    char *text = malloc(room);
    assert_non_null(text);
    snprintf(text, room, "%s%s }", head, body);
    return text;
}

static struct yk_narrow narrow_of(const char *body)
{
    struct yk_narrow narrow;
    char *text = text_of(body);
    yk_narrow_open(&kernel, text, &narrow);
    free(text);
    return narrow;
}

/* The text between the body's outer braces. "": there is one entry. */
static void body_of(const struct yk_narrow *narrow, char *out, size_t room)
{
    const char *begin = narrow->text ? strstr(narrow->text, "{ ") : NULL;
    const char *end = begin ? strstr(begin, " }\nextern") : NULL;
    snprintf(out, room, "%.*s", end ? (int)(end - begin - 2) : 0, end ? begin + 2 : "");
}

static void expect(const char *body, const char *expected)
{
    char found[1024];
    struct yk_narrow narrow = narrow_of(body);
    body_of(&narrow, found, sizeof found);
    yk_narrow_close(&narrow);
    if (strcmp(found, expected) != 0)
        fail_msg("%s\n  gives    %s\n  expected %s", body, found, expected);
}

static void stays(const char *body)
{
    expect(body, "");
}

static void same(const char *body)
{
    expect(body, body);
}

static void heads(void **state)
{
    (void)state;
    struct yk_narrow narrow = narrow_of("y[i * n + j] = f;");
    assert_non_null(narrow.text);
    assert_non_null(strstr(narrow.text, "yk_body32_k(int32_t i, int32_t j, int64_t yk_size2, "
                                        "int64_t yk_size3 , int32_t n , int32_t m , float f , "));
    assert_non_null(strstr(narrow.text, "yoke_entry32_k(const yk_space yk_part, int64_t n"));
    assert_non_null(strstr(narrow.text, "YK_AXIS32(yk_i, yk_part.first, "));
    assert_non_null(strstr(narrow.text, "yk_body32_k(yk_i, 0, 1, 1, n,"));
    assert_null(strstr(narrow.text, "yk_body_k"));
    yk_narrow_close(&narrow);
}

static void gains(void **state)
{
    (void)state;
    stays("y[i] = f * x[i];");
    stays("y[i] = x[i - 1] + x[i + 1];");
    stays("y[a[i]] = x[i];");
    stays("if (i < n) y[i] = 1;");
    stays("b[0] + (i + j);");
    stays("g(i * n);");
    same("y[i * n + j] = x[j * m];");
    same("y[2 * i] = 0;");
}

static void expressions(void **state)
{
    (void)state;
    same("y[(i * yk_size2 + j) % n] = x[i / 2 - j / n];");
    expect("y[i * n + (int64_t)m] = 1;", "y[i * n + (int32_t)m] = 1;");
    expect("y[i * n + 3L] = 1;", "y[i * n + (int32_t)3L] = 1;");
    expect("y[i * n + 3u] = x[j * n];", "y[((int64_t)(i * n)) + 3u] = x[j * n];");
    expect("y[i * n + 3000000000] = x[j * n];", "y[((int64_t)(i * n)) + 3000000000] = x[j * n];");
    expect("y[i * n + b[j]] = x[j * n];", "y[((int64_t)(i * n)) + b[j]] = x[j * n];");
    expect("y[i * n + a[j]] = x[j * n];", "y[((int64_t)(i * n)) + a[j]] = x[j * n];");
    same("y[i * n + c[j]] = x[j * n];");
    expect("y[j * n] = i * n * n * n;", "y[j * n] = ((int64_t)(i * n * n)) * ((int64_t)(n));");
    expect("y[j * n] = i * i * i * i;", "y[j * n] = ((int64_t)(i * i * i)) * ((int64_t)(i));");
    same("y[i * n] = (float)(i * n) + i * 0.5f + f * (j - n);");
    expect("y[i * n] = g(i, x[i + j], 2 * j);",
           "y[i * n] = g(((int64_t)(i)), x[i + j], ((int64_t)(2 * j)));");
    expect("yoke_add(&y[i * n], i);", "yoke_add(&y[i * n], ((int64_t)(i)));");
    same("y[i * n] = i * n < j && !(i == n - 1) || j >= THREE ? 1 : 0;");
    expect("y[i * n] = i < b[j] || 3u > j;", "y[i * n] = ((int64_t)(i)) < b[j] || 3u > j;");
    same("y[i < 1 ? 0 : i > n - 2 ? n - 1 : i * n] = 1;");
    expect("y[i * n] = x[j > 0 ? j : b[i]];", "y[i * n] = x[j > 0 ? ((int64_t)(j)) : b[i]];");
    same("y[i * n] = -i + ~j + +n;");
    same("y[i * n & 255 | j ^ 3] = x[i >> 2] + x[j << 3];");
    expect("y[i * n] = (i + j) << 22;", "y[i * n] = ((int64_t)((i + j))) << 22;");
    same("y[i * n] = *(x + i * n) + *x;");
    expect("y[i * n] = 3[x] + i[x];", "y[i * n] = 3[x] + ((int64_t)(i))[x];");
    same("y[i * n] += x[i];");
    expect("b[i * n] += i; b[j] = i; m = 2; m += i;",
           "b[i * n] += ((int64_t)(i)); b[j] = i; m = 2; m += ((int64_t)(i));");
    same("y[i * n] = (uint8_t)(i * 7) + (int)i + (float)j;");
    expect("y[i * n] = (uint32_t)(j * 2);", "y[i * n] = (uint32_t)((int64_t)((j * 2)));");
    same("y[i * n] = ((i * 3)), j * n;");
    same("y[i * n] = 'c' + \"i * n\"[0];");
    same("y[i * n] = 1 + INT32_MAX - 1.5e3f + 0x1p-3;");
}

static void locals(void **state)
{
    (void)state;
    expect("const int64_t at = i * n + j; y[at + j] = x[at];",
           "const int32_t at = i * n + j; y[at + j] = x[at];");
    expect("const int64_t w = yk_size2, at = i * w; y[at + j] = 1;",
           "const int32_t w = yk_size2, at = i * w; y[at + j] = 1;");
    same("int64_t at = i * n, to; to = at; y[to] = 1;");
    same("int64_t at = i * n; at += j; y[at] = 1;");
    expect("int64_t at = i * n; at++; y[at * j] = x[i * j];",
           "int64_t at = i * n; at++; y[at * ((int64_t)(j))] = x[i * j];");
    expect("int64_t at = i; g(&at); y[at * j] = x[i * j];",
           "int64_t at = i; g(&at); y[at * ((int64_t)(j))] = x[i * j];");
    same("const int32_t at = (int32_t)i; y[at * n] = 1;");
    expect("uint8_t at = i * 3; y[at + j * n] = 1; const uint64_t u = i; b[u] = j;",
           "uint8_t at = i * 3; y[at + j * n] = 1; const uint64_t u = ((int64_t)(i)); b[u] = j;");
    expect("long_index at = i * n; y[at + j] = 1;", "int32_t at = i * n; y[at + j] = 1;");
    expect("int64_t i = b[0]; y[i * n] = x[j * n];",
           "int64_t i = b[0]; y[i * ((int64_t)(n))] = x[j * n];");
    expect("{ int64_t j = b[1]; y[j * n] = 1; } y[j * n] = 2;",
           "{ int64_t j = b[1]; y[j * ((int64_t)(n))] = 1; } y[j * n] = 2;");
    expect("n = 3; y[i * n] = x[i * j];", "n = 3; y[((int64_t)(i)) * n] = x[i * j];");
    stays("i++; y[i * n] = 1;");
    expect("float t[3] = { i, 2, j * n }; y[i * n] = t[j % 3];",
           "float t[3] = { ((int64_t)(i)), 2, ((int64_t)(j * n)) }; y[i * n] = t[j % 3];");
    expect("pair_t p = { .u = i, .v = 2 }; y[i * n] = p.u * j;",
           "pair_t p = { .u = ((int64_t)(i)), .v = 2 }; y[i * n] = p.u * j;");
    expect("y[i * j] = (pair_t){ j, 1 }.u;", "y[i * j] = (pair_t){ ((int64_t)(j)), 1 }.u;");
    same("const float *row = x + i * n; y[i * n + j] = row[j * 2];");
    expect("y[i * n] = sizeof(j) + x[j * n];", "y[i * n] = sizeof(j) + x[j * ((int64_t)(n))];");
    same("enum { SIX = 6 }; y[i * SIX + TEN] = 1;");
    same("YOKE_GLOBAL float *p = y; p[i * n] = *p;");
}

static void loops(void **state)
{
    (void)state;
    expect("for (int64_t k = 0; k < n; k++) y[k] += 1;",
           "for (int32_t k = 0; k < n; k++) y[k] += 1;");
    expect("for (int64_t k = n - 1; k >= 0; k -= 2) y[i * n + k] = 1;",
           "for (int32_t k = n - 1; k >= 0; k -= 2) y[i * n + k] = 1;");
    expect("for (int64_t k = a[i]; k < a[i + 1]; ++k) y[k] = 1;",
           "for (int32_t k = a[i]; k < a[i + 1]; ++k) y[k] = 1;");
    stays("for (int64_t k = a[i]; k <= a[i + 1]; ++k) y[k] = 1;");
    stays("for (int64_t k = b[i]; k < b[i + 1]; ++k) y[k] = 1;");
    stays("for (int64_t k = 0; k < n; k++) k *= 2;");
    stays("for (int64_t k = 0; k < n; k++) g(&k);");
    stays("for (int64_t k = 0; k != n; k++) y[k] = 1;");
    stays("for (int64_t k = 0; k < n; k += j) y[k] = 1;");
    stays("for (int64_t k = 0; k < k + n; k++) y[k] = 1;");
    expect("for (int64_t k = 0; k < n && x[k] > 0; k += THREE) y[k] = 1;",
           "for (int32_t k = 0; k < n && x[k] > 0; k += THREE) y[k] = 1;");
    stays("for (int64_t k = 0; k < n || x[k] > 0; k++) y[k] = 1;");
    same("for (int k = -THREE; k <= THREE; k++) y[j + k] += x[i * n + k];");
    expect("for (int k = 0; k < m; k *= 2) y[i * n + k] = x[j * n];",
           "for (int k = 0; k < m; k *= 2) y[((int64_t)(i * n)) + k] = x[j * n];");
    expect(
        "for (int64_t k = 0; k < n; k++) y[k] = 1; for (int64_t k = 0; k < b[0]; k++) y[k] = 1;",
        "for (int32_t k = 0; k < n; k++) y[k] = 1; for (int64_t k = 0; k < b[0]; k++) y[k] = 1;");
    expect(
        "int k; for (k = 0; k < m; k++) y[i * 4 + k] = 1; y[j * n] = x[j * n + k];",
        "int k; for (k = 0; k < m; k++) y[i * 4 + k] = 1; y[j * n] = x[((int64_t)(j * n)) + k];");
    expect("for (int64_t k = 0, q = n; k < q; k++) y[k] = x[i * n];",
           "for (int64_t k = 0, q = n; k < q; k++) y[k] = x[i * n];");
    expect("int64_t k; for (k = 0; k < n; k++) y[i * n] = x[k];",
           "int64_t k; for (k = 0; k < ((int64_t)(n)); k++) y[i * n] = x[k];");
    same("while (f > i * n) { if (i < j) break; else continue; }  do f--; while (f > 0);");
    same("switch (m) { case THREE: y[i * n] = 1; break; default: ; } return;");
    expect("switch (i) { case 3: y[i * n] = 1; }",
           "switch (((int64_t)(i))) { case 3: y[i * n] = 1; }");
    same("\n#pragma unroll 4\nfor (int k = 0; k < 4; k++)\n#line 7 \"z.c\"\ny[i * n + k] = 1;");
}

/* Texts that are ambiguous or cannot be read. */
static void unread(void **state)
{
    (void)state;
    stays("y[i * n] = (real)-j * n;");
    stays("y[i * n] = (real)(j) * n;");
    same("y[i * n] = (real)f + (THREE)-j + (f) * 2;");
    stays("goto end; end: y[i * n] = 1;");
    stays("asm(\"nop\"); y[i * n] = 1;");
    stays("y[i * n] = ({ int q = 1; q; });");
    stays("y[i * n] = i ? j : n = 3;");
    stays("y[i * n = 3;");
    stays("y[i * n] = 1 +;");
    stays("{ y[i * n] = 1;");
    stays("int64_t &r = n; y[i * n] = 1;");
    stays("struct q { int64_t u; } q; y[i * n] = 1;");
    stays("y[i * n] = g<int>(i);");
}

static struct yk_bounds_place place_of(int64_t rows, int64_t columns, int64_t n, int64_t m)
{
    return (struct yk_bounds_place){ .index = { { 0, rows - 1 }, { 0, columns - 1 }, { 0, 0 } },
                                     .size = { columns, 1 },
                                     .value = { n, m } };
}

/* The body may run with these numbers, but not with one row, column, n or m more. */
static void edge(const char *body, const int64_t at[4], int more)
{
    struct yk_narrow narrow = narrow_of(body);
    assert_non_null(narrow.text);
    int64_t number[4] = { at[0], at[1], at[2], at[3] };
    struct yk_bounds_place place = place_of(number[0], number[1], number[2], number[3]);
    if (!yk_bounds_hold(&narrow.bounds, &place))
        fail_msg("%s: does not hold", body);
    number[more]++;
    place = place_of(number[0], number[1], number[2], number[3]);
    if (yk_bounds_hold(&narrow.bounds, &place))
        fail_msg("%s: holds with one more", body);
    yk_narrow_close(&narrow);
}

static void edges(void **state)
{
    (void)state;
    const int64_t two31 = INT64_C(1) << 31;
    edge("y[i * yk_size2 + j] = 1;", (int64_t[]){ 46341, 46340, 1, 1 }, 1);
    edge("y[i * n] = 1;", (int64_t[]){ 2, 1, two31 - 1, 1 }, 2);
    edge("y[i * n] = 1;", (int64_t[]){ two31, 1, 1, 1 }, 0);
    edge("for (int64_t k = 0; k < n; k++) y[i] += x[k];", (int64_t[]){ two31, 1, 1, 1 }, 0);
    edge("for (int64_t k = 0; k < n; k++) y[i] += x[k]; i++;", (int64_t[]){ two31, 1, 1, 1 }, 0);
    edge("for (int64_t k = 0; k < n; k++) y[j] += x[k];", (int64_t[]){ 1, two31, 1, 1 }, 1);
    edge("y[i * 2 + 1] = 1;", (int64_t[]){ two31 / 2, 1, 1, 1 }, 0);
    edge("for (int64_t k = 0; k < n; k++) y[k] = 1;", (int64_t[]){ 1, 1, two31 - 1, 1 }, 2);
    edge("for (int64_t k = 0; k < n; k += 8) y[k] = 1;", (int64_t[]){ 1, 1, two31 - 8, 1 }, 2);
    edge("for (int64_t k = 0; k <= m; k++) y[k * 2] = 1;", (int64_t[]){ 1, 1, 1, two31 / 2 - 1 },
         3);
    edge("for (int k = 0; k < m; k++) y[i + k] = 1;", (int64_t[]){ two31 / 2, 1, 1, two31 / 2 + 1 },
         3);
    edge("int k; for (k = 0; k < m; k++) y[i + k] = 1;",
         (int64_t[]){ two31 / 2, 1, 1, two31 / 2 + 1 }, 3);
    edge("y[(i << 3) + j] = 1;", (int64_t[]){ two31 / 8, 8, 1, 1 }, 1);
    edge("y[(char)200 * n] = 1;", (int64_t[]){ 1, 1, INT32_MAX / 255, 1 }, 2);
    edge("const char t = 200; y[t * n] = 1;", (int64_t[]){ 1, 1, INT32_MAX / 255, 1 }, 2);
    edge("y[(uint8_t)200 * n] = 1;", (int64_t[]){ 1, 1, INT32_MAX / 200, 1 }, 2);
    edge("y[(uint8_t)256 * n] = 1;", (int64_t[]){ 1, 1, INT32_MAX / 255, 1 }, 2);
    edge("y[n - i] = x[-j * n];", (int64_t[]){ 1, 2, two31 - 1, 1 }, 2);
}

/* Compares with 64-bit results, for all pairs of a few operands. */
static int64_t computed(enum yk_bounds_op op, int64_t a, int64_t b)
{
    switch (op) {
    case YK_BOUNDS_ADD:
        return a + b;
    case YK_BOUNDS_SUBTRACT:
        return a - b;
    case YK_BOUNDS_MULTIPLY:
        return a * b;
    case YK_BOUNDS_DIVIDE:
        return a / b;
    case YK_BOUNDS_REMAINDER:
        return a % b;
    case YK_BOUNDS_SHIFT_LEFT:
        return a * (INT64_C(1) << b);
    case YK_BOUNDS_SHIFT_RIGHT:
        return a >> b;
    case YK_BOUNDS_AND:
        return a & b;
    case YK_BOUNDS_OR:
        return a | b;
    case YK_BOUNDS_NEGATE:
        return -a;
    default:
        return ~a;
    }
}

static void check_operation(enum yk_bounds_op op, struct yk_bounds a, struct yk_bounds b)
{
    struct yk_bounds_list list = { 0 };
    const struct yk_bounds_place place = { .size = { 1, 1 } };
    const int x = yk_bounds_add(&list, &(struct yk_bounds_node){ .range = a }, &place);
    const int y = yk_bounds_add(&list, &(struct yk_bounds_node){ .range = b }, &place);
    const int n =
        yk_bounds_add(&list, &(struct yk_bounds_node){ .op = op, .a = x, .b = y }, &place);
    const struct yk_bounds is = list.nodes[n].is;
    for (int64_t u = a.low; u <= a.high; u++)
        for (int64_t v = b.low; v <= b.high; v++) {
            if ((op == YK_BOUNDS_DIVIDE || op == YK_BOUNDS_REMAINDER) && v == 0)
                continue;
            if ((op == YK_BOUNDS_SHIFT_LEFT || op == YK_BOUNDS_SHIFT_RIGHT) && (v < 0 || v > 31))
                continue;
            const int64_t exact = computed(op, u, v);
            if (exact < is.low || exact > is.high)
                fail_msg("operation %d of %lld and %lld", op, (long long)u, (long long)v);
            if (op == YK_BOUNDS_REMAINDER && u == INT32_MIN && v == -1 && yk_bounds_fit(is))
                fail_msg("INT32_MIN %% -1 is no number of 32 bits");
        }
    yk_bounds_close(&list);
}

static void operations(void **state)
{
    (void)state;
    static const int64_t ends[] = { INT32_MIN, INT32_MIN + 3, -5, -1, 0, 1, 4, 30, INT32_MAX - 2 };
    enum { ENDS = sizeof ends / sizeof *ends };
    for (int op = YK_BOUNDS_ADD; op <= YK_BOUNDS_COMPLEMENT; op++)
        for (int a = 0; a < ENDS; a++)
            for (int b = 0; b < ENDS; b++)
                for (int64_t more = 0; more <= 2; more++)
                    check_operation((enum yk_bounds_op)op,
                                    (struct yk_bounds){ ends[a], ends[a] + more },
                                    (struct yk_bounds){ ends[b], ends[b] + 2 - more });
}

static const char long_body[] =
    "const int64_t at = i * n + j; for (int64_t k = 0; k < n; k++) { uint8_t t = at * 3; y[at + k] "
    "= x[t ? (int64_t)m : k] + g(i, (pair_t){ j, 1 }) + (float)i; } switch (m) { case 1: break; }";

/* A prefix gives no second entry; with any byte removed there is no crash and no leak. */
static void cut_short(void **state)
{
    (void)state;
    char *text = text_of(long_body);
    const size_t length = strlen(text);
    for (size_t cut = 0; cut < length; cut++) {
        struct yk_narrow narrow;
        char *copy = strdup(text);
        assert_non_null(copy);
        copy[cut] = 0;
        yk_narrow_open(&kernel, copy, &narrow);
        assert_null(narrow.text);
        memcpy(copy, text, length);
        memmove(copy + cut, copy + cut + 1, length - cut);
        yk_narrow_open(&kernel, copy, &narrow);
        yk_narrow_close(&narrow);
        free(copy);
    }
    free(text);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void deep(void **state)
{
    (void)state;
    char body[4096];
    memset(body, '(', 2000);
    memset(body + 2000, ')', 2000);
    body[4000] = 0;
    stays(body);
    memset(body, '{', 4000);
    stays(body);
    memset(body, '-', 4000);
    stays(body);
}

static void without_memory(void **state)
{
    (void)state;
    char *text = text_of(long_body);
    int failed, nth = 0;
    do {
        struct yk_narrow narrow;
        yk_alloc_fail_at(++nth);
        yk_narrow_open(&kernel, text, &narrow);
        failed = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_int_equal(narrow.text == NULL, failed);
        yk_narrow_close(&narrow);
        assert_int_equal(yk_alloc_outstanding(), 0);
    } while (failed);
    assert_in_range(nth, 5, 100);
    free(text);
}

static void other_kernels(void **state)
{
    (void)state;
    struct yk_narrow narrow;
    char *text = text_of("y[i * n] = 1;");
    yoke_kernel other = kernel;
    other.lanes = 64;
    yk_narrow_open(&other, text, &narrow);
    assert_null(narrow.text);
    other = kernel;
    other.kind = YOKE_KERNEL_STEP;
    yk_narrow_open(&other, text, &narrow);
    assert_null(narrow.text);
    yoke_param reducing[YOKE_ARGS_MAX];
    memcpy(reducing, kernel.params, (size_t)kernel.param_count * sizeof *reducing);
    reducing[kernel.param_count - 1].mode = YOKE_PARAM_REDUCE;
    other = kernel;
    yk_narrow_open(&other, text, &narrow);
    assert_non_null(narrow.text);
    yk_narrow_close(&narrow);
    other.params = reducing;
    yk_narrow_open(&other, text, &narrow);
    assert_null(narrow.text);
    other = kernel;
    other.name = "another";
    yk_narrow_open(&other, text, &narrow);
    assert_null(narrow.text);
    yk_narrow_open(&kernel, NULL, &narrow);
    assert_null(narrow.text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads),         cmocka_unit_test(gains),
        cmocka_unit_test(locals),        cmocka_unit_test(expressions),
        cmocka_unit_test(loops),         cmocka_unit_test(unread),
        cmocka_unit_test(edges),         cmocka_unit_test(operations),
        cmocka_unit_test(cut_short),     cmocka_unit_test(deep),
        cmocka_unit_test(other_kernels), cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
