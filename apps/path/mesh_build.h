/* mesh_build.h - a mesh while its file is read: lists that grow, with the checks that all formats
 * share. Failures name where `from` stands.
 */
#ifndef YOKE_APPS_PATH_MESH_BUILD_H
#define YOKE_APPS_PATH_MESH_BUILD_H

#include "../text_file.h"
#include "mesh.h"

struct mesh_build {
    struct mesh mesh;
    int64_t vertex_room, face_room, material_room;
    int32_t material;     /* of the faces to come */
    int32_t corners[3];   /* of the face: first, last but one, last */
    int64_t corner_count; /* of the face, so far */
    int32_t *named;       /* mesh_materials.c's table; NULL: no material was named yet */
};

yoke_status mesh_build_open(struct mesh_build *out);
void mesh_build_close(struct mesh_build *build); /* NULL-safe lists; after mesh_build_finish too */

/* All three coordinates are finite and at most MESH_COORDINATE_MOST, or it fails. */
yoke_status mesh_add_vertex(struct mesh_build *build, const struct text_file *from,
                            const double at[3]);
/* Corners of a face, in order, from `corner_count` 0; the vertices may come later. */
yoke_status mesh_add_corner(struct mesh_build *build, const struct text_file *from, int32_t vertex);
void mesh_end_face(struct mesh_build *build);

/* mesh_materials.c: the material of that name, a new one or one that is there already; valid until
 * the next call. Then -1: there is none. */
yoke_status mesh_name_material(struct mesh_build *build, const struct text_file *from,
                               const char *name, struct mesh_material **out);
int32_t mesh_find_material(const struct mesh_build *build, const char *name);
/* The rest of a line as a name: "" if it has none. */
yoke_status text_take_name(const struct text_file *from, const char *at, char name[MESH_NAME_MOST]);
/* mesh_mtl.c: materials of a .mtl file. */
yoke_status mesh_read_mtl(FILE *file, const char *path, struct mesh_build *build);

/* Flat faces go; what is left is `out`'s, and the build empty. All corners are vertices. */
yoke_status mesh_build_finish(struct mesh_build *build, const char *path, struct mesh *out);

/* mesh_load.c: a regular file to read, or NULL and why. */
FILE *mesh_open_file(const char *path, const char **cause);

#endif
