/* narrow_body.c - see narrow_body.h. */
#include "narrow_body.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 1 << 16, NAMES_MOST = 64, DEPTH = 4 };

static uint64_t state;
static int bits_most;

static uint32_t below(uint32_t count)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % count;
}

/* The body so far, and its names. */
static char text[TEXT_ROOM];
static size_t used;
static char names[NAMES_MOST][16];
static int name_bits[NAMES_MOST], name_is_int[NAMES_MOST], name_count, made;

static void put(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    used += (size_t)vsnprintf(text + used, TEXT_ROOM - used, format, list);
    va_end(list);
    if (used >= TEXT_ROOM)
        abort();
}

static void add_name(const char *name, int bits, int is_int)
{
    if (name_count == NAMES_MOST)
        abort();
    snprintf(names[name_count], sizeof *names, "%s", name);
    name_bits[name_count] = bits;
    name_is_int[name_count++] = is_int;
}

/* A generated expression: how many bits it may need, and whether its type is int. */
struct written {
    int bits, is_int;
};

static struct written expression(int depth);

static struct written leaf(void)
{
    static const struct {
        const char *text;
        int bits, is_int;
    } numbers[] = {
        { "1", 2, 1 },           { "2", 2, 1 },           { "7", 3, 1 },
        { "100", 7, 1 },         { "0x10", 5, 1 },        { "65536", 17, 1 },
        { "2147483647", 31, 1 }, { "(int64_t)3L", 2, 0 }, { "(int64_t)4294967295", 33, 0 },
        { "SIX", 3, 1 },         { "5u", 32, 1 }
    };
    static const struct {
        const char *text;
        int bits, is_int;
    } arrays[] = { { "a", 32, 1 }, { "b", 40, 0 }, { "c", 8, 1 }, { "d", 32, 1 } };
    const uint32_t which = below(12);
    if (which < 6) {
        const uint32_t name = below((uint32_t)name_count);
        put("%s", names[name]);
        return (struct written){ name_bits[name], name_is_int[name] };
    }
    if (which < 9) {
        const uint32_t number = below(sizeof numbers / sizeof *numbers);
        put("%s", numbers[number].text);
        return (struct written){ numbers[number].bits, numbers[number].is_int };
    }
    const uint32_t array = below(sizeof arrays / sizeof *arrays);
    put("%s[(", arrays[array].text);
    expression(1);
    put(") & 15]");
    return (struct written){ arrays[array].bits, arrays[array].is_int };
}

/* An operation on two ints must not overflow in the program itself: then one is cast to int64_t. */
static struct written binary(int depth)
{
    static const char *const signs[] = { "+", "-", "*", "+", "-", "*", "&", "|", "^" };
    const char *sign = signs[below(sizeof signs / sizeof *signs)];
    const size_t begin = used;
    put("(int64_t)(");
    struct written a = expression(depth - 1);
    put(")");
    if (!a.is_int) { /* the cast is unnecessary */
        memmove(text + begin, text + begin + 9, used - begin - 9);
        used -= 9;
    }
    put(" %s (", *sign == '*' && a.bits > bits_most / 2 ? "+" : sign);
    const size_t operand = used;
    struct written b = expression(depth - 1);
    if (*sign == '*' && a.bits + b.bits > bits_most) {
        used = operand;
        put("5");
        b = (struct written){ 3, 1 };
    }
    put(")");
    const int most = a.bits > b.bits ? a.bits : b.bits;
    return (struct written){ *sign == '*' ? a.bits + b.bits : most + 1, 0 };
}

static void comparison(int depth)
{
    static const char *const signs[] = { "<", "<=", ">", ">=", "==", "!=" };
    expression(depth - 1);
    put(" %s (", signs[below(6)]);
    expression(depth - 1);
    put(")");
}

static struct written choice(int depth)
{
    comparison(depth);
    put(" ? ");
    const struct written a = expression(depth - 1);
    put(" : ");
    const struct written b = expression(depth - 1);
    return (struct written){ a.bits > b.bits ? a.bits : b.bits, a.is_int && b.is_int };
}

static struct written quotient(int depth)
{
    const char *sign = below(2) ? "/" : "%";
    put("(int64_t)(");
    const struct written a = expression(depth - 1);
    if (below(2)) {
        put(") %s %d", sign, (int)below(2) ? 1 + (int)below(90) : -1);
    } else {
        put(") %s (((", sign);
        expression(depth - 1);
        put(") & 15) + 1)");
    }
    return (struct written){ a.bits + 1, 0 };
}

static struct written one(int depth)
{
    static const char *const signs[] = { "-",          "~",         "(int64_t)",
                                         "(int64_t)-", "(uint8_t)", "(int32_t)" };
    static const int is_int[] = { 0, 0, 0, 0, 1, 1 };
    const uint32_t which = below(6);
    put("%s(int64_t)(", signs[which]);
    const struct written a = expression(depth - 1);
    put(")");
    return (struct written){ which == 4 ? 8 : which == 5 ? 32 : a.bits + 1, is_int[which] };
}

static struct written shifted(int depth)
{
    const int left = (int)below(2);
    if (left)
        put("((int64_t)(");
    else
        put("(");
    const struct written a = expression(depth - 1);
    if (left)
        put(") & 0xffffff) << ");
    else
        put(") >> ");
    if (below(2))
        put("%d", (int)below(8));
    else
        put("(j & 3)");
    return (struct written){ left ? 32 : a.bits, left ? 0 : a.is_int };
}

