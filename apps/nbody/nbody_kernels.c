/* nbody_kernels.c - each lane computes two bodies' sums over a part of all bodies. A group of lanes
 * has NBODY_UNIT bodies and goes through tiles of all bodies in local memory. Lanes NBODY_HALF
 * apart have the same two bodies: each sums over its part of the tile, and at the end these are
 * added.
 *
 * Two bodies share what a lane reads of the tile, and one is computed while the other waits for its
 * root. But two bodies per lane halve the number of lanes. Dividing tiles into parts makes up for
 * that, because a GPU needs many lanes also if bodies are few. An H200 took for 524,288 and for
 * 16,384 bodies, in ms:
 *
 *     one body per lane, rsqrtf             166.1   0.383
 *     one body per lane, yoke_rsqrtf        144.4   0.283
 *     two bodies, no parts, yoke_rsqrtf     152.3   0.746
 *     two bodies, two parts, yoke_rsqrtf    142.6   0.274
 *     two bodies, four parts, yoke_rsqrtf   138.2   0.180
 *
 * A sum in single precision over two million bodies would have a relative error of 3e-5. So each
 * block of bodies is summed separately, and its sum goes to `acceleration`: in memory, because
 * three more registers per lane would cost a GPU a tenth of its lanes.
 */
#include "nbody_kernels.h"

/* Returns the pull of `mass` at the squared distance `d2`, per unit of distance. */
YOKE_FN float pull(float mass, float d2)
{
    const float r = yoke_rsqrtf(d2);
    return mass * r * r * r;
}

/* Leapfrog's kick and drift: velocities are half a step behind positions. */
YOKE_GROUP_KERNEL(nbody, i, NBODY_LANES, NBODY_UNIT, YOKE_VALUE(int64_t, bodies),
                  YOKE_VALUE(float, step), YOKE_VALUE(float, softening2), YOKE_IN(body_t, from),
                  YOKE_INOUT(vector_t, velocity), YOKE_OUT(body_t, to),
                  YOKE_OUT(vector_t, acceleration), YOKE_LOCAL(body_t, tile, NBODY_TILE),
                  YOKE_PRIVATE(float, x0), YOKE_PRIVATE(float, y0), YOKE_PRIVATE(float, z0),
                  YOKE_PRIVATE(float, x1), YOKE_PRIVATE(float, y1), YOKE_PRIVATE(float, z1),
                  YOKE_PRIVATE(float, ax0), YOKE_PRIVATE(float, ay0), YOKE_PRIVATE(float, az0),
                  YOKE_PRIVATE(float, ax1), YOKE_PRIVATE(float, ay1), YOKE_PRIVATE(float, az1))
{
    YOKE_LANES(l)
    {
        const int k = l % NBODY_HALF;
        const body_t me0 = from[i + (k < YOKE_COUNT ? k : 0)];
        const body_t me1 = from[i + (k + NBODY_HALF < YOKE_COUNT ? k + NBODY_HALF : 0)];
        YOKE_MINE(x0) = me0.x;
        YOKE_MINE(y0) = me0.y;
        YOKE_MINE(z0) = me0.z;
        YOKE_MINE(x1) = me1.x;
        YOKE_MINE(y1) = me1.y;
        YOKE_MINE(z1) = me1.z;
    }
    for (int64_t begin = 0; begin < bodies; begin += NBODY_BLOCK) {
        const int64_t end = bodies - begin < NBODY_BLOCK ? bodies : begin + NBODY_BLOCK;
        YOKE_LANES(l)
        {
            YOKE_MINE(ax0) = YOKE_MINE(ay0) = YOKE_MINE(az0) = 0.0f;
            YOKE_MINE(ax1) = YOKE_MINE(ay1) = YOKE_MINE(az1) = 0.0f;
        }
        for (int64_t first = begin; first < end; first += NBODY_TILE) {
            for (int k = 0; k < NBODY_TILE; k += NBODY_LANES) {
                const int64_t left = end - first - k;
                if (left >= NBODY_LANES) { /* a test in every lane cost a CPU 2 % of the total */
                    YOKE_LANES(l)
                    {
                        tile[k + l] = from[first + k + l];
                    }
                } else { /* missing bodies have mass 0, so the loop below needs no end */
                    YOKE_LANES(l)
                    {
                        tile[k + l] = l < left ? from[first + k + l]
                                               : YOKE_INIT(body_t, 0.0f, 0.0f, 0.0f, 0.0f);
                    }
                }
            }
            YOKE_BARRIER;
            YOKE_UNROLL(16)
            for (int j = 0; j < NBODY_UNIT; ++j) {
                YOKE_LANES_BY(NBODY_HALF, part, l)
                {
                    const body_t other = tile[part * NBODY_UNIT + j];
                    const float dx0 = other.x - YOKE_MINE(x0), dx1 = other.x - YOKE_MINE(x1);
                    const float dy0 = other.y - YOKE_MINE(y0), dy1 = other.y - YOKE_MINE(y1);
                    const float dz0 = other.z - YOKE_MINE(z0), dz1 = other.z - YOKE_MINE(z1);
                    const float w0 =
                        pull(other.mass, softening2 + dx0 * dx0 + dy0 * dy0 + dz0 * dz0);
                    const float w1 =
                        pull(other.mass, softening2 + dx1 * dx1 + dy1 * dy1 + dz1 * dz1);
                    YOKE_MINE(ax0) += w0 * dx0;
                    YOKE_MINE(ay0) += w0 * dy0;
                    YOKE_MINE(az0) += w0 * dz0;
                    YOKE_MINE(ax1) += w1 * dx1;
                    YOKE_MINE(ay1) += w1 * dy1;
                    YOKE_MINE(az1) += w1 * dz1;
                }
            }
            YOKE_BARRIER;
        }
        YOKE_LANES_BY(NBODY_HALF, part, l)
        {
            const int at = part * NBODY_UNIT + l % NBODY_HALF;
            tile[at] = YOKE_INIT(body_t, YOKE_MINE(ax0), YOKE_MINE(ay0), YOKE_MINE(az0), 0.0f);
            tile[at + NBODY_HALF] =
                YOKE_INIT(body_t, YOKE_MINE(ax1), YOKE_MINE(ay1), YOKE_MINE(az1), 0.0f);
        }
        YOKE_BARRIER;
        YOKE_LANES(l)
        {
            if (l >= YOKE_COUNT)
                continue;
            float ax = 0.0f, ay = 0.0f, az = 0.0f;
            for (int part = 0; part < NBODY_PARTS; ++part) {
                const body_t sum = tile[part * NBODY_UNIT + l];
                ax += sum.x;
                ay += sum.y;
                az += sum.z;
            }
            const vector_t before =
                begin ? acceleration[i + l] : YOKE_INIT(vector_t, 0.0f, 0.0f, 0.0f, 0.0f);
            acceleration[i + l] =
                YOKE_INIT(vector_t, before.x + ax, before.y + ay, before.z + az, 0.0f);
        }
        YOKE_BARRIER; /* the next block's bodies come into the tile */
    }
    YOKE_LANES(l)
    {
        if (l >= YOKE_COUNT)
            continue;
        const body_t me = from[i + l];
        const vector_t a = acceleration[i + l];
        const vector_t v = velocity[i + l];
        const vector_t u =
            YOKE_INIT(vector_t, v.x + step * a.x, v.y + step * a.y, v.z + step * a.z, 0.0f);
        velocity[i + l] = u;
        to[i + l] =
            YOKE_INIT(body_t, me.x + step * u.x, me.y + step * u.y, me.z + step * u.z, me.mass);
    }
}
