/* scene_rays.h - rays in a scene as a path tracer sends them out. */
#ifndef BENCH_PATH_SCENE_RAYS_H
#define BENCH_PATH_SCENE_RAYS_H

#include "path/path_scene.h"

/* One ray for each pixel of a square picture, row by row. */
void scene_rays_of_eye(const struct path_scene *scene, int64_t width, ray_t *rays);

/* `count` rays, and what they hit. */
struct scene_hits {
    const struct path_scene *scene;
    const ray_t *rays;
    const hit_t *hits;
    int64_t count;
};

/* What goes on from there: to a point of a light, or anywhere as a white surface sends it. Rays
 * that hit nothing go on as they are. */
void scene_rays_to_lights(const struct scene_hits *from, ray_t *on);
void scene_rays_scattered(const struct scene_hits *from, ray_t *on);

#endif
