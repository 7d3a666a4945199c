/* store_lesson.c - reads lessons from rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "store_state.h"

enum { NEAR_MAX = 64 };

#define FROM_LESSONS "SELECT " YK_LESSON_COLUMNS " FROM lessons WHERE "

static const char *const texts[YK_SQL_COUNT] = {
    [YK_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [YK_SQL_COMMIT] = "COMMIT",
    [YK_SQL_ROLLBACK] = "ROLLBACK",
    [YK_SQL_FIND] = FROM_LESSONS "machine = ?1 AND subject = ?2 AND sizes = ?3",
    [YK_SQL_SIZES] = "SELECT id, sizes FROM lessons WHERE machine = ?1 AND subject = ?2"
                     " ORDER BY seen DESC LIMIT 1024",
    [YK_SQL_LESSON] = FROM_LESSONS "id = ?1",
    [YK_SQL_PUT_MACHINE] = "INSERT OR IGNORE INTO machines(hash, text) VALUES(?1, ?2)",
    [YK_SQL_PUT_SUBJECT] = "INSERT INTO subjects(hash, name, text, partitioner)"
                           " VALUES(?1, ?2, ?3, ?4) ON CONFLICT(hash)"
                           " DO UPDATE SET partitioner = ?4 WHERE partitioner = ''",
    [YK_SQL_PUT_LESSON] = "INSERT OR REPLACE INTO lessons(" YK_LESSON_COLUMNS ", machine, subject)"
                          " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [YK_SQL_DROP_DEVICES] = "DELETE FROM devices WHERE lesson = ?1",
    [YK_SQL_PUT_RUN] = "INSERT INTO runs(seen, text) VALUES(?1, ?2)",
    [YK_SQL_DROP_RUNS] = "DELETE FROM runs WHERE id NOT IN"
                         " (SELECT id FROM runs ORDER BY id DESC LIMIT ?1)",
    [YK_SQL_RUN] = "SELECT text FROM runs ORDER BY id DESC LIMIT 1 OFFSET ?1",
    [YK_SQL_BYTES] = "SELECT (page_count - freelist_count) * page_size FROM"
                     " pragma_page_count, pragma_freelist_count, pragma_page_size",
};

void yk_store_sql(enum yk_statement which, char sql[YK_SQL_TEXT])
{
    if (texts[which]) {
        snprintf(sql, YK_SQL_TEXT, "%s", texts[which]);
        return;
    }
    int put = which == YK_SQL_PUT_DEVICE;
    char *end = stpcpy(sql, put ? "INSERT INTO devices(lesson, place, name" : "SELECT name");
    for (int i = 0; i < YK_FIGURES; i++)
        end = stpcpy(stpcpy(end, ", "), yk_figures[i].name);
    if (!put) {
        stpcpy(end, " FROM devices WHERE lesson = ?1 ORDER BY place");
        return;
    }
    end = stpcpy(end, ") VALUES(?1, ?2, ?3");
    for (int i = 0; i < YK_FIGURES; i++)
        end = stpcpy(end, ", ?");
    stpcpy(end, ")");
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

static int read_devices(struct yk_store *store, int64_t id, struct yk_lesson *lesson)
{
    int code, count = 0;
    sqlite3_stmt *row = yk_store_statement(store, YK_SQL_DEVICES, &code);
    if (!row)
        return code;
    sqlite3_bind_int64(row, 1, id);
    for (; sqlite3_step(row) == SQLITE_ROW && count < YK_LESSON_DEVICES; count++) {
        struct yk_lesson_device *device = &lesson->devices[count];
        memset(device, 0, sizeof *device);
        snprintf(device->name, sizeof device->name, "%s", text_of(row, 0));
        for (int i = 0; i < YK_FIGURES; i++)
            yk_figure_set(device, i, sqlite3_column_double(row, 1 + i));
    }
    lesson->device_count = count;
    return sqlite3_reset(row);
}

int yk_store_read_lesson(struct yk_store *store, sqlite3_stmt *row, struct yk_lesson *lesson)
{
    uint64_t checksum = (uint64_t)sqlite3_column_int64(row, 7);
    int sound = yk_sizes_read(text_of(row, 1), &lesson->sizes);
    lesson->origin = (enum yk_origin)sqlite3_column_int(row, 2);
    lesson->confirmed = sqlite3_column_int64(row, 3);
    lesson->seen = sqlite3_column_int64(row, 4);
    lesson->ns = sqlite3_column_double(row, 5);
    lesson->team = (uint32_t)sqlite3_column_int64(row, 6);
    int code = read_devices(store, sqlite3_column_int64(row, 0), lesson);
    if (code != SQLITE_OK)
        return code;
    if (!sound || yk_lesson_wrong(lesson) || yk_lesson_checksum(lesson) != checksum) {
        yk_store_tell(store, YOKE_LOG_WARN, "a lesson in %s is damaged and is ignored",
                      store->settings.path);
        return SQLITE_NOTFOUND;
    }
    return SQLITE_OK;
}

/* Reads the only row, if there is one. */
static int read_one(struct yk_store *store, sqlite3_stmt *row, struct yk_store_row *out)
{
    int code = sqlite3_step(row);
    if (code == SQLITE_ROW) {
        out->id = sqlite3_column_int64(row, 0);
        code = yk_store_read_lesson(store, row, out->lesson);
        int ended = sqlite3_reset(row);
        return code != SQLITE_OK ? code : ended;
    }
    code = sqlite3_reset(row);
    return code == SQLITE_OK ? SQLITE_NOTFOUND : code;
}

