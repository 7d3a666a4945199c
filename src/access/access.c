/* access.c - see access.h. */
#include "access.h"

#include <string.h>

#include "../base/alloc.h"
#include "body.h"

static int is_known(const struct yk_access *access, const struct yk_touch *touch)
{
    for (int t = 0; t < access->count; t++) {
        const struct yk_touch *other = &access->touches[t];
        if (other->parameter == touch->parameter &&
            yk_polynomials_are_equal(&other->stride, &touch->stride) &&
            yk_polynomials_are_equal(&other->rest, &touch->rest) &&
            other->writes == touch->writes && other->alters == touch->alters &&
            memcmp(&other->guard, &touch->guard, sizeof touch->guard) == 0)
            return 1;
    }
    return 0;
}

static void add_touch(struct yk_access *to, const struct yk_polynomial *form, struct yk_touch touch)
{
    yk_polynomial_divide(form, &touch.stride, &touch.rest);
    if (touch.guard.unsure ||
        (touch.guard.data && !yk_polynomial_has(&touch.rest, YK_VAR_LOADED)) ||
        is_known(to, &touch))
        return;
    struct yk_touch *more = yk_realloc(to->touches, (size_t)to->count + 1, sizeof *more);
    if (!more)
        return;
    to->touches = more;
    more[to->count++] = touch;
}

/* The tokens of the index in `x[...]` or `*(x + ...)`; none: it is used in another way. */
static struct yk_token_span index_of(const struct yk_body *body, int at)
{
    if (yk_body_is(body, at + 1, "["))
        return (struct yk_token_span){ at + 2, yk_body_close_of(body, at + 1) - 1 };
    if (yk_body_is(body, at - 1, "(") && yk_body_is(body, at - 2, "*") &&
        !yk_body_ends_operand(body, at - 3) &&
        (yk_body_is(body, at + 1, "+") || yk_body_is(body, at + 1, "-")))
        return (struct yk_token_span){ at + 1, yk_body_close_of(body, at - 1) - 1 };
    return (struct yk_token_span){ 0, 0 };
}

/* The sign that changes the array, behind or before `x[...]`, `*x`, `(*x)` or `*(x + ...)`; -1:
 * none does. Passing x to a function does not count, because the function may only read it. */
static int find_change(const struct yk_body *body, int at)
{
    static const char *const signs[] = { "=",  "+=", "-=",  "*=",  "/=", "%=", "&=",
                                         "|=", "^=", "<<=", ">>=", "++", "--" };
    int before = at - 1, behind = at + 1;
    if (yk_body_is(body, at + 1, "[")) {
        behind = yk_body_close_of(body, at + 1);
    } else if (yk_body_is(body, at - 1, "(") && yk_body_is(body, at - 2, "*")) {
        before = at - 3;
        behind = yk_body_close_of(body, at - 1);
    } else if (yk_body_is(body, at - 1, "*")) {
        before = at - 2;
        if (yk_body_is(body, before, "(") && yk_body_is(body, behind, ")")) {
            before--;
            behind++;
        }
    } else {
        return -1;
    }
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (yk_body_is(body, behind, signs[s]))
            return behind;
    return yk_body_is(body, before, "++") || yk_body_is(body, before, "--") ? before : -1;
}

/* As yk_touch.alters, for the change that the sign makes. */
static int read_alters(const struct yk_body *body, int at, int sign)
{
    int alters = 0;
    if (sign < 0 || !yk_body_is(body, sign, "="))
        return sign < 0 ? 0 : 7;
    for (int from = sign + 1, depth = 0; from < body->count && depth >= 0; from++) {
        const struct yk_token *token = &body->tokens[from];
        depth += yk_body_is(body, from, "(") || yk_body_is(body, from, "[");
        depth -= yk_body_is(body, from, ")") || yk_body_is(body, from, "]");
        if (yk_body_is(body, from, ";") || (depth == 0 && yk_body_is(body, from, ",")))
            break;
        for (int d = 0; d < 3; d++)
            if (body->index[d].length && yk_tokens_are_same(token, &body->index[d]))
                alters |= 1 << d;
        if (yk_tokens_are_same(token, &body->tokens[at]))
            alters = 7;
    }
    return alters;
}

