/* test_barnes_hut_tree.c - the octree against its definition, for any stars: few, many, all in one
 * place, far apart, in any order; and the sort that it begins with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app.h"
#include "cluster.h"
#include "random.h"

static double of(const node_t *node, int k)
{
    return k == 0 ? (double)node->x : k == 1 ? (double)node->y : (double)node->z;
}

/* Largest distance of two stars of a cell along an axis. */
static double extent(int64_t first, int64_t last)
{
    double most = 0;
    int64_t i;
    int k;
    for (k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (i = first; i < last; i++) {
            const body_t *b = &cluster_tree.bodies[i];
            const double at = (double)(k == 0 ? b->x : k == 1 ? b->y : b->z);
            low = fmin(low, at);
            high = fmax(high, at);
        }
        most = fmax(most, high - low);
    }
    return most;
}

/* Checks one node against the definition; returns the depth of the tree below it. */
static int check_cell(int32_t k)
{
    const node_t *node = &cluster_tree.nodes[k];
    const int64_t first = node->first_body, last = first + node->count;
    double sum[4] = { 0 }, side = sqrt((double)node->size2);
    int children = 0, depth = 0, d;
    int64_t i;
    for (i = first; i < last; i++) {
        const double m = (double)cluster_tree.bodies[i].mass;
        sum[0] += m * (double)cluster_tree.bodies[i].x;
        sum[1] += m * (double)cluster_tree.bodies[i].y;
        sum[2] += m * (double)cluster_tree.bodies[i].z;
        sum[3] += m;
    }
    assert_true(fabs(sum[3] - (double)node->mass) <= 1e-6 * sum[3]);
    for (d = 0; d < 3; d++)
        assert_true(fabs(sum[d] / sum[3] - of(node, d)) <= 1e-6 * (fabs(of(node, d)) + 1e-30));
    if (node->count == 1) {
        assert_int_equal(node->skip, k + 1);
        assert_true(node->size2 == 0);
        return 1;
    }
    assert_true(extent(first, last) <= side * 1.000001);
    i = first;
    for (k++; k < node->skip; k = cluster_tree.nodes[k].skip) {
        const int below = check_cell(k);
        assert_int_equal(cluster_tree.nodes[k].first_body, i);
        assert_true(cluster_tree.nodes[k].size2 < node->size2 || node->size2 == 0);
        i += cluster_tree.nodes[k].count;
        depth = below > depth ? below : depth;
        children++;
    }
    assert_int_equal(k, node->skip);
    assert_int_equal(i, last);
    assert_true(children >= 2);
    return depth + 1;
}

/* Checks the whole tree, and that the stars are the given ones. Returns its depth. */
static int check_tree(const struct star *stars, int64_t count)
{
    char *seen = calloc((size_t)count, 1);
    int64_t i;
    int depth;
    assert_true(cluster_tree.node_count >= count && cluster_tree.node_count < 2 * count);
    assert_int_equal(cluster_tree.nodes[0].count, count);
    assert_int_equal(cluster_tree.nodes[0].skip, cluster_tree.node_count);
    depth = check_cell(0);
    for (i = 0; i < count; i++) {
        const struct star *star = &stars[cluster_tree.ids[i]];
        assert_true(cluster_tree.ids[i] >= 0 && cluster_tree.ids[i] < count &&
                    !seen[cluster_tree.ids[i]]);
        seen[cluster_tree.ids[i]] = 1;
        assert_memory_equal(&star->body, &cluster_tree.bodies[i], sizeof star->body);
        assert_memory_equal(star->velocity, &cluster_tree.velocities[i], sizeof star->velocity);
    }
    free(seen);
    return depth;
}

static void a_cluster_of_any_size(void **unused)
{
    static const int64_t counts[] = { 1, 2, 3, 9, 64, 1000, 2047, 2049, 4097, 30011 };
    size_t c;
    (void)unused;
    for (c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct star *stars = cluster_plummer(counts[c], c);
        assert_int_equal(cluster_plant(stars, counts[c]), YOKE_OK);
        assert_true(check_tree(stars, counts[c]) <= TREE_LEVELS + 2);
        /* Builds it again from its own order. */
        assert_int_equal(tree_build(&cluster_tree), YOKE_OK);
        check_tree(stars, counts[c]);
        cluster_fell();
        free(stars);
    }
}

/* All stars in one place, or nearly: no depth, and no cell is divided for them. */
static void stars_in_the_same_place(void **unused)
{
    enum { COUNT = 5000 };
    struct star *stars = cluster_stars(COUNT);
    int i;
    (void)unused;
    assert_int_equal(cluster_plant(stars, COUNT), YOKE_OK);
    assert_int_equal(check_tree(stars, COUNT), 2);
    assert_true(cluster_tree.nodes[0].size2 == 0);
    cluster_fell();
    for (i = 0; i < COUNT; i++) /* two places, and one between the two stars of one of them */
        stars[i].body.x = i % 2 ? 1.0f : i == 4 ? 1e-9f : 0.0f;
    assert_int_equal(cluster_plant(stars, COUNT), YOKE_OK);
    assert_int_equal(check_tree(stars, COUNT), 3);
    assert_int_equal(cluster_tree.node_count, COUNT + 3);
    assert_true(cluster_tree.nodes[1].size2 > 0 && cluster_tree.nodes[1].size2 < 1e-17f);
    assert_true(cluster_tree.nodes[cluster_tree.nodes[1].skip].size2 == 0);
    cluster_fell();
    free(stars);
}

