/* numbers.c - see numbers.h: reads a list of numbers. */
#include "numbers.h"

#include <string.h>

#include "../base/option.h"
#include "../base/status.h"

static yoke_status read_one(const struct yk_number_list *list, const char *word, double *number)
{
    yoke_status status = yk_option_number(YK_OPTION_REAL, word, number);
    if (status != YOKE_OK)
        return yk_fail(status, "%s: %s '%s' is not a number; write %s=A/B/...", list->partitioner,
                       list->what, word, list->key);
    if (!(*number >= list->least))
        return yk_fail(YOKE_EINVAL, "%s: %s %s is too small; give %g or more", list->partitioner,
                       list->what, word, list->least);
    return YOKE_OK;
}

yoke_status yk_numbers_read(const struct yk_number_list *list, const char *text,
                            struct yk_numbers *out)
{
    char word[64];
    out->count = 0;
    for (;;) {
        size_t length = strcspn(text, "/");
        double number;
        yoke_status status;
        if (length == 0 || length >= sizeof word)
            return yk_fail(YOKE_EINVAL,
                           "%s: %s has a number missing or too long at '%s'; write %s=A/B/...",
                           list->partitioner, list->key, text, list->key);
        memcpy(word, text, length);
        word[length] = '\0';
        status = read_one(list, word, &number);
        if (status != YOKE_OK)
            return status;
        if (out->count < out->room)
            out->at[out->count] = number;
        out->count++;
        if (text[length] == '\0')
            return YOKE_OK;
        text += length + 1;
    }
}
