/* bvh.c - builds a tree in three steps. All cores work on each step.
 *
 *     split     divides the triangles into halves, repeatedly, where the surface-area heuristic
 *               predicts the least work (bvh_split.c)
 *     collapse  turns that binary tree into the cheapest one with up to eight children per node
 *               (bvh_collapse.c)
 *     encode    writes its nodes in 80 bytes each: children in slots, triangles in the order of
 *               the leaves (bvh_encode.c)
 *
 * All cores together divide a large branch; one core does a small branch. Whether a branch is
 * small depends only on its number of triangles. So the tree does not depend on the number of
 * cores.
 */
#include "bvh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "bvh_parts.h"

yoke_status bvh_spans_add(struct bvh_spans *spans, const struct bvh_span *span)
{
    if (spans->count == spans->room) {
        const int64_t room = spans->room ? 2 * spans->room : 256;
        struct bvh_span *larger;
        yoke_status status = app_alloc("parts of a tree", room, sizeof *larger, (void **)&larger);
        if (status != YOKE_OK)
            return status;
        if (spans->count)
            memcpy(larger, spans->spans, (size_t)spans->count * sizeof *larger);
        free(spans->spans);
        spans->spans = larger;
        spans->room = room;
    }
    spans->spans[spans->count++] = *span;
    return YOKE_OK;
}

/* The box of the triangle's corners, as path_meet computes them. */
static void find_refs(void *context, int64_t block)
{
    const struct bvh_work *work = context;
    const struct cores_span span = cores_span(work->count, BVH_PARTS, block);
    int64_t i;
    int k;
    for (i = span.first; i < span.last; i++) {
        const triangle_t *t = &work->triangles[i];
        const float o[3] = { t->x, t->y, t->z };
        const float a[3] = { t->x + t->ax, t->y + t->ay, t->z + t->az };
        const float b[3] = { t->x + t->bx, t->y + t->by, t->z + t->bz };
        for (k = 0; k < 3; k++) {
            work->refs[i].box.low[k] = fminf(fminf(o[k], a[k]), b[k]);
            work->refs[i].box.high[k] = fmaxf(fmaxf(o[k], a[k]), b[k]);
        }
        work->refs[i].triangle = (int32_t)i;
    }
}

struct reorder {
    const triangle_t *from;
    triangle_t *to;
    const int32_t *order; /* NULL: keep the present order */
    int64_t count;
};

static void reorder_block(void *context, int64_t block)
{
    const struct reorder *r = context;
    const struct cores_span span = cores_span(r->count, BVH_PARTS, block);
    int64_t i;
    for (i = span.first; i < span.last; i++)
        r->to[i] = r->from[r->order ? r->order[i] : i];
}

static yoke_status reorder(const struct bvh_work *work, triangle_t *triangles)
{
    triangle_t *sorted;
    struct reorder there, back;
    yoke_status status =
        app_alloc("sorted triangles", work->count, sizeof *sorted, (void **)&sorted);
    if (status != YOKE_OK)
        return status;
    there = (struct reorder){ triangles, sorted, work->order, work->count };
    back = (struct reorder){ sorted, triangles, NULL, work->count };
    status = cores_run(work->cores, &(struct cores_work){ "triangles in order", reorder_block,
                                                          &there, BVH_PARTS });
    if (status == YOKE_OK)
        status = cores_run(work->cores, &(struct cores_work){ "triangles in order", reorder_block,
                                                              &back, BVH_PARTS });
    free(sorted);
    return status;
}

static yoke_status build(struct bvh_work *work, triangle_t *triangles)
{
    yoke_status status =
        app_alloc("boxes of triangles", work->count, sizeof *work->refs, (void **)&work->refs);
    if (status == YOKE_OK && work->count > BVH_TOGETHER)
        status = app_alloc("boxes of triangles", work->count, sizeof *work->moved,
                           (void **)&work->moved);
    if (status == YOKE_OK)
        status = app_alloc("branches of a tree", 2 * work->count - 1, sizeof *work->branches,
                           (void **)&work->branches);
    if (status == YOKE_OK)
        status = cores_run(
            work->cores, &(struct cores_work){ "boxes of triangles", find_refs, work, BVH_PARTS });
    if (status == YOKE_OK)
        status = bvh_split(work);
    free(work->moved);
    work->moved = NULL;
    if (status == YOKE_OK)
        status = app_alloc("costs of branches", 2 * work->count - 1, sizeof *work->costs,
                           (void **)&work->costs);
    if (status == YOKE_OK)
        status = bvh_collapse(work);
    if (status == YOKE_OK)
        status = app_alloc("order of triangles", work->count, sizeof *work->order,
                           (void **)&work->order);
    if (status == YOKE_OK)
        status = app_alloc("nodes of a tree", work->branches[0].nodes, sizeof *work->nodes,
                           (void **)&work->nodes);
    if (status == YOKE_OK)
        status = bvh_encode(work);
    if (status == YOKE_OK)
        status = reorder(work, triangles);
    return status;
}

yoke_status bvh_build(triangle_t *triangles, int64_t count, struct bvh *out)
{
    struct bvh_work work = { .triangles = triangles, .count = count };
    yoke_status closed, status;
    if (count < 1 || count > 1 << 28)
        return app_fail(YOKE_EINVAL, "a tree is of 1 to 2^28 triangles, not of %lld",
                        (long long)count);
    status = cores_open(&work.cores);
    if (status != YOKE_OK)
        return status;
    status = build(&work, triangles);
    closed = cores_close(work.cores);
    if (status == YOKE_OK)
        status = closed;
    if (status == YOKE_OK)
        *out = (struct bvh){ work.nodes, work.branches[0].nodes, (double)work.costs[0][0] };
    else
        free(work.nodes);
    free(work.refs);
    free(work.moved);
    free(work.branches);
    free(work.costs);
    free(work.parts.spans);
    free(work.order);
    return status;
}

void bvh_free(struct bvh *bvh)
{
    free(bvh->nodes);
    *bvh = (struct bvh){ 0 };
}
