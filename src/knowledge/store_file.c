/* store_file.c - opens the file, and handles one that cannot be used.
 *
 * The lock file is PATH-lock. A process that opens the file holds the lock shared until SQLite has
 * all its files open (PATH, PATH-wal, PATH-shm). A process that sets a damaged file aside, or makes
 * or changes tables, holds it exclusively. So no process opens the log of one file with the pages
 * of another. While the file is in use the lock is free.
 *
 * An open file is never opened a second time here, not even to read it: when a process closes any
 * descriptor of a file, it loses all of SQLite's locks on it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/alloc.h"
#include "../platform/cache_folder.h"
#include "../platform/clock.h"
#include "store_state.h"

enum { CORRUPT_KEPT = 9, TRIES = 4, WAIT_NS = 500000 };
/* SQLite virtual machine steps between two looks at the clock: some 0.1 ms. */
enum { QUERY_STEPS = 10000 };
/* Longest time of a query, in addition to the patience for other processes. The slowest call,
 * counting a million lessons, takes 0.1 s. */
static const int64_t QUERY_NS = 2000000000;

void yk_store_tell(struct yk_store *store, yoke_log_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(store->why, sizeof store->why, format, arguments);
    va_end(arguments);
    if (!store->told++)
        yk_log(level, "knowledge base: %s", store->why);
}

/* SQLite calls this again and again, until it returns 0. */
static int wait_for_others(void *context, int tries)
{
    const struct yk_store *store = context;
    if (yk_clock_ns() >= store->deadline)
        return 0;
    yk_clock_sleep_ns(WAIT_NS / 4 * (1 + (tries + store->owner) % 8));
    return 1;
}

/* No call runs for ever, even on a damaged file. */
static int takes_too_long(void *context)
{
    const struct yk_store *store = context;
    return yk_clock_ns() > store->deadline + QUERY_NS;
}

enum lock_result { LOCK_HAD, LOCK_BUSY, LOCK_NONE };

/* `how`: LOCK_SH or LOCK_EX. LOCK_NONE: this file system has no such locks, or the folder is
 * read-only (then *file is -1). */
static enum lock_result lock_file(const struct yk_store *store, int how, int *file)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s-lock", store->settings.path);
    *file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*file < 0)
        return LOCK_NONE;
    for (int tries = 0; flock(*file, how | LOCK_NB) != 0; tries++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return LOCK_NONE;
        if (!wait_for_others((void *)store, tries))
            return LOCK_BUSY;
    }
    return LOCK_HAD;
}

static void unlock_file(int file)
{
    if (file >= 0)
        close(file);
}

static char *put_escaped(char *to, const char *from)
{
    static const char digits[] = "0123456789abcdef";
    for (; *from; from++) {
        if (strchr("%?#&", *from)) {
            *to++ = '%';
            *to++ = digits[(unsigned char)*from / 16];
            *to++ = digits[(unsigned char)*from % 16];
        } else {
            *to++ = *from;
        }
    }
    *to = 0;
    return to;
}

/* A new file gets the mode of its lock file: accessible to this user only. */
static char *make_uri(const struct yk_store *store, const char *mode)
{
    char *uri = yk_calloc(1, 6 * strlen(store->settings.path) + 96);
    if (!uri)
        return NULL;
    char *end = put_escaped(stpcpy(uri, "file:"), store->settings.path);
    end = stpcpy(stpcpy(end, "?"), mode);
    if (!strcmp(mode, "mode=rwc"))
        stpcpy(put_escaped(stpcpy(end, "&modeof="), store->settings.path), "-lock");
    return uri;
}

