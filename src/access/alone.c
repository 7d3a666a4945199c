/* alone.c - see alone.h. A kernel made by YOKE_KERNEL is three statements: its body's declaration,
 * its entry and its body. A statement goes from its first token to its semicolon or to the bracket
 * that closes its block, so directives before it stay.
 */
#include "alone.h"

#include "../base/alloc.h"
#include "token.h"

static int is_of_other(const struct yk_token *token, const char *prefix, const char *kernel_name)
{
    const size_t length = strlen(prefix);
    if ((size_t)token->length <= length || memcmp(token->text, prefix, length) != 0)
        return 0;
    const struct yk_token name = { YK_TOKEN_NAME, token->text + length, token->length - (int)length,
                                   0 };
    return !yk_token_is(&name, kernel_name);
}

static int is_other(const struct yk_token *token, const char *kernel_name)
{
    return is_of_other(token, "yoke_entry_", kernel_name) ||
           is_of_other(token, "yk_body_", kernel_name);
}

/* Line markers stay, for what follows. Pragmas go: one for a loop is an error outside a function.
 */
static void blank(char *at, const char *end)
{
    while (at < end) {
        const int stays = yk_line_marker(at) != NULL;
        for (; at < end && *at != '\n'; at++)
            if (!stays)
                *at = ' ';
        while (at < end && (*at == '\n' || *at == ' '))
            at++;
    }
}

char *yk_alone_text(const char *text, const char *kernel_name)
{
    char *copy = yk_strdup(text);
    const char *at = text, *begin = NULL; /* of the statement */
    int line = 1, depth = 0, other = 0;
    while (copy) {
        const struct yk_token token = yk_token_next(&at, &line);
        if (token.kind == YK_TOKEN_END)
            break;
        const char sign = token.kind == YK_TOKEN_SIGN && token.length == 1 ? *token.text : 0;
        depth += (sign && strchr("([{", sign)) - (sign && strchr(")]}", sign));
        if (!begin)
            begin = token.text;
        if (depth == 0 && is_other(&token, kernel_name))
            other = 1;
        if (depth > 0 || (sign != ';' && sign != '}'))
            continue;
        if (other)
            blank(copy + (begin - text), copy + (at - text));
        begin = NULL;
        other = 0;
    }
    return copy;
}
