/* test_barnes_hut.c - the octree whatever the stars do, and forces that err as theta says: all ways
 * of walking give the same, theta 0 gives direct sums, and errors grow with theta as they should.
 */
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
#include "barnes_hut/cores.h"
#include "barnes_hut/tree.h"
#include "bodies/gravity.h"
#include "bodies/plummer.h"
#include "driver.h"
#include "random.h"

static yoke_runtime *cores;

/* --- stars and their tree --- */

static struct tree tree;

static struct star *new_stars(int64_t count)
{
    struct star *stars = calloc((size_t)count, sizeof *stars);
    int64_t i;
    assert_non_null(stars);
    for (i = 0; i < count; i++) {
        stars[i].body.mass = 1.0f / (float)count;
        stars[i].id = (int32_t)i;
    }
    return stars;
}

static struct star *new_cluster(int64_t count, uint64_t seed)
{
    struct star *stars = new_stars(count);
    body_t *bodies = aligned_alloc(64, (size_t)(count + 4) / 4 * 64);
    vector_t *velocities = aligned_alloc(64, (size_t)(count + 4) / 4 * 64);
    int64_t i;
    plummer_fill(seed, count, bodies, velocities);
    for (i = 0; i < count; i++) {
        const vector_t *v = &velocities[i];
        stars[i] = (struct star){ bodies[i], { v->x, v->y, v->z }, (int32_t)i };
    }
    free(bodies);
    free(velocities);
    return stars;
}

static yoke_status plant(const struct star *stars, int64_t count)
{
    const struct tree from = { .count = count,
                               .cores = cores,
                               .loose = stars,
                               .bodies = aligned_alloc(64, (size_t)(count + 4) / 4 * 64),
                               .velocities = aligned_alloc(64, (size_t)(count + 4) / 4 * 64),
                               .ids = malloc((size_t)count * sizeof(int32_t)),
                               .nodes = aligned_alloc(64, (size_t)count * 64) };
    assert_int_equal(tree_open(&from, &tree), YOKE_OK);
    return tree_build(&tree);
}

static void fell(void)
{
    free(tree.bodies);
    free(tree.velocities);
    free(tree.ids);
    free(tree.nodes);
    tree_close(&tree);
}

static double of(const node_t *node, int k)
{
    return k == 0 ? (double)node->x : k == 1 ? (double)node->y : (double)node->z;
}

/* The most that two stars of a cell are apart along an axis. */
static double extent(int64_t first, int64_t last)
{
    double most = 0;
    int64_t i;
    int k;
    for (k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (i = first; i < last; i++) {
            const body_t *b = &tree.bodies[i];
            const double at = (double)(k == 0 ? b->x : k == 1 ? b->y : b->z);
            low = fmin(low, at);
            high = fmax(high, at);
        }
        most = fmax(most, high - low);
    }
    return most;
}

/* A node on its own, by the definition; returns how deep the tree goes below it. */
static int check_cell(int32_t k)
{
    const node_t *node = &tree.nodes[k];
    const int64_t first = node->first_body, last = first + node->count;
    double sum[4] = { 0 }, side = sqrt((double)node->size2);
    int children = 0, depth = 0, d;
    int64_t i;
    for (i = first; i < last; i++) {
        const double m = (double)tree.bodies[i].mass;
        sum[0] += m * (double)tree.bodies[i].x;
        sum[1] += m * (double)tree.bodies[i].y;
        sum[2] += m * (double)tree.bodies[i].z;
        sum[3] += m;
    }
    assert_true(fabs(sum[3] - (double)node->mass) <= 1e-6 * sum[3]);
    for (d = 0; d < 3; d++)
        assert_true(fabs(sum[d] / sum[3] - of(node, d)) <= 1e-6 * (fabs(of(node, d)) + 1e-30));
    if (node->count == 1) {
        assert_int_equal(node->skip, k + 1);
        assert_true(node->size2 == 0);
        return 1;
    }
    assert_true(extent(first, last) <= side * 1.000001);
    i = first;
    for (k++; k < node->skip; k = tree.nodes[k].skip) {
        const int below = check_cell(k);
        assert_int_equal(tree.nodes[k].first_body, i);
        assert_true(tree.nodes[k].size2 < node->size2 || node->size2 == 0);
        i += tree.nodes[k].count;
        depth = below > depth ? below : depth;
        children++;
    }
    assert_int_equal(k, node->skip);
    assert_int_equal(i, last);
    assert_true(children >= 2);
    return depth + 1;
}

