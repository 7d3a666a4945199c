/* lessons.h - lessons generated from a number, all different, and a store in a folder of the test's
 * own. */
#ifndef LESSONS_H
#define LESSONS_H

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "knowledge/record.h"
#include "knowledge/store.h"

struct place {
    char folder[64], path[96];
};

static inline void open_place(struct place *place)
{
    /* In memory, if there is such a folder: SQLite waits for disks, and the tests open many stores.
     */
    int memory = access("/dev/shm", W_OK | X_OK) == 0;
    strcpy(place->folder, memory ? "/dev/shm/yoke-kb-XXXXXX" : "/tmp/yoke-kb-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->path, sizeof place->path, "%s/knowledge.db", place->folder);
}

/* Number of files whose names begin with `prefix`; `drop`: removes them. */
static inline int files_of(const struct place *place, const char *prefix, int drop)
{
    DIR *folder = opendir(place->folder);
    int count = 0;
    for (struct dirent *item; folder && (item = readdir(folder));) {
        char path[400];
        if (item->d_name[0] == '.' || strncmp(item->d_name, prefix, strlen(prefix)) != 0)
            continue;
        count++;
        snprintf(path, sizeof path, "%s/%s", place->folder, item->d_name);
        if (drop)
            unlink(path);
    }
    if (folder)
        closedir(folder);
    return count;
}

static inline void close_place(struct place *place)
{
    files_of(place, "", 1);
    rmdir(place->folder);
}

static inline struct yk_store *open_store(const struct place *place)
{
    struct yk_store_spec spec = { .path = place->path };
    struct yk_store *store = NULL;
    assert_int_equal(yk_store_open(&spec, &store), YOKE_OK);
    assert_non_null(store);
    return store;
}

static inline void assert_works(struct yk_store *store)
{
    char why[YK_STORE_WHY];
    yk_store_trouble(store, why);
    assert_string_equal(why, "");
}

static const struct yk_store_key saxpy = { .machine = 0xfedcba9876543210u,
                                           .machine_text = "2 cores, no GPU",
                                           .subject = 0x8000000000000001u,
                                           .name = "saxpy",
                                           .subject_text = "saxpy, by auto" };

/* Deterministic: the same number gives the same lesson; `items` is its first size. */
static inline struct yk_lesson lesson_of(unsigned number, double items)
{
    struct yk_lesson lesson = { .sizes = { .count = 3, .at = { items, 4, 1.0 / 3 } },
                                .origin = (enum yk_origin)(number % 2 ? YK_ORIGIN_ADJUSTED
                                                                      : YK_ORIGIN_TRAINED),
                                .confirmed = 1,
                                .seen = 1000 + number,
                                .ns = 1e6 / 7 * (1 + number),
                                .team = 1 + number % 3,
                                .device_count = 2 + (int)(number % 3) };
    for (int d = 0; d < lesson.device_count; d++) {
        struct yk_lesson_device *device = &lesson.devices[d];
        snprintf(device->name, sizeof device->name, d ? "cuda:%d" : "cpu", d - 1);
        for (int i = 0; i < YK_FIGURES; i++)
            yk_figure_set(device, i, 1 / (1.0 + i + d + number));
        device->steady = d % 2;
    }
    return lesson;
}

static inline void assert_same_lesson(const struct yk_lesson *a, const struct yk_lesson *b)
{
    assert_int_equal(a->sizes.count, b->sizes.count);
    assert_memory_equal(a->sizes.at, b->sizes.at, sizeof(double) * (size_t)a->sizes.count);
    assert_int_equal(a->origin, b->origin);
    assert_int_equal(a->confirmed, b->confirmed);
    assert_int_equal(a->seen, b->seen);
    assert_true(a->ns == b->ns);
    assert_int_equal(a->team, b->team);
    assert_int_equal(a->device_count, b->device_count);
    for (int d = 0; d < a->device_count; d++) {
        assert_string_equal(a->devices[d].name, b->devices[d].name);
        for (int i = 0; i < YK_FIGURES; i++)
            assert_true(yk_figure_get(&a->devices[d], i) == yk_figure_get(&b->devices[d], i));
    }
}

static inline void assert_whole(const struct place *place)
{
    sqlite3 *base;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(place->path, &base), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(base, "PRAGMA integrity_check", -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(row, 0), "ok");
    sqlite3_finalize(row);
    sqlite3_close(base);
}

/* Checks that the lesson equals lesson_of its first size, except the number of confirmations. */
static inline void assert_made_up(const struct yk_lesson *lesson)
{
    struct yk_lesson same = lesson_of((unsigned)lesson->sizes.at[0], lesson->sizes.at[0]);
    assert_in_range(lesson->confirmed, 1, INT32_MAX);
    same.confirmed = lesson->confirmed;
    assert_same_lesson(lesson, &same);
}

#endif
