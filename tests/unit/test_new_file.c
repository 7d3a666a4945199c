/* test_new_file.c - files that appear whole or not at all, in folders that others can write to. */
#include "platform/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/yoke-new-file-XXXXXX";

static int in_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void holds(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fgets(found, sizeof found, file) || !*text);
    fclose(file);
    assert_string_equal(found, text);
}

static void write_new(const char *path, const char *text)
{
    struct yk_new_file file;
    assert_int_equal(yk_new_file_open(&file, path), 0);
    fputs(text, file.stream);
    assert_int_equal(yk_new_file_finish(&file), 0);
}

static int entries_like(const char *suffix)
{
    char command[128], count[16] = "";
    snprintf(command, sizeof command, "ls | grep -c -- '%s' || true", suffix);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    assert_non_null(fgets(count, sizeof count, list));
    pclose(list);
    return atoi(count);
}

/* Another user creates links at the names of the temporary files: their targets stay unchanged. */
static void laid_links(void **state)
{
    (void)state;
    put("precious", "mine");
    for (int n = 0; n < 3; n++) {
        char name[64];
        snprintf(name, sizeof name, "out.%ld.%d.new", (long)getpid(), n);
        assert_int_equal(symlink("precious", name), 0);
    }
    write_new("out", "new");
    holds("precious", "mine");
    holds("out", "new");
    system("rm -f out.*.new");
}

static void modes_and_links_stay(void **state)
{
    (void)state;
    struct stat about;
    put("target", "old");
    assert_int_equal(chmod("target", 0640), 0);
    assert_int_equal(mkdir("sub", 0755), 0);
    assert_int_equal(symlink("../target", "sub/link"), 0);
    assert_int_equal(symlink("sub/link", "far"), 0);
    write_new("far", "new");
    assert_int_equal(lstat("far", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(lstat("sub/link", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(lstat("target", &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    holds("target", "new");
    assert_int_equal(symlink("not-there", "dangling"), 0);
    write_new("dangling", "made");
    holds("not-there", "made");
    assert_int_equal(symlink("round", "round"), 0);
    struct yk_new_file file;
    assert_int_equal(yk_new_file_open(&file, "round"), ELOOP);
}

static void orphans_go(void **state)
{
    (void)state;
    char dead[64], alive[64];
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    snprintf(dead, sizeof dead, "out.%ld.0.new", (long)pid);
    snprintf(alive, sizeof alive, "out.%ld.0.new", (long)getppid());
    put(dead, "half");
    put(alive, "half");
    put("out.12x.0.new", "the user's");
    put("out.new", "the user's");
    write_new("out", "whole");
    assert_int_equal(access(dead, F_OK), -1);
    assert_int_equal(access(alive, F_OK), 0);
    assert_int_equal(access("out.12x.0.new", F_OK), 0);
    assert_int_equal(access("out.new", F_OK), 0);
}

static void dropped_and_refused(void **state)
{
    (void)state;
    struct yk_new_file file;
    int before = entries_like("new$");
    put("kept", "old");
    assert_int_equal(yk_new_file_open(&file, "kept"), 0);
    fputs("half", file.stream);
    yk_new_file_drop(&file);
    holds("kept", "old");
    assert_int_equal(entries_like("new$"), before);
    assert_int_equal(yk_new_file_open(&file, "sub"), EISDIR);
    assert_int_equal(yk_new_file_open(&file, "no/such/folder"), ENOENT);
    assert_int_equal(yk_new_file_open(&file, "/dev/null"), 0);
    assert_int_equal(yk_new_file_finish(&file), 0);
}

static int away(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laid_links),
        cmocka_unit_test(modes_and_links_stay),
        cmocka_unit_test(orphans_go),
        cmocka_unit_test(dropped_and_refused),
    };
    return cmocka_run_group_tests_name("new_file", tests, in_folder, away);
}
