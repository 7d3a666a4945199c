/* path_reference_tree.h - the tree of path_reference.c: a very simple tree in double precision,
 * without any code of bvh.c.
 */
#ifndef YOKE_APPS_PATH_REFERENCE_TREE_H
#define YOKE_APPS_PATH_REFERENCE_TREE_H

#include <math.h>
#include <stdint.h>
#include <yoke/status.h>

#include "path_kernels.h"

struct point {
    double v[3];
};
static inline double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline struct point cross(const double *a, const double *b)
{
    return (struct point){ { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                             a[0] * b[1] - a[1] * b[0] } };
}
static inline void make_unit(double *a)
{
    const double length = sqrt(dot(a, a));
    for (int k = 0; k < 3; k++)
        a[k] /= length;
}

struct half {
    double low[3], high[3];
    int64_t first, count; /* part of `order`, for a leaf */
    int64_t other;        /* the second child (the first child is the next node); 0: a leaf */
};

struct reference_tree {
    const triangle_t *triangles;
    int32_t *order;
    struct half *halves;
    int64_t half_count;
};

/* `triangles` stay the caller's and must not move. YOKE_ENOMEM. */
yoke_status reference_tree_open(const triangle_t *triangles, int64_t count,
                                struct reference_tree *out);
void reference_tree_close(struct reference_tree *tree);

/* The nearest hit of a ray before `far`. `t` and `far` count lengths of d. */
struct seen {
    double t;
    const triangle_t *triangle; /* NULL: nothing */
};
struct seen reference_look(const struct reference_tree *tree, const double *from, const double *d,
                           double far);

#endif
