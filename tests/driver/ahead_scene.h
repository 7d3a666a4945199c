/* ahead_scene.h - what tests of memory that is pinned before rows are copied share: a core, a GPU
 * of the stand-in driver and two arrays. For programs that see yoke's internals.
 */
#ifndef YK_TESTS_AHEAD_SCENE_H
#define YK_TESTS_AHEAD_SCENE_H

#include <yoke/yoke.h>

#include "ok.h"
#include "standin.h"

enum { ROWS = 4 << 20, JOBS_MOST = 200 };

struct scene {
    yoke_runtime *runtime;
    float *from, *to;
    yoke_array *from_array, *to_array;
    int rows, times; /* number of times that `from` was added to `to` */
};

static inline void scene_open_with(struct scene *scene, const yoke_config *config)
{
    *scene = (struct scene){ .rows = ROWS };
    OK(yoke_open(config, &scene->runtime));
    scene->from = yoke_alloc(scene->runtime, ROWS * sizeof(float));
    scene->to = yoke_alloc(scene->runtime, ROWS * sizeof(float));
    assert_non_null(scene->from);
    assert_non_null(scene->to);
    for (int i = 0; i < ROWS; i++) {
        scene->from[i] = (float)(i % 16);
        scene->to[i] = 0;
    }
}

static inline void scene_open(struct scene *scene)
{
    scene_open_with(scene, &(yoke_config){ .devices = "cpu:1,cuda:0" });
}

static inline void arrays_open(struct scene *scene)
{
    OK(yoke_array_wrap(scene->runtime, scene->from, scene->rows, sizeof(float),
                       &scene->from_array));
    OK(yoke_array_wrap(scene->runtime, scene->to, scene->rows, sizeof(float), &scene->to_array));
}

static inline void arrays_close(struct scene *scene)
{
    assert_int_equal(yoke_array_close(scene->from_array), YOKE_OK);
    assert_int_equal(yoke_array_close(scene->to_array), YOKE_OK);
}

static inline void scene_close(struct scene *scene)
{
    yoke_free(scene->runtime, scene->from);
    yoke_free(scene->runtime, scene->to);
    assert_int_equal(yoke_close(scene->runtime), YOKE_OK);
    assert_int_equal(standin_outstanding(), 0);
}

/* A teardown: pins that the test has held go on, also if it failed. */
static inline int let_pins_go(void **state)
{
    (void)state;
    standin_hold("cuMemHostRegister", 0);
    return 0;
}

#endif
