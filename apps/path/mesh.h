/* mesh.h - triangles from files: OBJ with its materials, PLY and OFF.
 *
 * What a file says wrong is told with its name and line (the byte, in a binary one), and a file
 * that is not what its name promises is found out by its first bytes, however large it is. Memory
 * grows with what was read, not with what a header announces. What is legal but of no use to a
 * picture is counted, not refused: faces without area.
 */
#ifndef YOKE_APPS_PATH_MESH_H
#define YOKE_APPS_PATH_MESH_H

#include <stdint.h>
#include <stdio.h>
#include <yoke/status.h>

enum { MESH_NAME_MOST = 256 };       /* with its 0 */
#define MESH_COORDINATE_MOST 1e18    /* in magnitude: products of two fit in single precision */
#define MESH_FLAT_HEIGHT     0x1p-22 /* of its longest side: lower triangles are flat */
#define MESH_EMISSION_MOST   1e9
#define MESH_INDEX_LEAST     0.001
#define MESH_INDEX_MOST      10

/* What a surface does with light, as .mtl files say it. */
struct mesh_material {
    char name[MESH_NAME_MOST];
    float diffuse[3];  /* Kd: share that is scattered evenly; 0 to 1 */
    float specular[3]; /* what a mirror's Ks and glass's Tf leave of light; 0 to 1, and 1 for those
                          that do not have it. Of others Ks, which is for reference only */
    float emission[3]; /* Ke: radiance of the side from which the corners run counterclockwise. Ka
                          counts as Ke where there is no Ke and Ka is above 1: no share of ambient
                          light is, and old files (Embree's Cornell box) mark their lights so */
    float index;       /* Ni: refractive index; 0.001 to 10, 1.5 where there is none */
    enum mesh_surface { MESH_DIFFUSE, MESH_MIRROR, MESH_GLASS } surface; /* illum */
};

struct mesh_face {
    int32_t corners[3]; /* of vertices */
    int32_t material;   /* of materials */
};

/* No more than 2^31 - 1 of each. All numbers are finite, all indexes within their lists. */
struct mesh {
    float (*vertices)[3];
    struct mesh_face *faces;         /* one at least */
    struct mesh_material *materials; /* [0] is grey (diffuse 0.8), of faces without another */
    int64_t vertex_count, face_count, material_count;
    int64_t flat_faces; /* left out: a height below MESH_FLAT_HEIGHT, where single precision finds
                           no normal, or fewer than three corners */
    unsigned notes;     /* bits of enum mesh_note */
};

/* By the file's ending, .obj, .ply or .off (in any case). Polygons are cut into triangles from
 * their first corner. Material files are looked for beside the file that names them. YOKE_EINVAL
 * with the file, the line and the cure; YOKE_EIO where it cannot be read; YOKE_ENOMEM. */
yoke_status mesh_load(const char *path, struct mesh *out);
void mesh_free(struct mesh *mesh); /* and leaves it empty */

/* What the file has and pictures do not show; no errors. */
enum mesh_note {
    MESH_NOTE_TEXTURES = 1,
    MESH_NOTE_AMBIENT = 2, /* Ka was taken for Ke */
    MESH_NOTE_ALPHA = 4,
    MESH_NOTE_STATEMENTS = 8,
    MESH_NOTE_CURVES = 16
};
/* Takes a note off the mesh: its text, one line, static; NULL when there is none left. */
const char *mesh_take_note(struct mesh *mesh);

/* What the three readers are, for tests: `file` is read from where it stands; `path` is for
 * messages and for material files. */
yoke_status mesh_read_obj(FILE *file, const char *path, struct mesh *out);
yoke_status mesh_read_ply(FILE *file, const char *path, struct mesh *out);
yoke_status mesh_read_off(FILE *file, const char *path, struct mesh *out);

#endif
