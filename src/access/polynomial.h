/* polynomial.h - an index expression as a sum of products: i * YOKE_SIZE2 + j is { 1 i s2, 1 j }.
 */
#ifndef YK_ACCESS_POLYNOMIAL_H
#define YK_ACCESS_POLYNOMIAL_H

#include <stdint.h>
#include <yoke/job.h>

enum { YK_OPERATIONS_MOST = 24 };

/* The variables in products. LOADED is an unknown value from memory; INNER is unknown, but does not
 * depend on i. */
enum yk_variable {
    YK_VAR_I,
    YK_VAR_J,
    YK_VAR_K,
    YK_VAR_SIZE2,
    YK_VAR_SIZE3,
    YK_VAR_LOADED,
    YK_VAR_INNER,
    YK_VAR_VALUE,                                 /* + p: the value of parameter p */
    YK_VAR_RESULT = YK_VAR_VALUE + YOKE_ARGS_MAX, /* + n: of operation n (operation.h) */
    YK_VARIABLES = YK_VAR_RESULT + YK_OPERATIONS_MOST
};

enum { YK_TERMS_MOST = 12, YK_FACTORS_MOST = 4 };

struct yk_term {
    int64_t factor; /* never 0 */
    int count;
    unsigned char variable[YK_FACTORS_MOST]; /* in ascending order */
};
struct yk_polynomial {
    int count; /* 0: the value is 0 */
    struct yk_term terms[YK_TERMS_MOST];
};

struct yk_polynomial yk_polynomial_number(int64_t number);
struct yk_polynomial yk_polynomial_variable(int variable);
/* Returns 0 if the result would be too large; *out is then undefined. *out may be an operand. */
int yk_polynomial_add(const struct yk_polynomial *a, const struct yk_polynomial *b, int64_t times_b,
                      struct yk_polynomial *out);
int yk_polynomial_multiply(const struct yk_polynomial *a, const struct yk_polynomial *b,
                           struct yk_polynomial *out);
int yk_polynomial_has(const struct yk_polynomial *a, int variable);
/* Returns 1 if it has results of operations or i itself, so it need not be linear. */
int yk_polynomial_bends(const struct yk_polynomial *a);
/* Splits a into i * stride + rest. If it has powers of i, stride is 0. */
void yk_polynomial_divide(const struct yk_polynomial *a, struct yk_polynomial *stride,
                          struct yk_polynomial *rest);
/* Terms may be in another order. */
int yk_polynomials_are_equal(const struct yk_polynomial *a, const struct yk_polynomial *b);

#endif
