/* body.h - a kernel's body as tokens, and the meaning of its names. */
#ifndef YK_ACCESS_BODY_H
#define YK_ACCESS_BODY_H

#include "condition.h"
#include "polynomial.h"
#include "token.h"

/* The last value of a loop's counter (counter.c). */
struct yk_counter_end {
    int head;        /* the opening bracket of its `for` */
    int first, last; /* tokens of the bound in the loop's condition; equal: the end is unknown */
    int beyond;      /* the last value less the bound: -1, 0 or 1 */
};

/* A local variable from an initialiser or an assignment on, which tells its value: it is not
 * changed after that, or it is a counter that a loop counts up or down from that value. */
struct yk_local {
    struct yk_token name;
    struct yk_token_span scope; /* where it has that value */
    int first, last;            /* tokens of the initialiser; first = last: the value is unknown */
    int unsigned_bits;          /* as yk_token_unsigned_bits */
    struct yk_counter_end end;
};

enum { YK_LOCALS_MOST = 64 }; /* as many as yk_body.at_end has bits */

struct yk_body {
    const yoke_kernel *kernel;
    struct yk_token *tokens; /* without the outer braces */
    int count;
    struct yk_token index[3]; /* names of i, j and k, as many as the kernel has dimensions */
    struct yk_local locals[YK_LOCALS_MOST];
    int local_count;
    uint64_t at_end;  /* bit l: local l, a counter, has its last value instead of its first one */
    uint32_t changed; /* bit p: the body changes parameter p itself, or declares another variable of
                       * its name */
    struct yk_conditions *conditions; /* of guards; borrowed */
};

/* Finds and reads the body in `text`, the kernel's text for one language. Returns 0 if there is
 * none, or no memory. */
int yk_body_open(const yoke_kernel *kernel, const char *text, struct yk_conditions *conditions,
                 struct yk_body *body);
void yk_body_close(struct yk_body *body);

/* Number of the array or value parameter with this name; -1: none. */
int yk_body_parameter(const struct yk_body *body, const struct yk_token *name);
/* Whether the token at `at`, which may lie outside, is this sign or word. */
static inline int yk_body_is(const struct yk_body *body, int at, const char *word)
{
    return at >= 0 && at < body->count && yk_token_is(&body->tokens[at], word);
}
/* The token after the bracket that closes the one at `at`; count if none does. */
int yk_body_close_of(const struct yk_body *body, int at);
/* The token after the statement at `at`: after a block, or a semicolon outside of brackets, and
 * after what follows `else`. */
int yk_body_end_of_statement(const struct yk_body *body, int at);
/* Whether the name at `at` is a member's; whether the variable's address is taken there; whether
 * that is so or the variable is changed other than by ++, --, += and -=; whether it is changed by
 * one of these. */
int yk_body_is_member(const struct yk_body *body, int at);
int yk_body_gives_address(const struct yk_body *body, int at);
int yk_body_changes(const struct yk_body *body, int at);
int yk_body_counts(const struct yk_body *body, int at);
/* Whether an operand ends with the token, so that `*` or `&` behind it has two operands. */
int yk_body_ends_operand(const struct yk_body *body, int at);

/* The possible values of an expression: with `?:` several, each under a guard. */
enum { YK_FORMS_MOST = 4 };
struct yk_forms {
    int count; /* 0: unknown */
    /* Bits of the narrowest unsigned type that takes part: what is negative or larger would wrap
     * in C, and does not in the polynomials. 0: none does. */
    int unsigned_bits;
    struct yk_polynomial form[YK_FORMS_MOST];
    struct yk_guard guard[YK_FORMS_MOST];
};
/* Reads tokens first .. last - 1. */
struct yk_forms yk_expression_read(const struct yk_body *body, int first, int last);
/* The result of an operator other than + - *. */
struct yk_forms yk_expression_operate(const struct yk_body *body, const struct yk_forms *a,
                                      const struct yk_token *sign, const struct yk_forms *b);

/* The last token of first .. last - 1, outside brackets, that is one of `words` (a list that ends
 * with NULL); -1: there is none. */
int yk_body_find_last(const struct yk_body *body, int first, int last, const char *const *words);

/* --- local.c --- */
/* Finds the locals of a body whose tokens are there. */
void yk_locals_read(struct yk_body *body);
/* The local that the name at token `at` stands for; NULL: it is none, or unknown. */
const struct yk_local *yk_local_at(const struct yk_body *body, int at);

/* --- counter.c --- */
/* Finds the end of a counter that is declared in the `for` with its opening bracket at `head`. */
struct yk_counter_end yk_counter_read(const struct yk_body *body, const struct yk_token *name,
                                      int head);
/* The local that is the counter of that `for`, if its end is known; -1: there is none. */
int yk_counter_of(const struct yk_body *body, int head);

/* --- condition.c --- */
/* Adds the condition in these tokens to the guard, as true or as false. */
void yk_guard_add(const struct yk_body *body, struct yk_token_span span, int is_true,
                  struct yk_guard *guard);

/* --- statement.c --- */
/* Calls fn once for each name in the body that is not a member's, with the conditions under which
 * it is reached. */
typedef void yk_use_fn(void *context, const struct yk_body *body, int at,
                       const struct yk_guard *guard);
void yk_body_walk(struct yk_body *body, yk_use_fn *fn, void *context);

#endif
