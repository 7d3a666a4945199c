/* test_cache.c - the kernel cache keeps what is stored and never returns data of a damaged file.
 *
 * Each test works in a folder of its own, named by YOKE_CACHE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <yoke/doctor.h>

#include "backend/cache.h"
#include "base/alloc.h"
#include "platform/cache_folder.h"

static char folder[64];

static const struct yk_blob key = { "a key with some length", 22 };
static const struct yk_blob value = { "the machine code of a kernel", 28 };

static int open_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/yoke-cache-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    setenv("YOKE_CACHE", folder, 1);
    return 0;
}

static int close_folder(void **state)
{
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", folder, folder);
    assert_int_equal(yk_alloc_outstanding(), 0);
    return system(command);
}

/* True if the cache returns exactly `expected` for `of`. */
static int has(struct yk_blob of, struct yk_blob expected)
{
    void *found = NULL;
    size_t size = 0;
    if (!yk_cache_load(of, &found, &size))
        return 0;
    assert_int_equal(size, expected.size);
    assert_memory_equal(found, expected.bytes, size);
    yk_free(found);
    return 1;
}

static int count_files(const char *suffix)
{
    int count = 0;
    DIR *open = opendir(folder);
    for (struct dirent *item = open ? readdir(open) : NULL; item; item = readdir(open)) {
        size_t length = strlen(item->d_name), end = strlen(suffix);
        count += length >= end && strcmp(item->d_name + length - end, suffix) == 0;
    }
    if (open)
        closedir(open);
    return count;
}

/* The path of the only entry. */
static void only_entry(char *path, size_t capacity)
{
    DIR *open = opendir(folder);
    int found = 0;
    assert_non_null(open);
    for (struct dirent *item = readdir(open); item; item = readdir(open))
        if (strstr(item->d_name, ".kernel")) {
            snprintf(path, capacity, "%s/%s", folder, item->d_name);
            ++found;
        }
    closedir(open);
    assert_int_equal(found, 1);
}

static size_t read_file(const char *path, char *to, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(to, 1, capacity, file);
    fclose(file);
    return size;
}

static void write_file(const char *path, const char *from, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(from, 1, size, file), size);
    fclose(file);
}

static void test_keeps(void **state)
{
    (void)state;
    const struct yk_blob other_key = { "another key", 11 }, other = { "", 0 };
    assert_false(has(key, value));
    yk_cache_store(key, value);
    assert_true(has(key, value));
    assert_false(has(other_key, other));
    yk_cache_store(other_key, other); /* an empty value is valid */
    assert_true(has(other_key, other));
    assert_true(has(key, value));
    const struct yk_blob newer = { "newer", 5 };
    yk_cache_store(key, newer);
    assert_true(has(key, newer));
    yk_cache_remove(key);
    assert_false(has(key, newer));
    assert_int_equal(count_files(".tmp"), 0);
}

/* Damages every single byte in three ways. */
static void test_damaged(void **state)
{
    (void)state;
    char path[400], bytes[512];
    yk_cache_store(key, value);
    only_entry(path, sizeof path);
    size_t size = read_file(path, bytes, sizeof bytes);
    assert_true(size > key.size + value.size);
    for (size_t i = 0; i < size; ++i) {
        for (int flip = 0; flip < 3; ++flip) {
            const char masks[] = { 1, (char)0x80, (char)0xff };
            bytes[i] ^= masks[flip];
            write_file(path, bytes, size);
            assert_false(has(key, value));
            bytes[i] ^= masks[flip];
        }
    }
    write_file(path, bytes, size);
    assert_true(has(key, value));
}

static void test_truncated_or_longer(void **state)
{
    (void)state;
    char path[400], bytes[513];
    yk_cache_store(key, value);
    only_entry(path, sizeof path);
    size_t size = read_file(path, bytes, sizeof bytes);
    for (size_t keep = 0; keep < size; ++keep) {
        write_file(path, bytes, keep);
        assert_false(has(key, value));
    }
    bytes[size] = 0;
    write_file(path, bytes, size + 1);
    assert_false(has(key, value));
    yk_cache_store(key, value); /* repairs it */
    assert_true(has(key, value));
}

/* Another key's entry under this key's name, as after a hash collision. */
static void test_foreign_key(void **state)
{
    (void)state;
    const struct yk_blob other_key = { "a key with some lengtH", 22 };
    char path[400], bytes[512];
    yk_cache_store(other_key, value);
    only_entry(path, sizeof path);
    size_t size = read_file(path, bytes, sizeof bytes);
    yk_cache_remove(other_key);
    yk_cache_store(key, value);
    only_entry(path, sizeof path);
    write_file(path, bytes, size);
    assert_false(has(key, value));
}

