/* store_schema.c - the tables, as a sequence of migration steps.
 *
 * Step N converts a file of version N - 1 to version N; a new file takes all steps, so old and new
 * files are the same by construction. A released step never changes. The version is SQLite's
 * user_version; application_id marks the file as yoke's.
 */
#include <stdio.h>

#include "store_state.h"

enum { APPLICATION_ID = 0x796f6b65 }; /* "yoke" */

static const char *const steps[] = {
    /* 1: lessons. Hashes are 64 bits, which SQLite stores as signed integers. */
    "CREATE TABLE machines(hash INTEGER PRIMARY KEY, text TEXT NOT NULL);"
    "CREATE TABLE subjects(hash INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);"
    "CREATE TABLE lessons(id INTEGER PRIMARY KEY, machine INTEGER NOT NULL,"
    " subject INTEGER NOT NULL, sizes TEXT NOT NULL, origin INTEGER NOT NULL,"
    " confirmed INTEGER NOT NULL, seen INTEGER NOT NULL, ns REAL NOT NULL, team INTEGER NOT NULL,"
    " checksum INTEGER NOT NULL, UNIQUE(machine, subject, sizes));"
    "CREATE TABLE devices(lesson INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL,"
    " item_ns REAL, fixed_ns REAL, rate REAL, chunk_ns REAL, share REAL, copied_bytes REAL,"
    " spread REAL, grain REAL, link_bytes_per_ns REAL, steady REAL,"
    " PRIMARY KEY(lesson, place)) WITHOUT ROWID;",
    /* 2: reports of the latest runs; an index for the lessons seen longest ago. */
    "CREATE TABLE runs(id INTEGER PRIMARY KEY AUTOINCREMENT, seen INTEGER NOT NULL,"
    " text TEXT NOT NULL);"
    "CREATE INDEX lessons_seen ON lessons(seen);"
    "CREATE INDEX lessons_subject ON lessons(subject);",
    /* 3: the faster one of two kernels. */
    "ALTER TABLE devices ADD COLUMN form REAL;",
    /* 4: the partitioner of jobs; '': a subject written by an older yoke. */
    "ALTER TABLE subjects ADD COLUMN partitioner TEXT NOT NULL DEFAULT '';",
    /* 5: how sure a line is. */
    ("ALTER TABLE devices ADD COLUMN item_half_ns REAL;"
     "ALTER TABLE devices ADD COLUMN off REAL;"),
    /* 6: costs of parts whose rows are in place, and the best set of devices for them. */
    ("ALTER TABLE devices ADD COLUMN stay_item_ns REAL;"
     "ALTER TABLE devices ADD COLUMN stay_chunk_ns REAL;"
     "ALTER TABLE devices ADD COLUMN stay_error REAL;"
     "ALTER TABLE devices ADD COLUMN stay_noise REAL;"
     "ALTER TABLE devices ADD COLUMN stays REAL;"),
};

static const int newest = (int)(sizeof steps / sizeof *steps);

enum yk_schema_found yk_schema_look(sqlite3 *base, int *code)
{
    int64_t tables = yk_store_number(base, "SELECT count(*) FROM sqlite_master");
    int64_t application = yk_store_number(base, "PRAGMA application_id");
    int64_t version = yk_store_number(base, "PRAGMA user_version");
    if (tables < 0 || application < 0 || version < 0) {
        *code = sqlite3_errcode(base);
        return *code == SQLITE_OK ? YK_SCHEMA_FOREIGN : YK_SCHEMA_FAILED; /* a negative number */
    }
    *code = SQLITE_OK;
    if (application != APPLICATION_ID && (application != 0 || version != 0 || tables != 0))
        return YK_SCHEMA_FOREIGN;
    if (version > newest)
        return YK_SCHEMA_NEWER;
    return version < newest ? YK_SCHEMA_OLDER : YK_SCHEMA_CURRENT;
}

static int run(sqlite3 *base, const char *sql)
{
    return sqlite3_exec(base, sql, NULL, NULL, NULL);
}

int yk_schema_bring(sqlite3 *base)
{
    char stamp[96];
    int code = run(base, "BEGIN IMMEDIATE");
    if (code != SQLITE_OK)
        return code;
    int64_t version = yk_store_number(base, "PRAGMA user_version");
    if (version < 0)
        code = sqlite3_errcode(base);
    for (; code == SQLITE_OK && version < newest; version++)
        code = run(base, steps[version]);
    snprintf(stamp, sizeof stamp, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             APPLICATION_ID, newest);
    if (code == SQLITE_OK)
        code = run(base, stamp);
    if (code == SQLITE_OK)
        code = run(base, "COMMIT");
    if (code != SQLITE_OK)
        run(base, "ROLLBACK");
    return code;
}
