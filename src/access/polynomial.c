/* polynomial.c - see polynomial.h. Small and exact: results that do not fit, or overflow, are given
 * up.
 */
#include "polynomial.h"

#include <string.h>

struct yk_polynomial yk_polynomial_number(int64_t number)
{
    return (struct yk_polynomial){ .count = number != 0, .terms = { { .factor = number } } };
}

struct yk_polynomial yk_polynomial_variable(int variable)
{
    return (struct yk_polynomial){
        .count = 1,
        .terms = { { .factor = 1, .count = 1, .variable = { (unsigned char)variable } } }
    };
}

static int are_alike(const struct yk_term *a, const struct yk_term *b)
{
    return a->count == b->count && memcmp(a->variable, b->variable, (size_t)a->count) == 0;
}

/* Two unknown values need not be the same one: their difference is unknown, too. */
static int is_unknown(const struct yk_term *term)
{
    for (int v = 0; v < term->count; v++)
        if (term->variable[v] == YK_VAR_LOADED || term->variable[v] == YK_VAR_INNER)
            return 1;
    return 0;
}

static int add_term(struct yk_polynomial *to, const struct yk_term *term)
{
    for (int t = 0; t < to->count; t++) {
        if (!are_alike(&to->terms[t], term))
            continue;
        if (__builtin_add_overflow(to->terms[t].factor, term->factor, &to->terms[t].factor))
            return 0;
        if (to->terms[t].factor == 0 && is_unknown(term))
            to->terms[t].factor = 1;
        else if (to->terms[t].factor == 0)
            to->terms[t] = to->terms[--to->count];
        return 1;
    }
    if (to->count == YK_TERMS_MOST)
        return 0;
    to->terms[to->count++] = *term;
    return 1;
}

int yk_polynomial_add(const struct yk_polynomial *a, const struct yk_polynomial *b, int64_t times_b,
                      struct yk_polynomial *out)
{
    struct yk_polynomial sum = *a;
    for (int t = 0; t < b->count; t++) {
        struct yk_term term = b->terms[t];
        if (__builtin_mul_overflow(term.factor, times_b, &term.factor) ||
            (term.factor != 0 && !add_term(&sum, &term)))
            return 0;
    }
    *out = sum;
    return 1;
}

static int multiply_terms(const struct yk_term *a, const struct yk_term *b, struct yk_term *out)
{
    int at_a = 0, at_b = 0;
    out->count = a->count + b->count;
    if (out->count > YK_FACTORS_MOST || __builtin_mul_overflow(a->factor, b->factor, &out->factor))
        return 0;
    for (int v = 0; v < out->count; v++)
        out->variable[v] =
            at_b == b->count || (at_a < a->count && a->variable[at_a] <= b->variable[at_b])
                ? a->variable[at_a++]
                : b->variable[at_b++];
    return 1;
}

int yk_polynomial_multiply(const struct yk_polynomial *a, const struct yk_polynomial *b,
                           struct yk_polynomial *out)
{
    struct yk_polynomial product = { 0 };
    for (int s = 0; s < a->count; s++)
        for (int t = 0; t < b->count; t++) {
            struct yk_term term;
            if (!multiply_terms(&a->terms[s], &b->terms[t], &term) || !add_term(&product, &term))
                return 0;
        }
    *out = product;
    return 1;
}

static int count_of(const struct yk_term *term, int variable)
{
    int count = 0;
    for (int v = 0; v < term->count; v++)
        count += term->variable[v] == variable;
    return count;
}

int yk_polynomial_has(const struct yk_polynomial *a, int variable)
{
    for (int t = 0; t < a->count; t++)
        if (count_of(&a->terms[t], variable))
            return 1;
    return 0;
}

int yk_polynomial_bends(const struct yk_polynomial *a)
{
    for (int t = 0; t < a->count; t++)
        for (int v = 0; v < a->terms[t].count; v++)
            if (a->terms[t].variable[v] == YK_VAR_I || a->terms[t].variable[v] >= YK_VAR_RESULT)
                return 1;
    return 0;
}

void yk_polynomial_divide(const struct yk_polynomial *a, struct yk_polynomial *stride,
                          struct yk_polynomial *rest)
{
    *stride = *rest = (struct yk_polynomial){ 0 };
    for (int t = 0; t < a->count; t++) {
        struct yk_term term = a->terms[t];
        int count = count_of(&term, YK_VAR_I);
        if (count > 1) {
            *stride = (struct yk_polynomial){ 0 };
            *rest = *a;
            return;
        }
        if (count) /* i has the lowest number, so it comes first */
            memmove(term.variable, term.variable + 1, (size_t)--term.count);
        struct yk_polynomial *to = count ? stride : rest;
        to->terms[to->count++] = term;
    }
}

int yk_polynomials_are_equal(const struct yk_polynomial *a, const struct yk_polynomial *b)
{
    struct yk_polynomial difference;
    return yk_polynomial_add(a, b, -1, &difference) && difference.count == 0;
}
