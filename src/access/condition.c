/* condition.c - see condition.h, body.h. `a && b` that is true, and `a || b` that is false, are two
 * conditions; other combinations are not understood.
 */
#include "body.h"

/* The most tokens of a condition, and the greatest depth of conditions read for others: these bound
 * the stack. */
enum { TOKENS_MOST = 256, DEPTH_MOST = 8 };

static void join_number(struct yk_guard *guard, int number)
{
    for (int c = 0; c < guard->count; c++)
        if (guard->number[c] == number)
            return;
    if (guard->count == YK_GUARD_MOST)
        guard->unsure = 1;
    else
        guard->number[guard->count++] = (unsigned char)number;
}

void yk_guard_join(struct yk_guard *guard, const struct yk_guard *other)
{
    guard->data |= other->data;
    guard->unsure |= other->unsure;
    for (int c = 0; c < other->count; c++)
        join_number(guard, other->number[c]);
}

static int is_sign(const struct yk_body *body, int at, const char *sign)
{
    return yk_token_is(&body->tokens[at], sign);
}

static int find_last(const struct yk_body *body, struct yk_token_span span,
                     const char *const *words)
{
    return yk_body_find_last(body, span.first, span.last, words);
}

static void join_unreadable(const struct yk_body *body, struct yk_token_span span,
                            struct yk_guard *guard)
{
    for (int at = span.first; at < span.last; at++)
        if (is_sign(body, at, "[")) {
            guard->data = 1;
            return;
        }
    guard->unsure = 1;
}

static void join(const struct yk_body *body, const struct yk_condition *condition,
                 struct yk_guard *guard)
{
    struct yk_conditions *all = body->conditions;
    int c = 0;
    if (yk_polynomial_has(&condition->difference, YK_VAR_LOADED)) {
        guard->data = 1;
        return;
    }
    while (c < all->count &&
           !(all->items[c].is == condition->is &&
             yk_polynomials_are_equal(&all->items[c].difference, &condition->difference)))
        c++;
    if (yk_polynomial_has(&condition->difference, YK_VAR_INNER) || c == YK_CONDITIONS_MOST) {
        guard->unsure = 1;
        return;
    }
    if (c == all->count)
        all->items[all->count++] = *condition;
    join_number(guard, c);
}

/* The condition is the result of an operator. */
static void join_result(const struct yk_body *body, const struct yk_forms *result, int is_true,
                        struct yk_guard *guard)
{
    const struct yk_condition condition = { .difference = result->form[0],
                                            .is = is_true ? YK_IS_NOT_0 : YK_IS_0 };
    if (result->count)
        join(body, &condition, guard);
    else
        guard->unsure = 1;
}

/* Whether it is one polynomial in all cases. */
static int is_plain(const struct yk_forms *forms)
{
    return forms->count == 1 && !forms->guard[0].count && !forms->guard[0].data &&
           !forms->guard[0].unsure;
}

/* How the difference of both sides compares with 0; `sign` < 0: there is no sign. */
static enum yk_comparison comparison_of(const struct yk_body *body, int sign, int is_true)
{
    const int is_equal = sign >= 0 && is_sign(body, sign, "==");
    if (sign < 0 || is_equal || is_sign(body, sign, "!="))
        return is_equal == is_true ? YK_IS_0 : YK_IS_NOT_0;
    return (body->tokens[sign].length == 1) == is_true ? YK_BELOW_0 : YK_AT_MOST_0;
}

/* Adds a < b, or a alone, which is compared with 0. The tokens have no && or || outside
 * brackets. */
static void add_comparison(const struct yk_body *body, struct yk_token_span span, int is_true,
                           struct yk_guard *guard)
{
    static const char *const signs[] = { "<", ">", "<=", ">=", "==", "!=", NULL };
    const int sign = find_last(body, span, signs);
    const int end = sign < 0 ? span.last : sign;
    struct yk_condition condition;
    struct yk_forms a = yk_expression_read(body, span.first, end), b = { .count = 1 }, result;
    int is_greater = 0;
    if (sign >= 0) {
        b = yk_expression_read(body, sign + 1, span.last);
        is_greater = *body->tokens[sign].text == '>';
    }
    if (!is_plain(&a) || !is_plain(&b)) {
        join_unreadable(body, span, guard);
        return;
    }
    if (sign >= 0 && (a.unsigned_bits || b.unsigned_bits)) {
        result = yk_expression_operate(body, &a, &body->tokens[sign], &b);
        join_result(body, &result, is_true, guard);
        return;
    }
    condition.is = comparison_of(body, sign, is_true);
    if (yk_polynomial_add(is_greater == is_true ? &b.form[0] : &a.form[0],
                          is_greater == is_true ? &a.form[0] : &b.form[0], -1,
                          &condition.difference))
        join(body, &condition, guard);
    else
        guard->unsure = 1;
}

static int is_whole_bracket(const struct yk_body *body, int first, int last)
{
    return first < last && is_sign(body, first, "(") && yk_body_close_of(body, first) == last;
}

/* Removes brackets and ! around the whole condition. */
static void strip(const struct yk_body *body, struct yk_token_span *span, int *is_true)
{
    for (;;) {
        if (is_whole_bracket(body, span->first, span->last)) {
            ++span->first;
            --span->last;
        } else if (span->first < span->last && is_sign(body, span->first, "!") &&
                   (span->first + 2 == span->last ||
                    is_whole_bracket(body, span->first + 1, span->last))) {
            ++span->first;
            *is_true = !*is_true;
        } else {
            return;
        }
    }
}

static void add(const struct yk_body *body, struct yk_token_span span, int is_true,
                struct yk_guard *guard)
{
    static const char *const others[] = { "?", ",", "=", NULL }, *const either[] = { "||", NULL },
                             *const both[] = { "&&", NULL };
    strip(body, &span, &is_true);
    const char *const *split = is_true ? both : either;
    const int count = span.last - span.first;
    if (count < 1 || count > TOKENS_MOST || find_last(body, span, others) >= 0 ||
        find_last(body, span, is_true ? either : both) >= 0) {
        join_unreadable(body, span, guard);
        return;
    }
    int at = find_last(body, span, split);
    if (at < 0) {
        add_comparison(body, span, is_true, guard);
        return;
    }
    for (; at >= 0; at = find_last(body, span, split)) {
        add(body, (struct yk_token_span){ at + 1, span.last }, is_true, guard);
        span.last = at;
    }
    add(body, span, is_true, guard);
}

void yk_guard_add(const struct yk_body *body, struct yk_token_span span, int is_true,
                  struct yk_guard *guard)
{
    struct yk_conditions *all = body->conditions;
    if (all->depth >= DEPTH_MOST || all->readings++ >= YK_READINGS_MOST) {
        guard->unsure = 1;
        return;
    }
    all->depth++;
    add(body, span, is_true, guard);
    all->depth--;
}
