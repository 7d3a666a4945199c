/* test_bvh.c - rays through trees: the same result as testing all triangles one by one, with the
 * same bits on every device; no ray passes a closed surface; blocked and hit agree.
 *
 * Arguments are devices, which must exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "app_machine.h"
#include "bvh_kernels.h"
#include "bvh_scenes.h"

static const char *const all_devices[] = { "cpu:1", "opencl:0" };
static const char *const *devices = all_devices;
static int device_count = sizeof all_devices / sizeof *all_devices;

enum { RAYS = 12000 };
static ray_t rays[RAYS];
static hit_t hits[RAYS], expected[RAYS], all[RAYS];
static int32_t blocked[RAYS];

/* Runs `kernel` over the rays, from the scene's tree to `out`. */
static void trace(yoke_runtime *runtime, const yoke_kernel *kernel, const struct scene *scene,
                  void *out)
{
    const size_t size = kernel == &bvh_blocked ? sizeof *blocked : sizeof *hits;
    yoke_array *nodes, *triangles, *in, *found;
    yoke_job job = { .kernel = kernel, .range = { .last = RAYS } };
    assert_int_equal(
        yoke_array_wrap(runtime, scene->tree.nodes, scene->tree.node_count, sizeof(node_t), &nodes),
        YOKE_OK);
    assert_int_equal(
        yoke_array_wrap(runtime, scene->triangles, scene->count, sizeof(triangle_t), &triangles),
        YOKE_OK);
    assert_int_equal(yoke_array_wrap(runtime, rays, RAYS, sizeof *rays, &in), YOKE_OK);
    assert_int_equal(yoke_array_wrap(runtime, out, RAYS, size, &found), YOKE_OK);
    job.args[0] = (yoke_arg)yoke_in_whole(nodes);
    job.args[1] = (yoke_arg)yoke_in_whole(triangles);
    job.args[2] = (yoke_arg)yoke_in(in);
    job.args[3] = (yoke_arg)yoke_out(found);
    assert_int_equal(yoke_run(runtime, &job, NULL), YOKE_OK);
    assert_int_equal(yoke_array_close(found), YOKE_OK);
    assert_int_equal(yoke_array_close(in), YOKE_OK);
    assert_int_equal(yoke_array_close(triangles), YOKE_OK);
    assert_int_equal(yoke_array_close(nodes), YOKE_OK);
}

/* On the calling thread, with the baseline variant. */
static void trace_all(const struct scene *scene)
{
    int32_t count = (int32_t)scene->count;
    void *const args[] = { &count, scene->triangles, rays, all };
    const yoke_chunk chunk = { .last = RAYS, .extent = { 1, 1 } };
    bvh_each.cpu.variant[0](args, &chunk);
}

static void trace_here(const struct scene *scene)
{
    void *const args[] = { scene->tree.nodes, scene->triangles, rays, hits };
    const yoke_chunk chunk = { .last = RAYS, .extent = { 1, 1 } };
    bvh_nearest.cpu.variant[0](args, &chunk);
}

static void aim(ray_t *ray, const float from[3], const float at[3])
{
    *ray = (ray_t){ from[0],         from[1],         from[2], at[0] - from[0],
                    at[1] - from[1], at[2] - from[2], INFINITY };
}

/* The scene's box, if it has one. */
static void find_box(const struct scene *scene, float low[3], float high[3])
{
    int64_t i;
    int k;
    for (k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (i = 0; i < scene->count; i++) {
            const float at = (&scene->triangles[i].x)[k];
            low[k] = fminf(low[k], at);
            high[k] = fmaxf(high[k], at);
        }
    }
}