/* The whole tree by its definition, and the stars as they came. Returns its depth. */
static int check_tree(const struct star *stars, int64_t count)
{
    char *seen = calloc((size_t)count, 1);
    int64_t i;
    int depth;
    assert_true(tree.node_count >= count && tree.node_count < 2 * count);
    assert_int_equal(tree.nodes[0].count, count);
    assert_int_equal(tree.nodes[0].skip, tree.node_count);
    depth = check_cell(0);
    for (i = 0; i < count; i++) {
        const struct star *star = &stars[tree.ids[i]];
        assert_true(tree.ids[i] >= 0 && tree.ids[i] < count && !seen[tree.ids[i]]);
        seen[tree.ids[i]] = 1;
        assert_memory_equal(&star->body, &tree.bodies[i], sizeof star->body);
        assert_memory_equal(star->velocity, &tree.velocities[i], sizeof star->velocity);
    }
    free(seen);
    return depth;
}

static void a_cluster_of_any_size(void **unused)
{
    static const int64_t counts[] = { 1, 2, 3, 9, 64, 1000, 2047, 2049, 4097, 30011 };
    size_t c;
    (void)unused;
    for (c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct star *stars = new_cluster(counts[c], c);
        assert_int_equal(plant(stars, counts[c]), YOKE_OK);
        assert_true(check_tree(stars, counts[c]) <= TREE_LEVELS + 2);
        /* A second time, from its own order. */
        assert_int_equal(tree_build(&tree), YOKE_OK);
        check_tree(stars, counts[c]);
        fell();
        free(stars);
    }
}

/* All stars in one place, or nearly: no depth, and nobody looks inside. */
static void stars_in_the_same_place(void **unused)
{
    enum { COUNT = 5000 };
    struct star *stars = new_stars(COUNT);
    int i;
    (void)unused;
    assert_int_equal(plant(stars, COUNT), YOKE_OK);
    assert_int_equal(check_tree(stars, COUNT), 2);
    assert_true(tree.nodes[0].size2 == 0);
    fell();
    for (i = 0; i < COUNT; i++) /* two places, and one between the two of one of them */
        stars[i].body.x = i % 2 ? 1.0f : i == 4 ? 1e-9f : 0.0f;
    assert_int_equal(plant(stars, COUNT), YOKE_OK);
    assert_int_equal(check_tree(stars, COUNT), 3);
    assert_int_equal(tree.node_count, COUNT + 3);
    assert_true(tree.nodes[1].size2 > 0 && tree.nodes[1].size2 < 1e-17f);
    assert_true(tree.nodes[tree.nodes[1].skip].size2 == 0);
    fell();
    free(stars);
}

/* Far away from each other, along a line, at the bounds. */
static void stars_far_apart(void **unused)
{
    enum { COUNT = 3000 };
    struct star *stars = new_cluster(COUNT, 5);
    int i;
    (void)unused;
    stars[7].body.x = 1e6f;
    stars[8].body.z = -1e12f;
    assert_int_equal(plant(stars, COUNT), YOKE_OK);
    check_tree(stars, COUNT);
    fell();
    for (i = 0; i < COUNT; i++) /* each half as far as the one before */
        stars[i].body = (body_t){ 0, ldexpf(1, -(i % 140)), 0, 0.5f };
    assert_int_equal(plant(stars, COUNT), YOKE_OK);
    assert_true(check_tree(stars, COUNT) > TREE_LEVELS);
    fell();
    free(stars);
}

static void places_that_are_none_are_refused(void **unused)
{
    static const float none[] = { NAN, INFINITY, -INFINITY, 1.1e12f };
    size_t n;
    (void)unused;
    for (n = 0; n < sizeof none / sizeof *none; n++) {
        struct star *stars = new_cluster(5000, 1);
        stars[4321].body.y = none[n];
        assert_int_equal(plant(stars, 5000), YOKE_EINVAL);
        assert_non_null(strstr(app_error_text(), "star 4321 is at ("));
        stars[4321].body.y = 0;
        assert_int_equal(tree_build(&tree), YOKE_OK);
        check_tree(stars, 5000);
        fell();
        free(stars);
    }
}

