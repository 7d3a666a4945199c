/* mesh.h - triangles from files: OBJ with its materials, PLY and OFF.
 *
 * What a file says wrong is told with its name and line (the byte, in a binary one), and a file
 * that is not what its name promises is found out by its first bytes, however large it is. What is
 * legal but of no use to a picture is counted, not refused: faces without area.
 */
#ifndef YOKE_APPS_PATH_MESH_H
#define YOKE_APPS_PATH_MESH_H

#include <stdint.h>
#include <stdio.h>
#include <yoke/status.h>

/* What a surface does with light, as .mtl files say it. */
struct mesh_material {
    char name[64];
    float diffuse[3];  /* Kd: share that is scattered evenly; 0 to 1 */
    float specular[3]; /* Ks: of a mirror; 0 to 1 */
    float emission[3]; /* Ke: radiance of the side from which the corners run counterclockwise */
    float index;       /* Ni: refractive index of glass */
    enum mesh_surface { MESH_DIFFUSE, MESH_MIRROR, MESH_GLASS } surface; /* illum */
};

struct mesh_face {
    int32_t corners[3]; /* of vertices */
    int32_t material;   /* of materials */
};

/* No more than 2^31 - 1 of each. All numbers are finite, all indexes within their lists. */
struct mesh {
    float (*vertices)[3];
    struct mesh_face *faces;
    struct mesh_material *materials; /* one at least */
    int64_t vertex_count, face_count, material_count;
    int64_t flat_faces; /* left out: without area */
};

/* By the file's ending, .obj, .ply or .off (in any case). Polygons are cut into triangles from
 * their first corner. Material files are looked for beside the file that names them. YOKE_EINVAL
 * with the file, the line and the cure; YOKE_EIO where it cannot be read; YOKE_ENOMEM. Notes that
 * are no errors (a texture that is not drawn) go to stderr, one line each kind. */
yoke_status mesh_load(const char *path, struct mesh *out);
void mesh_free(struct mesh *mesh); /* and leaves it empty */

/* What the three readers are, for tests: `file` is read from where it stands; `path` is for
 * messages and for material files. */
yoke_status mesh_read_obj(FILE *file, const char *path, struct mesh *out);
yoke_status mesh_read_ply(FILE *file, const char *path, struct mesh *out);
yoke_status mesh_read_off(FILE *file, const char *path, struct mesh *out);

#endif
