/* store_state.h - the store's internals. Files: store.c (open, close, the frame of every call),
 * store_settings.c (options), store_file.c (the file and its problems), store_schema.c (tables and
 * their versions), store_lesson.c (find, near), store_put.c, store_derive.c, store_list.c (each,
 * forget, the size limit), store_run.c.
 *
 * Every call is `begin`, statements, `end`: begin takes the lock and makes sure that the file is
 * open; end decides what a failure means for later calls.
 */
#ifndef YK_KNOWLEDGE_STORE_STATE_H
#define YK_KNOWLEDGE_STORE_STATE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "../base/status.h"
#include "../platform/file_size.h"
#include "../platform/thread.h"
#include "record.h"
#include "store_settings.h"

/* SQL statements (texts in store_lesson.c): prepared at first use, kept until the file is closed.
 */
enum yk_statement {
    YK_SQL_BEGIN,
    YK_SQL_COMMIT,
    YK_SQL_ROLLBACK,
    YK_SQL_FIND,    /* machine, subject, sizes */
    YK_SQL_DEVICES, /* lesson */
    YK_SQL_SIZES,   /* machine, subject */
    YK_SQL_LESSON,  /* id */
    YK_SQL_PUT_MACHINE,
    YK_SQL_PUT_SUBJECT,
    YK_SQL_PUT_LESSON, /* the lesson's columns, machine, subject */
    YK_SQL_PUT_DEVICE, /* lesson, place, name, figures */
    YK_SQL_DROP_DEVICES,
    YK_SQL_PUT_RUN, /* time, text */
    YK_SQL_DROP_RUNS,
    YK_SQL_RUN, /* number of runs back */
    YK_SQL_BYTES,
    YK_SQL_COUNT
};
enum { YK_SQL_TEXT = 512 };
void yk_store_sql(enum yk_statement which, char sql[YK_SQL_TEXT]);

struct yk_store {
    yk_mutex lock;
    struct yk_store_settings settings; /* fixed after open, like the owner */
    pid_t owner;
    /* Protected by `lock`. */
    sqlite3 *base; /* NULL: not open; why[] says why, or it will be opened */
    sqlite3_stmt *statements[YK_SQL_COUNT]; /* prepared at first use */
    int given_up;                           /* 1: it will not be opened again */
    int set_aside;                          /* number of files set aside */
    int failures;                           /* number of failures in a row */
    int told;                               /* number of problems logged */
    int64_t deadline;                       /* time until which the present call may wait */
    int64_t quiet_until;                    /* after failures, not used before this time */
    char why[YK_STORE_WHY];
    struct yk_file_size guard;
};

/* YOKE_OK: the file is open and the call may continue, with the lock held until end. YOKE_ENODEV:
 * there is no file; YOKE_EBUSY: not now. */
yoke_status yk_store_begin(struct yk_store *store);
/* `code`: SQLite's latest code; returns the status for it. */
yoke_status yk_store_end(struct yk_store *store, int code);
/* Runs `write` between begin and end as one transaction: all or nothing. `write` returns SQLite's
 * code. Tries once more if the file had to be set aside. */
typedef int yk_store_write(struct yk_store *store, void *context);
yoke_status yk_store_transact(struct yk_store *store, yk_store_write *write, void *context);

/* A statement ready to bind; NULL if it cannot be prepared, with SQLite's code in *code. */
sqlite3_stmt *yk_store_statement(struct yk_store *store, enum yk_statement which, int *code);
/* Runs a statement that returns no rows, and resets it. */
int yk_store_step(sqlite3_stmt *statement);
/* One number from an SQL query without parameters; -1 if there is none. */
int64_t yk_store_number(sqlite3 *base, const char *sql);

/* store_file.c: opens the file; SQLITE_OK if it is open, otherwise why[] has the reason. */
int yk_store_open_file(struct yk_store *store);
void yk_store_close_file(struct yk_store *store);
/* Renames the damaged file, unless another process has done so. */
void yk_store_set_aside(struct yk_store *store);
/* Returns 1 if the open file was removed or renamed. */
int yk_store_has_moved(struct yk_store *store);
/* Stores the reason in why[], and logs the first one. */
void yk_store_tell(struct yk_store *store, yoke_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* store_schema.c: the contents of a file. */
enum yk_schema_found {
    YK_SCHEMA_CURRENT,
    YK_SCHEMA_OLDER, /* or still empty */
    YK_SCHEMA_NEWER,
    YK_SCHEMA_FOREIGN, /* of another program */
    YK_SCHEMA_FAILED   /* *code has the reason */
};
enum yk_schema_found yk_schema_look(sqlite3 *base, int *code);
/* Migrates from any older version to this one, in one transaction. */
int yk_schema_bring(sqlite3 *base);

/* store_lesson.c: converts a row of YK_LESSON_COLUMNS to a lesson: SQLITE_OK; SQLITE_NOTFOUND if
 * its checksum is wrong. */
#define YK_LESSON_COLUMNS "id, sizes, origin, confirmed, seen, ns, team, checksum"
enum { YK_LESSON_COLUMN_COUNT = 8 };
int yk_store_read_lesson(struct yk_store *store, sqlite3_stmt *row, struct yk_lesson *lesson);
/* A row of lessons. */
struct yk_store_row {
    int64_t id;
    struct yk_lesson *lesson; /* memory of the caller, filled from the row */
};
/* The lesson of these sizes: SQLITE_OK; SQLITE_NOTFOUND: there is none, or a damaged one. The id is
 * set if there is a row. */
int yk_store_look_up(struct yk_store *store, const struct yk_store_key *key,
                     const struct yk_sizes *sizes, struct yk_store_row *out);

/* store_list.c: keeps the file within its limit. */
int yk_store_trim(struct yk_store *store);

#endif
