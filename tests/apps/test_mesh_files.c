/* test_mesh_files.c - meshes from files: missing or unreadable files, headers that announce more
 * than the file has, lines of a megabyte, and every allocation failing in turn. */
#include <errno.h>
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

#include "allocations.h"
#include "app.h"
#include "mesh_case.h"

#define CORNERS "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

/* --- files --- */

static void files_that_are_not_there(void **unused)
{
    (void)unused;
    mesh_refused("none.obj", YOKE_EIO,
                 "cannot read none.obj: No such file or directory; name a .obj, .ply or .off file");
    assert_int_equal(mkdir("folder.ply", 0700), 0);
    mesh_refused("folder.ply", YOKE_EIO,
                 "cannot read folder.ply: it is no regular file; name a .obj, .ply or .off file");
    assert_int_equal(mkfifo("pipe.off", 0600), 0);
    mesh_refused("pipe.off", YOKE_EIO,
                 "cannot read pipe.off: it is no regular file; name a .obj, .ply or .off file");
    mesh_refused("mesh.stl", YOKE_EINVAL,
                 "mesh.stl is no kind of mesh that is known; name a .obj, .ply or .off file");
    mesh_refused("obj", YOKE_EINVAL,
                 "obj is no kind of mesh that is known; name a .obj, .ply or .off file");
    mesh_save("a.obj", CORNERS "mtllib sub/none.mtl\nf 1 2 3\n");
    mesh_refused(
        "a.obj", YOKE_EIO,
        "a.obj:5: cannot read the material file sub/none.mtl: No such file or directory; put "
        "it there, or take mtllib and usemtl out of the mesh");
    mesh_save("a.obj", CORNERS "mtllib folder.ply\nf 1 2 3\n");
    mesh_refused("a.obj", YOKE_EIO,
                 "a.obj:5: cannot read the material file folder.ply: it is no regular file; put it "
                 "there, or "
                 "take mtllib and usemtl out of the mesh");
}

/* The disk fails. */
struct broken {
    const char *text;
    size_t rest;
};

static ssize_t read_broken(void *cookie, char *bytes, size_t size)
{
    struct broken *broken = cookie;
    const size_t take = size < broken->rest ? size : broken->rest;
    if (take == 0) {
        errno = EIO;
        return -1;
    }
    memcpy(bytes, broken->text, take);
    broken->text += take;
    broken->rest -= take;
    return (ssize_t)take;
}

static void reading_fails(void **unused)
{
    static const char ply[] = "ply\nformat binary_big_endian 1.0\nelement vertex 1\n"
                              "property int x\nproperty int y\nproperty int z\nelement face 1\n"
                              "property list int int vertex_index\nend_header\n\0\0";
    static const struct {
        mesh_reader *read;
        const char *text;
        size_t size;
    } cases[] = {
        { mesh_read_obj, CORNERS "f 1 2 3\n", sizeof CORNERS "f 1 2 3\n" - 1 },
        { mesh_read_ply, ply, sizeof ply - 1 },
        { mesh_read_off, "OFF\n1 0 0\n0 0 0", 15 },
    };
    (void)unused;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t size = 0; size <= cases[k].size; size++) {
            struct broken broken = { cases[k].text, size };
            const cookie_io_functions_t calls = { .read = read_broken };
            FILE *file = fopencookie(&broken, "r", calls);
            struct mesh mesh;
            assert_non_null(file);
            assert_int_equal(cases[k].read(file, "it", &mesh), YOKE_EIO);
            assert_string_equal(app_error_text(), "cannot read it: Input/output error");
            fclose(file);
        }
}

/* --- sizes --- */

static void long_lines(void **unused)
{
    enum { CORNERS_MOST = 130000 }; /* nearly a megabyte */
    struct mesh mesh;
    FILE *file = fopen("a.obj", "w");
    (void)unused;
    assert_non_null(file);
    fputs(CORNERS "f", file);
    for (int k = 0; k < CORNERS_MOST; k++)
        fprintf(file, " %d//1\\\n", 1 + k % 4);
    fputs("\n\nf 9\n", file);
    fclose(file);
    mesh_refused("a.obj", YOKE_EINVAL,
                 "a.obj:130007: a corner is vertex 9, and 4 are defined above this line");
    file = fopen("a.obj", "w");
    assert_non_null(file);
    fputs(CORNERS "f", file);
    for (int k = 0; k < CORNERS_MOST; k++)
        fprintf(file, " %d    ", 1 + k % 4);
    fclose(file);
    assert_int_equal(mesh_load("a.obj", &mesh), YOKE_OK);
    assert_int_equal(mesh.face_count + mesh.flat_faces, CORNERS_MOST - 2);
    mesh_free(&mesh);
    file = fopen("a.off", "w");
    assert_non_null(file);
    fprintf(file, "OFF\n%01048574d", 1);
    fclose(file);
    mesh_refused("a.off", YOKE_EINVAL,
                 "a.off:2: the line ends, but a number of faces up to 2147483647 belongs here");
    assert_int_equal(truncate("a.off", 1048579 + 4096), 0); /* zeros: a line that does not end */
    mesh_refused("a.off", YOKE_EINVAL,
                 "a.off:2: a line of more than 1048574 characters; lines are shorter");
}

