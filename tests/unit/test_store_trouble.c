/* test_store_trouble.c - files that cannot be used: damaged, garbage, cut short, locked, read-only,
 * of other versions or programs, removed. Nothing fails; a person is told once where that helps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "lessons.h"
#include "platform/clock.h"

static struct place place;
static int lines;
static char line[1024];

static void note(void *context, yoke_log_level level, const char *text)
{
    (void)context;
    (void)level;
    if (!strstr(text, "knowledge base: "))
        return;
    lines++;
    snprintf(line, sizeof line, "%s", text);
}

static int open_all(void **state)
{
    (void)state;
    open_place(&place);
    lines = 0;
    yoke_set_log(note, NULL, YOKE_LOG_INFO);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
    chmod(place.folder, 0700);
    close_place(&place);
    return yk_alloc_outstanding() != 0;
}

static void run_sql(const char *sql)
{
    sqlite3 *base;
    assert_int_equal(sqlite3_open(place.path, &base), SQLITE_OK);
    assert_int_equal(sqlite3_exec(base, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(base);
}

static long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

static void write_bytes(const char *bytes, size_t count, long at)
{
    int file = open(place.path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(pwrite(file, bytes, count, at), count);
    close(file);
}

/* `count` lessons, and the file closed. */
static void fill(unsigned count)
{
    struct yk_store *store = open_store(&place);
    for (unsigned i = 0; i < count; i++) {
        struct yk_lesson lesson = lesson_of(i, i);
        assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    }
    yk_store_close(store);
}

static int is_lesson(void *context, const struct yk_store_key *key, const struct yk_lesson *lesson)
{
    (void)key;
    assert_made_up(lesson);
    return ++*(int *)context;
}

/* How many lessons are read, all of them as written; the store then works. */
static int use(struct yk_store *store)
{
    struct yk_lesson lesson = lesson_of(7777, 7777), found;
    int count = 0;
    yk_store_each(store, &(struct yk_store_filter){ 0 }, is_lesson, &count);
    for (unsigned i = 0; i < 100; i++) {
        struct yk_sizes sizes = lesson_of(i, i).sizes;
        if (yk_store_find(store, &saxpy, &sizes, &found))
            assert_made_up(&found);
    }
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_works(store);
    return count;
}

static void use_and_close(void)
{
    struct yk_store *store = open_store(&place);
    use(store);
    yk_store_close(store);
    assert_whole(&place);
}

static void test_garbage(void **state)
{
    (void)state;
    static const char words[] = "This is a letter to my grandmother, and no database at all. ";
    for (int i = 0; i < 100; i++)
        write_bytes(words, sizeof words - 1, i * (long)(sizeof words - 1));
    long size = size_of(place.path);
    use_and_close();
    char aside[128];
    snprintf(aside, sizeof aside, "%s.corrupt-1", place.path);
    assert_int_equal(size_of(aside), size); /* it is still there */
    assert_int_equal(lines, 1);
    assert_non_null(strstr(line, "knowledge.db.corrupt-1, and a new one is begun"));
    write_bytes(words, sizeof words - 1, 0); /* the new one, too */
    use_and_close();
    assert_int_equal(files_of(&place, "knowledge.db.corrupt-", 0), 2);
}

static void test_cut_short(void **state)
{
    (void)state;
    static const long lengths[] = { 0,    1,    15,   16,    99,    100,  512,
                                    4095, 4096, 4097, 12288, 20000, 30000 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        files_of(&place, "", 1);
        fill(60);
        assert_true(size_of(place.path) > 30000);
        assert_int_equal(truncate(place.path, lengths[i]), 0);
        use_and_close();
    }
}

/* Every few bytes something else, on many copies. */
static void test_damaged(void **state)
{
    (void)state;
    unsigned random = 1;
    for (int copy = 0; copy < 60; copy++) {
        files_of(&place, "", 1);
        fill(20);
        long size = size_of(place.path);
        for (int i = 0; i < 1 << copy % 10; i++) {
            random = random * 1664525 + 1013904223;
            char byte = (char)(random >> 24);
            write_bytes(&byte, 1, (long)((random >> 4) % (unsigned long)size));
        }
        struct yk_store *store = open_store(&place);
        struct yk_lesson lesson = lesson_of(7777, 7777), found;
        int count = 0;
        yk_store_each(store, &(struct yk_store_filter){ 0 }, is_lesson, &count);
        for (unsigned i = 0; i < 20; i++) {
            struct yk_sizes sizes = lesson_of(i, i).sizes;
            if (yk_store_find(store, &saxpy, &sizes, &found))
                assert_made_up(&found);
        }
        if (yk_store_put(store, &saxpy, &lesson, 1) == YOKE_OK &&
            yk_store_find(store, &saxpy, &lesson.sizes, &found))
            assert_made_up(&found);
        yk_store_close(store);
    }
}

