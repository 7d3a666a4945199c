/* test_matrix.c - every set of simulated devices is measured: each has its runs and the figures
 * derived from them; a failing set does not affect the others; cores that would need minutes do a
 * part; after Ctrl-C or without memory the results so far remain, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "allocations.h"
#include "matrix.h"

static struct measure_spec spec_of(const char *app, const char *devices)
{
    struct measure_spec spec = {
        .app = app_find(app), .input.seed = 1, .config.devices = devices, .repeat = 4, .verify = 1
    };
    for (int k = 0; spec.app->options && spec.app->options[k].name; k++)
        spec.input.values[k] = spec.app->options[k].initial;
    return spec;
}

static const struct matrix_cell *cell_of(const struct matrix *matrix, int size, const char *name)
{
    for (int s = 0; s < matrix->sets.count; s++)
        if (!strcmp(matrix->sets.sets[s].name, name))
            return &matrix->sizes[size].cells[s];
    fail_msg("there is no set %s", name);
    return NULL;
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void figures_follow_from_times(void **unused)
{
    struct measure_spec spec = spec_of("saxpy", "sim:cpu:cores=4,sim:gpu*3");
    struct matrix m = { .size_count = 2, .sizes = { { .size = { 100000 } }, { .size = { 7 } } } };
    (void)unused;
    assert_int_equal(matrix_measure(&spec, &m), YOKE_OK);
    assert_true(m.is_complete);
    assert_int_equal(m.sets.count, 9);
    for (int s = 0; s < 2; s++) {
        double cores = cell_of(&m, s, "C")->figures.seconds;
        double gpu = cell_of(&m, s, "G")->figures.seconds;
        for (int set = 0; set < m.sets.count; set++) {
            const struct matrix_cell *cell = &m.sizes[s].cells[set];
            int gpus = __builtin_popcount(m.sets.sets[set].devices >> 1);
            int with_cores = m.sets.sets[set].devices & 1;
            double ideal = 1 / (with_cores / cores + gpus / gpu);
            double best = with_cores && (cores < gpu || !gpus) ? cores : gpu;
            assert_int_equal(cell->figures.run_count, 4);
            assert_int_equal(cell->figures.verified, 1);
            assert_int_equal(cell->figures.device_count, gpus + with_cores);
            assert_int_equal(cell->part, 1);
            assert_true(isfinite(cell->figures.first_seconds) && isnan(cell->figures.regret));
            near(cell->figures.ideal_seconds, ideal);
            near(cell->figures.efficiency, ideal / cell->figures.seconds);
            near(cell->figures.gain, best / cell->figures.seconds);
            near(cell->speedup, cores / cell->figures.seconds);
            for (int d = 0; d < cell->figures.device_count; d++)
                near(cell->figures.devices[d].alone_seconds, d == 0 && with_cores ? cores : gpu);
        }
    }
    matrix_close(&m);
}

static void a_sweep_tells_regret(void **unused)
{
    struct measure_spec spec = spec_of("saxpy", "sim:cpu:cores=4,sim:gpu");
    struct matrix m = { .size_count = 1, .sizes = { { .size = { 100000 } } } };
    (void)unused;
    spec.sweep_step = 0.25;
    assert_int_equal(matrix_measure(&spec, &m), YOKE_OK);
    assert_true(isfinite(cell_of(&m, 0, "C+G")->figures.regret));
    assert_true(isnan(cell_of(&m, 0, "C")->figures.regret));
    assert_true(isnan(cell_of(&m, 0, "G")->figures.regret));
    matrix_close(&m);
}

/* 4,000 elements per second: all rows take 250 s, and 1/16 of them 16 s. */
static void slow_cores_do_a_part(void **unused)
{
    struct measure_spec spec = spec_of("saxpy", "sim:cpu:cores=4:rate=1e3,sim:gpu");
    struct matrix m = { .size_count = 1, .sizes = { { .size = { 1000000 } } } };
    const struct matrix_cell *cores;
    (void)unused;
    assert_int_equal(matrix_measure(&spec, &m), YOKE_OK);
    cores = cell_of(&m, 0, "C");
    assert_int_equal(cores->part, MATRIX_PART);
    assert_int_equal(cores->figures.verified, -1);
    if (!(fabs(cores->figures.seconds - 250) < 1))
        fail_msg("%g s are not 250 s", cores->figures.seconds);
    assert_int_equal(cores->figures.devices[0].rows, 1000000);
    assert_int_equal(cell_of(&m, 0, "G")->part, 1);
    assert_int_equal(cell_of(&m, 0, "C+G")->figures.verified, 1);
    near(cell_of(&m, 0, "C+G")->speedup,
         cores->figures.seconds / cell_of(&m, 0, "C+G")->figures.seconds);
    matrix_close(&m);
    /* A step of Barnes-Hut cannot be cut, because its items differ. */
    spec = spec_of("barnes-hut", "sim:cpu:rate=1,sim:gpu");
    m = (struct matrix){ .size_count = 1, .sizes = { { .size = { 200 } } } };
    assert_int_equal(matrix_measure(&spec, &m), YOKE_OK);
    assert_int_equal(cell_of(&m, 0, "C")->part, 1);
    assert_true(cell_of(&m, 0, "C")->figures.seconds > 60);
    matrix_close(&m);
}

