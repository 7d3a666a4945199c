/* operation.c - see operation.h. */
#include "operation.h"

#include <string.h>

int yk_operations_add(struct yk_operations *all, const struct yk_operation *operation)
{
    for (int n = 0; n < all->count; n++) {
        const struct yk_operation *known = &all->items[n];
        if (strcmp(known->sign, operation->sign) == 0 &&
            known->unsigned_bits == operation->unsigned_bits &&
            yk_polynomials_are_equal(&known->a, &operation->a) &&
            yk_polynomials_are_equal(&known->b, &operation->b))
            return YK_VAR_RESULT + n;
    }
    if (all->count == YK_OPERATIONS_MOST)
        return -1;
    all->items[all->count] = *operation;
    return YK_VAR_RESULT + all->count++;
}

static int divide(char sign, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return 0;
    *out = sign == '/' ? a / b : a % b;
    return 1;
}

static int shift(char sign, int64_t a, int64_t b, int64_t *out)
{
    if (a < 0 || b < 0 || b > 62)
        return 0;
    *out = a >> b;
    return sign == '>' || !__builtin_mul_overflow(a, INT64_C(1) << b, out);
}

static int64_t compare(const char *sign, int64_t a, int64_t b)
{
    switch (*sign) {
    case '<':
        return sign[1] ? a <= b : a < b;
    case '>':
        return sign[1] ? a >= b : a > b;
    case '=':
        return a == b;
    default: /* ! and != */
        return sign[1] ? a != b : !a;
    }
}

static int64_t combine_bits(const char *sign, int64_t a, int64_t b)
{
    switch (*sign) {
    case '&':
        return sign[1] ? a && b : (a & b);
    case '|':
        return sign[1] ? a || b : (a | b);
    case '^':
        return a ^ b;
    default:
        return ~a;
    }
}

/* Returns 1 if the value is the same in a type of so many unsigned bits; 0 bits: a signed type. */
static int fits(int bits, int64_t value)
{
    return !bits || (value >= 0 && (bits == 64 || value <= UINT32_MAX));
}

static int compute(const char *sign, int64_t a, int64_t b, int64_t *out)
{
    if (*sign == '/' || *sign == '%')
        return divide(*sign, a, b, out);
    if (sign[0] == sign[1] && (*sign == '<' || *sign == '>'))
        return shift(*sign, a, b, out);
    *out = strchr("<>=!", *sign) ? compare(sign, a, b) : combine_bits(sign, a, b);
    return 1;
}

int yk_operation_compute(const struct yk_operation *operation, int64_t a, int64_t b, int64_t *out)
{
    const int bits = operation->unsigned_bits;
    return fits(bits, a) && fits(bits, b) && compute(operation->sign, a, b, out) &&
           fits(bits, *out);
}
