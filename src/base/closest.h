/* closest.h - which known name a mistyped word probably meant. */
#ifndef YK_BASE_CLOSEST_H
#define YK_BASE_CLOSEST_H

#include <stddef.h>

struct yk_closest {
    const char *word; /* the text typed; only its first `length` characters are compared */
    size_t length;
    const char *name; /* the nearest so far; NULL if none is near */
    size_t distance;
};
/* Keeps `name` if it is near the word (at most a third of its letters differ) and nearer than all
 * names tried before. */
void yk_closest_try(struct yk_closest *closest, const char *name);

#endif
