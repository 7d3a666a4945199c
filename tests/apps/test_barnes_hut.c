/* test_barnes_hut.c - forces whose errors follow theta: both ways to walk give the same result,
 * theta 0 gives direct sums, errors grow with theta as expected; and a check that accepts correct
 * results and names wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "barnes_hut/barnes_hut_state.h"
#include "bodies/gravity.h"
#include "cluster.h"
#include "driver.h"

/* --- forces --- */

static void walk(const yoke_kernel *kernel, float theta, pull_t *pulls, yoke_chunk chunk)
{
    forces_t how = { .theta2 = theta * theta, .softening2 = 0.05f * 0.05f };
    void *args[] = { &cluster_tree.node_count, &how, cluster_tree.bodies, cluster_tree.nodes,
                     pulls };
    kernel->cpu.variant[0](args, &chunk);
}

/* All bodies, in chunks that are no multiple of any unit. */
static void walk_all(const yoke_kernel *kernel, float theta, pull_t *pulls)
{
    yoke_chunk chunk = { .extent = { 1, 1 } };
    for (; chunk.first < cluster_tree.count; chunk.first = chunk.last) {
        chunk.last =
            chunk.first + 777 < cluster_tree.count ? chunk.first + 777 : cluster_tree.count;
        walk(kernel, theta, pulls, chunk);
    }
}

/* Groups of neighbours at some places of the tree, and their exact accelerations. */
struct sampled {
    pull_t *pulls;
    double (*right)[3];
    int64_t places;
};

static int64_t place(const struct sampled *sampled, int64_t k)
{
    return k * (cluster_tree.count / sampled->places);
}

static void sum_directly(const struct sampled *sampled)
{
    const struct gravity all = { cluster_tree.bodies, cluster_tree.count, 0.05 * 0.05 };
    int64_t k, l;
    for (k = 0; k < sampled->places; k++)
        for (l = 0; l < BARNES_HUT_LANES; l++)
            gravity_direct(&all, place(sampled, k) + l, sampled->right[k * BARNES_HUT_LANES + l]);
}

static double walked_error(const struct sampled *sampled, const yoke_kernel *kernel, float theta)
{
    static const double zero[3];
    double sum = 0;
    int64_t k, l;
    for (k = 0; k < sampled->places; k++) {
        const int64_t first = place(sampled, k);
        walk(kernel, theta, sampled->pulls,
             (yoke_chunk){ first, first + BARNES_HUT_LANES, .extent = { 1, 1 } });
        for (l = 0; l < BARNES_HUT_LANES; l++) {
            const pull_t *a = &sampled->pulls[first + l];
            const double *right = sampled->right[k * BARNES_HUT_LANES + l];
            const double got[3] = { (double)a->x, (double)a->y, (double)a->z };
            sum += gravity_distance(got, right) / gravity_distance(right, zero);
        }
    }
    return sum / (double)(sampled->places * BARNES_HUT_LANES);
}

static int far_apart(pull_t a, pull_t b)
{
    const float size = fabsf(a.x) + fabsf(a.y) + fabsf(a.z) + 1e-3f;
    return !(fabsf(a.x - b.x) + fabsf(a.y - b.y) + fabsf(a.z - b.z) <= 1e-4f * size) ||
           !(fabsf(a.potential - b.potential) <= 1e-5f * fabsf(a.potential));
}

/* Bodies that walk together use exactly the cells that each would use alone. Rounding may decide
 * differently for a cell exactly at the distance limit of theta. */
static void together_is_as_alone(void **unused)
{
    enum { COUNT = 6007 };
    static const float thetas[] = { 0, 0.3f, 0.5f, 1 };
    struct star *stars = cluster_plummer(COUNT, 9);
    pull_t *alone = aligned_alloc(64, (COUNT + 4) / 4 * 64);
    pull_t *together = aligned_alloc(64, (COUNT + 4) / 4 * 64);
    int t, i;
    (void)unused;
    for (i = 0; i < 40; i++) /* a body meets itself and others at its own place */
        stars[i * 100].body = stars[i].body;
    assert_int_equal(cluster_plant(stars, COUNT), YOKE_OK);
    for (t = 0; t < 4; t++) {
        int differ = 0;
        walk_all(&barnes_hut, thetas[t], alone);
        walk_all(&barnes_hut_together, thetas[t], together);
        for (i = 0; i < COUNT; i++)
            differ += far_apart(alone[i], together[i]);
        assert_true(differ <= 3);
    }
    cluster_fell();
    free(alone);
    free(together);
    free(stars);
}

/* Ranges measured on a Plummer sphere: errors are about proportional to theta^2, and not smaller
 * either. */
