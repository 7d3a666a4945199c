/* narrow_expression.c - reads expressions by C's grammar. Text that is ambiguous without more
 * knowledge of types (a cast or a product) makes reading fail: a wrong reading would convert the
 * wrong operands.
 */
#include <stdlib.h>
#include <string.h>

#include "narrowing.h"

enum {
    LEVEL_LOGIC = 1,
    LEVEL_SHIFT = 8
}; /* levels of operators: higher levels bind more
    * tightly */
static const struct {
    const char *sign;
    int level;
} operators[] = { { "||", 1 }, { "&&", 2 }, { "|", 3 }, { "^", 4 },  { "&", 5 },  { "==", 6 },
                  { "!=", 6 }, { "<", 7 },  { ">", 7 }, { "<=", 7 }, { ">=", 7 }, { "<<", 8 },
                  { ">>", 8 }, { "+", 9 },  { "-", 9 }, { "*", 10 }, { "/", 10 }, { "%", 10 } };

static const struct yk_value unknown = { .kind = YK_KIND_OTHER, .variable = -1 };

static struct yk_value unary(struct yk_narrowing *n);

static int level_of(const struct yk_narrowing *n)
{
    for (size_t o = 0; o < sizeof operators / sizeof *operators; o++)
        if (yk_narrowing_is(n, n->at, operators[o].sign))
            return operators[o].level;
    return 0;
}

/* ---- primaries ---- */

/* A number without a suffix is an int if it fits into one; with l it was an int64_t. Hexadecimal
 * numbers may be unsigned. */
static struct yk_value number(struct yk_narrowing *n)
{
    const struct yk_token *token = &n->text.tokens[n->at];
    const int is_hex = token->length > 1 && strchr("xX", token->text[1]);
    struct yk_value value = unknown;
    char digits[32] = "", *rest;
    if (token->length >= (int)sizeof digits)
        return value;
    memcpy(digits, token->text, (size_t)token->length);
    if (strpbrk(digits, is_hex ? ".pP" : ".eEfF")) {
        value.kind = YK_KIND_REAL;
        return value;
    }
    const long long is = strtoll(digits, &rest, 0);
    const int is_long = strcmp(rest, "l") == 0 || strcmp(rest, "L") == 0 ||
                        strcmp(rest, "ll") == 0 || strcmp(rest, "LL") == 0;
    if (is < 0 || is > INT32_MAX || (*rest && !is_long))
        return value;
    value.kind = is_long ? YK_KIND_NARROW : YK_KIND_INT;
    value.node = yk_narrowing_fixed(n, (struct yk_bounds){ is, is });
    if (is_long)
        n->marks[n->at] |= YK_MARK_LITERAL;
    return value;
}

static struct yk_value named(struct yk_narrowing *n, const struct yk_token *name)
{
    const int v = yk_narrowing_find(n, name);
    struct yk_value value = unknown;
    struct yk_bounds range;
    if (v < 0) {
        value.kind = yk_narrowing_constant(name, &range);
        if (value.kind == YK_KIND_INT)
            value.node = yk_narrowing_fixed(n, range);
        return value;
    }
    const struct yk_named variable = n->variables[v];
    if (variable.is_constant) {
        value.kind = YK_KIND_INT;
        value.node = yk_narrowing_fixed(n, variable.type.range);
        return value;
    }
    value = (struct yk_value){ .kind = variable.kind,
                               .node = variable.node,
                               .variable = v,
                               .is_place = 1,
                               .type = variable.type };
    yk_narrowing_sum_named(n, &value);
    return value;
}

/* sizeof and its like, with brackets: variables in it keep their types. */
static struct yk_value operand_of_type(struct yk_narrowing *n)
{
    const int first = ++n->at;
    if (yk_narrowing_is(n, n->at, "("))
        yk_narrowing_skip_bracket(n);
    else
        yk_narrowing_fail(n);
    yk_narrowing_keep_all_wide(n, first, n->at);
    if (yk_narrowing_is(n, n->at, "[") || yk_narrowing_is(n, n->at, ".") ||
        yk_narrowing_is(n, n->at, "->") || yk_narrowing_is(n, n->at, "("))
        yk_narrowing_fail(n);
    return unknown;
}

