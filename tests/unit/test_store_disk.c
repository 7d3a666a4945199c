/* test_store_disk.c - disk and memory failures: whatever fails and when, a call reports it or does
 * its work, the file is valid, and only written data are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "failing_disk.h"
#include "lessons.h"

static struct place place;

static int open_all(void **state)
{
    (void)state;
    open_place(&place);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    close_place(&place);
    return yk_alloc_outstanding() != 0;
}

/* SQLite's memory: the nth request fails. */
static sqlite3_mem_methods usual_memory;
static int memory_countdown, memory_reached;

static int memory_fails(void)
{
    if (memory_countdown == 0 || --memory_countdown > 0)
        return 0;
    memory_reached = 1;
    return 1;
}

static void *failing_malloc(int bytes)
{
    return memory_fails() ? NULL : usual_memory.xMalloc(bytes);
}

static void *failing_realloc(void *block, int bytes)
{
    return memory_fails() ? NULL : usual_memory.xRealloc(block, bytes);
}

static void fail_memory(void)
{
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual_memory);
    sqlite3_mem_methods methods = usual_memory;
    methods.xMalloc = failing_malloc;
    methods.xRealloc = failing_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

static int is_lesson(void *context, const struct yk_store_key *key, const struct yk_lesson *lesson)
{
    int *count = context;
    assert_string_equal(key->name, "saxpy");
    assert_string_equal(key->machine_text, saxpy.machine_text);
    assert_made_up(lesson);
    return ++*count;
}

/* Everything that a process does with a store; `put` gets one bit for each lesson reported as put.
 */
static void live(const char *vfs, unsigned *put)
{
    struct yk_store_spec spec = { .path = place.path, .patience_ns = 1, .vfs = vfs };
    struct yk_store *store = NULL;
    struct yk_lesson found = lesson_of(0, 0);
    if (yk_store_open(&spec, &store) != YOKE_OK)
        return;
    for (unsigned i = 0; i < 3; i++) {
        struct yk_lesson lesson = lesson_of(i, i);
        if (yk_store_put(store, &saxpy, &lesson, 1) == YOKE_OK)
            *put |= 1u << i;
        if (yk_store_find(store, &saxpy, &lesson.sizes, &found))
            assert_made_up(&found);
    }
    yk_store_put_run(store, "{}");
    yk_free(yk_store_run(store, 0));
    yk_store_derive(store, &saxpy, &found.sizes, &found);
    yk_store_close(store);
}

/* Lessons that were put are complete in the next process, which can continue. */
static void assert_goes_on(unsigned put)
{
    struct yk_store *store = open_store(&place);
    struct yk_lesson lesson, found;
    int count = 0;
    assert_works(store);
    assert_int_equal(yk_store_each(store, &(struct yk_store_filter){ 0 }, is_lesson, &count),
                     YOKE_OK);
    for (unsigned i = 0; i < 3; i++)
        if (put >> i & 1) {
            lesson = lesson_of(i, i);
            assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
        }
    lesson = lesson_of(9, 9);
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    yk_store_close(store);
    assert_whole(&place);
    assert_int_equal(files_of(&place, "knowledge.db.corrupt", 0), 0);
}

/* Every write fails in turn, alone or with all later ones; on a new file and on an existing one. */
static void walk_disk(int lasting, int code, int new_file)
{
    for (int n = 1;; n++) {
        unsigned put = 0, before = 0;
        files_of(&place, "", 1);
        if (!new_file)
            live(NULL, &before);
        disk.countdown = n;
        disk.lasting = lasting;
        disk.code = code;
        disk.reached = 0;
        live("failing", &put);
        int reached = disk.reached;
        disk.reached = disk.countdown = 0;
        if (new_file)
            assert_goes_on(put);
        else
            assert_whole(&place);
        if (!reached) {
            assert_int_equal(put, 7);
            assert_true(n > 5);
            return;
        }
    }
}

