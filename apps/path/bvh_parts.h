/* bvh_parts.h - what the steps of building a tree hand to each other (bvh.c has them in order).
 */
#ifndef YOKE_APPS_PATH_BVH_PARTS_H
#define YOKE_APPS_PATH_BVH_PARTS_H

#include <math.h>

#include "../cores.h"
#include "bvh.h"

struct bvh_box {
    float low[3], high[3];
};

/* A triangle while it is being sorted. */
struct bvh_ref {
    struct bvh_box box;
    int32_t triangle;
};

/* A node of a tree of two children each, which has one triangle in a leaf. Branch `id` of n
 * triangles and all below it have the numbers id to id + 2 n - 2: the first child has id + 1, the
 * second id + 2 first_count. */
struct bvh_branch {
    struct bvh_box box;
    int32_t count, first_count; /* triangles: all, those of the first child */
    int32_t nodes;              /* wide ones it is made into; 0: it becomes a leaf */
    uint32_t choice;            /* see bvh_collapse.c */
};

/* A branch, and the place of its first triangle among the refs. */
struct bvh_span {
    int32_t branch, first, level;
    /* As a wide node: its number, and where the nodes and the triangles below it begin. */
    int32_t node, nodes, triangles;
};

struct bvh_spans { /* grows as needed */
    struct bvh_span *spans;
    int64_t count, room;
};

enum { BVH_LEAF_TRIANGLES = 3, BVH_SLOTS = 8, BVH_PARTS = 512 };
enum { BVH_TOGETHER = 1 << 15 }; /* of more triangles a branch is divided by all cores together */

struct bvh_work {
    yoke_runtime *cores;
    const triangle_t *triangles;
    int64_t count;
    struct bvh_ref *refs, *moved; /* `moved` is bvh_divide.c's */
    struct bvh_branch *branches;
    float (*costs)[BVH_SLOTS - 1]; /* of branch b as at most i + 1 wide children */
    struct bvh_spans parts;        /* trees that are done by one core each */
    node_t *nodes;
    int32_t *order; /* triangle that comes at each place */
};

static inline void bvh_box_clear(struct bvh_box *box)
{
    int k;
    for (k = 0; k < 3; k++) {
        box->low[k] = INFINITY;
        box->high[k] = -INFINITY;
    }
}

static inline void bvh_box_join(struct bvh_box *box, const struct bvh_box *with)
{
    int k;
    for (k = 0; k < 3; k++) {
        box->low[k] = box->low[k] < with->low[k] ? box->low[k] : with->low[k];
        box->high[k] = box->high[k] > with->high[k] ? box->high[k] : with->high[k];
    }
}

/* Half of it. */
static inline double bvh_box_area(const struct bvh_box *box)
{
    const double x = (double)box->high[0] - (double)box->low[0];
    const double y = (double)box->high[1] - (double)box->low[1];
    const double z = (double)box->high[2] - (double)box->low[2];
    return x * y + y * z + z * x;
}

yoke_status bvh_spans_add(struct bvh_spans *spans, const struct bvh_span *span);

/* bvh_split.c: refs to branches. */
yoke_status bvh_split(struct bvh_work *work);
/* 1: the branch would get too deep, unless it is halved from here on. */
int bvh_is_deep(const struct bvh_span *span, int32_t count);
/* bvh_divide.c: one of them, by all cores. */
yoke_status bvh_divide(struct bvh_work *work, const struct bvh_span *span, int32_t count);
/* bvh_collapse.c: which branches become wide nodes. */
yoke_status bvh_collapse(struct bvh_work *work);
/* The up to eight branches that are the children of one as a wide node; how many. */
int bvh_children(const struct bvh_work *work, const struct bvh_span *of,
                 struct bvh_span children[BVH_SLOTS]);
/* bvh_encode.c: the wide nodes, and the order of the triangles. */
yoke_status bvh_encode(struct bvh_work *work);

/* 1: one core does a branch of so many triangles and all below it. */
static inline int bvh_is_small(const struct bvh_work *work, int32_t count)
{
    return count <= 1 + work->count / BVH_PARTS;
}

static inline struct bvh_span bvh_first_child(const struct bvh_span *of)
{
    return (struct bvh_span){ of->branch + 1, of->first, of->level + 1, 0, 0, 0 };
}

static inline struct bvh_span bvh_second_child(const struct bvh_work *work,
                                               const struct bvh_span *of)
{
    const int32_t first_count = work->branches[of->branch].first_count;
    return (struct bvh_span){
        of->branch + 2 * first_count, of->first + first_count, of->level + 1, 0, 0, 0
    };
}

#endif
