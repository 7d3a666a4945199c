/* bvh_parts.h - the data that the steps of building a tree pass to each other (bvh.c lists the
 * steps).
 */
#ifndef YOKE_APPS_PATH_BVH_PARTS_H
#define YOKE_APPS_PATH_BVH_PARTS_H

#include <math.h>

#include "../cores.h"
#include "bvh.h"

struct bvh_box {
    float low[3], high[3];
};

/* A triangle while the tree is built. */
struct bvh_ref {
    struct bvh_box box;
    int32_t triangle;
};

/* A branch: a node of the binary tree, with one triangle per leaf. A branch with number `id` and n
 * triangles, and all branches below it, have the numbers id to id + 2 n - 2. Its first child has
 * number id + 1, its second id + 2 first_count. */
struct bvh_branch {
    struct bvh_box box;
    /* Triangles: all, and those of the first child. */
    int32_t count, first_count;
    int32_t nodes;   /* wide nodes that it becomes; 0: it becomes a leaf */
    uint32_t choice; /* see bvh_collapse.c */
};

/* A branch, and the place of its first triangle among the refs. */
struct bvh_span {
    int32_t branch, first, level;
    /* As a wide node: its number, and the places where the nodes and the triangles below it
     * begin. */
    int32_t node, nodes, triangles;
};

struct bvh_spans { /* grows as needed */
    struct bvh_span *spans;
    int64_t count, room;
};

enum { BVH_LEAF_TRIANGLES = 3, BVH_SLOTS = 8, BVH_PARTS = 512 };
enum { BVH_TOGETHER = 1 << 15 }; /* a branch of more triangles is divided by all cores together */

struct bvh_work {
    yoke_runtime *cores;
    const triangle_t *triangles;
    int64_t count;
    struct bvh_ref *refs, *moved; /* only bvh_divide.c uses `moved` */
    struct bvh_branch *branches;
    float (*costs)[BVH_SLOTS - 1]; /* [b][i]: of branch b as at most i + 1 children */
    struct bvh_spans parts;        /* subtrees; one core does each */
    node_t *nodes;
    int32_t *order; /* the triangle at each place */
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

/* Half of the box's surface. */
static inline double bvh_box_area(const struct bvh_box *box)
{
    const double x = (double)box->high[0] - (double)box->low[0];
    const double y = (double)box->high[1] - (double)box->low[1];
    const double z = (double)box->high[2] - (double)box->low[2];
    return x * y + y * z + z * x;
}

yoke_status bvh_spans_add(struct bvh_spans *spans, const struct bvh_span *span);

/* bvh_split.c: makes branches from refs. */
yoke_status bvh_split(struct bvh_work *work);
/* Returns 1 if the branch must be halved by count from here on, or the tree would get too deep. */
int bvh_is_deep(const struct bvh_span *span, int32_t count);
/* bvh_divide.c: divides one branch, by all cores. */
yoke_status bvh_divide(struct bvh_work *work, const struct bvh_span *span, int32_t count);
/* bvh_collapse.c: chooses which branches become wide nodes. */
yoke_status bvh_collapse(struct bvh_work *work);
/* Finds the branches, up to eight, that are the children of `of` as a wide node; returns how
 * many. */
int bvh_children(const struct bvh_work *work, const struct bvh_span *of,
                 struct bvh_span children[BVH_SLOTS]);
/* bvh_encode.c: makes the wide nodes, and the order of the triangles. */
yoke_status bvh_encode(struct bvh_work *work);

/* Returns 1 if one core does a branch of `count` triangles with everything below it. */
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
