/* narrow.c - see narrow.h. For each kernel a flattened text (yoke/kernel_cuda.h, kernel_opencl.h)
 * contains, in this order,
 *
 *     yk_body_NAME(...);  ... yoke_entry_NAME(...) {...}  ... yk_body_NAME(...) {...}
 *
 * The new text has the definition of the body and the entry, under other names, changed only where
 * the passes have set marks.
 */
#include "narrow.h"

#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "narrowing.h"

enum { PASSES_MOST = 100, NAME_ROOM = 160 };

/* Tokens of the parts named above; each ends with a closing bracket, at end - 1. */
struct pieces {
    int entry, entry_end;
    int body, head, head_end, body_end; /* head: the bracket of the parameters */
    char body_name[NAME_ROOM], entry_name[NAME_ROOM];
};

/* ---- finding them ---- */

static int read_tokens(const char *text, struct yk_token **tokens)
{
    int line = 1, count = 0, room = 0;
    *tokens = NULL;
    for (;;) {
        if (count == room) {
            room = room ? 2 * room : 1024;
            struct yk_token *more = yk_realloc(*tokens, (size_t)room, sizeof *more);
            if (!more)
                return 0;
            *tokens = more;
        }
        struct yk_token *token = &(*tokens)[count];
        *token = yk_token_next(&text, &line);
        if (token->kind == YK_TOKEN_END)
            return count;
        count++;
    }
}

static int find_word(const struct yk_body *text, int at, const char *word)
{
    while (at < text->count && !yk_token_is(&text->tokens[at], word))
        at++;
    return at;
}

/* The token after the parameters in brackets at `at` and the following block; 0: there are none. */
static int end_of_function(const struct yk_body *text, int at, int *head_end)
{
    if (!yk_body_is(text, at, "("))
        return 0;
    *head_end = yk_body_close_of(text, at);
    if (!yk_body_is(text, *head_end, "{"))
        return 0;
    const int end = yk_body_close_of(text, *head_end);
    return yk_body_is(text, end - 1, "}") ? end : 0;
}

static int find_pieces(const struct yk_body *text, struct pieces *out)
{
    int unused;
    const char *name = text->kernel->name;
    const int length = snprintf(out->entry_name, NAME_ROOM, "yoke_entry_%s", name);
    snprintf(out->body_name, NAME_ROOM, "yk_body_%s", name);
    if (length < 0 || length >= NAME_ROOM - 2)
        return 0;
    out->entry = yk_body_close_of(text, find_word(text, 0, out->body_name) + 1) + 1;
    if (!yk_body_is(text, out->entry - 1, ";"))
        return 0;
    out->entry_end =
        end_of_function(text, find_word(text, out->entry, out->entry_name) + 1, &unused);
    out->body = out->entry_end;
    out->head = find_word(text, out->body, out->body_name) + 1;
    out->body_end = end_of_function(text, out->head, &out->head_end);
    return out->entry_end && out->body_end;
}

/* ---- a pass ---- */

/* Sets *leaf to the node of the index, size or value `name`. Returns 0 if it is none of these. */
static int leaf_of(const struct yk_narrowing *n, const struct yk_token *name, int number,
                   struct yk_bounds_node *leaf)
{
    const yoke_kernel *kernel = n->text.kernel;
    const int dimensions = kernel->dimensions > 1 ? kernel->dimensions : 1;
    *leaf = (struct yk_bounds_node){ .op = YK_BOUNDS_INDEX, .a = number };
    if (number < dimensions)
        return 1;
    *leaf = (struct yk_bounds_node){ .op = YK_BOUNDS_SIZE, .a = yk_token_is(name, "yk_size3") };
    if (yk_token_is(name, "yk_size2") || yk_token_is(name, "yk_size3"))
        return 1;
    *leaf = (struct yk_bounds_node){ .op = YK_BOUNDS_VALUE };
    leaf->a = yk_body_parameter(&n->text, name);
    return leaf->a >= 0 && kernel->params[leaf->a].mode == YOKE_PARAM_VALUE;
}

/* The entry computes indexes in 32 bits (YK_AXIS32), so they must fit even if the body keeps them
 * wide. */
static void bound_parameter(struct yk_narrowing *n, struct yk_bounds_node *leaf,
                            struct yk_named *variable)
{
    const struct yk_type *type = &variable->type;
    const int is_kept = !(n->known[variable->at] & YK_KNOWN_CHANGED);
    const int is_int = is_kept && yk_type_is_int(type);
    const int is_narrow =
        is_kept && type->is == YK_CLASS_INT64 && !(n->known[variable->type_at] & YK_KNOWN_WIDE);
    leaf->must = is_narrow || leaf->op == YK_BOUNDS_INDEX;
    if (!is_int && !leaf->must)
        return;
    const int node = yk_bounds_add(&n->bounds, leaf, &n->usual);
    if (node < 0)
        yk_narrowing_fail(n);
    else if (is_int || is_narrow)
        variable->node = node;
    if (is_narrow) {
        variable->kind = YK_KIND_NARROW;
        n->marks[variable->type_at] |= YK_MARK_SHORT | YK_MARK_DECLARES;
    }
}

