/* test_barnes_hut_steps.c - the step kernels give the plain kernel's results on every kind of
 * device and with queues of any size; the one that sums integers gives the same bits. And the load:
 * it computes Fibonacci's sequence at each visit, and a wrong one is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app_machine.h"
#include "barnes_hut/barnes_hut_state.h"
#include "barnes_hut/barnes_hut_visit.h"
#include "driver.h"

enum { OPTION_THETA = 2, OPTION_LOAD = 4, OPTION_VISITS, OPTION_WALK };

/* --- one run --- */

struct way {
    enum app_kernel kernel;
    const char *walk, *load, *visits;
};

static struct barnes_hut_state *open_state(const struct way *way, int64_t size)
{
    const struct app *app = app_find("barnes-hut");
    struct app_spec spec = { .size = { size }, .seed = 5, .kernel = way->kernel };
    void *state;
    int k;
    for (k = 0; app->options[k].name; k++)
        spec.values[k] = app->options[k].initial;
    spec.values[OPTION_WALK] = way->walk;
    spec.values[OPTION_LOAD] = way->load ? way->load : "0";
    spec.values[OPTION_VISITS] = way->visits ? way->visits : "32";
    if (app->open(&spec, &state) != YOKE_OK)
        fail_msg("%s", app_error_text());
    return state;
}

static yoke_status run_state(struct barnes_hut_state *s, yoke_runtime *rt, const char *partitioner)
{
    const struct app *app = app_find("barnes-hut");
    const struct measure_watch watch = { 0 };
    struct app_run run = {
        .runtime = rt, .partitioner = partitioner, .watch = &watch, .what = "test"
    };
    yoke_status status;
    assert_int_equal(app->attach(s, rt), YOKE_OK);
    assert_int_equal(app->reset(s), YOKE_OK);
    status = app->run(s, &run);
    app_tally_clear(&run.tally);
    return status;
}

static void detach(struct barnes_hut_state *s)
{
    assert_int_equal(app_find("barnes-hut")->detach(s), YOKE_OK);
}

static int far_apart(pull_t a, pull_t b)
{
    const float size = fabsf(a.x) + fabsf(a.y) + fabsf(a.z) + 1e-3f;
    return !(fabsf(a.x - b.x) + fabsf(a.y - b.y) + fabsf(a.z - b.z) <= 1e-4f * size) ||
           !(fabsf(a.potential - b.potential) <= 1e-5f * fabsf(a.potential));
}

/* Rounding may decide differently for a cell exactly at the distance limit of theta. */
static void assert_near(const struct barnes_hut_state *a, const struct barnes_hut_state *b,
                        const char *where)
{
    int64_t i, differ = 0;
    for (i = 0; i < a->stars; i++)
        differ += far_apart(a->pulls[i], b->pulls[i]) || (a->loads && a->loads[i] != b->loads[i]);
    if (differ > 3)
        fail_msg("%s: %lld of %lld bodies differ", where, (long long)differ, (long long)a->stars);
}

/* --- steps --- */

static const char *const machines[] = { "cpu", "sim:cpu:cores=2,sim:gpu", "opencl:0",
                                        "cpu:1,opencl:0" };
enum { MACHINES = sizeof machines / sizeof *machines };

static const struct way steps[] = {
    { APP_KERNEL_STEP, "auto", NULL, NULL },       { APP_KERNEL_STEP, "alone", "13", "1" },
    { APP_KERNEL_STEP, "alone", "40", "1000000" }, { APP_KERNEL_STEP, "apart", NULL, NULL },
    { APP_KERNEL_STEP, "apart", "13", NULL },      { APP_KERNEL_AUTO, "auto", "20", NULL }
};
enum { STEPS = sizeof steps / sizeof *steps };

