/* bounds.c - see bounds.h: interval arithmetic of integers. */
#include "bounds.h"

#include <stddef.h>

#include "../base/alloc.h"

/* Bounds of values that are unknown, or whose computation may overflow 32 bits. They never fit, so
 * only a cut may have them as an operand. */
static const struct yk_bounds nowhere = { INT64_MIN / 2, INT64_MAX / 2 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int yk_bounds_fit(struct yk_bounds bounds)
{
    return bounds.low >= INT32_MIN && bounds.high <= INT32_MAX;
}

static struct yk_bounds of_four(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return (struct yk_bounds){ least(least(a, b), least(c, d)), most(most(a, b), most(c, d)) };
}

static struct yk_bounds multiply(struct yk_bounds a, struct yk_bounds b)
{
    return of_four(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

/* A division by 0 has no bounds: programs must not do it. */
static struct yk_bounds divide(struct yk_bounds a, struct yk_bounds b)
{
    if (b.low > 0 || b.high < 0)
        return of_four(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
    const int64_t far = most(a.high, -a.low);
    if (b.low >= 0)
        return (struct yk_bounds){ least(a.low, 0), most(a.high, 0) };
    return (struct yk_bounds){ -far, far };
}

/* INT32_MIN % -1 is 0, but its division overflows 32 bits. */
static struct yk_bounds remainder_of(struct yk_bounds a, struct yk_bounds b)
{
    if (!yk_bounds_fit(divide(a, b)))
        return nowhere;
    const int64_t below = most(most(b.high, -b.low) - 1, 0);
    return (struct yk_bounds){ a.low < 0 ? most(a.low, -below) : 0,
                               a.high > 0 ? least(a.high, below) : 0 };
}

static struct yk_bounds shift(struct yk_bounds a, struct yk_bounds b, int left)
{
    if (b.low < 0 || b.high > 31 || (left && a.low < 0))
        return nowhere;
    if (left)
        return (struct yk_bounds){ a.low << b.low, a.high << b.high };
    return of_four(a.low >> b.low, a.low >> b.high, a.high >> b.low, a.high >> b.high);
}

/* The least 2^n - 1 that is at least `value` >= 0. */
static int64_t ones(int64_t value)
{
    int64_t all = 0;
    while (all < value)
        all = 2 * all + 1;
    return all;
}

static struct yk_bounds and_of(struct yk_bounds a, struct yk_bounds b)
{
    if (a.low >= 0 && b.low >= 0)
        return (struct yk_bounds){ 0, least(a.high, b.high) };
    if (a.low >= 0 || b.low >= 0)
        return (struct yk_bounds){ 0, a.low >= 0 ? a.high : b.high };
    return (struct yk_bounds){ INT32_MIN, INT32_MAX };
}

static struct yk_bounds or_of(struct yk_bounds a, struct yk_bounds b)
{
    if (a.low >= 0 && b.low >= 0)
        return (struct yk_bounds){ 0, ones(most(a.high, b.high)) };
    return (struct yk_bounds){ INT32_MIN, INT32_MAX };
}

static struct yk_bounds of_leaf(const struct yk_bounds_node *node,
                                const struct yk_bounds_place *place)
{
    if (node->op == YK_BOUNDS_FIXED)
        return node->range;
    if (node->op == YK_BOUNDS_INDEX)
        return place->index[node->a];
    const int64_t value = node->op == YK_BOUNDS_SIZE ? place->size[node->a] : place->value[node->a];
    return (struct yk_bounds){ value, value };
}

/* The bounds of a counter are those during an iteration: if there is none, it is not used. */
static struct yk_bounds of_one(const struct yk_bounds_node *node, struct yk_bounds a,
                               struct yk_bounds b)
{
    switch (node->op) {
    case YK_BOUNDS_NEGATE:
        return (struct yk_bounds){ -a.high, -a.low };
    case YK_BOUNDS_COMPLEMENT:
        return (struct yk_bounds){ -a.high - 1, -a.low - 1 };
    case YK_BOUNDS_CUT:
        return a.low >= node->range.low && a.high <= node->range.high ? a : node->range;
    case YK_BOUNDS_UP:
        return (struct yk_bounds){ a.low, most(a.low, b.high - 1) };
    case YK_BOUNDS_DOWN:
        return (struct yk_bounds){ least(a.high, b.low + 1), a.high };
    default:
        return (struct yk_bounds){ least(a.low, b.low), most(a.high, b.high) };
    }
}

static struct yk_bounds of_two(const struct yk_bounds_node *node, struct yk_bounds a,
                               struct yk_bounds b)
{
    switch (node->op) {
    case YK_BOUNDS_ADD:
        return (struct yk_bounds){ a.low + b.low, a.high + b.high };
    case YK_BOUNDS_SUBTRACT:
        return (struct yk_bounds){ a.low - b.high, a.high - b.low };
    case YK_BOUNDS_MULTIPLY:
        return multiply(a, b);
    case YK_BOUNDS_DIVIDE:
        return divide(a, b);
    case YK_BOUNDS_REMAINDER:
        return remainder_of(a, b);
    case YK_BOUNDS_SHIFT_LEFT:
    case YK_BOUNDS_SHIFT_RIGHT:
        return shift(a, b, node->op == YK_BOUNDS_SHIFT_LEFT);
    case YK_BOUNDS_AND:
        return and_of(a, b);
    case YK_BOUNDS_OR:
        return or_of(a, b);
    default:
        return of_one(node, a, b);
    }
}

static int has_operands(const struct yk_bounds_node *node)
{
    return node->op >= YK_BOUNDS_ADD;
}

static struct yk_bounds bounds_of(const struct yk_bounds_list *list,
                                  const struct yk_bounds_node *node,
                                  const struct yk_bounds_place *place)
{
    if (!has_operands(node))
        return of_leaf(node, place);
    return of_two(node, list->nodes[node->a].is, list->nodes[node->b].is);
}

/* JOIN is none, because the choice may depend on anything. */
static int is_constant(const struct yk_bounds_list *list, const struct yk_bounds_node *node)
{
    if (!has_operands(node))
        return node->op == YK_BOUNDS_FIXED && node->range.low == node->range.high;
    return node->op != YK_BOUNDS_JOIN && list->nodes[node->a].is_constant &&
           list->nodes[node->b].is_constant;
}

/* An equal node; -1: there is none. Bodies often name the same element several times. */
static int find_node(const struct yk_bounds_list *list, const struct yk_bounds_node *node)
{
    for (int n = list->count - 1; n >= 0; n--) {
        const struct yk_bounds_node *other = &list->nodes[n];
        if (other->op == node->op && other->a == node->a && other->b == node->b &&
            other->range.low == node->range.low && other->range.high == node->range.high)
            return n;
    }
    return -1;
}

int yk_bounds_add(struct yk_bounds_list *list, const struct yk_bounds_node *node,
                  const struct yk_bounds_place *place)
{
    const int known = find_node(list, node);
    if (known >= 0) {
        list->nodes[known].must |= node->must;
        return known;
    }
    if (list->count == list->room) {
        const int room = list->room ? 2 * list->room : 32;
        struct yk_bounds_node *more = yk_realloc(list->nodes, (size_t)room, sizeof *more);
        if (!more)
            return -1;
        list->nodes = more;
        list->room = room;
    }
    list->nodes[list->count] = *node;
    list->nodes[list->count].is = bounds_of(list, node, place);
    list->nodes[list->count].is_constant = is_constant(list, node);
    return list->count++;
}

/* Marks the operands of kept nodes as kept: 2 in `must`. */
static void mark_operands(struct yk_bounds_list *list)
{
    for (int n = list->count - 1; n >= 0; n--) {
        const struct yk_bounds_node *node = &list->nodes[n];
        if (!node->must || !has_operands(node))
            continue;
        list->nodes[node->a].must |= 2;
        list->nodes[node->b].must |= 2;
    }
}

int yk_bounds_prune(struct yk_bounds_list *list)
{
    int kept = 0, *number = yk_calloc((size_t)list->count + 1, sizeof *number);
    if (!number)
        return 0;
    mark_operands(list);
    list->values = 0;
    for (int n = 0; n < list->count; n++) {
        struct yk_bounds_node node = list->nodes[n];
        if (!node.must)
            continue;
        node.must &= 1;
        if (has_operands(&node)) {
            node.a = number[node.a];
            node.b = number[node.b];
        } else if (node.op == YK_BOUNDS_VALUE) {
            list->values |= UINT32_C(1) << node.a;
        }
        number[n] = kept;
        list->nodes[kept++] = node;
    }
    list->count = kept;
    yk_free(number);
    return 1;
}

int yk_bounds_hold(struct yk_bounds_list *list, const struct yk_bounds_place *place)
{
    for (int n = 0; n < list->count; n++) {
        struct yk_bounds_node *node = &list->nodes[n];
        node->is = bounds_of(list, node, place);
        if (node->must && !yk_bounds_fit(node->is))
            return 0;
    }
    return 1;
}

void yk_bounds_close(struct yk_bounds_list *list)
{
    yk_free(list->nodes);
    *list = (struct yk_bounds_list){ 0 };
}
