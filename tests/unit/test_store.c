/* test_store.c - the knowledge base without failures: what is put is found, exactly, also by the
 * next process; merged, listed, forgotten, kept within its limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "lessons.h"

static struct place place;
static struct yk_store *store;

static int open_all(void **state)
{
    (void)state;
    open_place(&place);
    store = open_store(&place);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    yk_store_close(store);
    close_place(&place);
    return yk_alloc_outstanding() != 0;
}

static void reopen(void)
{
    yk_store_close(store);
    store = open_store(&place);
}

static void put(const struct yk_lesson *lesson)
{
    assert_int_equal(yk_store_put(store, &saxpy, lesson, 1), YOKE_OK);
}

static void test_put_and_find(void **state)
{
    (void)state;
    struct yk_lesson first = lesson_of(1, 1 << 20), second = lesson_of(2, 1 << 21), found;
    assert_works(store);
    assert_int_equal(yk_store_find(store, &saxpy, &first.sizes, &found), 0);
    put(&first);
    put(&second);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(yk_store_find(store, &saxpy, &first.sizes, &found), 1);
        assert_same_lesson(&found, &first);
        assert_int_equal(yk_store_find(store, &saxpy, &second.sizes, &found), 1);
        assert_same_lesson(&found, &second);
        reopen(); /* another process finds the same */
    }
    struct yk_store_key other = saxpy;
    other.machine++;
    assert_int_equal(yk_store_find(store, &other, &first.sizes, &found), 0);
    other = saxpy;
    other.subject++;
    assert_int_equal(yk_store_find(store, &other, &first.sizes, &found), 0);
    struct yk_sizes fewer = first.sizes;
    fewer.count--;
    assert_int_equal(yk_store_find(store, &saxpy, &fewer, &found), 0);
    fewer.count = YK_SIZES_MAX + 1;
    assert_int_equal(yk_store_find(store, &saxpy, &fewer, &found), 0);
}

static void test_largest(void **state)
{
    (void)state;
    struct yk_lesson lesson = lesson_of(1, 1), found;
    lesson.sizes.count = YK_SIZES_MAX;
    for (int i = 0; i < YK_SIZES_MAX; i++)
        lesson.sizes.at[i] = i % 2 ? 0x1p62 + 0x1p20 * i : 1e-300 * i;
    lesson.device_count = YK_LESSON_DEVICES;
    for (int d = 0; d < YK_LESSON_DEVICES; d++) {
        struct yk_lesson_device *device = &lesson.devices[d];
        *device = lesson.devices[0];
        memset(device->name, 'x', sizeof device->name - 1);
        device->name[0] = (char)('A' + d);
        device->rate = d ? 1e308 : 5e-324;
        device->share = -1;
    }
    lesson.team = UINT32_MAX;
    lesson.confirmed = lesson.seen = INT64_MAX;
    put(&lesson);
    reopen();
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_same_lesson(&found, &lesson);
    put(&lesson); /* the count of confirmations saturates */
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_same_lesson(&found, &lesson);
}

static void test_merged(void **state)
{
    (void)state;
    struct yk_lesson lesson = lesson_of(2, 100), found;
    lesson.confirmed = 3;
    put(&lesson);
    lesson.ns = 5;
    lesson.seen++;
    lesson.device_count--; /* a device was removed */
    put(&lesson);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_int_equal(found.confirmed, 6);
    assert_true(found.ns == 5);
    assert_int_equal(found.device_count, lesson.device_count);
    struct yk_lesson derived = lesson_of(9, 100);
    derived.origin = YK_ORIGIN_DERIVED;
    put(&derived);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_int_equal(found.confirmed, 7);
    assert_int_equal(found.origin, YK_ORIGIN_TRAINED);
    assert_true(found.ns == 5);
}

static void test_now(void **state)
{
    (void)state;
    struct yk_lesson lesson = lesson_of(2, 100), found;
    lesson.seen = 0;
    put(&lesson);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_true(found.seen > 1700000000);
}

/* Entries written while the clock was ahead do not stay for ever. */
static void test_clock_set_back(void **state)
{
    (void)state;
    struct yk_lesson ahead = lesson_of(2, 100), lesson = lesson_of(4, 100), found;
    ahead.seen = (int64_t)1 << 40;
    put(&ahead);
    lesson.seen = 0;
    put(&lesson);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_true(found.ns == lesson.ns);
    assert_true(found.seen < ahead.seen);
}

