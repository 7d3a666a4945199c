/* count.c - see count.h. */
#include "count.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct count_words count_name(int64_t count, const char *many)
{
    struct count_words words;
    const size_t length = strcspn(many, " ");
    const int is_body = length > 3 && !strncmp(many + length - 3, "ies", 3);
    if (count == 1 && length > 0 && many[length - 1] == 's')
        snprintf(words.text, sizeof words.text, "%.*s%s%s", (int)length - (is_body ? 3 : 1), many,
                 is_body ? "y" : "", many + length);
    else
        snprintf(words.text, sizeof words.text, "%s", many);
    return words;
}

struct count_words count_words(int64_t count, const char *many)
{
    struct count_words words;
    snprintf(words.text, sizeof words.text, "%" PRId64 " %.40s", count,
             count_name(count, many).text);
    return words;
}
