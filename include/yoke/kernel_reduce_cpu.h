/* yoke/kernel_reduce_cpu.h - kernels that reduce (kernel_reduce.h), on the CPU: loops over blocks
 * with the lanes as the innermost loop, which vectorises.
 */
#ifndef YOKE_KERNEL_REDUCE_CPU_H
#define YOKE_KERNEL_REDUCE_CPU_H

#include <yoke/kernel_lanes.h>
#include <yoke/kernel_reduce.h>
#include <yoke/prelude.h>
#include <yoke/reduce.h>

/* --- values --- */

/* Folds v into *p; integers wrap. */
#define YK_REDUCE_NUMBER(T, W, bits)                                                               \
    YOKE_FN void yk_reduce_##T(const int op, T *p, const T v)                                      \
    {                                                                                              \
        *p = op == YK_REDUCE_SUM       ? (T)((W)*p + (W)v)                                         \
             : op == YK_REDUCE_PRODUCT ? (T)((W)*p * (W)v)                                         \
             : op == YK_REDUCE_MIN     ? (v < *p ? v : *p)                                         \
             : op == YK_REDUCE_MAX     ? (v > *p ? v : *p)                                         \
                                       : bits(op, *p, v);                                              \
    }                                                                                              \
    YOKE_FN void yk_reduce_place_##T(const int op, T *p, int64_t *at, const T v,                   \
                                     const int64_t place)                                          \
    {                                                                                              \
        const uint64_t first = (uint64_t)place < (uint64_t)*at ? (uint64_t)place : (uint64_t)*at;  \
        const int64_t equal = v == *p ? (int64_t)first : *at;                                      \
        const int is_better = op == YK_REDUCE_MIN_AT ? v < *p : v > *p;                            \
        *at = is_better ? place : equal;                                                           \
        *p = is_better ? v : *p;                                                                   \
    }
#define YK_REDUCE_BITS(op, a, b)                                                                   \
    (op == YK_REDUCE_AND ? (a) & (b) : op == YK_REDUCE_OR ? (a) | (b) : (a) ^ (b))
#define YK_REDUCE_NO_BITS(op, a, b) (a)
YK_REDUCE_NUMBER(int32_t, uint32_t, YK_REDUCE_BITS)
YK_REDUCE_NUMBER(uint32_t, uint32_t, YK_REDUCE_BITS)
YK_REDUCE_NUMBER(int64_t, uint64_t, YK_REDUCE_BITS)
YK_REDUCE_NUMBER(uint64_t, uint64_t, YK_REDUCE_BITS)
YK_REDUCE_NUMBER(float, float, YK_REDUCE_NO_BITS)
YK_REDUCE_NUMBER(double, double, YK_REDUCE_NO_BITS)
#define yk_reduce_into(op, p, v) _Generic((p), YK_REDUCE_CHOICES(yk_reduce_))(op, p, v)
#define yk_reduce_place(op, p, at, v, place)                                                       \
    _Generic((p), YK_REDUCE_CHOICES(yk_reduce_place_))(op, p, at, v, place)
#define YK_REDUCE_CHOICES(f)                                                                       \
    int32_t * : f##int32_t,                                                                        \
                uint32_t * : f##uint32_t,                                                          \
                             int64_t * : f##int64_t,                                               \
                                         uint64_t * : f##uint64_t,                                 \
                                                      float * : f##float,                          \
                                                                double * : f##double

