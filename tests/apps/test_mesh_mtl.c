/* test_mesh_mtl.c - materials of OBJ files: what is read from the files beside them, warnings, and
 * messages about errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "app.h"
#include "mesh_case.h"

#define CORNERS "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static const char materials[] = "# by hand\r\n"
                                "newmtl red\r\nKd 1 0 0.25\r\nKs .5\r\nillum 2\r\nNs 10\r\n"
                                "newmtl the mirror #1\nKd 0 0 0\nillum 3\nKs .9 .8 .7\n"
                                "newmtl bare mirror\nillum 5\nd 1\n"
                                "newmtl glass\nillum 7\nNi 1.33\nTr .5\nKs 0\n"
                                "newmtl green glass\nillum 4\nTf 0 .9 0\n"
                                "newmtl lamp\nKe 3 2 1\nKa 20 20 20\n";

static const struct mesh_material *material_of(const struct mesh *mesh, int face)
{
    return &mesh->materials[mesh->faces[face].material];
}

static void check_color(const float *color, float red, float green, float blue)
{
    assert_true(color[0] == red && color[1] == green && color[2] == blue);
}

static void materials_are_read(void **unused)
{
    struct mesh mesh;
    const struct mesh_material *material;
    (void)unused;
    assert_int_equal(mkdir("sub", 0700), 0);
    mesh_save("sub/all of them.mtl", materials);
    mesh_save("sub/a.obj", CORNERS "f 1 2 3\nmtllib all of them.mtl\nmtllib all of them.mtl\n"
                                   "usemtl red # not its name\b\n");
    mesh_refused("sub/a.obj", YOKE_EINVAL,
                 "sub/a.obj:8: the material 'red # not its name?' is not in sub/all of them.mtl; "
                 "define it there (newmtl), or take usemtl out");
    mesh_save("sub/a.obj", CORNERS "f 1 2 3\nmtllib all of them.mtl\nusemtl red\nf 1 2 3\n"
                                   "usemtl the mirror #1 \nf 1 2 3\nusemtl bare mirror\nf 1 2 3 4\n"
                                   "usemtl glass\nf 1 2 3\nusemtl lamp\nf 1 2 3\nusemtl\nf 1 2 3\n"
                                   "usemtl green glass\nf 1 2 3\n");
    assert_int_equal(mesh_load("sub/a.obj", &mesh), YOKE_OK);
    assert_int_equal(mesh.face_count, 9);
    assert_int_equal(mesh.material_count, 7);
    for (int face = 0; face < 8; face += 7) {
        material = material_of(&mesh, face);
        assert_int_equal(mesh.faces[face].material, 0);
        assert_string_equal(material->name, "");
        assert_int_equal(material->surface, MESH_DIFFUSE);
        check_color(material->diffuse, 0.8F, 0.8F, 0.8F);
        check_color(material->emission, 0, 0, 0);
    }
    material = material_of(&mesh, 1);
    assert_int_equal(material->surface, MESH_DIFFUSE);
    check_color(material->diffuse, 1, 0, 0.25F);
    check_color(material->specular, 0.5F, 0.5F, 0.5F);
    material = material_of(&mesh, 2);
    assert_int_equal(material->surface, MESH_MIRROR);
    check_color(material->specular, 0.9F, 0.8F, 0.7F);
    material = material_of(&mesh, 4);
    assert_string_equal(material->name, "bare mirror");
    assert_int_equal(material->surface, MESH_MIRROR);
    check_color(material->specular, 1, 1, 1);
    material = material_of(&mesh, 5);
    assert_int_equal(material->surface, MESH_GLASS);
    assert_true(material->index == 1.33F);
    check_color(material->specular, 1, 1, 1);
    check_color(material_of(&mesh, 8)->specular, 0, 0.9F, 0);
    material = material_of(&mesh, 6);
    check_color(material->emission, 3, 2, 1);
    assert_true(material->index == 1.5F);
    assert_null(mesh_take_note(&mesh));
    mesh_free(&mesh);
}

/* Several files in one line, a file in another folder, and a name that is defined twice. */
static void several_material_files(void **unused)
{
    struct mesh mesh;
    char text[256], folder[128];
    (void)unused;
    assert_non_null(getcwd(folder, sizeof folder));
    mesh_save("one.mtl", "newmtl a\nKd 1 1 1\nnewmtl b\nKd 0 0 0\n");
    mesh_save("two.mtl", "newmtl a\nKd .5 .5 .5\n");
    snprintf(text, sizeof text,
             "mtllib one.mtl  %s/two.mtl\n" CORNERS "usemtl a\nf 1 2 3\nusemtl b\nf 1 3 4\n",
             folder);
    mesh_save("a.OBJ", text);
    assert_int_equal(mesh_load("a.OBJ", &mesh), YOKE_OK);
    assert_int_equal(mesh.material_count, 3);
    check_color(material_of(&mesh, 0)->diffuse, 0.5F, 0.5F, 0.5F);
    check_color(material_of(&mesh, 1)->diffuse, 0, 0, 0);
    mesh_free(&mesh);
    mesh_save("a.obj", "mtllib one.mtl two.mtl\nusemtl c\n");
    mesh_refused(
        "a.obj", YOKE_EINVAL,
        "a.obj:2: the material 'c' is not in two.mtl, nor in the material files before it; "
        "define it there (newmtl), or take usemtl out");
}

