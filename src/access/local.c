/* local.c - the local variables of a body whose values are known, and where. A value comes from an
 * initialiser, from an assignment that is a statement, or from the first part of a `for`:
 *
 *     int t, at = i * n;   for (t = 0; t < n; t++) x[at + t];
 *
 * and is valid from there to the end of the block or of the loop, unless something there changes
 * the variable. A loop may count its counter: then the value is that of the first iteration.
 */
#include <string.h>

#include "body.h"

/* The first token of the declaration whose declarator is the name at `at`; -1: it declares
 * nothing. */
static int begin_of_declaration(const struct yk_body *body, int at)
{
    int begin = at;
    if (!yk_body_is(body, at - 1, ",") && (at < 1 || body->tokens[at - 1].kind != YK_TOKEN_NAME))
        return -1;
    while (begin > 0 && !strchr(";{}(", *body->tokens[begin - 1].text))
        begin--;
    return begin < at && body->tokens[begin].kind == YK_TOKEN_NAME &&
                   body->tokens[begin + 1].kind == YK_TOKEN_NAME &&
                   !yk_token_is_word(&body->tokens[begin])
               ? begin
               : -1;
}

/* The last declaration of that variable before `at`, or at it; -1: there is none. */
static int find_declaration(const struct yk_body *body, int at)
{
    for (int from = at; from > 0; from--)
        if (body->tokens[from].kind == YK_TOKEN_NAME &&
            yk_tokens_are_same(&body->tokens[from], &body->tokens[at]) &&
            begin_of_declaration(body, from) >= 0)
            return begin_of_declaration(body, from);
    return -1;
}

/* The opening bracket of the `for` whose first part begins at `at` or declares the name there; -1:
 * it is not in a `for`. */
static int head_of_for(const struct yk_body *body, int at)
{
    while (at > 0 && !strchr(";{}(", *body->tokens[at - 1].text))
        at--;
    return yk_body_is(body, at - 1, "(") && yk_body_is(body, at - 2, "for") ? at - 1 : -1;
}

/* Whether a statement, or the first part of a `for`, assigns to the name at `at`. */
static int assigns(const struct yk_body *body, int at)
{
    return yk_body_parameter(body, &body->tokens[at]) < 0 &&
           (at == 0 || strchr(";{}", *body->tokens[at - 1].text) ||
            (yk_body_is(body, at - 1, "(") && yk_body_is(body, at - 2, "for")));
}

static int end_of_initialiser(const struct yk_body *body, int at)
{
    while (at < body->count && !strchr(",;", *body->tokens[at].text))
        at = strchr("([{", *body->tokens[at].text) ? yk_body_close_of(body, at) : at + 1;
    return at;
}

/* The end of the block that has the token at `at`. */
static int end_of_block(const struct yk_body *body, int at)
{
    while (at < body->count && !yk_body_is(body, at, "}"))
        at = yk_body_is(body, at, "{") ? yk_body_close_of(body, at) : at + 1;
    return at;
}

/* Whether the use comes after the second semicolon of that bracket: it follows each iteration. */
static int is_behind_turn(const struct yk_body *body, int head, int use)
{
    int semicolons = 0;
    if (use <= head || use >= yk_body_close_of(body, head))
        return 0;
    for (int at = head; at < use; at++)
        semicolons += yk_body_is(body, at, ";");
    return semicolons == 2;
}

/* Whether the variable changes in its scope, other than after each iteration of the loop whose
 * counter it is. A pointer to it may change it anywhere. */
static int is_lost(const struct yk_body *body, const struct yk_local *local, int head)
{
    for (int use = 0; use < body->count; use++) {
        const int is_inside = use >= local->scope.first && use < local->scope.last;
        if (body->tokens[use].kind != YK_TOKEN_NAME ||
            !yk_tokens_are_same(&body->tokens[use], &local->name) || yk_body_is_member(body, use))
            continue;
        if (yk_body_gives_address(body, use) || (is_inside && yk_body_changes(body, use)) ||
            (is_inside && yk_body_counts(body, use) &&
             (head < 0 || !is_behind_turn(body, head, use))))
            return 1;
    }
    return 0;
}

/* Reads the type's words, from `at` on: before the first declarator. Returns 0 if its numbers are
 * not those of a polynomial. */
static int read_type(const struct yk_body *body, int at, struct yk_local *local)
{
    for (; body->tokens[at + 1].kind == YK_TOKEN_NAME; at++) {
        if (yk_token_is_inexact(&body->tokens[at]))
            return 0;
        if (yk_token_unsigned_bits(&body->tokens[at]))
            local->unsigned_bits = yk_token_unsigned_bits(&body->tokens[at]);
    }
    return 1;
}

static void read_local(struct yk_body *body, int at, int type)
{
    struct yk_local *local = &body->locals[body->local_count++];
    const int head = head_of_for(body, at);
    *local = (struct yk_local){ .name = body->tokens[at],
                                .first = at + 2,
                                .last = end_of_initialiser(body, at + 2) };
    local->scope.first = local->last;
    local->scope.last = head >= 0 ? yk_body_end_of_statement(body, yk_body_close_of(body, head))
                                  : end_of_block(body, local->last);
    if (!read_type(body, type, local) || is_lost(body, local, head))
        local->last = local->first;
    else if (head >= 0)
        local->end = yk_counter_read(body, &local->name, head);
}

void yk_locals_read(struct yk_body *body)
{
    for (int at = 0; at < body->count && body->local_count < YK_LOCALS_MOST; at++) {
        int type = -1;
        if (body->tokens[at].kind != YK_TOKEN_NAME || !yk_body_is(body, at + 1, "="))
            continue;
        type = assigns(body, at) ? find_declaration(body, at) : begin_of_declaration(body, at);
        if (type >= 0)
            read_local(body, at, type);
    }
}

const struct yk_local *yk_local_at(const struct yk_body *body, int at)
{
    const struct yk_local *found = NULL; /* the last one that begins before `at` is the innermost */
    for (int l = 0; l < body->local_count; l++) {
        const struct yk_local *local = &body->locals[l];
        if (at >= local->scope.first && at < local->scope.last &&
            yk_tokens_are_same(&local->name, &body->tokens[at]))
            found = local;
    }
    return found && found->first < found->last ? found : NULL;
}
