/* failing_disk.h - an SQLite VFS ("failing") that behaves like the default one until a call that
 * writes, extends or syncs a file is to fail: only that call, or all from there on. */
#ifndef FAILING_DISK_H
#define FAILING_DISK_H

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int countdown; /* the call that decrements it from 1 to 0 fails; 0: none fails */
    int lasting;   /* all later calls fail too */
    int reached;
    int code;
} disk;

static sqlite3_vfs *usual_vfs;

struct failing_file {
    sqlite3_file base;
    sqlite3_file *real;
};

static int disk_fails(void)
{
    if (disk.reached && disk.lasting)
        return 1;
    if (disk.countdown == 0 || --disk.countdown > 0)
        return 0;
    disk.reached = 1;
    return 1;
}

#define REAL(file)            (((struct failing_file *)(file))->real)
#define CALL(file, name, ...) (REAL(file)->pMethods->name(REAL(file), __VA_ARGS__))

static int failing_close(sqlite3_file *file)
{
    int code = REAL(file)->pMethods->xClose(REAL(file));
    free(REAL(file));
    return code;
}
static int failing_read(sqlite3_file *file, void *to, int bytes, sqlite3_int64 at)
{
    return CALL(file, xRead, to, bytes, at);
}
static int failing_write(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 at)
{
    return disk_fails() ? disk.code : CALL(file, xWrite, from, bytes, at);
}
static int failing_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return disk_fails() ? disk.code : CALL(file, xTruncate, size);
}
static int failing_sync(sqlite3_file *file, int flags)
{
    return disk_fails() ? SQLITE_IOERR_FSYNC : CALL(file, xSync, flags);
}
static int failing_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return CALL(file, xFileSize, size);
}
static int failing_lock(sqlite3_file *file, int level)
{
    return CALL(file, xLock, level);
}
static int failing_unlock(sqlite3_file *file, int level)
{
    return CALL(file, xUnlock, level);
}
static int failing_reserved(sqlite3_file *file, int *out)
{
    return CALL(file, xCheckReservedLock, out);
}
static int failing_control(sqlite3_file *file, int what, void *argument)
{
    return CALL(file, xFileControl, what, argument);
}
static int failing_sector(sqlite3_file *file)
{
    return REAL(file)->pMethods->xSectorSize(REAL(file));
}
static int failing_traits(sqlite3_file *file)
{
    return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}
static int failing_map(sqlite3_file *file, int region, int bytes, int extend, void volatile **out)
{
    return extend && disk_fails() ? disk.code : CALL(file, xShmMap, region, bytes, extend, out);
}
static int failing_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return CALL(file, xShmLock, offset, count, flags);
}
static void failing_barrier(sqlite3_file *file)
{
    REAL(file)->pMethods->xShmBarrier(REAL(file));
}
static int failing_unmap(sqlite3_file *file, int drop)
{
    return CALL(file, xShmUnmap, drop);
}

static int failing_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    static const sqlite3_io_methods methods = {
        .iVersion = 2,
        .xClose = failing_close,
        .xRead = failing_read,
        .xWrite = failing_write,
        .xTruncate = failing_truncate,
        .xSync = failing_sync,
        .xFileSize = failing_size,
        .xLock = failing_lock,
        .xUnlock = failing_unlock,
        .xCheckReservedLock = failing_reserved,
        .xFileControl = failing_control,
        .xSectorSize = failing_sector,
        .xDeviceCharacteristics = failing_traits,
        .xShmMap = failing_map,
        .xShmLock = failing_shm_lock,
        .xShmBarrier = failing_barrier,
        .xShmUnmap = failing_unmap,
    };
    struct failing_file *failing = (struct failing_file *)file;
    (void)vfs;
    failing->base.pMethods = NULL;
    failing->real = calloc(1, (size_t)usual_vfs->szOsFile);
    int code = usual_vfs->xOpen(usual_vfs, name, failing->real, flags, out);
    if (code == SQLITE_OK)
        failing->base.pMethods = &methods;
    else
        free(failing->real);
    return code;
}

static void add_failing_disk(void)
{
    static sqlite3_vfs vfs;
    usual_vfs = sqlite3_vfs_find(NULL);
    vfs = *usual_vfs;
    vfs.zName = "failing";
    vfs.szOsFile = sizeof(struct failing_file);
    vfs.pNext = NULL;
    vfs.xOpen = failing_open;
    sqlite3_vfs_register(&vfs, 0);
}

#endif
