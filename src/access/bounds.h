/* bounds.h - between which numbers the integers of a body lie, as a list of operations that is
 * evaluated with the numbers of a launch.
 *
 * A body that computes indexes in 32 bits (narrow.h) is right for a launch if all nodes that must
 * fit lie in int32_t. Each node stands behind its operands. Operands fit into 32 bits, or are cut
 * to them, so no result leaves 64.
 */
#ifndef YK_ACCESS_BOUNDS_H
#define YK_ACCESS_BOUNDS_H

#include <stdint.h>
#include <yoke/job.h>

struct yk_bounds { /* both included */
    int64_t low, high;
};

enum yk_bounds_op {
    YK_BOUNDS_FIXED, /* `range` */
    YK_BOUNDS_INDEX, /* i, j or k: number `a` */
    YK_BOUNDS_SIZE,  /* of the second or third dimension: number `a` */
    YK_BOUNDS_VALUE, /* of parameter `a` */
    YK_BOUNDS_ADD,
    YK_BOUNDS_SUBTRACT,
    YK_BOUNDS_MULTIPLY,
    YK_BOUNDS_DIVIDE,
    YK_BOUNDS_REMAINDER,
    YK_BOUNDS_SHIFT_LEFT,
    YK_BOUNDS_SHIFT_RIGHT,
    YK_BOUNDS_AND,
    YK_BOUNDS_OR, /* and exclusive or */
    YK_BOUNDS_NEGATE,
    YK_BOUNDS_COMPLEMENT,
    YK_BOUNDS_JOIN, /* one or the other */
    YK_BOUNDS_CUT,  /* a if it lies in `range`, else `range` */
    YK_BOUNDS_UP,   /* counts from a on, as long as it is below b */
    YK_BOUNDS_DOWN  /* counts down from a on, as long as it is above b */
};

struct yk_bounds_node {
    enum yk_bounds_op op;
    int a, b; /* numbers of nodes before it (b = a where there is one), or as said above */
    int must; /* fit into int32_t */
    struct yk_bounds range;
    struct yk_bounds is; /* by the latest evaluation */
};

/* What a launch says. */
struct yk_bounds_place {
    struct yk_bounds index[3];
    int64_t size[2];
    int64_t value[YOKE_ARGS_MAX]; /* of integer parameters that the list names */
};

struct yk_bounds_list {
    struct yk_bounds_node *nodes;
    int count, room;
    uint32_t values; /* bit p: the value of parameter p is named */
};

/* Number of the node, evaluated with `place`, new or an equal one; -1: no memory. */
int yk_bounds_add(struct yk_bounds_list *list, const struct yk_bounds_node *node,
                  const struct yk_bounds_place *place);
int yk_bounds_fit(struct yk_bounds bounds); /* into int32_t */
/* Leave out what no node that must fit depends on. 0: no memory. */
int yk_bounds_prune(struct yk_bounds_list *list);
/* Whether all fit that must. Writes `is` of the nodes: one thread at a time. Some ns a
 * node. */
int yk_bounds_hold(struct yk_bounds_list *list, const struct yk_bounds_place *place);
void yk_bounds_close(struct yk_bounds_list *list);

#endif
