/* narrow_scope.c - the meaning of names: variables and types in scopes, the innermost last. */
#include <string.h>

#include "../base/alloc.h"
#include "narrowing.h"

enum { DEPTH_MOST = 128, VARIABLES_MOST = 4096 };

int yk_narrowing_is(const struct yk_narrowing *n, int at, const char *word)
{
    return at >= 0 && at < n->end && yk_token_is(&n->text.tokens[at], word);
}

int yk_narrowing_is_one(const struct yk_narrowing *n, int at, const char *const *words)
{
    for (int w = 0; words[w]; w++)
        if (yk_narrowing_is(n, at, words[w]))
            return 1;
    return 0;
}

int yk_narrowing_is_name(const struct yk_narrowing *n, int at)
{
    return at < n->end && n->text.tokens[at].kind == YK_TOKEN_NAME;
}

void yk_narrowing_fail(struct yk_narrowing *n)
{
    n->failed = 1;
    n->at = n->end;
}

void yk_narrowing_expect(struct yk_narrowing *n, const char *word)
{
    if (yk_narrowing_is(n, n->at, word))
        n->at++;
    else
        yk_narrowing_fail(n);
}

void yk_narrowing_skip_bracket(struct yk_narrowing *n)
{
    n->at = yk_body_close_of(&n->text, n->at);
    if (n->at > n->end)
        yk_narrowing_fail(n);
}

int yk_narrowing_enter(struct yk_narrowing *n)
{
    if (++n->depth <= DEPTH_MOST && !n->failed)
        return 1;
    yk_narrowing_fail(n);
    return 0;
}

void yk_narrowing_leave(struct yk_narrowing *n)
{
    n->depth--;
}

int yk_narrowing_find(const struct yk_narrowing *n, const struct yk_token *name)
{
    for (int v = n->variable_count - 1; v >= 0; v--) {
        const struct yk_token *other = &n->variables[v].name;
        if (other->length == name->length &&
            memcmp(other->text, name->text, (size_t)name->length) == 0)
            return v;
    }
    return -1;
}

struct yk_named *yk_narrowing_declare(struct yk_narrowing *n, int at, int type_at,
                                      const struct yk_type *type)
{
    if (n->variable_count == n->variable_room) {
        const int room = n->variable_room ? 2 * n->variable_room : 32;
        struct yk_named *more =
            room > VARIABLES_MOST ? NULL : yk_realloc(n->variables, (size_t)room, sizeof *more);
        if (!more) {
            yk_narrowing_fail(n);
            return &n->nowhere;
        }
        n->variables = more;
        n->variable_room = room;
    }
    struct yk_named *variable = &n->variables[n->variable_count++];
    const struct yk_value value = yk_narrowing_of_type(n, type);
    *variable = (struct yk_named){ .name = n->text.tokens[at],
                                   .at = at,
                                   .type_at = type_at,
                                   .type = *type,
                                   .kind = value.kind,
                                   .node = value.node };
    return variable;
}

static void learn(struct yk_narrowing *n, int at, int what)
{
    n->again |= !(n->known[at] & what);
    n->known[at] |= (unsigned char)what;
}

void yk_narrowing_keep_wide(struct yk_narrowing *n, int type_at)
{
    learn(n, type_at, YK_KNOWN_WIDE);
}

void yk_narrowing_set_changed(struct yk_narrowing *n, const struct yk_value *value)
{
    if (value->variable < 0)
        return;
    const struct yk_named *variable = &n->variables[value->variable];
    learn(n, variable->at, YK_KNOWN_CHANGED);
    if (variable->counts_at)
        learn(n, variable->counts_at, YK_KNOWN_CHANGED);
}

void yk_narrowing_keep_all_wide(struct yk_narrowing *n, int first, int behind)
{
    for (int at = first; at < behind && at < n->end; at++) {
        const int v = yk_narrowing_is_name(n, at) ? yk_narrowing_find(n, &n->text.tokens[at]) : -1;
        if (v >= 0 && n->variables[v].kind == YK_KIND_NARROW)
            yk_narrowing_keep_wide(n, n->variables[v].type_at);
    }
}

int yk_narrowing_is_enum_list(const struct yk_narrowing *n)
{
    return yk_narrowing_is(n, n->at, "enum") &&
           (yk_narrowing_is(n, n->at + 1, "{") || yk_narrowing_is(n, n->at + 2, "{"));
}

/* NAME or NAME = VALUE. *next becomes the value, if it is known. */
static void read_enumerator(struct yk_narrowing *n, struct yk_bounds *next)
{
    const int at = n->at++, nodes = n->bounds.count;
    if (!yk_narrowing_is_name(n, at)) {
        yk_narrowing_fail(n);
        return;
    }
    if (yk_narrowing_is(n, n->at, "=")) {
        n->at++;
        const struct yk_value value = yk_narrowing_assignment(n);
        *next = !n->failed && yk_value_is_counted(&value) ? n->bounds.nodes[value.node].is
                                                          : yk_narrowing_int;
        n->bounds.count = nodes;
    }
    const struct yk_type type = { .is = next->low == next->high && yk_bounds_fit(*next)
                                            ? YK_CLASS_INT
                                            : YK_CLASS_OTHER,
                                  .range = *next };
    yk_narrowing_declare(n, at, at, &type)->is_constant = type.is == YK_CLASS_INT;
    if (next->low == next->high)
        next->low = ++next->high;
}

void yk_narrowing_read_enum(struct yk_narrowing *n)
{
    struct yk_bounds next = { 0, 0 };
    while (!yk_narrowing_is(n, n->at, "{"))
        n->at++;
    n->at++;
    while (n->at < n->end && !yk_narrowing_is(n, n->at, "}")) {
        read_enumerator(n, &next);
        if (!yk_narrowing_is(n, n->at, "}"))
            yk_narrowing_expect(n, ",");
    }
    yk_narrowing_expect(n, "}");
}

/* The type that it names is known only if it is one word. */
static void read_typedef(struct yk_narrowing *n)
{
    struct yk_type type = { .is = YK_CLASS_OTHER };
    const int first = ++n->at;
    int name = -1;
    if (yk_narrowing_is_enum_list(n))
        yk_narrowing_read_enum(n);
    while (n->at < n->end && !yk_narrowing_is(n, n->at, ";")) {
        if (yk_narrowing_is(n, n->at, "{") || yk_narrowing_is(n, n->at, "[") ||
            yk_narrowing_is(n, n->at, "(")) {
            yk_narrowing_skip_bracket(n);
            continue;
        }
        if (yk_narrowing_is_name(n, n->at))
            name = n->at;
        n->at++;
    }
    if (name < 0 || n->failed)
        return;
    if (name == first + 1 && yk_narrowing_is(n, name + 1, ";")) {
        const int behind = n->at;
        n->at = first;
        yk_narrowing_read_type(n, &type);
        n->at = behind;
    }
    yk_narrowing_declare(n, name, name, &type)->is_type = 1;
}

void yk_narrowing_read_outside(struct yk_narrowing *n, int behind)
{
    n->end = behind;
    n->at = 0;
    while (n->at < behind && !n->failed) {
        if (yk_narrowing_is(n, n->at, "typedef"))
            read_typedef(n);
        else if (yk_narrowing_is_enum_list(n))
            yk_narrowing_read_enum(n);
        else if (yk_narrowing_is(n, n->at, "{") || yk_narrowing_is(n, n->at, "("))
            yk_narrowing_skip_bracket(n);
        else
            n->at++;
    }
}
