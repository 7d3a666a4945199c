/* yoke/kernel_reduce_device.h - kernels that reduce (kernel_reduce.h), in OpenCL C and CUDA: one
 * group for each part of each block. Only seen while a file is flattened.
 *
 * Entry point     yoke_entry_NAME, as for other kernels, with one more argument at the end: a
 *                 yk_blocks by value. A parameter that reduces is an array of partial results.
 * Groups          of YK_REDUCE_LANES work-items (in group kernels, as many as the kernel says), in
 *                 one dimension: yk_blocks.parts for each block of the space. Lane l of a group
 *                 takes the indexes l, l + group size, ... of its part, in one dimension
 *                 (yk_lane_axis).
 */
#ifndef YOKE_KERNEL_REDUCE_DEVICE_H
#define YOKE_KERNEL_REDUCE_DEVICE_H

#include <yoke/kernel_lanes.h>

/* Its layout must be that of the host's yoke_blocks. */
typedef struct yk_blocks {
    int64_t first, size, parts, width;
} yk_blocks;

#define yoke_reduce_at(n, v, place) yk_reduce_place(n##_takes_yoke_reduce, n, v, place)
#define YK_HOW_FORMAL_at            YK_HOW_FORMAL_made
#define YK_HOW_ACTUAL_at            YK_HOW_ACTUAL_made
#define YK_HOW_JOIN_at              YK_HOW_JOIN_made

/* What an entry declares for a result: the lane's own value, and those of all lanes. */
#define YK_RESULT_DECLARE(T, n, identity)                                                          \
    YK_GROUP_MEMORY T n##_yk_lanes[yk_reduce_lanes];                                               \
    T n = identity;
#define YK_RESULT_PUT(k, p)       YK_IF_REDUCE(YK_RESULT_PUT_, p)
#define YK_RESULT_PUT_(T, n, ...) n##_yk_lanes[yk_me] = n;
#define YK_RESULT_JOIN(k, p)      YK_IF_REDUCE(YK_RESULT_JOIN_, p)
#define YK_RESULT_JOIN_(T, n, identity, how, x)                                                    \
    n = n##_yk_lanes[yk_l];                                                                        \
    YK_HOW(JOIN, how)(x, &n, n##_yk_lanes[yk_l + yk_half]);                                        \
    n##_yk_lanes[yk_l] = n;
#define YK_RESULT_GET(k, p)       YK_IF_REDUCE(YK_RESULT_GET_, p)
#define YK_RESULT_GET_(T, n, ...) YK_RESULTS(T, n)[yk_slot] = n##_yk_lanes[0];
/* Folds lanes by halves. Until yk_few lanes are left, lane l depends only on lanes l + k * yk_few.
 * So two barriers are enough; each barrier costs compilers for CPUs a second. */
#define YK_RESULTS_CLOSE(...)                                                                      \
    enum { yk_few = yk_reduce_lanes < 8 ? yk_reduce_lanes : yk_reduce_lanes <= 64 ? 8 : 32 };      \
    YK_EACH(YK_RESULT_PUT, __VA_ARGS__)                                                            \
    YOKE_BARRIER;                                                                                  \
    if (yk_me < yk_few) {                                                                          \
        YK_HALVE(yk_reduce_lanes / 2, yk_few, yk_me, yk_few, __VA_ARGS__)                          \
    }                                                                                              \
    YOKE_BARRIER;                                                                                  \
    if (yk_me == 0) {                                                                              \
        YK_HALVE(yk_few / 2, 1, 0, 1, __VA_ARGS__)                                                 \
        YK_EACH(YK_RESULT_GET, __VA_ARGS__)                                                        \
    }
#define YK_HALVE(most, least, from, step, ...)                                                     \
    for (int yk_half = (most); yk_half >= (least); yk_half /= 2)                                   \
        for (int yk_l = (from); yk_l < yk_half; yk_l += (step)) {                                  \
            YK_EACH(YK_RESULT_JOIN, __VA_ARGS__)                                                   \
        }

/* The group's part: indexes yk_from to yk_to - 1, yk_from2 to yk_to2 - 1 of the second dimension;
 * its result goes to yk_slot. */
#define YK_PART_OF_GROUP                                                                           \
    const int64_t yk_group = YK_GROUP_NUMBER, yk_size = yk_blocks_.size;                           \
    const int64_t yk_from = yk_part.first + yk_group / yk_blocks_.parts * yk_size;                 \
    const int64_t yk_left = yk_part.last - yk_from;                                                \
    const int64_t yk_to = yk_from + (yk_left < yk_size ? yk_left : yk_size);                       \
    const int64_t yk_from2 = yk_part.first2 + yk_group % yk_blocks_.parts * yk_blocks_.width;      \
    const int64_t yk_left2 = yk_part.last2 - yk_from2;                                             \
    const int64_t yk_to2 = yk_from2 + (yk_left2 < yk_blocks_.width ? yk_left2 : yk_blocks_.width); \
    const int64_t yk_slot =                                                                        \
        (yk_from - yk_blocks_.first) / yk_size * yk_blocks_.parts + yk_group % yk_blocks_.parts;   \
    const int yk_me = YK_NUMBER_IN_GROUP;                                                          \
    (void)yk_to, (void)yk_to2; /* not all forms need all */                                        \
    if (yk_left <= 0)                                                                              \
        return;
#define YK_BY_LANES(T, i, me, count) for (T i = (me); i < (count); i += yk_reduce_lanes)

#define YK_REDUCING_ENTRY(name, lanes, params, ...)                                                \
    YK_REDUCING_HEAD(lanes)                                                                        \
    yoke_entry_##name(const yk_space yk_part YK_EACH(YK_ENTRY_FORMAL, YK_BARE params),             \
                      const yk_blocks yk_blocks_)                                                  \
    {                                                                                              \
        enum { yk_reduce_lanes = (lanes) };                                                        \
        YK_EACH(YK_ENTRY_DECLARE, YK_BARE params)                                                  \
        YK_PART_OF_GROUP                                                                           \
        __VA_ARGS__                                                                                \
        YK_RESULTS_CLOSE params                                                                    \
    }