/* Its first run takes twenty times as long as the others, as with new memory. */
static int runs_so_far;
static yoke_status run_cold_at_first(void *state, struct app_run *run)
{
    const int times = runs_so_far++ == 0 ? 20 : 1;
    yoke_status status = YOKE_OK;
    for (int i = 0; i < times && status == YOKE_OK; i++)
        status = app_find("saxpy")->run(state, run);
    return status;
}

/* 10 s, and 0.6 s for a part: only the first run suggests that all would take minutes. */
static void one_cold_run_does_not_make_cores_slow(void **unused)
{
    struct measure_spec spec = spec_of("saxpy", "sim:cpu:cores=4:rate=1e3");
    struct matrix m = { .size_count = 1, .sizes = { { .size = { 40000 } } } };
    struct app app = *spec.app;
    (void)unused;
    runs_so_far = 0;
    app.run = run_cold_at_first;
    spec.app = &app;
    assert_int_equal(matrix_measure(&spec, &m), YOKE_OK);
    assert_int_equal(cell_of(&m, 0, "C")->part, 1);
    assert_int_equal(cell_of(&m, 0, "C")->figures.verified, 1);
    if (!(fabs(cell_of(&m, 0, "C")->figures.seconds - 10) < 0.1))
        fail_msg("%g s are not 10 s", cell_of(&m, 0, "C")->figures.seconds);
    matrix_close(&m);
}

/* A part of the product is cut for all cores, like the whole: if one of sixteen cores had all its
 * rows, the estimate for the whole would be sixteen times too long. */
static void a_part_of_the_product_is_for_all_cores(void **unused)
{
    struct measure_spec spec = spec_of("mm", "sim:cpu:cores=16:rate=3");
    struct matrix m = { .size_count = 1, .sizes = { { .size = { 4096, 4, 250 } } } };
    const struct matrix_cell *cores;
    (void)unused;
    assert_int_equal(matrix_measure(&spec, &m), YOKE_OK);
    cores = cell_of(&m, 0, "C");
    assert_int_equal(cores->part, MATRIX_PART);
    if (!(fabs(cores->figures.seconds - 4096 / 48.0) < 2))
        fail_msg("%g s are not %g s", cores->figures.seconds, 4096 / 48.0);
    matrix_close(&m);
}

static void a_set_that_fails_is_left_out(void **unused)
{
    struct measure_spec spec = spec_of("saxpy", "sim:cpu,sim:gpu:build=fails");
    struct matrix m = { .size_count = 1, .sizes = { { .size = { 10000 } } } };
    (void)unused;
    assert_int_equal(matrix_measure(&spec, &m), YOKE_OK);
    assert_false(m.is_complete);
    assert_non_null(strstr(cell_of(&m, 0, "G")->error, "cannot build kernel saxpy"));
    assert_true(isnan(cell_of(&m, 0, "G")->figures.seconds));
    assert_int_equal(cell_of(&m, 0, "C+G")->figures.verified, 1);
    assert_true(isfinite(cell_of(&m, 0, "C+G")->speedup));
    assert_true(isnan(cell_of(&m, 0, "C+G")->figures.efficiency)); /* T_D of G is unknown */
    assert_true(isfinite(cell_of(&m, 0, "C")->figures.gain));
    matrix_close(&m);
}

