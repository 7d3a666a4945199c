/* narrow_statement.c - reads statements, and finds the locals that may be int32_t: those that never
 * change after an initialiser of 32 bits.
 */
#include "narrowing.h"

int yk_narrowing_is_declaration(const struct yk_narrowing *n)
{
    static const char *const behind[] = { "=", ";", ",", "[", NULL };
    const int at = n->at;
    if (yk_narrowing_begins_type(n, at))
        return 1;
    if (!yk_narrowing_is_name(n, at) || yk_narrowing_find(n, &n->text.tokens[at]) >= 0)
        return 0;
    return yk_narrowing_is_name(n, at + 1) ||
           (yk_narrowing_is(n, at + 1, "*") && yk_narrowing_is_name(n, at + 2) &&
            yk_narrowing_is_one(n, at + 3, behind));
}

/* The declarators of one type. */
struct declaration {
    struct yk_type type;
    int type_at;
    int narrow; /* 1: all of them so far can be narrow */
};

static int is_changed(const struct yk_narrowing *n, int at)
{
    return n->known[at] & YK_KNOWN_CHANGED;
}

/* Gives the variable its initialiser's bounds, if it has that value at all its uses. */
static void keep_bounds(struct yk_narrowing *n, const struct declaration *of,
                        const struct yk_value *value, struct yk_named *variable)
{
    if (n->failed || variable->type.levels > 0 || !yk_value_is_counted(value) ||
        is_changed(n, variable->at))
        return;
    if (of->narrow) {
        variable->kind = YK_KIND_NARROW;
        variable->node = value->node;
        yk_narrowing_use(n, value);
    } else if (variable->type.is == YK_CLASS_INT) {
        variable->node = yk_narrowing_converted(n, value->node, &variable->type);
    }
}

static void declarator(struct yk_narrowing *n, struct declaration *of)
{
    struct yk_type type = of->type;
    struct yk_value value = { .kind = YK_KIND_OTHER, .variable = -1 };
    type.levels += yk_narrowing_read_stars(n);
    const int at = n->at++;
    if (!yk_narrowing_is_name(n, at)) {
        yk_narrowing_fail(n);
        return;
    }
    while (yk_narrowing_is(n, n->at, "[")) {
        const int first = n->at;
        yk_narrowing_skip_bracket(n);
        yk_narrowing_keep_all_wide(n, first, n->at);
        type.levels++;
    }
    if (yk_narrowing_is(n, n->at, "=")) {
        n->at++;
        if (yk_narrowing_is(n, n->at, "{"))
            yk_narrowing_initialise(n);
        else
            value = yk_narrowing_assignment(n);
    }
    if (of->narrow && (type.levels > 0 || !yk_value_is_counted(&value) || is_changed(n, at))) {
        yk_narrowing_keep_wide(n, of->type_at);
        of->narrow = 0;
    }
    if (type.levels > 0 || type.is == YK_CLASS_OTHER)
        yk_narrowing_settle(n, &value);
    struct yk_named *variable = yk_narrowing_declare(n, at, of->type_at, &type);
    keep_bounds(n, of, &value, variable);
}

void yk_narrowing_declaration(struct yk_narrowing *n)
{
    struct declaration of;
    of.type_at = yk_narrowing_read_type(n, &of.type);
    if (n->failed)
        return;
    of.narrow = of.type.is == YK_CLASS_INT64 && of.type.levels == 0 &&
                !(n->known[of.type_at] & YK_KNOWN_WIDE);
    if (of.narrow)
        n->marks[of.type_at] |= YK_MARK_SHORT | YK_MARK_DECLARES;
    declarator(n, &of);
    while (yk_narrowing_is(n, n->at, ",")) {
        n->at++;
        declarator(n, &of);
    }
    yk_narrowing_expect(n, ";");
}

static void block(struct yk_narrowing *n)
{
    yk_narrowing_expect(n, "{");
    while (n->at < n->end && !yk_narrowing_is(n, n->at, "}"))
        yk_narrowing_statement(n);
    yk_narrowing_expect(n, "}");
}

