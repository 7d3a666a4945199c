/* path_kernels.h - the scene and the picture as devices see them. */
#ifndef YOKE_APPS_PATH_KERNELS_H
#define YOKE_APPS_PATH_KERNELS_H

#include <yoke/kernel.h>

/* A triangle: a corner and the two edges that leave it. From the lit side, corner, corner + a,
 * corner + b run counterclockwise. */
typedef struct YOKE_ALIGN(16) triangle {
    float x, y, z;
    int32_t material; /* row of the table of materials */
    float ax, ay, az;
    int32_t light; /* row of the table of lights, or -1 */
    float bx, by, bz;
    int32_t face; /* its number in the scene, before the tree sorted the triangles */
} triangle_t;

typedef struct ray {
    float x, y, z;    /* origin */
    float dx, dy, dz; /* direction; a distance counts lengths of it */
    float far;        /* hits count only before it; may be INFINITY */
} ray_t;

typedef struct hit {
    float distance;   /* ray.far if nothing was hit */
    float u, v;       /* the point is corner + u a + v b */
    int32_t triangle; /* in the tree's order; -1: none */
} hit_t;

enum { MATERIAL_DIFFUSE, MATERIAL_MIRROR, MATERIAL_GLASS };
typedef struct YOKE_ALIGN(16) material {
    float red, green, blue; /* fraction of light that is passed on */
    int32_t kind;
    float emits_red, emits_green, emits_blue; /* radiance of the lit side */
    float index;                              /* of glass, relative to its surroundings */
} material_t;

/* Lights are chosen with a probability proportional to their power, by Walker's alias method: first
 * one of `count`, all equally likely; then its alias instead, if the rest of the draw is not below
 * `keep`. */
typedef struct YOKE_ALIGN(16) light {
    float keep;
    int32_t alias;
    int32_t triangle;
    float weight; /* 1 / (2 * probability that this light is chosen) */
} light_t;

/* Sums over a pixel's paths, and the numbers of rays. */
typedef struct pixel {
    float red, green, blue;
    uint32_t segments, shadows;
} pixel_t;

typedef struct path_setup {
    uint64_t embree; /* address of the scene of path_embree.h, for cores; 0: none */
    uint32_t seed_low, seed_high;
    int32_t width, height, tiles; /* `tiles`: per row of tiles */
    int32_t first, last;          /* samples first .. last - 1 */
    int32_t depth, shadows, roulette;
    int32_t light_count;
    int32_t stride, count, bundle; /* for --coherent (path_pixel); without it bundle is 1 */
    float per_shadow;              /* 1 / (pi * shadows) */
    float nudge;                   /* distance from a surface at which rays that leave it begin */
    float sky;
    float eye_x, eye_y, eye_z;
    /* `look`: from the eye to the picture's corner. `right` and `down`: a pixel's width and
     * height. */
    float look_x, look_y, look_z;
    float right_x, right_y, right_z;
    float down_x, down_y, down_z;
} path_setup_t;

/* Pixels of a tile. The array of pixels has a row for each, even if the tile reaches beyond the
 * picture. */
#define PATH_TILE_WIDTH  8
#define PATH_TILE_HEIGHT 8
#define PATH_TILE        (PATH_TILE_WIDTH * PATH_TILE_HEIGHT)

/* GPUs: lanes of a group. In one round all lanes open at most PATH_LOOKS nodes, and test at most
 * PATH_MEETS triangles at a time; then lanes whose ray has ended send the next one
 * (docs/results/path-h200.md). */
#define PATH_GROUP 64
#define PATH_LOOKS 3
#define PATH_MEETS 2

/* --coherent: pixels that share their random numbers: a warp. */
#define PATH_BUNDLE 32

/* The most bounces and samples: the number of generations then fits in 32 bits. */
#define PATH_DEPTH_MOST   1000
#define PATH_SAMPLES_MOST 1000000
#define PATH_GENERATIONS  1001000000u

#ifndef YOKE_FLATTEN
extern const yoke_kernel path_plain, path_lanes, path_steps;
#endif
#endif
