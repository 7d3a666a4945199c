/* closest.h - which known name a mistyped word probably meant. */
#ifndef YK_BASE_CLOSEST_H
#define YK_BASE_CLOSEST_H

#include <stddef.h>

struct yk_closest {
    const char *word; /* what was typed, `length` characters of it */
    size_t length;
    const char *name; /* the best so far; NULL while none is near */
    size_t distance;
};
/* Keep `name` if it is near the word (a third of its letters changed at most) and nearer than those
 * before. */
void yk_closest_try(struct yk_closest *closest, const char *name);

#endif
