/* yoke/kernel_reduce.h - parameters that reduce, in every language.
 *
 *     YOKE_REDUCE(op, T, n)            folds all values that the body gives by yoke_reduce(n, v) or
 *                                      yoke_reduce_at(n, v, place) into one T (for MIN_AT and
 *                                      MAX_AT a yoke_at_T)
 *     YOKE_FOLD(fold, identity, T, n)  folds the values that the body gives by yoke_fold with the
 *                                      program's own YOKE_FN T fold(T a, T b), which must be
 *                                      associative and commutative up to rounding
 *
 * The range's sizes alone determine how it is cut into blocks of indexes (src/job/blocks.c). In a
 * block, the index of one dimension determines which lane folds a value: the fastest one, unless it
 * is short (yk_lane_axis). If few lanes get values of it, the next lanes get those of the next
 * index of the other dimensions, and so on in turn. Each lane folds its values in turn, and then
 * halves of the lanes are folded together. So a block's partial result has the same bits wherever
 * it is computed. It is stored in its own row: a block that is computed again after a failure
 * counts once, and no atomics are needed. The host folds the partial results. Loops:
 * kernel_reduce_cpu.h, kernel_reduce_device.h.
 */
#ifndef YOKE_KERNEL_REDUCE_H
#define YOKE_KERNEL_REDUCE_H

#include <yoke/kernel_each.h>

/* A parameter: one result of all indexes by an operator of yoke/reduce.h. The tuple has: mode,
 * type, name, identity, kind of operator (YK_REDUCES_...), operator. */
