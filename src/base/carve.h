/* carve.h - several objects in one block of memory, which is allocated and freed at once: first add
 * up their sizes, then carve the objects off in the same order.
 */
#ifndef YK_BASE_CARVE_H
#define YK_BASE_CARVE_H

#include <stddef.h>
#include <string.h>

/* Bytes of the block that an object of `bytes` takes: each object is aligned for any type. */
static inline size_t yk_carved(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static inline void *yk_carve(char **next, size_t bytes)
{
    void *place = *next;
    *next += yk_carved(bytes);
    return place;
}

/* NULL counts as "". */
static inline size_t yk_carved_text(const char *text)
{
    return yk_carved(strlen(text ? text : "") + 1);
}

static inline char *yk_carve_text(char **next, const char *text)
{
    size_t bytes = strlen(text ? text : "") + 1;
    return memcpy(yk_carve(next, bytes), text ? text : "", bytes);
}

#endif
