/* path_kernels.h - the scene as devices see it. */
#ifndef YOKE_APPS_PATH_KERNELS_H
#define YOKE_APPS_PATH_KERNELS_H

#include <yoke/kernel.h>

/* A triangle: a corner and the two edges that leave it. Its lit side is that from which corner,
 * corner + a, corner + b run counterclockwise. */
typedef struct YOKE_ALIGN(16) triangle {
    float x, y, z;
    int32_t material; /* row of the table of materials */
    float ax, ay, az;
    int32_t light; /* row of the table of lights, or -1 */
    float bx, by, bz;
    int32_t face; /* its number in the scene, before the tree put triangles in its order */
} triangle_t;

typedef struct ray {
    float x, y, z;    /* origin */
    float dx, dy, dz; /* direction; distances are in its lengths */
    float far;        /* nothing is hit from there on; INFINITY is fine */
} ray_t;

typedef struct hit {
    float distance;   /* as `far`, if nothing was hit */
    float u, v;       /* the point is corner + u a + v b */
    int32_t triangle; /* in the tree's order; -1: none */
} hit_t;

#endif