void yk_narrowing_initialise(struct yk_narrowing *n)
{
    if (!yk_narrowing_enter(n)) {
        yk_narrowing_leave(n);
        return;
    }
    yk_narrowing_expect(n, "{");
    while (n->at < n->end && !yk_narrowing_is(n, n->at, "}")) {
        while (yk_narrowing_is(n, n->at, ".") || yk_narrowing_is(n, n->at, "[")) {
            if (yk_narrowing_is(n, n->at, "["))
                yk_narrowing_skip_bracket(n); /* a constant */
            else
                n->at += 2;
        }
        if (yk_narrowing_is(n, n->at, "="))
            n->at++;
        if (yk_narrowing_is(n, n->at, "{")) {
            yk_narrowing_initialise(n);
        } else {
            struct yk_value value = yk_narrowing_assignment(n);
            yk_narrowing_settle(n, &value);
        }
        if (!yk_narrowing_is(n, n->at, "}"))
            yk_narrowing_expect(n, ",");
    }
    yk_narrowing_expect(n, "}");
    yk_narrowing_leave(n);
}

/* What the bracket at n->at begins. */
enum bracket { IS_EXPRESSION, IS_TYPE, IS_UNCLEAR };
static enum bracket bracket_of(const struct yk_narrowing *n)
{
    static const char *const either[] = { "(", "+", "-", "*", "&", "++", "--", NULL };
    static const char *const behind_types[] = { "{", "~", "!", NULL };
    const int at = n->at + 1;
    struct yk_bounds range;
    if (yk_narrowing_begins_type(n, at))
        return IS_TYPE;
    if (!yk_narrowing_is_name(n, at) || yk_narrowing_find(n, &n->text.tokens[at]) >= 0 ||
        yk_narrowing_constant(&n->text.tokens[at], &range) != YK_KIND_OTHER)
        return IS_EXPRESSION;
    if (yk_narrowing_is(n, at + 1, "*") && yk_narrowing_is(n, at + 2, ")"))
        return IS_TYPE;
    if (!yk_narrowing_is(n, at + 1, ")"))
        return IS_EXPRESSION;
    if (yk_narrowing_is_one(n, at + 2, either))
        return IS_UNCLEAR;
    return at + 2 < n->end && (yk_narrowing_is_one(n, at + 2, behind_types) ||
                               n->text.tokens[at + 2].kind != YK_TOKEN_SIGN)
               ? IS_TYPE
               : IS_EXPRESSION;
}

static struct yk_value cast(struct yk_narrowing *n)
{
    struct yk_type type;
    const int first = n->at++, type_at = yk_narrowing_read_type(n, &type);
    type.levels += yk_narrowing_read_stars(n);
    yk_narrowing_expect(n, ")");
    struct yk_value value = unknown;
    if (yk_narrowing_is(n, n->at, "{")) {
        yk_narrowing_initialise(n);
    } else {
        value = yk_narrowing_cast(n, &type, type_at, unary(n));
    }
    value.first = first;
    value.behind = n->at;
    return value;
}

