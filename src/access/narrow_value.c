/* narrow_value.c - the results of operations on values: which stay in 32 bits, and where a narrow
 * value has to be converted to int64_t.
 */
#include "narrowing.h"

int yk_narrowing_node(struct yk_narrowing *n, enum yk_bounds_op op, int a, int b)
{
    const struct yk_bounds_node node = { .op = op, .a = a, .b = b };
    const int number = n->failed ? -1 : yk_bounds_add(&n->bounds, &node, &n->usual);
    if (number < 0)
        yk_narrowing_fail(n);
    return number;
}

static int ranged_node(struct yk_narrowing *n, enum yk_bounds_op op, int a, struct yk_bounds range)
{
    const struct yk_bounds_node node = { .op = op, .a = a, .b = a, .range = range };
    const int number = n->failed ? -1 : yk_bounds_add(&n->bounds, &node, &n->usual);
    if (number < 0)
        yk_narrowing_fail(n);
    return number;
}

int yk_narrowing_fixed(struct yk_narrowing *n, struct yk_bounds range)
{
    return ranged_node(n, YK_BOUNDS_FIXED, 0, range);
}

int yk_narrowing_cut(struct yk_narrowing *n, int a, struct yk_bounds range)
{
    return ranged_node(n, YK_BOUNDS_CUT, a, range);
}

int yk_narrowing_converted(struct yk_narrowing *n, int a, const struct yk_type *to)
{
    const int has_sign = to->range.low < 0, is_char = has_sign && to->range.high == UINT8_MAX;
    return is_char ? yk_narrowing_fixed(n, to->range) : yk_narrowing_cut(n, a, to->range);
}

int yk_value_is_counted(const struct yk_value *value)
{
    return value->kind == YK_KIND_INT || value->kind == YK_KIND_NARROW;
}

struct yk_value yk_narrowing_of_type(struct yk_narrowing *n, const struct yk_type *type)
{
    struct yk_value value = { .kind = YK_KIND_OTHER, .variable = -1, .type = *type };
    if (type->levels == 0 && type->is == YK_CLASS_REAL)
        value.kind = YK_KIND_REAL;
    if (type->levels == 0 && type->is == YK_CLASS_INT) {
        value.kind = YK_KIND_INT;
        value.node = yk_narrowing_fixed(n, type->range);
    }
    return value;
}

void yk_narrowing_use(struct yk_narrowing *n, const struct yk_value *value)
{
    if (value->variable >= 0 && value->kind == YK_KIND_NARROW)
        n->marks[n->variables[value->variable].type_at] |= YK_MARK_USED;
}

void yk_narrowing_settle(struct yk_narrowing *n, struct yk_value *value)
{
    if (value->kind != YK_KIND_NARROW || n->failed)
        return;
    if (n->opens[value->first] == UINT8_MAX || n->closes[value->behind - 1] == UINT8_MAX) {
        yk_narrowing_fail(n);
        return;
    }
    n->opens[value->first]++;
    n->closes[value->behind - 1]++;
    n->gains -= value->gains;
    value->gains = 0;
    value->kind = YK_KIND_OTHER;
    value->variable = -1;
}

/* The result of an operation: not a place, not a variable. */
static struct yk_value result_of(const struct yk_value *a, const struct yk_value *b,
                                 enum yk_kind kind, int node)
{
    return (struct yk_value){ .kind = kind,
                              .node = node,
                              .first = a->first,
                              .behind = b->behind,
                              .variable = -1,
                              .gains = kind != YK_KIND_NARROW ? 0
                                       : a == b               ? a->gains
                                                              : a->gains + b->gains };
}

static struct yk_value truth_of(struct yk_narrowing *n, const struct yk_value *a,
                                const struct yk_value *b)
{
    return result_of(a, b, YK_KIND_INT, yk_narrowing_fixed(n, (struct yk_bounds){ 0, 1 }));
}

/* A node that must fit; -1: for usual sizes it would not. */
static int fitting_node(struct yk_narrowing *n, enum yk_bounds_op op, int a, int b)
{
    const int count = n->bounds.count, node = yk_narrowing_node(n, op, a, b);
    if (node >= 0 && yk_bounds_fit(n->bounds.nodes[node].is)) {
        n->bounds.nodes[node].must = 1;
        return node;
    }
    n->bounds.count = count;
    return -1;
}

static int is_fixed(const struct yk_narrowing *n, const struct yk_value *value)
{
    return n->bounds.nodes[value->node].op == YK_BOUNDS_FIXED;
}

