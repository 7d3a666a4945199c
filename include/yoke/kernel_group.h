/* yoke/kernel_group.h - the words inside the body of a group kernel, on devices, where every lane
 * is a work-item. Their CPU versions are in kernel_group_cpu.h. Only seen while a file is
 * flattened.
 */
#ifndef YOKE_KERNEL_GROUP_H
#define YOKE_KERNEL_GROUP_H

/* A loop of one iteration, so that `continue` means the same as on a CPU. Its condition does not
 * depend on the lane; otherwise compilers would branch. */
#define YOKE_LANES(l) for (int l = yk_lane, yk_turn = 1; yk_turn; yk_turn = 0, (void)l)
#define YOKE_LANES_BY(n, part, l)                                                                  \
    for (int l = yk_lane, part = yk_lane / (n), yk_turn = 1; yk_turn;                              \
         yk_turn = 0, (void)l, (void)part)
/* A loop, too: `continue` means the same, and an `else` after it belongs to an `if` before it. */
#define YOKE_ONCE for (int yk_once = yk_lane == 0; yk_once; yk_once = 0)
/* YK_MINE shows yoke-embed the word; preludes define it as nothing. */
#define YOKE_MINE(x) (*YK_MINE(x))

/* A lane's start may be NaN, and its other values too. */
#define YK_FOLD_SUM(a, b) YK_OP_SUM(a, b)
#define YK_FOLD_MAX(a, b) ((a) != (a) ? (b) : YK_OP_MAX(a, b))
#define YK_FOLD_MIN(a, b) ((a) != (a) ? (b) : YK_OP_MIN(a, b))

/* Each lane takes every yk_lanes-th j, so that neighbouring lanes read neighbouring elements. A
 * tree in local memory then folds the lanes' values. The last barrier allows the scratch memory to
 * be reused. */
#define YK_LANE_FOLD(op, T, s, start, j, lo, hi, ...)                                              \
    T s = (start);                                                                                 \
    {                                                                                              \
        YOKE_SHARED T *yk_tree = (YOKE_SHARED T *)yk_scratch;                                      \
        const int64_t yk_to = (hi);                                                                \
        for (int64_t j = (lo) + yk_lane; j < yk_to; j += yk_lanes) {                               \
            const T yk_term = (__VA_ARGS__);                                                       \
            s = YK_FOLD_##op(s, yk_term);                                                          \
        }                                                                                          \
        yk_tree[yk_lane] = s;                                                                      \
        YOKE_BARRIER;                                                                              \
        for (int yk_half = yk_lanes / 2; yk_half > 0; yk_half /= 2) {                              \
            if (yk_lane < yk_half)                                                                 \
                yk_tree[yk_lane] = YK_FOLD_##op(yk_tree[yk_lane], yk_tree[yk_lane + yk_half]);     \
            YOKE_BARRIER;                                                                          \
        }                                                                                          \
        s = yk_tree[0];                                                                            \
        YOKE_BARRIER;                                                                              \
    }

/* CUDA has one instruction for this; a group of one warp needs no barrier. */
#if defined(YOKE_OPENCL)
#define YK_LANE_ANY(s, l, ...)                                                                     \
    int s;                                                                                         \
    {                                                                                              \
        YOKE_SHARED int *yk_any = (YOKE_SHARED int *)yk_scratch;                                   \
        YOKE_ONCE                                                                                  \
        {                                                                                          \
            *yk_any = 0;                                                                           \
        }                                                                                          \
        YOKE_BARRIER;                                                                              \
        YOKE_LANES(l)                                                                              \
        {                                                                                          \
            if (__VA_ARGS__)                                                                       \
                *yk_any = 1;                                                                       \
        }                                                                                          \
        YOKE_BARRIER;                                                                              \
        s = *yk_any;                                                                               \
        YOKE_BARRIER;                                                                              \
    }
#else
#define YK_LANE_ANY(s, l, ...)                                                                     \
    int s = 0;                                                                                     \
    YOKE_LANES(l)                                                                                  \
    {                                                                                              \
        s = (__VA_ARGS__) ? 1 : 0;                                                                 \
    }                                                                                              \
    s = yk_lanes == 32 ? __any_sync(0xffffffffu, s) : __syncthreads_or(s);
#endif
#endif
