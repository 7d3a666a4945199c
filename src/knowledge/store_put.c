/* store_put.c - writes lessons to rows, any number in one transaction. */
#include <time.h>

#include "../base/alloc.h"
#include "store_state.h"

static int put_devices(struct yk_store *store, int64_t id, const struct yk_lesson *lesson)
{
    int code;
    sqlite3_stmt *drop = yk_store_statement(store, YK_SQL_DROP_DEVICES, &code);
    if (!drop)
        return code;
    sqlite3_bind_int64(drop, 1, id);
    code = yk_store_step(drop);
    for (int d = 0; d < lesson->device_count && code == SQLITE_OK; d++) {
        sqlite3_stmt *put = yk_store_statement(store, YK_SQL_PUT_DEVICE, &code);
        if (!put)
            return code;
        sqlite3_bind_int64(put, 1, id);
        sqlite3_bind_int(put, 2, d);
        sqlite3_bind_text(put, 3, lesson->devices[d].name, -1, SQLITE_TRANSIENT);
        for (int i = 0; i < YK_FIGURES; i++)
            sqlite3_bind_double(put, 4 + i, yk_figure_get(&lesson->devices[d], i));
        code = yk_store_step(put);
    }
    return code;
}

/* `id` 0: a new row. */
static int put_row(struct yk_store *store, const struct yk_store_key *key, int64_t id,
                   const struct yk_lesson *lesson)
{
    char sizes[YK_SIZES_TEXT];
    int code;
    sqlite3_stmt *put = yk_store_statement(store, YK_SQL_PUT_LESSON, &code);
    if (!put)
        return code;
    yk_sizes_write(&lesson->sizes, sizes);
    if (id)
        sqlite3_bind_int64(put, 1, id);
    else
        sqlite3_bind_null(put, 1);
    sqlite3_bind_text(put, 2, sizes, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(put, 3, lesson->origin);
    sqlite3_bind_int64(put, 4, lesson->confirmed);
    sqlite3_bind_int64(put, 5, lesson->seen);
    sqlite3_bind_double(put, 6, lesson->ns);
    sqlite3_bind_int64(put, 7, lesson->team);
    sqlite3_bind_int64(put, 8, (int64_t)yk_lesson_checksum(lesson));
    sqlite3_bind_int64(put, 9, (int64_t)key->machine);
    sqlite3_bind_int64(put, 10, (int64_t)key->subject);
    code = yk_store_step(put);
    if (code == SQLITE_OK)
        code = put_devices(store, sqlite3_last_insert_rowid(store->base), lesson);
    return code;
}

static int put_key(struct yk_store *store, const struct yk_store_key *key)
{
    int code;
    sqlite3_stmt *machine = yk_store_statement(store, YK_SQL_PUT_MACHINE, &code);
    if (!machine)
        return code;
    sqlite3_bind_int64(machine, 1, (int64_t)key->machine);
    sqlite3_bind_text(machine, 2, key->machine_text ? key->machine_text : "", -1, SQLITE_TRANSIENT);
    code = yk_store_step(machine);
    if (code != SQLITE_OK)
        return code;
    sqlite3_stmt *subject = yk_store_statement(store, YK_SQL_PUT_SUBJECT, &code);
    if (!subject)
        return code;
    sqlite3_bind_int64(subject, 1, (int64_t)key->subject);
    sqlite3_bind_text(subject, 2, key->name ? key->name : "", -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(subject, 3, key->subject_text ? key->subject_text : "", -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(subject, 4, key->partitioner ? key->partitioner : "", -1, SQLITE_TRANSIENT);
    return yk_store_step(subject);
}

static int is_same_key(const struct yk_store_key *a, const struct yk_store_key *b)
{
    return a->machine == b->machine && a->subject == b->subject;
}

struct putting {
    const struct yk_store_entry *entries;
    int count;
    int64_t now;
    struct yk_lesson fresh, kept; /* scratch */
};

/* Merges the entry into the stored lesson. */
static int put_lesson(struct yk_store *store, const struct yk_store_entry *entry,
                      struct putting *putting)
{
    struct yk_lesson *fresh = &putting->fresh, *kept = &putting->kept;
    struct yk_store_row row = { .lesson = kept };
    int code = yk_store_look_up(store, &entry->key, &entry->lesson->sizes, &row);
    *fresh = *entry->lesson;
    if (!fresh->seen)
        fresh->seen = putting->now;
    if (code == SQLITE_OK) {
        if (kept->seen > putting->now) /* written while the clock was wrong */
            kept->seen = putting->now;
        yk_lesson_merge(kept, fresh);
    } else if (code == SQLITE_NOTFOUND) /* missing or damaged */
        *kept = *fresh;
    else
        return code;
    return put_row(store, &entry->key, row.id, kept);
}

static int put_entries(struct yk_store *store, void *context)
{
    struct putting *putting = context;
    const struct yk_store_key *there = NULL;
    int code = SQLITE_OK;
    for (int i = 0; i < putting->count && code == SQLITE_OK; i++) {
        const struct yk_store_entry *entry = &putting->entries[i];
        if (yk_lesson_wrong(entry->lesson))
            continue;
        if (!there || !is_same_key(there, &entry->key))
            code = put_key(store, &entry->key);
        there = &entry->key;
        if (code == SQLITE_OK)
            code = put_lesson(store, entry, putting);
    }
    return code;
}

/* The first entry that is left out; NULL: none. */
static const struct yk_store_entry *wrong_one(const struct yk_store_entry *entries, int count)
{
    for (int i = 0; i < count; i++)
        if (yk_lesson_wrong(entries[i].lesson))
            return &entries[i];
    return NULL;
}

yoke_status yk_store_put_all(struct yk_store *store, const struct yk_store_entry *entries,
                             int count)
{
    if (!store || count < 1)
        return YOKE_OK;
    struct putting *putting = yk_calloc(1, sizeof *putting);
    if (!putting)
        return YOKE_ENOMEM;
    putting->entries = entries;
    putting->count = count;
    putting->now = time(NULL);
    yoke_status status = yk_store_transact(store, put_entries, putting);
    yk_free(putting);
    if (status == YOKE_ENODEV)
        status = YOKE_OK;
    const struct yk_store_entry *wrong = wrong_one(entries, count);
    if (status == YOKE_OK && wrong)
        status = yk_fail(YOKE_EINVAL, "%s: a lesson %s; it was not kept", wrong->key.name,
                         yk_lesson_wrong(wrong->lesson));
    return status;
}

yoke_status yk_store_put(struct yk_store *store, const struct yk_store_key *key,
                         const struct yk_lesson *lessons, int count)
{
    if (!store || count < 1)
        return YOKE_OK;
    struct yk_store_entry *entries = yk_calloc((size_t)count, sizeof *entries);
    if (!entries)
        return YOKE_ENOMEM;
    for (int i = 0; i < count; i++)
        entries[i] = (struct yk_store_entry){ .key = *key, .lesson = &lessons[i] };
    yoke_status status = yk_store_put_all(store, entries, count);
    yk_free(entries);
    return status;
}
