/* test_mesh.c - OBJ as programs write it, and numbers in texts: what is read, and the messages
 * about errors. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh_case.h"
#include "random.h"
#include "text_words.h"

#define CORNERS "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
#define QUAD    "v 0 0 0; v 1 0 0; v 1 1 0; v 0 1 0"

struct said {
    const char *file, *said;
};

/* --- OBJ --- */

static const struct said right[] = {
    { CORNERS "f 1 2 3\n", QUAD "; f 0 1 2" },
    { CORNERS "f 1 2 3", QUAD "; f 0 1 2" }, /* no end of line */
    { CORNERS "f 1/1 2/2 3/3\n", QUAD "; f 0 1 2" },
    { CORNERS "f 1//1 2//2 3//3\n", QUAD "; f 0 1 2" },
    { CORNERS "f 1/4/1 2/-5/2 3/6/-9\n", QUAD "; f 0 1 2" },
    { CORNERS "f 1/ 2/1/ 3//\n", QUAD "; f 0 1 2" },
    { CORNERS "f -4 -3 -2\n", QUAD "; f 0 1 2" },
    { CORNERS "f -4/-4/-1 2 -2//-1\n", QUAD "; f 0 1 2" },
    { "v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 1 0\nf -4 -2 -1\n", QUAD "; f 0 1 2; f 0 2 3" },
    { CORNERS "f 1 2 3 4\n", QUAD "; f 0 1 2; f 0 2 3" },
    { CORNERS "v 0 .5 0\nf 1 2 3 4 5\n", QUAD "; v 0 0.5 0; f 0 1 2; f 0 2 3; flat 1" },
    { CORNERS "fo 1 2 3\n", QUAD "; f 0 1 2" },
    { "v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\nf 1 2 3\r\n", QUAD "; f 0 1 2" },
    { "\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\n", QUAD "; f 0 1 2" },
    { "# a\n\n \t\n  v\t0 0 0 # b\nv 1 0 0 1\nv 1 1 0 .5 .5 .5\nv 0 1 0\n f 1 2 3 #4\n",
      QUAD "; f 0 1 2" },
    { CORNERS "f 1 2 \\\n3 \\\r\n4\n", QUAD "; f 0 1 2; f 0 2 3" },
    { CORNERS "f 1 2 3\\\n", QUAD "; f 0 1 2" },
    { "# C:\\models\\\n" CORNERS "f 1 2 3 # \\\nf 1 3 4\n", QUAD "; f 0 1 2; f 0 2 3" },
    { "mg 1\no a\ng a b\ns off\nvt 0 0\nvn 0 0 1\nvp 1\n" CORNERS "l 1 2\np 1\nf 1 2 3\n",
      QUAD "; f 0 1 2" },
    { "curv 0 1 1 2\n" CORNERS "f 1 2 3\n", QUAD "; f 0 1 2" },
    { CORNERS "usemtl\nf 1 2 3\n", QUAD "; f 0 1 2" },
    { "v -0. +1. 1e0\nv .5 5e-1 5E+0\nv 0005 00 1e-400\nv 1e-9 1000000000000000000 -1e18\n"
      "f 1 2 3\n",
      "v -0 1 1; v 0.5 0.5 5; v 5 0 0; v 1e-09 1e+18 -1e+18; f 0 1 2" },
};

static void obj_is_read(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof right / sizeof *right; k++)
        mesh_case_right(mesh_read_obj, right[k].file, right[k].said);
}

static const struct said wrong[] = {
    { " ", "it has no faces; name a mesh of triangles or polygons" },
    { CORNERS, "it has no faces; name a mesh of triangles or polygons" },
    { CORNERS "f 1 1 2\nf 1 2\nf 1\n",
      "of the 3 faces of it none has an area; name a mesh of triangles or polygons" },
    { "v 0 0\n", "it:1: the line ends, but a number (the vertex's z) belongs here" },
    { "v 0 0 # 0\n", "it:1: the line ends, but a number (the vertex's z) belongs here" },
    { "\nv 0 1,5 0\n", "it:2: '1,5' is not a number (the vertex's y)" },
    { "v 0 0 0\nv 0x1 0 0\n", "it:2: '0x1' is not a number (the vertex's x)" },
    { "v 1e 0 0\n", "it:1: '1e' is not a number (the vertex's x)" },
    { "v . 0 0\n", "it:1: '.' is not a number (the vertex's x)" },
    { "v - 0 0\n", "it:1: '-' is not a number (the vertex's x)" },
    { "v 0 0 nan\n", "it:1: the vertex's z is nan; coordinates are numbers up to 1e+18" },
    { "v 0 -Inf 0\n", "it:1: the vertex's y is -inf; coordinates are numbers up to 1e+18" },
    { "v 1.1e18 0 0\n", "it:1: the vertex's x is 1.1e+18; coordinates are numbers up to 1e+18" },
    { "v 1e999999999999 0 0\n",
      "it:1: the vertex's x is inf; coordinates are numbers up to 1e+18" },
    { CORNERS "f 1 2 5\n", "it:5: a corner is vertex 5, and 4 are defined above this line" },
    { "f 1 2 3\n" CORNERS, "it:1: a corner is vertex 1, and 0 are defined above this line" },
    { CORNERS "f 1 2 -5\n", "it:5: a corner is vertex -5, and 4 are defined above this line" },
    { CORNERS "f 1 2 4294967297\n",
      "it:5: a corner is vertex 4294967297, and 4 are defined above this line" },
    { CORNERS "f 1 2 99999999999999999999999\n",
      "it:5: a corner is vertex 99999999999999999999999, and 4 are defined above this line" },
    { CORNERS "f 0 1 2\n",
      "it:5: a corner is vertex 0; vertices are counted from 1, or from -1 backwards" },
    { CORNERS "f\n", "it:5: the line ends, but a corner: v, v/vt, v//vn or v/vt/vn belongs here" },
    { CORNERS "f 1 2 3.5\n", "it:5: '3.5' is not a corner: v, v/vt, v//vn or v/vt/vn" },
    { CORNERS "f 1 2 3/a\n", "it:5: '3/a' is not a corner: v, v/vt, v//vn or v/vt/vn" },
    { CORNERS "f 1 2 3/1/1/1\n", "it:5: '3/1/1/1' is not a corner: v, v/vt, v//vn or v/vt/vn" },
    { CORNERS "f 1 2 \\\n x\n", "it:5: 'x' is not a corner: v, v/vt, v//vn or v/vt/vn" },
    { CORNERS "f 1 2 \\\n 3\nf 0\n",
      "it:7: a corner is vertex 0; vertices are counted from 1, or from -1 backwards" },
    { CORNERS "face 1 2 3\n",
      "it:5: 'face' is no statement of OBJ; name a text file of v and f lines" },
    { "\x7f"
      "ELF\x02\x01\n",
      "it:1: '?ELF?"
      "?' is no statement of OBJ; name a text file of v and f lines" },
    { CORNERS "usemtl red\n", "it:5: the material 'red' is defined nowhere: no mtllib is above "
                              "this line; add one, or take usemtl out" },
    { CORNERS "mtllib \n", "it:5: the line ends, but the name of a material file belongs here" },
};

