/* narrow_type.c - the types of the common subset, as far as it matters whether they are integers
 * that C computes as int, int64_t, or floating point.
 */
#include "narrowing.h"

const struct yk_bounds yk_narrowing_int = { INT32_MIN, INT32_MAX };

int yk_type_is_int(const struct yk_type *type)
{
    return type->is == YK_CLASS_INT && type->levels == 0 && type->range.low == INT32_MIN;
}

struct word {
    const char *name;
    struct yk_type type;
};
#define INT(low, high)                                                                             \
    {                                                                                              \
        YK_CLASS_INT, 0,                                                                           \
        {                                                                                          \
            low, high                                                                              \
        }                                                                                          \
    }
static const struct word types[] = {
    { "int64_t", { .is = YK_CLASS_INT64 } },
    { "int32_t", INT(INT32_MIN, INT32_MAX) },
    { "int", INT(INT32_MIN, INT32_MAX) },
    { "int16_t", INT(INT16_MIN, INT16_MAX) },
    { "short", INT(INT16_MIN, INT16_MAX) },
    { "int8_t", INT(INT8_MIN, INT8_MAX) },
    { "char", INT(INT8_MIN, UINT8_MAX) },
    { "uint8_t", INT(0, UINT8_MAX) },
    { "uint16_t", INT(0, UINT16_MAX) },
    { "bool", INT(0, 1) },
    { "_Bool", INT(0, 1) },
    { "float", { .is = YK_CLASS_REAL } },
    { "double", { .is = YK_CLASS_REAL } },
};
#undef INT
/* These may also be types of several words. */
static const char *const others[] = { "unsigned", "signed",    "long",      "uint32_t", "uint64_t",
                                      "size_t",   "void",      "struct",    "union",    "enum",
                                      "intptr_t", "uintptr_t", "ptrdiff_t", NULL };
static const char *const qualifiers[] = { "const",        "volatile",      "restrict",
                                          "__restrict__", "YOKE_RESTRICT", "YOKE_GLOBAL",
                                          "YOKE_SHARED",  "YOKE_CONST",    "static",
                                          "register",     "__global",      "__local",
                                          "__constant",   "__private",     NULL };
static const char *const attributes[] = { "__attribute__", "YOKE_ALIGN", "_Alignas", NULL };

static const struct word *find_type(const struct yk_token *token)
{
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (yk_token_is(token, types[t].name))
            return &types[t];
    return NULL;
}

static int is_type_word(const struct yk_narrowing *n, int at)
{
    return at < n->end && (find_type(&n->text.tokens[at]) || yk_narrowing_is_one(n, at, others));
}

int yk_narrowing_begins_type(const struct yk_narrowing *n, int at)
{
    if (!yk_narrowing_is_name(n, at))
        return 0;
    if (is_type_word(n, at) || yk_narrowing_is_one(n, at, qualifiers) ||
        yk_narrowing_is_one(n, at, attributes))
        return 1;
    const int v = yk_narrowing_find(n, &n->text.tokens[at]);
    return v >= 0 && n->variables[v].is_type;
}

static void skip_attribute(struct yk_narrowing *n)
{
    n->at++;
    if (yk_narrowing_is(n, n->at, "("))
        yk_narrowing_skip_bracket(n);
    else
        yk_narrowing_fail(n);
}

/* Reads one word of a type. Returns 0 if the word belongs to the declarator. */
static int read_word(struct yk_narrowing *n, int words, struct yk_type *type)
{
    const struct yk_token *token = &n->text.tokens[n->at];
    const struct word *word = find_type(token);
    const int v = yk_narrowing_find(n, token);
    *type = (struct yk_type){ .is = YK_CLASS_OTHER };
    if (v >= 0 && n->variables[v].is_type && words == 0)
        *type = n->variables[v].type;
    else if (word && words == 0)
        *type = word->type;
    else if (!is_type_word(n, n->at) && words > 0)
        return 0;
    const int has_tag = yk_narrowing_is(n, n->at, "struct") || yk_narrowing_is(n, n->at, "union") ||
                        yk_narrowing_is(n, n->at, "enum");
    n->at += 1 + has_tag;
    return 1;
}

int yk_narrowing_read_type(struct yk_narrowing *n, struct yk_type *type)
{
    struct yk_type next;
    int words = 0, type_at = n->at;
    *type = (struct yk_type){ .is = YK_CLASS_OTHER };
    while (yk_narrowing_is_name(n, n->at)) {
        const int at = n->at;
        if (yk_narrowing_is_one(n, at, qualifiers)) {
            n->at++;
        } else if (yk_narrowing_is_one(n, at, attributes)) {
            skip_attribute(n);
        } else if (read_word(n, words, &next)) {
            *type = next;
            type_at = at;
            words++;
        } else {
            break;
        }
    }
    if (words == 0)
        yk_narrowing_fail(n);
    return type_at;
}

int yk_narrowing_read_stars(struct yk_narrowing *n)
{
    int stars = 0;
    for (;; n->at++) {
        if (yk_narrowing_is(n, n->at, "*"))
            stars++;
        else if (!yk_narrowing_is_one(n, n->at, qualifiers))
            return stars;
    }
}

enum yk_kind yk_narrowing_constant(const struct yk_token *name, struct yk_bounds *range)
{
    static const struct {
        const char *name;
        int64_t value;
    } integers[] = { { "INT8_MAX", INT8_MAX },   { "INT16_MAX", INT16_MAX },
                     { "INT32_MAX", INT32_MAX }, { "INT32_MIN", INT32_MIN },
                     { "UINT8_MAX", UINT8_MAX }, { "UINT16_MAX", UINT16_MAX } };
    static const char *const reals[] = { "YOKE_PI", "YOKE_PI_F",   "FLT_MAX", "FLT_MIN",
                                         "DBL_MAX", "FLT_EPSILON", "DBL_MIN", "DBL_EPSILON",
                                         "NAN",     "INFINITY" };
    for (size_t c = 0; c < sizeof integers / sizeof *integers; c++)
        if (yk_token_is(name, integers[c].name)) {
            *range = (struct yk_bounds){ integers[c].value, integers[c].value };
            return YK_KIND_INT;
        }
    for (size_t c = 0; c < sizeof reals / sizeof *reals; c++)
        if (yk_token_is(name, reals[c]))
            return YK_KIND_REAL;
    return YK_KIND_OTHER;
}