static void read_parameter(struct yk_narrowing *n, int number)
{
    struct yk_type type;
    struct yk_bounds_node leaf;
    const int type_at = yk_narrowing_read_type(n, &type);
    type.levels += yk_narrowing_read_stars(n);
    const int at = n->at++;
    if (n->failed || !yk_narrowing_is_name(n, at)) {
        yk_narrowing_fail(n);
        return;
    }
    struct yk_named *variable = yk_narrowing_declare(n, at, type_at, &type);
    if (type.levels == 0 && leaf_of(n, &n->text.tokens[at], number, &leaf))
        bound_parameter(n, &leaf, variable);
}

static void read_head(struct yk_narrowing *n, const struct pieces *pieces)
{
    n->at = pieces->head + 1;
    n->end = pieces->head_end - 1;
    for (int number = 0; n->at < n->end; number++) {
        read_parameter(n, number);
        if (n->at < n->end)
            yk_narrowing_expect(n, ",");
    }
}

static void clear_marks(struct yk_narrowing *n)
{
    const size_t count = (size_t)n->text.count + 1;
    memset(n->marks, 0, count);
    memset(n->opens, 0, count);
    memset(n->closes, 0, count);
    memset(n->sums, 0, sizeof n->sums);
    n->variable_count = n->bounds.count = n->depth = n->gains = n->again = 0;
}

static void pass(struct yk_narrowing *n, const struct pieces *pieces)
{
    clear_marks(n);
    yk_narrowing_read_outside(n, pieces->body);
    n->bounds.count = 0;
    read_head(n, pieces);
    n->body_first = n->at = pieces->head_end + 1;
    n->end = pieces->body_end - 1;
    while (n->at < n->end && !n->failed)
        yk_narrowing_statement(n);
}

/* A variable that makes nothing cheaper need not be narrow. */
static void drop_unused(struct yk_narrowing *n, const struct pieces *pieces)
{
    for (int at = pieces->body; at < pieces->body_end; at++)
        if (n->marks[at] & YK_MARK_DECLARES && !(n->marks[at] & YK_MARK_USED))
            yk_narrowing_keep_wide(n, at);
}

/* Sizes of usual launches: a product is computed in 32 bits if it fits for these sizes. */
static struct yk_bounds_place usual_place(const yoke_kernel *kernel)
{
    static const int64_t lengths[] = { 1 << 20, 1 << 10, 1 << 8 };
    enum { VALUE = 256 };
    const int dimensions = kernel->dimensions > 1 ? kernel->dimensions : 1;
    struct yk_bounds_place place;
    for (int d = 0; d < 3; d++)
        place.index[d] = (struct yk_bounds){ 0, lengths[dimensions - 1] - 1 };
    place.size[0] = dimensions > 1 ? lengths[dimensions - 1] : 1;
    place.size[1] = dimensions > 2 ? lengths[dimensions - 1] : 1;
    for (int p = 0; p < YOKE_ARGS_MAX; p++)
        place.value[p] = VALUE;
    return place;
}

/* Returns 1 if something becomes cheaper. */
static int run_passes(struct yk_narrowing *n, const struct pieces *pieces)
{
    const int has_places = find_word(&n->text, pieces->entry, "YK_SUMS") < pieces->entry_end;
    n->usual = usual_place(n->text.kernel);
    for (int p = 0; p < PASSES_MOST; p++) {
        pass(n, pieces);
        if (n->failed)
            return 0;
        if (!n->again)
            drop_unused(n, pieces);
        if (!n->again) {
            const int keeps = yk_narrowing_keep_sums(n, has_places);
            return (keeps || n->gains > 0) && yk_bounds_prune(&n->bounds);
        }
    }
    return 0;
}

/* ---- the new text ---- */

struct writer {
    const struct yk_narrowing *n;
    const struct pieces *pieces;
    char *text; /* NULL: only the length is computed */
    size_t length;
};

static void write_bytes(struct writer *to, const char *bytes, size_t count)
{
    if (to->text)
        memcpy(to->text + to->length, bytes, count);
    to->length += count;
}

static void write_word(struct writer *to, const char *word)
{
    write_bytes(to, word, strlen(word));
}