static void test_refused(void **state)
{
    (void)state;
    struct yk_lesson lessons[3] = { lesson_of(1, 1), lesson_of(2, 2), lesson_of(3, 3) }, found;
    lessons[1].devices[0].rate = (double)NAN;
    assert_int_equal(yk_store_put(store, &saxpy, lessons, 3), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "saxpy: a lesson has a device"));
    assert_int_equal(yk_store_find(store, &saxpy, &lessons[0].sizes, &found), 1);
    assert_int_equal(yk_store_find(store, &saxpy, &lessons[1].sizes, &found), 0);
    assert_int_equal(yk_store_find(store, &saxpy, &lessons[2].sizes, &found), 1);
    assert_int_equal(yk_store_put(store, &saxpy, lessons, 0), YOKE_OK);
}

static void test_several_subjects(void **state)
{
    struct yk_lesson lessons[4] = { lesson_of(1, 1), lesson_of(2, 2), lesson_of(3, 3),
                                    lesson_of(3, 3) };
    struct yk_store_entry entries[4];
    struct yk_lesson found;
    (void)state;
    for (int i = 0; i < 4; i++) {
        entries[i] = (struct yk_store_entry){ saxpy, &lessons[i] };
        entries[i].key.subject += (uint64_t)(i < 3 ? i : 2);
        entries[i].key.name = i ? "mxv" : "saxpy";
    }
    lessons[1].devices[0].rate = (double)NAN;
    assert_int_equal(yk_store_put_all(store, entries, 4), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "mxv: a lesson has a device"));
    for (int i = 0; i < 3; i++)
        assert_int_equal(yk_store_find(store, &entries[i].key, &lessons[i].sizes, &found), i != 1);
    assert_int_equal(found.confirmed, 2); /* the last two are of one subject */
    assert_int_equal(yk_store_find(store, &entries[2].key, &lessons[0].sizes, &found), 0);
    assert_int_equal(yk_store_put_all(store, entries, 0), YOKE_OK);
    assert_int_equal(yk_store_put_all(NULL, entries, 4), YOKE_OK);
}

static void test_near(void **state)
{
    (void)state;
    static const double items[] = { 1000, 10, 100000, 100, 1e6, 1 };
    struct yk_lesson room[4];
    struct yk_lesson_list list = { .at = room, .capacity = 4, .count = 9 };
    struct yk_lesson other = lesson_of(7, 900);
    yk_store_near(store, &saxpy, &other.sizes, &list);
    assert_int_equal(list.count, 0);
    for (unsigned i = 0; i < 6; i++) {
        struct yk_lesson lesson = lesson_of(i, items[i]);
        put(&lesson);
    }
    other.sizes.count = 2; /* not comparable */
    put(&other);
    other.sizes.count = 3;
    yk_store_near(store, &saxpy, &other.sizes, &list);
    assert_int_equal(list.count, 4);
    assert_true(room[0].sizes.at[0] == 1000);
    assert_true(room[1].sizes.at[0] == 100);
    assert_true(room[2].sizes.at[0] == 10);
    assert_true(room[3].sizes.at[0] == 100000);
    list.capacity = 1;
    yk_store_near(store, &saxpy, &other.sizes, &list);
    assert_int_equal(list.count, 1);
    assert_true(room[0].sizes.at[0] == 1000);
    list.capacity = 0;
    yk_store_near(store, &saxpy, &other.sizes, &list);
    assert_int_equal(list.count, 0);
}

static void test_derive(void **state)
{
    (void)state;
    struct yk_lesson lessons[2] = { lesson_of(2, 1000), lesson_of(2, 4000) }, out;
    struct yk_sizes sizes = lessons[0].sizes;
    struct yk_store *none = NULL;
    sizes.at[0] = 2500;
    assert_int_equal(yk_store_derive(NULL, &saxpy, &sizes, &out), 0);
    assert_int_equal(yk_store_derive(store, &saxpy, &sizes, &out), 0);
    lessons[1].devices[0].share = 0.0625;
    assert_int_equal(yk_store_put(store, &saxpy, lessons, 2), YOKE_OK);
    assert_int_equal(yk_store_derive(store, &saxpy, &sizes, &out), 1);
    assert_int_equal(out.origin, YK_ORIGIN_DERIVED);
    assert_true(out.sizes.at[0] == 2500 && out.devices[0].share != 0.0625);
    assert_int_equal(yk_store_find(store, &saxpy, &sizes, &out), 0);
    setenv("YOKE_KB_DERIVE", "nearest", 1);
    reopen();
    assert_int_equal(yk_store_derive(store, &saxpy, &sizes, &out), 1);
    assert_true(out.devices[0].share == 0.0625);
    setenv("YOKE_KB_DERIVE", "neighbour", 1);
    assert_int_equal(yk_store_open(NULL, &none), YOKE_EINVAL);
    assert_string_equal(yoke_error_text(), "YOKE_KB_DERIVE: there is no method 'neighbour'; there "
                                           "are: model, nearest");
    unsetenv("YOKE_KB_DERIVE");
}

