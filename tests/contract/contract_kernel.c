/* contract_kernel.c - see contract_kernel.h. */
#include <yoke/kernel.h>

#include "contract_struct.h"

YOKE_KERNEL(contract_saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}

YOKE_KERNEL2(contract_plane, i, j, YOKE_IN(int32_t, m), YOKE_OUT(int32_t, p))
{
    p[i * YOKE_SIZE2 + j] = 1000 * m[i * YOKE_SIZE2 + j] + 10 * (int32_t)i + (int32_t)j;
}

YOKE_GROUP_KERNEL(contract_sums, i, 32, 1, YOKE_VALUE(int64_t, columns), YOKE_IN(float, m),
                  YOKE_OUT(float, s))
{
    YOKE_LANE_SUM(float, sum, j, 0, columns, m[i * columns + j])
    YOKE_ONCE
    {
        s[i] = sum;
    }
}

YOKE_KERNEL(contract_move, i, YOKE_VALUE(contract_force, force), YOKE_INOUT(contract_body, bodies))
{
    contract_body body = bodies[i];
    for (int32_t step = 0; step < force.steps; ++step)
        body.x += (float)force.time * force.pull * body.mass;
    body.z = body.y;
    bodies[i] = body;
}

YOKE_KERNEL(contract_count, i, YOKE_VALUE(int32_t, bins), YOKE_IN(int32_t, x), YOKE_ADD(int32_t, h))
{
    yoke_add(&h[x[i] % bins], 1);
}