/* The order that stars come in does not matter. */
static void any_order_gives_the_same_tree(void **unused)
{
    enum { COUNT = 7001 };
    struct star *stars = new_cluster(COUNT, 3);
    node_t *nodes = malloc((size_t)COUNT * 2 * sizeof *nodes);
    int32_t node_count, k;
    int i;
    (void)unused;
    assert_int_equal(plant(stars, COUNT), YOKE_OK);
    node_count = tree.node_count;
    memcpy(nodes, tree.nodes, (size_t)node_count * sizeof *nodes);
    for (i = 0; i < COUNT - 1; i++) {
        const int j = i + (int)(random_bits(1, (uint64_t)i) % (uint64_t)(COUNT - i));
        const struct star other = stars[j];
        stars[j] = stars[i];
        stars[i] = other;
    }
    assert_int_equal(tree_build(&tree), YOKE_OK);
    assert_int_equal(tree.node_count, node_count);
    for (k = 0; k < node_count; k++)
        assert_memory_equal(&nodes[k], &tree.nodes[k], sizeof *nodes);
    fell();
    free(nodes);
    free(stars);
}

static void sorted_keys(void **unused)
{
    static const int64_t counts[] = { 1, 2, 255, 256, 10007 };
    struct sort sort;
    size_t c;
    int64_t i;
    int kind;
    (void)unused;
    for (c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (kind = 0; kind < 3; kind++) { /* all bits, few values, one value */
            const uint64_t mask = kind == 0 ? UINT64_MAX : kind == 1 ? 0x8000000000000103 : 0;
            assert_int_equal(sort_open(counts[c], counts[c] < 7 ? counts[c] : 7, &sort), YOKE_OK);
            for (i = 0; i < counts[c]; i++)
                sort.items[i] = (struct sort_item){ random_bits(c, (uint64_t)i) & mask, i };
            assert_int_equal(sort_run(&sort, cores), YOKE_OK);
            for (i = 0; i < counts[c]; i++) {
                const struct sort_item *item = &sort.items[i];
                assert_true(item->key == (random_bits(c, (uint64_t)item->from) & mask));
                assert_true(i == 0 || item[-1].key < item->key ||
                            (item[-1].key == item->key && item[-1].from < item->from));
            }
            sort_close(&sort);
        }
    }
}

/* --- forces --- */

static void walk(const yoke_kernel *kernel, float theta, pull_t *pulls, yoke_chunk chunk)
{
    float theta2 = theta * theta, softening2 = 0.05f * 0.05f;
    void *args[] = { &tree.node_count, &theta2, &softening2, tree.bodies, tree.nodes, pulls };
    kernel->cpu.variant[0](args, &chunk);
}

/* All bodies, in chunks that are no multiple of anything. */
static void walk_all(const yoke_kernel *kernel, float theta, pull_t *pulls)
{
    yoke_chunk chunk = { .extent = { 1, 1 } };
    for (; chunk.first < tree.count; chunk.first = chunk.last) {
        chunk.last = chunk.first + 777 < tree.count ? chunk.first + 777 : tree.count;
        walk(kernel, theta, pulls, chunk);
    }
}

/* Neighbours at some places of the tree, and what their accelerations should be. */
struct sampled {
    pull_t *pulls;
    double (*right)[3];
    int64_t places;
};

static int64_t place(const struct sampled *sampled, int64_t k)
{
    return k * (tree.count / sampled->places);
}

static void sum_directly(const struct sampled *sampled)
{
    const struct gravity all = { tree.bodies, tree.count, 0.05 * 0.05 };
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

/* Bodies that walk together take the very cells that each would take alone. Rounding may decide
 * otherwise for a cell that is exactly as far as theta asks. */
static void together_is_as_alone(void **unused)
{
    enum { COUNT = 6007 };
    static const float thetas[] = { 0, 0.3f, 0.5f, 1 };
    struct star *stars = new_cluster(COUNT, 9);
    pull_t *alone = aligned_alloc(64, (COUNT + 4) / 4 * 64);
    pull_t *together = aligned_alloc(64, (COUNT + 4) / 4 * 64);
    int t, i;
    (void)unused;
    for (i = 0; i < 40; i++) /* a body meets itself and others in its own place */
        stars[i * 100].body = stars[i].body;
    assert_int_equal(plant(stars, COUNT), YOKE_OK);
    for (t = 0; t < 4; t++) {
        int differ = 0;
        walk_all(&barnes_hut, thetas[t], alone);
        walk_all(&barnes_hut_together, thetas[t], together);
        for (i = 0; i < COUNT; i++)
            differ += far_apart(alone[i], together[i]);
        assert_true(differ <= 3);
    }
    fell();
    free(alone);
    free(together);
    free(stars);
}

/* Bands as measured on Plummer's sphere: about as theta^2, and not less than that either. */
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
    struct star *stars = new_cluster(COUNT, 1);
    pull_t *pulls = aligned_alloc(64, (COUNT + 4) / 4 * 64);
    struct sampled sampled = { pulls, right, PLACES };
    size_t b;
    (void)unused;
    assert_int_equal(plant(stars, COUNT), YOKE_OK);
    sum_directly(&sampled);
    for (b = 0; b < sizeof bands / sizeof *bands; b++) {
        double error = walked_error(&sampled, &barnes_hut_together, bands[b].theta);
        if (error < bands[b].least || error > bands[b].most)
            fail_msg("theta %g: mean error %g is not in %g to %g", (double)bands[b].theta, error,
                     bands[b].least, bands[b].most);
    }
    fell();
    free(pulls);
    free(stars);
}

