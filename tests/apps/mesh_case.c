/* mesh_case.c - see mesh_case.h. */
#include "mesh_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app.h"

static yoke_status read_bytes(mesh_reader *read, const struct mesh_bytes *file, struct mesh *out)
{
    FILE *stream = fmemopen((void *)(uintptr_t)file->bytes, file->size, "rb");
    yoke_status status;
    assert_non_null(stream);
    status = read(stream, "it", out);
    fclose(stream);
    return status;
}

/* The caller frees it. */
static char *described(const struct mesh *mesh)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (int64_t k = 0; k < mesh->vertex_count; k++)
        fprintf(out, "%sv %g %g %g", k ? "; " : "", (double)mesh->vertices[k][0],
                (double)mesh->vertices[k][1], (double)mesh->vertices[k][2]);
    for (int64_t k = 0; k < mesh->face_count; k++) {
        const struct mesh_face *face = &mesh->faces[k];
        assert_in_range(face->material, 0, mesh->material_count - 1);
        fprintf(out, "; f %d %d %d", face->corners[0], face->corners[1], face->corners[2]);
        if (face->material)
            fprintf(out, " %s", mesh->materials[face->material].name);
    }
    if (mesh->flat_faces)
        fprintf(out, "; flat %lld", (long long)mesh->flat_faces);
    fclose(out);
    return text;
}

void mesh_bytes_right(mesh_reader *read, const struct mesh_bytes *file, const char *expected)
{
    struct mesh mesh;
    char *text;
    if (read_bytes(read, file, &mesh) != YOKE_OK)
        fail_msg("refused: %s\n%s", app_error_text(), file->bytes);
    text = described(&mesh);
    assert_string_equal(text, expected);
    free(text);
    mesh_free(&mesh);
    assert_null(mesh.vertices);
}

void mesh_bytes_wrong(mesh_reader *read, const struct mesh_bytes *file, const char *expected)
{
    struct mesh mesh = { .vertex_count = -77 };
    if (read_bytes(read, file, &mesh) != YOKE_EINVAL)
        fail_msg("not refused, which should be: %s\n%s", expected, file->bytes);
    assert_string_equal(app_error_text(), expected);
    assert_int_equal(mesh.vertex_count, -77);
    assert_null(mesh.vertices);
}

void mesh_case_right(mesh_reader *read, const char *file, const char *expected)
{
    mesh_bytes_right(read, &(struct mesh_bytes){ file, strlen(file) }, expected);
}

void mesh_case_wrong(mesh_reader *read, const char *file, const char *expected)
{
    mesh_bytes_wrong(read, &(struct mesh_bytes){ file, strlen(file) }, expected);
}

static char folder[] = "/tmp/test_mesh.XXXXXX";

int mesh_folder_open(void **unused)
{
    (void)unused;
    return !mkdtemp(folder) || chdir(folder);
}

int mesh_folder_close(void **unused)
{
    char command[64];
    (void)unused;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") || system(command);
}

void mesh_save(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

void mesh_refused(const char *path, yoke_status expected, const char *said)
{
    struct mesh mesh = { .vertex_count = -77 };
    assert_int_equal(mesh_load(path, &mesh), expected);
    assert_string_equal(app_error_text(), said);
    assert_int_equal(mesh.vertex_count, -77);
}
