/* barnes_hut_kernels.c - what a tree of bodies does to each of them.
 *
 * A body takes a cell as one mass if the cell's side is at most theta times its distance, and looks
 * inside otherwise. The number of nodes that a body meets differs from body to body.
 *
 * Two forms with the same parameters and the same sums. One lets every body walk alone, as GPUs do
 * best: neighbours in tree order meet nearly the same nodes. In the other some neighbours walk
 * together and fill the vectors of a CPU: a cell is opened if one of them needs it, and those who
 * took it as one mass wait until the walk has left it.
 */
#include "barnes_hut_kernels.h"

YOKE_KERNEL(barnes_hut, i, YOKE_VALUE(int32_t, node_count), YOKE_VALUE(float, theta2),
            YOKE_VALUE(float, softening2), YOKE_IN(body_t, bodies), YOKE_IN(node_t, nodes),
            YOKE_OUT(pull_t, pulls))
{
    const body_t me = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f, potential = 0.0f;
    int32_t k = 0;
    while (k < node_count) {
        const node_t node = nodes[k];
        const float dx = node.x - me.x, dy = node.y - me.y, dz = node.z - me.z;
        const float d2 = dx * dx + dy * dy + dz * dz;
        if (node.size2 <= theta2 * d2) {
            const float r = yoke_rsqrtf(d2 + softening2);
            const float p = node.mass * r, w = p * r * r;
            ax += w * dx;
            ay += w * dy;
            az += w * dz;
            potential -= p;
            k = node.skip;
        } else {
            k++;
        }
    }
    pulls[i] = YOKE_INIT(pull_t, ax, ay, az, potential);
}

YOKE_GROUP_KERNEL(barnes_hut_together, i, BARNES_HUT_LANES, BARNES_HUT_LANES,
                  YOKE_VALUE(int32_t, node_count), YOKE_VALUE(float, theta2),
                  YOKE_VALUE(float, softening2), YOKE_IN(body_t, bodies), YOKE_IN(node_t, nodes),
                  YOKE_OUT(pull_t, pulls), YOKE_LOCAL(int32_t, opens, BARNES_HUT_LANES),
                  YOKE_PRIVATE(float, x), YOKE_PRIVATE(float, y), YOKE_PRIVATE(float, z),
                  YOKE_PRIVATE(float, ax), YOKE_PRIVATE(float, ay), YOKE_PRIVATE(float, az),
                  YOKE_PRIVATE(float, potential), YOKE_PRIVATE(int32_t, resume))
{
    int32_t k = 0;
    YOKE_LANES(l)
    {
        const body_t me = bodies[i + (l < YOKE_COUNT ? l : 0)];
        YOKE_MINE(x) = me.x;
        YOKE_MINE(y) = me.y;
        YOKE_MINE(z) = me.z;
        YOKE_MINE(ax) = YOKE_MINE(ay) = YOKE_MINE(az) = YOKE_MINE(potential) = 0.0f;
        YOKE_MINE(resume) = 0;
    }
    while (k < node_count) {
        const node_t node = nodes[k];
        YOKE_LANES(l)
        {
            const float dx = node.x - YOKE_MINE(x), dy = node.y - YOKE_MINE(y);
            const float dz = node.z - YOKE_MINE(z);
            const float d2 = dx * dx + dy * dy + dz * dz;
            const int32_t here = k >= YOKE_MINE(resume);
            const int32_t taken = here & (node.size2 <= theta2 * d2);
            const float r = yoke_rsqrtf(d2 + softening2);
            const float p = (taken ? node.mass : 0.0f) * r, w = p * r * r;
            YOKE_MINE(ax) += w * dx;
            YOKE_MINE(ay) += w * dy;
            YOKE_MINE(az) += w * dz;
            YOKE_MINE(potential) -= p;
            YOKE_MINE(resume) = taken ? node.skip : YOKE_MINE(resume);
            opens[l] = here & !taken;
        }
        YOKE_BARRIER;
        YOKE_LANE_MAX(int32_t, open, 0, j, 0, BARNES_HUT_LANES, opens[j])
        k = open ? k + 1 : node.skip;
    }
    YOKE_LANES(l)
    {
        if (l < YOKE_COUNT)
            pulls[i + l] = YOKE_INIT(pull_t, YOKE_MINE(ax), YOKE_MINE(ay), YOKE_MINE(az),
                                     YOKE_MINE(potential));
    }
}