/* Not a plain file of this user: a link, a folder, a pipe (which must not block), another user's
 * file. */
static void test_foreign_file(void **state)
{
    (void)state;
    char path[400], kept[512];
    yk_cache_store(key, value);
    only_entry(path, sizeof path);
    snprintf(kept, sizeof kept, "%s.kept", path);
    assert_int_equal(rename(path, kept), 0);
    assert_int_equal(symlink(kept, path), 0);
    assert_false(has(key, value));
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(has(key, value));
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(has(key, value));
    yk_cache_store(key, value); /* cannot replace a folder, and prints nothing */
    assert_int_equal(count_files(".tmp"), 0);
    rmdir(path);
    assert_int_equal(rename(kept, path), 0);
    assert_true(has(key, value));
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, 12345), 0);
        assert_false(has(key, value));
    }
}

static void test_makes_folders(void **state)
{
    (void)state;
    char deep[128];
    snprintf(deep, sizeof deep, "%s/a/b/c", folder);
    setenv("YOKE_CACHE", deep, 1);
    yk_cache_store(key, value);
    assert_true(has(key, value));
}

static void test_place(void **state)
{
    (void)state;
    char path[400], expected[128], tiny[8] = "x";
    yk_cache_folder(path, sizeof path);
    assert_string_equal(path, folder);
    yk_cache_folder(tiny, sizeof tiny); /* no room */
    assert_string_equal(tiny, "");
    setenv("YOKE_CACHE", "OFF", 1);
    yk_cache_folder(path, sizeof path);
    assert_string_equal(path, "");
    yk_cache_store(key, value);
    assert_false(has(key, value));
    yk_cache_remove(key);

    char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    char *base = getenv("XDG_CACHE_HOME") ? strdup(getenv("XDG_CACHE_HOME")) : NULL;
    unsetenv("YOKE_CACHE");
    setenv("HOME", folder, 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    yk_cache_folder(path, sizeof path);
    snprintf(expected, sizeof expected, "%s/.cache/yoke", folder);
    assert_string_equal(path, expected);
    setenv("YOKE_CACHE", "on", 1); /* as without it */
    setenv("XDG_CACHE_HOME", "/x", 1);
    yk_cache_folder(path, sizeof path);
    assert_string_equal(path, "/x/yoke");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    yk_cache_folder(path, sizeof path);
    assert_string_equal(path, "");
    yk_cache_store(key, value);
    assert_false(has(key, value));
    if (home)
        setenv("HOME", home, 1);
    if (base)
        setenv("XDG_CACHE_HOME", base, 1);
    free(home);
    free(base);
}

/* Runs in a child, because its limits and identities cannot be restored. Returns 0, or the number
 * of the step that failed. */
static int in_child(int (*body)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(body());
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int read_only(void)
{
    if (geteuid() == 0 && setresuid(12345, 12345, 12345) != 0)
        return 1;
    yk_cache_store(key, value);
    return has(key, value) ? 2 : 0;
}

static void test_read_only(void **state)
{
    (void)state;
    assert_int_equal(chmod(folder, 0555), 0);
    assert_int_equal(in_child(read_only), 0);
    assert_int_equal(count_files(".kernel"), 0);
    setenv("YOKE_CACHE", "/proc/self/nowhere", 1); /* not even a folder can be created */
    yk_cache_store(key, value);
    assert_false(has(key, value));
}

static int file_size_limited(void)
{
    const struct rlimit limit = { 40, 40 };
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 1;
    yk_cache_store(key, value); /* must neither store a part of it nor die of SIGXFSZ */
    return has(key, value) ? 2 : 0;
}

static void test_file_size_limit(void **state)
{
    (void)state;
    assert_int_equal(in_child(file_size_limited), 0);
    assert_int_equal(count_files(".kernel") + count_files(".tmp"), 0);
}

/* A file system of 16 KiB with less free space than the entry needs. */
static void test_full_disk(void **state)
{
    (void)state;
    static char large[64 << 10];
    const struct yk_blob too_large = { large, sizeof large };
    if (mount("yoke", folder, "tmpfs", 0, "size=16k") != 0)
        skip();
    yk_cache_store(key, too_large);
    int stored = has(key, too_large), left = count_files(".tmp") + count_files(".kernel");
    yk_cache_store(key, value); /* a small one still fits */
    int small = has(key, value);
    umount(folder);
    assert_false(stored);
    assert_int_equal(left, 0);
    assert_true(small);
}

/* Two processes write one entry again and again while this process reads: it gets the whole entry
 * or none. */
static void test_two_writers(void **state)
{
    (void)state;
    enum { ROUNDS = 300, SIZE = 40000 };
    static char bytes[SIZE];
    memset(bytes, 'v', sizeof bytes);
    const struct yk_blob long_value = { bytes, sizeof bytes };
    pid_t writers[2];
    for (int w = 0; w < 2; ++w) {
        writers[w] = fork();
        assert_true(writers[w] >= 0);
        if (writers[w] == 0) {
            for (int i = 0; i < ROUNDS; ++i)
                yk_cache_store(key, long_value);
            _exit(0);
        }
    }
    int seen = 0, running = 2;
    while (running > 0) {
        int hit = has(key, long_value);
        assert_true(hit || !seen); /* once stored, it never disappears */
        seen |= hit;
        running -= waitpid(-1, NULL, WNOHANG) > 0;
    }
    assert_true(has(key, long_value));
    assert_int_equal(count_files(".tmp"), 0);
    assert_int_equal(count_files(".kernel"), 1);
}

/* More entries than the limit: the oldest are removed, recently used ones stay. */
static void test_prune(void **state)
{
    (void)state;
    char path[400], dead[128];
    const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
    const struct timespec older[2] = { { 500, 0 }, { 500, 0 } };
    yk_cache_store(key, value);
    only_entry(path, sizeof path);
    assert_int_equal(utimensat(AT_FDCWD, path, older, 0), 0);
    snprintf(dead, sizeof dead, "%s/0123456789abcdef.1-1.kernel.tmp", folder);
    write_file(dead, "x", 1);
    assert_int_equal(utimensat(AT_FDCWD, dead, old, 0), 0);
    for (int i = 0; i < 511; ++i) {
        char other[256];
        snprintf(other, sizeof other, "%s/%016x.kernel", folder, i);
        write_file(other, "x", 1);
        assert_int_equal(utimensat(AT_FDCWD, other, old, 0), 0);
    }
    assert_int_equal(count_files(".kernel"), 512);
    assert_true(has(key, value)); /* a hit makes it the newest */
    const struct yk_blob next = { "next", 4 };
    yk_cache_store(next, value);
    assert_int_equal(count_files(".kernel"), 512);
    assert_int_equal(count_files(".tmp"), 0);
    assert_true(has(key, value));
    assert_true(has(next, value));
}

static void test_no_memory(void **state)
{
    (void)state;
    int failed = 1;
    for (int nth = 1; failed; ++nth) {
        yk_alloc_fail_at(nth);
        yk_cache_store(key, value);
        int hit = has(key, value);
        failed = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_true(hit || failed);
        assert_true(has(key, value)); /* the entry itself was written in every case */
        assert_true(nth < 100);
    }
}

/* The folder itself need not exist. */
static void test_trouble(void **state)
{
    (void)state;
    char path[128];
    assert_null(yoke_cache_trouble());
    snprintf(path, sizeof path, "%s/a/b", folder);
    setenv("YOKE_CACHE", path, 1);
    assert_null(yoke_cache_trouble());
    setenv("YOKE_CACHE", "relative", 1);
    assert_null(yoke_cache_trouble());
    setenv("YOKE_CACHE", "/dev/null/b", 1);
    assert_string_equal(yoke_cache_trouble(), "Not a directory");
    setenv("YOKE_CACHE", "/dev/null", 1);
    assert_string_equal(yoke_cache_trouble(), "Not a directory");
    setenv("YOKE_CACHE", "off", 1);
    assert_null(yoke_cache_trouble());
}

static void test_knows_when_empty(void **state)
{
    (void)state;
    assert_true(yk_cache_is_empty());
    yk_cache_store(key, value);
    assert_false(yk_cache_is_empty());
    yk_cache_remove(key);
    assert_true(yk_cache_is_empty());
    yk_cache_store(key, value);
    setenv("YOKE_CACHE", "off", 1);
    assert_true(yk_cache_is_empty());
    setenv("YOKE_CACHE", "/proc/self/nowhere", 1);
    assert_true(yk_cache_is_empty());
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)
    const struct CMUnitTest tests[] = {
        CASE(test_keeps),       CASE(test_damaged),          CASE(test_truncated_or_longer),
        CASE(test_foreign_key), CASE(test_foreign_file),     CASE(test_makes_folders),
        CASE(test_place),       CASE(test_read_only),        CASE(test_file_size_limit),
        CASE(test_full_disk),   CASE(test_two_writers),      CASE(test_prune),
        CASE(test_no_memory),   CASE(test_knows_when_empty), CASE(test_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
