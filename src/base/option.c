/* option.c - text into settings, by table.
 *
 * Every value is processed in the same way: find the table's entry, read the text by the entry's
 * type, store. A fault in a value is returned as a phrase (NULL: none), and becomes an error
 * message where the key's name is known. Only TEXT fields own memory; they are always NULL or
 * owned, so a half-filled struct can be cleared at any time.
 */
#include "option.h"

#include "alloc.h"
#include "status.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { list_bytes = 384 };

const char *yk_environment(const char *variable)
{
    return secure_getenv(variable); /* a program with raised rights must not trust the
                                     * environment */
}

/* Numbers have a point in every locale of the program. */
static locale_t c_locale;

static void open_c_locale(void)
{
    c_locale =
        newlocale(LC_ALL_MASK, "C", (locale_t)0); /* the built-in one: no memory of its own */
}

int yk_option_is(const char *text, const char *word)
{
    return text && strcasecmp(text, word) == 0;
}

struct unit {
    const char *name;
    double factor;
};

static const struct unit count_units[] = {
    { "", 1 }, { "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { 0 }
};
static const struct unit byte_units[] = {
    { "", 1 }, { "k", 0x1p10 }, { "K", 0x1p10 }, { "M", 0x1p20 }, { "G", 0x1p30 }, { "T", 0x1p40 },
    { 0 }
};
static const struct unit real_units[] = { { "", 1 }, { 0 } };
static const struct unit time_units[] = { { "", 1 },      { "s", 1 },     { "ms", 1e-3 },
                                          { "us", 1e-6 }, { "ns", 1e-9 }, { 0 } };

struct number_rule {
    const struct unit *units;
    const char *wrong; /* phrase for text that is not such a number */
};

static struct number_rule rule_of(enum yk_option_type type)
{
    switch (type) {
    case YK_OPTION_BYTES:
        return (struct number_rule){ byte_units,
                                     "is no size; give bytes, or a number with k, M, G or T" };
    case YK_OPTION_REAL:
        return (struct number_rule){ real_units, "is no number; give one such as 0.25" };
    case YK_OPTION_SECONDS:
        return (struct number_rule){ time_units,
                                     "is no time; give seconds, or a number with ns, us, ms or s" };
    default:
        return (struct number_rule){ count_units,
                                     "is no count; give a whole number, with k, M or G if large" };
    }
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
    for (; units->name; units++) {
        if (strcmp(units->name, name) == 0) {
            return units;
        }
    }
    return NULL;
}

/* strtod without the forms that only it accepts: leading blanks, hexadecimal, inf and nan. */
static const char *read_real(const char *text, double *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_c_locale);
    const char *digits = text + (*text == '-' || *text == '+');
    int hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if ((!isdigit((unsigned char)*digits) && *digits != '.') || hexadecimal) {
        return text;
    }
    char *end;
    *out = strtod_l(text, &end, c_locale);
    return end;
}

/* Digits alone are read exactly in all 64 bits. Numbers with a point are read as double, and must
 * be whole. */
static const char *read_whole(const char *text, const struct number_rule *rule, int64_t *out)
{
    static const char too_large[] = "is too large for a 64-bit number; give less";
    double real;
    const char *end = read_real(text, &real);
    const struct unit *unit = end == text ? NULL : find_unit(rule->units, end);
    if (!unit) {
        return rule->wrong;
    }
    if (strcspn(text, ".eE") < (size_t)(end - text)) {
        real *= unit->factor;
        if (!(fabs(real) < 0x1p63)) {
            return too_large;
        }
        if (real != floor(real)) {
            return rule->wrong;
        }
        *out = (int64_t)real;
        return NULL;
    }
    int64_t value = 0;
    int negative = *text == '-';
    int overflow = 0;
    for (const char *digit = text + (*text == '-' || *text == '+'); digit < end; digit++) {
        int step = *digit - '0';
        overflow |= __builtin_mul_overflow(value, 10, &value);
        overflow |= __builtin_add_overflow(value, negative ? -step : step, &value);
    }
    overflow |= __builtin_mul_overflow(value, (int64_t)unit->factor, &value);
    *out = value;
    return overflow ? too_large : NULL;
}

static const char *read_number(enum yk_option_type type, const char *text, void *out)
{
    struct number_rule rule = rule_of(type);
    if (type != YK_OPTION_REAL && type != YK_OPTION_SECONDS) {
        int64_t whole;
        const char *wrong = read_whole(text, &rule, &whole);
        if (!wrong) {
            *(int64_t *)out = whole;
        }
        return wrong;
    }
    double real;
    const char *end = read_real(text, &real);
    const struct unit *unit = end == text ? NULL : find_unit(rule.units, end);
    if (!unit || !isfinite(real)) {
        return rule.wrong;
    }
    *(double *)out = real * unit->factor;
    return NULL;
}

yoke_status yk_option_number(enum yk_option_type type, const char *text, void *out)
{
    if (type == YK_OPTION_TEXT || type == YK_OPTION_CHOICE) {
        return yk_fail(YOKE_EINVAL, "option type %d is no number; read it through a table",
                       (int)type);
    }
    const char *wrong = read_number(type, text, out);
    return wrong ? yk_fail(YOKE_EINVAL, "'%s' %s", text, wrong) : YOKE_OK;
}

/* Names for a message, "a, b, c"; names that do not fit are replaced by "...". */
struct name_list {
    char text[list_bytes];
    size_t length;
};

