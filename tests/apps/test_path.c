/* test_path.c - pictures with known light: furnaces, white furnaces, a lamp over a floor; the same
 * mean by every method; noise that falls as it must. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "path_picture.h"

/* A cube around the origin with its emitting sides inwards, or outwards. */
#define CUBE                                                                                       \
    "mtllib scene.mtl\nusemtl all\n"                                                               \
    "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
static const char inwards[] =
    CUBE "f 1 2 3 4\nf 8 7 6 5\nf 5 6 2 1\nf 4 3 7 8\nf 1 4 8 5\nf 6 7 3 2\n";
static const char outwards[] =
    CUBE "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 8 7 3 4\nf 5 8 4 1\nf 2 3 7 6\n";

/* Le (1 - rho^(d+1)) / (1 - rho): a path collects Le at each surface, with weight rho^k. */
static void furnace_to_the_last_digit(void **unused)
{
    const struct picture_of of = {
        2,
        { "scene", "alone", "picture", "24x16", "shadows", "0", "depth", "8", "roulette", "8",
          "eye", "0.1,0.2,0.3", "look", "1,0,0.5", "fov", "90" },
        inwards,
        "newmtl all\nKd 0.5 0.5 0.5\nKe 0.5 0.5 0.5\n",
    };
    const double right = 0.5 * (1 - pow(0.5, 9)) / 0.5;
    struct path_state *s = path_picture(&of);
    (void)unused;
    for (int64_t i = 0; i < s->setup.count; i++)
        if (s->pixels[i].segments)
            assert_true(fabs(s->pixels[i].green / 2 - right) < 1e-5);
    path_picture_free(s);
}

/* With a limit that is never reached, and Russian roulette: Le / (1 - rho) within four errors. */
static void furnace_with_roulette(void **unused)
{
    const struct picture_of of = {
        64,
        { "scene", "alone", "picture", "64x64", "shadows", "0", "depth", "200", "roulette", "0",
          "eye", "0.1,0.2,0.3", "look", "1,0,0.5", "fov", "90" },
        inwards,
        "newmtl all\nKd 0.7 0.7 0.7\nKe 0.3 0.3 0.3\n",
    };
    struct path_state *s = path_picture(&of);
    const struct path_mean mean = path_mean_of(s);
    (void)unused;
    assert_true(mean.error > 0 && mean.error < 0.01);
    assert_true(fabs(mean.mean - 1) < 4 * mean.error);
    path_picture_free(s);
}

/* A surface that reflects all light is invisible under a uniform sky, for every kind of reflection.
 */
static void white_furnace(void **unused)
{
    static const char *const materials[] = {
        "newmtl all\nKd 1 1 1\n",
        "newmtl all\nKs 1 1 1\nillum 3\n",
        "newmtl all\nTf 1 1 1\nNi 1.5\nillum 7\n",
    };
    (void)unused;
    for (int k = 0; k < 3; k++) {
        const struct picture_of of = { 4,
                                       { "scene", "alone", "picture", "32x32", "depth", "1000",
                                         "roulette", "1000", "sky", "1", "fov", "50" },
                                       outwards,
                                       materials[k] };
        struct path_state *s = path_picture(&of);
        int64_t longer = 0;
        for (int64_t i = 0; i < s->setup.count; i++) {
            const pixel_t *p = &s->pixels[i];
            longer += p->segments > 4;
            if (p->segments)
                assert_true(fabs(p->blue / 4 - 1) < 1e-4);
        }
        assert_true(longer > 100);
        path_picture_free(s);
    }
}

/* --- a lamp: Lambert's formula, E = L / 2 times the sum over edges of theta (n . gamma) --- */

static double irradiance(const double corners[4][3])
{
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        const double *a = corners[k], *b = corners[(k + 1) % 4];
        const double aa = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        const double bb = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        const double cosine = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (aa * bb);
        const double gamma[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                  a[0] * b[1] - a[1] * b[0] };
        sum += acos(cosine) * gamma[1] /
               sqrt(gamma[0] * gamma[0] + gamma[1] * gamma[1] + gamma[2] * gamma[2]);
    }
    return fabs(sum) / 2;
}