/* From anywhere to anywhere, along axes, at corners, within planes, with a limit and without. */
static void make_rays(const struct scene *scene)
{
    float low[3], high[3], size = 0;
    int i, k;
    find_box(scene, low, high);
    for (k = 0; k < 3; k++)
        size = fmaxf(size, high[k] - low[k]);
    for (i = 0; i < RAYS; i++) {
        const triangle_t *t = &scene->triangles[(int64_t)scene_random(0, (float)scene->count - 1)];
        float from[3], d[3];
        ray_t *ray = &rays[i];
        scene_direction(d);
        if (i % 5 == 0) /* along an axis, or in a plane */
            d[i / 5 % 3] = 0;
        if (i % 15 == 0)
            d[(i / 5 + 1) % 3] = i % 2 ? -0.0f : 0.0f;
        for (k = 0; k < 3; k++)
            from[k] = low[k] + size * scene_random(-0.2f, 1.2f);
        if (i % 4 == 1) { /* through a corner */
            const float corner[3] = { t->x, t->y, t->z };
            for (k = 0; k < 3; k++)
                from[k] = corner[k] - size * d[k];
        }
        if (i % 6 == 2) /* possibly from the middle of a box's side */
            from[i / 6 % 3] = (&t->x)[i / 6 % 3];
        *ray = (ray_t){ from[0], from[1], from[2], d[0], d[1], d[2], INFINITY };
        if (i % 7 == 3)
            ray->far = size * scene_random(0, 0.5f);
    }
}

static void differ(const char *where, int shape, int i, const hit_t *got, const hit_t *want)
{
    fail_msg("%s, scene %d, ray %d: at %.9g triangle %d, but at %.9g triangle %d", where, shape, i,
             (double)got->distance, got->triangle, (double)want->distance, want->triangle);
}

/* Compares bits. */
static void compare(const char *where, int shape, const hit_t *got, const hit_t *want)
{
    int i;
    for (i = 0; i < RAYS; i++)
        if (memcmp(&got[i], &want[i], sizeof *got) != 0)
            differ(where, shape, i, &got[i], &want[i]);
}

/* If two triangles are equally far except for rounding, the tree may find the other one. */
static void compare_near(int shape, const hit_t *got, const hit_t *want)
{
    int i;
    for (i = 0; i < RAYS; i++)
        if (memcmp(&got[i], &want[i], sizeof *got) != 0 &&
            !((got[i].triangle < 0) == (want[i].triangle < 0) &&
              fabsf(got[i].distance - want[i].distance) <= 2e-6f * want[i].distance))
            differ("all of them", shape, i, &got[i], &want[i]);
}

static void compare_blocked(const char *where, int shape)
{
    int i;
    for (i = 0; i < RAYS; i++)
        if (blocked[i] != (expected[i].triangle >= 0))
            fail_msg("%s, scene %d, ray %d: blocked %d", where, shape, i, blocked[i]);
}

static void hits_are_those_of_all_triangles(void **unused)
{
    int shape, d;
    (void)unused;
    for (d = 0; d < device_count; d++) {
        yoke_runtime *runtime = app_machine_open(devices[d]);
        if (!runtime)
            continue;
        for (shape = 0; shape < SCENE_SHAPES; shape++) {
            struct scene scene = scene_build((enum scene_shape)shape, 900);
            make_rays(&scene);
            trace_all(&scene);
            trace_here(&scene);
            compare_near(shape, hits, all);
            memcpy(expected, hits, sizeof hits);
            trace(runtime, &bvh_nearest, &scene, hits);
            compare(devices[d], shape, hits, expected);
            trace(runtime, &bvh_pieces, &scene, hits);
            compare(devices[d], shape, hits, expected);
            trace(runtime, &bvh_blocked, &scene, blocked);
            compare_blocked(devices[d], shape);
            scene_close(&scene);
        }
        assert_int_equal(yoke_close(runtime), YOKE_OK);
    }
}

