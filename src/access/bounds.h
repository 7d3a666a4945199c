/* bounds.h - the bounds of a body's integers, as a list of operations that is evaluated with the
 * numbers of a launch.
 *
 * A body that computes indexes in 32 bits (narrow.h) is right for a launch if all nodes that must
 * fit are within int32_t. Each node comes after its operands. Operands fit into 32 bits, or are cut
 * to them, so no result exceeds 64 bits.
 */
#ifndef YK_ACCESS_BOUNDS_H
#define YK_ACCESS_BOUNDS_H

#include <stdint.h>
#include <yoke/job.h>

struct yk_bounds { /* both inclusive */
    int64_t low, high;
};

enum yk_bounds_op {
    YK_BOUNDS_FIXED, /* `range` */
    YK_BOUNDS_INDEX, /* i, j or k: number `a` */
    YK_BOUNDS_SIZE,  /* of the second or third dimension: number `a` */
    YK_BOUNDS_VALUE, /* the value of parameter `a` */
    YK_BOUNDS_ADD,
    YK_BOUNDS_SUBTRACT,
    YK_BOUNDS_MULTIPLY,
    YK_BOUNDS_DIVIDE,
    YK_BOUNDS_REMAINDER,
    YK_BOUNDS_SHIFT_LEFT,
    YK_BOUNDS_SHIFT_RIGHT,
    YK_BOUNDS_AND,
    YK_BOUNDS_OR, /* also exclusive or */
    YK_BOUNDS_NEGATE,
    YK_BOUNDS_COMPLEMENT,
    YK_BOUNDS_JOIN, /* either of the two */
    YK_BOUNDS_CUT,  /* a if it lies in `range`, otherwise `range` */
    YK_BOUNDS_UP,   /* counts up from a, as long as it is below b */
    YK_BOUNDS_DOWN  /* counts down from a, as long as it is above b */
};

struct yk_bounds_node {
    enum yk_bounds_op op;
    int a, b; /* numbers of earlier nodes (b = a if there is one operand), or as described above */
    int must; /* 1: must fit into int32_t */
    int is_constant; /* 1: made of constants, and of counters that run between constants, alone */
    struct yk_bounds range;
    struct yk_bounds is; /* result of the latest evaluation */
};

/* The numbers of a launch. */
struct yk_bounds_place {
    struct yk_bounds index[3];
    int64_t size[2];
    int64_t value[YOKE_ARGS_MAX]; /* of integer parameters that the list uses */
};

struct yk_bounds_list {
    struct yk_bounds_node *nodes;
    int count, room;
    uint32_t values; /* bit p: the list uses the value of parameter p */
};

/* Adds the node, evaluated with `place`, or finds an equal one. Returns its number; -1: no
 * memory. */
int yk_bounds_add(struct yk_bounds_list *list, const struct yk_bounds_node *node,
                  const struct yk_bounds_place *place);
int yk_bounds_fit(struct yk_bounds bounds); /* into int32_t */
/* Keeps only nodes that must fit and those that they depend on. Returns 0 if there is no memory. */
int yk_bounds_prune(struct yk_bounds_list *list);
/* Returns 1 if all nodes with `must` fit. Writes `is` of the nodes, so only one thread at a time
 * may call it. Takes some ns per node. */
int yk_bounds_hold(struct yk_bounds_list *list, const struct yk_bounds_place *place);
void yk_bounds_close(struct yk_bounds_list *list);

#endif
