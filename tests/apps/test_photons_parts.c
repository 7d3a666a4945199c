/* test_photons_parts.c - the parts of photon transport: random numbers as published by their
 * authors, functions as accurate as the C library's, input files and their errors, and results that
 * another program can read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "exact.h"
#include "philox.h"
#include "photons/photons_grids.h"
#include "photons_scene.h"

/* Random123's known answers. */
static void philox_is_philox(void **unused)
{
    static const struct {
        philox_t counter;
        uint32_t key[2];
        philox_t right;
    } known[] = {
        { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
          { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    (void)unused;
    for (int k = 0; k < 3; k++) {
        const philox_t got = philox(known[k].counter, known[k].key[0], known[k].key[1]);
        assert_memory_equal(&got, &known[k].right, sizeof got);
    }
}

static void close_to(const char *what, float x, float got, double right)
{
    const double allowed = 4e-7 * fabs(right) + 2e-7;
    if (!(fabs((double)got - right) <= allowed))
        fail_msg("%s of %.9g is %.9g and should be %.9g", what, (double)x, (double)got, right);
}

static void functions_are_right(void **unused)
{
    (void)unused;
    for (int k = 0; k < 100000; k++) {
        const uint32_t bits = philox((philox_t){ (uint32_t)k, 0, 0, 0 }, 1, 2).a;
        const float u = exact_uniform(bits);
        const float wide = ldexpf(u, (int)(bits % 120) - 60);
        const turn_t turn = exact_turn(bits);
        const double quarter = bits >> 30;
        const double angle =
            3.14159265358979 / 2 * (quarter + (double)exact_uniform(bits << 2) - 0.5);
        assert_true(u > 0 && u < 1);
        assert_float_equal(exact_reciprocal(wide) * wide, 1, 3e-7);
        assert_float_equal(exact_root(wide) / sqrtf(wide), 1, 3e-7);
        close_to("-ln", u, exact_minus_log(u), -log((double)u));
        close_to("-ln", wide, exact_minus_log(wide), -log((double)wide));
        close_to("acos", u, exact_acos(u), acos((double)u));
        close_to("cosine", u, turn.cosine, cos(angle));
        close_to("sine", u, turn.sine, sin(angle));
    }
    assert_float_equal(exact_root(0), 0, 0);
    assert_float_equal(exact_acos(1), 0, 0);
    assert_true(exact_uniform(0) > 0 && exact_uniform(UINT32_MAX) < 1);
    assert_true(exact_minus_log(exact_uniform(UINT32_MAX)) > 0);
}

/* --- input files --- */

static const char good[] = "# a comment\n"
                           "1.0\t# version\r\n"
                           "\n  2  # runs\n"
                           "one.mco A\n1000\n1e-3 2E-3\n10 20 30\n1\n1\n1.4 1 10 .9 .1\n1\n"
                           "two.mco a # text\n  2000 \n0.5 0.25\n3 2 1\n2\n1.1\n"
                           "1.4 0 0 0 1e2\n"
                           "1.3 2 20 -1 3  yield 0.25 1.2 1 10 1 # fluorescence\n"
                           "1.5";

static void runs_are_read(void **unused)
{
    struct mci_run run = { .layers = NULL };
    (void)unused;
    assert_int_equal(mci_read(&(struct mci_text){ "good", good }, 1, &run), YOKE_OK);
    assert_string_equal(run.output, "one.mco");
    assert_int_equal(run.packets, 1000);
    assert_int_equal(run.layer_count, 1);
    assert_float_equal(run.layers[0].light.g, 0.9, 0);
    assert_float_equal(run.layers[0].yield, 0, 0);
    assert_float_equal(run.layers[0].fluorescence.mus, 10, 0);
    free(run.layers);
    assert_int_equal(mci_read(&(struct mci_text){ "good", good }, 2, &run), YOKE_OK);
    assert_string_equal(run.output, "two.mco");
    assert_true(run.nz == 3 && run.nr == 2 && run.na == 1 && run.dz == 0.5 && run.dr == 0.25);
    assert_true(run.n_above == 1.1 && run.n_below == 1.5 && run.layer_count == 2);
    assert_true(run.layers[1].yield == 0.25 && run.layers[1].fluorescence.n == 1.2 &&
                run.layers[1].fluorescence.mua == 1 && run.layers[1].fluorescence.g == 1 &&
                run.layers[1].depth == 3 && run.layers[1].light.g == -1);
    free(run.layers);
}

static void refused(const char *text, int which, const char *words)
{
    struct mci_run run = { .packets = 77 };
    yoke_status status = mci_read(&(struct mci_text){ "bad.mci", text }, which, &run);
    if (status != YOKE_EINVAL)
        fail_msg("taken, or %d: %s", status, text);
    assert_int_equal(run.packets, 77);
    assert_null(run.layers);
    if (!strstr(app_error_text(), words))
        fail_msg("'%s' does not say '%s'", app_error_text(), words);
}

#define HEAD         "1.0\n1\nr.mco A\n"
#define GRID         HEAD "10\n1e-3 1e-3\n10 10 10\n"
#define LAYER(words) GRID "1\n1\n" words "\n1\n"

static void what_is_wrong_is_said_with_its_line(void **unused)
{
    (void)unused;
    refused("", 1, "bad.mci:1: the file ends, but the file's version belongs here");
    refused("# nothing\n\n", 1, "bad.mci:2: the file ends");
    refused("mcmli2.0\n", 1, "bad.mci:1: 'mcmli2.0' is not the file's version");
    refused("2.0\n1\n", 1, "bad.mci:1: the file's version is 2");
    refused("1.0\n0\n", 1, "bad.mci:2: the number of runs is 0");
    refused("1.0 1\n", 1, "bad.mci:1: '1.0 1' is not");
    refused(good, 3, "run 3 is asked for, and the file has 2");
    refused("1.0\n1\nr.mco\n", 1, "bad.mci:3: behind the results' name belongs A");
    refused("1.0\n1\nr.mco B\n", 1, "binary");
    refused(HEAD "0\n", 1, "bad.mci:4: the number of packets is 0");
    refused(HEAD "-5\n", 1, "bad.mci:4: the number of packets is -5");
    refused(HEAD "1.5\n", 1, "bad.mci:4: the number of packets is 1.5");
    refused(HEAD "1e30\n", 1, "bad.mci:4: the number of packets is 1e+30");
    refused(HEAD "nan\n", 1, "bad.mci:4: the number of packets is nan");
    refused(HEAD "ten\n", 1, "bad.mci:4: 'ten' is not the number of packets");
    refused(HEAD "10\n0 1e-3\n", 1, "bad.mci:5: dz (cm) is 0");
    refused(HEAD "10\n-1e-3 1e-3\n", 1, "bad.mci:5: dz (cm) is -0.001");
    refused(HEAD "10\nnan 1e-3\n", 1, "bad.mci:5: dz (cm) is nan");
    refused(HEAD "10\n1e-3 inf\n", 1, "bad.mci:5: dr (cm) is inf");
    refused(HEAD "10\n1e-3\n", 1, "bad.mci:5: '1e-3' is not dz and dr");
    refused(HEAD "10\n1e-3 1e-3\n10 0 10\n", 1, "bad.mci:6: the number of dr is 0");
    refused(HEAD "10\n1e-3 1e-3\n10 10\n", 1, "bad.mci:6:");
    refused(HEAD "10\n1e-3 1e-3\n99999 99999 9\n", 1, "bad.mci:6: grids of");
    refused(GRID "0\n", 1, "bad.mci:7: the number of layers is 0");
    refused(GRID "1001\n", 1, "bad.mci:7: the number of layers is 1001");
    refused(GRID "1\n-1\n", 1, "bad.mci:8: the refractive index above is -1");
    refused(GRID "2\n1\n1 1 1 0 1\n", 1, "bad.mci:9: the file ends, but a layer");
    refused(LAYER("1 1 1 0"), 1, "bad.mci:9: '1 1 1 0' is not a layer");
    refused(LAYER("0 1 1 0 1"), 1, "bad.mci:9: a refractive index is 0");
    refused(LAYER("nan 1 1 0 1"), 1, "bad.mci:9: a refractive index is nan");
    refused(LAYER("1 -1 1 0 1"), 1, "bad.mci:9: mua (1/cm) is -1");
    refused(LAYER("1 inf 1 0 1"), 1, "bad.mci:9: mua (1/cm) is inf");
    refused(LAYER("1 1 -1 0 1"), 1, "bad.mci:9: mus (1/cm) is -1");
    refused(LAYER("1 1 1e400 0 1"), 1, "bad.mci:9: mus (1/cm) is inf");
    refused(LAYER("1 1e-12 0 0 1"), 1, "bad.mci:9: mua + mus is 1e-12 1/cm; write 0");
    refused(LAYER("1 1 -inf 0 1"), 1, "bad.mci:9: mus (1/cm) is -inf");
    refused(LAYER("inf 1 1 0 1"), 1, "bad.mci:9: a refractive index is inf");
    refused(LAYER("1 1 1 1.01 1"), 1, "bad.mci:9: g is 1.01");
    refused(LAYER("1 1 1 nan 1"), 1, "bad.mci:9: g is nan");
    refused(LAYER("1 1 1 0 nan"), 1, "bad.mci:9: the layer's thickness (cm) is nan");
    refused(LAYER("1,1,1,0,1"), 1, "bad.mci:9: '1,1,1,0,1' is not a layer");
    refused(LAYER("1 1 1 0x 1"), 1, "bad.mci:9: '1 1 1 0x 1' is not a layer");
    refused(LAYER("1 1 1 0 0"), 1, "bad.mci:9: the layer's thickness (cm) is 0");
    refused(LAYER("1 1 1 0 -2"), 1, "bad.mci:9: the layer's thickness (cm) is -2");
    refused(LAYER("1 1 1 0 inf"), 1, "bad.mci:9: the layer's thickness (cm) is inf");
    refused(LAYER("1 1 1 0 1 2"), 1, "bad.mci:9: '2' follows the layer's five numbers");
    refused(LAYER("1 1 1 0 1 yields 1 1 1 1 0"), 1, "bad.mci:9: 'yields");
    refused(LAYER("1 1 1 0 1 yield 1 1 1 1"), 1, "bad.mci:9: five numbers belong behind yield");
    refused(LAYER("1 1 1 0 1 yield"), 1, "bad.mci:9: five numbers belong behind yield");
    refused(LAYER("1 1 1 0 1 yield 1.5 1 1 1 0"), 1, "bad.mci:9: the yield is 1.5");
    refused(LAYER("1 1 1 0 1 yield -0.1 1 1 1 0"), 1, "bad.mci:9: the yield is -0.1");
    refused(LAYER("1 1 1 0 1 yield nan 1 1 1 0"), 1, "bad.mci:9: the yield is nan");
    refused(LAYER("1 1 1 0 1 yield 1 1 1 inf 0"), 1, "bad.mci:9: mus (1/cm) is inf");
    refused(LAYER("1 1 1 0 1 yield 1 1 -1 1 0"), 1, "bad.mci:9: mua (1/cm) is -1");
    refused(GRID "2\n1\n1 1 1 0 1e8\n1 1 1 0 1\n1\n", 1, "bad.mci:10: a layer of 1 cm below 1e+08");
    refused(GRID "1\n1\n1 1 1 0 1\n", 1, "the file ends, but the refractive index below");
    refused(LAYER("1 1 1 0 1") "\n", 2, "run 2 is asked for");
    refused(GRID "1\n1\n1 1 1 0 1\ninf\n", 1, "bad.mci:10: the refractive index below is inf");
    refused(LAYER("1 1 1 0 1") "\n\nr.mco A\n", 1,
            "bad.mci:13: the file goes on behind the last of its 1 runs");
    /* in a run that was not requested */
    refused("1.0\n2\nr.mco A\n10\n1 1\n1 1 1\n1\n1\n1 1 1 0 1\n1\nr.mco A\n0\n", 1,
            "bad.mci:12: the number of packets is 0");
}

static void files_that_are_none(void **unused)
{
    struct mci_run run;
    char path[] = "/tmp/photons-XXXXXX";
    int handle = mkstemp(path);
    (void)unused;
    assert_int_equal(mci_load("/nowhere/a.mci", 1, &run), YOKE_EIO);
    assert_non_null(strstr(app_error_text(), "cannot read /nowhere/a.mci"));
    assert_int_equal(mci_load("/tmp", 1, &run), YOKE_EIO);
    assert_int_equal(write(handle, "1.0\n\0", 5), 5);
    assert_int_equal(mci_load(path, 1, &run), YOKE_EINVAL);
    assert_non_null(strstr(app_error_text(), path));
    assert_non_null(strstr(app_error_text(), ":2: a byte of 0"));
    assert_int_equal(ftruncate(handle, 2 << 20), 0);
    assert_int_equal(mci_load(path, 1, &run), YOKE_EINVAL);
    assert_non_null(strstr(app_error_text(), "1 MiB"));
    close(handle);
    unlink(path);
}

/* --- results --- */

/* Each grid adds up to the quantity whose density it is. */
static void grids_add_up(void **unused)
{
    const double pi = 3.14159265358979;
    struct photons_state *s =
        scene_open(&(struct scene){ "1\n1 10 90 0.75 0.02 yield 0.5 1 0 90 0.75\n1", 1, 20000 });
    const struct photons_sums sums = photons_sums(s, 0);
    const struct grid_of absorption = { s, 0, GRID_ABSORPTION }, up = { s, 0, GRID_UP };
    const struct grid_of fluence = { s, 0, GRID_FLUENCE }, dark = { s, 1, GRID_FLUENCE };
    const double da = pi / 2 / s->input.na, dr = s->input.dr, dz = s->input.dz;
    double absorbed[2] = { 0 }, left[3] = { 0 };
    (void)unused;
    for (int32_t i = 0; i < s->input.nz; i++) {
        absorbed[0] += grid_row(&absorption, i) * dz;
        assert_float_equal(grid_row(&fluence, i), grid_row(&absorption, i) / 10, 1e-12);
        assert_float_equal(grid_row(&dark, i), 0, 0); /* nothing absorbs: unknown */
        for (int32_t j = 0; j < s->input.nr; j++)
            absorbed[1] += grid_cell(&absorption, i, j) * dz * pi * dr * dr * (2 * j + 1);
    }
    for (int32_t j = 0; j < s->input.na; j++) {
        const double cone = 2 * pi * (cos(j * da) - cos((j + 1) * da));
        left[0] += grid_column(&up, j) * cone;
        for (int32_t i = 0; i < s->input.nr; i++)
            left[1] +=
                grid_cell(&up, i, j) * cone * cos((j + 0.5) * da) * pi * dr * dr * (2 * i + 1);
    }
    for (int32_t i = 0; i < s->input.nr; i++)
        left[2] += grid_row(&up, i) * pi * dr * dr * (2 * i + 1);
    for (int k = 0; k < 2; k++)
        assert_float_equal(absorbed[k], scene_share(s, sums.absorbed), 1e-9);
    for (int k = 0; k < 3; k++)
        assert_float_equal(left[k], scene_share(s, sums.up), 1e-9);
    scene_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_is_philox),
        cmocka_unit_test(functions_are_right),
        cmocka_unit_test(runs_are_read),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(grids_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
