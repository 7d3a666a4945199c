/* test_store_damage.c - files with contents that this version of yoke did not write: garbage,
 * truncated, damaged, of other versions or programs. A damaged file is renamed; no call fails, and
 * one message is logged. */
#include "store_bench.h"

#include <fcntl.h>

static void run_sql(const char *sql)
{
    sqlite3 *base;
    assert_int_equal(sqlite3_open(place.path, &base), SQLITE_OK);
    assert_int_equal(sqlite3_exec(base, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(base);
}

static void write_bytes(const char *bytes, size_t count, long at)
{
    int file = open(place.path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(pwrite(file, bytes, count, at), count);
    close(file);
}

static void use_and_close(void)
{
    struct yk_store *store = open_store(&place);
    use(store);
    yk_store_close(store);
    assert_whole(&place);
}

static void write_letter(void)
{
    static const char words[] = "This is a letter to my grandmother, and no database at all. ";
    for (int i = 0; i < 100; i++)
        write_bytes(words, sizeof words - 1, i * (long)(sizeof words - 1));
}

/* Uses the file that nobody named, in the cache folder. */
static void use_own(void)
{
    struct yk_store *store = NULL;
    assert_int_equal(yk_store_open(&(struct yk_store_spec){ 0 }, &store), YOKE_OK);
    assert_string_equal(yk_store_path(store), place.path);
    use(store);
    yk_store_close(store);
    assert_whole(&place);
}

static void test_garbage(void **state)
{
    (void)state;
    long size;
    setenv("YOKE_CACHE", place.folder, 1);
    unsetenv("YOKE_KB");
    write_letter();
    size = size_of(place.path);
    use_own();
    char aside[128];
    snprintf(aside, sizeof aside, "%s.corrupt-1", place.path);
    assert_int_equal(size_of(aside), size); /* it still exists */
    assert_int_equal(lines, 1);
    assert_non_null(strstr(line, "knowledge.db.corrupt-1, and a new one is begun"));
    write_letter(); /* damages the new one too */
    use_own();
    assert_int_equal(files_of(&place, "knowledge.db.corrupt-", 0), 2);
    unsetenv("YOKE_CACHE");
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

/* Overwrites a few bytes at many positions, each in a new copy. */
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

/* Damaged while two processes have it open, one of which renames it: the new file is not renamed
 * again by the other process. */
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

/* A wrong row that is valid for SQLite. */
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
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK); /* replaces it */
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

/* A file that the user named and that never was a base is the user's. */
static void test_letter(void **state)
{
    (void)state;
    write_letter();
    assert_left_alone("knowledge.db is no database, and left as it is");
    assert_int_equal(files_of(&place, "knowledge.db-", 0), 0);
    lines = 0;
    assert_int_equal(truncate(place.path, 3), 0);
    assert_left_alone("is no database");
}

/* The schema of version 1: this text never changes. */
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
    assert_int_equal(yk_store_put_run(store, "{}"), YOKE_OK); /* version 1 had no table for runs */
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    yk_store_close(store);
    assert_int_equal(lines, 0);
    assert_whole(&place);
}

/* A file of version 2 with its checksum: it had no kernels with alternatives. This text never
 * changes. */
static const char version_two[] =
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
    "CREATE TABLE runs(id INTEGER PRIMARY KEY AUTOINCREMENT, seen INTEGER NOT NULL,"
    " text TEXT NOT NULL);"
    "CREATE INDEX lessons_seen ON lessons(seen);"
    "CREATE INDEX lessons_subject ON lessons(subject);"
    "INSERT INTO machines VALUES(47870241481176029, 'Processor X, 8 cores; cpu: 8 lanes');"
    "INSERT INTO subjects VALUES(177, 'mm', '/src/mm_kernels.c');"
    "INSERT INTO lessons VALUES(1, 47870241481176029, 177, '2048 1 1 2048 8192', 2, 12,"
    " 1790000300, 9500000.0, 2, -8125475829176515074);"
    "INSERT INTO devices VALUES(1, 0, 'cpu', 0, 0, 1.1111111111111112e-05, 0, 0, 0, 0, 0, 0, 1);"
    "INSERT INTO devices VALUES(1, 1, 'cuda:0', 4321.5, 65000, 2.3254461949886635e-04, 21000, 1,"
    " 8192, 0, 1024, 50, 1);"
    "INSERT INTO runs VALUES(1, 1790000300, '{}');"
    "PRAGMA application_id = 2037345125; PRAGMA user_version = 2";

static int see_partitioner(void *context, const struct yk_store_key *key,
                           const struct yk_lesson *lesson)
{
    (void)lesson;
    snprintf(context, 64, "%s", key->partitioner);
    return 1;
}

/* Version 2 did not store the partitioner: the next lesson of the subject adds it. */
static void check_partitioner(struct yk_store *store, struct yk_store_key mm,
                              const struct yk_lesson *lesson)
{
    const struct yk_store_filter filter = { .subject = mm.subject };
    char partitioner[64] = "none";
    assert_int_equal(yk_store_each(store, &filter, see_partitioner, partitioner), YOKE_OK);
    assert_string_equal(partitioner, "");
    for (int i = 0; i < 2; i++) { /* a lesson without it does not remove it */
        mm.partitioner = i ? NULL : "linear";
        assert_int_equal(yk_store_put(store, &mm, lesson, 1), YOKE_OK);
        assert_int_equal(yk_store_each(store, &filter, see_partitioner, partitioner), YOKE_OK);
        assert_string_equal(partitioner, "linear");
    }
}

static void test_version_two(void **state)
{
    const struct yk_store_key mm = {
        .machine = 0x00aa11bb22cc33dd, .subject = 177, .name = "mm", .subject_text = ""
    };
    const struct yk_sizes sizes = { 5, { 2048, 1, 1, 2048, 8192 } };
    struct yk_lesson found, again;
    (void)state;
    run_sql(version_two);
    struct yk_store *store = open_store(&place);
    assert_int_equal(yk_store_find(store, &mm, &sizes, &found), 1);
    assert_int_equal(found.confirmed, 12);
    assert_true(found.devices[1].rate == 2.3254461949886635e-04 && found.devices[1].steady == 1);
    assert_int_equal(found.devices[0].form, 0);
    assert_int_equal(found.devices[1].form, 0);
    check_partitioner(store, mm, &found);
    found.devices[1].form = 2; /* version 2 had no column for it */
    assert_int_equal(yk_store_put(store, &saxpy, &found, 1), YOKE_OK);
    assert_int_equal(yk_store_find(store, &saxpy, &sizes, &again), 1);
    assert_same_lesson(&again, &found);
    assert_works(store);
    yk_store_close(store);
    assert_int_equal(lines, 0);
    assert_whole(&place);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(test_garbage),     TEST(test_cut_short),
        TEST(test_damaged),     TEST(test_damaged_while_open),
        TEST(test_wrong_row),   TEST(test_newer),
        TEST(test_foreign),     TEST(test_older),
        TEST(test_version_two), TEST(test_letter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
