/* scene_rays.h - rays in a scene like those of a path tracer. */
#ifndef BENCH_PATH_SCENE_RAYS_H
#define BENCH_PATH_SCENE_RAYS_H

#include "path/path_scene.h"

/* One ray for each pixel of a square picture, row by row. */
void scene_rays_of_eye(const struct path_scene *scene, int64_t width, ray_t *rays);

/* `count` rays, and their hits. */
struct scene_hits {
    const struct path_scene *scene;
    const ray_t *rays;
    const hit_t *hits;
    int64_t count;
};

/* The next rays: to a point of a light, or scattered as by a white surface. A ray without a hit is
 * repeated. */
void scene_rays_to_lights(const struct scene_hits *from, ray_t *on);
void scene_rays_scattered(const struct scene_hits *from, ray_t *on);

#endif
