/* operation.h - operators in indexes that make no polynomial (/, %, shifts, bits, comparisons).
 *
 * The result of such an operation is a variable of polynomials (polynomial.h). A body has a list of
 * its operations, each after those in its operands, so all results can be computed in order once
 * the indexes and the values of a job are known.
 */
#ifndef YK_ACCESS_OPERATION_H
#define YK_ACCESS_OPERATION_H

#include "polynomial.h"

struct yk_operation {
    char sign[3]; /* as in C; "!" and "~" have only the operand a */
    struct yk_polynomial a, b;
    int unsigned_bits; /* of the type in which it is computed; 0: a signed one */
};
struct yk_operations { /* of a body */
    int count;
    struct yk_operation items[YK_OPERATIONS_MOST];
};

/* Adds an operation, or finds an equal one. Returns its result as a variable; -1: the list is full.
 */
int yk_operations_add(struct yk_operations *all, const struct yk_operation *operation);
/* Computes the result for these operands as 64-bit integers do. Returns 0 if C leaves it undefined,
 * if it overflows, or if operands or result would wrap in an unsigned type. */
int yk_operation_compute(const struct yk_operation *operation, int64_t a, int64_t b, int64_t *out);

#endif
