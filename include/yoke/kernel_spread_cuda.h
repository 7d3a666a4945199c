/* yoke/kernel_spread_cuda.h - second entries of range kernels that reduce, in CUDA C++.
 *
 * A group has 64 lanes, and a range has few blocks (src/job/blocks.c), so 100,000 indexes are 196
 * groups: far fewer threads than a GPU can hold, each with several indexes in turn. This entry has
 * several threads for each lane. Each folds the values of one index at a time; then the lane folds
 * these in the order of the indexes, so the result has the same bits. The launch says how many
 * threads a group has (src/backend/cuda/cuda_spread.c). (An H200, the energy of 100,000 bodies: 15
 * ms instead of 92.)
 *
 * Entry point     yoke_spread_NAME, with the arguments of yoke_entry_NAME, for groups of up to
 *                 YK_SPREAD_MOST threads. Only compiled if an index can be folded by itself
 *                 (YK_SPREADS, src/access/gives.h).
 */
#ifndef YOKE_KERNEL_SPREAD_CUDA_H
#define YOKE_KERNEL_SPREAD_CUDA_H

/* For each result: the values of a section's indexes, of the thread's index, and of the lane. */
#define YK_SPREAD_DECLARE(k, p) YK_IF_REDUCE(YK_SPREAD_DECLARE_, p)
#define YK_SPREAD_DECLARE_(T, n, identity, how, x)                                                 \
    __shared__ T n##_yk_lanes[yk_section];                                                         \
    T n = identity, n##_yk_lane = n;
#define YK_SPREAD_CLEAR(k, p)                    YK_IF_REDUCE(YK_SPREAD_CLEAR_, p)
#define YK_SPREAD_CLEAR_(T, n, identity, how, x) n = identity;
#define YK_SPREAD_PUT(k, p)                      YK_IF_REDUCE(YK_SPREAD_PUT_, p)
#define YK_SPREAD_PUT_(T, n, ...)                n##_yk_lanes[yk_l] = n;
#define YK_SPREAD_TAKE(k, p)                     YK_IF_REDUCE(YK_SPREAD_TAKE_, p)
#define YK_SPREAD_TAKE_(T, n, identity, how, x)                                                    \
    YK_HOW(JOIN, how)(x, &n##_yk_lane, n##_yk_lanes[yk_l]);
#define YK_SPREAD_END(k, p)       YK_IF_REDUCE(YK_SPREAD_END_, p)
#define YK_SPREAD_END_(T, n, ...) n = n##_yk_lane;
#define YK_SPREAD_BYTES(k, p)     YK_IF_REDUCE(YK_SPREAD_BYTES_, p)
#define YK_SPREAD_BYTES_(T, ...)  +(int)sizeof(T)

/* A block's indexes are done in sections, as many as fit into shared memory: where indexes take
 * unequal times, threads wait for each other at a section's end. Threads from yk_reduce_lanes on
 * fold no lane, and close with the identity. */
#define YK_SPREAD_ENTRY(name, ...)                                                                 \
    YK_SPREAD(extern "C" __global__ void __launch_bounds__(YK_SPREAD_MOST) yoke_spread_##name(     \
        const yk_space yk_part YK_EACH(YK_ENTRY_FORMAL, __VA_ARGS__),                              \
        const yk_blocks yk_blocks_) {                                                              \
        enum {                                                                                     \
            yk_reduce_lanes = YK_REDUCE_LANES,                                                     \
            yk_section = YK_SPREAD_SECTION(0 YK_EACH(YK_SPREAD_BYTES, __VA_ARGS__))                \
        };                                                                                         \
        YK_EACH(YK_SPREAD_DECLARE, __VA_ARGS__)                                                    \
        YK_PART_OF_GROUP                                                                           \
        const int yk_all = (int)(yk_to - yk_from), yk_threads = (int)blockDim.x;                   \
        for (int yk_at = 0; yk_at < yk_all; yk_at += yk_section) {                                 \
            const int yk_count = yk_all - yk_at < yk_section ? yk_all - yk_at : yk_section;        \
            for (int yk_l = yk_me; yk_l < yk_count; yk_l += yk_threads) {                          \
                YK_EACH(YK_SPREAD_CLEAR, __VA_ARGS__)                                              \
                yk_body_##name(yk_from + yk_at + yk_l, yk_part.size2,                              \
                               yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));               \
                YK_EACH(YK_SPREAD_PUT, __VA_ARGS__)                                                \
            }                                                                                      \
            YOKE_BARRIER;                                                                          \
            if (yk_me < yk_reduce_lanes)                                                           \
                for (int yk_l = yk_me; yk_l < yk_count; yk_l += yk_reduce_lanes) {                 \
                    YK_EACH(YK_SPREAD_TAKE, __VA_ARGS__)                                           \
                }                                                                                  \
            YOKE_BARRIER;                                                                          \
        }                                                                                          \
        YK_EACH(YK_SPREAD_END, __VA_ARGS__)                                                        \
        YK_RESULTS_CLOSE(__VA_ARGS__)                                                              \
    })

#endif
