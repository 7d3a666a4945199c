/* test_mesh_lists.c - PLY as text and in both byte orders, with every type for every property, and
 * OFF: what is read, and the messages about errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh_case.h"

struct said {
    const char *file, *said;
};

/* --- PLY as text --- */

#define PLY     "ply\nformat ascii 1.0\n"
#define VERTEX  "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
#define FACE    "element face 1\nproperty list uchar int vertex_indices\n"
#define HEAD    PLY VERTEX FACE "end_header\n"
#define CORNERS "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
#define QUAD    "v 0 0 0; v 1 0 0; v 1 1 0; v 0 1 0"

static const struct said right_ply[] = {
    { HEAD CORNERS "3 0 1 2\n", QUAD "; f 0 1 2" },
    { HEAD CORNERS "4 0 1 2 3", QUAD "; f 0 1 2; f 0 2 3" },
    { HEAD "\n" CORNERS "\n3 0 1 2\n \n", QUAD "; f 0 1 2" },
    { "ply\r\nformat ascii 1.0\r\ncomment by hand\r\nobj_info none\r\nelement vertex 3\r\n"
      "property double x\r\nproperty int y\r\nproperty uint8 z\r\nelement face 1\r\n"
      "property list uchar int vertex_index\r\nend_header\r\n0 0 0\r\n1 0 0\r\n1 1 0\r\n"
      "3 0 1 2\r\n",
      "v 0 0 0; v 1 0 0; v 1 1 0; f 0 1 2" },
    /* any order, more properties, other elements */
    { PLY "element camera 2\nproperty list int float weights\nproperty char c\n"
          "element vertex 3\nproperty float nx\nproperty short z\nproperty list uchar float t\n"
          "property float y\nproperty float x\nproperty uchar red\n"
          "element face 2\nproperty uchar red\nproperty list char uint vertex_index\n"
          "property list uchar float texcoord\n"
          "element edge 1\nproperty int a\nend_header\n"
          "2 .5 .5 -1\n0 7\nnan 0 0 0 0 255\n0 0 1 9 0 1 255\n0 0 2 9 nan 1 1 255\n"
          "255 3 0 1 2 0\n255 2 0 1 1 7\n8\n",
      "v 0 0 0; v 1 0 0; v 1 1 0; f 0 1 2; flat 1" },
    /* faces first */
    { PLY FACE VERTEX "end_header\n3 0 1 2\n" CORNERS, QUAD "; f 0 1 2" },
};

