/* yoke/kernel_lanes.h - which indexes of a block the lanes of a reduction share, in every language
 * (kernel_reduce.h). Part of kernel.h.
 */
#ifndef YOKE_KERNEL_LANES_H
#define YOKE_KERNEL_LANES_H

#ifndef YOKE_FLATTEN
#include <yoke/prelude.h>
#endif

/* Number of lanes, a power of two, that get values from `most` indexes. The other lanes would hold
 * the identity, which changes nothing; with them, blocks of few indexes would take ten times as
 * long. */
YOKE_FN int yk_lanes_used(int64_t most, int lanes)
{
    int used = 1;
    while (used < lanes && used < most)
        used *= 2;
    return used;
}

/* Lanes share the fastest dimension that has this many indexes in a block. */
enum { YK_LANES_LEAST = 8 };
/* Returns the dimension (0 to 2) that lanes share, from a block's indexes along each. If none has
 * YK_LANES_LEAST, it is the longest. depth 0: there is no third dimension. */
YOKE_FN int yk_lane_axis(int64_t size, int64_t width, int64_t depth)
{
    const int64_t most = YK_LANES_LEAST, long_2 = depth < most ? depth : most;
    const int64_t long_1 = width < most ? width : most, long_0 = size < most ? size : most;
    if (long_2 > 0 && long_2 >= long_1 && long_2 >= long_0)
        return 2;
    return long_1 >= long_0 ? 1 : 0;
}

#endif
