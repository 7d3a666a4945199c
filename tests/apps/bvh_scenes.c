/* bvh_scenes.c - see bvh_scenes.h. */
#include "bvh_scenes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <math.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random.h"

float scene_random(float low, float high)
{
    static uint64_t draws;
    return low + (high - low) * (float)random_uniform(1, draws++);
}

void scene_direction(float d[3])
{
    float square;
    int k;
    do {
        square = 0;
        for (k = 0; k < 3; k++) {
            d[k] = scene_random(-1, 1);
            square += d[k] * d[k];
        }
    } while (square > 1 || square < 0.01f);
    for (k = 0; k < 3; k++)
        d[k] /= sqrtf(square);
}

static void add(struct scene *scene, const float o[3], const float a[3], const float b[3])
{
    scene->triangles[scene->count] = (triangle_t){
        o[0],        o[1], o[2],        0,           a[0] - o[0], a[1] - o[1],
        a[2] - o[2], -1,   b[0] - o[0], b[1] - o[1], b[2] - o[2], (int32_t)scene->count,
    };
    scene->count++;
}

int scene_sphere_steps(int64_t count)
{
    int steps = 3;
    while (2 * (int64_t)(steps + 1) * (steps + 1) <= count)
        steps++;
    return steps;
}

void scene_sphere_corner(int steps, int around, int down, float corner[3])
{
    const double turn = 2 * 3.14159265358979 * (around % steps) / steps;
    const double fall = 3.14159265358979 * down / steps;
    const double side = down == 0 || down == steps ? 0 : sin(fall);
    corner[0] = (float)(3 + side * cos(turn));
    corner[1] = (float)(3 + cos(fall));
    corner[2] = (float)(3 + side * sin(turn));
}

static void add_sphere(struct scene *scene, int64_t count)
{
    const int steps = scene_sphere_steps(count);
    int i, j;
    for (i = 0; i < steps; i++)
        for (j = 0; j < steps; j++) {
            float c[4][3];
            scene_sphere_corner(steps, i, j, c[0]);
            scene_sphere_corner(steps, i + 1, j, c[1]);
            scene_sphere_corner(steps, i + 1, j + 1, c[2]);
            scene_sphere_corner(steps, i, j + 1, c[3]);
            if (j > 0)
                add(scene, c[0], c[1], c[2]);
            if (j < steps - 1)
                add(scene, c[2], c[3], c[0]);
        }
}

static void add_grid(struct scene *scene, int64_t count)
{
    const int steps = scene_sphere_steps(count);
    int i, j;
    for (i = 0; i < steps; i++)
        for (j = 0; j < steps; j++) {
            const float x = (float)i / (float)steps, y = (float)j / (float)steps;
            const float u = (float)(i + 1) / (float)steps, v = (float)(j + 1) / (float)steps;
            add(scene, (const float[3]){ x, y, 1 }, (const float[3]){ u, y, 1 },
                (const float[3]){ u, v, 1 });
            add(scene, (const float[3]){ x, y, 1 }, (const float[3]){ u, v, 1 },
                (const float[3]){ x, v, 1 });
        }
}

/* Adds a triangle that is not part of a mesh. */
static void add_loose(struct scene *scene, enum scene_shape shape)
{
    float o[3], a[3], b[3], size, place;
    int k;
    for (k = 0; k < 3; k++) {
        o[k] = scene_random(0, 1);
        a[k] = o[k] + scene_random(-0.1f, 0.1f);
        b[k] = o[k] + scene_random(-0.1f, 0.1f);
    }
    for (k = 0; k < 3; k++) {
        if (shape == SCENE_POINT)
            o[k] = a[k] = b[k] = 0.25f;
        if (shape == SCENE_NEEDLES) {
            a[k] = o[k] + scene_random(-1, 1);
            b[k] = a[k] + 1e-4f;
        }
        size = shape == SCENE_HUGE ? 1e18f : shape == SCENE_TINY ? 1e-15f : 1;
        place = shape == SCENE_HUGE ? -0.5f : 0;
        if (shape == SCENE_SPIRAL) {
            size = ldexpf(1, -(int)(scene->count % 40));
            place = 0;
        }
        o[k] = size * (o[k] + place);
        a[k] = size * (a[k] + place);
        b[k] = size * (b[k] + place);
    }
    if (shape == SCENE_STACK) { /* all have the same box */
        size = scene_random(0, 1);
        add(scene, (const float[3]){ 0, 0, 0 }, (const float[3]){ 1, size, 1 },
            (const float[3]){ size, 1, 0 });
        return;
    }
    add(scene, o, a, b);
}

struct scene scene_make(enum scene_shape shape, int64_t count)
{
    struct scene scene = { .triangles = calloc((size_t)count + 64, sizeof(triangle_t)) };
    assert_non_null(scene.triangles);
    if (shape == SCENE_SPHERE)
        add_sphere(&scene, count);
    else if (shape == SCENE_GRID)
        add_grid(&scene, count);
    else
        while (scene.count < count)
            add_loose(&scene, shape);
    return scene;
}

struct scene scene_build(enum scene_shape shape, int64_t count)
{
    struct scene scene = scene_make(shape, count);
    assert_int_equal(bvh_build(scene.triangles, scene.count, &scene.tree), YOKE_OK);
    return scene;
}

void scene_close(struct scene *scene)
{
    bvh_free(&scene->tree);
    free(scene->triangles);
    *scene = (struct scene){ 0 };
}
