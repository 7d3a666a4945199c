/* fuzz_option.c - any text as a number or as a list of options. Byte 0 selects which; the rest is
 * the text.
 *
 * Properties: a refused text changes nothing and gives a reason; an integer has the value of its
 * digits (computed here independently in 128 bits); the same text gives the same settings; nothing
 * leaks. */
#include "fuzz.h"

#include "base/alloc.h"
#include "base/option.h"

struct settings {
    char *name;
    int64_t count, bytes;
    double real, seconds;
    int choice;
};

static const char *const choices[] = { "spin", "yield", "block", NULL };

static const struct yk_option table[] = {
    { "name", NULL, NULL, "a text", YK_OPTION_TEXT, offsetof(struct settings, name), NULL },
    { "chunk", NULL, "4k", "a count", YK_OPTION_INT, offsetof(struct settings, count), NULL },
    { "mem", NULL, "64M", "a size", YK_OPTION_BYTES, offsetof(struct settings, bytes), NULL },
    { "alpha", NULL, "0.25", "a number", YK_OPTION_REAL, offsetof(struct settings, real), NULL },
    { "pause", NULL, "2ms", "a time", YK_OPTION_SECONDS, offsetof(struct settings, seconds), NULL },
    { "wait", NULL, "block", "a way", YK_OPTION_CHOICE, offsetof(struct settings, choice),
      choices },
    { 0 },
};

static int64_t unit_of(enum yk_option_type type, const char *unit)
{
    static const char names[] = "kMGT";
    const char *found;
    int64_t base = type == YK_OPTION_BYTES ? 1024 : 1000, factor = base;
    if (!unit[0])
        return 1;
    if (unit[1])
        return 0;
    if (type == YK_OPTION_BYTES && unit[0] == 'K')
        return base;
    found = strchr(names, unit[0]);
    if (!found || (type == YK_OPTION_INT && unit[0] == 'T'))
        return 0;
    while (found-- > names)
        factor *= base;
    return factor;
}

/* Digits and a unit: 1 and the value if it fits into 64 bits, -1 if not, 0 for all other texts. */
static int whole_number(enum yk_option_type type, const char *text, int64_t *out)
{
    const char *at = text + (*text == '-' || *text == '+');
    const __int128 most = (__int128)1 << 100;
    __int128 value = 0;
    int64_t unit;
    if (*at < '0' || *at > '9')
        return 0;
    for (; *at >= '0' && *at <= '9'; at++)
        value = value > most ? most : 10 * value + (*at - '0');
    unit = unit_of(type, at);
    if (unit == 0)
        return 0;
    value = (*text == '-' ? -value : value);
    if (value > most / unit || value < -most / unit)
        return -1;
    value *= unit;
    *out = (int64_t)value;
    return value >= INT64_MIN && value <= INT64_MAX ? 1 : -1;
}

static void one_number(enum yk_option_type type, const char *text)
{
    int64_t untouched = 77, expected = 0;
    double real = 77;
    int is_real = type == YK_OPTION_REAL || type == YK_OPTION_SECONDS;
    yoke_status status = yk_option_number(type, text, is_real ? (void *)&real : &untouched);
    FUZZ_CHECK(status == YOKE_OK || status == YOKE_EINVAL);
    FUZZ_CHECK(status == YOKE_OK || (untouched == 77 && real == 77 && yoke_error_text()[0]));
    if (is_real) {
        FUZZ_CHECK(status != YOKE_OK || real - real == 0); /* neither infinite nor NaN */
        return;
    }
    switch (whole_number(type, text, &expected)) {
    case 1:
        FUZZ_CHECK(status == YOKE_OK && untouched == expected);
        break;
    case -1:
        FUZZ_CHECK(status == YOKE_EINVAL);
        break;
    default:
        break;
    }
}

static int same(const struct settings *a, const struct settings *b)
{
    int same_name = a->name && b->name ? strcmp(a->name, b->name) == 0 : a->name == b->name;
    return same_name && a->count == b->count && a->bytes == b->bytes && a->choice == b->choice &&
           memcmp(&a->real, &b->real, sizeof a->real) == 0 &&
           memcmp(&a->seconds, &b->seconds, sizeof a->seconds) == 0;
}

static void one_list(const char *text)
{
    struct settings first = { 0 }, second = { 0 };
    yoke_status status;
    FUZZ_CHECK(yk_options_default(table, &first) == YOKE_OK);
    FUZZ_CHECK(yk_options_default(table, &second) == YOKE_OK);
    status = yk_options_parse(table, "the fuzzer", text, &first);
    FUZZ_CHECK(status == YOKE_OK || (status == YOKE_EINVAL && yoke_error_text()[0]));
    FUZZ_CHECK(yk_options_parse(table, "the fuzzer", text, &second) == status);
    FUZZ_CHECK(same(&first, &second));
    FUZZ_CHECK(first.choice >= 0 && first.choice < 3);
    yk_options_clear(table, &first);
    yk_options_clear(table, &second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const enum yk_option_type types[] = { YK_OPTION_INT, YK_OPTION_BYTES, YK_OPTION_REAL,
                                                 YK_OPTION_SECONDS };
    int64_t held = yk_alloc_outstanding();
    char *text;
    if (size == 0)
        return 0;
    text = fuzz_text(bytes + 1, size - 1);
    if (bytes[0] % 8 < 4)
        one_number(types[bytes[0] % 8], text);
    else
        one_list(text);
    free(text);
    FUZZ_CHECK(yk_alloc_outstanding() == held);
    return 0;
}
