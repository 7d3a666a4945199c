/* tree.c - from stars in any order to nodes in depth-first order, in six passes over the stars:
 *
 *     box      finds the cube that contains all stars
 *     keys     turns each star's position in it into a Morton key: 3 bits per level, root's first
 *     (sort)   by key: now every cell is a run of neighbours
 *     gather   copies stars into that order, and counts the cells that begin at each: those of
 *              deeper levels than it shares with its left neighbour; galloping finds their ends
 *     number   sums up these counts: star i is node i + cells that began before and at i
 *     emit     writes, for each star, the cells that begin at it, then the star itself
 *
 * Within a pass no block waits for another, so all passes run in blocks. A cell's mass is summed
 * over its stars in double precision, so each star is added once per level.
 */
#include "tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "../app.h"
#include "../cores.h"
#include "../memory.h"

/* The greatest coordinate: beyond it the cube of a distance exceeds a float. */
#define FARTHEST 1e12f
enum { STARS_A_BLOCK = 2048, BLOCKS_MAX = 128 };

struct tree_block {
    float low[3], high[3];
    int64_t lost; /* a star outside the valid range, or -1 */
    int32_t cells;
};

struct cell { /* stars first .. last - 1, which have `level` digits in common */
    int64_t first, last;
    int level;
};

yoke_status tree_open(const struct tree *from, struct tree *out)
{
    const int64_t blocks = (from->count + STARS_A_BLOCK - 1) / STARS_A_BLOCK;
    yoke_status status;
    *out = *from;
    out->blocks = blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX;
    status = sort_open(out->count, out->blocks, &out->sort);
    if (status == YOKE_OK)
        status = app_alloc("counts of cells", out->count + 1, sizeof *out->cells_before,
                           (void **)&out->cells_before);
    if (status == YOKE_OK)
        status = app_alloc("blocks", out->blocks, sizeof *out->in_block, (void **)&out->in_block);
    if (status != YOKE_OK)
        tree_close(out);
    return status;
}

void tree_close(struct tree *tree)
{
    sort_close(&tree->sort);
    free(tree->cells_before);
    free(tree->in_block);
    *tree = (struct tree){ 0 };
}

static struct cores_span span_of(const struct tree *tree, int64_t block)
{
    return cores_span(tree->count, tree->blocks, block);
}

static void find_box(void *context, int64_t block)
{
    const struct tree *tree = context;
    const struct cores_span span = span_of(tree, block);
    struct tree_block box = { { INFINITY, INFINITY, INFINITY },
                              { -INFINITY, -INFINITY, -INFINITY },
                              .lost = -1 };
    int64_t i;
    int k;
    for (i = span.first; i < span.last; i++) {
        const float at[3] = { tree->loose[i].body.x, tree->loose[i].body.y, tree->loose[i].body.z };
        for (k = 0; k < 3; k++) {
            if (!(fabsf(at[k]) <= FARTHEST)) /* also true for NaN */
                box.lost = i;
            box.low[k] = fminf(box.low[k], at[k]);
            box.high[k] = fmaxf(box.high[k], at[k]);
        }
    }
    tree->in_block[block] = box;
}

static yoke_status join_boxes(struct tree *tree)
{
    int64_t b;
    int k;
    tree->side = 0;
    for (b = 0; b < tree->blocks; b++) {
        const struct tree_block *box = &tree->in_block[b];
        if (box->lost >= 0) {
            const body_t *body = &tree->loose[box->lost].body;
            return app_fail(YOKE_EINVAL,
                            "star %" PRId64 " is at (%g, %g, %g); places are numbers of at most "
                            "%g, so take a smaller --step or a larger --softening",
                            box->lost, (double)body->x, (double)body->y, (double)body->z,
                            (double)FARTHEST);
        }
    }
    for (k = 0; k < 3; k++) {
        double high = (double)tree->in_block[0].high[k];
        tree->low[k] = (double)tree->in_block[0].low[k];
        for (b = 1; b < tree->blocks; b++) {
            tree->low[k] = fmin(tree->low[k], (double)tree->in_block[b].low[k]);
            high = fmax(high, (double)tree->in_block[b].high[k]);
        }
        tree->side = fmax(tree->side, high - tree->low[k]);
    }
    return YOKE_OK;
}

