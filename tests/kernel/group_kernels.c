/* group_kernels.c - the group form: tiles, local memory, private variables, lane reductions. */
#include <yoke/kernel.h>

#include "shapes.h"

/* A group works on one row of a matrix. */
YOKE_GROUP_KERNEL(mxv, i, 64, 1, YOKE_VALUE(int64_t, columns), YOKE_IN(float, a), YOKE_IN(float, x),
                  YOKE_OUT(float, y))
{
    YOKE_GLOBAL const float *row = a + i * columns;
    YOKE_LANE_SUM(float, sum, j, 0, columns, row[j] * x[j])
    YOKE_ONCE
    {
        y[i] = sum;
    }
}

/* Several reductions one after another, other types, limits that are no multiple of the lanes. */
YOKE_GROUP_KERNEL(extremes, i, 32, 1, YOKE_VALUE(int32_t, columns), YOKE_IN(float, a),
                  YOKE_OUT(float, low), YOKE_OUT(float, high), YOKE_OUT(double, mean),
                  YOKE_OUT(int64_t, positive))
{
    YOKE_GLOBAL const float *row = a + i * columns;
    YOKE_LANE_MIN(float, least, row[0], j, 1, columns, row[j])
    YOKE_LANE_MAX(float, most, row[0], j, 1, columns, row[j])
    YOKE_LANE_SUM(double, sum, j, 0, columns, (double)row[j])
    YOKE_LANE_SUM(int64_t, count, j, 0, columns, row[j] > 0.0f ? 1 : 0)
    YOKE_ONCE
    {
        low[i] = least;
        high[i] = most;
        mean[i] = sum / columns;
    }
    if (i % 2) /* a dangling `else`, and a `continue`, as on a CPU */
        YOKE_ONCE
        {
            positive[i] = count;
            if (count >= 0)
                continue;
            positive[i] = -1;
        }
    else
        YOKE_ONCE
        {
            positive[i] = count;
        }
}

/* Rows with NaNs, also as start. */
YOKE_GROUP_KERNEL(gaps, i, 32, 1, YOKE_VALUE(int32_t, columns), YOKE_IN(float, a),
                  YOKE_OUT(float, low), YOKE_OUT(float, high))
{
    YOKE_GLOBAL const float *row = a + i * columns;
    YOKE_LANE_MIN(float, least, row[0], j, 1, columns, row[j])
    YOKE_LANE_MAX(float, most, row[0], j, 1, columns, row[j])
    YOKE_ONCE
    {
        low[i] = least;
        high[i] = most;
    }
}

