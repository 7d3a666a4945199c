/* path_scene.c - makes the devices' scene from meshes: triangles in the order of their tree,
 * materials and lights.
 */
#include "path_scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"

enum { SURFACES = 3 }; /* the materials of SCENE_MIXED */
static const double WIDTH = 555;
/* The area of the room's floor where models stand, and their greatest height. */
static const double floor_first[2] = { 60, 90 }, floor_side = 430, height_most = 330;
/* A triangle whose edges have a smaller cross product is left out: normals are computed in
 * floats. */
static const double AREA_LEAST = 1e-9;

struct box {
    double low[3], high[3];
};

/* Rotates by an angle about the vertical axis through `centre`, then scales by `per` and moves. */
struct place_in {
    double centre[3], per, cosine, sine, to[3];
};

static struct box box_of(const struct mesh *mesh)
{
    struct box box = { { DBL_MAX, DBL_MAX, DBL_MAX }, { -DBL_MAX, -DBL_MAX, -DBL_MAX } };
    for (int64_t f = 0; f < mesh->face_count; f++)
        for (int c = 0; c < 3; c++) {
            const float *at = mesh->vertices[mesh->faces[f].corners[c]];
            for (int k = 0; k < 3; k++) {
                box.low[k] = fmin(box.low[k], at[k]);
                box.high[k] = fmax(box.high[k], at[k]);
            }
        }
    return box;
}

static void put(const struct place_in *in, const float *at, double *out)
{
    const double x = at[0] - in->centre[0], z = at[2] - in->centre[2];
    out[0] = in->to[0] + in->per * (in->cosine * x - in->sine * z);
    out[1] = in->to[1] + in->per * (at[1] - in->centre[1]);
    out[2] = in->to[2] + in->per * (in->sine * x + in->cosine * z);
}

/* Rounds the corners to floats first: rays meet the rounded triangle. */
static void add_triangle(struct path_scene *scene, double corners[3][3], int32_t material)
{
    float at[3][3];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
            at[c][k] = (float)corners[c][k];
            scene->most = fmax(scene->most, fabs(corners[c][k]));
        }
    const triangle_t t = { .x = at[0][0],
                           .y = at[0][1],
                           .z = at[0][2],
                           .ax = at[1][0] - at[0][0],
                           .ay = at[1][1] - at[0][1],
                           .az = at[1][2] - at[0][2],
                           .bx = at[2][0] - at[0][0],
                           .by = at[2][1] - at[0][1],
                           .bz = at[2][2] - at[0][2],
                           .material = material,
                           .light = -1,
                           .face = (int32_t)scene->triangle_count };
    const double x = (double)t.ay * t.bz - (double)t.az * t.by;
    const double y = (double)t.az * t.bx - (double)t.ax * t.bz;
    const double z = (double)t.ax * t.by - (double)t.ay * t.bx;
    if (x * x + y * y + z * z < AREA_LEAST * AREA_LEAST)
        scene->flat_faces++;
    else
        scene->triangles[scene->triangle_count++] = t;
}

static void add_mesh(struct path_scene *scene, const struct mesh *mesh, const struct place_in *in,
                     int32_t first_material)
{
    for (int64_t f = 0; f < mesh->face_count; f++) {
        double corners[3][3];
        for (int c = 0; c < 3; c++)
            put(in, mesh->vertices[mesh->faces[f].corners[c]], corners[c]);
        add_triangle(scene, corners, first_material + mesh->faces[f].material);
    }
}

/* --- materials --- */

static material_t material_of(const struct mesh_material *from)
{
    static const int kinds[] = { [MESH_DIFFUSE] = MATERIAL_DIFFUSE,
                                 [MESH_MIRROR] = MATERIAL_MIRROR,
                                 [MESH_GLASS] = MATERIAL_GLASS };
    const float *color = from->surface == MESH_DIFFUSE ? from->diffuse : from->specular;
    return (material_t){ .red = color[0],
                         .green = color[1],
                         .blue = color[2],
                         .kind = kinds[from->surface],
                         .emits_red = from->emission[0],
                         .emits_green = from->emission[1],
                         .emits_blue = from->emission[2],
                         .index = from->index };
}

static const material_t surfaces[SURFACES] = {
    { 0.725f, 0.71f, 0.68f, MATERIAL_DIFFUSE, 0, 0, 0, 1 },
    { 0.9f, 0.9f, 0.9f, MATERIAL_MIRROR, 0, 0, 0, 1 },
    { 1, 1, 1, MATERIAL_GLASS, 0, 0, 0, 1.5f },
};

static yoke_status add_materials(struct path_scene *scene, const struct mesh *meshes)
{
    const int64_t count = meshes[0].material_count + meshes[1].material_count + SURFACES;
    yoke_status status = app_alloc("the materials of the scene", count, sizeof *scene->materials,
                                   (void **)&scene->materials);
    if (status != YOKE_OK)
        return status;
    for (int m = 0; m < 2; m++)
        for (int64_t k = 0; k < meshes[m].material_count; k++)
            scene->materials[scene->material_count++] = material_of(&meshes[m].materials[k]);
    for (int k = 0; k < SURFACES; k++)
        scene->materials[scene->material_count++] = surfaces[k];
    return YOKE_OK;
}

/* The material that `surface` chooses for the faces of copy k; -1: each face's own. */
static int32_t surface_of(const struct path_scene *scene, enum path_scene_surface surface, int k)
{
    const int32_t first = (int32_t)scene->material_count - SURFACES;
    switch (surface) {
    case SCENE_DIFFUSE:
    case SCENE_MIRROR:
    case SCENE_GLASS:
        return first + (int32_t)surface - SCENE_DIFFUSE;
    case SCENE_MIXED:
        return first + k % SURFACES;
    default:
        return -1;
    }
}

