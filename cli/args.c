/* args.c - one pass over the words; --name VALUE and --name=VALUE are equivalent. */
#include "args.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "base/plain.h"

/* A user's text may contain control characters, which must not reach the terminal. */
void args_say(const char *text)
{
    const size_t size = yk_plain_text(text, NULL, 0) + 1;
    char *plain = malloc(size);
    if (plain)
        yk_plain_text(text, plain, size);
    fprintf(stderr, "yoke: %s\n", plain ? plain : "no memory for a message");
    free(plain);
}

int args_mistake(const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    args_say(text);
    return 2;
}

/* Returns the option with this name, or NULL if there is none; *value is where its value goes. */
static const struct app_option *find(const struct args *args, const char *name, const char ***value)
{
    size_t length = strcspn(name, "=");
    for (int t = 0; t < ARGS_TABLES_MAX; t++) {
        const struct args_table *table = &args->tables[t];
        for (int i = 0; table->options && table->options[i].name; i++)
            if (strlen(table->options[i].name) == length &&
                !strncmp(table->options[i].name, name, length)) {
                *value = &table->values[i];
                return &table->options[i];
            }
    }
    return NULL;
}

static int unknown(const struct args *args, const char *name)
{
    struct yk_closest closest = { .word = name, .length = strcspn(name, "=") };
    for (int t = 0; t < ARGS_TABLES_MAX; t++)
        for (const struct app_option *o = args->tables[t].options; o && o->name; o++)
            yk_closest_try(&closest, o->name);
    yk_closest_try(&closest, "help");
    if (closest.name)
        return args_mistake("yoke %s has no option --%.*s; did you mean --%s?", args->command,
                            (int)closest.length, name, closest.name);
    return args_mistake("yoke %s has no option --%.*s; 'yoke help %s' lists those there are",
                        args->command, (int)closest.length, name, args->command);
}

/* Sets *used to the number of words that the option took. */
static int take_option(struct args *args, int argc, char **argv, int *used)
{
    const char *name = argv[0] + 2, **value = NULL;
    const char *equals = strchr(name, '=');
    const struct app_option *option = find(args, name, &value);
    *used = 1;
    if (!option)
        return unknown(args, name);
    if (!option->value) {
        if (equals)
            return args_mistake("--%s takes no value; write it without '%s'", option->name, equals);
        *value = "1";
        return 0;
    }
    if (!equals && argc < 2)
        return args_mistake("--%s needs a value: --%s %s", option->name, option->name,
                            option->value);
    *value = equals ? equals + 1 : argv[1];
    *used = equals ? 1 : 2;
    return 0;
}

int args_parse(struct args *args, int argc, char **argv)
{
    int only_words = 0;
    for (int t = 0; t < ARGS_TABLES_MAX; t++)
        for (int i = 0; args->tables[t].options && args->tables[t].options[i].name; i++)
            args->tables[t].values[i] = args->tables[t].options[i].initial;
    for (int at = 0, used = 1; at < argc; at += used) {
        used = 1;
        if (!only_words && !strcmp(argv[at], "--")) {
            only_words = 1;
        } else if (!only_words && !strncmp(argv[at], "--", 2)) {
            int wrong = take_option(args, argc - at, argv + at, &used);
            if (wrong)
                return wrong;
        } else if (!only_words && argv[at][0] == '-' && argv[at][1]) {
            return args_mistake("yoke %s has no option %s; options begin with --, as in "
                                "'yoke help %s'",
                                args->command, argv[at], args->command);
        } else if (args->word_count == args->word_limit) {
            return args_mistake("yoke %s: '%s' is one word too many; see 'yoke help %s'",
                                args->command, argv[at], args->command);
        } else {
            args->words[args->word_count++] = argv[at];
        }
    }
    return 0;
}

/* Below this value a double converts to int64_t without overflow. */
static const double too_large = 9e18;

/* Reads a number with its suffix and sets *end behind it. Returns 1, 0 if it is not a number, or -1
 * if it is too large. */
static int count_at(const char *text, const char **end, int64_t *out)
{
    static const char letters[] = "kMG";
    char *rest;
    if (!isdigit((unsigned char)text[0]))
        return 0;
    double number = strtod(text, &rest);
    const char *letter = *rest ? strchr(letters, *rest == 'K' ? 'k' : *rest) : NULL;
    if (letter) {
        int binary = rest[1] == 'i';
        number *= pow(binary ? 1024 : 1000, (double)(letter - letters) + 1);
        rest += 1 + binary;
    }
    *end = rest;
    if (number >= too_large)
        return -1;
    if (!(number >= 0) || number != floor(number))
        return 0;
    *out = (int64_t)number;
    return 1;
}

int args_count(const char *text, int64_t *out)
{
    const char *end;
    int64_t value;
    int is = count_at(text, &end, &value);
    if (is != 0 && *end)
        return 0;
    if (is > 0)
        *out = value;
    return is;
}

int args_size(const char *text, int64_t size[3])
{
    const char *at = text;
    int large = 0;
    for (int count = 0; count < 3; at++) {
        /* strtod would read "0x10" as a hexadecimal number. */
        if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
            return 0;
        int is = count_at(at, &at, &size[count]);
        if (is == 0)
            return 0;
        large |= is < 0;
        count++;
        if (!*at)
            return large ? -1 : count;
        if (*at != 'x')
            return 0;
    }
    return 0;
}

int args_fraction(const char *text, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "%")))
        return 0;
    if (*end || value >= 1)
        value /= 100;
    if (!(value > 0 && value < 1))
        return 0;
    *out = value;
    return 1;
}

int args_read_count(struct args_given given, struct args_bounds bounds, int64_t *out)
{
    int64_t value;
    if (!given.text)
        return 0;
    if (args_count(given.text, &value) > 0 && value >= bounds.least && value <= bounds.most) {
        *out = value;
        return 0;
    }
    return args_mistake("--%s %s: a whole number from %lld to %lld is needed", given.option,
                        given.text, (long long)bounds.least, (long long)bounds.most);
}

int args_read_word(struct args_given given, const char *const *names, const char *choice, int *out)
{
    if (!given.text)
        return 0;
    struct yk_closest closest = { .word = given.text, .length = strlen(given.text) };
    for (int i = 0; names[i]; i++) {
        if (!strcmp(names[i], given.text)) {
            *out = i;
            return 0;
        }
        yk_closest_try(&closest, names[i]);
    }
    return args_mistake("--%s %s: choose %s%s%s", given.option, given.text, choice,
                        closest.name ? "; did you mean " : "", closest.name ? closest.name : "");
}

int args_check_trace(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    if (!path || (length > 5 &&
                  (!strcmp(path + length - 5, ".json") || !strcmp(path + length - 5, ".html"))))
        return 0;
    return args_mistake("--trace %s: the name has to end in .json or .html", path);
}