static const struct said wrong_ply[] = {
    { "plx", "it:1: no PLY: its first line is ply; name a .ply file that is" },
    { "p", "it:1: no PLY: its first line is ply; name a .ply file that is" },
    { "plyx\n", "it:1: 'x' is not the line's end" },
    { "ply\n", "it:1: the file ends within its header" },
    { "ply\nformat ascii 1.0\nelement vertex 4\n", "it:3: the file ends within its header" },
    { "ply\nhello\n", "it:2: 'hello' is not format, element, property, comment or end_header" },
    { "ply\nformat binary 1.0\n",
      "it:2: 'binary' is not ascii, binary_little_endian or binary_big_endian" },
    { "ply\nformat ascii 2.0\n", "it:2: '2.0' is not 1.0, the version of PLY that is read" },
    { "ply\n" VERTEX FACE "end_header\n", "it:8: the header ends without a line format" },
    { PLY "property float x\n", "it:3: a property before the first element" },
    { PLY "element\n", "it:3: the line ends, but an element's name belongs here" },
    { PLY "element vertex -1\n", "it:3: '-1' is not a number of elements up to 2147483647" },
    { PLY "element vertex 2147483648\n",
      "it:3: '2147483648' is not a number of elements up to 2147483647" },
    { PLY "element vertex 1 2\n", "it:3: '2' is not the line's end" },
    { PLY VERTEX VERTEX, "it:7: element vertex is there twice" },
    { PLY VERTEX "property int y\n", "it:7: property y is there twice" },
    { PLY "element vertex 4\nproperty half x\n",
      "it:4: 'half' is not a type of PLY (float, int, uchar, ...)" },
    { PLY "element vertex 4\nproperty float\n",
      "it:4: the line ends, but a property's name belongs here" },
    { PLY "element face 4\nproperty list float int vertex_indices\n",
      "it:4: 'float' is not a type of whole numbers" },
    { PLY "element vertex 4\nproperty float x\nproperty float z\n" FACE "end_header\n",
      "it:8: element vertex has no property y" },
    { PLY VERTEX "element face 1\nproperty int vertex_indices\nend_header\n",
      "it:9: element face has no property list vertex_indices" },
    { PLY VERTEX "element nothing 2000000000\n" FACE "end_header\n",
      "it:10: element nothing has no property" },
    { PLY VERTEX "end_header\n" CORNERS,
      "it:7: the header has no element face; save it as a mesh of faces" },
    { PLY FACE "end_header\n3 0 1 2\n",
      "it:5: the header has no element vertex; save it as a mesh of faces" },
    { HEAD "0 0 0\n1 0 0\n",
      "it:11: the file ends, but 2 more of element vertex belong here; is it complete?" },
    { HEAD CORNERS,
      "it:13: the file ends, but 1 more of element face belong here; is it complete?" },
    { HEAD CORNERS "3 0 1 2\n3 0 2 3\n", "it:15: the file goes on behind the elements that its "
                                         "header announces; correct the header" },
    { HEAD "0 0 0 0\n", "it:10: the line goes on behind the properties of element vertex" },
    { HEAD "0 0\n", "it:10: the line ends, but a number (the vertex's z) belongs here" },
    { HEAD "0 0 o\n", "it:10: 'o' is not a number (the vertex's z)" },
    { HEAD "0 0 inf\n", "it:10: the vertex's z is inf; coordinates are numbers up to 1e+18" },
    { HEAD CORNERS "3 0 1\n", "it:14: the line ends, but a corner's index belongs here" },
    { HEAD CORNERS "3 0 1 4\n", "it:14: a corner is vertex 4; the file's 4 are counted from 0" },
    { HEAD CORNERS "3 0 1 -1\n", "it:14: a corner is vertex -1; the file's 4 are counted from 0" },
    { HEAD CORNERS "3 0 1 1.5\n",
      "it:14: a corner is vertex 1.5; the file's 4 are counted from 0" },
    { HEAD CORNERS "3 0 1 nan\n",
      "it:14: a corner is vertex nan; the file's 4 are counted from 0" },
    { HEAD CORNERS "-3 0 1 2\n", "it:14: a list's length is -3" },
    { HEAD CORNERS "0\n", "of the 1 face of it none has an area; name a mesh of triangles or "
                          "polygons" },
};

static void ply_text(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof right_ply / sizeof *right_ply; k++)
        mesh_case_right(mesh_read_ply, right_ply[k].file, right_ply[k].said);
    for (size_t k = 0; k < sizeof wrong_ply / sizeof *wrong_ply; k++)
        mesh_case_wrong(mesh_read_ply, wrong_ply[k].file, wrong_ply[k].said);
}

/* --- binary PLY --- */

static const char *const types[][2] = { { "char", "int8" },     { "uchar", "uint8" },
                                        { "short", "int16" },   { "ushort", "uint16" },
                                        { "int", "int32" },     { "uint", "uint32" },
                                        { "float", "float32" }, { "double", "float64" } };
enum { TYPES = sizeof types / sizeof *types, WHOLE_TYPES = TYPES - 2, FLOAT = 6 };

struct file {
    char bytes[1024];
    size_t size;
    int is_big;
};

static void put(struct file *file, int type, double value)
{
    static const size_t sizes[TYPES] = { 1, 1, 2, 2, 4, 4, 4, 8 };
    const float single = (float)value;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &single, sizeof low);
    if (type < FLOAT)
        bits = (uint64_t)(int64_t)value;
    else if (type == FLOAT)
        bits = low;
    else
        memcpy(&bits, &value, sizeof bits);
    for (size_t k = 0; k < sizes[type]; k++) {
        const size_t shift = 8 * (file->is_big ? sizes[type] - 1 - k : k);
        file->bytes[file->size++] = (char)(bits >> shift);
    }
}

struct shape {
    int coordinate, length, index; /* types */
};