/* SQLite opens the file only at the first query. */
static int connect_base(struct yk_store *store, const char *mode)
{
    char *uri = make_uri(store, mode);
    if (!uri)
        return SQLITE_NOMEM;
    int code = sqlite3_open_v2(uri, &store->base,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI |
                                   SQLITE_OPEN_NOMUTEX,
                               store->settings.vfs);
    yk_free(uri);
    if (code != SQLITE_OK) {
        sqlite3_close(store->base);
        store->base = NULL;
        return code & 0xff;
    }
    sqlite3_busy_handler(store->base, wait_for_others, store);
    /* A file's own triggers and views are programs; yoke has none, so they are disabled. */
    sqlite3_db_config(store->base, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->base, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->base, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(store->base, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_progress_handler(store->base, QUERY_STEPS, takes_too_long, store);
    return SQLITE_OK;
}

void yk_store_close_file(struct yk_store *store)
{
    for (int i = 0; i < YK_SQL_COUNT; i++) {
        sqlite3_finalize(store->statements[i]);
        store->statements[i] = NULL;
    }
    sqlite3_close(store->base);
    store->base = NULL;
}

int yk_store_has_moved(struct yk_store *store)
{
    int moved = 0;
    return sqlite3_file_control(store->base, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved;
}

/* The log goes first: SQLite would apply an old log to a new file beside it. */
static int rename_all(const struct yk_store *store, const char *to)
{
    static const char *const ends[] = { "-wal", "-shm", "-journal" };
    char from_end[PATH_MAX + 16], to_end[PATH_MAX + 32];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(from_end, sizeof from_end, "%s%s", store->settings.path, ends[i]);
        snprintf(to_end, sizeof to_end, "%s%s", to, ends[i]);
        if (rename(from_end, to_end) != 0 && errno != ENOENT)
            return 0;
    }
    return rename(store->settings.path, to) == 0;
}

/* Call it with the lock held exclusively. */
static void move_away(struct yk_store *store)
{
    char to[PATH_MAX + 16];
    for (int n = 1; n <= CORRUPT_KEPT; n++) {
        snprintf(to, sizeof to, "%s.corrupt-%d", store->settings.path, n);
        if (access(to, F_OK) != 0)
            break;
    }
    if (rename_all(store, to)) {
        yk_store_tell(store, YOKE_LOG_WARN,
                      "%s was damaged or no database; it is now %s, and a new one is begun",
                      store->settings.path, to);
    } else {
        store->given_up = 1;
        yk_store_tell(store, YOKE_LOG_WARN,
                      "%s is damaged or no database, and cannot be set aside: %s; remove it",
                      store->settings.path, strerror(errno));
    }
}

void yk_store_set_aside(struct yk_store *store)
{
    int file;
    enum lock_result lock = lock_file(store, LOCK_EX, &file);
    if (lock != LOCK_HAD) {
        store->given_up = lock == LOCK_NONE;
        yk_store_tell(store, YOKE_LOG_WARN, "%s is damaged or no database; remove it",
                      store->settings.path);
    } else if (!yk_store_has_moved(store)) {
        if (store->set_aside++ < TRIES)
            move_away(store);
        else
            store->given_up = 1;
    }
    yk_store_close_file(store); /* it was renamed: SQLite does not touch files that now have its
                                 * names */
    unlock_file(file);
}

/* Returns 1 if another process's log must be read with the file, so that it is not immutable. */
static int has_log(const struct yk_store *store)
{
    char path[PATH_MAX + 8];
    struct stat info;
    snprintf(path, sizeof path, "%s-wal", store->settings.path);
    return stat(path, &info) == 0 && info.st_size > 0;
}

/* For a folder that is not writable. */
static int open_read_only(struct yk_store *store)
{
    int code = SQLITE_CANTOPEN;
    if (access(store->settings.path, R_OK) != 0)
        return code;
    code = connect_base(store, has_log(store) ? "mode=ro" : "mode=ro&immutable=1");
    if (code == SQLITE_OK && yk_schema_look(store->base, &code) != YK_SCHEMA_CURRENT &&
        code == SQLITE_OK)
        code = SQLITE_READONLY; /* older, newer or foreign */
    if (code != SQLITE_OK)
        yk_store_close_file(store);
    return code & 0xff;
}

/* Errors of these statements are ignored: what fails here fails again where it matters.
 *
 * No call waits for the disk: otherwise a program that ends would wait 1 to 100 ms. A process that
 * is killed still leaves the file whole. If the machine goes down within seconds of a write the
 * file may be damaged: it is then set aside, and damaged rows are not used. */
static void settle(const struct yk_store *store)
{
    int shared = yk_is_shared_by_machines(store->settings.path);
    sqlite3_exec(store->base,
                 "PRAGMA synchronous = OFF; PRAGMA auto_vacuum = INCREMENTAL;"
                 "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
                 "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -1024;"
                 "PRAGMA journal_size_limit = 1048576; PRAGMA wal_autocheckpoint = 256",
                 NULL, NULL, NULL);
    sqlite3_exec(store->base, shared ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL",
                 NULL, NULL, NULL);
}

/* Call it with the lock held as `how`. Returns SQLITE_LOCKED if it must be held exclusively. */
static int open_locked(struct yk_store *store, int how)
{
    int code = connect_base(store, "mode=rwc");
    if (code != SQLITE_OK)
        return code;
    switch (yk_schema_look(store->base, &code)) {
    case YK_SCHEMA_CURRENT:
        settle(store);
        /* After this query SQLite has all its files open. */
        if (yk_store_number(store->base, "SELECT count(*) FROM sqlite_master") < 0)
            code = sqlite3_errcode(store->base);
        break;
    case YK_SCHEMA_OLDER:
        if (how == LOCK_EX) {
            settle(store); /* makes the tables with the final journal mode */
            code = yk_schema_bring(store->base);
        } else {
            code = SQLITE_LOCKED;
        }
        break;
    case YK_SCHEMA_NEWER:
        store->given_up = 1;
        yk_store_tell(store, YOKE_LOG_WARN,
                      "%s is of a newer yoke, and left as it is; nothing is learned. YOKE_KB names "
                      "another file",
                      store->settings.path);
        break;
    case YK_SCHEMA_FOREIGN:
        store->given_up = 1;
        yk_store_tell(store, YOKE_LOG_WARN,
                      "%s is another program's database, and left as it is; give YOKE_KB another "
                      "name",
                      store->settings.path);
        break;
    case YK_SCHEMA_FAILED:
        break;
    }
    code &= 0xff;
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        return code; /* left open, for yk_store_set_aside */
    if (code != SQLITE_OK || store->given_up)
        yk_store_close_file(store);
    return store->given_up ? SQLITE_CANTOPEN : code;
}

/* A file that another user can write to is not trusted. Root's files are trusted by everyone. */
static int is_trusted(struct yk_store *store, const struct stat *info)
{
    if ((info->st_uid == geteuid() || info->st_uid == 0) && !(info->st_mode & (S_IWGRP | S_IWOTH)))
        return 1;
    store->given_up = 1;
    yk_store_tell(store, YOKE_LOG_WARN,
                  "%s belongs to another user, or others may write to it, so it is not used; have "
                  "YOKE_KB name another, or chmod go-w your own",
                  store->settings.path);
    return 0;
}

/* A file that begins with something else was never a base: the user has it under a name that was
 * taken for a new one. yoke's own file, in the cache folder, can only be damaged. */
static int is_base(struct yk_store *store)
{
    static const char head[] = "SQLite format 3"; /* with its 0 */
    char found[sizeof head];
    FILE *stream = store->settings.is_named ? fopen(store->settings.path, "rbe") : NULL;
    const size_t count = stream ? fread(found, 1, sizeof found, stream) : 0;
    if (stream)
        fclose(stream);
    if (memcmp(found, head, count) == 0)
        return 1;
    store->given_up = 1;
    yk_store_tell(store, YOKE_LOG_WARN,
                  "%s is no database, and left as it is; give YOKE_KB another name",
                  store->settings.path);
    return 0;
}

static int open_once(struct yk_store *store, int how)
{
    struct stat info;
    int file;
    if (stat(store->settings.path, &info) == 0) {
        if (!S_ISREG(info.st_mode))
            return SQLITE_CANTOPEN; /* and make no lock file beside it */
        if (!is_trusted(store, &info) || !is_base(store))
            return SQLITE_CANTOPEN;
    }
    enum lock_result lock = lock_file(store, how, &file);
    int code = SQLITE_BUSY;
    if (lock == LOCK_NONE && file < 0)
        code = open_read_only(store);
    else if (lock != LOCK_BUSY)
        code = open_locked(store, how);
    unlock_file(file);
    return code;
}

/* yoke makes only the cache's folders; others are the user's, and a missing one may be a mistake.
 */
static void make_cache_folder(const char *path)
{
    char folder[PATH_MAX];
    yk_cache_folder(folder, sizeof folder);
    size_t length = strlen(folder);
    /* ".." may lead out of the cache folder again */
    if (length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/' &&
        !strstr(path + length, "/../"))
        yk_make_folders(path);
}

int yk_store_open_file(struct yk_store *store)
{
    int how = LOCK_SH, code = SQLITE_LOCKED;
    make_cache_folder(store->settings.path);
    for (int tries = 0; tries < TRIES; tries++) {
        code = open_once(store, how);
        if (code == SQLITE_LOCKED) {
            how = LOCK_EX;
        } else if ((code == SQLITE_CORRUPT || code == SQLITE_NOTADB) && store->base) {
            yk_store_set_aside(store);
            if (store->given_up)
                break;
        } else {
            break;
        }
    }
    if (code != SQLITE_OK && !store->given_up)
        yk_store_tell(store, YOKE_LOG_INFO, "%s cannot be used: %s%s", store->settings.path,
                      sqlite3_errstr(code),
                      code == SQLITE_CANTOPEN ? "; see that it may be read and written, or have "
                                                "YOKE_KB name another"
                                              : "");
    return code;
}
