/* test_given_back.c - a device gives back a chunk that it has begun if an idle one would do all of
 * it sooner. It then gets no more, what it did shows its speed, and no item is lost, not even if
 * the other device fails afterwards. Published policies never give anything back.
 */
#include <math.h>
#include <string.h>

#include "dispatch_two.h"

enum { ITEMS = 1000 };

/* Both devices work; nothing is free. */
struct scene {
    struct yk_dispatch *dispatch;
    struct yk_chunk cores;
    int64_t now;
};

static enum yk_verdict ask(struct scene *scene, int device, struct yk_chunk *chunk)
{
    const struct yk_request request = { device, 0, scene->now };
    int64_t wake_ns;
    const enum yk_verdict verdict = yk_dispatch_next(scene->dispatch, &request, chunk, &wake_ns);
    assert_true(yk_dispatch_check(scene->dispatch));
    return verdict;
}

static struct scene open_scene(const struct yk_split_device *devices, int planned,
                               const char *partitioner)
{
    const struct yk_split_spec spec = { .last = ITEMS,
                                        .unit = 1,
                                        .devices = devices,
                                        .device_count = 2,
                                        .planned = planned,
                                        .planned_ns = planned ? 1e6 : 0,
                                        .partitioner = partitioner };
    struct scene scene = { .now = 1 };
    assert_int_equal(yk_dispatch_open(&spec, &scene.dispatch), YOKE_OK);
    yk_dispatch_join(scene.dispatch, 0, 0);
    yk_dispatch_join(scene.dispatch, 1, 0);
    assert_int_equal(ask(&scene, 0, &scene.cores), YK_TAKE);
    return scene;
}

/* The GPU does what is free: each item takes 10 ns. */
static void gpu_does_all(struct scene *scene)
{
    struct yk_chunk chunk;
    while (yk_dispatch_free(scene->dispatch) > 0) {
        struct yk_chunk_times times = { 0 };
        while (ask(scene, 1, &chunk) != YK_TAKE) /* the cores may still turn out to be fast */
            scene->now += 1000;
        times.issued = scene->now;
        assert_false(yk_dispatch_gives_back(scene->dispatch, &scene->cores, 1e12));
        scene->now += 10 * (chunk.last - chunk.first);
        times.ended = scene->now;
        yk_dispatch_done(scene->dispatch, &chunk, chunk.last - chunk.first, &times);
        assert_true(yk_dispatch_check(scene->dispatch));
    }
}

/* The cores have done half an item's work on the chunk in 1 ms. */
static void cores_give_back(struct scene *scene)
{
    const struct yk_chunk_times times = {
        .issued = 1, .ended = 1000001, .work_ns = 2000000, .given_back = 0.5
    };
    scene->now = times.ended;
    yk_dispatch_done(scene->dispatch, &scene->cores, 0, &times);
    assert_true(yk_dispatch_check(scene->dispatch));
}

static const struct yk_split_device unknown[] = {
    { .name = "cpu", .lanes = 2, .host_memory = 1, .fill = 2, .peak = 1, .share = -1 },
    { .name = "gpu", .lanes = 2, .fill = 1, .peak = 30, .share = -1 }
};
static const struct yk_split_device known[] = {
    { .name = "cpu", .lanes = 2, .host_memory = 1, .fill = 2, .rate = 1e-3, .share = 0.1 },
    { .name = "gpu", .lanes = 2, .fill = 1, .rate = 0.1, .share = 0.9 }
};

static void only_if_an_idle_device_is_sooner(void **state)
{
    struct scene scene = open_scene(unknown, 0, "auto");
    const double items = (double)(scene.cores.last - scene.cores.first);
    (void)state;
    gpu_does_all(&scene);
    assert_true(yk_dispatch_gives_back(scene.dispatch, &scene.cores, 11 * items));
    assert_false(yk_dispatch_gives_back(scene.dispatch, &scene.cores, 9 * items));
    yk_dispatch_close(scene.dispatch);
}

static void the_other_device_does_it(const struct yk_split_device *devices, int planned)
{
    struct scene scene = open_scene(devices, planned, "auto");
    struct yk_split_outcome cores;
    struct yk_chunk chunk;
    gpu_does_all(&scene);
    cores_give_back(&scene);
    assert_int_equal(ask(&scene, 0, &chunk), YK_WAIT);
    gpu_does_all(&scene);
    assert_int_equal(yk_dispatch_left(scene.dispatch), 0);
    yk_dispatch_outcome(scene.dispatch, 0, &cores);
    assert_int_equal(cores.items, 0);
    assert_float_equal(cores.given_back, 0.5, 0);
    if (devices == unknown)
        assert_float_equal(cores.item_ns, 2e6, 1);
    assert_float_equal(cores.rate, 0.5e-6, 1e-8);
    assert_non_null(strstr(yk_dispatch_reason(scene.dispatch, 0), "gave back"));
    yk_dispatch_close(scene.dispatch);
}

static void another_device_does_what_was_begun(void **state)
{
    (void)state;
    the_other_device_does_it(unknown, 0);
    the_other_device_does_it(known, 0);
    the_other_device_does_it(known, 1);
}

static void if_that_device_fails_the_first_one_does_it(void **state)
{
    int planned;
    (void)state;
    for (planned = 0; planned < 2; planned++) {
        struct scene scene = open_scene(known, planned, "auto");
        struct yk_chunk chunk;
        gpu_does_all(&scene);
        cores_give_back(&scene);
        assert_int_equal(ask(&scene, 1, &chunk), YK_TAKE);
        assert_int_equal(ask(&scene, 0, &scene.cores), YK_WAIT);
        yk_dispatch_failed(scene.dispatch, 1, "lost");
        while (yk_dispatch_left(scene.dispatch) > 0) {
            assert_int_equal(ask(&scene, 0, &chunk), YK_TAKE);
            done(scene.dispatch, &chunk, chunk.last - chunk.first);
        }
        yk_dispatch_close(scene.dispatch);
    }
}

static void published_policies_never_do(void **state)
{
    static const char *const policies[] = { "even",   "static:shares=1/9", "dynamic:chunk=100",
                                            "guided", "weight:cpu=0.1",    "trained",
                                            "demand" };
    size_t p;
    (void)state;
    for (p = 0; p < sizeof policies / sizeof *policies; p++) {
        struct scene scene = open_scene(known, 0, policies[p]);
        gpu_does_all(&scene);
        assert_false(yk_dispatch_gives_back(scene.dispatch, &scene.cores, INFINITY));
        yk_dispatch_close(scene.dispatch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_if_an_idle_device_is_sooner),
        cmocka_unit_test(another_device_does_what_was_begun),
        cmocka_unit_test(if_that_device_fails_the_first_one_does_it),
        cmocka_unit_test(published_policies_never_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
