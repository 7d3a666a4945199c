/* gives.c - see gives.h. Each use of yoke_reduce or yoke_fold leaves the word
 * NAME_takes_yoke_reduce or NAME_takes_yoke_fold_FOLD in the flattened text. One such word outside
 * loops means at most one value; a body that also uses the result in another way might change it.
 */
#include "gives.h"

#include <stdio.h>
#include <string.h>

#include "body.h"

enum { WORD_ROOM = 160 };

/* How a body uses a result. */
struct uses {
    int reduces, folds; /* number of yoke_reduce or yoke_reduce_at, and of yoke_fold */
    int names;          /* number of uses of the result's name */
    int repeats;        /* 1: one of them is in a loop */
};

static int is_loop(const struct yk_body *body, int at)
{
    return yk_body_is(body, at, "for") || yk_body_is(body, at, "while") ||
           yk_body_is(body, at, "do");
}

static int begins_with(const struct yk_token *token, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)token->length >= length && memcmp(token->text, word, length) == 0;
}

static struct uses uses_of(const struct yk_body *body, const char *name)
{
    char reduce[WORD_ROOM], fold[WORD_ROOM];
    struct uses uses = { 0 };
    int loop_end = 0;
    snprintf(reduce, WORD_ROOM, "%s_takes_yoke_reduce", name);
    snprintf(fold, WORD_ROOM, "%s_takes_yoke_fold_", name);
    for (int at = 0; at < body->count; at++) {
        const struct yk_token *token = &body->tokens[at];
        if (is_loop(body, at) && yk_body_end_of_statement(body, at) > loop_end)
            loop_end = yk_body_end_of_statement(body, at);
        const int is_name = yk_token_is(token, name);
        const int is_fold = begins_with(token, fold), is_reduce = yk_token_is(token, reduce);
        uses.names += is_name;
        uses.folds += is_fold;
        uses.reduces += is_reduce;
        uses.repeats |= (is_name || is_fold || is_reduce) && at < loop_end;
    }
    return uses;
}

static int is_integer(const char *type)
{
    static const char *const integers[] = { "int32_t", "uint32_t", "int64_t", "uint64_t" };
    for (size_t t = 0; t < sizeof integers / sizeof *integers; t++)
        if (strcmp(type, integers[t]) == 0)
            return 1;
    return 0;
}

/* yoke_reduce names the result once, yoke_fold twice. The program's own fold of integers may depend
 * on the order. */
static int is_apart(const struct yk_body *body, const yoke_param *param)
{
    const struct uses uses = uses_of(body, param->name);
    if (is_integer(param->type) && uses.folds == 0)
        return uses.reduces > 0;
    return !uses.repeats && uses.reduces + uses.folds == 1 &&
           uses.names == uses.reduces + 2 * uses.folds;
}

int yk_gives_apart(const yoke_kernel *kernel, const char *text)
{
    struct yk_body body;
    int results = 0, is_all = 1;
    if (!text || !yk_body_open(kernel, text, NULL, &body))
        return 0;
    for (int at = 0; at < body.count; at++)
        is_all &= !yk_body_is(&body, at, "goto");
    for (int p = 0; p < kernel->param_count; p++)
        if (kernel->params[p].mode == YOKE_PARAM_REDUCE) {
            results++;
            is_all &= is_apart(&body, &kernel->params[p]);
        }
    yk_body_close(&body);
    return results > 0 && is_all;
}
