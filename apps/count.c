/* count.c - see count.h. */
#include "count.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *many, *one;
} ends[] = { { "ies", "y" }, { "ices", "ex" }, { "s", "" } };

struct count_words count_name(int64_t count, const char *many)
{
    struct count_words words;
    const size_t length = strcspn(many, " ");
    snprintf(words.text, sizeof words.text, "%s", many);
    for (size_t k = 0; count == 1 && k < sizeof ends / sizeof *ends; k++) {
        const size_t end = strlen(ends[k].many);
        if (length > end && !strncmp(many + length - end, ends[k].many, end)) {
            snprintf(words.text, sizeof words.text, "%.*s%s%s", (int)(length - end), many,
                     ends[k].one, many + length);
            break;
        }
    }
    return words;
}

struct count_words count_words(int64_t count, const char *many)
{
    struct count_words words;
    snprintf(words.text, sizeof words.text, "%" PRId64 " %.40s", count,
             count_name(count, many).text);
    return words;
}
