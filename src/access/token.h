/* token.h - the tokens of a flattened kernel text, one after the other, with the line of the user's
 * file that each comes from.
 */
#ifndef YK_ACCESS_TOKEN_H
#define YK_ACCESS_TOKEN_H

#include <string.h>

enum yk_token_kind { YK_TOKEN_END, YK_TOKEN_NAME, YK_TOKEN_NUMBER, YK_TOKEN_SIGN, YK_TOKEN_QUOTED };

struct yk_token {
    enum yk_token_kind kind;
    const char *text; /* points into the text */
    int length;
    int line; /* by the last #line marker */
};

/* Tokens first .. last - 1 of a text. */
struct yk_token_span {
    int first, last;
};

/* The token that begins at *at or after it; *at moves past it. Invalid text gives tokens, too: any
 * byte that begins nothing else is a sign. Counts `line` on. */
struct yk_token yk_token_next(const char **at, int *line);

/* The number of the #line marker that begins at `at`; NULL: none begins there. */
const char *yk_line_marker(const char *at);

/* Compares the first characters first, because most tokens differ there. */
static inline int yk_token_is(const struct yk_token *token, const char *word)
{
    return *token->text == *word && (size_t)token->length == strlen(word) &&
           memcmp(token->text, word, (size_t)token->length) == 0;
}
static inline int yk_tokens_are_same(const struct yk_token *a, const struct yk_token *b)
{
    return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}
/* Whether it is a word of C before which no operand ends: return, else, case, goto, do. */
int yk_token_is_word(const struct yk_token *token);
/* Whether it is a type with fewer bits than int, or one of real numbers: computing in it wraps or
 * rounds, which indexes do not. */
int yk_token_is_inexact(const struct yk_token *type);
/* Bits of a type that is unsigned, at least; 0: it is signed, or none. */
int yk_token_unsigned_bits(const struct yk_token *type);

#endif
