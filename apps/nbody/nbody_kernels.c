/* nbody_kernels.c - a lane to a body. All lanes go through the same tile of bodies in local memory
 * at the same time; on a CPU the lanes are the vector.
 *
 * A sum in single precision over two million bodies would be off by 3e-5 of itself. So each block
 * of bodies is summed alone, and its sum goes to `acceleration`: in memory, for three registers
 * more would let fewer lanes run at once on a GPU.
 */
#include "nbody_kernels.h"

/* Leapfrog's kick and drift: velocities lie half a step behind positions. */
YOKE_GROUP_KERNEL(nbody, i, NBODY_TILE, NBODY_TILE, YOKE_VALUE(int64_t, bodies),
                  YOKE_VALUE(float, step), YOKE_VALUE(float, softening2), YOKE_IN(body_t, from),
                  YOKE_INOUT(vector_t, velocity), YOKE_OUT(body_t, to),
                  YOKE_OUT(vector_t, acceleration), YOKE_LOCAL(body_t, tile, NBODY_TILE),
                  YOKE_PRIVATE(float, x), YOKE_PRIVATE(float, y), YOKE_PRIVATE(float, z),
                  YOKE_PRIVATE(float, ax), YOKE_PRIVATE(float, ay), YOKE_PRIVATE(float, az))
{
    YOKE_LANES(l)
    {
        const body_t me = from[i + (l < YOKE_COUNT ? l : 0)];
        YOKE_MINE(x) = me.x;
        YOKE_MINE(y) = me.y;
        YOKE_MINE(z) = me.z;
    }
    for (int64_t begin = 0; begin < bodies; begin += NBODY_BLOCK) {
        const int64_t end = bodies - begin < NBODY_BLOCK ? bodies : begin + NBODY_BLOCK;
        YOKE_LANES(l)
        {
            YOKE_MINE(ax) = YOKE_MINE(ay) = YOKE_MINE(az) = 0.0f;
        }
        for (int64_t first = begin; first < end; first += NBODY_TILE) {
            const int there = end - first < NBODY_TILE ? (int)(end - first) : NBODY_TILE;
            /* The last tile is filled up with bodies of no mass, so that every tile has the same
             * length and compilers unroll the loop over it. */
            YOKE_LANES(l)
            {
                tile[l] = l < there ? from[first + l] : YOKE_INIT(body_t, 0.0f, 0.0f, 0.0f, 0.0f);
            }
            YOKE_BARRIER;
            YOKE_UNROLL(32) /* with 16 an H200 took 178 ms for 524,288 bodies instead of 166 */
            for (int j = 0; j < NBODY_TILE; ++j) {
                const body_t other = tile[j];
                YOKE_LANES(l)
                {
                    const float dx = other.x - YOKE_MINE(x), dy = other.y - YOKE_MINE(y);
                    const float dz = other.z - YOKE_MINE(z);
                    const float r = rsqrtf(softening2 + dx * dx + dy * dy + dz * dz);
                    const float w = other.mass * r * r * r;
                    YOKE_MINE(ax) += w * dx;
                    YOKE_MINE(ay) += w * dy;
                    YOKE_MINE(az) += w * dz;
                }
            }
            YOKE_BARRIER;
        }
        YOKE_LANES(l)
        {
            if (l >= YOKE_COUNT)
                continue;
            const vector_t before =
                begin ? acceleration[i + l] : YOKE_INIT(vector_t, 0.0f, 0.0f, 0.0f, 0.0f);
            acceleration[i + l] =
                YOKE_INIT(vector_t, before.x + YOKE_MINE(ax), before.y + YOKE_MINE(ay),
                          before.z + YOKE_MINE(az), 0.0f);
        }
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