/* A row that SQLite finds nothing wrong with. */
static void test_wrong_row(void **state)
{
    (void)state;
    struct yk_lesson lesson = lesson_of(1, 1), found;
    fill(3);
    run_sql("UPDATE devices SET rate = rate * 2 WHERE lesson = 2 AND place = 1");
    struct yk_store *store = open_store(&place);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 0);
    assert_int_equal(lines, 1);
    assert_int_equal(use(store), 2);
    assert_int_equal(lines, 1);
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK); /* in its place */
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_same_lesson(&found, &lesson);
    yk_store_close(store);
}

static void assert_left_alone(const char *words)
{
    struct yk_lesson lesson = lesson_of(1, 1), found;
    char why[YK_STORE_WHY];
    long size = size_of(place.path);
    struct yk_store *store = open_store(&place);
    yk_store_trouble(store, why);
    assert_non_null(strstr(why, words));
    assert_int_equal(lines, 1);
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 0);
    assert_int_equal(lines, 1);
    yk_store_close(store);
    assert_int_equal(size_of(place.path), size);
    assert_int_equal(files_of(&place, "knowledge.db.corrupt-", 0), 0);
}

static void test_newer(void **state)
{
    (void)state;
    fill(1);
    run_sql("PRAGMA user_version = 1000; CREATE TABLE wishes(text TEXT)");
    assert_left_alone("is of a newer yoke");
}

static void test_foreign(void **state)
{
    (void)state;
    run_sql("CREATE TABLE places(url TEXT)");
    assert_left_alone("is another program's database");
    lines = 0;
    run_sql("PRAGMA application_id = 12345");
    assert_left_alone("is another program's database");
}

/* As version 1 had it: this text never changes. */
static void test_older(void **state)
{
    (void)state;
    struct yk_lesson lesson = lesson_of(2, 2), found;
    char sql[400 + YK_SIZES_TEXT], sizes[YK_SIZES_TEXT];
    run_sql(
        "CREATE TABLE machines(hash INTEGER PRIMARY KEY, text TEXT NOT NULL);"
        "CREATE TABLE subjects(hash INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);"
        "CREATE TABLE lessons(id INTEGER PRIMARY KEY, machine INTEGER NOT NULL,"
        " subject INTEGER NOT NULL, sizes TEXT NOT NULL, origin INTEGER NOT NULL,"
        " confirmed INTEGER NOT NULL, seen INTEGER NOT NULL, ns REAL NOT NULL,"
        " team INTEGER NOT NULL, checksum INTEGER NOT NULL, UNIQUE(machine, subject, sizes));"
        "CREATE TABLE devices(lesson INTEGER NOT NULL, place INTEGER NOT NULL,"
        " name TEXT NOT NULL, item_ns REAL, fixed_ns REAL, rate REAL, chunk_ns REAL,"
        " share REAL, copied_bytes REAL, spread REAL, grain REAL, link_bytes_per_ns REAL,"
        " steady REAL, PRIMARY KEY(lesson, place)) WITHOUT ROWID;"
        "PRAGMA application_id = 2037345125; PRAGMA user_version = 1");
    lesson.device_count = 1;
    lesson.team = 1;
    lesson.ns = 12.5;
    lesson.devices[0] = (struct yk_lesson_device){ .name = "cpu", .rate = 0.25, .share = 1 };
    yk_sizes_write(&lesson.sizes, sizes);
    snprintf(sql, sizeof sql,
             "INSERT INTO lessons VALUES(1, %lld, %lld, '%s', 0, 1, 1002, 12.5, 1, %lld);"
             "INSERT INTO devices VALUES(1, 0, 'cpu', 0, 0, 0.25, 0, 1, 0, 0, 0, 0, 0)",
             (long long)saxpy.machine, (long long)saxpy.subject, sizes,
             (long long)yk_lesson_checksum(&lesson));
    run_sql(sql);
    struct yk_store *store = open_store(&place);
    assert_works(store);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_same_lesson(&found, &lesson);
    assert_int_equal(yk_store_put_run(store, "{}"), YOKE_OK); /* which version 1 had no table for */
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    yk_store_close(store);
    assert_int_equal(lines, 0);
    assert_whole(&place);
}

/* Another process holds what must be had; nobody waits long. */
static void test_locked(void **state)
{
    (void)state;
    struct yk_lesson lesson = lesson_of(1, 1), found;
    sqlite3 *other;
    fill(3);
    assert_int_equal(sqlite3_open(place.path, &other), SQLITE_OK);
    struct yk_store *store = open_store(&place);
    assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    int64_t begun = yk_clock_ns();
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_EBUSY);
    for (int i = 0; i < 100; i++)
        assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_EBUSY);
    assert_true(yk_clock_ns() - begun < 2000000000); /* not 100 times its patience */
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    usleep(150000);
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    yk_store_close(store);
}