/* All bodies act on each body: tiles of bodies in local memory, one body per lane. */
YOKE_GROUP_KERNEL(nbody, i, TILE, TILE, YOKE_VALUE(int64_t, n), YOKE_VALUE(float, dt),
                  YOKE_IN(body_t, p), YOKE_INOUT(body_t, v), YOKE_LOCAL(body_t, tile, TILE),
                  YOKE_PRIVATE(float, x), YOKE_PRIVATE(float, y), YOKE_PRIVATE(float, z),
                  YOKE_PRIVATE(float, ax), YOKE_PRIVATE(float, ay), YOKE_PRIVATE(float, az))
{
    YOKE_LANES(l)
    {
        const body_t me = p[i + (l < YOKE_COUNT ? l : 0)];
        YOKE_MINE(x) = me.x;
        YOKE_MINE(y) = me.y;
        YOKE_MINE(z) = me.z;
        YOKE_MINE(ax) = YOKE_MINE(ay) = YOKE_MINE(az) = 0.0f;
    }
    for (int64_t first = 0; first < n; first += TILE) {
        const int bodies = n - first < TILE ? (int)(n - first) : TILE;
        YOKE_LANES(l)
        {
            if (l < bodies)
                tile[l] = p[first + l];
        }
        YOKE_BARRIER;
        for (int j = 0; j < bodies; ++j) {
            const body_t other = tile[j];
            YOKE_LANES(l)
            {
                const float dx = other.x - YOKE_MINE(x), dy = other.y - YOKE_MINE(y);
                const float dz = other.z - YOKE_MINE(z);
                const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
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
        v[i + l].x += dt * YOKE_MINE(ax);
        v[i + l].y += dt * YOKE_MINE(ay);
        v[i + l].z += dt * YOKE_MINE(az);
    }
}

/* Four parts of the lanes have the same indexes; each part adds a value of its own, except the
 * third, whose lanes end early. The total is wrong if a lane used another lane's sum. */
YOKE_GROUP_KERNEL(parted, i, 4 * PART, PART, YOKE_IN(int32_t, x), YOKE_OUT(int32_t, y),
                  YOKE_LOCAL(int32_t, tile, 4 * PART), YOKE_PRIVATE(int32_t, sum))
{
    YOKE_LANES_BY(PART, part, l)
    {
        YOKE_MINE(sum) = (part + 1) * x[i + (l % PART < YOKE_COUNT ? l % PART : 0)];
    }
    YOKE_LANES_BY(PART, part, l)
    {
        if (part == 2)
            continue;
        YOKE_MINE(sum) += 1000 * part + l;
    }
    YOKE_LANES(l)
    {
        tile[l] = YOKE_MINE(sum);
    }
    YOKE_BARRIER;
    YOKE_LANES(l)
    {
        if (l < YOKE_COUNT)
            y[i + l] =
                tile[l] + 3 * tile[PART + l] + 5 * tile[2 * PART + l] + 7 * tile[3 * PART + l];
    }
}

/* Parts that do not divide the lanes: the last has fewer; one has more than there are. */
YOKE_GROUP_KERNEL(unequal, i, 64, 64, YOKE_IN(int32_t, x), YOKE_OUT(int32_t, y))
{
    YOKE_LANES_BY(24, part, l)
    {
        if (l < YOKE_COUNT)
            y[i + l] = x[i + l] + 100 * part + l;
    }
    YOKE_LANES_BY(100, part, l)
    {
        if (l < YOKE_COUNT)
            y[i + l] += 1000 * (part + 1);
    }
}

/* Wrong without the barrier: each lane reads what another wrote. The last tile may be short. Local
 * memory is no argument, wherever it is declared. */
YOKE_GROUP_KERNEL(reverse, i, TILE, TILE, YOKE_LOCAL(int32_t, tile, TILE), YOKE_IN(int32_t, x),
                  YOKE_OUT(int32_t, y))
{
    YOKE_LANES(l)
    {
        if (l < YOKE_COUNT)
            tile[l] = x[i + l];
    }
    YOKE_BARRIER;
    YOKE_LANES(l)
    {
        if (l < YOKE_COUNT)
            y[i + l] = tile[YOKE_COUNT - 1 - l];
    }
}

/* All lanes loop until the last one is done; each counts its own steps. */
YOKE_GROUP_KERNEL(voting, i, 32, 32, YOKE_IN(int32_t, x), YOKE_OUT(int32_t, steps),
                  YOKE_OUT(int32_t, rounds), YOKE_PRIVATE(int32_t, now),
                  YOKE_PRIVATE(int32_t, done))
{
    int32_t round = 0;
    YOKE_LANES(l)
    {
        YOKE_MINE(now) = x[i + (l < YOKE_COUNT ? l : 0)];
        YOKE_MINE(done) = 0;
    }
    while (round < 1000) {
        YOKE_LANE_ANY(open, l, YOKE_MINE(now) != 1)
        if (!open)
            break;
        ++round;
        YOKE_LANES(l)
        {
            const int32_t n = YOKE_MINE(now);
            YOKE_MINE(done) += n != 1;
            YOKE_MINE(now) = n == 1 ? 1 : n % 2 ? 3 * n + 1 : n / 2;
        }
    }
    YOKE_LANES(l)
    {
        if (l < YOKE_COUNT) {
            steps[i + l] = YOKE_MINE(done);
            rounds[i + l] = round;
        }
    }
}

/* The same vote among lanes of several warps, many times in succession: in round r all but the last
 * lane have left. */
YOKE_GROUP_KERNEL(leaving, i, 128, 1, YOKE_IN(int32_t, x), YOKE_OUT(int32_t, rounds))
{
    const int32_t last = x[i];
    int32_t round = 0;
    while (round < 1000) {
        YOKE_LANE_ANY(open, l, l <= last && l >= round)
        if (!open)
            break;
        ++round;
    }
    YOKE_ONCE
    {
        rounds[i] = round;
    }
}

/* Adds to local memory first; a helper gets the local array. More indexes than lanes. */
YOKE_FN uint32_t bin_of(float x)
{
    const int32_t bin = (int32_t)(x * BINS);
    return (uint32_t)(bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin);
}
YOKE_FN void count_one(YOKE_SHARED uint32_t *bins, float x)
{
    yoke_add(&bins[bin_of(x)], 1u);
}

YOKE_GROUP_KERNEL(local_histogram, i, 32, 256, YOKE_IN(float, x), YOKE_ADD(uint32_t, counts),
                  YOKE_LOCAL(uint32_t, bins, BINS))
{
    YOKE_LANES(l)
    {
        for (int b = l; b < BINS; b += 32)
            bins[b] = 0;
    }
    YOKE_BARRIER;
    YOKE_LANES(l)
    {
        for (int k = l; k < YOKE_COUNT; k += 32)
            count_one(bins, x[i + k]);
    }
    YOKE_BARRIER;
    YOKE_LANES(l)
    {
        for (int b = l; b < BINS; b += 32)
            yoke_add(&counts[b], bins[b]);
    }
}

/* --- only some lanes go on after a barrier; PoCL's optimiser lets the others go on, too --- */

YOKE_GROUP_KERNEL(few_lanes, i, 4 * FEW, 4 * FEW, YOKE_IN(int32_t, x), YOKE_ADD(uint32_t, groups),
                  YOKE_LOCAL(int32_t, part, FEW))
{
    YOKE_LANES(l)
    {
        if (l < FEW)
            part[l] = 0;
    }
    YOKE_BARRIER;
    YOKE_LANES(l)
    {
        if (l < YOKE_COUNT)
            yoke_add(&part[l % FEW], x[i + l]);
    }
    YOKE_BARRIER;
    YOKE_LANES(l)
    {
        if (l < FEW && part[l] != 0)
            yoke_add(&groups[l], 1u);
    }
}

YOKE_GROUP_KERNEL(branch_lanes, i, 32, 1, YOKE_VALUE(int32_t, n), YOKE_INOUT(int32_t, y))
{
    if (n > 3) {
        YOKE_BARRIER;
        YOKE_LANES(l)
        {
            if (l < n)
                y[i * 32 + l] += 1;
        }
    }
}

YOKE_GROUP_KERNEL(branch_once, i, 32, 1, YOKE_VALUE(int32_t, n), YOKE_INOUT(int32_t, y))
{
    if (n > 3) {
        YOKE_BARRIER;
        YOKE_ONCE
        {
            y[i * 32] += 1;
        }
    }
}

/* The prefix sums of the elements before each, by a tree (Blelloch 1990). */
YOKE_GROUP_KERNEL(scan, i, 2 * FEW, 2 * FEW, YOKE_IN(int32_t, x), YOKE_OUT(int32_t, y),
                  YOKE_LOCAL(int32_t, tree, 2 * FEW))
{
    YOKE_LANES(l)
    {
        tree[l] = l < YOKE_COUNT ? x[i + l] : 0;
    }
    for (int step = 1; step < 2 * FEW; step *= 2) {
        YOKE_BARRIER;
        YOKE_LANES(l)
        {
            if (l % (2 * step) == 2 * step - 1)
                tree[l] += tree[l - step];
        }
    }
    YOKE_BARRIER;
    YOKE_ONCE
    {
        tree[2 * FEW - 1] = 0;
    }
    for (int step = FEW; step > 0; step /= 2) {
        YOKE_BARRIER;
        YOKE_LANES(l)
        {
            if (l % (2 * step) == 2 * step - 1) {
                const int32_t left = tree[l - step];
                tree[l - step] = tree[l];
                tree[l] += left;
            }
        }
    }
    YOKE_BARRIER;
    YOKE_LANES(l)
    {
        if (l < YOKE_COUNT)
            y[i + l] = tree[l];
    }
}