static void errors_grow_with_theta(void **unused)
{
    enum { COUNT = 100000, PLACES = 12 };
    static const struct {
        float theta;
        double least, most;
    } bands[] = {
        { 0.2f, 0.5e-4, 3e-4 }, { 0.5f, 0.8e-3, 2e-3 }, { 0.7f, 2e-3, 5e-3 }, { 1.0f, 6e-3, 1.2e-2 }
    };
    static double right[PLACES * BARNES_HUT_LANES][3];
    struct star *stars = cluster_plummer(COUNT, 1);
    pull_t *pulls = aligned_alloc(64, (COUNT + 4) / 4 * 64);
    struct sampled sampled = { pulls, right, PLACES };
    size_t b;
    (void)unused;
    assert_int_equal(cluster_plant(stars, COUNT), YOKE_OK);
    sum_directly(&sampled);
    for (b = 0; b < sizeof bands / sizeof *bands; b++) {
        double error = walked_error(&sampled, &barnes_hut_together, bands[b].theta);
        if (error < bands[b].least || error > bands[b].most)
            fail_msg("theta %g: mean error %g is not in %g to %g", (double)bands[b].theta, error,
                     bands[b].least, bands[b].most);
    }
    cluster_fell();
    free(pulls);
    free(stars);
}

static void theta_0_is_the_direct_sum(void **unused)
{
    enum { COUNT = 4003, PLACES = 5 };
    static double right[PLACES * BARNES_HUT_LANES][3];
    struct star *stars = cluster_plummer(COUNT, 2);
    pull_t *pulls = aligned_alloc(64, (COUNT + 4) / 4 * 64);
    struct sampled sampled = { pulls, right, PLACES };
    (void)unused;
    assert_int_equal(cluster_plant(stars, COUNT), YOKE_OK);
    sum_directly(&sampled);
    assert_true(walked_error(&sampled, &barnes_hut, 0) < 2e-6);
    assert_true(walked_error(&sampled, &barnes_hut_together, 0) < 2e-6);
    cluster_fell();
    free(pulls);
    free(stars);
}

/* --- the application --- */

static struct app_spec spec_of(const struct app *app, int64_t size)
{
    struct app_spec spec = { .size = { size }, .seed = 7 };
    int k;
    for (k = 0; app->options[k].name; k++)
        spec.values[k] = app->options[k].initial;
    return spec;
}

/* The smallest clusters have the largest errors: over many of them, all are accepted. */
static void small_clusters_are_accepted(void **unused)
{
    const struct app *app = app_find("barnes-hut");
    const struct measure_watch watch = { 0 };
    yoke_runtime *runtime = cluster_cores;
    int n;
    (void)unused;
    for (n = 1; n <= 160; n++) {
        struct app_run run = { .runtime = runtime, .watch = &watch, .what = "test" };
        struct app_spec spec = spec_of(app, (n + 3) / 4);
        char note[APP_NOTE_MAX];
        void *state;
        spec.seed = (uint64_t)n;
        spec.values[2] = n % 2 ? "0.5" : "1";
        assert_int_equal(app->open(&spec, &state), YOKE_OK);
        assert_int_equal(app->attach(state, runtime), YOKE_OK);
        assert_int_equal(app->reset(state), YOKE_OK);
        assert_int_equal(app->run(state, &run), YOKE_OK);
        if (app->verify(state, note) != YOKE_OK)
            fail_msg("%d bodies, seed %d: %s", (n + 3) / 4, n, app_error_text());
        assert_int_equal(app->detach(state), YOKE_OK);
        app->close(state);
        app_tally_clear(&run.tally);
    }
}

enum spoilt { PULL, PULLS, NO_PULL, FINER, MASS, SKIP, LOST, CENTRE, DRIFT, SPOILT };

static void spoil(struct barnes_hut_state *s, enum spoilt what)
{
    const pull_t none = { NAN, 0, 0, 0 };
    int64_t i;
    if (what == PULL || what == PULLS)
        for (i = 0; i < s->stars; i++)
            s->pulls[i].x *= what == PULL ? 1.5f : 1.01f;
    else if (what == NO_PULL)
        s->pulls[0] = none;
    else if (what == FINER) /* computed with 0.8 where 1 is stated */
        s->theta = 1;
    else if (what == MASS)
        s->nodes[1].mass *= 1.001f;
    else if (what == SKIP)
        s->nodes[0].skip--;
    else if (what == LOST)
        s->ids[5] = s->ids[6];
    else if (what == CENTRE)
        s->nodes[0].x += 1e-3f;
    else
        s->energy *= 1.01;
}

