/* body.c - see body.h. The definition of yk_body_NAME is what the forms of yoke/kernel.h make of a
 * kernel; before it comes its declaration, which ends with a semicolon.
 */
#include "body.h"

#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"

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

int yk_body_end_of_statement(const struct yk_body *body, int at)
{
    while (at < body->count && !yk_body_is(body, at, ";") && !yk_body_is(body, at, "{"))
        at = yk_body_is(body, at, "(") || yk_body_is(body, at, "[") ? yk_body_close_of(body, at)
                                                                    : at + 1;
    at = yk_body_is(body, at, "{") ? yk_body_close_of(body, at) : at + 1;
    return yk_body_is(body, at, "else") ? yk_body_end_of_statement(body, at + 1) : at;
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

int yk_body_ends_operand(const struct yk_body *body, int at)
{
    if (at < 0)
        return 0;
    return body->tokens[at].kind == YK_TOKEN_SIGN
               ? yk_body_is(body, at, ")") || yk_body_is(body, at, "]")
               : !yk_token_is_word(&body->tokens[at]);
}

int yk_body_gives_address(const struct yk_body *body, int at)
{
    return yk_body_is(body, at - 1, "&") && !yk_body_ends_operand(body, at - 2);
}

int yk_body_changes(const struct yk_body *body, int at)
{
    static const char *const signs[] = { "=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=" };
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (yk_body_is(body, at + 1, signs[s]))
            return 1;
    return yk_body_gives_address(body, at);
}

int yk_body_is_member(const struct yk_body *body, int at)
{
    return yk_body_is(body, at - 1, ".") || yk_body_is(body, at - 1, "->");
}

int yk_body_counts(const struct yk_body *body, int at)
{
    static const char *const signs[] = { "++", "--", "+=", "-=" };
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (yk_body_is(body, at + 1, signs[s]) || (s < 2 && yk_body_is(body, at - 1, signs[s])))
            return 1;
    return 0;
}

/* Whether a name that begins a statement, perhaps behind others, is at `at`: the type of a
 * declaration. */
static int is_type(const struct yk_body *body, int at)
{
    while (at > 0 && body->tokens[at].kind == YK_TOKEN_NAME && !yk_token_is_word(&body->tokens[at]))
        at--;
    return at == 0 || strchr(";{}(", *body->tokens[at].text);
}

/* Whether another variable of that name is declared there. */
static int is_declared(const struct yk_body *body, int at)
{
    if (yk_body_is(body, at - 1, "*"))
        return at >= 2 && body->tokens[at - 2].kind == YK_TOKEN_NAME && is_type(body, at - 2) &&
               (yk_body_is(body, at + 1, "=") || yk_body_is(body, at + 1, ";"));
    return at >= 1 && body->tokens[at - 1].kind == YK_TOKEN_NAME &&
           !yk_token_is_word(&body->tokens[at - 1]);
}

static int is_index(const struct yk_body *body, const struct yk_token *token)
{
    const int dimensions = body->kernel->dimensions > 1 ? body->kernel->dimensions : 1;
    for (int d = 0; d < 3 && d < dimensions; d++)
        if (yk_tokens_are_same(token, &body->index[d]))
            return 1;
    return 0;
}

/* Whether the name gets another meaning or another value here. */
static int is_altered(const struct yk_body *body, int at)
{
    if (yk_body_is_member(body, at) ||
        (yk_body_is(body, at - 1, "&") && yk_body_is(body, at + 1, "[")))
        return 0;
    return is_declared(body, at) || yk_body_changes(body, at) || yk_body_counts(body, at);
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

int yk_body_open(const yoke_kernel *kernel, const char *text, struct yk_conditions *conditions,
                 struct yk_body *body)
{
    int line;
    *body = (struct yk_body){ .kernel = kernel, .conditions = conditions };
    const char *begin = find_definition(text, body, &line);
    if (!begin)
        return 0;
    body->count = read_tokens(begin, line, NULL);
    if (body->count < 0)
        return 0;
    body->tokens = yk_calloc((size_t)body->count + 1, sizeof *body->tokens);
    if (!body->tokens)
        return 0;
    read_tokens(begin, line, body->tokens);
    yk_locals_read(body);
    if (find_changed(body))
        return 1;
    yk_body_close(body);
    return 0;
}

void yk_body_close(struct yk_body *body)
{
    yk_free(body->tokens);
}
