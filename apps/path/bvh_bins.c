/* bvh_bins.c - see bvh_bins.h. */
#include "bvh_bins.h"

#include <math.h>

void bvh_extent_join(struct bvh_extent *extent, const struct bvh_extent *with)
{
    bvh_box_join(&extent->box, &with->box);
    bvh_box_join(&extent->centres, &with->centres);
}

void bvh_measure(const struct bvh_ref *refs, struct bvh_range range, struct bvh_extent *extent)
{
    int32_t i;
    int k;
    bvh_box_clear(&extent->box);
    bvh_box_clear(&extent->centres);
    for (i = range.first; i < range.last; i++) {
        struct bvh_extent one = { .box = refs[i].box };
        for (k = 0; k < 3; k++)
            one.centres.low[k] = one.centres.high[k] = bvh_centre(&refs[i], k);
        bvh_extent_join(extent, &one);
    }
}

/* Bins per unit of length; 0: the length is 0 or too small to divide by. */
static float bins_per_length(const struct bvh_extent *extent, int k)
{
    const float length = extent->centres.high[k] - extent->centres.low[k];
    const float scale = length > 0 ? (float)BVH_BINS / length : 0;
    return scale <= 3e38f ? scale : 0;
}

void bvh_fill_bins(const struct bvh_ref *refs, struct bvh_range range,
                   const struct bvh_extent *extent, struct bvh_bins *bins)
{
    float scale[3];
    int32_t i;
    int k, b;
    for (k = 0; k < 3; k++) {
        scale[k] = bins_per_length(extent, k);
        for (b = 0; b < BVH_BINS; b++) {
            bvh_box_clear(&bins->of[k][b].box);
            bins->of[k][b].count = 0;
        }
    }
    for (i = range.first; i < range.last; i++)
        for (k = 0; k < 3; k++) {
            const float at = bvh_centre(&refs[i], k);
            struct bvh_bin *bin = &bins->of[k][bvh_bin_of(at, extent->centres.low[k], scale[k])];
            bvh_box_join(&bin->box, &refs[i].box);
            bin->count++;
        }
}

void bvh_bins_join(struct bvh_bins *bins, const struct bvh_bins *with)
{
    int k, b;
    for (k = 0; k < 3; k++)
        for (b = 0; b < BVH_BINS; b++) {
            bvh_box_join(&bins->of[k][b].box, &with->of[k][b].box);
            bins->of[k][b].count += with->of[k][b].count;
        }
}

/* Finds the cut with the least sum, over both sides, of area times number of triangles. */
static void cut_axis(const struct bvh_bin bins[BVH_BINS], int axis, struct bvh_cut *best)
{
    struct bvh_box box;
    double after[BVH_BINS];
    int32_t count = 0;
    int b;
    bvh_box_clear(&box);
    for (b = BVH_BINS - 1; b > 0; b--) {
        bvh_box_join(&box, &bins[b].box);
        count += bins[b].count;
        after[b] = count ? bvh_box_area(&box) * count : INFINITY;
    }
    bvh_box_clear(&box);
    count = 0;
    for (b = 1; b < BVH_BINS; b++) {
        double cost;
        bvh_box_join(&box, &bins[b - 1].box);
        count += bins[b - 1].count;
        cost = count ? bvh_box_area(&box) * count + after[b] : INFINITY;
        if (cost < best->cost)
            *best = (struct bvh_cut){ axis, b, cost, 0, 0 };
    }
}

struct bvh_cut bvh_find_cut(const struct bvh_bins *bins, const struct bvh_extent *extent)
{
    struct bvh_cut best = { .axis = -1, .cost = INFINITY };
    int k;
    for (k = 0; k < 3; k++)
        cut_axis(bins->of[k], k, &best);
    if (best.axis >= 0) {
        best.low = extent->centres.low[best.axis];
        best.scale = bins_per_length(extent, best.axis);
    }
    return best;
}