int yk_store_look_up(struct yk_store *store, const struct yk_store_key *key,
                     const struct yk_sizes *sizes, struct yk_store_row *out)
{
    char text[YK_SIZES_TEXT];
    int code;
    sqlite3_stmt *row = yk_store_statement(store, YK_SQL_FIND, &code);
    if (!row)
        return code;
    yk_sizes_write(sizes, text);
    sqlite3_bind_int64(row, 1, (int64_t)key->machine);
    sqlite3_bind_int64(row, 2, (int64_t)key->subject);
    sqlite3_bind_text(row, 3, text, -1, SQLITE_STATIC);
    code = read_one(store, row, out);
    sqlite3_clear_bindings(row); /* `text` goes out of scope */
    return code;
}

int yk_store_find(struct yk_store *store, const struct yk_store_key *key,
                  const struct yk_sizes *sizes, struct yk_lesson *out)
{
    struct yk_store_row row = { .lesson = out };
    if (sizes->count < 0 || sizes->count > YK_SIZES_MAX || yk_store_begin(store) != YOKE_OK)
        return 0;
    int code = yk_store_look_up(store, key, sizes, &row);
    yk_store_end(store, code == SQLITE_NOTFOUND ? SQLITE_OK : code);
    return code == SQLITE_OK;
}

void yk_store_warm(struct yk_store *store)
{
    static const struct yk_store_key unknown;
    static const struct yk_sizes none;
    struct yk_lesson *room = yk_calloc(1, sizeof *room);
    int code;
    if (room)
        yk_store_find(store, &unknown, &none, room);
    yk_free(room);
    if (yk_store_begin(store) != YOKE_OK)
        return;
    yk_store_statement(store, YK_SQL_DEVICES, &code);
    yk_store_end(store, code);
}

struct nearby {
    int64_t id;
    double distance;
};
/* The nearest lessons, in order. */
struct neighbours {
    int count, most;
    struct nearby at[NEAR_MAX];
};

/* Inserts `one` if it is among the nearest. */
static void add_nearby(struct neighbours *nearest, struct nearby one)
{
    int at = nearest->count < nearest->most ? nearest->count++ : nearest->most - 1;
    if (at == nearest->most - 1 && nearest->count == nearest->most && nearest->at[at].id &&
        nearest->at[at].distance <= one.distance)
        return;
    for (; at > 0 && nearest->at[at - 1].distance > one.distance; at--)
        nearest->at[at] = nearest->at[at - 1];
    nearest->at[at] = one;
}

static int list_nearby(struct yk_store *store, const struct yk_store_key *key,
                       const struct yk_sizes *sizes, struct neighbours *out)
{
    int code;
    sqlite3_stmt *row = yk_store_statement(store, YK_SQL_SIZES, &code);
    if (!row)
        return code;
    sqlite3_bind_int64(row, 1, (int64_t)key->machine);
    sqlite3_bind_int64(row, 2, (int64_t)key->subject);
    while (sqlite3_step(row) == SQLITE_ROW) {
        struct yk_sizes theirs;
        struct nearby one = { .id = sqlite3_column_int64(row, 0) };
        if (!yk_sizes_read(text_of(row, 1), &theirs))
            continue;
        one.distance = yk_sizes_distance(sizes, &theirs);
        if (one.distance < INFINITY)
            add_nearby(out, one);
    }
    return sqlite3_reset(row);
}

void yk_store_near(struct yk_store *store, const struct yk_store_key *key,
                   const struct yk_sizes *sizes, struct yk_lesson_list *out)
{
    struct neighbours nearest = { .most = out->capacity < NEAR_MAX ? out->capacity : NEAR_MAX };
    int code;
    out->count = 0;
    if (nearest.most < 1 || yk_store_begin(store) != YOKE_OK)
        return;
    code = list_nearby(store, key, sizes, &nearest);
    for (int i = 0; i < nearest.count && code == SQLITE_OK; i++) {
        sqlite3_stmt *row = yk_store_statement(store, YK_SQL_LESSON, &code);
        if (!row)
            break;
        sqlite3_bind_int64(row, 1, nearest.at[i].id);
        code = read_one(store, row, &(struct yk_store_row){ .lesson = &out->at[out->count] });
        out->count += code == SQLITE_OK;
        if (code == SQLITE_NOTFOUND)
            code = SQLITE_OK;
    }
    yk_store_end(store, code);
}
