/* counter.c - the last value of a loop's counter. In
 *
 *     for (T c = A; c < B; c++) ...
 *
 * it is B - 1, if the loop has an iteration; likewise with <=, and downwards with > and >=. Only if
 * nothing leaves the loop early: break, return or goto may keep it from its last iteration.
 */
#include <string.h>

#include "body.h"

static int is_name(const struct yk_body *body, int at, const struct yk_token *name)
{
    return at < body->count && body->tokens[at].length == name->length &&
           memcmp(body->tokens[at].text, name->text, (size_t)name->length) == 0;
}

/* The next semicolon from `at` on; `end` if there is none. */
static int find_semicolon(const struct yk_body *body, int at, int end)
{
    while (at < end && !yk_body_is(body, at, ";"))
        at++;
    return at;
}

/* Returns 1 or -1 if tokens first .. last - 1 count the variable up or down by one; otherwise 0. */
static int step_of(const struct yk_body *body, const struct yk_token *name, struct yk_token_span at)
{
    const int is_pair = at.last == at.first + 2;
    const int is_before = is_pair && is_name(body, at.first + 1, name);
    const int sign = is_before ? at.first : at.first + 1;
    const int is_sum = at.last == at.first + 3 && yk_body_is(body, at.first + 2, "1");
    if (!is_before && !is_name(body, at.first, name))
        return 0;
    if ((is_pair && yk_body_is(body, sign, "++")) || (is_sum && yk_body_is(body, sign, "+=")))
        return 1;
    return (is_pair && yk_body_is(body, sign, "--")) || (is_sum && yk_body_is(body, sign, "-="))
               ? -1
               : 0;
}

/* Sets the last value less the bound, by the sign of the condition. Returns 0 if it is none of
 * these. */
static int read_sign(const struct yk_body *body, int at, int step, int *beyond)
{
    *beyond = yk_body_is(body, at, "<") ? -1 : yk_body_is(body, at, ">") ? 1 : 0;
    return step > 0 ? yk_body_is(body, at, "<") || yk_body_is(body, at, "<=")
                    : yk_body_is(body, at, ">") || yk_body_is(body, at, ">=");
}

/* Whether tokens first .. last - 1 have an operator that binds less than a comparison, or a jump
 * out of a loop. */
static int has_any(const struct yk_body *body, int first, int last, const char *const *words)
{
    for (; first < last; first++)
        for (int w = 0; words[w]; w++)
            if (yk_body_is(body, first, words[w]))
                return 1;
    return 0;
}

struct yk_counter_end yk_counter_read(const struct yk_body *body, const struct yk_token *name,
                                      int head)
{
    static const char *const jumps[] = { "break", "return", "goto", NULL };
    static const char *const lower[] = {
        "&&", "||", "?", ",", "=", "==", "!=", "&", "|", "^", NULL
    };
    const struct yk_counter_end none = { .head = head };
    struct yk_counter_end end = none;
    const int close = yk_body_close_of(body, head) - 1;
    const int first = find_semicolon(body, head, close);
    const int second = find_semicolon(body, first + 1, close);
    const int step = step_of(body, name, (struct yk_token_span){ second + 1, close });
    if (second >= close || !step || !is_name(body, first + 1, name) ||
        !read_sign(body, first + 2, step, &end.beyond) || has_any(body, first + 3, second, lower) ||
        has_any(body, close, yk_body_end_of_statement(body, close + 1), jumps))
        return none;
    end.first = first + 3;
    end.last = second;
    return end;
}

int yk_counter_of(const struct yk_body *body, int head)
{
    for (int l = 0; l < body->local_count; l++) {
        const struct yk_counter_end *end = &body->locals[l].end;
        if (end->head == head && end->last > end->first)
            return l;
    }
    return -1;
}