static void obj_is_refused(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        mesh_case_wrong(mesh_read_obj, wrong[k].file, wrong[k].said);
    mesh_bytes_wrong(mesh_read_obj, &(struct mesh_bytes){ "v 0 0 0\nv 0\0 0 0\n", 17 },
                     "it:2: a byte of 0; a line of text belongs here");
}

/* A triangle of this height over a side of 1. */
static void flat_faces_are_counted(void **unused)
{
    static const char line[] = "v 0 0 0\nv %g 0 0\nv 0 %g 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 4 5\n";
    static const struct {
        double side, height;
        int flat;
    } cases[] = {
        { 1, 0, 1 },         { 1, 1e-7, 1 },      { 1, 3e-7, 0 }, { 1e9, 100, 1 },
        { 1e-18, 1e-18, 0 }, { 1e-20, 1e-20, 1 }, { 1, 1, 0 },    { 1e18, 1e18, 0 },
    };
    (void)unused;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct mesh mesh;
        char text[128];
        FILE *file;
        snprintf(text, sizeof text, line, cases[k].side, cases[k].height);
        file = fmemopen(text, strlen(text), "rb");
        assert_non_null(file);
        assert_int_equal(mesh_read_obj(file, "it", &mesh), YOKE_OK);
        fclose(file);
        assert_int_equal(mesh.flat_faces, cases[k].flat);
        assert_int_equal(mesh.face_count, 2 - cases[k].flat);
        mesh_free(&mesh);
    }
}

/* --- numbers --- */

static double number(const char *text)
{
    const char *at = text;
    double value = 0;
    if (!text_take_number(&at, &value) || *at)
        fail_msg("'%s' is no number", text);
    return value;
}

/* Every single is read as itself, from nine digits or from all its digits. */
static void singles_are_exact(void **unused)
{
    char text[128];
    (void)unused;
    for (uint64_t k = 0; k < 100000; k++) {
        const uint32_t bits = (uint32_t)random_bits(42, k);
        float single;
        memcpy(&single, &bits, sizeof single);
        if (!isfinite(single))
            continue;
        snprintf(text, sizeof text, k % 2 ? "%.9g" : "%.60f", (double)single);
        if (k % 2 || fabsf(single) > 1e-20F)
            assert_true((float)number(text) == single);
    }
}

static void doubles_are_close(void **unused)
{
    char text[64];
    (void)unused;
    for (uint64_t k = 0; k < 100000; k++) {
        const uint64_t bits = random_bits(43, k);
        double value, read;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value) || fabs(value) < DBL_MIN)
            continue;
        snprintf(text, sizeof text, "%.17e", value);
        read = number(text);
        if (!(fabs(read - value) <= 32 * DBL_EPSILON * fabs(value)))
            fail_msg("'%s' was read as %.17e", text, read);
    }
}

/* Numbers in meshes have a point, also in locales with a comma. */
static void numbers_know_no_locale(void **unused)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "es_ES.UTF-8" };
    const char *found = NULL;
    (void)unused;
    for (size_t k = 0; k < sizeof names / sizeof *names && !found; k++)
        found = setlocale(LC_ALL, names[k]);
    assert_true(number("1.5") == 1.5);
    (void)setlocale(LC_ALL, "C");
    if (!found)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_is_read),
        cmocka_unit_test(obj_is_refused),
        cmocka_unit_test(flat_faces_are_counted),
        cmocka_unit_test(singles_are_exact),
        cmocka_unit_test(doubles_are_close),
        cmocka_unit_test(numbers_know_no_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