/* --- the model's place --- */

/* The place of copy k of `copies`: a cube of equal cells from the floor up. Each copy is turned by
 * another angle. */
static struct place_in place_in_room(const struct box *box, int k, int copies)
{
    const int side = (int)ceil(cbrt((double)copies) - 1e-9);
    const double cell = floor_side / side, golden = 2.399963229728653;
    const double size[3] = { box->high[0] - box->low[0], box->high[1] - box->low[1],
                             box->high[2] - box->low[2] };
    const double foot = side == 1 ? fmax(size[0], size[2]) : hypot(size[0], size[2]);
    const double tall = side == 1 ? height_most : 0.9 * cell;
    struct place_in in = { .cosine = cos(golden * k), .sine = sin(golden * k) };
    for (int d = 0; d < 3; d++)
        in.centre[d] = 0.5 * (box->low[d] + box->high[d]);
    in.centre[1] = box->low[1];
    in.per = fmin(0.9 * cell / fmax(foot, DBL_MIN), tall / fmax(size[1], DBL_MIN));
    in.to[0] = floor_first[0] + (k % side + 0.5) * cell;
    in.to[1] = k / (side * side) * cell;
    in.to[2] = floor_first[1] + (k / side % side + 0.5) * cell;
    return in;
}

static struct place_in place_alone(const struct box *box, struct path_scene *scene)
{
    struct place_in in = { .cosine = 1 };
    double most = 0;
    for (int d = 0; d < 3; d++) {
        in.centre[d] = 0.5 * (box->low[d] + box->high[d]);
        most = fmax(most, box->high[d] - box->low[d]);
    }
    in.per = WIDTH / fmax(most, DBL_MIN);
    memcpy(scene->centre, in.centre, sizeof in.centre);
    scene->per = in.per;
    scene->view = (struct path_scene_view){ { 0, 0, 2.2 * WIDTH }, { 0, 0, 0 }, 37 };
    return in;
}

static void add_model(struct path_scene *scene, const struct path_scene_spec *spec,
                      struct mesh *mesh, int32_t first_material)
{
    const struct box box = box_of(mesh);
    for (int k = 0; k < spec->copies; k++) {
        const struct place_in in = spec->kind == SCENE_ALONE ? place_alone(&box, scene)
                                                             : place_in_room(&box, k, spec->copies);
        const int32_t surface = surface_of(scene, spec->surface, k);
        const int64_t first = scene->triangle_count;
        add_mesh(scene, mesh, &in, first_material);
        for (int64_t t = first; surface >= 0 && t < scene->triangle_count; t++)
            scene->triangles[t].material = surface;
    }
}

/* --- all of it --- */

static yoke_status load(const struct path_scene_spec *spec, struct mesh *meshes)
{
    yoke_status status = YOKE_OK;
    if (spec->kind != SCENE_ALONE)
        status = path_room(spec->kind == SCENE_BLOCKS ? SCENE_WITH_BLOCKS : SCENE_WITHOUT_BLOCKS,
                           &meshes[0]);
    if (status == YOKE_OK && spec->kind != SCENE_BLOCKS)
        status = mesh_load(spec->model, &meshes[1]);
    for (const char *note; status == YOKE_OK && (note = mesh_take_note(&meshes[1])) != NULL;)
        fprintf(stderr, "yoke: %s: %s\n", spec->model, note);
    return status;
}

static yoke_status assemble(const struct path_scene_spec *spec, struct mesh *meshes,
                            struct path_scene *scene)
{
    const struct place_in as_it_is = { .per = 1, .cosine = 1 };
    const int64_t most = meshes[0].face_count + meshes[1].face_count * spec->copies;
    yoke_status status;
    if (most > BVH_TRIANGLES_MOST)
        return app_fail(YOKE_EINVAL,
                        "a scene of %lld triangles; it can have %d: fewer --copies, or a smaller "
                        "model",
                        (long long)most, BVH_TRIANGLES_MOST);
    scene->flat_faces = meshes[0].flat_faces + meshes[1].flat_faces * spec->copies;
    status = add_materials(scene, meshes);
    if (status == YOKE_OK)
        status = app_alloc("the triangles of the scene", most, sizeof *scene->triangles,
                           (void **)&scene->triangles);
    if (status != YOKE_OK)
        return status;
    add_mesh(scene, &meshes[0], &as_it_is, 0);
    if (meshes[1].face_count > 0)
        add_model(scene, spec, &meshes[1], (int32_t)meshes[0].material_count);
    if (scene->triangle_count == 0)
        return app_fail(YOKE_EINVAL, "%s has no face with an area: there is nothing to draw",
                        spec->model);
    return YOKE_OK;
}

yoke_status path_scene_open(const struct path_scene_spec *spec, struct path_scene *out)
{
    struct mesh meshes[2] = { { .vertex_count = 0 }, { .vertex_count = 0 } };
    yoke_status status;
    *out = (struct path_scene){ .per = 1, .view = path_room_view };
    status = load(spec, meshes);
    if (status == YOKE_OK)
        status = assemble(spec, meshes, out);
    mesh_free(&meshes[0]);
    mesh_free(&meshes[1]);
    if (status == YOKE_OK)
        status = bvh_build(out->triangles, out->triangle_count, &out->bvh);
    if (status == YOKE_OK)
        status = path_light(out);
    if (status != YOKE_OK)
        path_scene_close(out);
    return status;
}

void path_scene_close(struct path_scene *scene)
{
    free(scene->triangles);
    free(scene->materials);
    free(scene->lights);
    bvh_free(&scene->bvh);
    *scene = (struct path_scene){ .triangle_count = 0 };
}