/* A block has at most 2^30 indexes, so 32 bits can count them. */
#define YK_KERNEL1_reducing(name, i, ...)                                                          \
    YK_BODY1(name, i, __VA_ARGS__);                                                                \
    YK_REDUCING_ENTRY(name, YK_REDUCE_LANES, (__VA_ARGS__),                                        \
                      YK_BY_LANES(int, yk_i, yk_me, (int)(yk_to - yk_from))                        \
                          yk_body_##name(yk_from + yk_i, yk_part.size2,                            \
                                         yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));)    \
    YK_SPREAD_ENTRY(name, __VA_ARGS__)                                                             \
    YK_BODY1(name, i, __VA_ARGS__)
/* Of the group, yk_wide work-items do one turn: all indexes of the dimension that lanes share, by
 * one index of the others. */
#define YK_TURNS_BY_LANES(along)                                                                   \
    const int yk_wide = yk_lanes_used(along, yk_reduce_lanes);                                     \
    const int yk_side = yk_reduce_lanes / yk_wide, yk_mine = yk_me & (yk_wide - 1);
#define YK_KERNEL2_reducing(name, i, j, ...)                                                       \
    YK_BODY2(name, i, j, __VA_ARGS__);                                                             \
    YK_REDUCING_ENTRY(                                                                             \
        name, YK_REDUCE_LANES, (__VA_ARGS__), const int64_t yk_rows = yk_to - yk_from,             \
        yk_columns = yk_to2 - yk_from2;                                                            \
        const int yk_axis = yk_lane_axis(yk_rows, yk_columns, 0);                                  \
        const int64_t yk_turns = yk_axis ? yk_rows : yk_columns;                                   \
        const int64_t yk_along = yk_axis ? yk_columns : yk_rows; YK_TURNS_BY_LANES(                \
            yk_along) for (int64_t yk_o = yk_me / yk_wide; yk_o < yk_turns;                        \
                           yk_o += yk_side) YK_BY_LANES(int64_t, yk_l, yk_mine, yk_along)          \
            yk_body_##name(yk_from + (yk_axis ? yk_o : yk_l), yk_from2 + (yk_axis ? yk_l : yk_o),  \
                           yk_part.size2, yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));)   \
    YK_BODY2(name, i, j, __VA_ARGS__)
#define YK_KERNEL3_reducing(name, i, j, k, ...)                                                    \
    YK_BODY3(name, i, j, k, __VA_ARGS__);                                                          \
    YK_REDUCING_ENTRY(                                                                             \
        name, YK_REDUCE_LANES, (__VA_ARGS__), const int64_t yk_rows = yk_to - yk_from,             \
        yk_columns = yk_to2 - yk_from2;                                                            \
        const int64_t yk_depth = yk_part.last3 - yk_part.first3;                                   \
        const int yk_axis = yk_lane_axis(yk_rows, yk_columns, yk_depth);                           \
        const int64_t yk_turns = yk_axis == 0 ? yk_columns : yk_rows;                              \
        const int64_t yk_turns2 = yk_axis == 2 ? yk_columns : yk_depth;                            \
        const int64_t yk_along = yk_axis == 0   ? yk_rows                                          \
                                 : yk_axis == 1 ? yk_columns                                       \
                                                : yk_depth;                                        \
        YK_TURNS_BY_LANES(yk_along) for (int64_t yk_o = 0, yk_p = yk_me / yk_wide;;                \
                                         yk_p += yk_side) {                                        \
            for (; yk_p >= yk_turns2 && yk_o < yk_turns; ++yk_o)                                   \
                yk_p -= yk_turns2;                                                                 \
            if (yk_o >= yk_turns)                                                                  \
                break;                                                                             \
            YK_BY_LANES(int64_t, yk_l, yk_mine, yk_along)                                          \
            yk_body_##name(yk_from + (yk_axis == 0 ? yk_l : yk_o),                                 \
                           yk_from2 + (yk_axis == 0   ? yk_o                                       \
                                       : yk_axis == 1 ? yk_l                                       \
                                                      : yk_p),                                     \
                           yk_part.first3 + (yk_axis == 2 ? yk_l : yk_p), yk_part.size2,           \
                           yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));                   \
        })                                                                                         \
    YK_BODY3(name, i, j, k, __VA_ARGS__)
/* The barrier allows the next body to reuse local memory. */
#define YK_GROUP_KERNEL_reducing(name, i, lanes, unit, ...)                                        \
    YK_GROUP_CHECK(name, lanes, unit);                                                             \
    YK_GROUP_BODY(name, i, __VA_ARGS__);                                                           \
    YK_REDUCING_ENTRY(                                                                             \
        name, lanes, (__VA_ARGS__), YK_GROUP_MEMORY uint64_t yk_scratch[lanes];                    \
        for (int64_t yk_i = yk_from; yk_i < yk_to; yk_i += (unit)) {                               \
            yk_body_##name(yk_i, yk_to - yk_i < (unit) ? (int)(yk_to - yk_i) : (unit), lanes,      \
                           yk_me, yk_scratch, yk_part.size2,                                       \
                           yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));                   \
            YOKE_BARRIER;                                                                          \
        })                                                                                         \
    YK_GROUP_BODY(name, i, __VA_ARGS__)

#endif
