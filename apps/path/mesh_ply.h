/* mesh_ply.h - the header of a PLY file: which elements follow, and the properties of each. */
#ifndef YOKE_APPS_PATH_MESH_PLY_H
#define YOKE_APPS_PATH_MESH_PLY_H

#include "../text_file.h"

enum { PLY_ELEMENTS_MOST = 64, PLY_PROPERTIES_MOST = 1024, PLY_NAME_MOST = 32 };

enum ply_type {
    PLY_CHAR,
    PLY_UCHAR,
    PLY_SHORT,
    PLY_USHORT,
    PLY_INT,
    PLY_UINT,
    PLY_FLOAT,
    PLY_DOUBLE,
    PLY_TYPES
};
int ply_type_bytes(enum ply_type type);

struct ply_property {
    enum ply_type type;
    enum ply_type count_type; /* type of a list's length */
    enum { PLY_ONE, PLY_LIST } shape;
    enum { PLY_X, PLY_Y, PLY_Z, PLY_CORNERS, PLY_SKIPPED } role;
};

struct ply_element {
    char name[PLY_NAME_MOST]; /* truncated; for messages */
    int64_t count;
    int first, property_count; /* its properties: the first one, and how many */
    enum { PLY_VERTEX, PLY_FACE, PLY_OTHER } kind;
};

struct ply_header {
    enum { PLY_UNSAID, PLY_ASCII, PLY_LITTLE, PLY_BIG } format;
    int element_count, property_count;
    int64_t vertex_count;
    struct ply_element elements[PLY_ELEMENTS_MOST];
    struct ply_property properties[PLY_PROPERTIES_MOST]; /* of all elements */
};

/* Reads the header and leaves `from` at the first byte behind it. Fails unless there are vertices
 * with x, y and z and faces with corners. */
yoke_status ply_read_header(struct text_file *from, struct ply_header *out);

#endif
