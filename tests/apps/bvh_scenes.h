/* bvh_scenes.h - triangles that trees are tried on. */
#ifndef TESTS_APPS_BVH_SCENES_H
#define TESTS_APPS_BVH_SCENES_H

#include "path/bvh.h"

enum scene_shape {
    SCENE_SOUP,    /* anywhere, of any size */
    SCENE_SPHERE,  /* closed; around (3, 3, 3), radius 1 */
    SCENE_GRID,    /* height 1 over [0, 1] x [0, 1], in the plane of its boxes */
    SCENE_POINT,   /* all in one point */
    SCENE_STACK,   /* all alike, with the same centre */
    SCENE_NEEDLES, /* long, thin and slanting */
    SCENE_HUGE,    /* up to 1e18 */
    SCENE_TINY,    /* about 1e-15 */
    SCENE_SPIRAL,  /* each half as large and as far out as the one before, down to 2^-39 */
    SCENE_SHAPES
};

struct scene {
    triangle_t *triangles;
    int64_t count;
    struct bvh tree; /* if it was built */
};

/* About `count` triangles. Without a tree; free(scene.triangles). */
struct scene scene_make(enum scene_shape shape, int64_t count);
/* Fails the test if that fails. */
struct scene scene_build(enum scene_shape shape, int64_t count);
void scene_close(struct scene *scene);

/* A corner of the sphere: `around` is counted around it, `down` from one pole to the other, of
 * `steps` each; and of the grid. */
void scene_sphere_corner(int steps, int around, int down, float corner[3]);
int scene_sphere_steps(int64_t count);

/* Uniform numbers from `low` to `high`, the same in every run. */
float scene_random(float low, float high);
void scene_direction(float d[3]); /* of length 1 */

#endif