static void write_token(struct writer *to, int at)
{
    const struct yk_narrowing *n = to->n;
    const struct pieces *pieces = to->pieces;
    const struct yk_token *token = &n->text.tokens[at];
    for (int w = 0; w < n->opens[at]; w++)
        write_word(to, "((int64_t)(");
    if (n->marks[at] & YK_MARK_LITERAL)
        write_word(to, "(int32_t)");
    if (n->marks[at] & YK_MARK_SHORT) {
        write_word(to, "int32_t");
    } else if (n->marks[at] & YK_MARK_SUM) {
        write_word(to, "yk_own_sum<");
        write_bytes(to, token->text, (size_t)token->length);
        write_word(to, ">");
    } else if (yk_token_is(token, pieces->body_name)) {
        write_word(to, "yk_body32_");
        write_word(to, n->text.kernel->name);
    } else if (yk_token_is(token, pieces->entry_name)) {
        write_word(to, "yoke_entry32_");
        write_word(to, n->text.kernel->name);
    } else {
        write_bytes(to, token->text, (size_t)token->length);
        if (yk_token_is(token, "YK_AXIS") || yk_token_is(token, "YK_TURN"))
            write_word(to, "32");
    }
    for (int w = 0; w < n->closes[at]; w++)
        write_word(to, "))");
}

/* Writes tokens with the text between them: line markers and pragmas. */
static void write_piece(struct writer *to, int first, int end)
{
    for (int at = first; at < end; at++) {
        const struct yk_token *token = &to->n->text.tokens[at], *before = token - 1;
        if (at > first)
            write_bytes(to, before->text + before->length,
                        (size_t)(token->text - before->text) - (size_t)before->length);
        write_token(to, at);
    }
    write_word(to, "\n");
}

/* Tells the entry how many sums of each parameter a thread keeps. */
static void write_sums(struct writer *to)
{
    const struct yk_narrowing *n = to->n;
    for (int p = 0; p < n->text.kernel->param_count; p++) {
        char count[16];
        if (n->text.kernel->params[p].mode != YOKE_PARAM_ADD)
            continue;
        snprintf(count, sizeof count, " %d\n", n->sums[p].count);
        write_word(to, "\n#define YK_SUMS_");
        write_word(to, n->text.kernel->params[p].name);
        write_word(to, count);
    }
}

static void write_text(struct writer *to)
{
    const struct pieces *pieces = to->pieces;
    write_sums(to);
    write_word(to, "\n#line 1 \"32-bit indexes of ");
    write_word(to, to->n->text.kernel->name);
    write_word(to, "\"\n");
    write_piece(to, pieces->body, pieces->body_end);
    write_piece(to, pieces->entry, pieces->entry_end);
}

static char *new_text(const struct yk_narrowing *n, const struct pieces *pieces)
{
    struct writer to = { .n = n, .pieces = pieces };
    write_text(&to);
    to.text = yk_calloc(to.length + 1, 1);
    to.length = 0;
    if (to.text)
        write_text(&to);
    return to.text;
}

/* ---- the whole ---- */

static int open_arrays(struct yk_narrowing *n)
{
    const size_t count = (size_t)n->text.count + 1;
    n->known = yk_calloc(count, 4);
    if (!n->known)
        return 0;
    n->marks = n->known + count;
    n->opens = n->marks + count;
    n->closes = n->opens + count;
    return 1;
}

static int keeps_all_sums(const struct yk_narrowing *n)
{
    const yoke_kernel *kernel = n->text.kernel;
    int adds = 0, kept = 0;
    for (int p = 0; p < kernel->param_count; p++) {
        adds += kernel->params[p].mode == YOKE_PARAM_ADD;
        kept += n->sums[p].count > 0;
    }
    return adds > 0 && kept == adds;
}

static void narrow(struct yk_narrowing *n, struct yk_narrow *out)
{
    struct pieces pieces;
    if (!find_pieces(&n->text, &pieces) || !open_arrays(n) || !run_passes(n, &pieces))
        return;
    out->text = new_text(n, &pieces);
    if (!out->text)
        return;
    out->bounds = n->bounds;
    out->keeps_sums = keeps_all_sums(n);
    n->bounds = (struct yk_bounds_list){ 0 };
}

/* Entries of kernels that reduce have their own loops, which are not read here. */
static int reduces(const yoke_kernel *kernel)
{
    int p = 0;
    while (p < kernel->param_count && kernel->params[p].mode != YOKE_PARAM_REDUCE)
        p++;
    return p < kernel->param_count;
}

void yk_narrow_open(const yoke_kernel *kernel, const char *text, struct yk_narrow *out)
{
    *out = (struct yk_narrow){ 0 };
    if (kernel->kind != YOKE_KERNEL_RANGE || kernel->lanes || kernel->dimensions > 3 || !text ||
        kernel->param_count > YOKE_ARGS_MAX || reduces(kernel))
        return;
    struct yk_narrowing *n = yk_calloc(1, sizeof *n);
    if (!n)
        return;
    n->text.kernel = kernel;
    n->text.count = read_tokens(text, &n->text.tokens);
    if (n->text.count > 0)
        narrow(n, out);
    yk_bounds_close(&n->bounds);
    yk_free(n->variables);
    yk_free(n->known);
    yk_free(n->text.tokens);
    yk_free(n);
}

void yk_narrow_close(struct yk_narrow *narrow)
{
    yk_free(narrow->text);
    yk_bounds_close(&narrow->bounds);
    *narrow = (struct yk_narrow){ 0 };
}
