/* test_store_trouble.c - unusable files: locked, read-only, removed, in impossible places; and one
 * file under several names. No call fails; one message is logged if it helps. */
#include "store_bench.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "platform/clock.h"

/* Another process holds the lock; no call waits long. */
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

/* In a process without root's rights, for which a read-only folder is read-only. */
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

/* cmocka's assertions would jump into the parent's test. */
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

/* The file is removed while it is open: later lessons are visible to others. */
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
    setenv("YOKE_KB", "Off", 1);
    assert_int_equal(yk_store_open(NULL, &store), YOKE_OK);
    yk_store_trouble(store, why);
    assert_string_equal(why, "switched off (YOKE_KB=off)");
    struct yk_lesson lesson = lesson_of(1, 1);
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &lesson), 0);
    yk_store_close(store);
    setenv("YOKE_KB", "ON", 1);
    setenv("YOKE_CACHE", place.folder, 1);
    assert_int_equal(yk_store_open(NULL, &store), YOKE_OK);
    assert_string_equal(yk_store_path(store), place.path);
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

/* Through a link, and through a name that passes through another folder: one file. */
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
    use(store); /* begins another file in the same place */
    yk_store_close(store);
    assert_int_equal(files_of(&place, "new.db", 0), 2); /* and its lock */
    store = open_store(&place);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    yk_store_close(store);
}

static void run_sql(const char *sql)
{
    sqlite3 *base;
    char *why = NULL;
    assert_int_equal(sqlite3_open(place.path, &base), SQLITE_OK);
    if (sqlite3_exec(base, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    sqlite3_close(base);
}

#define FOR_EVER                                                                                   \
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"

/* A file with SQL triggers or views: they do not run, or not for long. */
static void test_hostile_schema(void **state)
{
    (void)state;
    static const char *const programs[] = {
        "CREATE TRIGGER t1 AFTER INSERT ON lessons BEGIN " FOR_EVER "; END;"
        "CREATE TRIGGER t2 BEFORE INSERT ON devices BEGIN " FOR_EVER "; END;"
        "CREATE TRIGGER t3 AFTER INSERT ON subjects BEGIN " FOR_EVER "; END;"
        "CREATE TRIGGER t4 BEFORE UPDATE ON lessons BEGIN " FOR_EVER "; END",
        "ALTER TABLE lessons RENAME TO l; CREATE VIEW lessons AS SELECT * FROM l, (" FOR_EVER ")",
    };
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        struct yk_lesson lesson = lesson_of(1, 1), found;
        fill(3);
        run_sql(programs[p]);
        int64_t begun = yk_clock_ns();
        struct yk_store *store = open_store(&place);
        yk_store_find(store, &saxpy, &lesson.sizes, &found);
        yk_store_put(store, &saxpy, &lesson, 1);
        yk_store_close(store);
        assert_true(yk_clock_ns() - begun < 20000000000); /* it would run for ever */
        unlink(place.path);
    }
}

static void not_used(void)
{
    const long size = size_of(place.path);
    struct yk_lesson lesson = lesson_of(1, 1), found;
    struct yk_store *store = open_store(&place);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 0);
    yk_store_put(store, &saxpy, &lesson, 1);
    yk_store_close(store);
    assert_int_equal(size_of(place.path), size);
    assert_int_equal(lines, 1);
    lines = 0;
}

/* A file of another user, and one that others may write to. */
static void test_of_others(void **state)
{
    (void)state;
    fill(3);
    assert_int_equal(chmod(place.path, 0666), 0);
    not_used();
    assert_int_equal(chmod(place.path, 0644), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(place.path, 65534, 65534), 0);
        not_used();
        assert_int_equal(chown(place.path, 0, 0), 0);
    }
    struct yk_store *store = open_store(&place);
    use(store);
    yk_store_close(store);
}

/* Folders outside the cache are the user's to create. */
static void test_no_folder_is_made(void **state)
{
    (void)state;
    char path[256];
    struct yk_store *store;
    snprintf(path, sizeof path, "%s/mistyped/new.db", place.folder);
    assert_int_equal(yk_store_open(&(struct yk_store_spec){ .path = path }, &store), YOKE_OK);
    yk_store_close(store);
    snprintf(path, sizeof path, "%s/mistyped", place.folder);
    assert_int_equal(access(path, F_OK), -1);
    /* nor through a name that begins in the cache and leaves it */
    snprintf(path, sizeof path, "%s/cache", place.folder);
    setenv("YOKE_CACHE", path, 1);
    snprintf(path, sizeof path, "%s/cache/../mistyped/new.db", place.folder);
    assert_int_equal(yk_store_open(&(struct yk_store_spec){ .path = path }, &store), YOKE_OK);
    yk_store_close(store);
    snprintf(path, sizeof path, "%s/mistyped", place.folder);
    assert_int_equal(access(path, F_OK), -1);
    unsetenv("YOKE_CACHE");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(test_locked),
        TEST(test_locked_at_open),
        TEST(test_read_only),
        TEST(test_folder_without_a_file),
        TEST(test_a_folder_of_that_name),
        TEST(test_removed),
        TEST(test_fork),
        TEST(test_places),
        TEST(test_names),
        TEST(test_hostile_schema),
        TEST(test_of_others),
        TEST(test_no_folder_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