/* Lessons of several subjects: all of them are stored, or none. */
static void put_three(const char *vfs, yoke_status *status)
{
    struct yk_store_spec spec = { .path = place.path, .patience_ns = 1, .vfs = vfs };
    struct yk_lesson lessons[3] = { lesson_of(0, 0), lesson_of(1, 1), lesson_of(2, 2) };
    struct yk_store_entry entries[3];
    struct yk_store *store = NULL;
    *status = YOKE_EIO;
    for (int i = 0; i < 3; i++) {
        entries[i] = (struct yk_store_entry){ saxpy, &lessons[i] };
        entries[i].key.subject += (uint64_t)i;
    }
    if (yk_store_open(&spec, &store) != YOKE_OK)
        return;
    *status = yk_store_put_all(store, entries, 3);
    yk_store_close(store);
}

static void test_all_or_none(void **state)
{
    int reached = 1, n;
    (void)state;
    for (n = 1; reached; n++) {
        yoke_status status;
        int count = 0;
        files_of(&place, "", 1);
        disk.countdown = n;
        disk.lasting = n % 2;
        disk.code = SQLITE_FULL;
        put_three("failing", &status);
        reached = disk.reached;
        disk.reached = disk.countdown = disk.lasting = 0;
        struct yk_store *store = open_store(&place);
        yk_store_each(store, &(struct yk_store_filter){ 0 }, is_lesson, &count);
        yk_store_close(store);
        assert_true(count == 3 || (count == 0 && status != YOKE_OK));
    }
    assert_true(n > 5);
}

static void test_write_fails(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++)
        walk_disk(way & 1, way & 2 ? SQLITE_IOERR_WRITE : SQLITE_FULL, 1);
}

static void test_write_fails_later(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++)
        walk_disk(way & 1, way & 2 ? SQLITE_IOERR_WRITE : SQLITE_FULL, 0);
}

/* A disk that has room again is used again. */
static void test_room_again(void **state)
{
    (void)state;
    struct yk_store_spec spec = { .path = place.path, .vfs = "failing" };
    struct yk_store *store = NULL;
    struct yk_lesson lesson = lesson_of(1, 1), found;
    assert_int_equal(yk_store_open(&spec, &store), YOKE_OK);
    disk.countdown = disk.lasting = 1;
    disk.code = SQLITE_FULL;
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_EIO);
    assert_non_null(strstr(yoke_error_text(), "full"));
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_EBUSY); /* not yet */
    disk.countdown = disk.lasting = disk.reached = 0;
    usleep(150000);
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    yk_store_close(store);
}

/* Beyond the file size limit a write would kill the process. */
static void test_file_size_limit(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        unsigned put = 0;
        struct rlimit limit = { 20000, 20000 };
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(1);
        live(NULL, &put);
        sigset_t waiting;
        _exit(sigpending(&waiting) != 0 || sigismember(&waiting, SIGXFSZ) ? 2 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_goes_on(0);
}

static void test_memory_of_sqlite(void **state)
{
    (void)state;
    for (int n = 1;; n++) {
        unsigned put = 0;
        if (n % 16 == 1) /* also with an existing file */
            files_of(&place, "", 1);
        memory_countdown = n;
        memory_reached = 0;
        live(NULL, &put);
        memory_countdown = 0;
        if (n % 16 == 0)
            assert_whole(&place);
        if (!memory_reached) {
            assert_int_equal(put, 7);
            assert_true(n > 100);
            return;
        }
    }
}

static void test_own_memory(void **state)
{
    (void)state;
    for (int n = 1;; n++) {
        unsigned put = 0;
        files_of(&place, "", 1);
        yk_alloc_fail_at(n);
        live(NULL, &put);
        int reached = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_int_equal(yk_alloc_outstanding(), 0);
        assert_goes_on(put);
        if (!reached) {
            assert_int_equal(put, 7);
            assert_true(n > 5);
            return;
        }
    }
}

int main(void)
{
    fail_memory();
    add_failing_disk();
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(test_write_fails), TEST(test_all_or_none),     TEST(test_write_fails_later),
        TEST(test_room_again),  TEST(test_file_size_limit), TEST(test_memory_of_sqlite),
        TEST(test_own_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