/* A triangle, and its back side after an edge element that is skipped. */
static void make(struct file *file, const struct shape *shape, int spelling)
{
    static const double vertices[3][3] = { { 0, 0, 2 }, { 100, 0, 3 }, { 0, 127, 4 } };
    const char *coordinate = types[shape->coordinate][spelling];
    const char *length = types[shape->length][spelling], *index = types[shape->index][spelling];
    file->size = (size_t)snprintf(
        file->bytes, sizeof file->bytes,
        "ply\nformat binary_%s_endian 1.0\nelement vertex 3\nproperty %s x\nproperty %s skipped\n"
        "property %s y\nproperty %s z\nelement face 2\nproperty list %s %s vertex_indices\n"
        "element edge 1\nproperty list %s %s both\nend_header\n",
        file->is_big ? "big" : "little", coordinate, index, coordinate, coordinate, length, index,
        length, coordinate);
    for (int v = 0; v < 3; v++) {
        put(file, shape->coordinate, vertices[v][0]);
        put(file, shape->index, 77);
        put(file, shape->coordinate, vertices[v][1]);
        put(file, shape->coordinate, vertices[v][2]);
    }
    for (int face = 0; face < 2; face++) {
        put(file, shape->length, 3);
        for (int corner = 0; corner < 3; corner++)
            put(file, shape->index, face ? 2 - corner : corner);
    }
    put(file, shape->length, 2);
    put(file, shape->coordinate, 1);
    put(file, shape->coordinate, 2);
}

static void ply_bytes(void **unused)
{
    (void)unused;
    for (int k = 0; k < TYPES * WHOLE_TYPES * TYPES * 4; k++) {
        const struct shape shape = { k / 4 % TYPES, k / 4 / TYPES % WHOLE_TYPES,
                                     k / 4 / TYPES / WHOLE_TYPES };
        struct file file = { .is_big = k % 2 };
        make(&file, &shape, k / 2 % 2);
        mesh_bytes_right(mesh_read_ply, &(struct mesh_bytes){ file.bytes, file.size },
                         "v 0 0 2; v 100 0 3; v 0 127 4; f 0 1 2; f 2 1 0");
    }
}

/* Offsets in a file of floats, bytes and ints. */
static const struct shape usual = { FLOAT, 1, 4 };
enum { VERTICES = 3 * 16, FACES = 2 * 13, EDGES = 9 };

static void ply_bytes_are_refused(void **unused)
{
    struct file file = { .is_big = 0 }, changed;
    struct mesh_bytes bytes = { changed.bytes, 0 };
    char said[160];
    (void)unused;
    make(&file, &usual, 0);
    const size_t begin = file.size - VERTICES - FACES - EDGES;
    for (size_t size = begin; size < file.size; size++) {
        const size_t done = size - begin;
        changed = file;
        bytes.size = size;
        snprintf(said, sizeof said,
                 "it: byte %zu: the file ends, but %zu more of element %s belong here; is it "
                 "complete?",
                 size,
                 done < VERTICES           ? 3 - done / 16
                 : done < VERTICES + FACES ? 2 - (done - VERTICES) / 13
                                           : 1,
                 done < VERTICES           ? "vertex"
                 : done < VERTICES + FACES ? "face"
                                           : "edge");
        mesh_bytes_wrong(mesh_read_ply, &bytes, said);
    }
    bytes.size = file.size;
    changed = file;
    changed.size = begin + VERTICES + 5; /* the second corner */
    put(&changed, 4, 3);
    snprintf(said, sizeof said,
             "it: byte %zu: a corner is vertex 3; the file's 3 are counted from 0",
             begin + VERTICES + 5);
    mesh_bytes_wrong(mesh_read_ply, &bytes, said);
    changed = file;
    changed.size = begin + 16 + 12; /* the second vertex's last */
    put(&changed, 5, 0x7f800001);
    snprintf(said, sizeof said,
             "it: byte %zu: the vertex's z is nan; coordinates are numbers up to 1e+18",
             begin + 16 + 12);
    mesh_bytes_wrong(mesh_read_ply, &bytes, said);
    changed = file;
    changed.bytes[changed.size] = '\n'; /* some programs write it */
    bytes.size++;
    mesh_bytes_right(mesh_read_ply, &bytes, "v 0 0 2; v 100 0 3; v 0 127 4; f 0 1 2; f 2 1 0");
}

/* --- OFF --- */

