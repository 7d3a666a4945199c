/* token.h - the words of a flattened kernel text, one after the other, with the line of the user's
 * file that each stands in.
 */
#ifndef YK_ACCESS_TOKEN_H
#define YK_ACCESS_TOKEN_H

#include <stddef.h>

enum yk_token_kind { YK_TOKEN_END, YK_TOKEN_NAME, YK_TOKEN_NUMBER, YK_TOKEN_SIGN, YK_TOKEN_QUOTED };

struct yk_token {
    enum yk_token_kind kind;
    const char *text; /* in the text that is read */
    int length;
    int line; /* by the last #line marker */
};

/* The token that begins at or behind *at, which moves behind it. Garbage gives tokens too: any byte
 * that begins nothing else is a sign. `line` is counted on. */
struct yk_token yk_token_next(const char **at, int *line);

int yk_token_is(const struct yk_token *token, const char *word);
/* A type of fewer bits than an int: what is computed in it wraps where indexes do not. */
int yk_token_is_narrow(const struct yk_token *type);

#endif
