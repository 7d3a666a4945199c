/* test_path_embree.c - pictures whose rays Embree traces on the cores: as bright and as noisy as
 * with the application's own tree, and most pixels nearly equal. Skipped without Embree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <dlfcn.h>
#include <math.h>

#include <cmocka.h>

#include "path_picture.h"

extern const struct app app_path;

static double light_of(const struct path_state *s, int64_t i)
{
    return ((double)s->pixels[i].red + s->pixels[i].green + s->pixels[i].blue) /
           (3.0 * (double)s->samples);
}

/* Of the pixels of two pictures: the mean difference, and the mean squared difference. */
struct apart {
    double mean, square;
};
static struct apart apart_of(const struct path_state *a, const struct path_state *b)
{
    const double n = (double)a->setup.count;
    struct apart apart = { 0, 0 };
    for (int64_t i = 0; i < a->setup.count; i++) {
        const double off = light_of(a, i) - light_of(b, i);
        apart.mean += off / n;
        apart.square += off * off / n;
    }
    return apart;
}

static const enum app_kernel kernels[] = { APP_KERNEL_PLAIN, APP_KERNEL_STEP, APP_KERNEL_AUTO };

/* Blocks, glass and mirrors: the limit is the difference of two pictures of the own tree. */
static void same_within_noise(void **unused)
{
    static const char *const scenes[][2] = { { "blocks", "own" }, { "room", "mixed" } };
    (void)unused;
    for (int k = 0; k < 2; k++) {
        struct picture_of of = { 16,
                                 { "scene", scenes[k][0], "surface", scenes[k][1], "picture",
                                   "64x64", "copies", k ? "4" : "1", "rays", "own" } };
        struct path_state *first = path_picture(&of), *second;
        struct apart own, other;
        of.seed = 2;
        second = path_picture(&of);
        own = apart_of(first, second);
        path_picture_free(second);
        of.seed = 3;
        of.words[9] = "embree";
        second = path_picture(&of);
        other = apart_of(first, second);
        path_picture_free(second);
        path_picture_free(first);
        if (fabs(other.mean) > 4 * sqrt(own.square / 4096))
            fail_msg("%s: the mean is off by %g, with noise of %g", scenes[k][0], other.mean,
                     sqrt(own.square / 4096));
        assert_true(other.square < 1.5 * own.square && other.square > own.square / 1.5);
    }
}

/* With equal random numbers paths are the same, except a few for which the last bit matters: by
 * both kernels, and with a GPU that does half of the pixels, which stay equal. */
static void nearly_all_pixels_are_the_same(void **unused)
{
    static const char *const devices[] = { "cpu", "cpu:1,opencl:0:units=1" };
    struct picture_of of = { 8, { "scene", "blocks", "picture", "64x64", "rays", "own" } };
    struct path_state *own = path_picture(&of);
    (void)unused;
    of.words[5] = "embree";
    for (int k = 0; k < 6; k++) {
        struct path_state *s;
        int64_t others = 0, same = 0;
        of.kernel = kernels[k % 3];
        of.devices = devices[k / 3];
        of.partitioner = k / 3 ? "even" : NULL;
        s = path_picture(&of);
        if (!s)
            continue;
        for (int64_t i = 0; i < s->setup.count; i++) {
            const double off = fabs(light_of(s, i) - light_of(own, i));
            others += off > 1e-3 * light_of(own, i) + 1e-6;
            same += off == 0;
        }
        if (others > 4096 / 100 || same > (k < 3 ? 1024 : 3072))
            fail_msg("%s, kernel %d: %lld pixels are others, %lld the same to the bit", of.devices,
                     k % 3, (long long)others, (long long)same);
        path_picture_free(s);
    }
    path_picture_free(own);
}

/* A surface that reflects all light is invisible under a uniform sky, if no ray passes between
 * faces or hits the face that it leaves. */
static void white_furnace(void **unused)
{
    const struct picture_of of = { 4,
                                   { "scene", "alone", "picture", "32x32", "depth", "1000",
                                     "roulette", "1000", "sky", "1", "fov", "40", "rays",
                                     "embree" },
                                   "mtllib scene.mtl\nusemtl all\nv -1 -1 -1\nv 1 -1 -1\n"
                                   "v 0 1 -1\nv 0 0 1\nf 3 2 1\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
                                   "newmtl all\nTf 1 1 1\nNi 1.5\nillum 7\n" };
    struct path_state *s = path_picture(&of);
    int64_t longer = 0;
    (void)unused;
    for (int64_t i = 0; i < s->setup.count; i++) {
        longer += s->pixels[i].segments > 4;
        assert_true(fabs(s->pixels[i].blue / 4 - 1) < 1e-4);
    }
    assert_true(longer > 100);
    path_picture_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_within_noise),
        cmocka_unit_test(nearly_all_pixels_are_the_same),
        cmocka_unit_test(white_furnace),
    };
    if (!dlopen("libembree3.so.3", RTLD_NOW | RTLD_LOCAL))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
