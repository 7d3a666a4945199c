/* carve.h - several things in one block of memory, which is had and freed at once: first the sizes
 * are added up, then each thing is carved off in the same order.
 */
#ifndef YK_BASE_CARVE_H
#define YK_BASE_CARVE_H

#include <stddef.h>
#include <string.h>

/* What `bytes` take of the block: each thing begins where any type may. */
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
