/* store.c - open, close, and the frame of every call. See store.h. */
#include <string.h>
#include <unistd.h>

#include "../base/alloc.h"
#include "../platform/clock.h"
#include "store_state.h"

static const int64_t quiet_ns = 100000000;
enum { FAILURES_MAX = 16, DOUBLINGS_MAX = 6 };

yoke_status yk_store_open(const struct yk_store_spec *spec, struct yk_store **out)
{
    struct yk_store *store = yk_calloc(1, sizeof *store);
    if (!store)
        return YOKE_ENOMEM;
    yoke_status status = yk_store_settings_read(spec, &store->settings);
    if (status == YOKE_OK)
        status = yk_mutex_open(&store->lock);
    if (status != YOKE_OK) {
        yk_free(store);
        return status;
    }
    store->owner = getpid();
    strcpy(store->why, store->settings.off);
    if (yk_store_begin(store) == YOKE_OK)
        yk_store_end(store, SQLITE_OK);
    *out = store;
    return YOKE_OK;
}

static int is_ours(const struct yk_store *store)
{
    return store && store->owner == getpid();
}

void yk_store_close(struct yk_store *store)
{
    struct yk_file_size guard;
    if (!is_ours(store)) /* a child of fork must not close files of its parent */
        return;
    yk_file_size_begin(&guard);
    store->deadline = yk_clock_ns() + store->settings.patience_ns;
    yk_store_close_file(store);
    yk_file_size_end(&guard);
    yk_mutex_close(&store->lock);
    yk_free(store);
}

void yk_store_trouble(struct yk_store *store, char why[YK_STORE_WHY])
{
    why[0] = 0;
    if (!is_ours(store)) {
        strcpy(why, "it was not opened");
        return;
    }
    yk_lock(&store->lock);
    if (!store->base)
        memcpy(why, store->why, YK_STORE_WHY);
    yk_unlock(&store->lock);
}

const char *yk_store_path(const struct yk_store *store)
{
    return store ? store->settings.path : "";
}

/* After each failure the store pauses for a longer time, and finally stops; jobs continue without
 * it. */
static void count_failure(struct yk_store *store)
{
    int doublings = store->failures < DOUBLINGS_MAX ? store->failures : DOUBLINGS_MAX;
    store->quiet_until = yk_clock_ns() + (quiet_ns << doublings);
    if (++store->failures == FAILURES_MAX)
        store->given_up = 1;
}

static yoke_status see_that_it_is_open(struct yk_store *store)
{
    if (!store->settings.path[0] || (store->given_up && !store->base))
        return YOKE_ENODEV;
    if (store->deadline - store->settings.patience_ns < store->quiet_until) /* left side: now */
        return YOKE_EBUSY;
    if (store->base || yk_store_open_file(store) == SQLITE_OK)
        return YOKE_OK;
    count_failure(store);
    return store->given_up ? YOKE_ENODEV : YOKE_EBUSY;
}

yoke_status yk_store_begin(struct yk_store *store)
{
    if (!is_ours(store))
        return YOKE_ENODEV;
    yk_lock(&store->lock);
    yk_file_size_begin(&store->guard);
    store->deadline = yk_clock_ns() + store->settings.patience_ns;
    yoke_status status = see_that_it_is_open(store);
    if (status != YOKE_OK) {
        yk_file_size_end(&store->guard);
        yk_unlock(&store->lock);
    }
    return status;
}

/* With the lock held: decides what `code` means for later calls. */
static yoke_status judge(struct yk_store *store, int code)
{
    switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        store->failures = 0;
        return YOKE_OK;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        count_failure(store);
        return yk_fail(YOKE_EBUSY, "%s is in use by other processes; try again",
                       store->settings.path);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        yk_store_set_aside(store);
        return yk_fail(YOKE_EIO, "%s", store->why);
    case SQLITE_NOMEM:
        return yk_fail(YOKE_ENOMEM, "no memory for SQLite");
    case SQLITE_INTERRUPT:
        store->given_up = 1;
        yk_store_tell(store, YOKE_LOG_WARN,
                      "%s takes seconds to answer, so it is not used; remove it, or have YOKE_KB "
                      "name another",
                      store->settings.path);
        return yk_fail(YOKE_EIO, "%s", store->why);
    default:
        if ((code & 0xff) != SQLITE_READONLY)
            count_failure(store);
        yk_store_tell(store, YOKE_LOG_INFO, "%s cannot be used: %s", store->settings.path,
                      sqlite3_errstr(code));
        return yk_fail(YOKE_EIO,
                       "%s cannot be used: %s; see that there is room and that it may "
                       "be written",
                       store->settings.path, sqlite3_errstr(code));
    }
}

yoke_status yk_store_end(struct yk_store *store, int code)
{
    yoke_status status = judge(store, code);
    yk_file_size_end(&store->guard);
    yk_unlock(&store->lock);
    return status;
}

static int run(struct yk_store *store, enum yk_statement which)
{
    int code = SQLITE_OK;
    sqlite3_stmt *statement = yk_store_statement(store, which, &code);
    return statement ? yk_store_step(statement) : code;
}

static int write_all(struct yk_store *store, yk_store_write *write, void *context)
{
    int code = run(store, YK_SQL_BEGIN);
    if (code != SQLITE_OK)
        return code;
    code = write(store, context);
    if (code == SQLITE_OK)
        code = yk_store_trim(store);
    if (code == SQLITE_OK)
        code = run(store, YK_SQL_COMMIT);
    if (code != SQLITE_OK)
        run(store, YK_SQL_ROLLBACK); /* SQLite may have done that itself */
    return code;
}

yoke_status yk_store_transact(struct yk_store *store, yk_store_write *write, void *context)
{
    for (int again = 1;; again = 0) {
        yoke_status status = yk_store_begin(store);
        if (status != YOKE_OK)
            return status;
        if (yk_store_has_moved(store)) { /* another process removed the file: what is put now
                                          * would be lost */
            yk_store_close_file(store);
            status = yk_store_open_file(store) == SQLITE_OK ? YOKE_OK : YOKE_EBUSY;
        }
        int code = status == YOKE_OK ? write_all(store, write, context) : SQLITE_BUSY;
        int damaged = (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
        status = yk_store_end(store, code);
        if (!damaged || !again)
            return status;
    }
}

sqlite3_stmt *yk_store_statement(struct yk_store *store, enum yk_statement which, int *code)
{
    sqlite3_stmt **statement = &store->statements[which];
    char sql[YK_SQL_TEXT];
    *code = SQLITE_OK;
    if (!*statement) {
        yk_store_sql(which, sql);
        *code =
            sqlite3_prepare_v3(store->base, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
    }
    return *statement;
}

int yk_store_step(sqlite3_stmt *statement)
{
    sqlite3_step(statement);
    return sqlite3_reset(statement); /* returns the error of the step */
}

int64_t yk_store_number(sqlite3 *base, const char *sql)
{
    sqlite3_stmt *statement;
    int64_t number = -1;
    if (sqlite3_prepare_v2(base, sql, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    if (sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    if (sqlite3_finalize(statement) != SQLITE_OK)
        number = -1;
    return number;
}