/* Memory for announced elements is not allocated before the elements are read. */
static void headers_may_exaggerate(void **unused)
{
    static const char ply[] = "ply\nformat %s 1.0\nelement vertex 2000000000\nproperty float x\n"
                              "property float y\nproperty float z\nelement face 2000000000\n"
                              "property list uint int vertex_indices\nend_header\n0 0 0\n1 0 0\n";
    char text[300], said[200];
    (void)unused;
    allocations_largest = 0;
    snprintf(text, sizeof text, ply, "ascii");
    mesh_save("a.ply", text);
    mesh_refused(
        "a.ply", YOKE_EINVAL,
        "a.ply:11: the file ends, but 1999999998 more of element vertex belong here; is it "
        "complete?");
    snprintf(text, sizeof text, ply, "binary_little_endian");
    mesh_save("a.ply", text);
    snprintf(said, sizeof said,
             "a.ply: byte %zu: the file ends, but 1999999999 more of element vertex belong here; "
             "is it complete?",
             strlen(text));
    mesh_refused("a.ply", YOKE_EINVAL, said);
    mesh_save("a.off", "OFF 2000000000 2000000000\n0 0 0\n");
    mesh_refused("a.off", YOKE_EINVAL,
                 "a.off:2: the file ends, but a vertex belongs here; is it complete?");
    assert_in_range(allocations_largest, 1, 1 << 20);
}

/* Lists grow several times: 5000 vertices and faces. */
static void save_large(void)
{
    enum { LARGE = 5000 };
    FILE *obj = fopen("large.obj", "w"), *ply = fopen("large.ply", "w");
    FILE *off = fopen("large.off", "w");
    assert_true(obj && ply && off);
    fprintf(obj, "mtllib two.mtl one.mtl\nmtllib of more.mtl\nusemtl c\n");
    fprintf(ply,
            "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
            "property float z\nelement face %d\nproperty list uchar int vertex_index\n"
            "end_header\n",
            LARGE, LARGE);
    fprintf(off, "OFF %d %d\n", LARGE, LARGE);
    for (int k = 0; k < LARGE; k++) {
        fprintf(obj, "v %d %d 1\n", k, k % 2);
        fprintf(ply, "%d %d 1\n", k, k % 2);
        fprintf(off, "%d %d 1\n", k, k % 2);
    }
    for (int k = 0; k < LARGE; k++) {
        fprintf(obj, "f 1 2 %d\n", k + 1);
        fprintf(ply, "3 0 1 %d\n", k);
        fprintf(off, "3 0 1 %d\n", k);
    }
    fclose(obj);
    fclose(ply);
    fclose(off);
}

static void memory_runs_out(void **unused)
{
    static const char *const names[] = { "large.obj", "large.ply", "large.off" };
    (void)unused;
    mesh_save("one.mtl", "newmtl a\nKd 1 1 1\nnewmtl b\nKd 0 0 0\n");
    mesh_save("two.mtl", "newmtl a\nKd .5 .5 .5\nnewmtl c\nillum 3\n");
    mesh_save("of more.mtl", "newmtl d\nnewmtl e\n");
    save_large();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const int64_t before = allocations_live;
        int failures = 0;
        yoke_status status;
        do {
            struct mesh mesh = { .vertex_count = -77 };
            allocations_fail_in = ++failures;
            status = mesh_load(names[k], &mesh);
            allocations_fail_in = 0;
            if (status == YOKE_OK) {
                assert_int_equal(mesh.vertex_count, 5000);
                assert_int_equal(mesh.face_count + mesh.flat_faces, 5000);
                mesh_free(&mesh);
            } else {
                assert_int_equal(status, YOKE_ENOMEM);
                assert_int_equal(mesh.vertex_count, -77);
                if (!strstr(app_error_text(), "no memory "))
                    fail_msg("%s", app_error_text());
            }
            assert_int_equal(allocations_live, before);
        } while (status != YOKE_OK);
        assert_in_range(failures, 8, 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_not_there),
        cmocka_unit_test(reading_fails),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(headers_may_exaggerate),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, mesh_folder_open, mesh_folder_close);
}
