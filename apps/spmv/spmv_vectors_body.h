/* spmv_vectors_body.h - the kernels on vectors between products; included once per type.
 *
 * The ranges of these kernels are the matrix's tiles too, although only the tiles' rows are used.
 * So devices have about the same rows in every job, and only rows at their borders are moved. Sums
 * of products are in double precision for both types: they need no memory traffic.
 */

/* Adds carries at the row that they belong to: the sums of rows in several tiles are incomplete
 * until then. `joined` is 0 if there are none. The loop treats all tiles the same way, because PoCL
 * (3.1) fails if barriers in a loop depend on a condition. */
SPMV_KERNEL(SPMV_NAME(spmv_dots), t, SPMV_LANES, SPMV_TOGETHER, YOKE_VALUE(int32_t, joined),
            YOKE_IN(spmv_tile_t, tiles), YOKE_IN(SPMV_REAL, carry), YOKE_IN(SPMV_REAL, x),
            YOKE_INOUT(SPMV_REAL, y), YOKE_ADD(double, sums))
{
    const int32_t row0 = tiles[t].row, row1 = tiles[t + YOKE_COUNT].row;
    if (joined) {
        for (int k = 0; k < YOKE_COUNT; k++) {
            const int32_t row = tiles[t + k].row, ends = tiles[t + k + 1].row > row;
            const int64_t from = tiles[t + k].begin, to = ends ? t + k : from;
            YOKE_LANE_SUM(SPMV_REAL, all, c, from, to, carry[c])
            YOKE_ONCE
            {
                if (from < to)
                    y[row] += all;
            }
        }
    }
    YOKE_BARRIER;
    YOKE_LANE_SUM(double, with_x, i, row0, row1, (double)x[i] * (double)y[i])
    YOKE_LANE_SUM(double, with_y, j, row0, row1, (double)y[j] * (double)y[j])
    YOKE_ONCE
    {
        yoke_add(&sums[0], with_x);
        yoke_add(&sums[1], with_y);
    }
}

SPMV_KERNEL(SPMV_NAME(spmv_advance), t, SPMV_LANES, SPMV_TOGETHER, YOKE_VALUE(SPMV_REAL, alpha),
            YOKE_IN(spmv_tile_t, tiles), YOKE_IN(SPMV_REAL, p), YOKE_IN(SPMV_REAL, q),
            YOKE_INOUT(SPMV_REAL, x), YOKE_INOUT(SPMV_REAL, r), YOKE_ADD(double, sums),
            YOKE_PRIVATE(double, mine), YOKE_LOCAL(double, all, SPMV_LANES))
{
    const int32_t row0 = tiles[t].row, row1 = tiles[t + YOKE_COUNT].row;
    YOKE_LANES(l)
    {
        YOKE_MINE(mine) = 0;
    }
    for (int32_t first = row0; first < row1; first += SPMV_LANES) {
        YOKE_LANES(l)
        {
            const int32_t i = first + l;
            if (i < row1) {
                const SPMV_REAL left = r[i] - alpha * q[i];
                x[i] += alpha * p[i];
                r[i] = left;
                YOKE_MINE(mine) += (double)left * (double)left;
            }
        }
    }
    YOKE_LANES(l)
    {
        all[l] = YOKE_MINE(mine);
    }
    YOKE_BARRIER;
    YOKE_LANE_SUM(double, sum, k, 0, SPMV_LANES, all[k])
    YOKE_ONCE
    {
        yoke_add(&sums[0], sum);
    }
}

SPMV_KERNEL(SPMV_NAME(spmv_turn), t, SPMV_LANES, SPMV_TOGETHER, YOKE_VALUE(SPMV_REAL, beta),
            YOKE_IN(spmv_tile_t, tiles), YOKE_IN(SPMV_REAL, r), YOKE_INOUT(SPMV_REAL, p))
{
    const int32_t row0 = tiles[t].row, row1 = tiles[t + YOKE_COUNT].row;
    for (int32_t first = row0; first < row1; first += SPMV_LANES) {
        YOKE_LANES(l)
        {
            const int32_t i = first + l;
            if (i < row1)
                p[i] = r[i] + beta * p[i];
        }
    }
}
