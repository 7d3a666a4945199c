/* hash.h - FNV-1a, 64 bits, for data kept on disk: about 1 ns per byte. Each step is a bijection of
 * the state, so any single damaged byte changes the result. Protects against accidents, not against
 * malice.
 */
#ifndef YK_BASE_HASH_H
#define YK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint64_t yk_hash_start = 0xcbf29ce484222325u;

static inline uint64_t yk_hash(uint64_t state, const void *from, size_t size)
{
    const unsigned char *bytes = from;
    for (size_t i = 0; i < size; ++i)
        state = (state ^ bytes[i]) * 0x100000001b3u;
    return state;
}

/* Another hash, for large data: eight bytes at a time, a fifth of a ns per byte. Each step is a
 * bijection, too. */
static inline uint64_t yk_hash_large(uint64_t state, const void *from, size_t size)
{
    const char *bytes = from;
    for (; size >= sizeof state; bytes += sizeof state, size -= sizeof state) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        state = (state ^ word) * 0x100000001b3u;
        state ^= state >> 32; /* the product's high bits reach the low ones */
    }
    return yk_hash(state, bytes, size);
}

/* Includes the text's end, so that two texts in a row do not equal one longer text. NULL counts as
 * "". */
static inline uint64_t yk_hash_text(uint64_t state, const char *text)
{
    return text ? yk_hash(state, text, strlen(text) + 1) : yk_hash(state, "", 1);
}

static inline uint64_t yk_hash_number(uint64_t state, int64_t number)
{
    return yk_hash(state, &number, sizeof number);
}

#endif
