/* test_loaders.c - common to all readers of files: a request to stop ends them while they read, and
 * the memory that a file needs is compared with the free memory before it is allocated.
 *
 * A request cannot be withdrawn, nor can a memory limit, so each is made in a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app.h"
#include "path/mesh.h"
#include "spmv/sparse.h"
#include "stop.h"
#include "volume.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
/* Sanitizers reserve address space and keep freed memory. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static char folder[] = "/tmp/test_loaders.XXXXXX";
static char path[128];

static yoke_status load_volume(void)
{
    struct volume volume;
    return volume_load(path, &volume);
}

static yoke_status load_mesh(void)
{
    struct mesh mesh;
    return mesh_load(path, &mesh);
}

static yoke_status load_sparse(void)
{
    struct sparse matrix;
    const struct sparse_file how = { .spec.type = SPARSE_DOUBLE };
    return sparse_load(path, &how, &matrix);
}

/* A volume of `side`^3 zero bytes, a sparse file. */
static void make_volume(FILE *file, int side)
{
    const int32_t header = 348;
    const int16_t dims[8] = { 3, (int16_t)side, (int16_t)side, (int16_t)side, 1, 1, 1, 1 };
    const int16_t type[2] = { 2, 8 };
    const float offset = 352;
    unsigned char bytes[352] = { 0 };
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + 40, dims, sizeof dims);
    memcpy(bytes + 70, type, sizeof type);
    memcpy(bytes + 108, &offset, sizeof offset);
    memcpy(bytes + 344, "n+1", 4);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    assert_int_equal(fflush(file), 0);
    assert_int_equal(ftruncate(fileno(file), 352 + (off_t)side * side * side), 0);
}

struct kind {
    const char *name;
    yoke_status (*load)(void);
    const char *text; /* NULL: a volume of `count`^3 */
    const char *line; /* repeated `count` times after it */
    int count;
};

static void make(const struct kind *kind)
{
    snprintf(path, sizeof path, "%s/%s", folder, kind->name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (!kind->text)
        make_volume(file, kind->count);
    else
        fputs(kind->text, file);
    for (int k = 0; kind->text && k < kind->count; k++)
        fputs(kind->line, file);
    assert_int_equal(fclose(file), 0);
}

static int64_t address_space(void)
{
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lld", &pages) != 1)
        _exit(9);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Status and message of a child that loads the file. `room` 0: after a request to stop; otherwise
 * it has `room` bytes of address space left. */
static yoke_status load_in_child(const struct kind *kind, int64_t room, char *said, size_t size)
{
    int ends[2], state;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = { (rlim_t)(address_space() + room),
                                      (rlim_t)(address_space() + room) };
        if (room == 0)
            app_stop();
        else if (setrlimit(RLIMIT_AS, &limit))
            _exit(9);
        const yoke_status status = kind->load();
        const char *text = status == YOKE_OK ? "" : app_error_text();
        if (write(ends[1], text, strlen(text)) < 0)
            _exit(9);
        _exit((int)status);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t more; got < size - 1 && (more = read(ends[0], said + got, size - 1 - got)) > 0;)
        got += (size_t)more;
    said[got] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_true(WIFEXITED(state));
    return (yoke_status)WEXITSTATUS(state);
}

static void a_request_ends_reading(void **state)
{
    static const struct kind kinds[] = {
        { "a.nii", load_volume, NULL, NULL, 8 },
        { "a.obj", load_mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "", 0 },
        { "a.off", load_mesh, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "", 0 },
        { "a.ply", load_mesh, "ply\nformat ascii 1.0\n", "", 0 },
        { "a.mtx", load_sparse, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n", "",
          0 },
        { "a.graph", load_sparse, "2 1\n2\n1\n", "", 0 },
        { "a.rua", load_sparse, "a title\n", "", 0 },
    };
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char said[512];
        make(&kinds[k]);
        const yoke_status status = load_in_child(&kinds[k], 0, said, sizeof said);
        if (status != YOKE_ECANCELED || strcmp(said, "stopped on request"))
            fail_msg("%s: %d, %s", kinds[k].name, status, said);
        remove(path);
    }
}

static void memory_is_looked_at_first(void **state)
{
    /* each needs more than the 100 MiB that are left: a list of 64 MiB or more grows */
    static const struct kind kinds[] = {
        { "a.nii", load_volume, NULL, NULL, 1024 },
        { "a.obj", load_mesh, "", "v 0 0 0\n", 9000000 },
        { "a.mtx", load_sparse, "%%MatrixMarket matrix coordinate pattern general\n1 1 9000000\n",
          "1 1\n", 9000000 },
    };
    (void)state;
    if (SANITIZED)
        skip();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char said[512];
        make(&kinds[k]);
        const yoke_status status = load_in_child(&kinds[k], 100 << 20, said, sizeof said);
        if (status != YOKE_ENOMEM || !strstr(said, path) || !strstr(said, "MiB more of memory") ||
            !strstr(said, "are available; close other programs"))
            fail_msg("%s: %d, %s", kinds[k].name, status, said);
        remove(path);
    }
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_ends_reading),
        cmocka_unit_test(memory_is_looked_at_first),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