/* Reads the index of the parameter at the token `at`. */
static void read_touch(const struct yk_body *body, int at, const struct yk_guard *guard,
                       struct yk_access *to)
{
    const struct yk_token_span index = index_of(body, at);
    if (index.first >= index.last)
        return;
    const struct yk_token *first = &body->tokens[index.first],
                          *last = &body->tokens[index.last - 1];
    const struct yk_forms forms = yk_expression_read(body, index.first, index.last);
    const int parameter = yk_body_parameter(body, &body->tokens[at]),
              change = find_change(body, at);
    for (int f = 0; f < forms.count; f++) {
        struct yk_touch touch = { .parameter = parameter,
                                  .guard = forms.guard[f],
                                  .writes = change >= 0,
                                  .alters = read_alters(body, at, change),
                                  .line = first->line,
                                  .text = first->text,
                                  .length = (int)(last->text + last->length - first->text) };
        yk_guard_join(&touch.guard, guard);
        add_touch(to, &forms.form[f], touch);
    }
}

static void read_use(void *context, const struct yk_body *body, int at,
                     const struct yk_guard *guard)
{
    struct yk_access *out = context;
    const struct yk_token *token = &body->tokens[at];
    const int p = yk_body_parameter(body, token);
    if (p < 0 || body->changed >> p & 1)
        return;
    const yoke_param_mode mode = body->kernel->params[p].mode;
    if (mode == YOKE_PARAM_ADD && !out->wrong_add_line[p] && find_change(body, at) >= 0)
        out->wrong_add_line[p] = token->line;
    else if (mode != YOKE_PARAM_VALUE)
        read_touch(body, at, guard, out);
}

static void read_body(const yoke_kernel *kernel, struct yk_conditions *conditions,
                      struct yk_access *out)
{
    struct yk_body body;
    if (!yk_body_open(kernel, kernel->opencl.source.text, conditions, &body))
        return;
    yk_body_walk(&body, read_use, out);
    for (int l = 0; l < body.local_count; l++)
        if (body.locals[l].end.last > body.locals[l].end.first)
            body.at_end |= UINT64_C(1) << l;
    if (body.at_end)
        yk_body_walk(&body, read_use, out);
    yk_body_close(&body);
}

/* Returns memory of its own with the items; NULL: there are none, or there is no memory. */
static void *copy_of(const void *items, int count, size_t size)
{
    void *copy = count ? yk_calloc((size_t)count, size) : NULL;
    return copy ? memcpy(copy, items, (size_t)count * size) : NULL;
}

void yk_access_open(const yoke_kernel *kernel, struct yk_access *out)
{
    *out = (struct yk_access){ 0 };
    if (kernel->kind != YOKE_KERNEL_RANGE || kernel->lanes || !kernel->opencl.source.text ||
        kernel->opencl.source.entry || kernel->param_count > YOKE_ARGS_MAX)
        return;
    struct yk_conditions *all = yk_calloc(1, sizeof *all);
    if (!all)
        return;
    read_body(kernel, all, out);
    const int operations = all->operations.count;
    out->conditions = copy_of(all->items, all->count, sizeof *all->items);
    out->operations = copy_of(all->operations.items, operations, sizeof *all->operations.items);
    out->operation_count = out->operations ? operations : 0;
    out->values = all->values;
    if ((all->count && !out->conditions) || out->operation_count < operations)
        out->count = 0;
    yk_free(all);
}

void yk_access_close(struct yk_access *access)
{
    yk_free(access->touches);
    yk_free(access->conditions);
    yk_free(access->operations);
}
