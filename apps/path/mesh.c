/* mesh.c - what the readers of all formats share: lists that grow, removal of flat faces, notes.
 *
 * A list doubles when it is full. So a file costs at most a few times its own size in memory,
 * whatever its header announces.
 */
#include "mesh.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../count.h"
#include "../memory.h"
#include "mesh_build.h"

enum {
    ROOM_FIRST = 1024,
    ASKED_BYTES = 64 << 20 /* below this growth, checking the free memory is not worth its cost */
};

/* --- lists --- */

static const struct mesh_material plain = { .diffuse = { 0.8F, 0.8F, 0.8F }, .index = 1.5F };

void mesh_free(struct mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->faces);
    free(mesh->materials);
    *mesh = (struct mesh){ 0 };
}

yoke_status mesh_build_open(struct mesh_build *out)
{
    struct mesh_material *materials = malloc(sizeof *materials);
    if (!materials)
        return app_fail(YOKE_ENOMEM, "no memory for a material");
    materials[0] = plain;
    *out = (struct mesh_build){ .mesh = { .materials = materials, .material_count = 1 },
                                .material_room = 1 };
    return YOKE_OK;
}

void mesh_build_close(struct mesh_build *build)
{
    mesh_free(&build->mesh);
    free(build->named);
    build->named = NULL;
}

/* Returns the list with more room; or NULL, and then `*room` is unchanged. */
static void *grown(void *list, int64_t *room, size_t size)
{
    const int64_t more = *room ? 2 * *room : ROOM_FIRST;
    void *larger = realloc(list, (size_t)more * size);
    if (larger)
        *room = more;
    return larger;
}

/* Checks that the list may double: that the count stays within its limit and that the memory is
 * there. `count` is the number of elements now, `size` the bytes of each. */
static yoke_status check_growth(const struct text_file *from, const char *what, int64_t count,
                                size_t size)
{
    const int64_t bytes = count * (int64_t)size;
    if (count >= INT32_MAX)
        return text_file_fail(from, YOKE_EINVAL, "more than %d %s; use a coarser mesh", INT32_MAX,
                              what);
    return bytes < ASKED_BYTES ? YOKE_OK : app_memory_for_file(from->path, bytes);
}

static yoke_status no_memory(const struct text_file *from, const char *what, int64_t count)
{
    return text_file_fail(from, YOKE_ENOMEM, "no memory for more than %lld %s; use a coarser mesh",
                          (long long)count, what);
}

yoke_status mesh_add_vertex(struct mesh_build *build, const struct text_file *from,
                            const double at[3])
{
    struct mesh *mesh = &build->mesh;
    float *vertex;
    if (mesh->vertex_count == build->vertex_room) {
        yoke_status status =
            check_growth(from, "vertices", mesh->vertex_count, sizeof *mesh->vertices);
        void *larger =
            status ? NULL : grown(mesh->vertices, &build->vertex_room, sizeof *mesh->vertices);
        if (status != YOKE_OK)
            return status;
        if (!larger)
            return no_memory(from, "vertices", mesh->vertex_count);
        mesh->vertices = larger;
    }
    vertex = mesh->vertices[mesh->vertex_count];
    for (int k = 0; k < 3; k++) {
        if (!(fabs(at[k]) <= MESH_COORDINATE_MOST))
            return text_file_fail(from, YOKE_EINVAL,
                                  "the vertex's %c is %g; coordinates are numbers up to %g",
                                  "xyz"[k], at[k], MESH_COORDINATE_MOST);
        vertex[k] = (float)at[k];
    }
    mesh->vertex_count++;
    return YOKE_OK;
}

static yoke_status add_triangle(struct mesh_build *build, const struct text_file *from)
{
    struct mesh *mesh = &build->mesh;
    struct mesh_face *face;
    if (mesh->face_count == build->face_room) {
        yoke_status status = check_growth(from, "triangles", mesh->face_count, sizeof *mesh->faces);
        void *larger = status ? NULL : grown(mesh->faces, &build->face_room, sizeof *mesh->faces);
        if (status != YOKE_OK)
            return status;
        if (!larger)
            return no_memory(from, "triangles", mesh->face_count);
        mesh->faces = larger;
    }
    face = &mesh->faces[mesh->face_count++];
    memcpy(face->corners, build->corners, sizeof face->corners);
    face->material = build->material;
    return YOKE_OK;
}

yoke_status mesh_add_corner(struct mesh_build *build, const struct text_file *from, int32_t vertex)
{
    int32_t *corners = build->corners;
    if (build->corner_count++ == 0)
        corners[0] = vertex;
    corners[1] = corners[2];
    corners[2] = vertex;
    return build->corner_count > 2 ? add_triangle(build, from) : YOKE_OK;
}

void mesh_end_face(struct mesh_build *build)
{
    build->mesh.flat_faces += build->corner_count < 3;
    build->corner_count = 0;
}

/* --- the end --- */

static int is_flat(const struct mesh *mesh, const struct mesh_face *face)
{
    double sides[3][3], longest = 0, normal = 0;
    for (int s = 0; s < 3; s++) {
        const float *begin = mesh->vertices[face->corners[s]];
        const float *end = mesh->vertices[face->corners[(s + 1) % 3]];
        double length = 0;
        for (int k = 0; k < 3; k++) {
            sides[s][k] = (double)end[k] - begin[k];
            length += sides[s][k] * sides[s][k];
        }
        longest = fmax(longest, length);
    }
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const double part = sides[0][a] * sides[1][b] - sides[0][b] * sides[1][a];
        normal += part * part;
    }
    normal = sqrt(normal);
    return !(normal > MESH_FLAT_HEIGHT * longest && normal >= FLT_MIN);
}

yoke_status mesh_build_finish(struct mesh_build *build, const char *path, struct mesh *out)
{
    struct mesh *mesh = &build->mesh;
    int64_t kept = 0;
    for (int64_t k = 0; k < mesh->face_count; k++)
        if (!is_flat(mesh, &mesh->faces[k]))
            mesh->faces[kept++] = mesh->faces[k];
    mesh->flat_faces += mesh->face_count - kept;
    mesh->face_count = kept;
    if (kept == 0 && mesh->flat_faces == 0)
        return app_fail(YOKE_EINVAL, "%s has no faces; name a mesh of triangles or polygons", path);
    if (kept == 0)
        return app_fail(YOKE_EINVAL,
                        "of the %s of %s none has an area; name a mesh of triangles or polygons",
                        count_words(mesh->flat_faces, "faces").text, path);
    *out = *mesh;
    *mesh = (struct mesh){ 0 };
    return YOKE_OK;
}

const char *mesh_take_note(struct mesh *mesh)
{
    static const struct {
        enum mesh_note note;
        const char *text;
    } notes[] = {
        { MESH_NOTE_TEXTURES, "textures are not drawn; colours are materials' Kd" },
        { MESH_NOTE_AMBIENT, "a material's Ka above 1, without Ke, was taken for its Ke: light" },
        { MESH_NOTE_ALPHA, "d and Tr are not drawn; materials of illum 4, 6, 7 and 9 are glass" },
        { MESH_NOTE_STATEMENTS, "statements of material files that are not known were left out" },
        { MESH_NOTE_CURVES, "curves and free-form surfaces are not drawn" },
    };
    for (size_t k = 0; k < sizeof notes / sizeof *notes; k++)
        if (mesh->notes & notes[k].note) {
            mesh->notes &= ~(unsigned)notes[k].note;
            return notes[k].text;
        }
    return NULL;
}
