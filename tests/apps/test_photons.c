/* test_photons.c - photon transport against every exactly known value: reflected, transmitted and
 * absorbed light, specular reflection, unscattered light, sums of fluorescence; energy to the last
 * unit; and the same bits on every device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "photons_scene.h"

/* --- known values --- */

/* Energy is conserved: nothing is lost. */
static void adds_up(const struct photons_state *s)
{
    for (int w = 0; w < s->wavelengths; w++) {
        const struct photons_sums sums = photons_sums(s, w);
        assert_int_equal(sums.begun + sums.gained, sums.up + sums.down + sums.absorbed + sums.cut);
        assert_int_equal(sums.layers, sums.absorbed);
        assert_int_equal(sums.cut, 0);
        assert_true(sums.straight_up <= sums.up && sums.straight_down <= sums.down);
    }
}

/* References: van de Hulst; adding-doubling; Chandrasekhar; Giovanelli without the specular part.
 */
static void exact_values(void **unused)
{
    static const struct {
        const char *layers;
        int64_t packets;
        double up, down, absorbed;
    } cases[] = {
        { "1\n1 10 90 0.75 0.02\n1", 4000000, 0.097395, 0.660958, 0.241648 },
        { "1\n1 10 90 0 1e8\n1", 400000, 0.41494748, 0, 0.58505252 },
        { "1\n1 1 99 0 1e8\n1", 100000, 0.75272072, 0, 0.24727928 },
        { "1\n1.5 10 90 0 1e8\n1", 400000, 0.2199, 0, 0.7401 },
        /* a layer cut in two, and its surface under glass of the same index, give the same result
         */
        { "1\n1 10 90 0.75 0.005\n1 10 90 0.75 0.015\n1", 1000000, 0.097395, 0.660958, 0.241648 },
        { "1\n1 0 0 0 0.1\n1 10 90 0.75 0.02\n1", 1000000, 0.097395, 0.660958, 0.241648 },
    };
    (void)unused;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int count = -1;
        for (const char *at = cases[k].layers; *at; at++)
            count += *at == '\n';
        struct photons_state *s =
            scene_open(&(struct scene){ cases[k].layers, count, cases[k].packets });
        const struct photons_sums sums = photons_sums(s, 0);
        scene_near("diffuse reflectance", scene_share(s, sums.up), cases[k].up, s->packets);
        scene_near("transmittance", scene_share(s, sums.down), cases[k].down, s->packets);
        scene_near("absorption", scene_share(s, sums.absorbed), cases[k].absorbed, s->packets);
        adds_up(s);
        scene_close(s);
    }
}

/* exp(-(mua + mus) d), for any layers; without a wall nothing comes back. */
static void unscattered(void **unused)
{
    struct photons_state *s = scene_open(&(struct scene){ "1\n1 10 90 0.75 0.02\n1", 1, 1000000 });
    struct photons_sums sums = photons_sums(s, 0);
    (void)unused;
    scene_near("unscattered", scene_share(s, sums.straight_down), exp(-2), s->packets);
    assert_int_equal(sums.straight_up, 0);
    scene_close(s);
    s = scene_open(
        &(struct scene){ "1\n1 3 7 -0.5 0.05\n1 20 1 0.9 0.03\n1 0 0 0 1\n1", 3, 1000000 });
    sums = photons_sums(s, 0);
    scene_near("unscattered", scene_share(s, sums.straight_down), exp(-0.5 - 0.63), s->packets);
    adds_up(s);
    scene_close(s);
}

/* Only walls: a plate reflects r + (1 - r)^2 r / (1 - r^2) of the light, with all internal
 * reflections. */
static void walls(void **unused)
{
    const double r = 0.04, first = (1.5 - 1) * (1.5 - 1) / (2.5 * 2.5);
    struct photons_state *s = scene_open(&(struct scene){ "1\n1.5 0 0 0 0.3\n1", 1, 400000 });
    struct photons_sums sums = photons_sums(s, 0);
    (void)unused;
    assert_float_equal(s->specular, first, 1e-12);
    scene_near("a plate's transmittance", scene_share(s, sums.down), (1 - r) / (1 + r), s->packets);
    assert_int_equal(sums.absorbed, 0);
    assert_int_equal(sums.straight_down, sums.down);
    assert_int_equal(sums.straight_up, sums.up);
    adds_up(s);
    scene_close(s);
    /* Glass over tissue: the specular part is the reflection of both sides of the glass. */
    s = scene_open(&(struct scene){ "1\n1.5 0 0 0 0.1\n1.3 10 90 0.9 1\n1.3", 2, 1000 });
    const double inner = 0.04 / (2.8 * 2.8);
    assert_float_equal(s->specular, r + (1 - r) * (1 - r) * inner / (1 - r * inner), 1e-12);
    adds_up(s);
    scene_close(s);
}

/* --- fluorescence --- */

static void without_yield_there_is_none(void **unused)
{
    const char *dark = "1\n1.4 10 90 0.75 0.02\n1.2 5 10 0 0.1\n1";
    const char *bright = "1\n1.4 10 90 0.75 0.02\n1.2 5 10 0 0.1 yield 0.7 1.3 1 50 0.5\n1";
    struct photons_state *none = scene_open(&(struct scene){ dark, 2, 50000 });
    struct photons_state *some = scene_open(&(struct scene){ bright, 2, 50000 });
    const size_t emitted = (size_t)some->layers[0].yield_slot;
    (void)unused;
    assert_int_equal(none->wavelengths, 1);
    assert_int_equal(photons_sums(none, 1).begun, 0);
    assert_int_equal(some->wavelengths, 2);
    /* The excitation light does not depend on it. */
    assert_memory_equal(none->tally, some->tally, emitted * sizeof *none->tally);
    assert_int_equal(photons_emitted(some, 0), 0);
    assert_true(photons_emitted(some, 1) > 0);
    adds_up(some);
    scene_close(none);
    scene_close(some);
}