static struct yk_value condition(struct yk_narrowing *n)
{
    n->at++;
    yk_narrowing_expect(n, "(");
    struct yk_value value = yk_narrowing_expression(n);
    yk_narrowing_expect(n, ")");
    return value;
}

static void branch(struct yk_narrowing *n)
{
    condition(n);
    yk_narrowing_statement(n);
    if (yk_narrowing_is(n, n->at, "else")) {
        n->at++;
        yk_narrowing_statement(n);
    }
}

static void turns(struct yk_narrowing *n)
{
    n->at++;
    yk_narrowing_statement(n);
    if (yk_narrowing_is(n, n->at, "while"))
        condition(n);
    else
        yk_narrowing_fail(n);
    yk_narrowing_expect(n, ";");
}

/* case NUMBER: and default: */
static void label(struct yk_narrowing *n)
{
    if (yk_narrowing_is(n, n->at++, "case"))
        yk_narrowing_operand(n);
    yk_narrowing_expect(n, ":");
}

static void simple(struct yk_narrowing *n)
{
    struct yk_value value = yk_narrowing_expression(n);
    (void)value;
    yk_narrowing_expect(n, ";");
}

static void leaving(struct yk_narrowing *n)
{
    n->at++;
    if (!yk_narrowing_is(n, n->at, ";")) {
        struct yk_value value = yk_narrowing_expression(n);
        yk_narrowing_settle(n, &value);
    }
    yk_narrowing_expect(n, ";");
}

/* Skips asserts and pragmas. */
static void skip(struct yk_narrowing *n)
{
    const int first = n->at++;
    if (yk_narrowing_is(n, n->at, "("))
        yk_narrowing_skip_bracket(n);
    else
        yk_narrowing_fail(n);
    yk_narrowing_keep_all_wide(n, first, n->at);
}

static void read_any(struct yk_narrowing *n)
{
    static const char *const unread[] = { "goto",     "asm",   "__asm__",  "__asm", "typedef",
                                          "template", "using", "operator", "auto",  NULL };
    static const char *const skipped[] = { "_Static_assert", "static_assert", "_Pragma", NULL };
    static const char *const ends[] = { "return", "break", "continue", NULL };
    const int at = n->at;
    if (yk_narrowing_is(n, at, "{")) {
        block(n);
    } else if (yk_narrowing_is(n, at, "if")) {
        branch(n);
    } else if (yk_narrowing_is(n, at, "for")) {
        yk_narrowing_for(n);
    } else if (yk_narrowing_is(n, at, "while")) {
        condition(n);
        yk_narrowing_statement(n);
    } else if (yk_narrowing_is(n, at, "do")) {
        turns(n);
    } else if (yk_narrowing_is(n, at, "switch")) {
        struct yk_value value = condition(n);
        yk_narrowing_settle(n, &value); /* the cases have its type */
        yk_narrowing_statement(n);
    } else if (yk_narrowing_is(n, at, "case") || yk_narrowing_is(n, at, "default")) {
        label(n);
    } else if (yk_narrowing_is_one(n, at, skipped)) {
        skip(n);
    } else if (yk_narrowing_is(n, at, ";")) {
        n->at++;
    } else if (yk_narrowing_is_one(n, at, unread)) {
        yk_narrowing_fail(n);
    } else if (yk_narrowing_is_one(n, at, ends)) {
        leaving(n);
    } else if (yk_narrowing_is_enum_list(n)) {
        yk_narrowing_read_enum(n);
    } else if (yk_narrowing_is_declaration(n)) {
        yk_narrowing_declaration(n);
    } else {
        simple(n);
    }
}

void yk_narrowing_statement(struct yk_narrowing *n)
{
    const int variables = n->variable_count;
    const int keeps = yk_narrowing_is_declaration(n) || yk_narrowing_is_enum_list(n);
    if (yk_narrowing_enter(n))
        read_any(n);
    yk_narrowing_leave(n);
    if (!keeps)
        n->variable_count = variables;
}