static const struct said right_off[] = {
    { "OFF\n4 1 0\n" CORNERS "3 0 1 2\n", QUAD "; f 0 1 2" },
    { "OFF 4 1 0\n" CORNERS "4 0 1 2 3", QUAD "; f 0 1 2; f 0 2 3" },
    { "OFF4 1\n" CORNERS "3 0 1 2\n", QUAD "; f 0 1 2" },
    { "# by hand\n\nOFF # a\r\n# b\r\n 4 1 0 # c\r\n\r\n0 0 0\r\n1 0 0\r\n# d\r\n1 1 0\r\n"
      "0 1 0\r\n3 0 1 2\r\n# e\r\n\r\n",
      QUAD "; f 0 1 2" },
    { "COFF\n4 1 0\n0 0 0 1 0 0 1\n1 0 0 255 0 0 255\n1 1 0 .5 .5 .5 1\n0 1 0 7\n"
      "3 0 1 2 255 0 0 # red\n",
      QUAD "; f 0 1 2" },
    { "NOFF\n4 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2 3\n",
      QUAD "; f 0 1 2" },
    { "STCNOFF\n4 2 0\n" CORNERS "1 0\n3 0 1 2\n", QUAD "; f 0 1 2; flat 1" },
};

static const struct said wrong_off[] = {
    { "\n", "it:1: the file ends, but OFF belongs here; is it complete?" },
    { "8 6 12\n", "it:1: '8' is not OFF, with which such a file begins" },
    { "STOF\n", "it:1: 'STOF' is not OFF, with which such a file begins" },
    { "4OFF\n", "it:1: vertices of other than three dimensions; save it as OFF" },
    { "Cn", "it:1: 'Cn' is not OFF, with which such a file begins" },
    { "CNnOFF\n3\n", "it:1: vertices of other than three dimensions; save it as OFF" },
    { "OFF BINARY\n", "it:1: binary OFF is not read; save it as text" },
    { "OFF\n", "it:1: the file ends, but the numbers of vertices and faces belongs here; is it "
               "complete?" },
    { "OFF\n4\n", "it:2: the line ends, but a number of faces up to 2147483647 belongs here" },
    { "OFF\n-4 1 0\n", "it:2: '-4' is not a number of vertices up to 2147483647" },
    { "OFF\n4.0 1 0\n", "it:2: '4.0' is not a number of vertices up to 2147483647" },
    { "OFF\n4 1e9 0\n", "it:2: '1e9' is not a number of faces up to 2147483647" },
    { "OFF\n4 9999999999 0\n", "it:2: '9999999999' is not a number of faces up to 2147483647" },
    { "OFF\n4 1 0\n0 0 0\n0 0\n",
      "it:4: the line ends, but a number (the vertex's z) belongs here" },
    { "OFF\n4 1 0\n0 0 0\n", "it:3: the file ends, but a vertex belongs here; is it complete?" },
    { "OFF\n4 1 0\n0 -1e19 0\n",
      "it:3: the vertex's y is -1e+19; coordinates are numbers up to 1e+18" },
    { "OFF\n4 2 0\n" CORNERS "3 0 1 2\n",
      "it:7: the file ends, but a face belongs here; is it complete?" },
    { "OFF\n4 1 0\n" CORNERS "3 0 1\n", "it:7: the line ends, but a corner's index belongs here" },
    { "OFF\n4 1 0\n" CORNERS "3 0 1 99999999999999999999\n",
      "it:7: a corner is vertex 99999999999999999999; the file's 4 are counted from 0" },
    { "OFF\n4 1 0\n" CORNERS "3 0 1 4\n",
      "it:7: a corner is vertex 4; the file's 4 are counted from 0" },
    { "OFF\n4 1 0\n" CORNERS "3 0 1 -1\n",
      "it:7: a corner is vertex -1; the file's 4 are counted from 0" },
    { "OFF\n4 1 0\n" CORNERS "3 0 1 2.5\n", "it:7: '2.5' is not a corner's index" },
    { "OFF\n4 1 0\n" CORNERS "x 0 1 2\n", "it:7: 'x' is not a face's number of corners" },
    { "OFF\n4 1 0\n" CORNERS "3 0 1 2\n\n3 0 2 3\n",
      "it:9: the file goes on behind the 4 vertices and 1 face that its beginning announces; "
      "correct that" },
    { "OFF\n4 0 0\n" CORNERS, "it has no faces; name a mesh of triangles or polygons" },
};

static void off(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof right_off / sizeof *right_off; k++)
        mesh_case_right(mesh_read_off, right_off[k].file, right_off[k].said);
    for (size_t k = 0; k < sizeof wrong_off / sizeof *wrong_off; k++)
        mesh_case_wrong(mesh_read_off, wrong_off[k].file, wrong_off[k].said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_text),
        cmocka_unit_test(ply_bytes),
        cmocka_unit_test(ply_bytes_are_refused),
        cmocka_unit_test(off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
