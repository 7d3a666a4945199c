/* store_list.c - lists and removes all lessons, or those of a filter; keeps the size limit. */
#include <stdio.h>
#include <string.h>

#include "store_state.h"

enum { TRIM_STEP = 64, TRIM_STEPS = 16 };

/* ?1 machine, ?2 subject, ?3 name, ?4 seen before. */
#define FILTER                                                                                     \
    " (?1 = 0 OR machine = ?1) AND (?2 = 0 OR subject = ?2) AND (?4 = 0 OR seen < ?4) AND"         \
    " (?3 IS NULL OR subject IN (SELECT hash FROM subjects WHERE name = ?3))"

static int prepare(sqlite3 *base, const char *sql, const struct yk_store_filter *filter,
                   sqlite3_stmt **out)
{
    int code = sqlite3_prepare_v2(base, sql, -1, out, NULL);
    if (code != SQLITE_OK)
        return code;
    sqlite3_bind_int64(*out, 1, (int64_t)filter->machine);
    sqlite3_bind_int64(*out, 2, (int64_t)filter->subject);
    if (filter->name)
        sqlite3_bind_text(*out, 3, filter->name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(*out, 4, filter->seen_before);
    return SQLITE_OK;
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, YK_LESSON_COLUMN_COUNT + column);
    return text ? text : "";
}

static int tell_all(struct yk_store *store, sqlite3_stmt *row, yk_store_visit *visit, void *context)
{
    struct yk_lesson lesson;
    int go_on = 1;
    while (go_on && sqlite3_step(row) == SQLITE_ROW) {
        struct yk_store_key key = {
            .machine = (uint64_t)sqlite3_column_int64(row, YK_LESSON_COLUMN_COUNT),
            .machine_text = text_of(row, 1),
            .subject = (uint64_t)sqlite3_column_int64(row, YK_LESSON_COLUMN_COUNT + 2),
            .name = text_of(row, 3),
            .subject_text = text_of(row, 4),
            .partitioner = text_of(row, 5),
        };
        int code = yk_store_read_lesson(store, row, &lesson);
        if (code == SQLITE_OK)
            go_on = visit(context, &key, &lesson);
        else if (code != SQLITE_NOTFOUND)
            return code;
    }
    return sqlite3_reset(row);
}

yoke_status yk_store_each(struct yk_store *store, const struct yk_store_filter *filter,
                          yk_store_visit *visit, void *context)
{
    static const char sql[] =
        "SELECT " YK_LESSON_COLUMNS ", machine, machines.text, subject, subjects.name,"
        " subjects.text, subjects.partitioner FROM lessons JOIN machines ON machines.hash = machine"
        " JOIN subjects ON subjects.hash = subject WHERE" FILTER
        " ORDER BY machines.text, machine, subjects.name, subject, seen DESC, length(sizes) DESC, "
        "sizes DESC";
    sqlite3_stmt *row;
    yoke_status status = yk_store_begin(store);
    if (status != YOKE_OK)
        return status == YOKE_ENODEV ? YOKE_OK : status;
    int code = prepare(store->base, sql, filter, &row);
    if (code == SQLITE_OK)
        code = tell_all(store, row, visit, context);
    sqlite3_finalize(row);
    return yk_store_end(store, code);
}

static int run(sqlite3 *base, const char *sql)
{
    return sqlite3_exec(base, sql, NULL, NULL, NULL);
}

/* Removes subjects and machines without lessons. */
static int drop_unused(sqlite3 *base)
{
    return run(base, "DELETE FROM subjects WHERE NOT EXISTS"
                     " (SELECT 1 FROM lessons WHERE subject = hash);"
                     "DELETE FROM machines WHERE NOT EXISTS"
                     " (SELECT 1 FROM lessons WHERE machine = hash)");
}

struct forgetting {
    const struct yk_store_filter *filter;
    int64_t count;
};

static int forget(struct yk_store *store, void *context)
{
    struct forgetting *forgetting = context;
    sqlite3_stmt *drop;
    int code = prepare(store->base, "DELETE FROM lessons WHERE" FILTER, forgetting->filter, &drop);
    if (code == SQLITE_OK) {
        code = yk_store_step(drop);
        forgetting->count = sqlite3_changes(store->base);
    }
    sqlite3_finalize(drop);
    if (code == SQLITE_OK)
        code = run(store->base, "DELETE FROM devices WHERE lesson NOT IN (SELECT id FROM lessons)");
    if (code == SQLITE_OK)
        code = drop_unused(store->base);
    if (code == SQLITE_OK)
        code = run(store->base, "PRAGMA incremental_vacuum");
    return code;
}

yoke_status yk_store_forget(struct yk_store *store, const struct yk_store_filter *filter,
                            int64_t *count)
{
    struct forgetting forgetting = { .filter = filter };
    yoke_status status = yk_store_transact(store, forget, &forgetting);
    if (status == YOKE_ENODEV)
        status = YOKE_OK;
    if (status == YOKE_OK)
        *count = forgetting.count;
    return status;
}

/* Bytes in use, without free pages; -1: unknown, with SQLite's code in *code. */
static int64_t bytes_used(struct yk_store *store, int *code)
{
    sqlite3_stmt *row = yk_store_statement(store, YK_SQL_BYTES, code);
    int64_t bytes = -1;
    if (!row)
        return -1;
    if (sqlite3_step(row) == SQLITE_ROW)
        bytes = sqlite3_column_int64(row, 0);
    *code = sqlite3_reset(row);
    return bytes;
}

/* Call it within a transaction. Removes a limited number of lessons; the next put removes more. */
int yk_store_trim(struct yk_store *store)
{
    int code, steps = 0;
    int64_t enough = store->settings.limit_bytes;
    while (bytes_used(store, &code) > enough && code == SQLITE_OK && steps++ < TRIM_STEPS) {
        enough = store->settings.limit_bytes / 16 * 15;
        char sql[256];
        snprintf(sql, sizeof sql,
                 "DELETE FROM devices WHERE lesson IN"
                 " (SELECT id FROM lessons ORDER BY seen LIMIT %d);"
                 "DELETE FROM lessons WHERE id IN"
                 " (SELECT id FROM lessons ORDER BY seen LIMIT %d)",
                 TRIM_STEP, TRIM_STEP);
        code = run(store->base, sql);
        if (code != SQLITE_OK)
            return code;
    }
    if (steps > 0 && code == SQLITE_OK)
        code = drop_unused(store->base);
    if (steps > 0 && code == SQLITE_OK)
        code = run(store->base, "PRAGMA incremental_vacuum(512)");
    return code;
}

int64_t yk_store_bytes(struct yk_store *store)
{
    int code;
    if (yk_store_begin(store) != YOKE_OK)
        return 0;
    int64_t bytes = bytes_used(store, &code);
    yk_store_end(store, code);
    return bytes < 0 ? 0 : bytes;
}
