/* test_path_devices.c - the same bits on every device, for every split, by either kernel.
 *
 * Arguments are devices, which must exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "path_picture.h"

static const char *const all_devices[] = { "cpu:1", "cpu", "opencl:0", "cpu:1,opencl:0:units=1",
                                           "sim:cpu:cores=3,sim:gpu*2" };
static const char *const *devices = all_devices;
static int device_count = sizeof all_devices / sizeof *all_devices;

/* Glass, a mirror, a dark object and two lamps, one of them seen from behind. */
static const char things[] =
    "mtllib scene.mtl\nv -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\n"
    "v 1 1 1\nv -1 1 1\nusemtl glass\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 8 7 3 4\nf 5 8 4 1\n"
    "f 2 3 7 6\nv -3 -1.2 -3\nv 3 -1.2 -3\nv 3 -1.2 3\nv -3 -1.2 3\nusemtl floor\nf 12 11 10 9\n"
    "v -3 3 -3\nv 3 3 -3\nusemtl mirror\nf 9 10 14 13\nv -1 3 -1\nv 1 3 -1\nv 1 3 1\nv -1 3 1\n"
    "usemtl lamp\nf 15 16 17 18\nv 2 0 2\nv 2.5 0 2\nv 2.2 0.5 2\nf 19 20 21\n";
static const char materials[] =
    "newmtl glass\nNi 1.5\nTf 1 0.9 0.9\nillum 7\nnewmtl floor\nKd 0.5 0.4 "
    "0.3\nnewmtl mirror\nKs 0.9 0.9 0.9\nillum 3\nnewmtl lamp\nKd 0.1 "
    "0.1 0.1\nKe 9 8 7\n";

static const struct picture_of pictures[] = {
    { 7, { "scene", "blocks", "picture", "37x29" } },
    { 5, { "scene", "alone", "picture", "30x41", "shadows", "3", "fov", "60" }, things, materials },
    { 6, { "scene", "alone", "picture", "16x8", "shadows", "0", "sky", "0.2" }, things, materials },
    { 4,
      { "scene", "alone", "picture", "33x9", "coherent", "1", "depth", "3" },
      things,
      materials },
    { 3, { "scene", "blocks", "picture", "1x1", "passes", "2" } },
};

static void compare(const struct picture_of *of, const struct path_state *want)
{
    static const enum app_kernel kernels[] = { APP_KERNEL_PLAIN, APP_KERNEL_STEP, APP_KERNEL_AUTO };
    for (int k = 0; k < 3; k++) {
        struct picture_of mine = *of;
        struct path_state *s;
        mine.kernel = kernels[k];
        s = path_picture(&mine);
        if (!s) {
            print_message("%s is not here\n", mine.devices);
            return;
        }
        for (int64_t i = 0; i < s->setup.count; i++)
            if (memcmp(&s->pixels[i], &want->pixels[i], sizeof *s->pixels) != 0)
                fail_msg("%s, kernel %d: pixel %lld is %a %a %a, %u %u; by cores %a %a %a, %u %u",
                         mine.devices, k, (long long)i, s->pixels[i].red, s->pixels[i].green,
                         s->pixels[i].blue, s->pixels[i].segments, s->pixels[i].shadows,
                         want->pixels[i].red, want->pixels[i].green, want->pixels[i].blue,
                         want->pixels[i].segments, want->pixels[i].shadows);
        path_picture_free(s);
    }
}

static void same_everywhere(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof pictures / sizeof *pictures; k++) {
        struct picture_of of = pictures[k];
        struct path_state *want;
        of.kernel = APP_KERNEL_PLAIN;
        want = path_picture(&of);
        assert_true(path_mean_of(want).mean > 0);
        for (int d = 0; d < device_count; d++) {
            of.devices = devices[d];
            of.partitioner = d % 2 ? "dynamic:chunk=100" : NULL;
            compare(&of, want);
        }
        path_picture_free(want);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_everywhere) };
    if (argc > 1) {
        devices = (const char *const *)argv + 1;
        device_count = argc - 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
