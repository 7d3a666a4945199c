/* bvh_bins.h - where to divide triangles by the surface-area heuristic, in bins: Wald, "On fast
 * construction of SAH-based bounding volume hierarchies" (2007).
 *
 * Parts of a range may be binned separately and joined: the result has the same bits as binning the
 * whole range, because boxes and counts do not round.
 */
#ifndef YOKE_APPS_PATH_BVH_BINS_H
#define YOKE_APPS_PATH_BVH_BINS_H

#include "bvh_parts.h"

enum { BVH_BINS = 16 };

struct bvh_range { /* refs first .. last - 1 */
    int32_t first, last;
};

/* The extent of a branch: the box of its triangles, and the box of their centres (both coordinates
 * of a centre are doubled). */
struct bvh_extent {
    struct bvh_box box, centres;
};

struct bvh_bins {
    struct bvh_bin {
        struct bvh_box box;
        int32_t count;
    } of[3][BVH_BINS];
};

struct bvh_cut {
    int axis; /* -1: no axis separates the triangles */
    int bin;  /* the first bin of the second child */
    double cost;
    float low, scale; /* convert a centre's place on the axis to its bin */
};

void bvh_measure(const struct bvh_ref *refs, struct bvh_range range, struct bvh_extent *extent);
void bvh_extent_join(struct bvh_extent *extent, const struct bvh_extent *with);
void bvh_fill_bins(const struct bvh_ref *refs, struct bvh_range range,
                   const struct bvh_extent *extent, struct bvh_bins *bins);
void bvh_bins_join(struct bvh_bins *bins, const struct bvh_bins *with);
struct bvh_cut bvh_find_cut(const struct bvh_bins *bins, const struct bvh_extent *extent);

static inline float bvh_centre(const struct bvh_ref *ref, int axis)
{
    return ref->box.low[axis] + ref->box.high[axis];
}

static inline int bvh_bin_of(float centre, float low, float scale)
{
    const int bin = (int)((centre - low) * scale);
    return bin < BVH_BINS ? bin : BVH_BINS - 1;
}

/* Returns 1 if the triangle belongs to the second child. */
static inline int bvh_is_second(const struct bvh_ref *ref, const struct bvh_cut *cut)
{
    return bvh_bin_of(bvh_centre(ref, cut->axis), cut->low, cut->scale) >= cut->bin;
}

#endif
