/* yoke/kernel_group_cpu.h - the words inside the body of a group kernel (docs/kernels.md) on the
 * CPU, where a device's work-item is an iteration of an inner loop.
 */
#ifndef YOKE_KERNEL_GROUP_CPU_H
#define YOKE_KERNEL_GROUP_CPU_H

/* The second variable of YOKE_LANES tells YOKE_MINE the lane. */
#define YK_GROUP_HIDDEN int YK_UNUSED yk_count, const int YK_UNUSED yk_lanes
#define YOKE_LANES(l)   for (int YK_UNUSED l = 0, YK_UNUSED yk_lane = 0; l < yk_lanes; yk_lane = ++l)
/* If n does not divide the number of lanes, the last part has fewer. Both are known once the body
 * is inlined, so that the loops have fixed lengths in the usual case. */
#define YOKE_LANES_BY(n, part, l)                                                                  \
    for (int YK_UNUSED part = 0; part < yk_lanes / (n) + (yk_lanes % (n) != 0); ++part)            \
        for (int YK_UNUSED l = part * (n), YK_UNUSED yk_lane = l; l < YK_PART_END(n, part);        \
             yk_lane = ++l)
#define YK_PART_END(n, part)                                                                       \
    (yk_lanes % (n) == 0 || yk_lanes - part * (n) >= (n) ? part * (n) + (n) : yk_lanes)
#define YOKE_ONCE    for (int yk_once = 1; yk_once; yk_once = 0)
#define YOKE_MINE(x) ((x)[YK_LANE_HERE])
#define YOKE_BARRIER ((void)0)
#define YK_LANE_ANY(s, l, ...)                                                                     \
    int s = 0;                                                                                     \
    YOKE_LANES(l)                                                                                  \
    {                                                                                              \
        s |= !!(__VA_ARGS__);                                                                      \
    }
/* First, a start that is NaN gives way to the first number: what vectors make of their lanes and a
 * NaN, even of no index at all, depends on the compiler. */
#define YK_LANE_FOLD(op, T, s, start, j, lo, hi, ...)                                              \
    _Static_assert(sizeof(T) <= 8, "lane reductions are for types of at most 8 bytes");            \
    T s = (start);                                                                                 \
    {                                                                                              \
        const int64_t yk_to = (hi);                                                                \
        int64_t yk_from = (lo);                                                                    \
        for (int64_t j = yk_from; s != s && j < yk_to; yk_from = ++j)                              \
            s = (__VA_ARGS__);                                                                     \
        if (yk_from < yk_to) {                                                                     \
            YK_LOOP_fold(op, s) for (int64_t j = yk_from; j < yk_to; ++j)                          \
            {                                                                                      \
                const T yk_term = (__VA_ARGS__);                                                   \
                s = YK_OP_##op(s, yk_term);                                                        \
            }                                                                                      \
        }                                                                                          \
    }
#endif