static void notes_are_taken_once(void **unused)
{
    static const struct {
        const char *line, *said;
    } cases[] = {
        { "map_Kd wood.png", "textures are not drawn; colours are materials' Kd" },
        { "bump -bm 1 wood.png", "textures are not drawn; colours are materials' Kd" },
        { "Ka 0 1.5 0", "a material's Ka above 1, without Ke, was taken for its Ke: light" },
        { "d 0.5", "d and Tr are not drawn; materials of illum 4, 6, 7 and 9 are glass" },
        { "d -halo 0.5", "d and Tr are not drawn; materials of illum 4, 6, 7 and 9 are glass" },
        { "Tr 1", "d and Tr are not drawn; materials of illum 4, 6, 7 and 9 are glass" },
        { "Pr 0.5", "statements of material files that are not known were left out" },
        { "Ka 1 1 1\nTf 1 1 1\nNs 5\nsharpness 60\nd 1\nTr 0\nillum 9\nd 0", NULL },
    };
    (void)unused;
    mesh_save("a.obj", "mtllib a.mtl\n" CORNERS "f 1 2 3\n");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct mesh mesh;
        char text[256];
        const char *note;
        snprintf(text, sizeof text, "newmtl a\n%s\nnewmtl b\n%s\n", cases[k].line, cases[k].line);
        mesh_save("a.mtl", text);
        assert_int_equal(mesh_load("a.obj", &mesh), YOKE_OK);
        note = mesh_take_note(&mesh);
        if (cases[k].said)
            assert_string_equal(note, cases[k].said);
        else
            assert_null(note);
        assert_null(mesh_take_note(&mesh));
        assert_true(mesh.materials[1].emission[1] ==
                    (strncmp(cases[k].line, "Ka 0", 4) ? 0 : 1.5F));
        mesh_free(&mesh);
    }
}

