/* cache.c - see cache.h. An entry is one file:
 *
 *     struct header | key | value
 *
 * in the machine's own byte order (another machine's entry has another key or checksum). The
 * checksum covers header, key and value. It detects accidental damage. As a protection against
 * malice, entries that belong to another user are not read.
 */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/alloc.h"
#include "../base/hash.h"
#include "../base/status.h"
#include "../platform/cache_folder.h"

enum { ENTRIES_MAX = 512 };
static const int64_t total_bytes_max = 256LL << 20;
static const int64_t entry_bytes_max = 64LL << 20;
static const time_t orphan_seconds = 3600; /* temporary files older than this are deleted: their
                                            * writer has died */

struct header {
    char magic[8];
    uint64_t key_size, value_size;
    uint64_t checksum; /* of all fields before it, the key and the value */
};
static const char magic[8] = { 'y', 'o', 'k', 'e', 'k', 'c', '0', '2' };

static uint64_t hash(uint64_t state, struct yk_blob blob)
{
    return yk_hash_large(state, blob.bytes, blob.size);
}

static uint64_t entry_checksum(const struct header *header, struct yk_blob key,
                               struct yk_blob value)
{
    uint64_t state =
        hash(yk_hash_start, (struct yk_blob){ header, offsetof(struct header, checksum) });
    return hash(hash(state, key), value);
}

/* Returns 0 if there is no cache folder, or if the path is too long. */
static int entry_path(struct yk_blob key, char *path, size_t capacity)
{
    char folder[PATH_MAX];
    yk_cache_folder(folder, sizeof folder);
    if (!folder[0])
        return 0;
    int length = snprintf(path, capacity, "%s/%016llx.kernel", folder,
                          (unsigned long long)hash(yk_hash_start, key));
    return length > 0 && (size_t)length < capacity;
}