static void test_locked_at_open(void **state)
{
    (void)state;
    char path[128];
    fill(3);
    snprintf(path, sizeof path, "%s-lock", place.path);
    int file = open(path, O_RDWR);
    assert_int_equal(flock(file, LOCK_EX), 0);
    struct yk_store *store = open_store(&place);
    struct yk_lesson lesson = lesson_of(1, 1), found;
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_EBUSY);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 0);
    close(file);
    usleep(150000);
    use(store);
    assert_true(lines <= 1);
    yk_store_close(store);
}

/* In a process without root's rights, to whom a read-only folder is one. */
static void without_rights(void (*check)(void))
{
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
            _exit(9);
        check();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* cmocka's assertions jump into the parent's test. */
#define DEMAND(condition)                                                                          \
    if (!(condition)) {                                                                            \
        fprintf(stderr, "%d: %s\n", __LINE__, #condition);                                         \
        _exit(1);                                                                                  \
    }

static void check_read_only(void)
{
    struct yk_store_spec spec = { .path = place.path };
    struct yk_store *store = NULL;
    struct yk_lesson lesson = lesson_of(1, 1), fresh = lesson_of(8, 8), found;
    DEMAND(yk_store_open(&spec, &store) == YOKE_OK);
    DEMAND(yk_store_find(store, &saxpy, &lesson.sizes, &found) == 1);
    DEMAND(found.ns == lesson.ns);
    DEMAND(yk_store_put(store, &saxpy, &fresh, 1) == YOKE_EIO);
    DEMAND(yk_store_find(store, &saxpy, &lesson.sizes, &found) == 1);
    DEMAND(yk_store_find(store, &saxpy, &fresh.sizes, &found) == 0);
    DEMAND(lines == 1);
    yk_store_close(store);
}

static void test_read_only(void **state)
{
    (void)state;
    fill(3);
    chmod(place.path, 0444);
    chmod(place.folder, 0555);
    without_rights(check_read_only);
}

static void check_no_file(void)
{
    struct yk_store_spec spec = { .path = place.path };
    struct yk_store *store = NULL;
    struct yk_lesson lesson = lesson_of(1, 1), found;
    DEMAND(yk_store_open(&spec, &store) == YOKE_OK);
    for (int i = 0; i < 50; i++) {
        yk_store_put(store, &saxpy, &lesson, 1);
        DEMAND(yk_store_find(store, &saxpy, &lesson.sizes, &found) == 0);
    }
    DEMAND(lines == 1);
    yk_store_close(store);
}

static void test_folder_without_a_file(void **state)
{
    (void)state;
    chmod(place.folder, 0555);
    without_rights(check_no_file);
    chmod(place.folder, 0);
    without_rights(check_no_file);
}

static void test_a_folder_of_that_name(void **state)
{
    (void)state;
    assert_int_equal(mkdir(place.path, 0700), 0);
    check_no_file();
    assert_int_equal(files_of(&place, "knowledge.db-", 0), 0);
    rmdir(place.path);
}

/* Somebody removes the file while it is open: what is put then is there for others. */
static void test_removed(void **state)
{
    (void)state;
    struct yk_lesson lesson = lesson_of(5, 5), found;
    fill(3);
    struct yk_store *store = open_store(&place);
    files_of(&place, "", 1);
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    struct yk_store *other = open_store(&place);
    assert_int_equal(yk_store_find(other, &saxpy, &lesson.sizes, &found), 1);
    yk_store_close(other);
    yk_store_close(store);
    assert_whole(&place);
}

/* Damaged under the eyes of two processes, of which one sets it aside: the other one's new file is
 * not set aside again. */
static void test_damaged_while_open(void **state)
{
    (void)state;
    struct yk_lesson lesson = lesson_of(5, 5), found;
    char zeros[8192] = { 0 };
    fill(60);
    struct yk_store *one = open_store(&place), *two = open_store(&place);
    for (long at = 0; at < size_of(place.path); at += (long)sizeof zeros)
        write_bytes(zeros, sizeof zeros, at);
    yk_store_find(one, &saxpy, &lesson.sizes, &found);
    yk_store_find(two, &saxpy, &lesson.sizes, &found);
    assert_int_equal(yk_store_put(one, &saxpy, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_put(two, &saxpy, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_find(one, &saxpy, &lesson.sizes, &found), 1);
    assert_int_equal(found.confirmed, 2);
    assert_int_equal(files_of(&place, "knowledge.db.corrupt-1", 0) > 0, 1);
    assert_int_equal(files_of(&place, "knowledge.db.corrupt-2", 0), 0);
    yk_store_close(one);
    yk_store_close(two);
    assert_whole(&place);
}

static void test_fork(void **state)
{
    (void)state;
    struct yk_lesson lesson = lesson_of(1, 1), found;
    fill(3);
    struct yk_store *store = open_store(&place);
    pid_t child = fork();
    if (child == 0) {
        DEMAND(yk_store_find(store, &saxpy, &lesson.sizes, &found) == 0);
        DEMAND(yk_store_put(store, &saxpy, &lesson, 1) == YOKE_OK);
        yk_store_close(store);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_int_equal(found.confirmed, 1);
    use(store);
    yk_store_close(store);
    assert_whole(&place);
}

static void test_places(void **state)
{
    (void)state;
    struct yk_store *store = NULL;
    char why[YK_STORE_WHY], expected[128], *home = strdup(getenv("HOME") ? getenv("HOME") : "");
    setenv("YOKE_CACHE", place.folder, 1);
    unsetenv("YOKE_KB");
    assert_int_equal(yk_store_open(NULL, &store), YOKE_OK);
    assert_string_equal(yk_store_path(store), place.path);
    use(store);
    yk_store_close(store);
    setenv("YOKE_CACHE", "off", 1);
    assert_int_equal(yk_store_open(NULL, &store), YOKE_OK);
    yk_store_trouble(store, why);
    assert_non_null(strstr(why, "there is no folder for it"));
    yk_store_close(store);
    snprintf(expected, sizeof expected, "%s/what? 100%% #1&2.db", place.folder);
    setenv("YOKE_KB", expected, 1);
    assert_int_equal(yk_store_open(NULL, &store), YOKE_OK);
    use(store);
    yk_store_close(store);
    assert_true(size_of(expected) > 0);
    setenv("YOKE_KB", "off", 1);
    assert_int_equal(yk_store_open(NULL, &store), YOKE_OK);
    yk_store_trouble(store, why);
    assert_string_equal(why, "switched off (YOKE_KB=off)");
    struct yk_lesson lesson = lesson_of(1, 1);
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &lesson), 0);
    yk_store_close(store);
    unsetenv("YOKE_KB");
    unsetenv("YOKE_CACHE");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_int_equal(yk_store_open(NULL, &store), YOKE_OK);
    assert_string_equal(yk_store_path(store), "");
    yk_store_close(store);
    assert_int_equal(lines, 0);
    setenv("HOME", home, 1);
    setenv("YOKE_KB_LIMIT", "a lot", 1);
    store = NULL;
    assert_int_equal(yk_store_open(NULL, &store), YOKE_EINVAL);
    unsetenv("YOKE_KB_LIMIT");
    char path[5000];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = 0;
    assert_int_equal(yk_store_open(&(struct yk_store_spec){ .path = path }, &store), YOKE_EINVAL);
    assert_null(store);
    free(home);
}

/* By a link, and by a name that begins in another folder than the one it ends in: one file. */
static void test_names(void **state)
{
    (void)state;
    char link[128], before[4096];
    struct yk_lesson lesson = lesson_of(7777, 7777), found;
    snprintf(link, sizeof link, "%s/link.db", place.folder);
    fill(3);
    assert_int_equal(symlink("knowledge.db", link), 0);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(place.folder), 0);
    struct yk_store *store = NULL;
    assert_int_equal(yk_store_open(&(struct yk_store_spec){ .path = "link.db" }, &store), YOKE_OK);
    assert_int_equal(chdir(before), 0);
    assert_string_equal(yk_store_path(store), place.path);
    use(store);
    assert_int_equal(files_of(&place, "link.db", 0), 1);
    yk_store_close(store);
    assert_int_equal(chdir(place.folder), 0);
    assert_int_equal(yk_store_open(&(struct yk_store_spec){ .path = "new.db" }, &store), YOKE_OK);
    assert_int_equal(chdir(before), 0);
    files_of(&place, "new.db", 1);
    use(store); /* which begins another one, in the same place */
    yk_store_close(store);
    assert_int_equal(files_of(&place, "new.db", 0), 2); /* and its lock */
    store = open_store(&place);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    yk_store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(test_garbage),
        TEST(test_cut_short),
        TEST(test_damaged),
        TEST(test_wrong_row),
        TEST(test_newer),
        TEST(test_foreign),
        TEST(test_older),
        TEST(test_locked),
        TEST(test_locked_at_open),
        TEST(test_read_only),
        TEST(test_removed),
        TEST(test_folder_without_a_file),
        TEST(test_fork),
        TEST(test_a_folder_of_that_name),
        TEST(test_places),
        TEST(test_names),
        TEST(test_damaged_while_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
