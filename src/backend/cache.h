/* cache.h - compiled kernels kept on disk, so that only the first run on a machine compiles them.
 *
 * An entry is a file named for the hash of its key. The whole key is stored inside and compared: a
 * collision, or a damaged or foreign file, costs a rebuild and never gives a wrong kernel. Entries
 * appear by rename, so completely or not at all, and readers and writers in any number of processes
 * need no lock. The cache is never a reason to fail: without a home directory, or on a full or
 * read-only disk, it stores nothing.
 *
 * Location: platform/cache_folder.h. At most 512 entries and 256 MiB; beyond that the least
 * recently used entries are removed.
 */
#ifndef YK_BACKEND_CACHE_H
#define YK_BACKEND_CACHE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes. A key has everything the value depends on: source, options, device, driver. */
struct yk_blob {
    const void *bytes;
    size_t size;
};

/* Returns 1 and a copy of the value (yk_free), or 0. Thread-safe. */
int yk_cache_load(struct yk_blob key, void **value, size_t *size);
/* Stores the entry if possible. Thread-safe. */
void yk_cache_store(struct yk_blob key, struct yk_blob value);
/* Returns 1 if there are no entries: none was stored yet, or none can be stored. Thread-safe. */
int yk_cache_is_empty(void);
/* Removes an entry that turned out to be useless. */
void yk_cache_remove(struct yk_blob key);

#endif