/* Far apart, along a line, at the bounds. */
static void stars_far_apart(void **unused)
{
    enum { COUNT = 3000 };
    struct star *stars = cluster_plummer(COUNT, 5);
    int i;
    (void)unused;
    stars[7].body.x = 1e6f;
    stars[8].body.z = -1e12f;
    assert_int_equal(cluster_plant(stars, COUNT), YOKE_OK);
    check_tree(stars, COUNT);
    cluster_fell();
    for (i = 0; i < COUNT; i++) /* each half as far as the one before */
        stars[i].body = (body_t){ 0, ldexpf(1, -(i % 140)), 0, 0.5f };
    assert_int_equal(cluster_plant(stars, COUNT), YOKE_OK);
    assert_true(check_tree(stars, COUNT) > TREE_LEVELS);
    cluster_fell();
    free(stars);
}

static void places_that_are_none_are_refused(void **unused)
{
    static const float none[] = { NAN, INFINITY, -INFINITY, 1.1e12f };
    size_t n;
    (void)unused;
    for (n = 0; n < sizeof none / sizeof *none; n++) {
        struct star *stars = cluster_plummer(5000, 1);
        stars[4321].body.y = none[n];
        assert_int_equal(cluster_plant(stars, 5000), YOKE_EINVAL);
        assert_non_null(strstr(app_error_text(), "star 4321 is at ("));
        stars[4321].body.y = 0;
        assert_int_equal(tree_build(&cluster_tree), YOKE_OK);
        check_tree(stars, 5000);
        cluster_fell();
        free(stars);
    }
}

/* The tree does not depend on the order of the stars. */
static void any_order_gives_the_same_tree(void **unused)
{
    enum { COUNT = 7001 };
    struct star *stars = cluster_plummer(COUNT, 3);
    node_t *nodes = malloc((size_t)COUNT * 2 * sizeof *nodes);
    int32_t node_count, k;
    int i;
    (void)unused;
    assert_int_equal(cluster_plant(stars, COUNT), YOKE_OK);
    node_count = cluster_tree.node_count;
    memcpy(nodes, cluster_tree.nodes, (size_t)node_count * sizeof *nodes);
    for (i = 0; i < COUNT - 1; i++) {
        const int j = i + (int)(random_bits(1, (uint64_t)i) % (uint64_t)(COUNT - i));
        const struct star other = stars[j];
        stars[j] = stars[i];
        stars[i] = other;
    }
    assert_int_equal(tree_build(&cluster_tree), YOKE_OK);
    assert_int_equal(cluster_tree.node_count, node_count);
    for (k = 0; k < node_count; k++)
        assert_memory_equal(&nodes[k], &cluster_tree.nodes[k], sizeof *nodes);
    cluster_fell();
    free(nodes);
    free(stars);
}

static void sorted_keys(void **unused)
{
    static const int64_t counts[] = { 1, 2, 255, 256, 10007 };
    struct sort sort;
    size_t c;
    int64_t i;
    int kind;
    (void)unused;
    for (c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (kind = 0; kind < 3; kind++) { /* all bits, few values, one value */
            const uint64_t mask = kind == 0 ? UINT64_MAX : kind == 1 ? 0x8000000000000103 : 0;
            assert_int_equal(sort_open(counts[c], counts[c] < 7 ? counts[c] : 7, &sort), YOKE_OK);
            for (i = 0; i < counts[c]; i++)
                sort.items[i] = (struct sort_item){ random_bits(c, (uint64_t)i) & mask, i };
            assert_int_equal(sort_run(&sort, cluster_cores), YOKE_OK);
            for (i = 0; i < counts[c]; i++) {
                const struct sort_item *item = &sort.items[i];
                assert_true(item->key == (random_bits(c, (uint64_t)item->from) & mask));
                assert_true(i == 0 || item[-1].key < item->key ||
                            (item[-1].key == item->key && item[-1].from < item->from));
            }
            sort_close(&sort);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_keys),
        cmocka_unit_test(a_cluster_of_any_size),
        cmocka_unit_test(stars_in_the_same_place),
        cmocka_unit_test(stars_far_apart),
        cmocka_unit_test(places_that_are_none_are_refused),
        cmocka_unit_test(any_order_gives_the_same_tree),
    };
    return cmocka_run_group_tests(tests, cluster_setup, cluster_teardown);
}
