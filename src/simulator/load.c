/* load.c - load that varies over time, read from its text: "FROM-TO*F+FROM-TO*F". */
#include <math.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/option.h"
#include "../base/status.h"
#include "machine.h"

/* Reads the number that ends at `end`. */
static yoke_status read_part(enum yk_option_type type, const char *text, const char *end,
                             double *out)
{
    char word[32];
    size_t length = (size_t)(end - text);
    if (length >= sizeof word)
        return yk_fail(YOKE_EINVAL, "'%.*s' is no number", (int)length, text);
    memcpy(word, text, length);
    word[length] = '\0';
    return yk_option_number(type, word, out);
}

/* The dash between two times; not the one in 1e-3. */
static const char *find_dash(const char *text, const char *end)
{
    for (const char *at = text; at < end; at++)
        if (*at == '-' && at > text && at[-1] != 'e' && at[-1] != 'E')
            return at;
    return NULL;
}

static yoke_status read_load(const char *text, const char *end, struct yk_load *out)
{
    const char *star = memchr(text, '*', (size_t)(end - text));
    const char *dash = star ? find_dash(text, star) : NULL;
    struct yk_load load = { .to = INFINITY };
    if (!dash)
        return yk_fail(YOKE_EINVAL, "'%.*s' is not FROM-TO*FACTOR, as 1s-2s*1.5", (int)(end - text),
                       text);
    yoke_status status = read_part(YK_OPTION_SECONDS, text, dash, &load.from);
    if (status == YOKE_OK && dash + 1 < star)
        status = read_part(YK_OPTION_SECONDS, dash + 1, star, &load.to);
    if (status == YOKE_OK)
        status = read_part(YK_OPTION_REAL, star + 1, end, &load.factor);
    if (status == YOKE_OK &&
        !(load.from >= 0 && load.from < load.to && load.factor >= 1e-3 && load.factor <= 1e6))
        status = yk_fail(YOKE_EINVAL,
                         "'%.*s': a load begins before it ends, and its factor is 0.001 to 1e6",
                         (int)(end - text), text);
    if (status == YOKE_OK)
        *out = load;
    return status;
}

/* Puts the place before the thread's error text. */
static yoke_status fail_at(const char *what, yoke_status status)
{
    char *text = status == YOKE_EINVAL ? yk_strdup(yoke_error_text()) : NULL;
    if (text)
        yk_fail(status, "%s: %s", what, text);
    yk_free(text);
    return status;
}

yoke_status yk_loads_parse(const char *what, const char *text, struct yk_loads *out)
{
    out->count = 0;
    while (text) {
        const char *plus = strchr(text, '+'), *end = plus ? plus : text + strlen(text);
        if (out->count == yk_machine_loads_max)
            return yk_fail(YOKE_EINVAL, "%s: load: %d spells at most; leave some out", what,
                           (int)yk_machine_loads_max);
        yoke_status status = read_load(text, end, &out->items[out->count]);
        if (status != YOKE_OK)
            return fail_at(what, status);
        out->count++;
        text = plus ? plus + 1 : NULL;
    }
    return YOKE_OK;
}
