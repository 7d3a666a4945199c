/* path_room.c - the Cornell box, as measured at Cornell University in 1985 and published by its
 * Program of Computer Graphics. Lengths are in millimetres. Colors are the usual red, green and
 * blue of the measured spectra.
 */
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "path_scene.h"

enum { WHITE, RED, GREEN, LIGHT, ROOM_MATERIALS };

static const struct mesh_material materials[ROOM_MATERIALS] = {
    [WHITE] = { .name = "white", .diffuse = { 0.725f, 0.71f, 0.68f } },
    [RED] = { .name = "red", .diffuse = { 0.63f, 0.065f, 0.05f } },
    [GREEN] = { .name = "green", .diffuse = { 0.14f, 0.45f, 0.091f } },
    [LIGHT] = { .name = "light",
                .diffuse = { 0.78f, 0.78f, 0.78f },
                .emission = { 18.4f, 15.6f, 8.0f } },
};

struct quad {
    float corners[4][3];
    int material;
};

static const struct quad walls[] = {
    { { { 552.8f, 0, 0 }, { 0, 0, 0 }, { 0, 0, 559.2f }, { 549.6f, 0, 559.2f } }, WHITE },
    { { { 556, 548.8f, 0 }, { 556, 548.8f, 559.2f }, { 0, 548.8f, 559.2f }, { 0, 548.8f, 0 } },
      WHITE },
    { { { 549.6f, 0, 559.2f }, { 0, 0, 559.2f }, { 0, 548.8f, 559.2f }, { 556, 548.8f, 559.2f } },
      WHITE },
    { { { 0, 0, 559.2f }, { 0, 0, 0 }, { 0, 548.8f, 0 }, { 0, 548.8f, 559.2f } }, GREEN },
    { { { 552.8f, 0, 0 }, { 549.6f, 0, 559.2f }, { 556, 548.8f, 559.2f }, { 556, 548.8f, 0 } },
      RED },
    /* the original is a hole in the ceiling; here it lies just below, lit side down */
    { { { 343, 548, 227 }, { 343, 548, 332 }, { 213, 548, 332 }, { 213, 548, 227 } }, LIGHT },
};

static const struct quad blocks_of_room[] = {
    { { { 130, 165, 65 }, { 82, 165, 225 }, { 240, 165, 272 }, { 290, 165, 114 } }, WHITE },
    { { { 290, 0, 114 }, { 290, 165, 114 }, { 240, 165, 272 }, { 240, 0, 272 } }, WHITE },
    { { { 130, 0, 65 }, { 130, 165, 65 }, { 290, 165, 114 }, { 290, 0, 114 } }, WHITE },
    { { { 82, 0, 225 }, { 82, 165, 225 }, { 130, 165, 65 }, { 130, 0, 65 } }, WHITE },
    { { { 240, 0, 272 }, { 240, 165, 272 }, { 82, 165, 225 }, { 82, 0, 225 } }, WHITE },
    { { { 423, 330, 247 }, { 265, 330, 296 }, { 314, 330, 456 }, { 472, 330, 406 } }, WHITE },
    { { { 423, 0, 247 }, { 423, 330, 247 }, { 472, 330, 406 }, { 472, 0, 406 } }, WHITE },
    { { { 472, 0, 406 }, { 472, 330, 406 }, { 314, 330, 456 }, { 314, 0, 456 } }, WHITE },
    { { { 314, 0, 456 }, { 314, 330, 456 }, { 265, 330, 296 }, { 265, 0, 296 } }, WHITE },
    { { { 265, 0, 296 }, { 265, 330, 296 }, { 423, 330, 247 }, { 423, 0, 247 } }, WHITE },
};
enum {
    WALLS = sizeof walls / sizeof *walls,
    BLOCKS = sizeof blocks_of_room / sizeof *blocks_of_room,
};

const struct path_scene_view path_room_view = { { 278, 273, -800 }, { 278, 273, 0 }, 37 };

static void add_quad(const struct quad *quad, struct mesh *out)
{
    static const int32_t halves[2][3] = { { 0, 1, 2 }, { 0, 2, 3 } };
    const int32_t first = (int32_t)out->vertex_count;
    memcpy(out->vertices + first, quad->corners, sizeof quad->corners);
    out->vertex_count += 4;
    for (int h = 0; h < 2; h++) {
        struct mesh_face *face = &out->faces[out->face_count++];
        face->material = quad->material;
        for (int c = 0; c < 3; c++)
            face->corners[c] = first + halves[h][c];
    }
}

yoke_status path_room(enum path_scene_blocks blocks, struct mesh *out)
{
    const int quads = WALLS + (blocks == SCENE_WITH_BLOCKS ? BLOCKS : 0);
    *out = (struct mesh){ .material_count = ROOM_MATERIALS };
    out->vertices = malloc((size_t)quads * 4 * sizeof *out->vertices);
    out->faces = malloc((size_t)quads * 2 * sizeof *out->faces);
    out->materials = malloc(sizeof materials);
    if (!out->vertices || !out->faces || !out->materials) {
        mesh_free(out);
        return app_fail(YOKE_ENOMEM, "no memory for the room");
    }
    memcpy(out->materials, materials, sizeof materials);
    for (int q = 0; q < quads; q++)
        add_quad(q < WALLS ? &walls[q] : &blocks_of_room[q - WALLS], out);
    return YOKE_OK;
}
