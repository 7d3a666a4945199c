/* barnes_hut_together.h - neighbours that walk through the tree together, one in each lane. A cell
 * is opened if one of them needs it; those that took it as one mass wait until the walk has left
 * it.
 *
 * The text of two kernels' bodies is a macro, because the lanes' own variables are arrays on a CPU.
 */
#ifndef YOKE_APPS_BARNES_HUT_TOGETHER_H
#define YOKE_APPS_BARNES_HUT_TOGETHER_H

#include "barnes_hut_kernels.h"

#define BARNES_HUT_TOGETHER_OWN                                                                    \
    YOKE_PRIVATE(float, x), YOKE_PRIVATE(float, y), YOKE_PRIVATE(float, z),                        \
        YOKE_PRIVATE(float, ax), YOKE_PRIVATE(float, ay), YOKE_PRIVATE(float, az),                 \
        YOKE_PRIVATE(float, potential), YOKE_PRIVATE(int32_t, resume),                             \
        YOKE_PRIVATE(int32_t, opens)

/* The arguments are what a kernel does in addition: `begins` and `ends` for each lane l; `meets`
 * for each lane and node, where d2 is the squared distance, and `here` is 1 if the lane visits the
 * node; `goes_on` once per node, outside of lanes. */
#define BARNES_HUT_TOGETHER(begins, meets, goes_on, ends)                                          \
    int32_t k = 0;                                                                                 \
    YOKE_LANES(l)                                                                                  \
    {                                                                                              \
        const body_t me = bodies[i + (l < YOKE_COUNT ? l : 0)];                                    \
        YOKE_MINE(x) = me.x;                                                                       \
        YOKE_MINE(y) = me.y;                                                                       \
        YOKE_MINE(z) = me.z;                                                                       \
        YOKE_MINE(ax) = YOKE_MINE(ay) = YOKE_MINE(az) = YOKE_MINE(potential) = 0.0f;               \
        YOKE_MINE(resume) = 0;                                                                     \
        begins                                                                                     \
    }                                                                                              \
    while (k < node_count) {                                                                       \
        const node_t node = nodes[k];                                                              \
        YOKE_LANES(l)                                                                              \
        {                                                                                          \
            const float dx = node.x - YOKE_MINE(x), dy = node.y - YOKE_MINE(y);                    \
            const float dz = node.z - YOKE_MINE(z);                                                \
            const float d2 = dx * dx + dy * dy + dz * dz;                                          \
            const int32_t here = k >= YOKE_MINE(resume);                                           \
            const int32_t taken = here & (node.size2 <= how.theta2 * d2);                          \
            const float r = yoke_rsqrtf(d2 + how.softening2);                                      \
            const float p = (taken ? node.mass : 0.0f) * r, w = p * r * r;                         \
            YOKE_MINE(ax) += w * dx;                                                               \
            YOKE_MINE(ay) += w * dy;                                                               \
            YOKE_MINE(az) += w * dz;                                                               \
            YOKE_MINE(potential) -= p;                                                             \
            YOKE_MINE(resume) = taken ? node.skip : YOKE_MINE(resume);                             \
            YOKE_MINE(opens) = here & !taken;                                                      \
            meets                                                                                  \
        }                                                                                          \
        goes_on YOKE_LANE_ANY(open, l, YOKE_MINE(opens)) k = open ? k + 1 : node.skip;             \
    }                                                                                              \
    YOKE_LANES(l)                                                                                  \
    {                                                                                              \
        if (l < YOKE_COUNT) {                                                                      \
            pulls[i + l] = YOKE_INIT(pull_t, YOKE_MINE(ax), YOKE_MINE(ay), YOKE_MINE(az),          \
                                     YOKE_MINE(potential));                                        \
            ends                                                                                   \
        }                                                                                          \
    }

#endif
