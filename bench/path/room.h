/* room.h - a mesh in a box that is open in front, with a light under the ceiling, and rays in it as
 * a path tracer sends them out.
 */
#ifndef BENCH_PATH_ROOM_H
#define BENCH_PATH_ROOM_H

#include "path/mesh.h"
#include "path/path_kernels.h"

struct room {
    triangle_t *triangles; /* those of the mesh, then those of the box */
    int64_t count;
    float low[3], high[3]; /* of the box */
};

yoke_status room_open(const struct mesh *mesh, struct room *out);
void room_close(struct room *room);

/* One ray for each pixel, in their order, from before the box. */
void room_look(const struct room *room, int64_t width, ray_t *rays);
/* What goes on where `rays` hit: to a place on the light, or in any direction. Rays that hit
 * nothing go on as they are. */
void room_to_light(const struct room *room, const ray_t *rays, const hit_t *hits, int64_t count,
                   ray_t *on);
void room_scatter(const struct room *room, const ray_t *rays, const hit_t *hits, int64_t count,
                  ray_t *on);

#endif
