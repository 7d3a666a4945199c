/* closest.h - which known name a mistyped word probably meant. */
#ifndef YOKE_CLI_CLOSEST_H
#define YOKE_CLI_CLOSEST_H

#include <stddef.h>

struct closest {
    const char *word; /* what was typed, `length` characters of it */
    size_t length;
    const char *name; /* the best so far; NULL while none is near */
    size_t distance;
};
/* Keep `name` if it is near the word (a third of its letters changed at most) and nearer than those
 * before. */
void closest_try(struct closest *closest, const char *name);

#endif
