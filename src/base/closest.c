/* closest.c - Levenshtein's distance, one row at a time. A word that is the beginning of a name is
 * near it. */
#include "closest.h"

#include <string.h>

enum { LENGTH_MAX = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *word, size_t length, const char *name)
{
    size_t row[LENGTH_MAX + 1], columns = strlen(name);
    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t above = row[j];
            row[j] = least(least(above, row[j - 1]) + 1, diagonal + (word[i - 1] != name[j - 1]));
            diagonal = above;
        }
    }
    return row[columns];
}

void yk_closest_try(struct yk_closest *closest, const char *name)
{
    size_t columns = strlen(name), far;
    if (closest->length > LENGTH_MAX || columns > LENGTH_MAX || closest->length == 0)
        return;
    far = distance(closest->word, closest->length, name);
    if (closest->length >= 3 && !strncmp(closest->word, name, closest->length))
        far = 1;
    if (far > 1 + columns / 3 || far >= columns || (closest->name && far >= closest->distance))
        return;
    closest->name = name;
    closest->distance = far;
}