/* Moves bit n to bit 3 n. */
static uint64_t spread(uint64_t bits)
{
    bits = (bits | bits << 32) & 0x001f00000000ffff;
    bits = (bits | bits << 16) & 0x001f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
}

static void find_keys(void *context, int64_t block)
{
    const struct tree *tree = context;
    const struct cores_span span = span_of(tree, block);
    const uint64_t most = (1u << TREE_LEVELS) - 1;
    const double scale = tree->side > 0 ? (1u << TREE_LEVELS) / tree->side : 0;
    int64_t i;
    for (i = span.first; i < span.last; i++) {
        const body_t *body = &tree->loose[i].body;
        const double at[3] = { (double)body->x, (double)body->y, (double)body->z };
        uint64_t key = 0;
        int k;
        for (k = 0; k < 3; k++) {
            const uint64_t cell = (uint64_t)((at[k] - tree->low[k]) * scale);
            key = key << 1 | spread(cell < most ? cell : most);
        }
        tree->sort.items[i] = (struct sort_item){ key, i };
    }
}

static uint64_t key_of(const struct tree *tree, int64_t i)
{
    return tree->sort.items[i].key;
}

/* Returns the number of levels, besides the root, in which two stars share a cell: TREE_LEVELS if
 * their keys are equal. */
static int levels_in_common(const struct tree *tree, int64_t a, int64_t b)
{
    const uint64_t differ = key_of(tree, a) ^ key_of(tree, b);
    return differ ? (__builtin_clzll(differ) - 1) / 3 : TREE_LEVELS;
}

/* Returns the first star behind the cell, of which `first` and `level` are known. The stars before
 * `known` are known to be inside. */
static int64_t end_of(const struct tree *tree, const struct cell *cell, int64_t known)
{
    const int shift = 3 * (TREE_LEVELS - cell->level);
    const uint64_t prefix = key_of(tree, cell->first) >> shift;
    int64_t inside = known - 1, step = 1, outside;
    while (inside + step < tree->count && key_of(tree, inside + step) >> shift == prefix) {
        inside += step;
        step *= 2;
    }
    outside = inside + step < tree->count ? inside + step : tree->count;
    while (outside - inside > 1) {
        const int64_t middle = inside + (outside - inside) / 2;
        if (key_of(tree, middle) >> shift == prefix)
            inside = middle;
        else
            outside = middle;
    }
    return outside;
}

/* Finds the cells that begin at star `i`, smallest first. Returns how many they are. */
static int cells_at(const struct tree *tree, int64_t i, struct cell cells[TREE_LEVELS + 1])
{
    const int above = i > 0 ? levels_in_common(tree, i - 1, i) : -1;
    int count = 0;
    int64_t next = i + 1;
    while (next < tree->count) {
        const int level = levels_in_common(tree, i, next);
        if (level <= above)
            break;
        cells[count] = (struct cell){ i, next, level };
        next = cells[count].last = end_of(tree, &cells[count], next + 1);
        count++;
    }
    return count;
}

static void gather(void *context, int64_t block)
{
    const struct tree *tree = context;
    const struct cores_span span = span_of(tree, block);
    struct cell cells[TREE_LEVELS + 1];
    int32_t all = 0;
    int64_t i;
    for (i = span.first; i < span.last; i++) {
        const struct star *star = &tree->loose[tree->sort.items[i].from];
        const float *v = star->velocity;
        tree->bodies[i] = star->body;
        tree->velocities[i] = (vector_t){ v[0], v[1], v[2], 0 };
        tree->ids[i] = star->id;
        tree->cells_before[i] = all;
        all += cells_at(tree, i, cells);
    }
    tree->in_block[block].cells = all;
}

