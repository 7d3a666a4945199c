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

static void join_unreadable(const struct yk_body *body, int first, int last, struct yk_guard *guard)
{
    for (int at = first; at < last; at++)
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

/* Whether it is one polynomial in all cases. */
static int is_plain(const struct yk_forms *forms)
{
    return forms->count == 1 && !forms->guard[0].count && !forms->guard[0].data &&
           !forms->guard[0].unsure;
}

/* Adds a < b, or a alone, which is compared with 0. Has no && or || outside brackets. */
static void add_comparison(const struct yk_body *body, int first, int last, int is_true,
                           struct yk_guard *guard)
{
    static const char *const signs[] = { "<", ">", "<=", ">=", "==", "!=", NULL };
    const int sign = yk_body_find_last(body, first, last, signs);
    const int end = sign < 0 ? last : sign;
    struct yk_condition condition = { .is = YK_IS_NOT_0 };
    struct yk_forms a = yk_expression_read(body, first, end), b = { .count = 1 };
    int is_greater = 0, is_equality = 1, is_strict = 0;
    if (sign >= 0) {
        b = yk_expression_read(body, sign + 1, last);
        is_greater = *body->tokens[sign].text == '>';
        is_equality = is_sign(body, sign, "==") || is_sign(body, sign, "!=");
        is_strict = body->tokens[sign].length == 1;
        if (is_sign(body, sign, "=="))
            condition.is = YK_IS_0;
    }
    if (!is_plain(&a) || !is_plain(&b)) {
        join_unreadable(body, first, last, guard);
        return;
    }
    if (is_equality && !is_true)
        condition.is = condition.is == YK_IS_0 ? YK_IS_NOT_0 : YK_IS_0;
    if (!is_equality)
        condition.is = is_strict == is_true ? YK_BELOW_0 : YK_AT_MOST_0;
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
static void strip(const struct yk_body *body, int *first, int *last, int *is_true)
{
    for (;;) {
        if (is_whole_bracket(body, *first, *last)) {
            ++*first;
            --*last;
        } else if (*first < *last && is_sign(body, *first, "!") &&
                   (*first + 2 == *last || is_whole_bracket(body, *first + 1, *last))) {
            ++*first;
            *is_true = !*is_true;
        } else {
            return;
        }
    }
}

static void add(const struct yk_body *body, int first, int last, int is_true,
                struct yk_guard *guard)
{
    static const char *const others[] = { "?", ",", "=", NULL }, *const either[] = { "||", NULL },
                             *const both[] = { "&&", NULL };
    strip(body, &first, &last, &is_true);
    const char *const *split = is_true ? both : either;
    if (last - first < 1 || last - first > TOKENS_MOST ||
        yk_body_find_last(body, first, last, others) >= 0 ||
        yk_body_find_last(body, first, last, is_true ? either : both) >= 0) {
        join_unreadable(body, first, last, guard);
        return;
    }
    int at = yk_body_find_last(body, first, last, split);
    if (at < 0) {
        add_comparison(body, first, last, is_true, guard);
        return;
    }
    for (; at >= 0; at = yk_body_find_last(body, first, last, split)) {
        add(body, at + 1, last, is_true, guard);
        last = at;
    }
    add(body, first, last, is_true, guard);
}

void yk_guard_add(const struct yk_body *body, int first, int last, int is_true,
                  struct yk_guard *guard)
{
    struct yk_conditions *all = body->conditions;
    if (all->depth >= DEPTH_MOST || all->readings++ >= YK_READINGS_MOST) {
        guard->unsure = 1;
        return;
    }
    all->depth++;
    add(body, first, last, is_true, guard);
    all->depth--;
}
