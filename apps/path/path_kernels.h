/* path_kernels.h - the scene and the picture as devices see them. */
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

enum { MATERIAL_DIFFUSE, MATERIAL_MIRROR, MATERIAL_GLASS };
typedef struct YOKE_ALIGN(16) material {
    float red, green, blue; /* share that is sent on */
    int32_t kind;
    float emits_red, emits_green, emits_blue; /* radiance of the lit side */
    float index;                              /* of glass, over that of what is around it */
} material_t;

/* Lights are chosen by their power with Walker's aliases: one of `count` evenly, then, if the rest
 * of the draw is not below `keep`, its alias instead. */
typedef struct YOKE_ALIGN(16) light {
    float keep;
    int32_t alias;
    int32_t triangle;
    float weight; /* 1 / (2 * probability that this light is chosen) */
} light_t;

/* What a pixel's paths found, all added up, and the rays that it took. */
typedef struct pixel {
    float red, green, blue;
    uint32_t segments, shadows;
} pixel_t;

typedef struct path_setup {
    uint64_t embree; /* address of the scene of path_embree.h, for cores; 0: there is none */
    uint32_t seed_low, seed_high;
    int32_t width, height, tiles; /* in a row */
    int32_t first, last;          /* samples */
    int32_t depth, shadows, roulette;
    int32_t light_count;
    int32_t stride, count, bundle; /* of --coherent (path_pixel); bundle is 1 without */
    float per_shadow;              /* 1 / (pi * shadows) */
    float nudge;                   /* by how much rays begin beside the surface they leave */
    float sky;
    float eye_x, eye_y, eye_z;
    float look_x, look_y, look_z;    /* to the picture's corner; the others are a pixel's width */
    float right_x, right_y, right_z; /* and height */
    float down_x, down_y, down_z;
} path_setup_t;

/* Pixels of a tile; a row of the array of pixels each, also where a tile reaches beyond the
 * picture. */
#define PATH_TILE_WIDTH  8
#define PATH_TILE_HEIGHT 8
#define PATH_TILE        (PATH_TILE_WIDTH * PATH_TILE_HEIGHT)

/* GPUs: lanes of a group; how often all of them look into a node, or test triangles, this many at
 * most, before those whose ray is at its end send the next (docs/results/path-h200.md). */
#define PATH_GROUP 64
#define PATH_LOOKS 3
#define PATH_MEETS 2

/* --coherent: pixels that share their random numbers, a warp's. */
#define PATH_BUNDLE 32

/* Bounces and samples at most, so that generations can be counted with 32 bits. */
#define PATH_DEPTH_MOST   1000
#define PATH_SAMPLES_MOST 1000000
#define PATH_GENERATIONS  1001000000u

#ifndef YOKE_FLATTEN
extern const yoke_kernel path_plain, path_lanes, path_steps;
#endif
#endif