/* Each kind of wrong result is refused, with a message that names it. */
static void wrong_results_are_named(void **unused)
{
    static const char *const words[SPOILT] = {
        [PULL] = ") and should be (",
        [PULLS] = "should be at most",
        [NO_PULL] = "acceleration of body 0 is (nan",
        [FINER] = "should be at least",
        [MASS] = "mass of its cell",
        [SKIP] = "node 0 of the tree",
        [LOST] = "again",
        [CENTRE] = "the tree's centre",
        [DRIFT] = "energy went from",
    };
    const struct app *app = app_find("barnes-hut");
    int what;
    (void)unused;
    for (what = 0; what < SPOILT; what++) {
        const struct measure_watch watch = { 0 };
        struct app_run run = { .runtime = cluster_cores, .watch = &watch, .what = "test" };
        struct app_spec spec = spec_of(app, what == FINER ? 50000 : 1500);
        char note[APP_NOTE_MAX];
        void *state;
        spec.values[2] = what == FINER ? "0.8" : "0.25";
        assert_int_equal(app->open(&spec, &state), YOKE_OK);
        assert_int_equal(app->attach(state, cluster_cores), YOKE_OK);
        assert_int_equal(app->reset(state), YOKE_OK);
        assert_int_equal(app->run(state, &run), YOKE_OK);
        if (app->verify(state, note) != YOKE_OK)
            fail_msg("%s", app_error_text());
        spoil(state, (enum spoilt)what);
        if (app->verify(state, note) != YOKE_EINVAL)
            fail_msg("not \"%s\": %s", words[what], note);
        if (!strstr(app_error_text(), words[what]))
            fail_msg("not \"%s\": %s", words[what], app_error_text());
        app_tally_clear(&run.tally);
        assert_int_equal(app->detach(state), YOKE_OK);
        app->close(state);
    }
}

/* Many steps keep the energy, and the reported value is that of verify. */
static void energy_stays(void **unused)
{
    const struct app *app = app_find("barnes-hut");
    struct measure_spec spec = { .app = app,
                                 .input = spec_of(app, 1000),
                                 .config = { .devices = "cpu" },
                                 .repeat = 1,
                                 .verify = 1 };
    struct measure result;
    (void)unused;
    spec.input.values[0] = "20";
    assert_int_equal(measure(&spec, &result), YOKE_OK);
    if (result.verified != 1)
        fail_msg("%s", result.note);
    assert_non_null(strstr(result.note, "energy drift"));
    assert_non_null(strstr(result.note, "in 20 steps (allowed 1.2e-03)"));
    assert_true(result.whole_seconds > result.seconds && result.seconds > 0);
    measure_close(&result);
    /* Steps that are far too long lose energy, and stars too; that is reported, but not an error.
     */
    spec.input.values[0] = "3";
    spec.input.values[1] = "1";
    assert_int_equal(measure(&spec, &result), YOKE_OK);
    assert_int_equal(result.verified, 1);
    assert_non_null(strstr(result.note, "(allowed inf)"));
    measure_close(&result);
}

/* Other applications have no times besides those of their runs. */
static void whole_seconds_are_for_those_whose_jobs_are_timed(void **unused)
{
    const struct app *app = app_find("nbody");
    struct measure_spec spec = {
        .app = app, .input = spec_of(app, 300), .config = { .devices = "cpu" }, .repeat = 1
    };
    struct measure result;
    (void)unused;
    assert_int_equal(measure(&spec, &result), YOKE_OK);
    assert_true(isnan(result.whole_seconds));
    assert_true(result.seconds > 0);
    measure_close(&result);
}

static void wrong_options_are_refused(void **unused)
{
    static const struct {
        int option;
        const char *value;
    } wrong[] = { { 0, "0" },    { 0, "1.5" },  { 0, "" },     { 1, "-1" },    { 1, "2" },
                  { 1, "nan" },  { 2, "-0.1" }, { 2, "1.1" },  { 2, "0.5x" },  { 3, "0" },
                  { 3, "1e-7" }, { 3, "inf" },  { 4, "-1" },   { 4, "2.5" },   { 4, "2e6" },
                  { 5, "0" },    { 5, "0.5" },  { 6, "warp" }, { 6, "apart" }, { 6, "" } };
    const struct app *app = app_find("barnes-hut");
    size_t w;
    (void)unused;
    for (w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        struct app_spec spec = spec_of(app, 10);
        char words[32];
        void *state;
        spec.values[wrong[w].option] = wrong[w].value;
        assert_int_equal(app->open(&spec, &state), YOKE_EINVAL);
        snprintf(words, sizeof words, "--%s %s", app->options[wrong[w].option].name,
                 wrong[w].value);
        assert_non_null(strstr(app_error_text(), words));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(together_is_as_alone),
        cmocka_unit_test(errors_grow_with_theta),
        cmocka_unit_test(theta_0_is_the_direct_sum),
        cmocka_unit_test(small_clusters_are_accepted),
        cmocka_unit_test(wrong_results_are_named),
        cmocka_unit_test(energy_stays),
        cmocka_unit_test(whole_seconds_are_for_those_whose_jobs_are_timed),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, cluster_setup, cluster_teardown);
}