#define YOKE_REDUCE(op, T, n)                                                                      \
    (yk_reduce, YK_REDUCED_##op(T), n, YK_IDENTITY_##op(T), YK_REDUCES_##op, YK_REDUCE_##op)
/* A parameter: one result of all indexes by the program's own fold. */
#define YOKE_FOLD(fold, identity, T, n) (yk_reduce, T, n, identity, own, fold)

/* For use in bodies; also yoke_reduce_at(n, v, place) for MIN_AT and MAX_AT. In group kernels only
 * inside YOKE_LANES or YOKE_ONCE. */
#define yoke_reduce(n, v) yk_reduce_into(n##_takes_yoke_reduce, &YOKE_MINE(n), v)
/* Folds v into the result of the YOKE_FOLD parameter n. */
#define yoke_fold(n, fold, v) ((void)YK_FOLD_MARK(n, fold), YOKE_MINE(n) = fold(YOKE_MINE(n), v))
#define YK_FOLD_MARK(n, fold) YK_CAT(n##_takes_yoke_fold_, fold)

/* Number of lanes in range kernels; group kernels have their own number. */
enum { YK_REDUCE_LANES = 64 };
/* Most threads of a group, if lanes have several, and how many indexes of a block they do between
 * two barriers: as many as most blocks have, if the results of an index have 8 bytes
 * (kernel_spread_cuda.h). */
enum { YK_SPREAD_MOST = 512 };
#define YK_SPREAD_SECTION(bytes) ((bytes) <= 8 ? 1024 : 512)
enum {
    YK_REDUCE_SUM,
    YK_REDUCE_PRODUCT,
    YK_REDUCE_MIN,
    YK_REDUCE_MAX,
    YK_REDUCE_AND,
    YK_REDUCE_OR,
    YK_REDUCE_XOR,
    YK_REDUCE_MIN_AT,
    YK_REDUCE_MAX_AT
};

/* Kinds of operators: `made` by this library; `at`, which also keeps a place; the program's
 * `own`. */
#define YK_REDUCES_SUM        made
#define YK_REDUCES_PRODUCT    made
#define YK_REDUCES_MIN        made
#define YK_REDUCES_MAX        made
#define YK_REDUCES_AND        made
#define YK_REDUCES_OR         made
#define YK_REDUCES_XOR        made
#define YK_REDUCES_MIN_AT     at
#define YK_REDUCES_MAX_AT     at
#define YK_REDUCED_SUM(T)     T
#define YK_REDUCED_PRODUCT(T) T
#define YK_REDUCED_MIN(T)     T
#define YK_REDUCED_MAX(T)     T
#define YK_REDUCED_AND(T)     YK_CAT(YK_BITS_, T)
#define YK_REDUCED_OR(T)      YK_CAT(YK_BITS_, T)
#define YK_REDUCED_XOR(T)     YK_CAT(YK_BITS_, T)
#define YK_REDUCED_MIN_AT(T)  YK_CAT(yoke_at_, T)
#define YK_REDUCED_MAX_AT(T)  YK_CAT(yoke_at_, T)
/* Other types have no AND, OR and XOR: a parameter with one does not compile. */
#define YK_BITS_int32_t  int32_t
#define YK_BITS_uint32_t uint32_t
#define YK_BITS_int64_t  int64_t
#define YK_BITS_uint64_t uint64_t

#define YK_IDENTITY_SUM(T)     ((T)0)
#define YK_IDENTITY_PRODUCT(T) ((T)1)
#define YK_IDENTITY_MIN(T)     YK_CAT(YK_HIGHEST_, T)
#define YK_IDENTITY_MAX(T)     YK_CAT(YK_LOWEST_, T)
#define YK_IDENTITY_AND(T)     ((T) ~(T)0)
#define YK_IDENTITY_OR(T)      ((T)0)
#define YK_IDENTITY_XOR(T)     ((T)0)
#define YK_IDENTITY_MIN_AT(T)  YOKE_INIT(YK_CAT(yoke_at_, T), YK_CAT(YK_HIGHEST_, T), -1)
#define YK_IDENTITY_MAX_AT(T)  YOKE_INIT(YK_CAT(yoke_at_, T), YK_CAT(YK_LOWEST_, T), -1)
#define YK_HIGHEST_float       ((float)INFINITY)
#define YK_HIGHEST_double      ((double)INFINITY)
#define YK_HIGHEST_int32_t     INT32_MAX
#define YK_HIGHEST_uint32_t    UINT32_MAX
#define YK_HIGHEST_int64_t     INT64_MAX
#define YK_HIGHEST_uint64_t    UINT64_MAX
#define YK_LOWEST_float        (-(float)INFINITY)
#define YK_LOWEST_double       (-(double)INFINITY)
#define YK_LOWEST_int32_t      (-INT32_MAX - 1)
#define YK_LOWEST_uint32_t     0
#define YK_LOWEST_int64_t      (-INT64_MAX - 1)
#define YK_LOWEST_uint64_t     0

/* YK_IF_REDUCE gives F(type, name, identity, how, x) if p is a parameter that reduces, otherwise
 * nothing. YK_FORM appends `reducing` to a form's name if one of its parameters reduces, otherwise
 * `plain`. */
#define YK_IF_REDUCE(F, p) YK_IF_REDUCE_(F, YK_BARE p)
#define YK_IF_REDUCE_(...) YK_IF_REDUCE__(__VA_ARGS__)
#define YK_IF_REDUCE__(F, mode, ...)                                                               \
    YK_SECOND(YK_CAT(YK_IS_REDUCE_, mode), YK_NOTHING, ~)(F, __VA_ARGS__)
#define YK_IS_REDUCE_yk_reduce ~, YK_APPLY
#define YK_SECOND(...)         YK_SECOND_(__VA_ARGS__)
#define YK_SECOND_(a, b, ...)  b
#define YK_APPLY(F, ...)       F(__VA_ARGS__)
#define YK_NOTHING(F, ...)
#define YK_FORM(form, ...) YK_CAT(form, YK_FIRST(YK_EACH(YK_REDUCING, __VA_ARGS__) plain))
#define YK_REDUCING(k, p)  YK_IF_REDUCE(YK_REDUCING_, p)
#define YK_REDUCING_(...)  reducing,

/* The operator is a parameter of the body (the program's own fold has none), named so that a
 * compiler tells what is wrong: yoke_reduce on MIN_AT, say, does not compile. */
#define YK_HOW(what, how)                           YK_CAT(YK_HOW_##what##_, how)
#define YK_HOW_FORMAL_made(T, n, x)                 , T *YOKE_RESTRICT n, const int YK_UNUSED n##_takes_yoke_reduce
#define YK_HOW_FORMAL_own(T, n, x)                  , T *YOKE_RESTRICT n, const int YK_UNUSED YK_FOLD_MARK(n, x)
#define YK_HOW_ACTUAL_made(n, x)                    , x
#define YK_HOW_ACTUAL_own(n, x)                     , 0
#define YK_HOW_JOIN_made(x, p, v)                   yk_reduce_into(x, p, v)
#define YK_HOW_JOIN_own(x, p, v)                    (*(p) = x(*(p), v))
#define YK_FORMAL_yk_reduce(T, n, identity, how, x) YK_HOW(FORMAL, how)(T, n, x)
/* What follows the parameter's name in a call of the body. */
#define YK_ACTUAL_HOW(T, n, identity, how, x) YK_HOW(ACTUAL, how)(n, x)

#endif
