/* narrow_loop.c - `for` loops and their counters. In
 *
 *     for (T v = A; v < B; v += STEP)
 *
 * v lies in [A, B - 1] in every iteration and ends below B + STEP, if only the head changes it. An
 * int that was declared before the loop lies there in the loop's statement, if that does not change
 * it.
 */
#include <stdlib.h>

#include "narrowing.h"

enum { STEP_DIGITS = 7 }; /* a step is below 10^7 */

/* Tokens of the head of such a loop. */
struct counter {
    int reused; /* number of the variable if it was declared before; -1: the head declares it */
    int type_at, at, start, sign, bound, behind_bound, step, close;
    int is_up, with_equal;
    int64_t by;
};

static int same(const struct yk_narrowing *n, int a, int b)
{
    const struct yk_token *one = &n->text.tokens[a], *other = &n->text.tokens[b];
    if (b >= n->end || one->length != other->length)
        return 0;
    for (int c = 0; c < one->length; c++)
        if (one->text[c] != other->text[c])
            return 0;
    return 1;
}

/* The first of `words` from `at` on, outside brackets; n->end: none. */
static int find(const struct yk_narrowing *n, int at, const char *const *words)
{
    static const char *const opening[] = { "(", "[", "{", NULL }, *const closing[] = { ")", "]",
                                                                                       "}", NULL };
    while (at < n->end && !yk_narrowing_is_one(n, at, words)) {
        if (yk_narrowing_is_one(n, at, closing))
            return n->end;
        at = yk_narrowing_is_one(n, at, opening) ? yk_body_close_of(&n->text, at) : at + 1;
    }
    return at < n->end ? at : n->end;
}

/* `T v` or `v` */
static int read_name(const struct yk_narrowing *n, struct counter *c)
{
    const int v = yk_narrowing_is_name(n, c->type_at)
                      ? yk_narrowing_find(n, &n->text.tokens[c->type_at])
                      : -1;
    c->at = c->type_at + 1;
    c->reused = -1;
    if (v < 0 || n->variables[v].is_type)
        return v >= 0 || yk_narrowing_begins_type(n, c->type_at);
    c->at = c->type_at;
    c->reused = v;
    return !n->variables[v].is_constant && yk_type_is_int(&n->variables[v].type);
}

static int read_start(const struct yk_narrowing *n, struct counter *c)
{
    static const char *const ends[] = { ";", ",", NULL };
    if (!read_name(n, c))
        return 0;
    c->start = c->at + 2;
    if (!yk_narrowing_is_name(n, c->at) || !yk_narrowing_is(n, c->at + 1, "="))
        return 0;
    c->sign = find(n, c->start, ends) + 2;
    return yk_narrowing_is(n, c->sign - 2, ";") && same(n, c->at, c->sign - 1);
}

/* v < B, alone or before && */
static int read_bound(const struct yk_narrowing *n, struct counter *c)
{
    static const char *const signs[] = { "<", "<=", ">", ">=", NULL };
    static const char *const ends[] = { ";", "&&", "||", "?", ",", "=", NULL };
    static const char *const others[] = { ";", "||", "?", ",", "=", NULL };
    if (!yk_narrowing_is_one(n, c->sign, signs))
        return 0;
    c->is_up = yk_narrowing_is(n, c->sign, "<") || yk_narrowing_is(n, c->sign, "<=");
    c->with_equal = n->text.tokens[c->sign].length == 2;
    c->bound = c->sign + 1;
    c->behind_bound = find(n, c->bound, ends);
    c->step = find(n, c->bound, others) + 1;
    if (!yk_narrowing_is(n, c->step - 1, ";"))
        return 0;
    for (int at = c->bound; at < c->behind_bound; at++)
        if (same(n, c->at, at))
            return 0;
    return c->behind_bound < c->step;
}

static int64_t number_at(const struct yk_narrowing *n, int at)
{
    const struct yk_token *token = &n->text.tokens[at];
    if (token->kind == YK_TOKEN_NAME) {
        const int v = yk_narrowing_find(n, token);
        return v >= 0 && n->variables[v].is_constant ? n->variables[v].type.range.low : 0;
    }
    int64_t number = 0;
    for (int c = 0; c < token->length; c++) {
        if (token->text[c] < '0' || token->text[c] > '9' || c == STEP_DIGITS)
            return 0;
        number = 10 * number + token->text[c] - '0';
    }
    return token->text[0] == '0' ? 0 : number; /* octal */
}

/* v++, ++v, v += 2 */
static int read_step(const struct yk_narrowing *n, struct counter *c)
{
    const char *const by_one = c->is_up ? "++" : "--", *const by = c->is_up ? "+=" : "-=";
    const int at = c->step;
    c->by = 1;
    if ((same(n, c->at, at) && yk_narrowing_is(n, at + 1, by_one)) ||
        (yk_narrowing_is(n, at, by_one) && same(n, c->at, at + 1)))
        c->close = at + 2;
    else if (same(n, c->at, at) && yk_narrowing_is(n, at + 1, by)) {
        c->by = number_at(n, at + 2);
        c->close = at + 3;
    } else
        return 0;
    return c->by > 0 && c->by <= INT32_MAX && yk_narrowing_is(n, c->close, ")");
}