static void add_name(struct name_list *list, const char *name)
{
    const char *gap = list->length ? ", " : "";
    size_t left = sizeof list->text - list->length;
    int added = snprintf(list->text + list->length, left, "%s%s", gap, name);
    if ((size_t)added < left) {
        list->length += (size_t)added;
    } else {
        memcpy(list->text + sizeof list->text - 4, "...", 4);
        list->length = sizeof list->text - 1;
    }
}

/* A value to be stored in a field. `place` is its name in messages: "dynamic: chunk", or a
 * variable's name. */
struct assignment {
    const struct yk_option *option;
    const char *place;
    const char *value;
};

static yoke_status assign_choice(const struct assignment *given, int *field)
{
    struct name_list names = { .length = 0 };
    for (int index = 0; given->option->choices[index]; index++) {
        if (strcmp(given->option->choices[index], given->value) == 0) {
            *field = index;
            return YOKE_OK;
        }
        add_name(&names, given->option->choices[index]);
    }
    return yk_fail(YOKE_EINVAL, "%s: '%s' is none of its values; give one of: %s", given->place,
                   given->value, names.text);
}

static yoke_status assign(const struct assignment *given, void *settings)
{
    void *field = (char *)settings + given->option->offset;
    if (given->option->type == YK_OPTION_CHOICE) {
        return assign_choice(given, field);
    }
    if (given->option->type == YK_OPTION_TEXT) {
        char *copy = yk_strdup(given->value);
        if (!copy) {
            return YOKE_ENOMEM;
        }
        yk_free(*(char **)field);
        *(char **)field = copy;
        return YOKE_OK;
    }
    const char *wrong = read_number(given->option->type, given->value, field);
    if (wrong)
        return yk_fail(YOKE_EINVAL, "%s: '%s' %s", given->place, given->value, wrong);
    if (given->option->least && *(int64_t *)field < given->option->least)
        return yk_fail(YOKE_EINVAL, "%s: '%s' is too small; give %lld or more", given->place,
                       given->value, (long long)given->option->least);
    return YOKE_OK;
}

static size_t field_bytes(enum yk_option_type type)
{
    switch (type) {
    case YK_OPTION_TEXT:
        return sizeof(char *);
    case YK_OPTION_CHOICE:
        return sizeof(int);
    default:
        return 8; /* int64_t or double */
    }
}

yoke_status yk_options_default(const struct yk_option *table, void *settings)
{
    for (const struct yk_option *option = table; option->name; option++) {
        memset((char *)settings + option->offset, 0, field_bytes(option->type));
    }
    for (const struct yk_option *option = table; option->name; option++) {
        const char *word = option->variable ? yk_environment(option->variable) : NULL;
        int from_environment = word && *word;
        struct assignment given = {
            .option = option,
            .place = from_environment ? option->variable : option->name,
            .value = from_environment ? word : option->initial,
        };
        yoke_status status = given.value ? assign(&given, settings) : YOKE_OK;
        if (status != YOKE_OK) {
            yk_options_clear(table, settings);
            return status;
        }
    }
    return YOKE_OK;
}

static yoke_status no_such_key(const struct yk_option *table, const char *what, const char *key)
{
    struct name_list names = { .length = 0 };
    for (const struct yk_option *option = table; option->name; option++) {
        add_name(&names, option->name);
    }
    if (names.length == 0) {
        return yk_fail(YOKE_EINVAL, "%s has no option '%s', nor any other", what, key);
    }
    return yk_fail(YOKE_EINVAL, "%s has no option '%s'; there are: %s", what, key, names.text);
}

/* `pair` is "key=value" in the parser's memory; this function may change it. */
static yoke_status assign_pair(const struct yk_option *table, const char *what, char *pair,
                               void *settings)
{
    char *equals = strchr(pair, '=');
    if (equals) {
        *equals = '\0';
    }
    const struct yk_option *option = table;
    while (option->name && strcmp(option->name, pair) != 0) {
        option++;
    }
    if (!option->name) {
        return no_such_key(table, what, pair);
    }
    if (!equals || !equals[1]) {
        return yk_fail(YOKE_EINVAL, "%s: %s has no value; give %s=VALUE (%s)", what, pair, pair,
                       option->help);
    }
    char *place = yk_format("%s: %s", what, pair);
    if (!place) {
        return YOKE_ENOMEM;
    }
    struct assignment given = { .option = option, .place = place, .value = equals + 1 };
    yoke_status status = assign(&given, settings);
    yk_free(place);
    return status;
}

yoke_status yk_options_parse(const struct yk_option *table, const char *what, const char *text,
                             void *settings)
{
    if (!text || !*text) {
        return YOKE_OK;
    }
    char *copy = yk_strdup(text);
    if (!copy) {
        return YOKE_ENOMEM;
    }
    yoke_status status = YOKE_OK;
    char *rest = copy;
    while (rest && status == YOKE_OK) {
        char *pair = strsep(&rest, ",:");
        status = assign_pair(table, what, pair, settings);
    }
    yk_free(copy);
    return status;
}

void yk_options_clear(const struct yk_option *table, void *settings)
{
    for (const struct yk_option *option = table; option->name; option++) {
        if (option->type == YK_OPTION_TEXT) {
            char **field = (char **)((char *)settings + option->offset);
            yk_free(*field);
            *field = NULL;
        }
    }
}
