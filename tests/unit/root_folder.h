/* root_folder.h - a folder that replaces the root of the file system, with files that a test writes
 * into it. Include after <cmocka.h>. */
#ifndef YK_TEST_ROOT_FOLDER_H
#define YK_TEST_ROOT_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct file {
    const char *path, *text;
};

static char root[] = "/tmp/yoke-root-XXXXXX";

static inline void write_file(const struct file *file)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s", root, file->path);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(file->text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

static inline int remove_entry(const char *path, const struct stat *stat, int kind,
                               struct FTW *position)
{
    (void)stat;
    (void)kind;
    (void)position;
    return remove(path);
}

static inline int make_root(void **state)
{
    (void)state;
    strcpy(root + strlen(root) - 6, "XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static inline int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* A test with such a folder of its own. */
#define rooted(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

#endif
