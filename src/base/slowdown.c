/* slowdown.c - see slowdown.h. */
#include "slowdown.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "option.h"
#include "status.h"

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

static yoke_status read_load(const char *text, const char *end, struct yk_slowdown *out)
{
    const char *star = memchr(text, '*', (size_t)(end - text));
    const char *dash = star ? find_dash(text, star) : NULL;
    struct yk_slowdown load = { .to = INFINITY };
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

yoke_status yk_slowdowns_parse(const char *what, const char *text, struct yk_slowdowns *out)
{
    out->count = 0;
    while (text) {
        const char *plus = strchr(text, '+'), *end = plus ? plus : text + strlen(text);
        if (out->count == YK_SLOWDOWNS_MOST)
            return yk_fail(YOKE_EINVAL, "%s: %d spells of load at most; leave some out", what,
                           YK_SLOWDOWNS_MOST);
        yoke_status status = read_load(text, end, &out->items[out->count]);
        if (status != YOKE_OK)
            return fail_at(what, status);
        out->count++;
        text = plus ? plus + 1 : NULL;
    }
    return YOKE_OK;
}

double yk_slowdowns_factor(const struct yk_slowdowns *slowdowns, double when)
{
    double factor = 1;
    for (int i = 0; i < slowdowns->count; i++)
        if (slowdowns->items[i].from <= when && when < slowdowns->items[i].to)
            factor *= slowdowns->items[i].factor;
    return factor;
}

double yk_slowdowns_next(const struct yk_slowdowns *slowdowns, double when)
{
    double next = INFINITY;
    for (int i = 0; i < slowdowns->count; i++) {
        if (slowdowns->items[i].from > when)
            next = fmin(next, slowdowns->items[i].from);
        if (slowdowns->items[i].to > when)
            next = fmin(next, slowdowns->items[i].to);
    }
    return next;
}

double yk_slowdowns_end(const struct yk_slowdowns *slowdowns, double from, double work)
{
    for (;;) {
        const double factor = yk_slowdowns_factor(slowdowns, from);
        const double next = yk_slowdowns_next(slowdowns, from);
        if (from + work * factor <= next)
            return from + work * factor;
        work -= (next - from) / factor;
        from = next;
    }
}
