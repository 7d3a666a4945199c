/* mxv_kernels.c - one group of lanes per row.
 *
 * A loop over the Horner steps of one element would prevent a CPU from vectorising the sum. So the
 * usual amounts of work are constants, which are unrolled. Any other amount takes the row in
 * strips, one element per lane, and does each step for a whole strip.
 */
#include "mxv_kernels.h"

enum { LANES = 32 };

YOKE_FN float extra_work(float a, int32_t flops)
{
    float p = a;
    for (int32_t k = 0; k < flops; k += 2)
        p = p * a + MXV_TERM;
    return p;
}

#define ROW_SUM(first, flops)                                                                      \
    {                                                                                              \
        YOKE_LANE_SUM(float, all, j, first, columns, extra_work(row[j], flops) * v[j])             \
        sum += all;                                                                                \
    }

YOKE_GROUP_KERNEL(mxv, i, LANES, 1, YOKE_VALUE(int64_t, columns), YOKE_VALUE(int32_t, flops),
                  YOKE_IN(float, a), YOKE_IN(float, v), YOKE_OUT(float, y), YOKE_PRIVATE(float, e),
                  YOKE_PRIVATE(float, p), YOKE_PRIVATE(float, s), YOKE_LOCAL(float, part, LANES))
{
    YOKE_GLOBAL const float *row = a + i * columns;
    const int64_t strips = columns / LANES * LANES;
    float sum = 0.0f;
    if (flops == 8)
        ROW_SUM(0, 8)
    else if (flops == 0)
        ROW_SUM(0, 0)
    else {
        YOKE_LANES(l)
        {
            YOKE_MINE(s) = 0.0f;
        }
        for (int64_t first = 0; first < strips; first += LANES) {
            YOKE_LANES(l)
            {
                YOKE_MINE(e) = row[first + l];
                YOKE_MINE(p) = YOKE_MINE(e);
            }
            for (int32_t k = 0; k < flops; k += 2) {
                YOKE_LANES(l)
                {
                    YOKE_MINE(p) = YOKE_MINE(p) * YOKE_MINE(e) + MXV_TERM;
                }
            }
            YOKE_LANES(l)
            {
                YOKE_MINE(s) += YOKE_MINE(p) * v[first + l];
            }
        }
        YOKE_LANES(l)
        {
            part[l] = YOKE_MINE(s);
        }
        YOKE_BARRIER;
        YOKE_LANE_SUM(float, most, j, 0, LANES, part[j])
        sum = most;
        ROW_SUM(strips, flops)
    }
    YOKE_ONCE
    {
        y[i] = sum;
    }
}

/* Also defines row i of the matrix: a copy of row i modulo MXV_BASE of `base`. */
YOKE_KERNEL2(mxv_fill, i, j, YOKE_IN(float, base), YOKE_OUT(float, a))
{
    a[i * YOKE_SIZE2 + j] = base[i % MXV_BASE * YOKE_SIZE2 + j];
}
