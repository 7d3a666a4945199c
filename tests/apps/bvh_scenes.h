/* bvh_scenes.h - sets of triangles for tests of trees. */
#ifndef TESTS_APPS_BVH_SCENES_H
#define TESTS_APPS_BVH_SCENES_H

#include "path/bvh.h"

enum scene_shape {
    SCENE_SOUP,    /* random places and sizes */
    SCENE_SPHERE,  /* closed; around (3, 3, 3), radius 1 */
    SCENE_GRID,    /* height 1 over [0, 1] x [0, 1], flat, so that boxes have no height */
    SCENE_POINT,   /* all at one point */
    SCENE_STACK,   /* all equal, with the same centre */
    SCENE_NEEDLES, /* long, thin and slanting */
    SCENE_HUGE,    /* up to 1e18 */
    SCENE_TINY,    /* about 1e-15 */
    SCENE_SPIRAL,  /* each is half as large and half as far out as the one before, down to 2^-39 */
    SCENE_SHAPES
};

struct scene {
    triangle_t *triangles;
    int64_t count;
    struct bvh tree; /* set by scene_build */
};

/* About `count` triangles. Without a tree; the caller frees scene.triangles. */
struct scene scene_make(enum scene_shape shape, int64_t count);
/* Fails the test if the tree cannot be built. */
struct scene scene_build(enum scene_shape shape, int64_t count);
void scene_close(struct scene *scene);

/* A corner of the sphere: `around` counts around it, `down` from pole to pole, `steps` each; and a
 * corner of the grid. */
void scene_sphere_corner(int steps, int around, int down, float corner[3]);
int scene_sphere_steps(int64_t count);

/* Uniform numbers from `low` to `high`, the same in every run. */
float scene_random(float low, float high);
void scene_direction(float d[3]); /* of length 1 */

#endif