static void theta_0_is_the_direct_sum(void **unused)
{
    enum { COUNT = 4003, PLACES = 5 };
    static double right[PLACES * BARNES_HUT_LANES][3];
    struct star *stars = new_cluster(COUNT, 2);
    pull_t *pulls = aligned_alloc(64, (COUNT + 4) / 4 * 64);
    struct sampled sampled = { pulls, right, PLACES };
    (void)unused;
    assert_int_equal(plant(stars, COUNT), YOKE_OK);
    sum_directly(&sampled);
    assert_true(walked_error(&sampled, &barnes_hut, 0) < 2e-6);
    assert_true(walked_error(&sampled, &barnes_hut_together, 0) < 2e-6);
    fell();
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

/* Few bodies have the largest errors: over many of the smallest clusters, all are accepted. */
static void small_clusters_are_accepted(void **unused)
{
    const struct app *app = app_find("barnes-hut");
    const struct measure_watch watch = { 0 };
    yoke_runtime *runtime = cores;
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
    else if (what == FINER) /* 0.8 where 1 was asked for */
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

/* Each kind of wrong result is refused, with a text that says what is wrong. */
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
        struct app_run run = { .runtime = cores, .watch = &watch, .what = "test" };
        struct app_spec spec = spec_of(app, what == FINER ? 50000 : 1500);
        char note[APP_NOTE_MAX];
        void *state;
        spec.values[2] = what == FINER ? "0.8" : "0.25";
        assert_int_equal(app->open(&spec, &state), YOKE_OK);
        assert_int_equal(app->attach(state, cores), YOKE_OK);
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

/* Many steps keep the energy, and what is reported is what verify says. */
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
    /* Steps that are far too long lose it, and stars with it; that is reported, not judged. */
    spec.input.values[0] = "3";
    spec.input.values[1] = "1";
    assert_int_equal(measure(&spec, &result), YOKE_OK);
    assert_int_equal(result.verified, 1);
    assert_non_null(strstr(result.note, "(allowed inf)"));
    measure_close(&result);
}

/* Other applications have no seconds besides those of their runs. */
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
    } wrong[] = { { 0, "0" },    { 0, "1.5" },  { 0, "" },     { 1, "-1" },   { 1, "2" },
                  { 1, "nan" },  { 2, "-0.1" }, { 2, "1.1" },  { 2, "0.5x" }, { 3, "0" },
                  { 3, "1e-7" }, { 3, "inf" },  { 4, "warp" }, { 4, "" } };
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

static int open_cores(void **unused)
{
    (void)unused;
    return cores_open(&cores) != YOKE_OK;
}

static int close_cores(void **unused)
{
    (void)unused;
    return yoke_close(cores) != YOKE_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_keys),
        cmocka_unit_test(a_cluster_of_any_size),
        cmocka_unit_test(stars_in_the_same_place),
        cmocka_unit_test(stars_far_apart),
        cmocka_unit_test(places_that_are_none_are_refused),
        cmocka_unit_test(any_order_gives_the_same_tree),
        cmocka_unit_test(together_is_as_alone),
        cmocka_unit_test(errors_grow_with_theta),
        cmocka_unit_test(theta_0_is_the_direct_sum),
        cmocka_unit_test(small_clusters_are_accepted),
        cmocka_unit_test(wrong_results_are_named),
        cmocka_unit_test(energy_stays),
        cmocka_unit_test(whole_seconds_are_for_those_whose_jobs_are_timed),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, open_cores, close_cores);
}