static struct yk_value primary(struct yk_narrowing *n)
{
    static const char *const of_types[] = { "sizeof",   "_Alignof",   "alignof",  "typeof",
                                            "_Generic", "__typeof__", "offsetof", NULL };
    struct yk_value value = unknown;
    const int first = n->at;
    static const char *const typed[] = { "int", "char", "short", "float", "double", NULL };
    if (n->at >= n->end || yk_narrowing_is_one(n, n->at, typed)) { /* C++: f<int>(x), int(x) */
        yk_narrowing_fail(n);
        return value;
    }
    const struct yk_token *token = &n->text.tokens[n->at];
    if (token->kind == YK_TOKEN_NUMBER) {
        value = number(n);
        n->at++;
    } else if (token->kind == YK_TOKEN_QUOTED) {
        n->at++;
    } else if (yk_narrowing_is_one(n, n->at, of_types)) {
        value = operand_of_type(n);
    } else if (token->kind == YK_TOKEN_NAME) {
        value = named(n, token);
        n->at++;
    } else if (yk_narrowing_is(n, n->at, "(")) {
        n->at++;
        value = yk_narrowing_expression(n);
        yk_narrowing_expect(n, ")");
    } else {
        yk_narrowing_fail(n);
    }
    value.first = first;
    value.behind = n->at;
    return value;
}

/* ---- what follows a primary ---- */

static void arguments(struct yk_narrowing *n)
{
    yk_narrowing_expect(n, "(");
    while (n->at < n->end && !yk_narrowing_is(n, n->at, ")")) {
        struct yk_value value = yk_narrowing_assignment(n);
        yk_narrowing_settle(n, &value);
        if (!yk_narrowing_is(n, n->at, ")"))
            yk_narrowing_expect(n, ",");
    }
    yk_narrowing_expect(n, ")");
}

/* A value of the type that the pointer points to. */
static struct yk_value pointed_to(struct yk_narrowing *n, const struct yk_value *pointer)
{
    struct yk_type type = pointer->type;
    if (type.levels == 0)
        type = (struct yk_type){ .is = YK_CLASS_OTHER };
    else
        type.levels--;
    struct yk_value value = yk_narrowing_of_type(n, &type);
    value.is_place = 1;
    return value;
}

static struct yk_value element(struct yk_narrowing *n, struct yk_value base)
{
    n->at++;
    struct yk_value index = yk_narrowing_expression(n);
    yk_narrowing_expect(n, "]");
    yk_narrowing_sum_element(n, &base, &index);
    if (base.kind != YK_KIND_OTHER) { /* 3[x] */
        yk_narrowing_settle(n, &base);
        return pointed_to(n, &index);
    }
    return pointed_to(n, &base);
}

static void change(struct yk_narrowing *n, struct yk_value *value)
{
    yk_narrowing_set_changed(n, value);
    if (!value->is_place)
        yk_narrowing_settle(n, value); /* not valid C; keep its type */
    value->variable = -1;
    value->is_place = 0;
}

static struct yk_value postfix(struct yk_narrowing *n)
{
    struct yk_value value = yk_narrowing_is(n, n->at, "(") && bracket_of(n) == IS_TYPE
                                ? cast(n) /* a compound literal */
                                : primary(n);
    const int first = value.first;
    while (!n->failed) {
        if (yk_narrowing_is(n, n->at, "[")) {
            value = element(n, value);
        } else if (yk_narrowing_is(n, n->at, "(")) {
            yk_narrowing_settle(n, &value);
            arguments(n);
            value = unknown;
        } else if (yk_narrowing_is(n, n->at, ".") || yk_narrowing_is(n, n->at, "->")) {
            yk_narrowing_settle(n, &value);
            n->at += 2;
            value = unknown;
            value.is_place = 1;
        } else if (yk_narrowing_is(n, n->at, "++") || yk_narrowing_is(n, n->at, "--")) {
            change(n, &value);
            n->at++;
        } else {
            break;
        }
        value.first = first;
        value.behind = n->at;
    }
    return value;
}

/* ---- operators ---- */

static struct yk_value address(struct yk_narrowing *n, struct yk_value value)
{
    yk_narrowing_set_changed(n, &value);
    struct yk_value result = unknown;
    result.type = value.type;
    result.type.levels++;
    return result;
}