static const struct {
    const char *sign;
    enum yk_bounds_op op;
} operations[] = { { "+", YK_BOUNDS_ADD },          { "-", YK_BOUNDS_SUBTRACT },
                   { "*", YK_BOUNDS_MULTIPLY },     { "/", YK_BOUNDS_DIVIDE },
                   { "%", YK_BOUNDS_REMAINDER },    { "<<", YK_BOUNDS_SHIFT_LEFT },
                   { ">>", YK_BOUNDS_SHIFT_RIGHT }, { "&", YK_BOUNDS_AND },
                   { "|", YK_BOUNDS_OR },           { "^", YK_BOUNDS_OR } };

/* ADD if the operator is not arithmetic. */
static enum yk_bounds_op operation_of(const struct yk_token *sign)
{
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        if (yk_token_is(sign, operations[o].sign))
            return operations[o].op;
    return YK_BOUNDS_ADD;
}

/* Both operands are NARROW, or one is NARROW and the other INT. */
static struct yk_value narrow_operation(struct yk_narrowing *n, enum yk_bounds_op op,
                                        struct yk_value a, struct yk_value b)
{
    const int in_address = op == YK_BOUNDS_ADD || op == YK_BOUNDS_SUBTRACT;
    const int node = fitting_node(n, op, a.node, b.node);
    if (node < 0) {
        yk_narrowing_settle(n, &a);
        yk_narrowing_settle(n, &b);
        return result_of(&a, &b, YK_KIND_OTHER, 0);
    }
    yk_narrowing_use(n, &a);
    yk_narrowing_use(n, &b);
    struct yk_value result = result_of(&a, &b, YK_KIND_NARROW, node);
    const int gain = !in_address || !(is_fixed(n, &a) || is_fixed(n, &b));
    n->gains += gain;
    result.gains += gain;
    return result;
}

static struct yk_value int_operation(struct yk_narrowing *n, enum yk_bounds_op op,
                                     const struct yk_value *a, const struct yk_value *b)
{
    const int node = yk_narrowing_node(n, op, a->node, b->node);
    if (node < 0)
        return result_of(a, b, YK_KIND_OTHER, 0);
    return result_of(a, b, YK_KIND_INT, yk_narrowing_cut(n, node, yk_narrowing_int));
}

/* A shift has the type of its left operand. */
static struct yk_value shift(struct yk_narrowing *n, enum yk_bounds_op op, struct yk_value a,
                             struct yk_value b)
{
    if (yk_value_is_counted(&a) && yk_value_is_counted(&b))
        return a.kind == YK_KIND_NARROW ? narrow_operation(n, op, a, b)
                                        : int_operation(n, op, &a, &b);
    yk_narrowing_settle(n, &a);
    yk_narrowing_settle(n, &b);
    if (a.kind == YK_KIND_INT)
        return result_of(&a, &b, YK_KIND_INT, yk_narrowing_fixed(n, yk_narrowing_int));
    return result_of(&a, &b, YK_KIND_OTHER, 0);
}

static struct yk_value arithmetic(struct yk_narrowing *n, enum yk_bounds_op op, struct yk_value a,
                                  struct yk_value b)
{
    if (yk_value_is_counted(&a) && yk_value_is_counted(&b))
        return a.kind == YK_KIND_INT && b.kind == YK_KIND_INT ? int_operation(n, op, &a, &b)
                                                              : narrow_operation(n, op, a, b);
    if (a.kind == YK_KIND_REAL || b.kind == YK_KIND_REAL) {
        const struct yk_value *other = a.kind == YK_KIND_REAL ? &b : &a;
        yk_narrowing_use(n, other);
        return result_of(&a, &b, other->kind == YK_KIND_OTHER ? YK_KIND_OTHER : YK_KIND_REAL, 0);
    }
    const struct yk_value *pointer = a.type.levels > 0 ? &a : &b;
    if ((op == YK_BOUNDS_ADD || op == YK_BOUNDS_SUBTRACT) && pointer->type.levels > 0) {
        struct yk_value moved = result_of(&a, &b, YK_KIND_OTHER, 0);
        if (a.type.levels == 0 || b.type.levels == 0)
            moved.type = pointer->type;
        return moved;
    }
    yk_narrowing_settle(n, &a);
    yk_narrowing_settle(n, &b);
    return result_of(&a, &b, YK_KIND_OTHER, 0);
}

