/* bvh_parts.h - what the steps of building a tree hand to each other (bvh.c has them in order).
 */
#ifndef YOKE_APPS_PATH_BVH_PARTS_H
#define YOKE_APPS_PATH_BVH_PARTS_H

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

/* A branch with the place of its first triangle among the refs. */
struct bvh_span {
    int32_t branch, first, level;
};

struct bvh_spans { /* grows as needed */
    struct bvh_span *spans;
    int64_t count, room;
};

enum { BVH_LEAF_TRIANGLES = 3, BVH_SLOTS = 8, BVH_PARTS = 512 };

struct bvh_work {
    yoke_runtime *cores;
    const triangle_t *triangles;
    int64_t count;
    struct bvh_ref *refs;
    struct bvh_branch *branches;
    float (*costs)[BVH_SLOTS - 1]; /* of branch b as at most i + 1 wide children */
    struct bvh_spans parts;        /* trees that are done by one core each */
    node_t *nodes;
    int32_t *order; /* triangle that comes at each place */
};

void bvh_box_clear(struct bvh_box *box);
void bvh_box_join(struct bvh_box *box, const struct bvh_box *with);
double bvh_box_area(const struct bvh_box *box); /* half of it */
yoke_status bvh_spans_add(struct bvh_spans *spans, const struct bvh_span *span);

/* bvh_split.c: refs to branches. */
yoke_status bvh_split(struct bvh_work *work);
/* bvh_collapse.c: which branches become wide nodes. */
yoke_status bvh_collapse(struct bvh_work *work);
/* The up to eight branches that are the children of one as a wide node; how many. */
int bvh_children(const struct bvh_work *work, const struct bvh_span *of,
                 struct bvh_span children[BVH_SLOTS]);
/* bvh_encode.c: the wide nodes, and the order of the triangles. */
yoke_status bvh_encode(struct bvh_work *work);

static inline struct bvh_span bvh_first_child(const struct bvh_work *work,
                                              const struct bvh_span *of)
{
    (void)work;
    return (struct bvh_span){ of->branch + 1, of->first, of->level + 1 };
}

static inline struct bvh_span bvh_second_child(const struct bvh_work *work,
                                               const struct bvh_span *of)
{
    const int32_t first_count = work->branches[of->branch].first_count;
    return (struct bvh_span){ of->branch + 2 * first_count, of->first + first_count,
                              of->level + 1 };
}

#endif