/* Rays from within, at corners and at points on edges. */
static void nothing_slips_through_a_closed_surface(void **unused)
{
    struct scene scene = scene_build(SCENE_SPHERE, 800);
    const int steps = scene_sphere_steps(800);
    int round, i, k;
    (void)unused;
    for (round = 0; round < 8; round++) {
        for (i = 0; i < RAYS; i++) {
            const int around = (int)scene_random(0, (float)steps - 0.01f);
            const int down = (int)scene_random(0, (float)steps - 0.01f);
            const float share = i % 3 ? scene_random(0, 1) : 0;
            float a[3], b[3], from[3];
            scene_sphere_corner(steps, around, down, a);
            scene_sphere_corner(steps, around + i % 2, down + 1, b);
            for (k = 0; k < 3; k++) {
                a[k] += share * (b[k] - a[k]);
                from[k] = 3 + scene_random(-0.5f, 0.5f);
            }
            aim(&rays[i], from, a);
        }
        trace_here(&scene);
        for (i = 0; i < RAYS; i++) {
            if (hits[i].triangle < 0)
                fail_msg("ray %d of round %d went through", i, round);
            assert_true(fabsf(hits[i].distance - 1) < 2e-5f);
        }
    }
    scene_close(&scene);
}

/* Straight down onto corners, edges and interiors: height 1 everywhere, and u and v give the place.
 */
static void a_plain_is_where_it_is(void **unused)
{
    struct scene scene = scene_build(SCENE_GRID, 1000);
    const int steps = scene_sphere_steps(1000);
    int i;
    (void)unused;
    for (i = 0; i < RAYS; i++) {
        const float x = i % 2 ? scene_random(0, 1) : (float)(i / 2 % (steps + 1)) / (float)steps;
        const float y = i % 3 ? scene_random(0, 1) : (float)(i / 6 % (steps + 1)) / (float)steps;
        rays[i] = (ray_t){ x, y, 5, 0, i % 5 ? -0.0f : 0.0f, -2, INFINITY };
    }
    trace_here(&scene);
    for (i = 0; i < RAYS; i++) {
        const triangle_t *t;
        assert_true(hits[i].triangle >= 0 && hits[i].triangle < scene.count);
        t = &scene.triangles[hits[i].triangle];
        assert_true(fabsf(hits[i].distance - 2) < 1e-6f);
        assert_true(fabsf(t->x + hits[i].u * t->ax + hits[i].v * t->bx - rays[i].x) < 1e-6f);
        assert_true(fabsf(t->y + hits[i].u * t->ay + hits[i].v * t->by - rays[i].y) < 1e-6f);
    }
    scene_close(&scene);
}

/* Nothing is hit at or beyond `far`; just before it everything is. And nothing is hit behind the
 * origin. */
static void a_ray_ends_where_it_says(void **unused)
{
    struct scene scene = scene_build(SCENE_SOUP, 900);
    int i;
    (void)unused;
    make_rays(&scene);
    trace_here(&scene);
    memcpy(expected, hits, sizeof hits);
    for (i = 0; i < RAYS; i++)
        if (expected[i].triangle >= 0)
            rays[i].far = expected[i].distance;
    trace_here(&scene);
    for (i = 0; i < RAYS; i++) {
        assert_int_equal(hits[i].triangle, -1);
        assert_true(hits[i].distance == rays[i].far);
        if (expected[i].triangle >= 0)
            rays[i].far = nextafterf(expected[i].distance, INFINITY);
    }
    trace_here(&scene);
    compare("just before", SCENE_SOUP, hits, expected);
    for (i = 0; i < RAYS; i++)
        assert_true(hits[i].distance > 0);
    scene_close(&scene);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest here[] = {
        cmocka_unit_test(hits_are_those_of_all_triangles),
        cmocka_unit_test(nothing_slips_through_a_closed_surface),
        cmocka_unit_test(a_plain_is_where_it_is),
        cmocka_unit_test(a_ray_ends_where_it_says),
    };
    const struct CMUnitTest there[] = { cmocka_unit_test(hits_are_those_of_all_triangles) };
    if (argc > 1) {
        devices = (const char *const *)argv + 1;
        device_count = argc - 1;
        return cmocka_run_group_tests(there, NULL, NULL);
    }
    return cmocka_run_group_tests(here, NULL, NULL);
}
