/* access.c - see access.h. */
#include "access.h"

#include <string.h>

#include "../base/alloc.h"
#include "body.h"

static int is_sign(const struct yk_body *body, int at, const char *sign)
{
    return at >= 0 && at < body->count && yk_token_is(&body->tokens[at], sign);
}

static int is_known(const struct yk_access *access, const struct yk_touch *touch)
{
    for (int t = 0; t < access->count; t++) {
        const struct yk_touch *other = &access->touches[t];
        if (other->parameter == touch->parameter &&
            yk_polynomials_are_equal(&other->stride, &touch->stride) &&
            yk_polynomials_are_equal(&other->rest, &touch->rest))
            return 1;
    }
    return 0;
}

static void add_touch(struct yk_access *to, const struct yk_polynomial *form, struct yk_touch touch)
{
    if (!yk_polynomial_divide(form, &touch.stride, &touch.rest) || is_known(to, &touch))
        return;
    struct yk_touch *more = yk_realloc(to->touches, (size_t)to->count + 1, sizeof *more);
    if (!more)
        return;
    to->touches = more;
    more[to->count++] = touch;
}

/* x[...] at the token `at`. */
static void read_touch(const struct yk_body *body, int at, int parameter, struct yk_access *to)
{
    const int end = yk_body_close_of(body, at + 1) - 1; /* of the index */
    if (end <= at + 2)
        return;
    const struct yk_token *first = &body->tokens[at + 2], *last = &body->tokens[end - 1];
    const struct yk_forms forms = yk_expression_read(body, at + 2, end);
    for (int f = 0; f < forms.count; f++)
        add_touch(to, &forms.form[f],
                  (struct yk_touch){ .parameter = parameter,
                                     .line = first->line,
                                     .text = first->text,
                                     .length = (int)(last->text + last->length - first->text) });
}

/* `x[...] +=` and its like, and `x[...] =`: certain; handing x to a function is not. */
static int is_assigned(const struct yk_body *body, int at)
{
    static const char *const signs[] = { "=",  "+=", "-=", "*=", "/=", "%=",
                                         "&=", "|=", "^=", "++", "--" };
    if (!is_sign(body, at + 1, "["))
        return 0;
    const int behind = yk_body_close_of(body, at + 1);
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (is_sign(body, behind, signs[s]))
            return 1;
    return is_sign(body, at - 1, "++") || is_sign(body, at - 1, "--");
}

static int compares(const struct yk_body *body)
{
    for (int at = 0; at < body->count; at++) {
        const struct yk_token *token = &body->tokens[at];
        if (yk_token_is(token, "switch"))
            return 1;
        if (token->kind == YK_TOKEN_NAME && token->length == body->index[0].length &&
            memcmp(token->text, body->index[0].text, (size_t)token->length) == 0 &&
            (is_sign(body, at + 1, "==") || is_sign(body, at - 1, "==") ||
             is_sign(body, at + 1, "!=") || is_sign(body, at - 1, "!=") ||
             is_sign(body, at + 1, "%") || is_sign(body, at + 1, "<") ||
             is_sign(body, at + 1, "<=")))
            return 1;
    }
    return 0;
}

static void read_uses(const struct yk_body *body, struct yk_access *out)
{
    for (int at = 0; at < body->count; at++) {
        const struct yk_token *token = &body->tokens[at];
        int p = token->kind == YK_TOKEN_NAME ? yk_body_parameter(body, token) : -1;
        if (p < 0 || is_sign(body, at - 1, ".") || is_sign(body, at - 1, "->"))
            continue;
        yoke_param_mode mode = body->kernel->params[p].mode;
        if (mode == YOKE_PARAM_ADD && !out->wrong_add_line[p] && is_assigned(body, at))
            out->wrong_add_line[p] = token->line;
        else if (mode != YOKE_PARAM_ADD && mode != YOKE_PARAM_VALUE && is_sign(body, at + 1, "["))
            read_touch(body, at, p, out);
    }
}

void yk_access_open(const yoke_kernel *kernel, struct yk_access *out)
{
    struct yk_body body;
    *out = (struct yk_access){ 0 };
    if (kernel->kind != YOKE_KERNEL_RANGE || kernel->lanes || !kernel->opencl.source.text ||
        kernel->opencl.source.entry || kernel->param_count > YOKE_ARGS_MAX)
        return;
    if (!yk_body_open(kernel, &body))
        return;
    out->compares_index = compares(&body);
    read_uses(&body, out);
    yk_body_close(&body);
}

void yk_access_close(struct yk_access *access)
{
    yk_free(access->touches);
}