static struct written expression(int depth)
{
    if (depth <= 0 || below(6) == 0)
        return leaf();
    put("(");
    struct written result;
    switch (below(10)) {
    case 0:
        result = choice(depth);
        break;
    case 1:
        result = quotient(depth);
        break;
    case 2:
        result = one(depth);
        break;
    case 3:
        result = shifted(depth);
        break;
    default:
        result = binary(depth);
    }
    put(")");
    return result;
}

static void assignment(void)
{
    put("y[(");
    expression(2);
    put(") & 7] %s= ", below(2) ? "" : "^");
    expression(DEPTH);
    put(";\n");
}

static void statements(int count, int depth);

static void local(void)
{
    char name[16];
    const int changes = below(3) == 0, is_int = below(4) == 0;
    snprintf(name, sizeof name, "l%d", made++);
    put("%s%s %s = ", changes ? "" : "const ", is_int ? "int32_t" : "int64_t", name);
    const struct written value = expression(3);
    put(";\n");
    add_name(name, is_int ? 32 : value.bits + 2, is_int);
    if (changes && !is_int) {
        put("%s += ", name);
        expression(1);
        put(";\n");
    } else if (changes) {
        put("%s = (int32_t)(", name);
        expression(1);
        put(");\n");
    }
}

static void loop(int depth)
{
    static const char *const heads[] = { "= 0; K < SIX; K++",
                                         "= n - 3; K < n; ++K",
                                         "= n; K > n - 4; K--",
                                         "= n - 5; K <= n; K += 2",
                                         "= j + 4; K >= j; K -= SIX",
                                         "= a[3] & 7; K < (c[1] & 15); K++",
                                         "= m - 2; K < m && K != 3; K += 3",
                                         "= i; K < i + 3; K++" };
    char name[16];
    const int names_before = name_count;
    const char *head = heads[below(8)];
    const int is_int = below(4) == 0 && !strchr(head, 'n') && !strchr(head, 'i') &&
                       !strchr(head, 'm') && !strchr(head, 'j');
    const int is_before = is_int && below(2); /* declared before the loop, and used behind it */
    snprintf(name, sizeof name, "k%d", made++);
    if (is_before)
        put("int %s = m & 3; for (%s ", name, name);
    else
        put("for (%s %s ", is_int ? "int" : "int64_t", name);
    for (; *head; head++)
        if (*head == 'K')
            put("%s", name);
        else
            put("%c", *head);
    put(") {\n");
    add_name(name, 33, is_int);
    statements(2, depth - 1);
    if (is_before && below(3) == 0)
        put("%s += j & 1;\n", name);
    put("}\n");
    name_count = names_before;
    if (is_before)
        add_name(name, 33, 1);
}

static void branch(int depth)
{
    const int names_before = name_count;
    put("if (");
    comparison(2);
    put(") {\n");
    statements(1, depth - 1);
    name_count = names_before;
    put("} else\n");
    assignment();
}

static void statements(int count, int depth)
{
    while (count-- > 0) {
        const uint32_t which = below(8);
        if (which < 3)
            local();
        else if (which == 3 && depth > 0)
            loop(depth);
        else if (which == 4 && depth > 0)
            branch(depth);
        else
            assignment();
    }
    assignment();
}

const yoke_param narrow_body_params[NARROW_BODY_PARAMS] = {
    { YOKE_PARAM_VALUE, "int64_t", "n", 8, 8 }, { YOKE_PARAM_VALUE, "int32_t", "m", 4, 4 },
    { YOKE_PARAM_IN, "int32_t", "a", 4, 4 },    { YOKE_PARAM_IN, "int64_t", "b", 8, 8 },
    { YOKE_PARAM_IN, "uint8_t", "c", 1, 1 },    { YOKE_PARAM_IN, "uint32_t", "d", 4, 4 },
    { YOKE_PARAM_OUT, "int64_t", "y", 8, 8 }
};
#define HEAD                                                                                       \
    "(int64_t i, int64_t j, int64_t yk_size2, int64_t yk_size3, int64_t n, int32_t m, "            \
    "YOKE_GLOBAL const int32_t *a, YOKE_GLOBAL const int64_t *b, YOKE_GLOBAL const uint8_t *c, "   \
    "YOKE_GLOBAL const uint32_t *d, YOKE_GLOBAL int64_t *y)"

void narrow_body_begin(uint64_t seed, int bits)
{
    state = seed;
    bits_most = bits;
}

uint32_t narrow_body_below(uint32_t count)
{
    return below(count);
}

const char *narrow_body_write(int number, const char *entry)
{
    used = 0;
    name_count = made = 0;
    add_name("i", 33, 0);
    add_name("j", 33, 0);
    add_name("yk_size2", 33, 0);
    add_name("n", 33, 0);
    add_name("m", 32, 1);
    put("YOKE_FN void yk_body_k%d" HEAD ";\n", number);
    put(entry, number, number);
    put("\n");
    put("YOKE_FN void yk_body_k%d" HEAD "\n{\n", number);
    put("enum { SIX = 6 };\n");
    statements(1 + (int)below(4), 2);
    put("}\n");
    return text;
}
