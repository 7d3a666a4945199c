/* statement.c - a body's statements in order, and the conditions under which each is executed:
 * those of the branches and loops around it, and that no statement before it left the body. Of a
 * loop, only the first iteration is considered, and where counters have their last values
 * (yk_body.at_end) only the last one.
 */
#include <string.h>

#include "body.h"

enum { DEPTH_MOST = 64 }; /* nesting of statements and brackets */

struct walk {
    struct yk_body *body;
    yk_use_fn *fn;
    void *context;
    int jumps, returns; /* seen so far; returns are jumps, too */
    int depth;
};

static int is_word(const struct walk *walk, int at, const char *word)
{
    return yk_body_is(walk->body, at, word);
}

static int is_open(const struct yk_token *token)
{
    return token->kind == YK_TOKEN_SIGN && token->length == 1 && strchr("([{", *token->text);
}

static void read_operands(struct walk *walk, int first, int last, const struct yk_guard *guard);

/* Visits names one by one, and what is in brackets. */
static void read_names(struct walk *walk, int first, int last, const struct yk_guard *guard)
{
    for (int at = first; at < last; at++) {
        const struct yk_token *token = &walk->body->tokens[at];
        if (token->kind == YK_TOKEN_NAME && !is_word(walk, at - 1, ".") &&
            !is_word(walk, at - 1, "->"))
            walk->fn(walk->context, walk->body, at, guard);
        if (is_open(token)) {
            const int end = yk_body_close_of(walk->body, at);
            if (walk->depth < DEPTH_MOST) {
                walk->depth++;
                read_operands(walk, at + 1, end - 1, guard);
                walk->depth--;
            }
            at = end - 1;
        }
    }
}

/* The tokens have no `,`, `?` or assignment. The second operand of `a && b` is under the condition
 * of the first.
 */
static void read_logic(struct walk *walk, int first, int last, const struct yk_guard *guard)
{
    static const char *const logic[][2] = { { "||", NULL }, { "&&", NULL } };
    for (int l = 0; l < 2; l++) {
        int at = yk_body_find_last(walk->body, first, last, logic[l]);
        for (; at >= 0; at = yk_body_find_last(walk->body, first, last, logic[l])) {
            struct yk_guard right = *guard;
            yk_guard_add(walk->body, (struct yk_token_span){ first, at }, l == 1, &right);
            read_names(walk, at + 1, last, &right);
            last = at;
        }
    }
    read_names(walk, first, last, guard);
}

/* The `:` that belongs to the `?` at `at`; `last` if there is none. */
static int find_colon(const struct walk *walk, int at, int last)
{
    int open = 0;
    for (; at < last; at++) {
        open += is_word(walk, at, "?");
        if (is_word(walk, at, ":") && --open == 0)
            return at;
        if (is_open(&walk->body->tokens[at]))
            at = yk_body_close_of(walk->body, at) - 1;
    }
    return last;
}

/* The tokens have no `,` or assignment. */
static void read_ternary(struct walk *walk, int first, int last, const struct yk_guard *guard)
{
    struct yk_guard yes = *guard, no = *guard;
    int at = first;
    while (at < last && !is_word(walk, at, "?"))
        at = is_open(&walk->body->tokens[at]) ? yk_body_close_of(walk->body, at) : at + 1;
    if (at >= last || walk->depth >= DEPTH_MOST) {
        read_logic(walk, first, last, guard);
        return;
    }
    const int colon = find_colon(walk, at, last);
    walk->depth++;
    yk_guard_add(walk->body, (struct yk_token_span){ first, at }, 1, &yes);
    yk_guard_add(walk->body, (struct yk_token_span){ first, at }, 0, &no);
    read_logic(walk, first, at, guard);
    read_ternary(walk, at + 1, colon, &yes);
    if (colon < last)
        read_ternary(walk, colon + 1, last, &no);
    walk->depth--;
}

static int separates(const struct walk *walk, int at)
{
    static const char *const signs[] = { ",",  ";",  "=",  "+=", "-=",  "*=",  "/=",
                                         "%=", "&=", "|=", "^=", "<<=", ">>=", "return" };
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (is_word(walk, at, signs[s]))
            return 1;
    return 0;
}

static void read_operands(struct walk *walk, int first, int last, const struct yk_guard *guard)
{
    int at = first;
    while (at < last) {
        if (separates(walk, at)) {
            read_ternary(walk, first, at, guard);
            first = at + 1;
        }
        at = is_open(&walk->body->tokens[at]) ? yk_body_close_of(walk->body, at) : at + 1;
    }
    read_ternary(walk, first, last, guard);
}

static int end_of_expression(const struct walk *walk, int at)
{
    const struct yk_body *body = walk->body;
    while (at < body->count && !is_word(walk, at, ";") && !is_word(walk, at, "}"))
        at = is_open(&body->tokens[at]) ? yk_body_close_of(body, at) : at + 1;
    return at;
}

static int read_statement(struct walk *walk, int at, struct yk_guard *guard);

/* `if (...)`, `while (...)`, `switch (...)`: reads the bracket; returns the token after it. 0:
 * there is no bracket.
 */
static int read_head(struct walk *walk, int at, const struct yk_guard *guard)
{
    if (!is_word(walk, at + 1, "("))
        return 0;
    const int end = yk_body_close_of(walk->body, at + 1);
    read_operands(walk, at + 2, end - 1, guard);
    return end;
}

