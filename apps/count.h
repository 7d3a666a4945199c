/* count.h - a count in words: "1 row", "7 rows". Returned by value, so that one call of printf can
 * use several. */
#ifndef YOKE_APPS_COUNT_H
#define YOKE_APPS_COUNT_H

#include <stdint.h>

struct count_words {
    char text[64];
};

/* `many` is the plural: "rows", "bodies", "vertices", "samples of a pixel". */
struct count_words count_words(int64_t count, const char *many);
/* Returns the words without the number. For a count of 1 the first word becomes singular. */
struct count_words count_name(int64_t count, const char *many);

#endif
