/* yoke/reduce.h - results of reductions (YOKE_REDUCE, YOKE_FOLD): the meaning of operators.
 *
 * | operator | of | without a value | |
 * | --- | --- | --- | --- |
 * | SUM, PRODUCT | all numbers | 0, 1 | integers wrap around |
 * | MIN, MAX | all numbers | INFINITY, -INFINITY; the type's limit | NaNs are ignored |
 * | AND, OR, XOR | integers | all bits; 0; 0 | of bits |
 * | MIN_AT, MAX_AT | all numbers | as MIN or MAX, place -1 | of equal values the lowest place |
 *
 * Numbers are int32_t, uint32_t, int64_t, uint64_t, float and double. A result is the operator
 * applied to all values; to no value if the range is empty or all values are NaN. Values are
 * combined in an order that depends only on the range's sizes, so a job's result has the same bits
 * on any devices, for any split, every time. For bodies with products and sums, which compilers may
 * fuse, this holds if the file is built with EXACT (docs/kernels.md, docs/adr/017).
 */
#ifndef YOKE_REDUCE_H
#define YOKE_REDUCE_H

#include <stdint.h>

/* Result of MIN_AT and MAX_AT for float: a value, and the place (>= 0) that was given with it. */
typedef struct yoke_at_float {
    float value;   /* the smallest or the largest */
    int64_t place; /* where it is; -1: there is none */
} yoke_at_float;
/* Result of MIN_AT and MAX_AT for double. */
typedef struct yoke_at_double {
    double value;  /* the smallest or the largest */
    int64_t place; /* where it is; -1: there is none */
} yoke_at_double;
/* Result of MIN_AT and MAX_AT for int32_t. */
typedef struct yoke_at_int32_t {
    int32_t value; /* the smallest or the largest */
    int64_t place; /* where it is; -1: there is none */
} yoke_at_int32_t;
/* Result of MIN_AT and MAX_AT for uint32_t. */
typedef struct yoke_at_uint32_t {
    uint32_t value; /* the smallest or the largest */
    int64_t place;  /* where it is; -1: there is none */
} yoke_at_uint32_t;
/* Result of MIN_AT and MAX_AT for int64_t. */
typedef struct yoke_at_int64_t {
    int64_t value; /* the smallest or the largest */
    int64_t place; /* where it is; -1: there is none */
} yoke_at_int64_t;
/* Result of MIN_AT and MAX_AT for uint64_t. */
typedef struct yoke_at_uint64_t {
    uint64_t value; /* the smallest or the largest */
    int64_t place;  /* where it is; -1: there is none */
} yoke_at_uint64_t;

#endif
