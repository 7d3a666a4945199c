/* mesh_build.h - a mesh while its file is read: lists that grow, with the checks that all formats
 * share. An error names the position of `from`.
 */
#ifndef YOKE_APPS_PATH_MESH_BUILD_H
#define YOKE_APPS_PATH_MESH_BUILD_H

#include "../text_file.h"
#include "mesh.h"

struct mesh_build {
    struct mesh mesh;
    int64_t vertex_room, face_room, material_room;
    int32_t material;     /* of the next faces */
    int32_t corners[3];   /* of the present face: first, last but one, last */
    int64_t corner_count; /* of the present face, so far */
    int32_t *named;       /* the table of mesh_materials.c; NULL: no material was named yet */
};

yoke_status mesh_build_open(struct mesh_build *out);
/* Frees the lists, which may be NULL. Call it after mesh_build_finish too. */
void mesh_build_close(struct mesh_build *build);

/* Fails unless all three coordinates are finite and at most MESH_COORDINATE_MOST in magnitude. */
yoke_status mesh_add_vertex(struct mesh_build *build, const struct text_file *from,
                            const double at[3]);
/* Adds a corner of a face. Corners come in order; the first one needs `corner_count` 0. The vertex
 * itself may come later in the file. */
yoke_status mesh_add_corner(struct mesh_build *build, const struct text_file *from, int32_t vertex);
void mesh_end_face(struct mesh_build *build);

/* mesh_materials.c: finds or makes the material of that name. The pointer is valid until the next
 * call. mesh_find_material returns -1 if there is none. */
yoke_status mesh_name_material(struct mesh_build *build, const struct text_file *from,
                               const char *name, struct mesh_material **out);
int32_t mesh_find_material(const struct mesh_build *build, const char *name);
/* Reads the rest of a line as a name; "" if nothing is left. */
yoke_status text_take_name(const struct text_file *from, const char *at, char name[MESH_NAME_MOST]);
/* mesh_mtl.c: reads the materials of a .mtl file. */
yoke_status mesh_read_mtl(FILE *file, const char *path, struct mesh_build *build);

/* Removes flat faces and moves the mesh to `out`; `build` is empty afterwards. All corners must be
 * vertices. */
yoke_status mesh_build_finish(struct mesh_build *build, const char *path, struct mesh *out);

/* mesh_load.c: opens a regular file for reading; NULL: `*cause` says why not. */
FILE *mesh_open_file(const char *path, const char **cause);

#endif