static void materials_are_refused(void **unused)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        { "Kd 1 1 1\n", "a.mtl:1: 'Kd' is not newmtl, with which a material file begins" },
        { "newmtl # \n\nnewmtl\n", "a.mtl:3: the line ends, but the material's name belongs here" },
        { "newmtl a\nKd 1 1\n",
          "a.mtl:2: the line ends, but a number from 0 to 1 (Kd) belongs here" },
        { "newmtl a\nKd\n", "a.mtl:2: the line ends, but a number from 0 to 1 (Kd) belongs here" },
        { "newmtl a\nKd 1 1 1.01\n", "a.mtl:2: '1.01' is not a number from 0 to 1 (Kd)" },
        { "newmtl a\nKd -0.1 1 1\n", "a.mtl:2: '-0.1' is not a number from 0 to 1 (Kd)" },
        { "newmtl a\nKd nan\n", "a.mtl:2: 'nan' is not a number from 0 to 1 (Kd)" },
        { "newmtl a\nKd spectral a.rfl\n", "a.mtl:2: 'spectral' is not a number from 0 to 1 (Kd)" },
        { "newmtl a\nKs 1 inf 1\n", "a.mtl:2: 'inf' is not a number from 0 to 1 (Ks)" },
        { "newmtl a\nTf 1.5\n", "a.mtl:2: '1.5' is not a number from 0 to 1 (Tf)" },
        { "newmtl a\nKe 1 -1 1\n", "a.mtl:2: '-1' is not a number from 0 to 1e+09 (Ke)" },
        { "newmtl a\nKa 1 1 1e10\n", "a.mtl:2: '1e10' is not a number from 0 to 1e+09 (Ka)" },
        { "newmtl a\nNi 0\n", "a.mtl:2: '0' is not a number from 0.001 to 10 (Ni)" },
        { "newmtl a\nd 2\n", "a.mtl:2: '2' is not a number from 0 to 1 (d)" },
        { "newmtl a\nTr x\n", "a.mtl:2: 'x' is not a number from 0 to 1 (Tr)" },
        { "newmtl a\nillum 11\n", "a.mtl:2: '11' is not a model of light from 0 to 10 (illum)" },
        { "newmtl a\nillum 2.5\n", "a.mtl:2: '2.5' is not a model of light from 0 to 10 (illum)" },
    };
    char text[400];
    (void)unused;
    mesh_save("a.obj", CORNERS "mtllib a.mtl\nf 1 2 3\n");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mesh_save("a.mtl", cases[k].text);
        mesh_refused("a.obj", YOKE_EINVAL, cases[k].said);
    }
    snprintf(text, sizeof text, "newmtl %0300d\n", 7);
    mesh_save("a.mtl", text);
    mesh_refused("a.obj", YOKE_EINVAL, "a.mtl:1: a material's name has at most 255 characters");
}

static void many_materials_are_found(void **unused)
{
    enum { MANY = 65535 };
    struct mesh mesh;
    FILE *file = fopen("a.mtl", "w");
    (void)unused;
    assert_non_null(file);
    for (int k = 0; k < MANY; k++)
        fprintf(file, "newmtl m%d\nKd %d\n", k, k % 2);
    fclose(file);
    mesh_save("a.obj", "mtllib a.mtl\n" CORNERS "usemtl m65534\nf 1 2 3\nusemtl m0\nf 1 3 4\n"
                       "usemtl m4711\nf 1 2 4\n");
    assert_int_equal(mesh_load("a.obj", &mesh), YOKE_OK);
    assert_int_equal(mesh.material_count, MANY + 1);
    assert_string_equal(material_of(&mesh, 0)->name, "m65534");
    assert_string_equal(material_of(&mesh, 1)->name, "m0");
    assert_string_equal(material_of(&mesh, 2)->name, "m4711");
    check_color(material_of(&mesh, 2)->diffuse, 1, 1, 1);
    mesh_free(&mesh);
    file = fopen("a.mtl", "a");
    assert_non_null(file);
    fputs("newmtl m0\nnewmtl one more\n", file);
    fclose(file);
    mesh_refused("a.obj", YOKE_EINVAL,
                 "a.mtl:131072: more than 65535 materials; join those that are alike");
}

static void many_material_files_are_refused(void **unused)
{
    FILE *file = fopen("a.obj", "w");
    (void)unused;
    assert_non_null(file);
    mesh_save("one.mtl", "newmtl a\n");
    mesh_save("two.mtl", "newmtl a\n");
    for (int k = 0; k < 2000; k++) /* each is stored once, however often it is named */
        fputs("mtllib one.mtl\n", file);
    for (int k = 0; k < 500; k++)
        fputs("mtllib two.mtl\nmtllib one.mtl\n", file);
    fclose(file);
    mesh_refused("a.obj", YOKE_EINVAL, "a.obj:3000: more than 1000 material files; join them");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(materials_are_read),
        cmocka_unit_test(several_material_files),
        cmocka_unit_test(notes_are_taken_once),
        cmocka_unit_test(materials_are_refused),
        cmocka_unit_test(many_materials_are_found),
        cmocka_unit_test(many_material_files_are_refused),
    };
    return cmocka_run_group_tests(tests, mesh_folder_open, mesh_folder_close);
}