/* E = sum of yield times absorption, linear in the yield. */
static void yields(void **unused)
{
    static const double values[] = { 0.1, 0.5, 1 };
    (void)unused;
    for (int k = 0; k < 3; k++) {
        char layers[96];
        snprintf(layers, sizeof layers, "1\n1 10 90 0.75 0.02 yield %g 1 10 90 0.75\n1", values[k]);
        struct photons_state *s = scene_open(&(struct scene){ layers, 1, 400000 });
        const struct photons_sums light = photons_sums(s, 0), sent = photons_sums(s, 1);
        const double right = values[k] * 0.241648;
        /* At most one per packet on average, but two are possible: more variance than a binomial.
         */
        assert_float_equal(scene_share(s, light.emitted), right,
                           4 * sqrt(right / (double)s->packets));
        assert_int_equal(sent.begun, light.emitted);
        /* All energy is accounted for, including light that was absorbed and not emitted again. */
        assert_int_equal(s->packets * s->setup.start_weight + light.gained + sent.gained,
                         light.up + light.down + (light.absorbed - light.emitted) + sent.up +
                             sent.down + sent.absorbed);
        adds_up(s);
        scene_close(s);
    }
}

/* A slab that is clear for its own light emits half on each side. */
static void a_clear_slab_sends_half_each_way(void **unused)
{
    struct photons_state *s =
        scene_open(&(struct scene){ "1\n1 10 90 0.75 0.02 yield 1 1 0 0 0\n1", 1, 1000000 });
    const struct photons_sums sent = photons_sums(s, 1);
    (void)unused;
    assert_int_equal(sent.absorbed, 0);
    assert_int_equal(sent.up + sent.down, sent.begun);
    scene_near("upwards", (double)sent.up / (double)sent.begun, 0.5, sent.begun / PHOTONS_UNIT);
    adds_up(s);
    scene_close(s);
    /* It scatters but does not absorb: all light escapes somewhere. */
    s = scene_open(&(struct scene){ "1\n1.3 10 90 0.75 0.02 yield 1 1.3 0 90 0\n1", 1, 20000 });
    assert_int_equal(photons_sums(s, 1).absorbed, 0);
    adds_up(s);
    scene_close(s);
}

/* Walks that no wall lets out are cut: those outside of both escape cones. */
static void what_is_caught_is_cut(void **unused)
{
    const char *layers = "1\n1.5 10 90 0.75 0.02 yield 1 1.5 0 0 0\n1";
    struct photons_state *s = scene_open(&(struct scene){ layers, 1, 40000, "1000" });
    const struct photons_sums sent = photons_sums(s, 1);
    char note[APP_NOTE_MAX];
    (void)note;
    (void)unused;
    assert_int_equal(sent.up + sent.down + sent.cut, sent.begun);
    scene_near("caught", (double)sent.cut / (double)sent.begun, sqrt(1 - 1 / 2.25),
               sent.begun / PHOTONS_UNIT);
    scene_close(s);
}

/* --- the same bits --- */

static void same_on_every_device_and_for_every_split(void **unused)
{
    static const char *const devices[] = { "cpu:1", "cpu", "opencl:0", "cpu:1,opencl:0:units=1",
                                           "sim:cpu:cores=3,sim:gpu*2" };
    static const char *const partitioners[] = { "even", "dynamic:chunk=777", "guided", NULL };
    struct scene scene = scene_tissue;
    struct photons_state *first = scene_open(&scene);
    (void)unused;
    adds_up(first);
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++)
        for (size_t p = 0; p < sizeof partitioners / sizeof *partitioners; p++) {
            scene.devices = devices[d];
            scene.partitioner = partitioners[p];
            struct photons_state *s = scene_open(&scene);
            if (!s)
                continue;
            assert_memory_equal(s->tally, first->tally, (size_t)scene_slots(s) * sizeof *s->tally);
            scene_close(s);
        }
    scene_close(first);
}

/* The plain kernel, with every compiler's arithmetic. */
static void lanes_do_what_a_packet_alone_does(void **unused)
{
    struct photons_state *s = scene_open(&scene_tissue);
    int64_t *tally = calloc((size_t)scene_slots(s), sizeof *tally);
    void *args[] = { &s->setup, s->layers, tally };
    (void)unused;
    for (int64_t i = 0; i < s->packets; i += 1000)
        photons.cpu.variant[0](args,
                               &(yoke_chunk){ i, i + 1000 < s->packets ? i + 1000 : s->packets });
    assert_memory_equal(s->tally, tally, (size_t)scene_slots(s) * sizeof *tally);
    free(tally);
    scene_close(s);
}

static void seeds_differ(void **unused)
{
    struct scene scene = scene_tissue;
    struct photons_state *a = scene_open(&scene), *b;
    (void)unused;
    scene.seed = (uint64_t)1 << 32 | 1;
    b = scene_open(&scene);
    assert_memory_not_equal(a->tally, b->tally, (size_t)scene_slots(a) * sizeof *a->tally);
    scene_close(a);
    scene_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_values),
        cmocka_unit_test(unscattered),
        cmocka_unit_test(walls),
        cmocka_unit_test(without_yield_there_is_none),
        cmocka_unit_test(yields),
        cmocka_unit_test(a_clear_slab_sends_half_each_way),
        cmocka_unit_test(what_is_caught_is_cut),
        cmocka_unit_test(same_on_every_device_and_for_every_split),
        cmocka_unit_test(lanes_do_what_a_packet_alone_does),
        cmocka_unit_test(seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
