/* cluster.c - memory for a tree, like the application's. */
#include "cluster.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>

#include <cmocka.h>

#include "bodies/plummer.h"
#include "cores.h"

yoke_runtime *cluster_cores;
struct tree cluster_tree;

int cluster_setup(void **unused)
{
    (void)unused;
    return cores_open(&cluster_cores) != YOKE_OK;
}

int cluster_teardown(void **unused)
{
    (void)unused;
    return yoke_close(cluster_cores) != YOKE_OK;
}

struct star *cluster_stars(int64_t count)
{
    struct star *stars = calloc((size_t)count, sizeof *stars);
    int64_t i;
    assert_non_null(stars);
    for (i = 0; i < count; i++) {
        stars[i].body.mass = 1.0f / (float)count;
        stars[i].id = (int32_t)i;
    }
    return stars;
}

struct star *cluster_plummer(int64_t count, uint64_t seed)
{
    struct star *stars = cluster_stars(count);
    body_t *bodies = aligned_alloc(64, (size_t)(count + 4) / 4 * 64);
    vector_t *velocities = aligned_alloc(64, (size_t)(count + 4) / 4 * 64);
    int64_t i;
    plummer_fill(seed, count, bodies, velocities);
    for (i = 0; i < count; i++) {
        const vector_t *v = &velocities[i];
        stars[i] = (struct star){ bodies[i], { v->x, v->y, v->z }, (int32_t)i };
    }
    free(bodies);
    free(velocities);
    return stars;
}

yoke_status cluster_plant(const struct star *stars, int64_t count)
{
    const struct tree from = { .count = count,
                               .cores = cluster_cores,
                               .loose = stars,
                               .bodies = aligned_alloc(64, (size_t)(count + 4) / 4 * 64),
                               .velocities = aligned_alloc(64, (size_t)(count + 4) / 4 * 64),
                               .ids = malloc((size_t)count * sizeof(int32_t)),
                               .nodes = aligned_alloc(64, (size_t)count * 64) };
    assert_int_equal(tree_open(&from, &cluster_tree), YOKE_OK);
    return tree_build(&cluster_tree);
}

void cluster_fell(void)
{
    free(cluster_tree.bodies);
    free(cluster_tree.velocities);
    free(cluster_tree.ids);
    free(cluster_tree.nodes);
    tree_close(&cluster_tree);
}
