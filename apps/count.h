/* count.h - "1 row", "7 rows". Returned by value, so that one call can use several. */
#ifndef YOKE_APPS_COUNT_H
#define YOKE_APPS_COUNT_H

#include <stdint.h>

struct count_words {
    char text[64];
};

/* `many` is the plural: "rows", "bodies", "vertices", "samples of a pixel". */
struct count_words count_words(int64_t count, const char *many);
/* The word alone; in a name of several words the first one changes. */
struct count_words count_name(int64_t count, const char *many);

#endif