struct seen {
    int count, most;
    char text[400];
};

static int see(void *context, const struct yk_store_key *key, const struct yk_lesson *lesson)
{
    struct seen *seen = context;
    size_t used = strlen(seen->text);
    snprintf(seen->text + used, sizeof seen->text - used, "%s %s %llx %g; ", key->machine_text,
             key->name, (unsigned long long)key->subject, lesson->sizes.at[0]);
    return ++seen->count < seen->most;
}

static void see_all(const struct yk_store_filter *filter, struct seen *seen, int most)
{
    *seen = (struct seen){ .most = most };
    assert_int_equal(yk_store_each(store, filter, see, seen), YOKE_OK);
}

/* Two kernels on machine a, one on b. */
static void put_some(void)
{
    static const char *const machines[] = { "a", "a", "b" }, *const names[] = { "x", "y", "x" };
    for (unsigned i = 0; i < 3; i++) {
        struct yk_store_key key = { .machine = 1 + i / 2,
                                    .machine_text = machines[i],
                                    .subject = 0xa0 + i,
                                    .name = names[i],
                                    .subject_text = "" };
        struct yk_lesson lessons[2] = { lesson_of(2 * i, 10), lesson_of(2 * i + 1, 20) };
        assert_int_equal(yk_store_put(store, &key, lessons, 2), YOKE_OK);
    }
}

static void test_each(void **state)
{
    (void)state;
    struct seen seen;
    put_some();
    see_all(&(struct yk_store_filter){ 0 }, &seen, 99);
    assert_string_equal(seen.text, "a x a0 20; a x a0 10; a y a1 20; a y a1 10; "
                                   "b x a2 20; b x a2 10; ");
    see_all(&(struct yk_store_filter){ 0 }, &seen, 1);
    assert_string_equal(seen.text, "a x a0 20; ");
    see_all(&(struct yk_store_filter){ .machine = 1 }, &seen, 99);
    assert_int_equal(seen.count, 4);
    see_all(&(struct yk_store_filter){ .name = "x" }, &seen, 99);
    assert_int_equal(seen.count, 4);
    see_all(&(struct yk_store_filter){ .subject = 0xa1 }, &seen, 99);
    assert_int_equal(seen.count, 2);
    see_all(&(struct yk_store_filter){ .seen_before = 1001 }, &seen, 99);
    assert_int_equal(seen.count, 1);
    see_all(&(struct yk_store_filter){ .name = "x", .machine = 2, .seen_before = 1005 }, &seen, 9);
    assert_string_equal(seen.text, "b x a2 10; ");
}