static int read_if(struct walk *walk, int at, struct yk_guard *guard)
{
    struct yk_guard yes = *guard, no = *guard;
    const int first = at + 2, end = read_head(walk, at, guard), jumps = walk->jumps;
    int left;
    if (!end)
        return at + 1;
    yk_guard_add(walk->body, (struct yk_token_span){ first, end - 1 }, 1, &yes);
    yk_guard_add(walk->body, (struct yk_token_span){ first, end - 1 }, 0, &no);
    at = read_statement(walk, end, &yes);
    left = walk->jumps - jumps;
    if (is_word(walk, at, "else")) {
        struct yk_guard otherwise = no;
        const int before = walk->jumps;
        at = read_statement(walk, at + 1, &otherwise);
        if (walk->jumps > before)
            yk_guard_add(walk->body, (struct yk_token_span){ first, end - 1 }, 1, guard);
    }
    if (left)
        yk_guard_join(guard, &no);
    return at;
}

/* What follows a loop that may return is reached under conditions of later iterations. */
static int read_turns(struct walk *walk, int at, struct yk_guard *inside, struct yk_guard *guard)
{
    const int returns = walk->returns, jumps = walk->jumps;
    at = read_statement(walk, at, inside);
    guard->unsure |= walk->returns > returns;
    walk->jumps = jumps + (walk->returns - returns); /* break and continue end here */
    return at;
}

/* Adds the condition that the loop has an iteration: it holds for its counter's first value. */
static void add_entry(struct walk *walk, int head, struct yk_token_span condition,
                      struct yk_guard *inside)
{
    struct yk_body *body = walk->body;
    const uint64_t at_end = body->at_end;
    const int counter = yk_counter_of(body, head);
    if (counter >= 0)
        body->at_end &= ~(UINT64_C(1) << counter);
    yk_guard_add(body, condition, 1, inside);
    body->at_end = at_end;
}

static int read_for(struct walk *walk, int at, struct yk_guard *guard)
{
    struct yk_guard inside = *guard;
    const int open = at + 1,
              end = is_word(walk, open, "(") ? yk_body_close_of(walk->body, open) : 0;
    if (!end)
        return at + 1;
    const int first = end_of_expression(walk, open + 1);
    const int second = end_of_expression(walk, first + 1);
    if (first >= end || second >= end)
        return end;
    read_operands(walk, open + 1, first, guard);
    read_operands(walk, first + 1, second, guard);
    if (second > first + 1)
        add_entry(walk, open, (struct yk_token_span){ first + 1, second }, &inside);
    struct yk_guard turned = inside;
    turned.unsure = 1; /* there may be only one iteration */
    read_operands(walk, second + 1, end - 1, &turned);
    return read_turns(walk, end, &inside, guard);
}

static int read_while(struct walk *walk, int at, struct yk_guard *guard)
{
    struct yk_guard inside = *guard;
    const int end = read_head(walk, at, guard);
    if (!end)
        return at + 1;
    yk_guard_add(walk->body, (struct yk_token_span){ at + 2, end - 1 }, 1, &inside);
    return read_turns(walk, end, &inside, guard);
}

static int read_switch(struct walk *walk, int at, struct yk_guard *guard)
{
    struct yk_guard inside = *guard;
    const int end = read_head(walk, at, guard);
    inside.unsure = 1;
    return end ? read_turns(walk, end, &inside, guard) : at + 1;
}

static int read_block(struct walk *walk, int at, struct yk_guard *guard)
{
    while (at < walk->body->count && !is_word(walk, at, "}"))
        at = read_statement(walk, at, guard);
    return at + 1;
}

static int read_simple(struct walk *walk, int at, struct yk_guard *guard)
{
    const int returns = is_word(walk, at, "return") || is_word(walk, at, "goto");
    const int jumps = returns || is_word(walk, at, "break") || is_word(walk, at, "continue");
    const int end = end_of_expression(walk, at);
    read_operands(walk, at, end, guard);
    walk->returns += returns;
    walk->jumps += jumps;
    guard->unsure |= jumps != 0;
    return end + 1;
}

/* Reads one statement. Returns the token after it, which is always behind `at`. */
static int read_statement(struct walk *walk, int at, struct yk_guard *guard)
{
    int end;
    if (walk->depth >= DEPTH_MOST)
        return walk->body->count;
    walk->depth++;
    if (is_word(walk, at, "{"))
        end = read_block(walk, at + 1, guard);
    else if (is_word(walk, at, "if"))
        end = read_if(walk, at, guard);
    else if (is_word(walk, at, "for"))
        end = read_for(walk, at, guard);
    else if (is_word(walk, at, "while"))
        end = read_while(walk, at, guard);
    else if (is_word(walk, at, "switch"))
        end = read_switch(walk, at, guard);
    else if (is_word(walk, at, "do"))
        end = read_turns(walk, at + 1, guard, guard);
    else
        end = read_simple(walk, at, guard);
    walk->depth--;
    return end;
}

void yk_body_walk(struct yk_body *body, yk_use_fn *fn, void *context)
{
    struct walk walk = { .body = body, .fn = fn, .context = context };
    struct yk_guard guard = { 0 };
    int at = 0;
    while (at < body->count)
        at = read_statement(&walk, at, &guard);
}