static void steps_are_as_plain(void **unused)
{
    enum { COUNT = 3007 };
    int w, m;
    (void)unused;
    for (w = 0; w < STEPS; w++) {
        const struct way plain = { APP_KERNEL_PLAIN, "alone", steps[w].load, NULL };
        struct barnes_hut_state *right = open_state(&plain, COUNT);
        struct barnes_hut_state *s = open_state(&steps[w], COUNT);
        yoke_runtime *cores = app_machine_open("cpu");
        assert_int_equal(run_state(right, cores, NULL), YOKE_OK);
        for (m = 0; m < MACHINES; m++) {
            yoke_runtime *rt = app_machine_open(machines[m]);
            if (!rt)
                continue;
            if (run_state(s, rt, "even") != YOKE_OK)
                fail_msg("%s", app_error_text());
            detach(s);
            assert_near(right, s, machines[m]);
            assert_int_equal(yoke_close(rt), YOKE_OK);
        }
        detach(right);
        app_find("barnes-hut")->close(s);
        app_find("barnes-hut")->close(right);
        assert_int_equal(yoke_close(cores), YOKE_OK);
    }
}

/* The smallest queues and the shortest launches: nothing is lost or done twice. */
static void queues_do_not_matter(void **unused)
{
    static const yoke_step queues[] = { { .room = 0 },
                                        { .room = TREE_CHILDREN, .turns = 1, .groups = 1 },
                                        { .room = TREE_CHILDREN, .turns = 7, .groups = 3 },
                                        { .room = 100, .turns = 40, .groups = 2 } };
    enum { COUNT = 301, QUEUES = sizeof queues / sizeof *queues };
    pull_t pulls[COUNT] = { { 0, 0, 0, 0 } };
    uint32_t loads[COUNT] = { 0 };
    int w, m, q;
    (void)unused;
    for (w = 1; w <= 4; w += 3) /* both have a load */
        for (m = 0; m < MACHINES; m++) {
            yoke_runtime *rt = app_machine_open(machines[m]);
            struct barnes_hut_state *s = open_state(&steps[w], COUNT);
            for (q = 0; rt && q < QUEUES; q++) {
                s->forces.step.room = queues[q].room;
                s->forces.step.turns = queues[q].turns;
                s->forces.step.groups = queues[q].groups;
                if (run_state(s, rt, "even") != YOKE_OK)
                    fail_msg("%s", app_error_text());
                detach(s);
                if (q > 0) {
                    assert_memory_equal(s->pulls, pulls, sizeof pulls);
                    assert_memory_equal(s->loads, loads, sizeof loads);
                }
                memcpy(pulls, s->pulls, sizeof pulls);
                memcpy(loads, s->loads, sizeof loads);
            }
            app_find("barnes-hut")->close(s);
            assert_int_equal(yoke_close(rt), YOKE_OK);
        }
}

/* Pairs of stars, each half as far from a corner as the pair before, and finally many in one place:
 * a cell on each level, and a smallest cell with more children than a cell has octants. */
static void deepen(struct barnes_hut_state *s)
{
    int64_t i;
    for (i = 0; i < s->stars; i++) {
        const float at = i < 2 * (TREE_LEVELS + 1) ? ldexpf(1, -(int)(i / 2)) : 1e-9f * (float)i;
        s->start[i].body = (body_t){ i & 1 ? at : 0, at, at, 1.0f / (float)s->stars };
    }
}

static void the_deepest_tree_is_not_too_deep(void **unused)
{
    enum { COUNT = 100 };
    static const struct way plain = { APP_KERNEL_PLAIN, "alone", "13", NULL };
    yoke_runtime *rt = app_machine_open("cpu");
    struct barnes_hut_state *right = open_state(&plain, COUNT);
    int w, deepest = 0, k;
    (void)unused;
    right->theta = 0;
    deepen(right);
    assert_int_equal(run_state(right, rt, NULL), YOKE_OK);
    for (k = 0; right->nodes[k].count > 1; k++)
        deepest++;
    assert_int_equal(deepest, TREE_LEVELS + 1);
    for (w = 1; w <= 4; w += 3) {
        struct barnes_hut_state *s = open_state(&steps[w], COUNT);
        s->theta = 0;
        deepen(s);
        if (run_state(s, rt, NULL) != YOKE_OK)
            fail_msg("%s", app_error_text());
        detach(s);
        assert_near(right, s, steps[w].walk);
        app_find("barnes-hut")->close(s);
    }
    detach(right);
    app_find("barnes-hut")->close(right);
    assert_int_equal(yoke_close(rt), YOKE_OK);
}

/* --- the load --- */

