/* app_words.c - see app_words.h. */
#include "app_words.h"

#include <string.h>

#include "program.h"

void app_words_begin(const struct app *app, struct app_spec *out)
{
    for (int o = 0; app->options && app->options[o].name; o++)
        out->values[o] = app->options[o].initial;
}

int app_word(const struct app *app, const char *word, struct app_spec *out)
{
    const char *value;
    for (int o = 0; app->options && app->options[o].name; o++)
        if ((value = value_of(word, app->options[o].name))) {
            out->values[o] = value;
            return 1;
        }
    value = value_of(word, "input");
    if (value)
        out->input = value;
    return value != NULL;
}
