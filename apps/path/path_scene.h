/* path_scene.h - what is to be drawn: a model, perhaps in a room, with its tree, its lights and the
 * eye.
 *
 * Lengths are the room's, which is 555 wide; a model alone is brought to that size, whatever its
 * file counts in, so that rounding is alike in all scenes. Y is up.
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
    SCENE_BLOCKS, /* the Cornell box with the two blocks that it was built with; no model */
    SCENE_ALONE   /* the model and nothing else */
};

enum path_scene_surface {            /* of the model */
                          SCENE_OWN, /* as its file says */
                          SCENE_DIFFUSE,
                          SCENE_MIRROR,
                          SCENE_GLASS,
                          SCENE_MIXED /* the three by turns, copy by copy */
};

/* Where the eye is, what it looks at, and how many degrees of height it sees. */
struct path_scene_view {
    double eye[3], look[3], degrees;
};

struct path_scene_spec {
    enum path_scene_kind kind;
    const char *model; /* a file for mesh_load; SCENE_BLOCKS needs none */
    enum path_scene_surface surface;
    int copies; /* of the model, in a cube from the floor up; more than one in a room only */
};

struct path_scene {
    triangle_t *triangles; /* in the tree's order */
    material_t *materials;
    light_t *lights;
    struct bvh bvh;
    int64_t triangle_count, material_count, light_count;
    int64_t flat_faces;          /* left out: without area */
    double most;                 /* of all coordinates, without their signs */
    double centre[3], per;       /* a model alone: (its coordinates - centre) * per */
    struct path_scene_view view; /* one that shows all of it */
};

/* Errors name the file and the cure. YOKE_EINVAL, YOKE_EIO, YOKE_ENOMEM, YOKE_ECANCELED. */
yoke_status path_scene_open(const struct path_scene_spec *spec, struct path_scene *out);
void path_scene_close(struct path_scene *scene); /* and leaves it empty */

/* path_room.c: the walls and the light, and with `blocks` the blocks. mesh_free. */
enum path_scene_blocks { SCENE_WITHOUT_BLOCKS, SCENE_WITH_BLOCKS };
yoke_status path_room(enum path_scene_blocks blocks, struct mesh *out);
extern const struct path_scene_view path_room_view;

/* path_lights.c: from triangles and materials the table of lights, and each triangle's row of it;
 * for path_kernels.h. Triangles are in their final order. */
yoke_status path_light(struct path_scene *scene);

#endif