/* Returns 1 if the head of such a loop follows at n->at, the token after its bracket. */
static int is_counter(const struct yk_narrowing *n, struct counter *c)
{
    *c = (struct counter){ .type_at = n->at };
    return read_start(n, c) && read_bound(n, c) && read_step(n, c) &&
           !(n->known[c->at] & YK_KNOWN_CHANGED);
}

/* The counter's bounds during an iteration. */
static int node_of(struct yk_narrowing *n, const struct counter *c, const struct yk_value *start,
                   const struct yk_value *bound)
{
    const int one = yk_narrowing_fixed(n, (struct yk_bounds){ 1, 1 });
    int behind = bound->node;
    if (c->with_equal)
        behind = yk_narrowing_node(n, c->is_up ? YK_BOUNDS_ADD : YK_BOUNDS_SUBTRACT, behind, one);
    return yk_narrowing_node(n, c->is_up ? YK_BOUNDS_UP : YK_BOUNDS_DOWN, start->node, behind);
}

/* The counter is narrow if it also fits after the last iteration. */
static void narrow_counter(struct yk_narrowing *n, const struct counter *c, int node,
                           struct yk_named *variable)
{
    const int by = yk_narrowing_fixed(n, (struct yk_bounds){ c->by, c->by });
    const int end = yk_narrowing_node(n, c->is_up ? YK_BOUNDS_ADD : YK_BOUNDS_SUBTRACT, node, by);
    if (n->failed || !yk_bounds_fit(n->bounds.nodes[node].is) ||
        !yk_bounds_fit(n->bounds.nodes[end].is))
        return;
    n->bounds.nodes[node].must = n->bounds.nodes[end].must = 1;
    variable->kind = YK_KIND_NARROW;
    variable->node = node;
    n->marks[c->type_at] |= YK_MARK_SHORT | YK_MARK_DECLARES | YK_MARK_USED;
    n->gains++;
}

/* Call it only if the counter's start and bound are integers with bounds. */
static void bound_counter(struct yk_narrowing *n, const struct counter *c, int node,
                          struct yk_named *variable)
{
    if (yk_type_is_int(&variable->type))
        variable->node = yk_narrowing_cut(n, node, variable->type.range);
    else if (variable->type.is == YK_CLASS_INT64 && !(n->known[c->type_at] & YK_KNOWN_WIDE))
        narrow_counter(n, c, node, variable);
}

static struct yk_named *begin_reuse(struct yk_narrowing *n, const struct counter *c)
{
    struct yk_named *variable = &n->variables[c->reused];
    yk_narrowing_set_changed(n, &(struct yk_value){ .variable = c->reused });
    variable->counts_at = c->at;
    return variable;
}

/* Behind the loop it may have any value. */
static void end_reuse(struct yk_narrowing *n, const struct counter *c)
{
    n->variables[c->reused].counts_at = 0;
    n->variables[c->reused].node = yk_narrowing_fixed(n, yk_narrowing_int);
}

static void head_of_counter(struct yk_narrowing *n, const struct counter *c)
{
    struct yk_type type;
    if (c->reused < 0)
        yk_narrowing_read_type(n, &type);
    else
        type = n->variables[c->reused].type;
    n->at = c->start;
    struct yk_value start = yk_narrowing_assignment(n);
    if (type.is == YK_CLASS_OTHER || type.levels > 0)
        yk_narrowing_settle(n, &start);
    n->at = c->bound;
    struct yk_value bound = yk_narrowing_operand(n);
    if (n->at != c->behind_bound) /* `v < a == b` */
        yk_narrowing_fail(n);
    struct yk_named *variable =
        c->reused < 0 ? yk_narrowing_declare(n, c->at, c->type_at, &type) : begin_reuse(n, c);
    if (!n->failed && yk_value_is_counted(&start) && yk_value_is_counted(&bound))
        bound_counter(n, c, node_of(n, c, &start, &bound), variable);
    if (variable->kind == YK_KIND_OTHER)
        yk_narrowing_settle(n, &bound);
    yk_narrowing_use(n, &start);
    yk_narrowing_use(n, &bound);
    if (yk_narrowing_is(n, n->at, "&&")) {
        n->at++;
        yk_narrowing_expression(n);
    }
    if (!n->failed && n->at != c->step - 1)
        yk_narrowing_fail(n);
    if (!n->failed)
        n->at = c->close;
}

static void head(struct yk_narrowing *n)
{
    if (yk_narrowing_is_declaration(n)) {
        yk_narrowing_declaration(n);
    } else {
        if (!yk_narrowing_is(n, n->at, ";"))
            yk_narrowing_expression(n);
        yk_narrowing_expect(n, ";");
    }
    if (!yk_narrowing_is(n, n->at, ";"))
        yk_narrowing_expression(n);
    yk_narrowing_expect(n, ";");
    if (!yk_narrowing_is(n, n->at, ")"))
        yk_narrowing_expression(n);
}

void yk_narrowing_for(struct yk_narrowing *n)
{
    struct counter counter;
    n->at++;
    yk_narrowing_expect(n, "(");
    const int counts = is_counter(n, &counter);
    if (counts)
        head_of_counter(n, &counter);
    else
        head(n);
    yk_narrowing_expect(n, ")");
    yk_narrowing_statement(n);
    if (counts && counter.reused >= 0)
        end_reuse(n, &counter);
}