/* The Cornell box's lamp over a floor, seen at a point so close that all pixels are equal. */
static void direct_light(void **unused)
{
    static const char lamp[] =
        "mtllib scene.mtl\nusemtl floor\nv -2000 0 -2000\nv 2000 0 -2000\nv 2000 0 2000\n"
        "v -2000 0 2000\nf 1 4 3 2\nusemtl lamp\nv 343 548 227\nv 343 548 332\nv 213 548 332\n"
        "v 213 548 227\nf 5 6 7 8\n";
    static const char *const ways[][2] = { { "0", "400" }, { "1", "64" }, { "5", "16" } };
    static const char *const eyes[] = { "100,300,100", "278,400,279.5" };
    static const char *const looks[] = { "100.1,0,100", "278.1,0,279.5" };
    static const double points[][2] = { { 100, 100 }, { 278, 279.5 } };
    (void)unused;
    for (int point = 0; point < 2; point++)
        for (int k = 0; k < 3; k++) {
            const struct picture_of of = {
                strtol(ways[k][1], NULL, 10),
                { "scene", "alone", "picture", "64x64", "shadows", ways[k][0], "depth", "1",
                  "roulette", "1", "eye", eyes[point], "look", looks[point], "fov", "0.1" },
                lamp,
                "newmtl floor\nKd 0.6 0.6 0.6\nnewmtl lamp\nKd 0 0 0\nKe 20 20 20\n",
            };
            const double x = points[point][0], z = points[point][1];
            const double corners[4][3] = { { 343 - x, 548, 227 - z },
                                           { 343 - x, 548, 332 - z },
                                           { 213 - x, 548, 332 - z },
                                           { 213 - x, 548, 227 - z } };
            const double right = 0.6 * 20 / 3.14159265358979 * irradiance(corners);
            struct path_state *s = path_picture(&of);
            const struct path_mean mean = path_mean_of(s);
            if (!(mean.error < 0.05 * right &&
                  fabs(mean.mean - right) < 4 * mean.error + 1e-3 * right))
                fail_msg("%s shadow rays: %g, %g expected, error %g", ways[k][0], mean.mean, right,
                         mean.error);
            path_picture_free(s);
        }
}

/* --- one scene, several ways to its mean --- */

static void one_mean(void **unused)
{
    static const struct picture_of ways[] = {
        { 64, { "scene", "blocks", "picture", "40x40", "depth", "12", "roulette", "12" } },
        { 64, { "scene", "blocks", "picture", "40x40", "depth", "12", "shadows", "4" } },
        { 256, { "scene", "blocks", "picture", "40x40", "depth", "12", "shadows", "0" } },
        { 64, { "scene", "blocks", "picture", "40x40", "depth", "12", "roulette", "0" } },
        { 64, { "scene", "blocks", "picture", "40x40", "depth", "12", "coherent", "1" } },
        { 64, { "scene", "blocks", "picture", "40x40", "depth", "12", "passes", "5" } },
    };
    double first = 0;
    (void)unused;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        struct picture_of other = ways[k];
        struct path_state *s = path_picture(&other);
        struct path_state *t;
        struct path_mean mean = path_mean_of(s), again;
        double spread;
        other.seed = 77;
        t = path_picture(&other);
        again = path_mean_of(t);
        spread = fabs(mean.mean - again.mean);
        /* pixels differ much more than their noise, so `error` is too large */
        if (k == 0)
            first = mean.mean;
        if (fabs(mean.mean - first) > mean.error || spread > mean.error)
            fail_msg("way %zu: %g and %g, not %g", k, mean.mean, again.mean, first);
        assert_true(spread > 0);
        path_picture_free(s);
        path_picture_free(t);
    }
}

/* Sixteen times the samples give a quarter of the error. */
static void noise_falls_as_the_root(void **unused)
{
    static const int64_t samples[] = { 4, 64, 2048 };
    struct path_state *pictures[3];
    double errors[2] = { 0, 0 };
    (void)unused;
    for (int k = 0; k < 3; k++) {
        const struct picture_of of = { .samples = samples[k],
                                       .words = { "scene", "blocks", "picture", "32x32" },
                                       .seed = (uint64_t)k + 1 };
        pictures[k] = path_picture(&of);
    }
    for (int64_t i = 0; i < pictures[2]->setup.count; i++)
        for (int k = 0; k < 2; k++) {
            const double off = pictures[k]->pixels[i].green / (double)samples[k] -
                               pictures[2]->pixels[i].green / (double)samples[2];
            errors[k] += off * off;
        }
    assert_true(sqrt(errors[0] / errors[1]) > 3.2 && sqrt(errors[0] / errors[1]) < 4.8);
    for (int k = 0; k < 3; k++)
        path_picture_free(pictures[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(furnace_to_the_last_digit),
        cmocka_unit_test(furnace_with_roulette),
        cmocka_unit_test(white_furnace),
        cmocka_unit_test(direct_light),
        cmocka_unit_test(one_mean),
        cmocka_unit_test(noise_falls_as_the_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
