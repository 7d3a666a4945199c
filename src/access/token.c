/* token.c - see token.h. Flattened texts have no comments, and of directives only #line and
 * #pragma.
 */
#include "token.h"

#include <stdlib.h>
#include <string.h>

/* Of two and three characters, the longest first. */
static const char *const signs[] = { "<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                     "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                     "*=",  "/=",  "%=",  "&=", "|=", "^=" };

/* Not those of ctype.h: those ask for the locale at every character, and the first job of a kernel
 * waits for this. */
static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_name(char c)
{
    return ((c | 32) >= 'a' && (c | 32) <= 'z') || is_digit(c) || c == '_';
}

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

const char *yk_line_marker(const char *at)
{
    if (*at != '#')
        return NULL;
    at += 1 + strspn(at + 1, " ");
    return strncmp(at, "line", 4) == 0 ? at + 4 : NULL;
}

static const char *skip_directive(const char *at, int *line)
{
    const char *number = yk_line_marker(at);
    if (number)
        *line = atoi(number) - 1; /* the line after it is counted */
    while (*at && *at != '\n')
        at++;
    return at;
}

static const char *skip_space(const char *at, int *line)
{
    for (;;) {
        if (*at == '\n')
            (*line)++;
        if (*at == '#')
            at = skip_directive(at, line);
        else if (is_space(*at))
            at++;
        else
            return at;
    }
}

static int quoted_length(const char *at)
{
    int length = 1;
    while (at[length] && at[length] != at[0])
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    return at[length] ? length + 1 : length;
}

static int sign_length(const char *at)
{
    if (!strchr("=<>.+-&|", at[1])) /* no longer sign has another second character */
        return 1;
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++) {
        const char *sign = signs[s];
        if (at[0] == sign[0] && at[1] == sign[1] && (!sign[2] || at[2] == sign[2]))
            return sign[2] ? 3 : 2;
    }
    return 1;
}

/* 1.5e+3f and 0x1p-3 are one token. */
static int number_length(const char *at)
{
    int length = 1;
    while (is_name(at[length]) || at[length] == '.' ||
           ((at[length] == '+' || at[length] == '-') && strchr("eEpP", at[length - 1]) &&
            !(at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && strchr("eE", at[length - 1]))))
        length++;
    return length;
}

struct yk_token yk_token_next(const char **at, int *line)
{
    const char *text = skip_space(*at, line);
    struct yk_token token = { YK_TOKEN_END, text, 0, *line };
    if (!*text)
        ;
    else if (is_digit(*text) || (*text == '.' && is_digit(text[1])))
        token.kind = YK_TOKEN_NUMBER, token.length = number_length(text);
    else if (is_name(*text)) {
        token.kind = YK_TOKEN_NAME;
        while (is_name(text[token.length]))
            token.length++;
    } else if (*text == '"' || *text == '\'')
        token.kind = YK_TOKEN_QUOTED, token.length = quoted_length(text);
    else
        token.kind = YK_TOKEN_SIGN, token.length = sign_length(text);
    *at = text + token.length;
    return token;
}

int yk_token_is_inexact(const struct yk_token *type)
{
    static const char *const types[] = { "char",     "short", "int8_t", "uint8_t", "int16_t",
                                         "uint16_t", "bool",  "_Bool",  "float",   "double" };
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (yk_token_is(type, types[t]))
            return 1;
    return 0;
}

int yk_token_unsigned_bits(const struct yk_token *type)
{
    static const char *const wide[] = { "uint64_t", "size_t", "uintptr_t" };
    for (size_t t = 0; t < sizeof wide / sizeof *wide; t++)
        if (yk_token_is(type, wide[t]))
            return 64;
    return yk_token_is(type, "uint32_t") || yk_token_is(type, "unsigned") ? 32 : 0;
}

int yk_token_is_word(const struct yk_token *token)
{
    static const char *const words[] = { "return", "else", "case", "goto", "do" };
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (yk_token_is(token, words[w]))
            return 1;
    return 0;
}
