/* test_bvh_build.c - a tree against its definition, for any triangles: each of them in one leaf,
 * boxes that contain them, no more levels than the limit; the same tree by one core and by all; and
 * every allocation failing in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocations.h"
#include "bvh_scenes.h"
#include "cores.h"

static const char *devices = "cpu"; /* that build the trees */

yoke_status __wrap_cores_open(yoke_runtime **out);
yoke_status __wrap_cores_open(yoke_runtime **out)
{
    const yoke_config config = { .devices = devices };
    return yoke_open(&config, out);
}

struct box {
    double low[3], high[3];
};

struct check {
    const struct scene *scene;
    char *seen_nodes, *seen_triangles;
};

static struct box box_of(const node_t *node, int slot)
{
    const float corner[3] = { node->x, node->y, node->z };
    struct box box;
    int k;
    for (k = 0; k < 3; k++) {
        const double unit = ldexp(1, node->scale[k] - 127);
        box.low[k] = (double)corner[k] + node->planes[k][slot] * unit;
        box.high[k] = (double)corner[k] + node->planes[3 + k][slot] * unit;
        assert_true(node->planes[k][slot] < node->planes[3 + k][slot]);
    }
    return box;
}

/* Tolerance for rounding of the doubles in this test. */
static void check_inside(double low, double high, const struct box *box, int k)
{
    const double off = 1e-15 * fmax(fabs(box->low[k]), fabs(box->high[k]));
    assert_true(low >= box->low[k] - off);
    assert_true(high <= box->high[k] + off);
}

static void check_triangle(const struct check *check, uint32_t index, const struct box *box)
{
    const triangle_t *t = &check->scene->triangles[index];
    const float corners[3][3] = { { t->x, t->y, t->z },
                                  { t->x + t->ax, t->y + t->ay, t->z + t->az },
                                  { t->x + t->bx, t->y + t->by, t->z + t->bz } };
    int c, k;
    assert_true(index < check->scene->count);
    assert_int_equal(check->seen_triangles[index]++, 0);
    for (c = 0; c < 3; c++)
        for (k = 0; k < 3; k++)
            check_inside((double)corners[c][k], (double)corners[c][k], box, k);
}

static int64_t bits_in(unsigned bits)
{
    return __builtin_popcount(bits);
}

/* Checks that everything below a node is in `box` and in the boxes on the way. Returns the levels.
 */
static int check_node(const struct check *check, uint32_t index, const struct box *box)
{
    const node_t *node = &check->scene->tree.nodes[index];
    int s, k, levels = 0;
    assert_true(index < check->scene->tree.node_count);
    assert_int_equal(check->seen_nodes[index]++, 0);
    for (s = 0; s < 8; s++) {
        const unsigned share = node->holds[s] >> 5, at = node->holds[s] & 31;
        struct box all, own;
        assert_int_equal(node->inner >> s & 1, share && at >= 24);
        if (!share)
            continue;
        all = own = box_of(node, s);
        for (k = 0; k < 3 && box; k++) { /* the node and its parent's slot agree */
            all.low[k] = fmax(own.low[k], box->low[k]);
            all.high[k] = fmin(own.high[k], box->high[k]);
        }
        if (at >= 24) {
            const unsigned before = node->inner & ((1u << s) - 1);
            const int below = check_node(check, node->first_node + (uint32_t)bits_in(before), &all);
            assert_int_equal(share, 1);
            assert_int_equal(at, 24 + s);
            levels = below > levels ? below : levels;
        } else {
            unsigned n;
            assert_true(share == 1 || share == 3 || share == 7);
            for (n = 0; n < bits_in(share); n++)
                check_triangle(check, node->first_triangle + at + n, &all);
        }
    }
    return levels + 1;
}

static void check_tree(const struct scene *scene)
{
    struct check check = { scene, calloc((size_t)scene->tree.node_count, 1),
                           calloc((size_t)scene->count, 1) };
    char *faces = calloc((size_t)scene->count, 1);
    int64_t i;
    assert_true(check.seen_nodes && check.seen_triangles && faces);
    assert_true(check_node(&check, 0, NULL) <= PATH_BVH_LEVELS);
    for (i = 0; i < scene->tree.node_count; i++)
        assert_int_equal(check.seen_nodes[i], 1);
    for (i = 0; i < scene->count; i++) {
        assert_int_equal(check.seen_triangles[i], 1);
        assert_int_equal(faces[scene->triangles[i].face]++, 0); /* none lost, none twice */
    }
    assert_true(isfinite(scene->tree.cost) && scene->tree.cost >= 0);
    free(check.seen_nodes);
    free(check.seen_triangles);
    free(faces);
}

static void trees_are_by_their_definition(void **unused)
{
    static const int64_t counts[] = { 1, 2, 3, 4, 5, 9, 100, 3000, 40000 };
    size_t c;
    int shape;
    (void)unused;
    for (shape = 0; shape < SCENE_SHAPES; shape++)
        for (c = 0; c < sizeof counts / sizeof *counts; c++) {
            struct scene scene = scene_build((enum scene_shape)shape, counts[c]);
            check_tree(&scene);
            scene_close(&scene);
        }
}

static void the_same_tree_by_one_core_and_by_all(void **unused)
{
    struct scene scene = scene_make(SCENE_SOUP, 50000), one = scene;
    const size_t size = (size_t)scene.count * sizeof(triangle_t);
    struct scene two = scene;
    (void)unused;
    one.triangles = malloc(size);
    memcpy(one.triangles, scene.triangles, size);
    devices = "cpu:1";
    assert_int_equal(bvh_build(one.triangles, one.count, &one.tree), YOKE_OK);
    two.triangles = malloc(size);
    memcpy(two.triangles, scene.triangles, size);
    devices = "cpu";
    assert_int_equal(bvh_build(two.triangles, two.count, &two.tree), YOKE_OK);
    assert_int_equal(two.tree.node_count, one.tree.node_count);
    assert_memory_equal(two.triangles, one.triangles, size);
    assert_memory_equal(two.tree.nodes, one.tree.nodes,
                        (size_t)one.tree.node_count * sizeof(node_t));
    assert_true(two.tree.cost == one.tree.cost);
    scene_close(&two);
    scene_close(&one);
    free(scene.triangles);
}

static void failing_allocations_are_told(void **unused)
{
    int64_t nth = 1;
    int failed = 1;
    (void)unused;
    devices = "cpu:1";
    while (failed) {
        struct scene scene = scene_make(SCENE_SOUP, 5000);
        const int64_t live = allocations_live;
        yoke_status status;
        allocations_fail_in = nth++;
        status = bvh_build(scene.triangles, scene.count, &scene.tree);
        failed = allocations_fail_in == 0;
        allocations_fail_in = 0;
        assert_int_equal(status, failed ? YOKE_ENOMEM : YOKE_OK);
        if (failed)
            assert_null(scene.tree.nodes);
        else
            check_tree(&scene);
        bvh_free(&scene.tree);
        assert_int_equal(allocations_live, live);
        scene_close(&scene);
    }
    assert_true(nth > 8);
    devices = "cpu";
}

static void wrong_counts_are_refused(void **unused)
{
    struct bvh tree = { 0 };
    (void)unused;
    assert_int_equal(bvh_build(NULL, 0, &tree), YOKE_EINVAL);
    assert_int_equal(bvh_build(NULL, ((int64_t)1 << 28) + 1, &tree), YOKE_EINVAL);
    bvh_free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_by_their_definition),
        cmocka_unit_test(the_same_tree_by_one_core_and_by_all),
        cmocka_unit_test(failing_allocations_are_told),
        cmocka_unit_test(wrong_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
