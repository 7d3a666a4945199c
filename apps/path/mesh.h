/* mesh.h - triangles from files: OBJ with its materials, PLY and OFF.
 *
 * An error names the file and the line (in a binary file, the byte). A file of another format than
 * its name promises fails at its first bytes, however large it is. Memory grows with what was read,
 * not with what a header announces. Faces without an area are legal but invisible: they are
 * counted, not refused.
 */
#ifndef YOKE_APPS_PATH_MESH_H
#define YOKE_APPS_PATH_MESH_H

#include <stdint.h>
#include <stdio.h>
#include <yoke/status.h>

enum { MESH_NAME_MOST = 256 }; /* with the 0 at its end */
/* In magnitude: products of two coordinates fit in single precision. */
#define MESH_COORDINATE_MOST 1e18
/* Height / longest side: a triangle with a lower height is flat. */
#define MESH_FLAT_HEIGHT   0x1p-22
#define MESH_EMISSION_MOST 1e9
#define MESH_INDEX_LEAST   0.001
#define MESH_INDEX_MOST    10

/* What a surface does with light, as .mtl files describe it. */
struct mesh_material {
    char name[MESH_NAME_MOST];
    float diffuse[3]; /* Kd: fraction of light that is scattered evenly; 0 to 1 */
    /* Fraction of light, 0 to 1: reflected by a mirror (Ks), let through by glass (Tf); 1 if the
     * file does not say. For other surfaces Ks, for reference only. */
    float specular[3];
    /* Ke: radiance of the side from which the corners run counterclockwise. If there is no Ke and
     * Ka is above 1, Ka counts as Ke: an ambient fraction is never above 1, and old files (Embree's
     * Cornell box) mark their lights this way. */
    float emission[3];
    float index; /* Ni: refractive index; 0.001 to 10; 1.5 if the file does not say */
    enum mesh_surface { MESH_DIFFUSE, MESH_MIRROR, MESH_GLASS } surface; /* illum */
};

struct mesh_face {
    int32_t corners[3]; /* rows of `vertices` */
    int32_t material;   /* row of `materials` */
};

/* At most 2^31 - 1 of each. All numbers are finite, and all indexes lie within their lists. */
struct mesh {
    float (*vertices)[3];
    struct mesh_face *faces;         /* at least one */
    struct mesh_material *materials; /* [0]: grey (diffuse 0.8), for faces without a material */
    int64_t vertex_count, face_count, material_count;
    /* Faces that were left out: with fewer than three corners, or with a height below
     * MESH_FLAT_HEIGHT, for which single precision finds no normal. */
    int64_t flat_faces;
    unsigned notes; /* bits of enum mesh_note */
};

/* Reads a file by its ending: .obj, .ply or .off, in any case. A polygon is cut into triangles from
 * its first corner. Material files are looked for beside the file that names them. YOKE_EINVAL: the
 * message names the file, the line and the remedy; YOKE_EIO: the file cannot be read;
 * YOKE_ENOMEM. */
yoke_status mesh_load(const char *path, struct mesh *out);
void mesh_free(struct mesh *mesh); /* and leaves it empty */

/* What the file contains but pictures do not show. A note is no error. */
enum mesh_note {
    MESH_NOTE_TEXTURES = 1,
    MESH_NOTE_AMBIENT = 2, /* Ka was used as Ke */
    MESH_NOTE_ALPHA = 4,
    MESH_NOTE_STATEMENTS = 8,
    MESH_NOTE_CURVES = 16
};
/* Removes one note from the mesh and returns its text: one line, static. NULL: no note is left. */
const char *mesh_take_note(struct mesh *mesh);

/* The three readers, for tests. They read `file` from its current position. `path` is for messages
 * and for finding material files. */
yoke_status mesh_read_obj(FILE *file, const char *path, struct mesh *out);
yoke_status mesh_read_ply(FILE *file, const char *path, struct mesh *out);
yoke_status mesh_read_off(FILE *file, const char *path, struct mesh *out);

#endif
