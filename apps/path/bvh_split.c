/* bvh_split.c - divides the triangles into halves, repeatedly, where the surface-area heuristic
 * says.
 *
 * A branch is divided by count, half of the triangles to each side, in two cases: if bins cannot
 * separate the triangles, because all centres are equal; and if the branch would get too deep. So
 * no branch lies deeper than PATH_BVH_LEVELS, whatever the triangles are: a branch of n triangles
 * at level d is halved by count as soon as d + log2(n) reaches that number.
 *
 * All cores together divide the first branches (bvh_divide.c). Below, one core divides each branch.
 */
#include "bvh_bins.h"

/* Moves the refs of the first child before those of the second; returns how many they are. */
static int32_t divide(struct bvh_ref *refs, struct bvh_range range, const struct bvh_cut *cut)
{
    int32_t first = range.first, last = range.last;
    for (;;) {
        struct bvh_ref other;
        while (first < last && !bvh_is_second(&refs[first], cut))
            first++;
        while (first < last && bvh_is_second(&refs[last - 1], cut))
            last--;
        if (first >= last)
            return first - range.first;
        other = refs[first];
        refs[first++] = refs[--last];
        refs[last] = other;
    }
}

int bvh_is_deep(const struct bvh_span *span, int32_t count)
{
    int32_t levels = 0;
    while (count > 1 << levels)
        levels++;
    return span->level + levels >= PATH_BVH_LEVELS;
}

static void split_branch(struct bvh_work *work, const struct bvh_span *span, int32_t count)
{
    const struct bvh_range range = { span->first, span->first + count };
    struct bvh_branch *branch = &work->branches[span->branch];
    struct bvh_extent extent;
    struct bvh_cut cut = { .axis = -1 };
    bvh_measure(work->refs, range, &extent);
    *branch = (struct bvh_branch){ .box = extent.box, .count = count };
    if (count > 2 && !bvh_is_deep(span, count)) {
        struct bvh_bins bins;
        bvh_fill_bins(work->refs, range, &extent, &bins);
        cut = bvh_find_cut(&bins, &extent);
    }
    branch->first_count = cut.axis < 0 ? count / 2 : divide(work->refs, range, &cut);
}

/* Splits a branch and everything below it. */
static void split_all(struct bvh_work *work, const struct bvh_span *span, int32_t count)
{
    const struct bvh_branch *branch = &work->branches[span->branch];
    struct bvh_span first, second;
    if (count == 1) {
        work->branches[span->branch] =
            (struct bvh_branch){ .box = work->refs[span->first].box, .count = 1 };
        return;
    }
    split_branch(work, span, count);
    first = bvh_first_child(span);
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

/* Splits the branches above the parts, and lists the parts. */
static yoke_status split_top(struct bvh_work *work, const struct bvh_span *span, int32_t count)
{
    struct bvh_branch *branch = &work->branches[span->branch];
    struct bvh_span child;
    yoke_status status = YOKE_OK;
    if (bvh_is_small(work, count)) {
        branch->count = count;
        return bvh_spans_add(&work->parts, span);
    }
    if (count > BVH_TOGETHER)
        status = bvh_divide(work, span, count);
    else
        split_branch(work, span, count);
    if (status != YOKE_OK)
        return status;
    child = bvh_first_child(span);
    status = split_top(work, &child, branch->first_count);
    if (status != YOKE_OK)
        return status;
    child = bvh_second_child(work, span);
    return split_top(work, &child, count - branch->first_count);
}

yoke_status bvh_split(struct bvh_work *work)
{
    yoke_status status = split_top(work, &(struct bvh_span){ 0 }, (int32_t)work->count);
    if (status != YOKE_OK)
        return status;
    return cores_run(work->cores,
                     &(struct cores_work){ "branches", split_part, work, work->parts.count });
}
