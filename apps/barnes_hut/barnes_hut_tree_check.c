/* barnes_hut_tree_check.c - checks the tree: each star is in one leaf, each cell has the mass of
 * its contents, and the root's centre of mass is that of all stars.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../bodies/gravity.h"
#include "barnes_hut_state.h"

/* The cells that the walk is in, innermost last. */
struct inside {
    struct {
        int32_t skip;
        double mass, missing; /* missing: mass not found in the children so far */
    } cells[TREE_LEVELS + 2];
    int depth;
};

static yoke_status wrong_node(int32_t k, const char *what)
{
    return app_fail(YOKE_EINVAL, "node %d of the tree %s", (int)k, what);
}

/* Leaves cells that end before node `k`; all of their mass must have been found. */
static yoke_status leave_cells(struct inside *inside, int32_t k)
{
    while (inside->depth > 0 && inside->cells[inside->depth - 1].skip == k) {
        inside->depth--;
        if (!(fabs(inside->cells[inside->depth].missing) <=
              1e-6 * inside->cells[inside->depth].mass))
            return wrong_node(k - 1, "does not complete the mass of its cell");
    }
    return YOKE_OK;
}

/* Returns 1 if the node is a leaf with this body. */
static int is_leaf_of(const node_t *node, int32_t k, const body_t *body)
{
    return node->skip == k + 1 && node->size2 == 0 && node->x == body->x && node->y == body->y &&
           node->z == body->z && node->mass == body->mass;
}

static yoke_status check_node(const struct barnes_hut_state *s, int32_t k, struct inside *inside,
                              int64_t *bodies)
{
    const node_t *node = &s->nodes[k];
    const int32_t end = inside->depth ? inside->cells[inside->depth - 1].skip : s->tree.node_count;
    const int64_t after = *bodies + node->count;
    if (node->first_body != *bodies || node->count < 1 || after > s->stars)
        return wrong_node(k, "does not begin with the next body");
    if (inside->depth)
        inside->cells[inside->depth - 1].missing -= (double)node->mass;
    if (node->count == 1)
        return is_leaf_of(node, k, &s->bodies[(*bodies)++])
                   ? YOKE_OK
                   : wrong_node(k, "is not the body that it should be");
    if (node->skip <= k + 1 || node->skip > end || inside->depth > TREE_LEVELS)
        return wrong_node(k, "does not lie in its cell");
    if (node->skip < s->tree.node_count ? s->nodes[node->skip].first_body != after
                                        : after != s->stars)
        return wrong_node(k, "does not hold the bodies that it says");
    inside->cells[inside->depth].skip = node->skip;
    inside->cells[inside->depth].mass = inside->cells[inside->depth].missing = (double)node->mass;
    inside->depth++;
    return YOKE_OK;
}

/* Checks that each star is in the tree exactly once. */
static yoke_status check_names(const struct barnes_hut_state *s)
{
    char *seen;
    int64_t i;
    yoke_status status = app_alloc("a list of stars", s->stars, 1, (void **)&seen);
    if (status != YOKE_OK)
        return status;
    memset(seen, 0, (size_t)s->stars);
    for (i = 0; i < s->stars && status == YOKE_OK; i++) {
        const int32_t id = s->ids[i];
        if (id < 0 || id >= s->stars || seen[id]++)
            status = app_fail(YOKE_EINVAL, "body %" PRId64 " of the tree is star %d again", i, id);
    }
    free(seen);
    return status;
}

static yoke_status check_root(const struct barnes_hut_state *s)
{
    const node_t *root = &s->nodes[0];
    double sum[4] = { 0 };
    int64_t i;
    int k;
    for (i = 0; i < s->stars; i++) {
        const body_t *b = &s->bodies[i];
        const double part[3] = { (double)b->x, (double)b->y, (double)b->z };
        for (k = 0; k < 3; k++)
            sum[k] += (double)b->mass * part[k];
        sum[3] += (double)b->mass;
    }
    const double centre[3] = { sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3] };
    const double at[3] = { (double)root->x, (double)root->y, (double)root->z };
    if (!(fabs((double)root->mass - sum[3]) <= 1e-6 * sum[3]) || !(fabs(sum[3] - 1) <= 1e-5))
        return app_fail(YOKE_EINVAL, "the tree's mass is %.7g, the bodies' %.7g and should be 1",
                        (double)root->mass, sum[3]);
    if (!(gravity_distance(centre, at) <=
          1e-6 * (1 + gravity_distance(centre, (const double[3]){ 0 }))))
        return app_fail(YOKE_EINVAL,
                        "the tree's centre is (%.7g, %.7g, %.7g) and should be (%.7g, %.7g, %.7g)",
                        at[0], at[1], at[2], centre[0], centre[1], centre[2]);
    return YOKE_OK;
}

yoke_status barnes_hut_check_tree(const struct barnes_hut_state *s)
{
    struct inside inside = { .depth = 0 };
    yoke_status status = YOKE_OK;
    int64_t bodies = 0;
    int32_t k;
    for (k = 0; k < s->tree.node_count && status == YOKE_OK; k++) {
        status = leave_cells(&inside, k);
        if (status == YOKE_OK)
            status = check_node(s, k, &inside, &bodies);
    }
    if (status == YOKE_OK)
        status = leave_cells(&inside, k);
    if (status == YOKE_OK && bodies != s->stars)
        status = app_fail(YOKE_EINVAL, "%" PRId64 " of %" PRId64 " bodies are in the tree", bodies,
                          s->stars);
    if (status == YOKE_OK)
        status = check_names(s);
    return status == YOKE_OK ? check_root(s) : status;
}
