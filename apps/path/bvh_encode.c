/* bvh_encode.c - writes wide nodes in 80 bytes (path_bvh_node.h), and triangles in the order of the
 * leaves.
 *
 * Below a node come, in this order: its child nodes, then all nodes below its first child, all
 * nodes below its second child, and so on. Triangles have the same order: the node's own, then
 * those below each child. Every branch knows its number of nodes and of triangles. So all places
 * are known from above, and cores can write any branches in any order.
 */
#include <math.h>
#include <string.h>

#include "bvh_parts.h"

struct slots {
    struct bvh_span of[BVH_SLOTS];
    int used[BVH_SLOTS];
};

/* Assigns children to slots. Of all pairs of a child and a slot that are left, the pair with the
 * highest gain is taken each time. */
static void fill_slots(const struct bvh_work *work, const struct bvh_span *span,
                       struct slots *slots)
{
    const struct bvh_box *all = &work->branches[span->branch].box;
    struct bvh_span children[BVH_SLOTS];
    double gain[BVH_SLOTS][BVH_SLOTS];
    int done[BVH_SLOTS] = { 0 };
    int c, s, k, left, count = 1;
    children[0] = *span;
    if (work->branches[span->branch].count > 1)
        count = bvh_children(work, span, children);
    for (c = 0; c < count; c++) {
        const struct bvh_box *box = &work->branches[children[c].branch].box;
        for (s = 0; s < BVH_SLOTS; s++) {
            gain[c][s] = 0;
            for (k = 0; k < 3; k++) {
                const double off = (double)box->low[k] + (double)box->high[k] -
                                   (double)all->low[k] - (double)all->high[k];
                gain[c][s] += s >> k & 1 ? off : -off;
            }
        }
    }
    memset(slots->used, 0, sizeof slots->used);
    for (left = count; left > 0; left--) {
        int best_c = -1, best_s = -1;
        for (c = 0; c < count; c++)
            for (s = 0; s < BVH_SLOTS; s++)
                if (!done[c] && !slots->used[s] &&
                    (best_c < 0 || gain[c][s] > gain[best_c][best_s])) {
                    best_c = c;
                    best_s = s;
                }
        done[best_c] = slots->used[best_s] = 1;
        slots->of[best_s] = children[best_c];
    }
}

/* Returns e, as the exponent of a float: the smallest power of two 2^e with two properties. 254
 * times 2^e is at least the box's length. And 2^e is not below the distance between neighbouring
 * floats of the size of the box's coordinates. */
static int scale_of(float low, float high)
{
    const double length = (double)high - (double)low;
    const double size = fmax(fabs((double)low), fabs((double)high));
    int e = -80, at_least;
    if (length > 0) {
        frexp(length / 254, &at_least);
        if (ldexp(254, at_least - 1) >= length)
            at_least--;
        e = at_least > e ? at_least : e;
    }
    if (size > 0) {
        frexp(size, &at_least);
        at_least -= 24;
        e = at_least > e ? at_least : e;
    }
    return e + 127;
}

static void encode_boxes(const struct bvh_work *work, const struct bvh_box *all,
                         const struct slots *slots, node_t *node)
{
    int s, k;
    node->x = all->low[0];
    node->y = all->low[1];
    node->z = all->low[2];
    for (k = 0; k < 3; k++) {
        const int scale = scale_of(all->low[k], all->high[k]);
        const double unit = ldexp(1, scale - 127);
        node->scale[k] = (uint8_t)scale;
        for (s = 0; s < BVH_SLOTS; s++) {
            const struct bvh_box *box;
            double low, high;
            if (!slots->used[s])
                continue;
            box = &work->branches[slots->of[s].branch].box;
            low = floor(((double)box->low[k] - (double)all->low[k]) / unit);
            high = ceil(((double)box->high[k] - (double)all->low[k]) / unit);
            node->planes[k][s] = (uint8_t)low;
            /* never flat: a ray along the box is then inside, however its place is rounded */
            node->planes[3 + k][s] = (uint8_t)(high > low ? high : low + 1);
        }
    }
}

/* Writes a leaf's triangles to `order`, from place `next` on. */
static void put_leaf(struct bvh_work *work, const struct bvh_span *span, int32_t next)
{
    const int32_t count = work->branches[span->branch].count;
    int32_t i;
    for (i = 0; i < count; i++)
        work->order[next + i] = work->refs[span->first + i].triangle;
}

/* Writes one node and its leaves. `below` gets the child nodes; returns how many. */
static int encode_node(struct bvh_work *work, const struct bvh_span *span,
                       struct bvh_span below[BVH_SLOTS])
{
    node_t *node = &work->nodes[span->node];
    struct slots slots;
    int32_t leaves = 0, nodes, triangles;
    int s, inner = 0, k;
    fill_slots(work, span, &slots);
    memset(node, 0, sizeof *node);
    encode_boxes(work, &work->branches[span->branch].box, &slots, node);
    node->first_node = (uint32_t)span->nodes;
    node->first_triangle = (uint32_t)span->triangles;
    for (s = 0; s < BVH_SLOTS; s++) {
        const struct bvh_branch *branch;
        if (!slots.used[s])
            continue;
        branch = &work->branches[slots.of[s].branch];
        if (branch->nodes > 0 && branch->count > 1) {
            node->inner |= (uint8_t)(1 << s);
            node->holds[s] = (uint8_t)(1 << 5 | (24 + s));
            below[inner++] = slots.of[s];
        } else {
            node->holds[s] = (uint8_t)(((1 << branch->count) - 1) << 5 | leaves);
            put_leaf(work, &slots.of[s], span->triangles + leaves);
            leaves += branch->count;
        }
    }
    nodes = span->nodes + inner;
    triangles = span->triangles + leaves;
    for (k = 0; k < inner; k++) {
        const struct bvh_branch *branch = &work->branches[below[k].branch];
        below[k].node = span->nodes + k;
        below[k].nodes = nodes;
        below[k].triangles = triangles;
        nodes += branch->nodes - 1;
        triangles += branch->count;
    }
    return inner;
}

static void encode_all(struct bvh_work *work, const struct bvh_span *span)
{
    struct bvh_span below[BVH_SLOTS];
    const int count = encode_node(work, span, below);
    int i;
    for (i = 0; i < count; i++)
        encode_all(work, &below[i]);
}

static void encode_part(void *context, int64_t block)
{
    struct bvh_work *work = context;
    encode_all(work, &work->parts.spans[block]);
}

/* Writes the nodes above the parts, and lists the parts. */
static yoke_status encode_top(struct bvh_work *work, const struct bvh_span *span)
{
    struct bvh_span below[BVH_SLOTS];
    yoke_status status = YOKE_OK;
    int i, count;
    if (bvh_is_small(work, work->branches[span->branch].count))
        return bvh_spans_add(&work->parts, span);
    count = encode_node(work, span, below);
    for (i = 0; i < count && status == YOKE_OK; i++)
        status = encode_top(work, &below[i]);
    return status;
}

yoke_status bvh_encode(struct bvh_work *work)
{
    yoke_status status;
    work->parts.count = 0;
    status = encode_top(work, &(struct bvh_span){ .nodes = 1 });
    if (status != YOKE_OK)
        return status;
    return cores_run(work->cores, &(struct cores_work){ "wide nodes in bytes", encode_part, work,
                                                        work->parts.count });
}
