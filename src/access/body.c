/* body.c - see body.h. The definition of yk_body_NAME is what the forms of yoke/kernel.h make of a
 * kernel; before it comes its declaration, which ends with a semicolon.
 */
#include "body.h"

#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"

static int are_same(const struct yk_token *a, const struct yk_token *b)
{
    return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

int yk_body_parameter(const struct yk_body *body, const struct yk_token *name)
{
    for (int p = 0; p < body->kernel->param_count; p++)
        if (yk_token_is(name, body->kernel->params[p].name))
            return p;
    return -1;
}

int yk_body_close_of(const struct yk_body *body, int at)
{
    int depth = 0;
    for (; at < body->count; at++) {
        const struct yk_token *token = &body->tokens[at];
        if (token->kind != YK_TOKEN_SIGN || token->length != 1)
            continue;
        depth += strchr("([{", *token->text) != NULL;
        depth -= strchr(")]}", *token->text) != NULL;
        if (depth == 0)
            return at + 1;
    }
    return body->count;
}

int yk_body_find_last(const struct yk_body *body, int first, int last, const char *const *words)
{
    int found = -1;
    while (first < last) {
        const struct yk_token *token = &body->tokens[first];
        for (int w = 0; words[w]; w++)
            if (yk_token_is(token, words[w]))
                found = first;
        first = token->kind == YK_TOKEN_SIGN && token->length == 1 && strchr("([{", *token->text)
                    ? yk_body_close_of(body, first)
                    : first + 1;
    }
    return found;
}

/* Reads the names of the indexes, from behind the function's name on. Returns the text behind the
 * opening brace; NULL if this is not the definition. */
static const char *read_head(const char *at, int *line, struct yk_body *body)
{
    struct yk_token token = yk_token_next(&at, line), before = token;
    int found = 0, depth = 1;
    if (!yk_token_is(&token, "("))
        return NULL;
    while (depth > 0 && token.kind != YK_TOKEN_END) {
        before = token;
        token = yk_token_next(&at, line);
        depth += yk_token_is(&token, "(");
        depth -= yk_token_is(&token, ")");
        if (yk_token_is(&token, ",") && depth == 1 && found < 3)
            body->index[found++] = before;
    }
    token = yk_token_next(&at, line);
    return yk_token_is(&token, "{") ? at : NULL;
}

static const char *find_definition(const char *text, struct yk_body *body, int *line)
{
    char name[160];
    struct yk_token token;
    int length = snprintf(name, sizeof name, "yk_body_%s", body->kernel->name);
    if (length < 0 || (size_t)length >= sizeof name)
        return NULL;
    *line = 1;
    do {
        token = yk_token_next(&text, line);
        if (!yk_token_is(&token, name))
            continue;
        int at_line = *line;
        const char *found = read_head(text, &at_line, body);
        if (found) {
            *line = at_line;
            return found;
        }
    } while (token.kind != YK_TOKEN_END);
    return NULL;
}

/* Called twice: the first call only counts. */
static int read_tokens(const char *text, int line, struct yk_token *out)
{
    int count = 0, depth = 1;
    for (;;) {
        struct yk_token token = yk_token_next(&text, &line);
        depth += yk_token_is(&token, "{");
        depth -= yk_token_is(&token, "}");
        if (depth == 0)
            return count;
        if (token.kind == YK_TOKEN_END)
            return -1;
        if (out)
            out[count] = token;
        count++;
    }
}

/* `T name =`, or `, name =` after such a declarator: a declaration with an initialiser. */
static int declares(const struct yk_body *body, int at)
{
    const struct yk_token *before = at > 0 ? &body->tokens[at - 1] : NULL;
    if (!before || !yk_body_is(body, at + 1, "="))
        return 0;
    if (before->kind == YK_TOKEN_NAME)
        return !yk_token_is(before, "return") && !yk_token_is(before, "else");
    if (!yk_token_is(before, ","))
        return 0;
    int begin = at;
    while (begin > 0 && !strchr(";{}(", *body->tokens[begin - 1].text))
        begin--;
    return begin + 1 < at && body->tokens[begin].kind == YK_TOKEN_NAME &&
           body->tokens[begin + 1].kind == YK_TOKEN_NAME;
}

static int end_of_initialiser(const struct yk_body *body, int at)
{
    while (at < body->count && !strchr(",;", *body->tokens[at].text))
        at = strchr("([{", *body->tokens[at].text) ? yk_body_close_of(body, at) : at + 1;
    return at;
}

/* Whether the token is a word of C before which no operand ends. */
static int is_word(const struct yk_token *token)
{
    static const char *const words[] = { "return", "else", "case", "goto", "do" };
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (yk_token_is(token, words[w]))
            return 1;
    return 0;
}

int yk_body_ends_operand(const struct yk_body *body, int at)
{
    if (at < 0)
        return 0;
    return body->tokens[at].kind == YK_TOKEN_SIGN
               ? yk_body_is(body, at, ")") || yk_body_is(body, at, "]")
               : !is_word(&body->tokens[at]);
}

/* Whether the variable is changed other than by ++, --, += and -=, or its address is taken. */
static int is_changed(const struct yk_body *body, int at)
{
    static const char *const signs[] = { "=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=" };
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (yk_body_is(body, at + 1, signs[s]))
            return 1;
    return yk_body_is(body, at - 1, "&") && !yk_body_ends_operand(body, at - 2);
}

static int is_member(const struct yk_body *body, int at)
{
    return yk_body_is(body, at - 1, ".") || yk_body_is(body, at - 1, "->");
}

static int is_counted(const struct yk_body *body, int at)
{
    static const char *const signs[] = { "++", "--", "+=", "-=" };
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (yk_body_is(body, at + 1, signs[s]) || (s < 2 && yk_body_is(body, at - 1, signs[s])))
            return 1;
    return 0;
}

/* The opening bracket of the `for` whose declaration is at `at`; -1: it is not in a `for`. */
static int head_of_for(const struct yk_body *body, int at)
{
    while (at > 0 && !strchr(";{}(", *body->tokens[at - 1].text))
        at--;
    return yk_body_is(body, at - 1, "(") && at >= 2 && yk_token_is(&body->tokens[at - 2], "for")
               ? at - 1
               : -1;
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

/* Whether the variable that is declared at `at` changes, other than after each iteration of the
 * loop whose counter it is. */
static int is_lost(const struct yk_body *body, int at)
{
    const int head = head_of_for(body, at);
    for (int use = 0; use < body->count; use++) {
        if (use == at || body->tokens[use].kind != YK_TOKEN_NAME ||
            !are_same(&body->tokens[use], &body->tokens[at]) || is_member(body, use))
            continue;
        if (is_changed(body, use) ||
            (is_counted(body, use) && (head < 0 || !is_behind_turn(body, head, use))))
            return 1;
    }
    return 0;
}

static void read_local(struct yk_body *body, int at)
{
    struct yk_local *local = &body->locals[body->local_count++];
    const int head = head_of_for(body, at);
    *local = (struct yk_local){ .name = body->tokens[at],
                                .first = at + 2,
                                .last = end_of_initialiser(body, at + 2) };
    for (int type = at - 1; type >= 0 && body->tokens[type].kind == YK_TOKEN_NAME; type--)
        if (yk_token_unsigned_bits(&body->tokens[type]))
            local->unsigned_bits = yk_token_unsigned_bits(&body->tokens[type]);
    if (yk_token_is_inexact(&body->tokens[at - 1]) || is_lost(body, at))
        local->last = local->first;
    else if (head >= 0)
        local->end = yk_counter_read(body, &local->name, head);
}

/* Whether another variable of that name is declared there. */
static int is_declared(const struct yk_body *body, int at)
{
    if (yk_body_is(body, at - 1, "*"))
        return at >= 2 && body->tokens[at - 2].kind == YK_TOKEN_NAME &&
               (yk_body_is(body, at + 1, "=") || yk_body_is(body, at + 1, ";"));
    return at >= 1 && body->tokens[at - 1].kind == YK_TOKEN_NAME && !is_word(&body->tokens[at - 1]);
}

static int is_index(const struct yk_body *body, const struct yk_token *token)
{
    const int dimensions = body->kernel->dimensions > 1 ? body->kernel->dimensions : 1;
    for (int d = 0; d < 3 && d < dimensions; d++)
        if (are_same(token, &body->index[d]))
            return 1;
    return 0;
}

/* Whether the name gets another meaning or another value here. */
static int is_altered(const struct yk_body *body, int at)
{
    if (is_member(body, at) || (yk_body_is(body, at - 1, "&") && yk_body_is(body, at + 1, "[")))
        return 0;
    return is_declared(body, at) || is_changed(body, at) || is_counted(body, at);
}

/* Finds indexes and parameters whose values are not those that the job gives. Returns 0 if an index
 * is among them. */
static int find_changed(struct yk_body *body)
{
    for (int at = 0; at < body->count; at++) {
        const struct yk_token *token = &body->tokens[at];
        if (token->kind != YK_TOKEN_NAME || !is_altered(body, at))
            continue;
        const int p = yk_body_parameter(body, token);
        if (p >= 0 && body->kernel->params[p].mode != YOKE_PARAM_VALUE &&
            yk_body_is(body, at - 1, "*") && !is_declared(body, at))
            continue; /* it changes what the pointer points to */
        if (p >= 0)
            body->changed |= UINT32_C(1) << p;
        if (is_index(body, token))
            return 0;
    }
    return 1;
}

static void read_locals(struct yk_body *body)
{
    for (int at = 1; at < body->count && body->local_count < YK_LOCALS_MOST; at++)
        if (body->tokens[at].kind == YK_TOKEN_NAME && declares(body, at))
            read_local(body, at);
}

int yk_body_open(const yoke_kernel *kernel, struct yk_conditions *conditions, struct yk_body *body)
{
    int line;
    *body = (struct yk_body){ .kernel = kernel, .conditions = conditions };
    const char *begin = find_definition(kernel->opencl.source.text, body, &line);
    if (!begin)
        return 0;
    body->count = read_tokens(begin, line, NULL);
    if (body->count < 0)
        return 0;
    body->tokens = yk_calloc((size_t)body->count + 1, sizeof *body->tokens);
    if (!body->tokens)
        return 0;
    read_tokens(begin, line, body->tokens);
    read_locals(body);
    if (find_changed(body))
        return 1;
    yk_body_close(body);
    return 0;
}

void yk_body_close(struct yk_body *body)
{
    yk_free(body->tokens);
}
