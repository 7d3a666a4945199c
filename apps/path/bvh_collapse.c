/* bvh_collapse.c - chooses which branches become nodes of up to eight children. The choice has the
 * least cost by the surface-area heuristic; dynamic programming finds it (Ylitie, Karras and Laine
 * 2017).
 *
 * Let c(n, i) be the least cost of branch n if it becomes at most i children of a node above. As
 * one child, it is a leaf, if it has few triangles, or a node with up to eight children of its own.
 * As i children, its two branches become k and i - k children. Every cost counts an area as a
 * fraction of the root's area.
 *
 * A branch's `choice` stores k for each i from 2 to 8, in the three bits from bit 3 (i - 2) on. 0
 * means: the same as for i - 1.
 */
#include "bvh_parts.h"

static const float node_cost = 1.0f, triangle_cost = 0.3f;

static float least_of_two(const float *first, const float *second, int i, uint32_t *choice)
{
    float least = first[0] + second[i - 2];
    int k;
    *choice = 1;
    for (k = 2; k < i; k++) {
        const float cost = first[k - 1] + second[i - k - 1];
        if (cost < least) {
            least = cost;
            *choice = (uint32_t)k;
        }
    }
    return least;
}

static void choose(struct bvh_work *work, int32_t id, float area)
{
    struct bvh_branch *branch = &work->branches[id];
    float *costs = work->costs[id], eight;
    const float *first, *second;
    uint32_t choice;
    int i;
    branch->nodes = 0;
    branch->choice = 0;
    costs[0] = area * triangle_cost * (float)branch->count;
    if (branch->count == 1) {
        for (i = 1; i < BVH_SLOTS - 1; i++)
            costs[i] = costs[0];
        return;
    }
    first = work->costs[id + 1];
    second = work->costs[id + 2 * branch->first_count];
    eight = least_of_two(first, second, BVH_SLOTS, &choice) + area * node_cost;
    branch->choice = choice << (3 * (BVH_SLOTS - 2));
    if (branch->count > BVH_LEAF_TRIANGLES || eight < costs[0]) {
        costs[0] = eight;
        branch->nodes = 1;
    }
    for (i = 2; i < BVH_SLOTS; i++) {
        costs[i - 1] = least_of_two(first, second, i, &choice);
        if (costs[i - 1] < costs[i - 2])
            branch->choice |= choice << (3 * (i - 2));
        else
            costs[i - 1] = costs[i - 2];
    }
}

/* Replaces a branch by at most `most` of the branches below it; returns how many. */
static int open_branch(const struct bvh_work *work, const struct bvh_span *span, int most,
                       struct bvh_span *children)
{
    const struct bvh_branch *branch = &work->branches[span->branch];
    struct bvh_span first, second;
    uint32_t k = 0;
    int count;
    if (branch->count > 1)
        for (; most > 1 && k == 0; most -= k == 0)
            k = branch->choice >> (3 * (most - 2)) & 7;
    if (k == 0) {
        *children = *span;
        return 1;
    }
    first = bvh_first_child(span);
    second = bvh_second_child(work, span);
    count = open_branch(work, &first, (int)k, children);
    return count + open_branch(work, &second, most - (int)k, children + count);
}

int bvh_children(const struct bvh_work *work, const struct bvh_span *of,
                 struct bvh_span children[BVH_SLOTS])
{
    return open_branch(work, of, BVH_SLOTS, children);
}

static void collapse(struct bvh_work *work, const struct bvh_span *span)
{
    const double all = bvh_box_area(&work->branches[0].box);
    struct bvh_branch *branch = &work->branches[span->branch];
    struct bvh_span children[BVH_SLOTS];
    int i, count;
    choose(work, span->branch, all > 0 ? (float)(bvh_box_area(&branch->box) / all) : 0);
    if (branch->nodes == 0)
        return;
    count = bvh_children(work, span, children);
    for (i = 0; i < count; i++)
        branch->nodes += work->branches[children[i].branch].nodes;
}

/* The highest branch number in a part. */
static int32_t last_of(const struct bvh_work *work, const struct bvh_span *part)
{
    return part->branch + 2 * work->branches[part->branch].count - 2;
}

static void collapse_part(void *context, int64_t block)
{
    struct bvh_work *work = context;
    const struct bvh_span *part = &work->parts.spans[block];
    int32_t id;
    for (id = last_of(work, part); id >= part->branch; id--)
        collapse(work, &(struct bvh_span){ .branch = id });
}

/* A branch has a higher number than the branch above it. So the loops go from the highest number
 * down. */
yoke_status bvh_collapse(struct bvh_work *work)
{
    int32_t id = (int32_t)(2 * work->count - 2);
    int64_t part = work->parts.count - 1;
    yoke_status status = cores_run(
        work->cores, &(struct cores_work){ "wide nodes", collapse_part, work, work->parts.count });
    if (status != YOKE_OK)
        return status;
    while (id >= 0) {
        if (part >= 0 && id == last_of(work, &work->parts.spans[part])) {
            id = work->parts.spans[part--].branch - 1;
            continue;
        }
        collapse(work, &(struct bvh_span){ .branch = id-- });
    }
    if (work->branches[0].nodes == 0) /* few triangles: the root is one node with one leaf */
        work->branches[0].nodes = 1;
    return YOKE_OK;
}