static struct yk_value prefixed(struct yk_narrowing *n)
{
    const struct yk_token *sign = &n->text.tokens[n->at];
    const int first = n->at++;
    struct yk_value value = unary(n);
    if (n->failed)
        return unknown;
    if (yk_token_is(sign, "&")) {
        value = address(n, value);
    } else if (yk_token_is(sign, "*")) {
        yk_narrowing_settle(n, &value);
        value = pointed_to(n, &value);
    } else if (yk_token_is(sign, "++") || yk_token_is(sign, "--")) {
        change(n, &value);
    } else {
        value = yk_narrowing_unary(n, sign, value);
    }
    value.first = first;
    value.behind = n->at;
    return value;
}

static struct yk_value unary(struct yk_narrowing *n)
{
    static const char *const signs[] = { "&", "*", "+", "-", "~", "!", "++", "--", NULL };
    struct yk_value value = unknown;
    if (yk_narrowing_enter(n)) {
        const enum bracket bracket = yk_narrowing_is(n, n->at, "(") ? bracket_of(n) : IS_EXPRESSION;
        if (bracket == IS_UNCLEAR)
            yk_narrowing_fail(n);
        else if (yk_narrowing_is_one(n, n->at, signs))
            value = prefixed(n);
        else
            value = postfix(n);
    }
    yk_narrowing_leave(n);
    return value;
}

static struct yk_value binary(struct yk_narrowing *n, int least)
{
    struct yk_value value = unary(n);
    for (int level = level_of(n); level >= least && level > 0; level = level_of(n)) {
        const struct yk_token *sign = &n->text.tokens[n->at++];
        value = yk_narrowing_binary(n, sign, value, binary(n, level + 1));
    }
    return value;
}

struct yk_value yk_narrowing_operand(struct yk_narrowing *n)
{
    return binary(n, LEVEL_SHIFT);
}

static struct yk_value choice(struct yk_narrowing *n)
{
    struct yk_value value = binary(n, LEVEL_LOGIC);
    if (!yk_narrowing_is(n, n->at, "?"))
        return value;
    const int first = value.first;
    n->at++;
    struct yk_value yes = yk_narrowing_expression(n);
    yk_narrowing_expect(n, ":");
    struct yk_value no = unknown;
    if (yk_narrowing_enter(n))
        no = choice(n);
    yk_narrowing_leave(n);
    value = yk_narrowing_choice(n, yes, no);
    value.first = first;
    return value;
}

/* `to = value` or `to += value`. */
static struct yk_value assign(struct yk_narrowing *n, struct yk_value to)
{
    const int is_plain = yk_narrowing_is(n, n->at, "=");
    if (!to.is_place) { /* misread: C allows it nowhere, C++ after `?:` */
        yk_narrowing_fail(n);
        return unknown;
    }
    n->at++;
    struct yk_value value = yk_narrowing_assignment(n);
    const int is_real = to.type.is == YK_CLASS_REAL && to.type.levels == 0;
    const int is_number = to.type.is != YK_CLASS_OTHER && to.type.levels == 0;
    if (is_plain ? !is_number : !is_real)
        yk_narrowing_settle(n, &value);
    yk_narrowing_set_changed(n, &to);
    struct yk_value result = yk_narrowing_of_type(n, &to.type);
    result.first = to.first;
    result.behind = n->at;
    return result;
}

struct yk_value yk_narrowing_assignment(struct yk_narrowing *n)
{
    static const char *const signs[] = { "=",  "+=", "-=", "*=",  "/=",  "%=",
                                         "&=", "|=", "^=", "<<=", ">>=", NULL };
    struct yk_value value = unknown;
    if (yk_narrowing_enter(n)) {
        value = choice(n);
        if (yk_narrowing_is_one(n, n->at, signs))
            value = assign(n, value);
    }
    yk_narrowing_leave(n);
    return value;
}

struct yk_value yk_narrowing_expression(struct yk_narrowing *n)
{
    struct yk_value value = yk_narrowing_assignment(n);
    const int first = value.first;
    while (yk_narrowing_is(n, n->at, ",")) {
        n->at++;
        value = yk_narrowing_assignment(n);
        value.first = first;
        value.variable = -1;
        value.is_place = 0;
    }
    return value;
}
