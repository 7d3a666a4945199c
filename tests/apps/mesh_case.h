/* mesh_case.h - mesh files given as text, and the mesh that was read, as text. */
#ifndef TESTS_APPS_MESH_CASE_H
#define TESTS_APPS_MESH_CASE_H

#include <stddef.h>

#include "path/mesh.h"

typedef yoke_status mesh_reader(FILE *file, const char *path, struct mesh *out);

/* Checks the mesh read from `file`: "v X Y Z" for each vertex, "f A B C" for each triangle,
 * followed by the name of its material if it has one, "flat N" if there are flat triangles,
 * separated by "; ". The bytes are those of the file `path`. */
void mesh_case_right(mesh_reader *read, const char *file, const char *expected);
/* `file` is refused with YOKE_EINVAL and exactly this message; no output is written. */
void mesh_case_wrong(mesh_reader *read, const char *file, const char *expected);
/* The same for bytes. */
struct mesh_bytes {
    const char *bytes;
    size_t size;
};
void mesh_bytes_right(mesh_reader *read, const struct mesh_bytes *file, const char *expected);
void mesh_bytes_wrong(mesh_reader *read, const struct mesh_bytes *file, const char *expected);

/* Makes a new folder the current one for a group of tests; writes files into it. */
int mesh_folder_open(void **unused);
int mesh_folder_close(void **unused);
void mesh_save(const char *name, const char *text);
/* mesh_load returns exactly this, and writes no output. */
void mesh_refused(const char *path, yoke_status expected, const char *said);

#endif