static void wrong_words_are_told_apart(void **unused)
{
    struct measure_spec spec = spec_of("saxpy", "abacus");
    struct matrix m = { .size_count = 1 };
    (void)unused;
    assert_int_equal(matrix_measure(&spec, &m), YOKE_EINVAL);
    assert_true(m.wrong_words && !m.is_complete);
    matrix_close(&m);
    spec = spec_of("saxpy", "sim");
    m = (struct matrix){ .size_count = 1, .sizes = { { .size = { -1 } } } };
    assert_int_equal(matrix_measure(&spec, &m), YOKE_EINVAL);
    assert_false(m.wrong_words || m.is_complete);
    matrix_close(&m);
}

/* Ctrl-C at a chosen call of progress. */
static struct {
    int calls, at;
    int64_t step, steps;
    volatile sig_atomic_t canceled;
} watched;

static void watch(void *context, const char *what, int64_t done, int64_t total)
{
    (void)context;
    assert_true(strlen(what) > 0);
    assert_true(done >= watched.step && done <= total);
    watched.step = done;
    watched.steps = total;
    if (++watched.calls == watched.at)
        watched.canceled = 1;
}

enum { RUNS = 2 }; /* of each set: a moment lies between them */

static yoke_status canceled_at(int call, struct matrix *m)
{
    struct measure_spec spec = spec_of("saxpy", "sim:cpu,sim:gpu*2");
    *m = (struct matrix){ .size_count = 2, .sizes = { { .size = { 900 } }, { .size = { 901 } } } };
    memset(&watched, 0, sizeof watched);
    watched.at = call;
    spec.repeat = RUNS;
    spec.watch = (struct measure_watch){ .progress = watch, .canceled = &watched.canceled };
    return matrix_measure(&spec, m);
}

static void stopped_at_any_moment(void **unused)
{
    struct matrix m;
    int runs, before = 0, calls;
    (void)unused;
    assert_int_equal(canceled_at(0, &m), YOKE_OK);
    assert_int_equal(watched.step, watched.steps);
    calls = watched.calls;
    matrix_close(&m);
    for (int at = 1; at <= calls; at++) {
        yoke_status status = canceled_at(at, &m);
        runs = 0;
        for (int s = 0; s < 2; s++)
            for (int set = 0; m.sizes[s].cells && set < m.sets.count; set++)
                runs += m.sizes[s].cells[set].figures.run_count;
        assert_int_equal(status, YOKE_ECANCELED);
        assert_false(m.is_complete);
        assert_true(runs >= before);
        before = runs;
        matrix_close(&m);
    }
    assert_int_equal(before, 2 * 6 * RUNS - 1); /* all but the last */
}

static void memory_runs_out(void **unused)
{
    int failed = 1;
    (void)unused;
    assert_int_equal(allocations_live, 0);
    for (int64_t nth = 1; failed; nth++) {
        struct measure_spec spec = spec_of("saxpy", "sim:cpu,sim:gpu");
        struct matrix m = { .size_count = 1, .sizes = { { .size = { 1000 } } } };
        spec.sweep_step = 0.5;
        spec.repeat = 1;
        allocations_fail_in = nth;
        yoke_status status = matrix_measure(&spec, &m);
        failed = allocations_fail_in == 0;
        allocations_fail_in = 0;
        assert_int_equal(m.is_complete, !failed);
        assert_true(status == YOKE_OK || (failed && status == YOKE_ENOMEM));
        matrix_close(&m);
        assert_int_equal(allocations_live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_follow_from_times),
        cmocka_unit_test(a_sweep_tells_regret),
        cmocka_unit_test(slow_cores_do_a_part),
        cmocka_unit_test(one_cold_run_does_not_make_cores_slow),
        cmocka_unit_test(a_part_of_the_product_is_for_all_cores),
        cmocka_unit_test(a_set_that_fails_is_left_out),
        cmocka_unit_test(wrong_words_are_told_apart),
        cmocka_unit_test(stopped_at_any_moment),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
