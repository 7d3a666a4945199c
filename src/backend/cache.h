/* cache.h - compiled kernels kept on disk, so that only the first run on a machine pays for them.
 *
 * An entry is a file named for the hash of its key; the whole key is stored inside and compared, so
 * a collision, like a damaged or foreign file, costs a rebuild and never gives a wrong kernel.
 * Entries appear by rename, hence whole or not at all, and readers and writers in any number of
 * processes need no lock. The cache is never a reason to fail: without a home directory, on a full
 * or read-only disk, it just remembers nothing.
 *
 * Place: platform/cache_folder.h. At most 512 entries and 256 MiB; beyond that the least recently
 * used go.
 */
#ifndef YK_BACKEND_CACHE_H
#define YK_BACKEND_CACHE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes; the key is everything the value depends on: source, options, device, driver. */
struct yk_blob {
    const void *bytes;
    size_t size;
};

/* 1 and a copy of the value (yk_free), or 0. Thread-safe. */
int yk_cache_load(struct yk_blob key, void **value, size_t *size);
/* Keep it if that is possible. Thread-safe. */
void yk_cache_store(struct yk_blob key, struct yk_blob value);
/* 1 if it keeps nothing (yet, or because it cannot). Thread-safe. */
int yk_cache_is_empty(void);
/* Forget one entry, because what was loaded turned out to be useless. */
void yk_cache_remove(struct yk_blob key);

#endif