static struct yk_value compare(struct yk_narrowing *n, struct yk_value a, struct yk_value b)
{
    if (a.kind == YK_KIND_OTHER || b.kind == YK_KIND_OTHER) {
        yk_narrowing_settle(n, &a);
        yk_narrowing_settle(n, &b);
    }
    yk_narrowing_use(n, &a);
    yk_narrowing_use(n, &b);
    return truth_of(n, &a, &b);
}

static int is_one_of(const struct yk_token *sign, const char *const *signs)
{
    for (; *signs; signs++)
        if (yk_token_is(sign, *signs))
            return 1;
    return 0;
}

struct yk_value yk_narrowing_binary(struct yk_narrowing *n, const struct yk_token *sign,
                                    struct yk_value a, struct yk_value b)
{
    static const char *const comparisons[] = { "<", ">", "<=", ">=", "==", "!=", NULL };
    static const char *const logic[] = { "&&", "||", NULL }, *const shifts[] = { "<<", ">>", NULL };
    if (n->failed)
        return result_of(&a, &b, YK_KIND_OTHER, 0);
    if (is_one_of(sign, logic))
        return truth_of(n, &a, &b);
    if (is_one_of(sign, comparisons))
        return compare(n, a, b);
    if (is_one_of(sign, shifts))
        return shift(n, operation_of(sign), a, b);
    return arithmetic(n, operation_of(sign), a, b);
}

static struct yk_value negated(struct yk_narrowing *n, enum yk_bounds_op op, struct yk_value value)
{
    const struct yk_value before = value;
    if (value.kind == YK_KIND_INT)
        return int_operation(n, op, &value, &value);
    const int node = fitting_node(n, op, value.node, value.node);
    if (node < 0)
        yk_narrowing_settle(n, &value);
    else
        yk_narrowing_use(n, &value);
    return result_of(&before, &before, node < 0 ? YK_KIND_OTHER : YK_KIND_NARROW, node);
}

/* + - ~ !; the operator's token is before the value. */
struct yk_value yk_narrowing_unary(struct yk_narrowing *n, const struct yk_token *sign,
                                   struct yk_value value)
{
    if (n->failed)
        return result_of(&value, &value, YK_KIND_OTHER, 0);
    if (yk_token_is(sign, "!"))
        return truth_of(n, &value, &value);
    if (!yk_value_is_counted(&value))
        return result_of(&value, &value, value.kind, 0);
    if (yk_token_is(sign, "+"))
        return result_of(&value, &value, value.kind, value.node);
    return negated(n, yk_token_is(sign, "-") ? YK_BOUNDS_NEGATE : YK_BOUNDS_COMPLEMENT, value);
}

struct yk_value yk_narrowing_choice(struct yk_narrowing *n, struct yk_value a, struct yk_value b)
{
    struct yk_value result = result_of(&a, &b, YK_KIND_OTHER, 0);
    if (n->failed)
        return result;
    if (yk_value_is_counted(&a) && yk_value_is_counted(&b)) {
        result.kind = a.kind == b.kind ? a.kind : YK_KIND_NARROW;
        result.gains = a.gains + b.gains;
        result.node = yk_narrowing_node(n, YK_BOUNDS_JOIN, a.node, b.node);
        yk_narrowing_use(n, &a);
        yk_narrowing_use(n, &b);
    } else if (a.kind != YK_KIND_OTHER && b.kind != YK_KIND_OTHER) {
        result.kind = YK_KIND_REAL;
    } else {
        if (a.type.levels > 0 && b.type.levels == a.type.levels)
            result.type = a.type;
        yk_narrowing_settle(n, &a);
        yk_narrowing_settle(n, &b);
    }
    return result;
}

struct yk_value yk_narrowing_cast(struct yk_narrowing *n, const struct yk_type *type, int type_at,
                                  struct yk_value value)
{
    struct yk_value result = yk_narrowing_of_type(n, type);
    result.first = value.first;
    result.behind = value.behind;
    if (type->levels == 0)
        result.type = (struct yk_type){ .is = YK_CLASS_OTHER };
    if (n->failed)
        return result;
    if (type->levels > 0 || type->is == YK_CLASS_OTHER || !yk_value_is_counted(&value)) {
        yk_narrowing_settle(n, &value);
        return result;
    }
    yk_narrowing_use(n, &value);
    if (type->is == YK_CLASS_INT)
        result.node = yk_narrowing_converted(n, value.node, type);
    if (type->is == YK_CLASS_INT64) {
        n->marks[type_at] |= YK_MARK_SHORT;
        result.kind = YK_KIND_NARROW;
        result.node = value.node;
        result.gains = value.gains;
    }
    return result;
}
