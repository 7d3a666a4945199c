/* value.c - see value.h: a table of type names. */

#include "value.h"

#include <string.h>

struct named {
    const char *text;
    yoke_type type;
};

/* The most frequent ones come first, because a value's type is looked up at each submit. */
static const struct named names[] = {
    { "float", YOKE_TYPE_REAL },         { "int64_t", YOKE_TYPE_SIGNED },
    { "int32_t", YOKE_TYPE_SIGNED },     { "double", YOKE_TYPE_REAL },
    { "uint32_t", YOKE_TYPE_UNSIGNED },  { "uint64_t", YOKE_TYPE_UNSIGNED },
    { "uint8_t", YOKE_TYPE_UNSIGNED },   { "int", YOKE_TYPE_SIGNED },
    { "unsigned", YOKE_TYPE_UNSIGNED },  { "long", YOKE_TYPE_SIGNED },
    { "uint16_t", YOKE_TYPE_UNSIGNED },  { "int16_t", YOKE_TYPE_SIGNED },
    { "int8_t", YOKE_TYPE_SIGNED },      { "char", YOKE_TYPE_SIGNED },
    { "short", YOKE_TYPE_SIGNED },       { "unsigned int", YOKE_TYPE_UNSIGNED },
    { "long long", YOKE_TYPE_SIGNED },   { "unsigned char", YOKE_TYPE_UNSIGNED },
    { "signed char", YOKE_TYPE_SIGNED }, { "unsigned short", YOKE_TYPE_UNSIGNED },
    { "size_t", YOKE_TYPE_UNSIGNED },    { "unsigned long", YOKE_TYPE_UNSIGNED },
};

yoke_type yk_type_named(const char *text)
{
    size_t n;
    for (n = 0; text && n < sizeof names / sizeof *names; n++)
        if (names[n].text[0] == text[0] && strcmp(names[n].text, text) == 0)
            return names[n].type;
    return YOKE_TYPE_OTHER;
}

const char *yk_type_name(yoke_type type, size_t size)
{
    static const char *const by_bits[][4] = {
        [YOKE_TYPE_SIGNED] = { "int8_t", "int16_t", "int32_t", "int64_t" },
        [YOKE_TYPE_UNSIGNED] = { "uint8_t", "uint16_t", "uint32_t", "uint64_t" },
        [YOKE_TYPE_REAL] = { "a number", "a number", "float", "double" },
    };
    int log2 = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    return type == YOKE_TYPE_OTHER ? "a struct" : by_bits[type][log2];
}
