/* test_auto_absent.c - `auto` does not wait for a GPU that does not join: its kernel is still being
 * compiled, or its thread gets no core. On random machines with random jobs the cores do
 * everything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/random.h"
#include "partition/dispatch.h"

enum { SCENES = 20000, GPUS = 3 };

struct scene {
    struct yk_split_device devices[1 + GPUS];
    struct yk_split_spec spec;
    double item_ns; /* of all cores together */
};

static int64_t below(uint64_t *random, int64_t most)
{
    return (int64_t)(yk_random_next(random) * (double)most);
}

static void open_scene(uint64_t seed, struct scene *out)
{
    static const int64_t units[] = { 1, 32, 1024 };
    const int known = seed % 2, cores = 1 + (int)below(&seed, 32);
    const double share = known ? 0.2 : -1;
    int d;
    *out = (struct scene){ .item_ns = 0.01 + yk_random_next(&seed) };
    out->devices[0] = (struct yk_split_device){ .name = "cpu",
                                                .host_memory = 1,
                                                .lanes = cores,
                                                .fill = cores,
                                                .lane_fill = below(&seed, 64),
                                                .peak = 1 + yk_random_next(&seed),
                                                .share = share,
                                                .rate = known ? 1 / out->item_ns : 0 };
    for (d = 1; d <= GPUS; d++)
        out->devices[d] = (struct yk_split_device){ .name = "gpu",
                                                    .lanes = 4,
                                                    .make = 1,
                                                    .fill = 1 + below(&seed, 1 << 18),
                                                    .fixed_ns = 15000,
                                                    .peak = 20 * yk_random_next(&seed),
                                                    .share = share,
                                                    .rate = known ? yk_random_next(&seed) : 0 };
    out->spec = (struct yk_split_spec){ .last = 1 + below(&seed, 1 << below(&seed, 24)),
                                        .unit = units[below(&seed, 3)],
                                        .devices = out->devices,
                                        .device_count = 2 + (int)below(&seed, GPUS),
                                        .settles = below(&seed, 2) > 0,
                                        .crowded = below(&seed, 4) == 0 };
}

/* The cores do chunk after chunk, and ask again when they are told to. Returns when they have done
 * everything, in ns. */
static int64_t play(const struct scene *scene)
{
    struct yk_dispatch *dispatch;
    int64_t now = 0;
    assert_int_equal(yk_dispatch_open(&scene->spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, now);
    while (yk_dispatch_left(dispatch) > 0) {
        struct yk_chunk_times times = { .issued = now };
        struct yk_chunk chunk = { 0 };
        int64_t wake_ns;
        if (yk_dispatch_next(dispatch, &(struct yk_request){ 0, 0, now }, &chunk, &wake_ns) ==
            YK_TAKE) {
            now += 1 + (int64_t)(scene->item_ns * (double)(chunk.last - chunk.first));
            times.ended = now;
            yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
        } else {
            assert_true(wake_ns > now); /* otherwise they sleep until the GPU joins */
            now = wake_ns;
        }
        assert_true(yk_dispatch_check(dispatch));
    }
    yk_dispatch_close(dispatch);
    return now;
}

static void cores_do_everything(void **state)
{
    int i;
    (void)state;
    for (i = 0; i < SCENES; i++) {
        struct scene scene;
        double alone_ns, waited_ns;
        open_scene((uint64_t)i, &scene);
        alone_ns = scene.item_ns * (double)scene.spec.last;
        waited_ns = (double)play(&scene) - alone_ns;
        if (scene.spec.crowded) /* a GPU that is known works for other jobs first */
            assert_true(waited_ns < 3 * (alone_ns + 2 * YK_WAKE_NS));
        else
            assert_true(waited_ns < 0.5 * (alone_ns + 2 * YK_WAKE_NS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(cores_do_everything) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
