/* hash.h - FNV-1a, 64 bits, for what is kept on disk: about 1 ns a byte. Each step is a bijection
 * of what came before, so any single damaged byte changes the result. Against accidents, not
 * malice.
 */
#ifndef YK_BASE_HASH_H
#define YK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t yk_hash_start = 0xcbf29ce484222325u;

static inline uint64_t yk_hash(uint64_t state, const void *from, size_t size)
{
    const unsigned char *bytes = from;
    for (size_t i = 0; i < size; ++i)
        state = (state ^ bytes[i]) * 0x100000001b3u;
    return state;
}

#endif
