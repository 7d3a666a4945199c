/* Tests of the rules of the CPU weight: which weight counts, and how it changes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/weight.h"

static int near(double one, double other)
{
    return fabs(one - other) < 1e-12;
}

static double paper(void *context, double weight, const yoke_times *times)
{
    (void)context;
    return yk_weight_paper(weight, times);
}

/* Returns a fixed answer and counts its calls. */
struct oracle {
    double answer;
    int asked;
};
static double tell(void *context, double weight, const yoke_times *times)
{
    struct oracle *oracle = context;
    (void)weight;
    (void)times;
    oracle->asked++;
    return oracle->answer;
}

static void weights_are_0_to_1(void **state)
{
    (void)state;
    assert_true(yk_weight_is_valid(0) && yk_weight_is_valid(1) && yk_weight_is_valid(0.5));
    assert_false(yk_weight_is_valid(-0.001) || yk_weight_is_valid(1.001));
    assert_false(yk_weight_is_valid((double)NAN) || yk_weight_is_valid((double)INFINITY) ||
                 yk_weight_is_valid(-(double)INFINITY));
}

static void a_kernels_own_weight_comes_first(void **state)
{
    struct yk_weight own, all;
    (void)state;
    yk_weight_open(&own);
    yk_weight_open(&all);
    assert_true(yk_weight_now(&own, &all) < 0);
    all.given = 0.3;
    assert_true(near(yk_weight_now(&own, &all), 0.3));
    own.moved = 0.35;
    assert_true(near(yk_weight_now(&own, &all), 0.35));
    own.given = 0;
    assert_true(near(yk_weight_now(&own, &all), 0));
    own.given = all.given = -1; /* the weight derived from it is gone too */
    assert_true(yk_weight_now(&own, &all) < 0);
}

static void chunks_that_nobody_gave_are_0(void **state)
{
    struct yk_weight own, all;
    (void)state;
    yk_weight_open(&own);
    yk_weight_open(&all);
    assert_int_equal(yk_weight_cpu_chunks(&own, &all), 0);
    all.cpu_chunks = 3;
    all.gpu_chunks = 5;
    assert_int_equal(yk_weight_cpu_chunks(&own, &all), 3);
    own.gpu_chunks = 0;
    assert_int_equal(yk_weight_gpu_chunks(&own, &all), 0);
}

static void the_papers_rule_goes_a_hundredth(void **state)
{
    static const yoke_times slow_cores = { 2, 1, 20, 80 }, slow_gpus = { 1, 2, 20, 80 },
                            even = { 1, 1, 20, 80 }, idle_cores = { 0, 1, 0, 100 },
                            nothing = { 0, 0, 0, 0 };
    (void)state;
    assert_true(near(yk_weight_paper(0.2, &slow_cores), 0.19));
    assert_true(near(yk_weight_paper(0.2, &slow_gpus), 0.21));
    assert_true(near(yk_weight_paper(0.2, &even), 0.21)); /* ratio > 0.5 lowers it, else it rises */
    assert_true(near(yk_weight_paper(0, &idle_cores), 0.01));
    assert_true(near(yk_weight_paper(0.2, &nothing), 0.2));
}

static void rates_say_the_weight_at_once(void **state)
{
    static const yoke_times slow_cores = { 4, 1, 20, 80 }; /* 5 and 80 items per second */
    static const yoke_times idle_cores = { 0, 1, 0, 100 }, idle_gpus = { 1, 0, 100, 0 },
                            nothing = { 0, 0, 0, 0 };
    (void)state;
    assert_true(near(yk_weight_rate(0.2, &slow_cores), 5.0 / 85));
    assert_true(near(yk_weight_rate(0.1, &slow_cores), (0.1 + 5.0 / 85) / 2));
    assert_true(near(yk_weight_rate(0, &idle_cores), 0.01));
    assert_true(near(yk_weight_rate(1, &idle_gpus), 0.99));
    assert_true(near(yk_weight_rate(0.4, &nothing), 0.4));
}

/* Two sides whose time is a * items + b. */
struct sides {
    double items, cpu_item, cpu_fixed, gpu_item, gpu_fixed;
};
static yoke_times run(const struct sides *sides, double weight)
{
    double cpu = floor(weight * sides->items + 0.5), gpu = sides->items - cpu;
    return (yoke_times){ .cpu_seconds = cpu > 0 ? cpu * sides->cpu_item + sides->cpu_fixed : 0,
                         .gpu_seconds = gpu > 0 ? gpu * sides->gpu_item + sides->gpu_fixed : 0,
                         .cpu_items = (int64_t)cpu,
                         .gpu_items = (int64_t)gpu };
}

static double best(const struct sides *sides)
{
    double gpu = sides->items * sides->gpu_item + sides->gpu_fixed - sides->cpu_fixed;
    return gpu / (sides->cpu_item + sides->gpu_item) / sides->items;
}

/* papers/001, fig. 3: within 0.01 of the best for ten steps, after at most |w0 - w*| / 0.01 + 1
 * steps. */
static void the_papers_rule_converges(void **state)
{
    static const struct sides machines[] = { { 1e6, 9e-6, 0, 1e-6, 0 },
                                             { 1e6, 99e-6, 0, 1e-6, 1e-3 },
                                             { 1e6, 1e-6, 0, 1.3e-6, 0.01 },
                                             { 1e6, 3e-6, 1e-4, 1e-6, 1e-3 } };
    size_t m;
    int step;
    (void)state;
    for (m = 0; m < sizeof machines / sizeof *machines; m++) {
        double weight = 0.2, goal = best(&machines[m]);
        int due = (int)ceil(fabs(weight - goal) / 0.01) + 1;
        for (step = 0; step < due + 10; step++) {
            yoke_times times = run(&machines[m], weight);
            if (step >= due && fabs(weight - goal) > 0.01 + 1e-9)
                fail_msg("machine %d, step %d: %g, and best is %g", (int)m, step, weight, goal);
            weight = yk_weight_paper(weight, &times);
        }
    }
}

