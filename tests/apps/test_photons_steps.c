/* test_photons_steps.c - photons by the step kernel: the same bits as by the plain kernel, on every
 * device, for every split and queue size; and when devices choose.
 *
 * Arguments are devices, which must exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "photons_scene.h"

static const char *const all_devices[] = { "cpu:1", "cpu", "opencl:0", "cpu:1,opencl:0:units=1",
                                           "sim:cpu:cores=3,sim:gpu*2" };
static const char *const *devices = all_devices;
static int device_count = sizeof all_devices / sizeof *all_devices;

static struct photons_state *plain(const struct scene *scene)
{
    struct scene mine = *scene;
    mine.kernel = APP_KERNEL_PLAIN;
    mine.devices = "cpu";
    return scene_open(&mine);
}

/* Compares the step kernel, and the devices' choice, on `scene`'s devices with the plain kernel's
 * result. */
static void compare(const struct scene *scene, const struct photons_state *want)
{
    static const enum app_kernel kernels[] = { APP_KERNEL_STEP, APP_KERNEL_AUTO };
    for (int k = 0; k < 2; k++) {
        struct scene mine = *scene;
        struct photons_state *s;
        mine.kernel = kernels[k];
        s = scene_open(&mine);
        if (!s) {
            print_message("%s is not here\n", mine.devices);
            return;
        }
        assert_true(k == 1 || s->kernel.kind == YOKE_KERNEL_STEP);
        assert_int_equal(s->packets, want->packets);
        if (memcmp(s->tally, want->tally, (size_t)scene_slots(s) * sizeof *s->tally) != 0)
            fail_msg("%s: other results by %s (room %u, turns %u, groups %u)", scene->devices,
                     k ? "what devices choose" : "steps", scene->step.room, scene->step.turns,
                     scene->step.groups);
        scene_close(s);
    }
}

static void compare_everywhere(const struct scene *scene, const struct photons_state *want)
{
    struct scene mine = *scene;
    for (int d = 0; d < device_count; d++) {
        mine.devices = devices[d];
        compare(&mine, want);
    }
}

/* Chunks of fixed length and of auto's; continuous hand-overs, and the reserve of the group that
 * never waits for room: a packet waits for at most one other that it caused, so a stack of two is
 * enough. */
static void same_on_every_device_for_every_split_and_queue(void **unused)
{
    static const struct {
        int64_t packets; /* 0: the scene's */
        const char *partitioner;
        yoke_step step;
    } tried[] = {
        { 0, "dynamic:chunk=777", { 0 } },
        { 0, NULL, { 0 } },
        { 151, NULL, { .room = 2, .groups = 1 } },
        { 151, NULL, { .room = 2, .groups = 3, .turns = 40 } },
        { 151, NULL, { .room = 5, .groups = 2, .turns = 300 } },
        { 151, NULL, { .room = 130, .groups = 2, .turns = 3 } },
        { 151, NULL, { .turns = 1, .groups = 1 } },
    };
    (void)unused;
    for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
        struct scene scene = scene_tissue;
        struct photons_state *want;
        scene.packets = tried[t].packets ? tried[t].packets : scene.packets;
        want = plain(&scene);
        assert_true(photons_sums(want, 1).begun > 0);
        scene.partitioner = tried[t].partitioner;
        scene.step = tried[t].step;
        compare_everywhere(&scene, want);
        scene_close(want);
    }
}

static void same_of_skin(void **unused)
{
    struct scene scene = { .input = TISSUE, .packets = 3000 };
    struct photons_state *want = plain(&scene);
    (void)unused;
    compare_everywhere(&scene, want);
    scene_close(want);
}

/* Light that cannot escape, with at most as many events as one call of the kernel has, or one more.
 */
static void same_where_walks_are_cut(void **unused)
{
    static const char *const events[] = { "1", "4", "5", "1001" };
    (void)unused;
    for (size_t k = 0; k < sizeof events / sizeof *events; k++) {
        struct scene scene = { "1\n1.5 10 90 0.75 0.02 yield 1 1.5 0 0 0\n1", 1, 300, events[k] };
        struct photons_state *want = plain(&scene);
        assert_true(photons_sums(want, 0).cut + photons_sums(want, 1).cut > 0);
        compare_everywhere(&scene, want);
        scene_close(want);
    }
}

/* The largest number of events: queues take no more memory for it, and GPUs do the work. */
static void any_number_of_events(void **unused)
{
    struct scene scene = scene_tissue;
    struct photons_state *want;
    (void)unused;
    scene.events = "2e9";
    scene.packets = 500;
    want = plain(&scene);
    compare_everywhere(&scene, want);
    scene.devices = "sim:gpu:mem=8M";
    compare(&scene, want);
    scene_close(want);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_on_every_device_for_every_split_and_queue),
        cmocka_unit_test(same_of_skin),
        cmocka_unit_test(same_where_walks_are_cut),
        cmocka_unit_test(any_number_of_events),
    };
    if (argc > 1) {
        devices = (const char *const *)argv + 1;
        device_count = argc - 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
