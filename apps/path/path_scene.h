/* path_scene.h - the scene: a model, perhaps in a room, with its tree, its lights and the eye.
 *
 * Lengths are those of the room, which is 555 wide. A model alone is scaled to that size, whatever
 * the unit of its file, so that rounding is similar in all scenes. Y is up.
 */
#ifndef YOKE_APPS_PATH_SCENE_H
#define YOKE_APPS_PATH_SCENE_H

#include <stdint.h>
#include <yoke/status.h>

#include "../memory.h"
#include "bvh.h"
#include "mesh.h"
#include "path_kernels.h"

enum path_scene_kind {
    SCENE_ROOM,   /* the model on the floor of the Cornell box */
    SCENE_BLOCKS, /* the Cornell box with its two original blocks; no model */
    SCENE_ALONE   /* the model and nothing else */
};

/* The surface of the model. */
enum path_scene_surface {
    SCENE_OWN, /* as in its file */
    SCENE_DIFFUSE,
    SCENE_MIRROR,
    SCENE_GLASS,
    SCENE_MIXED /* the three in turn, copy by copy */
};

/* Where the eye is, the point it looks at, and the height of its view in degrees. */
struct path_scene_view {
    double eye[3], look[3], degrees;
};

struct path_scene_spec {
    enum path_scene_kind kind;
    const char *model; /* a file for mesh_load; SCENE_BLOCKS needs none */
    enum path_scene_surface surface;
    int copies; /* of the model, in a cube from the floor up; more than one only in a room */
};

struct path_scene {
    triangle_t *triangles; /* in the tree's order */
    material_t *materials;
    light_t *lights;
    struct bvh bvh;
    int64_t triangle_count, material_count, light_count;
    int64_t flat_faces;          /* left out: they have no area */
    double most;                 /* the largest coordinate, in magnitude */
    double centre[3], per;       /* model alone: (its file's coordinates - centre) * per */
    struct path_scene_view view; /* shows the whole scene */
};

/* An error's message names the file and the remedy. YOKE_EINVAL, YOKE_EIO, YOKE_ENOMEM,
 * YOKE_ECANCELED. */
yoke_status path_scene_open(const struct path_scene_spec *spec, struct path_scene *out);
void path_scene_close(struct path_scene *scene); /* and leaves it empty */

/* path_room.c: the walls and the light, and the blocks if asked for. Free it with mesh_free. */
enum path_scene_blocks { SCENE_WITHOUT_BLOCKS, SCENE_WITH_BLOCKS };
yoke_status path_room(enum path_scene_blocks blocks, struct mesh *out);
extern const struct path_scene_view path_room_view;

/* path_lights.c: makes the table of lights from triangles and materials, and sets each triangle's
 * row in it (path_kernels.h). Triangles must be in their final order. */
yoke_status path_light(struct path_scene *scene);

#endif
