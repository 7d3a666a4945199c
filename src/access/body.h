/* body.h - a kernel's body as tokens, with what its names mean. */
#ifndef YK_ACCESS_BODY_H
#define YK_ACCESS_BODY_H

#include "polynomial.h"
#include "token.h"

/* A local variable whose value at its uses is that of its initialiser: it is never changed, or only
 * counted on by a loop, which begins with that value. */
struct yk_local {
    struct yk_token name;
    int first, last; /* tokens of the initialiser; first = last: it has no such value */
};

enum { YK_LOCALS_MOST = 64 };

struct yk_body {
    const yoke_kernel *kernel;
    struct yk_token *tokens; /* without the outer braces */
    int count;
    struct yk_token index[3]; /* names of i, j and k as the kernel has dimensions */
    struct yk_local locals[YK_LOCALS_MOST];
    int local_count;
};

/* Find and read the body in the kernel's OpenCL text. 0: there is none, or no memory for it. */
int yk_body_open(const yoke_kernel *kernel, struct yk_body *body);
void yk_body_close(struct yk_body *body);

/* Number of the array or value parameter of this name, -1: none. */
int yk_body_parameter(const struct yk_body *body, const struct yk_token *name);
/* The token behind the bracket that closes the one at `at`; count if none does. */
int yk_body_close_of(const struct yk_body *body, int at);

/* What an expression may be: with `?:` one of several. */
enum { YK_FORMS_MOST = 4 };
struct yk_forms {
    int count; /* 0: it cannot be told */
    struct yk_polynomial form[YK_FORMS_MOST];
};
/* Of tokens first .. last - 1. */
struct yk_forms yk_expression_read(const struct yk_body *body, int first, int last);

#endif