/* Values and places are in separate arrays here, so that both vectorise. */
#define yoke_reduce_at(n, v, place)                                                                \
    yk_reduce_place(n##_takes_yoke_reduce_at, &YOKE_MINE(n), &YOKE_MINE(n##_yk_place), v, place)
#define YK_VALUE_OF(T) __typeof__(((T *)0)->value)
#define YK_HOW_FORMAL_at(T, n, x)                                                                  \
    , YK_VALUE_OF(T) * YOKE_RESTRICT n, int64_t *YOKE_RESTRICT n##_yk_place,                       \
        const int YK_UNUSED n##_takes_yoke_reduce_at
#define YK_HOW_ACTUAL_at(n, x) , n##_yk_place, x

/* YK_LANE_HERE is the present lane: in a group kernel's body, a variable of YOKE_LANES, which hides
 * this function; elsewhere 0.
 */
static inline int YK_UNUSED yk_lane(void)
{
    return 0;
}
#define YK_LANE_HERE _Generic(&yk_lane, int (*)(void) : 0, default : yk_lane)

/* --- lanes --- */

#define YK_LANES_OPEN(k, p) YK_IF_REDUCE(YK_LANES_OPEN_, p)
#define YK_LANES_OPEN_(T, n, identity, how, x)                                                     \
    YK_HOW(OPEN, how)(T, n) const T n##_yk_none = identity;                                        \
    for (int yk_l = 0; yk_l < yk_used; ++yk_l)                                                     \
    YK_HOW(PUT, how)(n, n##_yk_none)
#define YK_LANES_FOLD(n, how, x)                                                                   \
    YK_LANES_HALF(512, n, how, x)                                                                  \
    YK_LANES_HALF(256, n, how, x)                                                                  \
    YK_LANES_HALF(128, n, how, x)                                                                  \
    YK_LANES_HALF(64, n, how, x)                                                                   \
    YK_LANES_HALF(32, n, how, x)                                                                   \
    YK_LANES_HALF(16, n, how, x)                                                                   \
    YK_LANES_HALF(8, n, how, x)                                                                    \
    YK_LANES_HALF(4, n, how, x)                                                                    \
    YK_LANES_HALF(2, n, how, x)                                                                    \
    YK_LANES_HALF(1, n, how, x)
/* Folds the upper half of twice as many lanes into the lower half. */
#define YK_LANES_HALF(half, n, how, x)                                                             \
    if (yk_reduce_lanes > (half) && yk_used > (half))                                              \
        for (int yk_l = 0; yk_l < (half); ++yk_l)                                                  \
    YK_HOW(HALVE, how)(n, x, (half) % yk_reduce_lanes)
#define YK_LANES_CLOSE(k, p) YK_IF_REDUCE(YK_LANES_CLOSE_, p)
#define YK_LANES_CLOSE_(T, n, identity, how, x)                                                    \
    YK_LANES_FOLD(n, how, x) YK_HOW(GET, how)(n, n##_yk_partials[yk_slot])
#define YK_LANE_OF(k, p)                     YK_IF_REDUCE(YK_LANE_OF_, p)
#define YK_LANE_OF_(T, n, identity, how, x)  YK_HOW(LANE, how)(T, n, [yk_l])
#define YK_LANES_OF(k, p)                    YK_IF_REDUCE(YK_LANES_OF_, p)
#define YK_LANES_OF_(T, n, identity, how, x) YK_HOW(LANE, how)(T, n, [0])

/* OPEN declares the lanes' arrays, PUT sets a lane's start value, TAKE folds a partial result into
 * a lane, HALVE another lane's value; LANE declares pointers to a lane, GET stores the result. */
#define YK_HOW_OPEN_made(T, n) _Alignas(64) T n##_yk_lanes[yk_reduce_lanes];
#define YK_HOW_OPEN_own        YK_HOW_OPEN_made
#define YK_HOW_OPEN_at(T, n)                                                                       \
    _Alignas(64) YK_VALUE_OF(T) n##_yk_lanes[yk_reduce_lanes];                                     \
    _Alignas(64) int64_t n##_yk_places[yk_reduce_lanes];
#define YK_HOW_PUT_made(n, v) n##_yk_lanes[yk_l] = v;
#define YK_HOW_PUT_own        YK_HOW_PUT_made
#define YK_HOW_PUT_at(n, v)                                                                        \
    {                                                                                              \
        n##_yk_lanes[yk_l] = v.value;                                                              \
        n##_yk_places[yk_l] = v.place;                                                             \
    }
#define YK_HOW_TAKE_made(n, x, v) yk_reduce_into(x, &n##_yk_lanes[yk_l], v);
#define YK_HOW_TAKE_own(n, x, v)  n##_yk_lanes[yk_l] = x(n##_yk_lanes[yk_l], v);
#define YK_HOW_TAKE_at(n, x, v)                                                                    \
    yk_reduce_place(x, &n##_yk_lanes[yk_l], &n##_yk_places[yk_l], (v).value, (v).place);
#define YK_HOW_HALVE_made(n, x, h) YK_HOW_TAKE_made(n, x, n##_yk_lanes[yk_l + (h)])
#define YK_HOW_HALVE_own(n, x, h)  YK_HOW_TAKE_own(n, x, n##_yk_lanes[yk_l + (h)])
#define YK_HOW_HALVE_at(n, x, h)                                                                   \
    yk_reduce_place(x, &n##_yk_lanes[yk_l], &n##_yk_places[yk_l], n##_yk_lanes[yk_l + (h)],        \
                    n##_yk_places[yk_l + (h)]);
#define YK_HOW_LANE_made(T, n, l) T *const n = &n##_yk_lanes l;
#define YK_HOW_LANE_own           YK_HOW_LANE_made
#define YK_HOW_LANE_at(T, n, l)                                                                    \
    YK_VALUE_OF(T) *const n = &n##_yk_lanes l;                                                     \
    int64_t *const n##_yk_place = &n##_yk_places l;
#define YK_HOW_GET_made(n, to) to = n##_yk_lanes[0];
#define YK_HOW_GET_own         YK_HOW_GET_made
#define YK_HOW_GET_at(n, to)                                                                       \
    to.value = n##_yk_lanes[0];                                                                    \
    to.place = n##_yk_places[0];

/* Executes the statements for each part of each block of the chunk: indexes yk_from to yk_to - 1,
 * and yk_from2 to yk_to2 - 1 of the second dimension. */
#define YK_BLOCKS(...)                                                                             \
    const yoke_blocks yk_blocks = yk_chunk->blocks;                                                \
    for (int64_t yk_from = yk_first; yk_from < yk_last; yk_from += yk_blocks.size)                 \
        for (int64_t yk_part = 0; yk_part < yk_blocks.parts; ++yk_part) {                          \
            const int64_t yk_to =                                                                  \
                yk_last - yk_from < yk_blocks.size ? yk_last : yk_from + yk_blocks.size;           \
            const int64_t yk_from2 = yk_chunk->second.first + yk_part * yk_blocks.width;           \
            const int64_t yk_left2 = yk_chunk->second.last - yk_from2;                             \
            const int64_t YK_UNUSED yk_to2 =                                                       \
                yk_from2 + (yk_left2 < yk_blocks.width ? yk_left2 : yk_blocks.width);              \
            const int64_t yk_slot =                                                                \
                (yk_from - yk_blocks.first) / yk_blocks.size * yk_blocks.parts + yk_part;          \
            __VA_ARGS__                                                                            \
        }
/* Executes a statement for each index of one turn; the lanes take the indexes in turn. If these are
 * fewer than lanes, each turn has yk_wide lanes of its own, up to YK_REDUCE_LANES together. */
#define YK_BY_LANES(i, from, to, params, ...)                                                      \
    const int yk_base = (int)(yk_turn++ * yk_wide) & (YK_REDUCE_LANES - 1);                        \
    int64_t yk_at = (from);                                                                        \
    for (; (to)-yk_at >= YK_REDUCE_LANES; yk_at += YK_REDUCE_LANES)                                \
        YK_LANES_DO(i, YK_REDUCE_LANES, 0, params, __VA_ARGS__)                                    \
    YK_LANES_DO(i, (int)((to)-yk_at), yk_base, params, __VA_ARGS__)
#define YK_LANES_DO(i, count, base, params, ...)                                                   \
    YK_LOOP params for (int yk_c = 0; yk_c < count; ++yk_c)                                        \
    {                                                                                              \
        const int yk_l = (base) + yk_c;                                                            \
        const int64_t i = yk_at + yk_c;                                                            \
        const int YK_UNUSED yk_lane = yk_l % YK_SUM_LANES;                                         \
        YK_EACH(YK_LANE_OF, YK_BARE params)                                                        \
        __VA_ARGS__;                                                                               \
    }

/* --- forms --- */

/* `along` declares yk_along, a block's number of indexes in the dimension that lanes share, and
 * yk_turns, that of all others. */
#define YK_REDUCING_FUNCTION(attributes, v, name, along, params, ...)                              \
    YK_FUNCTION(attributes, v, name)                                                               \
    {                                                                                              \
        enum { yk_reduce_lanes = YK_REDUCE_LANES };                                                \
        YK_UNPACK_ALL(YK_BARE params)                                                              \
        YK_CHUNK                                                                                   \
        YK_EACH(YK_SUM_OPEN, YK_BARE params)                                                       \
        YK_BLOCKS(along const int yk_wide = yk_lanes_used(yk_along, yk_reduce_lanes);              \
                  const int yk_used = yk_lanes_used(yk_turns * yk_wide, yk_reduce_lanes);          \
                  int64_t yk_turn = 0; YK_EACH(YK_LANES_OPEN, YK_BARE params)                      \
                      __VA_ARGS__ YK_EACH(YK_LANES_CLOSE, YK_BARE params))                         \
        YK_EACH(YK_SUM_CLOSE, YK_BARE params)                                                      \
    }
#define YK_ALONG1 const int64_t yk_along = yk_to - yk_from, yk_turns = 1;
#define YK_ALONG2                                                                                  \
    const int yk_axis = yk_lane_axis(yk_to - yk_from, yk_to2 - yk_from2, 0);                       \
    const int64_t yk_along = yk_axis ? yk_to2 - yk_from2 : yk_to - yk_from;                        \
    const int64_t yk_turns = yk_axis ? yk_to - yk_from : yk_to2 - yk_from2;
#define YK_ALONG3                                                                                  \
    const int64_t yk_from3 = yk_chunk->third.first, yk_to3 = yk_chunk->third.last;                 \
    const int yk_axis = yk_lane_axis(yk_to - yk_from, yk_to2 - yk_from2, yk_to3 - yk_from3);       \
    const int64_t yk_along = yk_axis == 0   ? yk_to - yk_from                                      \
                             : yk_axis == 1 ? yk_to2 - yk_from2                                    \
                                            : yk_to3 - yk_from3;                                   \
    const int64_t yk_turns = (yk_axis == 0 ? yk_to2 - yk_from2 : yk_to - yk_from) *                \
                             (yk_axis == 2 ? yk_to2 - yk_from2 : yk_to3 - yk_from3);

#define YK_RANGE1_reducing(attributes, v, name, ...)                                               \
    YK_REDUCING_FUNCTION(attributes, v, name, YK_ALONG1, (__VA_ARGS__),                            \
                         YK_BY_LANES(yk_i, yk_from, yk_to, (__VA_ARGS__),                          \
                                     YK_REDUCING_CALL(name, (yk_i), __VA_ARGS__)))
#define YK_RANGE2_reducing(attributes, v, name, ...)                                               \
    YK_REDUCING_FUNCTION(                                                                          \
        attributes, v, name, YK_ALONG2, (__VA_ARGS__),                                             \
        if (yk_axis) YK_FOR(yk_i, yk_from, yk_to) {                                                \
            YK_BY_LANES(yk_j, yk_from2, yk_to2, (__VA_ARGS__),                                     \
                        YK_REDUCING_CALL(name, (yk_i, yk_j), __VA_ARGS__))                         \
        } else YK_FOR(yk_j, yk_from2,                                                              \
                      yk_to2){ YK_BY_LANES(yk_i, yk_from, yk_to, (__VA_ARGS__),                    \
                                           YK_REDUCING_CALL(name, (yk_i, yk_j), __VA_ARGS__)) })
#define YK_RANGE3_reducing(attributes, v, name, ...)                                               \
    YK_REDUCING_FUNCTION(                                                                          \
        attributes, v, name, YK_ALONG3, (__VA_ARGS__),                                             \
        if (yk_axis == 2) YK_FOR(yk_i, yk_from, yk_to) YK_FOR(yk_j, yk_from2, yk_to2) {            \
            YK_BY_LANES(yk_k, yk_from3, yk_to3, (__VA_ARGS__),                                     \
                        YK_REDUCING_CALL(name, (yk_i, yk_j, yk_k), __VA_ARGS__))                   \
        } else if (yk_axis == 1) YK_FOR(yk_i, yk_from, yk_to) YK_FOR(yk_k, yk_from3, yk_to3) {     \
            YK_BY_LANES(yk_j, yk_from2, yk_to2, (__VA_ARGS__),                                     \
                        YK_REDUCING_CALL(name, (yk_i, yk_j, yk_k), __VA_ARGS__))                   \
        } else YK_FOR(yk_j, yk_from2, yk_to2) YK_FOR(yk_k, yk_from3, yk_to3){                      \
            YK_BY_LANES(yk_i, yk_from, yk_to, (__VA_ARGS__),                                       \
                        YK_REDUCING_CALL(name, (yk_i, yk_j, yk_k), __VA_ARGS__)) })
#define YK_REDUCING_CALL(name, indexes, ...)                                                       \
    yk_body_##name(YK_BARE indexes, yk_size2,                                                      \
                   yk_size3 YK_EACH(YK_ACTUAL, __VA_ARGS__) YK_SUMS_ACTUAL(__VA_ARGS__))
#define YK_GROUPS_reducing(attributes, v, name, lanes, unit, ...)                                  \
    YK_FUNCTION(attributes, v, name)                                                               \
    {                                                                                              \
        enum {                                                                                     \
            yk_lanes = (lanes),                                                                    \
            yk_unit = (unit),                                                                      \
            yk_reduce_lanes = yk_lanes,                                                            \
            yk_used = yk_lanes                                                                     \
        };                                                                                         \
        YK_GROUPS_OPEN(__VA_ARGS__)                                                                \
        YK_BLOCKS(YK_EACH(YK_LANES_OPEN, __VA_ARGS__)                                              \
                      YK_EACH(YK_LANES_OF, __VA_ARGS__) for (int64_t yk_i = yk_from; yk_i < yk_to; \
                                                             yk_i += yk_unit)                      \
                          YK_GROUP_CALL(name, yk_to, __VA_ARGS__);                                 \
                  YK_EACH(YK_LANES_CLOSE, __VA_ARGS__))                                            \
    }

/* The kernel's yoke_fold_fn; it folds partial results by lanes, too. */
#define YK_TOTAL_plain(...)
#define YK_TOTAL_reducing(name, ...)                                                               \
    static void yk_total_##name(int yk_param, void *yk_into, const void *yk_from,                  \
                                int64_t yk_count)                                                  \
    {                                                                                              \
        enum { yk_reduce_lanes = YK_REDUCE_LANES };                                                \
        const int yk_used = yk_lanes_used(yk_count, yk_reduce_lanes);                              \
        YK_PARAMS(__VA_ARGS__)                                                                     \
        YK_EACH(YK_TOTAL_PARAM, __VA_ARGS__)                                                       \
    }
#define YK_TOTAL_PARAM(k, p) YK_IF_REDUCE(YK_TOTAL_PARAM_, p)
#define YK_TOTAL_PARAM_(T, n, identity, how, x)                                                    \
    _Static_assert(sizeof(T) <= 256, "the result of a reduction has at most 256 bytes");           \
    if (yk_param == n##_yk_param) {                                                                \
        const T *const yk_partials = (const T *)yk_from;                                           \
        T *const yk_total = (T *)yk_into;                                                          \
        YK_LANES_OPEN_(T, n, identity, how, x)                                                     \
        int64_t yk_at = 0;                                                                         \
        for (; yk_count - yk_at >= yk_reduce_lanes; yk_at += yk_reduce_lanes)                      \
            YK_TOTAL_TAKE(yk_reduce_lanes, n, how, x)                                              \
        YK_TOTAL_TAKE((int)(yk_count - yk_at), n, how, x)                                          \
        YK_LANES_FOLD(n, how, x)                                                                   \
        YK_HOW(GET, how)(n, (*yk_total))                                                           \
    }
#define YK_TOTAL_TAKE(count, n, how, x)                                                            \
    for (int yk_l = 0; yk_l < count; ++yk_l)                                                       \
    YK_HOW(TAKE, how)(n, x, yk_partials[yk_at + yk_l])
#define YK_TOTAL_OF_plain(name)    0
#define YK_TOTAL_OF_reducing(name) yk_total_##name

#endif