static int read_whole(int file, void *to, size_t size)
{
    char *bytes = to;
    while (size > 0) {
        ssize_t got = read(file, bytes, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        bytes += got;
        size -= (size_t)got;
    }
    return 1;
}

static int write_whole(int file, const void *from, size_t size)
{
    const char *bytes = from;
    while (size > 0) {
        ssize_t put = write(file, bytes, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return 0;
        bytes += put;
        size -= (size_t)put;
    }
    return 1;
}

/* Returns key and value if the file is a valid entry: a regular file of this user, with consistent
 * sizes. Otherwise NULL. */
static char *read_entry(int file, struct header *header)
{
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
        info.st_size > entry_bytes_max || !read_whole(file, header, sizeof *header))
        return NULL;
    if (memcmp(header->magic, magic, sizeof magic) != 0)
        return NULL;
    uint64_t rest = (uint64_t)info.st_size - sizeof *header;
    if (header->key_size > rest || header->value_size != rest - header->key_size)
        return NULL;
    char *body = yk_calloc(1, rest);
    if (body && !read_whole(file, body, rest)) {
        yk_free(body);
        body = NULL;
    }
    return body;
}

int yk_cache_load(struct yk_blob key, void **value, size_t *size)
{
    char path[PATH_MAX];
    if (!entry_path(key, path, sizeof path))
        return 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return 0;
    struct header header;
    char *body = read_entry(file, &header);
    int good = body && header.key_size == key.size && memcmp(body, key.bytes, key.size) == 0;
    if (good) {
        struct yk_blob found = { body + key.size, header.value_size };
        good = header.checksum == entry_checksum(&header, key, found);
    }
    if (good) {
        memmove(body, body + key.size, header.value_size);
        *value = body;
        *size = header.value_size;
        futimens(file, NULL); /* marks it as recently used */
    } else {
        yk_log(YOKE_LOG_INFO, "kernel cache: %s is damaged or not ours; building again", path);
        yk_free(body);
    }
    close(file);
    return good;
}

struct entry {
    char name[48];
    int64_t bytes;
    struct timespec used;
};

static int older_first(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    return (a->used.tv_nsec > b->used.tv_nsec) - (a->used.tv_nsec < b->used.tv_nsec);
}

static int ends_with(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length >= end && strcmp(name + length - end, suffix) == 0;
}

int yk_cache_is_empty(void)
{
    char path[PATH_MAX];
    int empty = 1;
    yk_cache_folder(path, sizeof path);
    DIR *folder = path[0] ? opendir(path) : NULL;
    for (struct dirent *item = NULL; folder && empty && (item = readdir(folder));)
        empty = !ends_with(item->d_name, ".kernel");
    if (folder)
        closedir(folder);
    return empty;
}

/* Lists the entries of an open folder, and removes temporary files whose writer died. */
static int list_entries(DIR *folder, struct entry *entries, int capacity, int64_t *total)
{
    int count = 0;
    for (struct dirent *item = readdir(folder); item && count < capacity; item = readdir(folder)) {
        struct stat info;
        int temporary = ends_with(item->d_name, ".kernel.tmp");
        if ((!temporary && !ends_with(item->d_name, ".kernel")) ||
            strlen(item->d_name) >= sizeof entries->name ||
            fstatat(dirfd(folder), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (temporary) {
            if (info.st_mtim.tv_sec + orphan_seconds < time(NULL))
                unlinkat(dirfd(folder), item->d_name, 0);
            continue;
        }
        memcpy(entries[count].name, item->d_name, strlen(item->d_name) + 1);
        entries[count].bytes = info.st_size;
        entries[count++].used = info.st_mtim;
        *total += info.st_size;
    }
    return count;
}

/* Keeps the folder within its limits. Runs after each store, that is, once for each compilation. */
static void prune(const char *path)
{
    enum { CAPACITY = 2 * ENTRIES_MAX };
    DIR *folder = opendir(path);
    struct entry *entries = folder ? yk_calloc(CAPACITY, sizeof *entries) : NULL;
    if (entries) {
        int64_t total = 0;
        int count = list_entries(folder, entries, CAPACITY, &total);
        if (count > ENTRIES_MAX || total > total_bytes_max) {
            qsort(entries, (size_t)count, sizeof *entries, older_first);
            int left = count;
            for (int i = 0; i < count && (left > ENTRIES_MAX || total > total_bytes_max); ++i) {
                unlinkat(dirfd(folder), entries[i].name, 0);
                total -= entries[i].bytes;
                --left;
            }
        }
        yk_free(entries);
    }
    if (folder)
        closedir(folder);
}

/* Each writer of an entry uses its own temporary name. The last rename wins; all writers have
 * written the same contents. */
static int open_temporary(const char *path, char *temporary, size_t capacity)
{
    static atomic_uint serial;
    unsigned number = atomic_fetch_add(&serial, 1);
    int length = snprintf(temporary, capacity, "%.*s.%lx-%x.kernel.tmp",
                          (int)(strlen(path) - strlen(".kernel")), path, (long)getpid(), number);
    if (length <= 0 || (size_t)length >= capacity)
        return -1;
    return open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/* A write beyond the process's file size limit would not fail but kill the process (SIGXFSZ). */
static int fits(uint64_t bytes)
{
    struct rlimit limit;
    return bytes <= (uint64_t)entry_bytes_max &&
           (getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur);
}

void yk_cache_store(struct yk_blob key, struct yk_blob value)
{
    char path[PATH_MAX], temporary[PATH_MAX];
    if (!entry_path(key, path, sizeof path) ||
        !fits((uint64_t)key.size + value.size + sizeof(struct header)))
        return;
    yk_make_folders(path);
    int file = open_temporary(path, temporary, sizeof temporary);
    if (file < 0) {
        yk_log(YOKE_LOG_INFO, "kernel cache: cannot write %s: %s", path, strerror(errno));
        return;
    }
    struct header header = { .key_size = key.size, .value_size = value.size };
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = entry_checksum(&header, key, value);
    int good = write_whole(file, &header, sizeof header) &&
               write_whole(file, key.bytes, key.size) && write_whole(file, value.bytes, value.size);
    if (close(file) != 0)
        good = 0;
    if (!good || rename(temporary, path) != 0) {
        yk_log(YOKE_LOG_INFO, "kernel cache: cannot write %s: %s", path, strerror(errno));
        unlink(temporary);
        return;
    }
    *strrchr(path, '/') = 0;
    prune(path);
}

void yk_cache_remove(struct yk_blob key)
{
    char path[PATH_MAX];
    if (entry_path(key, path, sizeof path))
        unlink(path);
}
