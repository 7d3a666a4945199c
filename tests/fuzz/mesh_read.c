/* mesh_read.c - see mesh_read.h. */
#include "mesh_read.h"

#include <math.h>

#include "fuzz.h"
#include "said.h"

long long mesh_other_lines;

static yoke_status read_bytes(mesh_reader *read, const uint8_t *bytes, size_t size,
                              struct mesh *out)
{
    static uint8_t none[1];
    FILE *file = fmemopen(size ? (void *)(uintptr_t)bytes : none, size ? size : 1, "rb");
    yoke_status status;
    FUZZ_CHECK(file);
    if (size == 0) /* fmemopen does not support empty files */
        (void)fgetc(file);
    status = read(file, "it", out);
    fclose(file);
    return status;
}

static void check_shares(const float *shares)
{
    for (int k = 0; k < 3; k++)
        FUZZ_CHECK(shares[k] >= 0 && shares[k] <= 1);
}

static void check_material(const struct mesh_material *material)
{
    FUZZ_CHECK(strnlen(material->name, MESH_NAME_MOST) < MESH_NAME_MOST);
    check_shares(material->diffuse);
    check_shares(material->specular);
    for (int k = 0; k < 3; k++)
        FUZZ_CHECK(material->emission[k] >= 0 &&
                   material->emission[k] <= (float)MESH_EMISSION_MOST);
    FUZZ_CHECK(material->index >= (float)MESH_INDEX_LEAST &&
               material->index <= (float)MESH_INDEX_MOST);
    FUZZ_CHECK(material->surface == MESH_DIFFUSE || material->surface == MESH_MIRROR ||
               material->surface == MESH_GLASS);
}

static void check_face(const struct mesh *mesh, const struct mesh_face *face)
{
    FUZZ_CHECK(face->material >= 0 && face->material < mesh->material_count);
    for (int k = 0; k < 3; k++) {
        FUZZ_CHECK(face->corners[k] >= 0 && face->corners[k] < mesh->vertex_count);
        FUZZ_CHECK(face->corners[k] != face->corners[(k + 1) % 3]);
    }
}

static void check_mesh(const struct mesh *mesh)
{
    FUZZ_CHECK(mesh->face_count >= 1 && mesh->material_count >= 1 && mesh->flat_faces >= 0);
    for (int64_t k = 0; k < mesh->vertex_count; k++)
        for (int axis = 0; axis < 3; axis++)
            FUZZ_CHECK(fabsf(mesh->vertices[k][axis]) <= (float)MESH_COORDINATE_MOST);
    for (int64_t k = 0; k < mesh->material_count; k++)
        check_material(&mesh->materials[k]);
    for (int64_t k = 0; k < mesh->face_count; k++)
        check_face(mesh, &mesh->faces[k]);
}

static void check_same(const struct mesh *a, const struct mesh *b)
{
    FUZZ_CHECK(a->vertex_count == b->vertex_count && a->face_count == b->face_count);
    FUZZ_CHECK(a->material_count == b->material_count && a->flat_faces == b->flat_faces);
    FUZZ_CHECK(memcmp(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof *a->vertices) ==
               0);
    FUZZ_CHECK(memcmp(a->faces, b->faces, (size_t)a->face_count * sizeof *a->faces) == 0);
}

/* The place named in the message is in the file. */
static void check_said(yoke_status status, const uint8_t *bytes, size_t size)
{
    long long line = 1, last = 1, byte = 0;
    int parts = 0;
    for (size_t k = 0; k < size; k++)
        last += bytes[k] == '\n';
    FUZZ_CHECK(status == YOKE_EINVAL || status == YOKE_EIO);
    if (sscanf(said, "it:%lld: %n", &line, &parts) == 1 && parts > 0)
        FUZZ_CHECK(line >= 1 && line <= last + mesh_other_lines);
    else if (sscanf(said, "it: byte %lld: %n", &byte, &parts) == 1 && parts > 0)
        FUZZ_CHECK(byte >= 0 && byte <= (long long)size);
    else
        FUZZ_CHECK(strstr(said, "it has no faces") || strstr(said, " of it none has an area") ||
                   mesh_other_lines > 0);
}

void mesh_check(mesh_reader *read, const uint8_t *bytes, size_t size)
{
    struct mesh first = { .vertex_count = -77 }, second = { .vertex_count = -77 };
    const yoke_status status = read_bytes(read, bytes, size, &first);
    FUZZ_CHECK(read_bytes(read, bytes, size, &second) == status);
    if (status == YOKE_OK) {
        check_mesh(&first);
        check_same(&first, &second);
        mesh_free(&first);
        mesh_free(&second);
    } else {
        check_said(status, bytes, size);
        FUZZ_CHECK(first.vertex_count == -77 && !first.vertices);
    }
}