static void the_rate_rule_converges_in_four_steps(void **state)
{
    static const struct sides machines[] = { { 1e6, 9e-6, 0, 1e-6, 0 },
                                             { 1e6, 99e-6, 0, 1e-6, 1e-2 },
                                             { 1e6, 1e-6, 0, 1.3e-6, 0.01 },
                                             { 1e4, 3e-6, 1e-4, 1e-6, 1e-3 } };
    size_t m;
    int step;
    (void)state;
    for (m = 0; m < sizeof machines / sizeof *machines; m++) {
        double weight = 0.2;
        for (step = 0; step < 4; step++) {
            yoke_times times = run(&machines[m], weight);
            weight = yk_weight_rate(weight, &times);
        }
        if (fabs(weight - best(&machines[m])) > 0.01)
            fail_msg("machine %d: %g, and best is %g", (int)m, weight, best(&machines[m]));
    }
}

static void a_policy_moves_the_weight_it_was_asked_for(void **state)
{
    static const yoke_times slow_cores = { 2, 1, 20, 80 };
    struct yk_weight own, all;
    (void)state;
    yk_weight_open(&own);
    yk_weight_open(&all);
    all.given = 0.2;
    all.policy = paper;
    assert_true(yk_weight_moves(&own, &all));
    yk_weight_adapt(&own, &all, 0.2, &slow_cores);
    assert_true(near(yk_weight_now(&own, &all), 0.19) && near(all.given, 0.2) && own.given < 0);
    yk_weight_adapt(&own, &all, 0.2, &slow_cores); /* it has changed since: ignored */
    assert_true(near(yk_weight_now(&own, &all), 0.19));
    own.given = 0.5;
    yk_weight_adapt(&own, &all, 0.5, &slow_cores);
    assert_true(near(own.given, 0.49));
    own.has_policy = 1; /* none */
    assert_false(yk_weight_moves(&own, &all));
    yk_weight_adapt(&own, &all, own.given, &slow_cores);
    assert_true(near(own.given, 0.49));
}

static void what_a_policy_answers_is_made_a_weight(void **state)
{
    static const struct {
        double answer, weight;
    } cases[] = { { -3, 0 },
                  { 1.5, 1 },
                  { (double)INFINITY, 1 },
                  { -(double)INFINITY, 0 },
                  { (double)NAN, 0.4 },
                  { 0.25, 0.25 } };
    static const yoke_times times = { 1, 1, 50, 50 };
    size_t c;
    (void)state;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct oracle oracle = { cases[c].answer, 0 };
        struct yk_weight own, all;
        yk_weight_open(&own);
        yk_weight_open(&all);
        own.given = 0.4;
        own.has_policy = 1;
        own.policy = tell;
        own.context = &oracle;
        yk_weight_adapt(&own, &all, 0.4, &times);
        assert_int_equal(oracle.asked, 1);
        assert_true(near(own.given, cases[c].weight));
    }
}

static void a_run_is_over_with_its_last_job(void **state)
{
    const struct yk_weight_job one = { 0.2, 100, 600, 300, 10, 40 },
                               two = { 0.2, 150, 500, 800, 20, 80 }, other = { 0.3, 0, 1, 1, 1, 1 };
    struct yk_weight_run run = { 0 };
    yoke_times times;
    (void)state;
    yk_weight_begin(&run);
    yk_weight_begin(&run);
    yk_weight_tell(&run, &two);
    assert_int_equal(yk_weight_end(&run), 0);
    yk_weight_tell(&run, &one);
    assert_int_equal(yk_weight_end(&run), 1);
    assert_int_equal(yk_weight_times(&run, &times), 1);
    assert_true(near(times.cpu_seconds, 500e-9) && near(times.gpu_seconds, 700e-9));
    assert_true(times.cpu_items == 30 && times.gpu_items == 120 && near(run.weight, 0.2));
    yk_weight_begin(&run);
    yk_weight_begin(&run);
    yk_weight_tell(&run, &one);
    yk_weight_end(&run); /* the other side failed */
    assert_int_equal(yk_weight_end(&run), 1);
    assert_int_equal(yk_weight_times(&run, &times), 0);
    assert_true(near(times.cpu_seconds, 500e-9));
    yk_weight_begin(&run);
    yk_weight_begin(&run);
    yk_weight_tell(&run, &one);
    yk_weight_tell(&run, &other);
    yk_weight_end(&run);
    yk_weight_end(&run);
    assert_int_equal(yk_weight_times(&run, &times), 0); /* there is no single weight */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_0_to_1),
        cmocka_unit_test(a_kernels_own_weight_comes_first),
        cmocka_unit_test(chunks_that_nobody_gave_are_0),
        cmocka_unit_test(the_papers_rule_goes_a_hundredth),
        cmocka_unit_test(rates_say_the_weight_at_once),
        cmocka_unit_test(the_papers_rule_converges),
        cmocka_unit_test(the_rate_rule_converges_in_four_steps),
        cmocka_unit_test(a_policy_moves_the_weight_it_was_asked_for),
        cmocka_unit_test(what_a_policy_answers_is_made_a_weight),
        cmocka_unit_test(a_run_is_over_with_its_last_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