static int64_t count_of(const char *table)
{
    char sql[64];
    sqlite3 *base;
    sqlite3_stmt *row;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
    assert_int_equal(sqlite3_open(place.path, &base), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(base, sql, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    int64_t count = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(base);
    return count;
}

static void test_forget(void **state)
{
    (void)state;
    struct seen seen;
    int64_t count = -1;
    put_some();
    assert_int_equal(
        yk_store_forget(store, &(struct yk_store_filter){ .name = "x", .machine = 1 }, &count),
        YOKE_OK);
    assert_int_equal(count, 2);
    see_all(&(struct yk_store_filter){ 0 }, &seen, 99);
    assert_int_equal(seen.count, 4);
    assert_int_equal(count_of("machines"), 2);
    assert_int_equal(count_of("subjects"), 2);
    assert_int_equal(yk_store_forget(store, &(struct yk_store_filter){ 0 }, &count), YOKE_OK);
    assert_int_equal(count, 4);
    assert_int_equal(count_of("machines"), 0);
    assert_int_equal(count_of("subjects"), 0);
    assert_int_equal(count_of("devices"), 0);
    assert_int_equal(yk_store_forget(store, &(struct yk_store_filter){ 0 }, &count), YOKE_OK);
    assert_int_equal(count, 0);
}

static void test_runs(void **state)
{
    (void)state;
    char text[16];
    assert_null(yk_store_run(store, 0));
    for (int i = 0; i < 20; i++) {
        snprintf(text, sizeof text, "{ \"run\": %d }", i);
        assert_int_equal(yk_store_put_run(store, text), YOKE_OK);
    }
    reopen();
    for (int back = 0; back < YK_STORE_RUNS; back++) {
        char *run = yk_store_run(store, back);
        snprintf(text, sizeof text, "{ \"run\": %d }", 19 - back);
        assert_string_equal(run, text);
        yk_free(run);
    }
    assert_null(yk_store_run(store, YK_STORE_RUNS));
    assert_null(yk_store_run(store, -1));
    char *long_text = calloc(1, (1 << 20) + 2);
    memset(long_text, ' ', (1 << 20) + 1);
    assert_int_equal(yk_store_put_run(store, long_text), YOKE_EINVAL);
    free(long_text);
}

/* The entries with the oldest time are removed; the new one is there; the file stays within its
 * limit. */
static void test_limit(void **state)
{
    (void)state;
    enum { LIMIT = 256 << 10, COUNT = 1000 };
    struct yk_store_spec spec = { .path = place.path, .limit_bytes = LIMIT };
    struct yk_lesson found;
    struct seen seen;
    struct stat info;
    yk_store_close(store);
    assert_int_equal(yk_store_open(&spec, &store), YOKE_OK);
    for (unsigned i = 0; i < COUNT; i++) {
        struct yk_lesson lesson = lesson_of(i, i);
        put(&lesson);
        assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    }
    assert_true(yk_store_bytes(store) <= LIMIT);
    see_all(&(struct yk_store_filter){ 0 }, &seen, INT32_MAX);
    assert_in_range(seen.count, 100, COUNT - 100);
    struct yk_lesson oldest_kept = lesson_of((unsigned)(COUNT - seen.count), COUNT - seen.count);
    assert_int_equal(yk_store_find(store, &saxpy, &oldest_kept.sizes, &found), 1);
    assert_int_equal(count_of("lessons"), seen.count);
    assert_true(count_of("devices") <= 4 * seen.count);
    reopen(); /* by default it may be larger */
    assert_int_equal(stat(place.path, &info), 0);
    assert_true(info.st_size <= LIMIT + (64 << 10));
    spec.limit_bytes = 1000;
    struct yk_store *none = NULL;
    assert_int_equal(yk_store_open(&spec, &none), YOKE_EINVAL);
    assert_null(none);
}

static void test_none(void **state)
{
    (void)state;
    struct yk_lesson lesson = lesson_of(1, 1);
    struct yk_lesson_list list = { .at = &lesson, .capacity = 1 };
    struct seen seen = { 0 };
    int64_t count = 0;
    assert_int_equal(yk_store_put(NULL, &saxpy, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_find(NULL, &saxpy, &lesson.sizes, &lesson), 0);
    yk_store_near(NULL, &saxpy, &lesson.sizes, &list);
    assert_int_equal(list.count, 0);
    assert_int_equal(yk_store_put_run(NULL, ""), YOKE_OK);
    assert_null(yk_store_run(NULL, 0));
    assert_int_equal(yk_store_each(NULL, &(struct yk_store_filter){ 0 }, see, &seen), YOKE_OK);
    assert_int_equal(yk_store_forget(NULL, &(struct yk_store_filter){ 0 }, &count), YOKE_OK);
    assert_int_equal(yk_store_bytes(NULL), 0);
    assert_string_equal(yk_store_path(NULL), "");
    yk_store_close(NULL);
}

static void test_only_for_the_user(void **state)
{
    (void)state;
    struct stat info;
    assert_int_equal(stat(place.path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(test_put_and_find),
        TEST(test_largest),
        TEST(test_merged),
        TEST(test_now),
        TEST(test_refused),
        TEST(test_several_subjects),
        TEST(test_near),
        TEST(test_each),
        TEST(test_forget),
        TEST(test_runs),
        TEST(test_limit),
        TEST(test_none),
        TEST(test_only_for_the_user),
        TEST(test_derive),
        TEST(test_clock_set_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
