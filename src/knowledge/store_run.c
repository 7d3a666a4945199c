/* store_run.c - reports of the latest runs. */
#include <string.h>
#include <time.h>

#include "../base/alloc.h"
#include "store_state.h"

enum { TEXT_MAX = 1 << 20 };

static int put_run(struct yk_store *store, void *context)
{
    int code;
    sqlite3_stmt *put = yk_store_statement(store, YK_SQL_PUT_RUN, &code);
    if (!put)
        return code;
    sqlite3_bind_int64(put, 1, time(NULL));
    sqlite3_bind_text(put, 2, context, -1, SQLITE_STATIC);
    code = yk_store_step(put);
    sqlite3_clear_bindings(put);
    sqlite3_stmt *drop =
        code == SQLITE_OK ? yk_store_statement(store, YK_SQL_DROP_RUNS, &code) : NULL;
    if (!drop)
        return code;
    sqlite3_bind_int(drop, 1, YK_STORE_RUNS);
    return yk_store_step(drop);
}

yoke_status yk_store_put_run(struct yk_store *store, const char *text)
{
    if (strlen(text) > TEXT_MAX)
        return yk_fail(YOKE_EINVAL, "the description of a run is longer than 1 MiB");
    yoke_status status = yk_store_transact(store, put_run, (void *)text);
    return status == YOKE_ENODEV ? YOKE_OK : status;
}

char *yk_store_run(struct yk_store *store, int back)
{
    char *text = NULL;
    int code;
    if (yk_store_begin(store) != YOKE_OK)
        return NULL;
    sqlite3_stmt *row = yk_store_statement(store, YK_SQL_RUN, &code);
    if (row) {
        sqlite3_bind_int(row, 1, back);
        if (back >= 0 && sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0))
            text = yk_strdup((const char *)sqlite3_column_text(row, 0));
        code = sqlite3_reset(row);
    }
    yk_store_end(store, code);
    return text;
}