static void number(void *context, int64_t block)
{
    const struct tree *tree = context;
    const struct cores_span span = span_of(tree, block);
    int32_t before = 0;
    int64_t i;
    for (i = 0; i < block; i++)
        before += tree->in_block[i].cells;
    for (i = span.first; i < span.last; i++)
        tree->cells_before[i] += before;
}

static int32_t node_of_first(const struct tree *tree, int64_t star)
{
    return (int32_t)star + tree->cells_before[star];
}

/* Stars with equal keys form a cell as large as their distances: a cluster of stars at the same
 * position has size 0 and need not be opened. */
static double side_of(const struct tree *tree, const struct cell *cell)
{
    const body_t *bodies = tree->bodies, *first = &bodies[cell->first];
    float side = 0;
    int64_t i;
    if (cell->level < TREE_LEVELS)
        return ldexp(tree->side, -cell->level);
    for (i = cell->first + 1; i < cell->last; i++) {
        side = fmaxf(side, fabsf(bodies[i].x - first->x));
        side = fmaxf(side, fabsf(bodies[i].y - first->y));
        side = fmaxf(side, fabsf(bodies[i].z - first->z));
    }
    return 2 * (double)side;
}

static node_t cell_node(const struct tree *tree, const struct cell *cell)
{
    const double side = side_of(tree, cell);
    double mass = 0, x = 0, y = 0, z = 0;
    int64_t i;
    for (i = cell->first; i < cell->last; i++) {
        const body_t *body = &tree->bodies[i];
        const double m = (double)body->mass;
        mass += m;
        x += m * (double)body->x;
        y += m * (double)body->y;
        z += m * (double)body->z;
    }
    return (node_t){ .x = (float)(x / mass),
                     .y = (float)(y / mass),
                     .z = (float)(z / mass),
                     .mass = (float)mass,
                     .size2 = (float)(side * side),
                     .skip = node_of_first(tree, cell->last),
                     .first_body = (int32_t)cell->first,
                     .count = (int32_t)(cell->last - cell->first) };
}

static void emit(void *context, int64_t block)
{
    const struct tree *tree = context;
    const struct cores_span span = span_of(tree, block);
    struct cell cells[TREE_LEVELS + 1];
    int64_t i;
    for (i = span.first; i < span.last; i++) {
        const body_t *body = &tree->bodies[i];
        int32_t at = node_of_first(tree, i);
        int k = cells_at(tree, i, cells);
        while (k > 0)
            tree->nodes[at++] = cell_node(tree, &cells[--k]);
        tree->nodes[at] = (node_t){ .x = body->x,
                                    .y = body->y,
                                    .z = body->z,
                                    .mass = body->mass,
                                    .skip = at + 1,
                                    .first_body = (int32_t)i,
                                    .count = 1 };
    }
}

static yoke_status pass(struct tree *tree, const char *name, cores_fn *block)
{
    const struct cores_work work = { name, block, tree, tree->blocks };
    return cores_run(tree->cores, &work);
}

yoke_status tree_build(struct tree *tree)
{
    int64_t b;
    int32_t cells = 0;
    yoke_status status = pass(tree, "box", find_box);
    if (status == YOKE_OK)
        status = join_boxes(tree);
    if (status == YOKE_OK)
        status = pass(tree, "keys", find_keys);
    if (status == YOKE_OK)
        status = sort_run(&tree->sort, tree->cores);
    if (status == YOKE_OK)
        status = pass(tree, "gather", gather);
    if (status == YOKE_OK)
        status = pass(tree, "number", number);
    if (status != YOKE_OK)
        return status;
    for (b = 0; b < tree->blocks; b++)
        cells += tree->in_block[b].cells;
    tree->cells_before[tree->count] = cells;
    tree->node_count = (int32_t)tree->count + cells;
    return pass(tree, "emit", emit);
}
