/* bvh_split.c - triangles into halves by the surface-area heuristic, in bins: Wald, "On fast
 * construction of SAH-based bounding volume hierarchies" (2007).
 *
 * Where bins tell nothing apart, for all centres are the same, or where a branch would get too
 * deep, halves have as many triangles each. So no branch lies deeper than PATH_BVH_LEVELS, whatever
 * the triangles are: one of n triangles at level d is halved as soon as d + log2(n) comes to that.
 */
#include <math.h>

#include "bvh_parts.h"

enum { BINS = 16 };

struct bin {
    struct bvh_box box;
    int32_t count;
};

struct range { /* refs first .. last - 1 */
    int32_t first, last;
};

/* What is to be divided: its box, and that of the centres (doubled). */
struct extent {
    struct bvh_box box, centres;
};

struct cut {
    int axis; /* -1: none */
    int bin;  /* first of the second child */
    double cost;
};

static float centre(const struct bvh_ref *ref, int k)
{
    return ref->box.low[k] + ref->box.high[k];
}

static void measure(const struct bvh_ref *refs, struct range range, struct extent *extent)
{
    int32_t i;
    int k;
    bvh_box_clear(&extent->box);
    bvh_box_clear(&extent->centres);
    for (i = range.first; i < range.last; i++) {
        bvh_box_join(&extent->box, &refs[i].box);
        for (k = 0; k < 3; k++) {
            const float at = centre(&refs[i], k);
            extent->centres.low[k] = at < extent->centres.low[k] ? at : extent->centres.low[k];
            extent->centres.high[k] = at > extent->centres.high[k] ? at : extent->centres.high[k];
        }
    }
}

/* Bins to a length; 0 where there is none to speak of. */
static float bins_per_length(const struct extent *extent, int k)
{
    const float length = extent->centres.high[k] - extent->centres.low[k];
    const float scale = length > 0 ? (float)BINS / length : 0;
    return scale <= 3e38f ? scale : 0;
}

static int bin_of(const struct bvh_ref *ref, const struct extent *extent, int k, float scale)
{
    const int bin = (int)((centre(ref, k) - extent->centres.low[k]) * scale);
    return bin < BINS ? bin : BINS - 1;
}

static void fill_bins(const struct bvh_ref *refs, struct range range, const struct extent *extent,
                      struct bin bins[3][BINS])
{
    int32_t i;
    int k, b;
    for (k = 0; k < 3; k++) {
        const float scale = bins_per_length(extent, k);
        for (b = 0; b < BINS; b++) {
            bvh_box_clear(&bins[k][b].box);
            bins[k][b].count = 0;
        }
        if (scale == 0)
            continue;
        for (i = range.first; i < range.last; i++) {
            struct bin *bin = &bins[k][bin_of(&refs[i], extent, k, scale)];
            bvh_box_join(&bin->box, &refs[i].box);
            bin->count++;
        }
    }
}

/* Area times triangles of both sides, at its least. */
static void cut_axis(const struct bin bins[BINS], int axis, struct cut *best)
{
    struct bvh_box box;
    double after[BINS];
    int32_t count = 0;
    int b;
    bvh_box_clear(&box);
    for (b = BINS - 1; b > 0; b--) {
        bvh_box_join(&box, &bins[b].box);
        count += bins[b].count;
        after[b] = count ? bvh_box_area(&box) * count : INFINITY;
    }
    bvh_box_clear(&box);
    count = 0;
    for (b = 1; b < BINS; b++) {
        double cost;
        bvh_box_join(&box, &bins[b - 1].box);
        count += bins[b - 1].count;
        cost = count ? bvh_box_area(&box) * count + after[b] : INFINITY;
        if (cost < best->cost)
            *best = (struct cut){ axis, b, cost };
    }
}

static struct cut find_cut(const struct bin bins[3][BINS])
{
    struct cut best = { -1, 0, INFINITY };
    int k;
    for (k = 0; k < 3; k++)
        cut_axis(bins[k], k, &best);
    return best;
}

/* Those before the cut come first; returns the first of the others. */
static int32_t divide(struct bvh_ref *refs, struct range range, const struct extent *extent,
                      const struct cut *cut)
{
    const float scale = bins_per_length(extent, cut->axis);
    int32_t first = range.first, last = range.last;
    for (;;) {
        struct bvh_ref other;
        while (first < last && bin_of(&refs[first], extent, cut->axis, scale) < cut->bin)
            first++;
        while (first < last && bin_of(&refs[last - 1], extent, cut->axis, scale) >= cut->bin)
            last--;
        if (first >= last)
            return first;
        other = refs[first];
        refs[first++] = refs[--last];
        refs[last] = other;
    }
}

static int too_deep(int32_t level, int32_t count)
{
    int32_t levels = 0;
    while (count > 1 << levels)
        levels++;
    return level + levels >= PATH_BVH_LEVELS;
}

static void split_branch(struct bvh_work *work, const struct bvh_span *span, int32_t count)
{
    const struct range range = { span->first, span->first + count };
    struct bvh_branch *branch = &work->branches[span->branch];
    struct extent extent;
    struct cut cut = { -1, 0, 0 };
    measure(work->refs, range, &extent);
    *branch = (struct bvh_branch){ .box = extent.box, .count = count };
    if (count == 1)
        return;
    if (!too_deep(span->level, count)) {
        struct bin bins[3][BINS];
        fill_bins(work->refs, range, &extent, bins);
        cut = find_cut((const struct bin(*)[BINS])bins);
    }
    branch->first_count =
        cut.axis < 0 ? count / 2 : divide(work->refs, range, &extent, &cut) - range.first;
}

/* A branch and all below it. */
static void split_all(struct bvh_work *work, const struct bvh_span *span, int32_t count)
{
    const struct bvh_branch *branch = &work->branches[span->branch];
    struct bvh_span first, second;
    split_branch(work, span, count);
    if (count == 1)
        return;
    first = bvh_first_child(work, span);
    second = bvh_second_child(work, span);
    split_all(work, &first, branch->first_count);
    split_all(work, &second, count - branch->first_count);
}

static void split_part(void *context, int64_t block)
{
    struct bvh_work *work = context;
    const struct bvh_span *part = &work->parts.spans[block];
    split_all(work, part, work->branches[part->branch].count);
}

/* Branches above the parts. */
static yoke_status split_top(struct bvh_work *work, const struct bvh_span *span, int32_t count)
{
    struct bvh_branch *branch = &work->branches[span->branch];
    struct bvh_span child;
    yoke_status status;
    if (count <= 1 + work->count / BVH_PARTS) {
        branch->count = count;
        return bvh_spans_add(&work->parts, span);
    }
    split_branch(work, span, count);
    child = bvh_first_child(work, span);
    status = split_top(work, &child, branch->first_count);
    if (status != YOKE_OK)
        return status;
    child = bvh_second_child(work, span);
    return split_top(work, &child, count - branch->first_count);
}

yoke_status bvh_split(struct bvh_work *work)
{
    yoke_status status = split_top(work, &(struct bvh_span){ 0, 0, 0 }, (int32_t)work->count);
    if (status != YOKE_OK)
        return status;
    return cores_run(work->cores,
                     &(struct cores_work){ "branches", split_part, work, work->parts.count });
}