static void the_load_is_fibonaccis(void **unused)
{
    static const uint32_t known[] = { 0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55 };
    uint32_t before = 0, number = 1;
    int32_t n;
    (void)unused;
    for (n = 0; n < 200; n++) {
        const uint32_t next = before + number;
        if (n < (int32_t)(sizeof known / sizeof *known))
            assert_int_equal(before, known[n]);
        assert_int_equal(barnes_hut_load(0.25f * (float)n, n), before);
        before = number;
        number = next;
    }
}

static void wrong_loads_are_named(void **unused)
{
    static const struct way ways[] = { { APP_KERNEL_PLAIN, "auto", "160", NULL },
                                       { APP_KERNEL_PLAIN, "alone", "4", NULL },
                                       { APP_KERNEL_STEP, "apart", "21", NULL } };
    const struct app *app = app_find("barnes-hut");
    size_t w;
    (void)unused;
    for (w = 0; w < sizeof ways / sizeof *ways; w++) {
        yoke_runtime *rt = app_machine_open("cpu");
        struct barnes_hut_state *s = open_state(&ways[w], 1500);
        char note[APP_NOTE_MAX];
        int wrong;
        assert_int_equal(run_state(s, rt, NULL), YOKE_OK);
        if (app->verify(s, note) != YOKE_OK)
            fail_msg("%s", app_error_text());
        assert_non_null(strstr(note, "; load "));
        for (wrong = -1; wrong <= 1; wrong += 2) {
            s->loads[3] += (uint32_t)wrong;
            assert_int_equal(app->verify(s, note), YOKE_EINVAL);
            assert_non_null(strstr(app_error_text(), "the load of body 3 came to"));
            s->loads[3] -= (uint32_t)wrong;
        }
        s->load++; /* as if done with a smaller number */
        assert_int_equal(app->verify(s, note), YOKE_EINVAL);
        s->load--;
        detach(s);
        app->close(s);
        assert_int_equal(yoke_close(rt), YOKE_OK);
    }
}

/* Devices choose between the two kernels if both do the same. */
static void devices_choose_with_a_load(void **unused)
{
    static const struct way ways[] = {
        { APP_KERNEL_AUTO, "auto", "20", NULL },     { APP_KERNEL_AUTO, "alone", "20", NULL },
        { APP_KERNEL_AUTO, "together", "20", NULL }, { APP_KERNEL_AUTO, "auto", NULL, NULL },
        { APP_KERNEL_PLAIN, "auto", "20", NULL },    { APP_KERNEL_STEP, "auto", "20", NULL }
    };
    static const int choose[] = { 1, 1, 0, 0, 0, 0 };
    size_t w;
    (void)unused;
    for (w = 0; w < sizeof ways / sizeof *ways; w++) {
        struct barnes_hut_state *s = open_state(&ways[w], 10);
        assert_int_equal(s->chooses, choose[w]);
        assert_int_equal(s->forces.kind, w == 5 ? YOKE_KERNEL_STEP : YOKE_KERNEL_RANGE);
        if (s->chooses)
            assert_int_equal(s->alternative.kind, YOKE_KERNEL_STEP);
        app_find("barnes-hut")->close(s);
    }
}

static void walks_belong_to_kernels(void **unused)
{
    static const struct way wrong[] = { { APP_KERNEL_PLAIN, "apart", NULL, NULL },
                                        { APP_KERNEL_STEP, "together", NULL, NULL } };
    static const char *const words[] = { "--walk apart: choose alone, together or auto, or with "
                                         "--kernel step apart",
                                         "--walk together: choose alone, apart or auto with "
                                         "--kernel step" };
    size_t w;
    (void)unused;
    for (w = 0; w < 2; w++) {
        struct barnes_hut_state s = { .stars = 1 };
        assert_int_equal(barnes_hut_choose(wrong[w].walk, wrong[w].kernel, &s), YOKE_EINVAL);
        assert_non_null(strstr(app_error_text(), words[w]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_as_plain),
        cmocka_unit_test(queues_do_not_matter),
        cmocka_unit_test(the_deepest_tree_is_not_too_deep),
        cmocka_unit_test(the_load_is_fibonaccis),
        cmocka_unit_test(wrong_loads_are_named),
        cmocka_unit_test(devices_choose_with_a_load),
        cmocka_unit_test(walks_belong_to_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
