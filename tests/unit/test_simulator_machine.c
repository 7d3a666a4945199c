/* test_simulator_machine.c - machines parsed from their text, their best possible times; cost
 * profiles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "machine/machine.h"
#include "simulator/profile.h"

static struct yk_machine parse(const char *line)
{
    struct yk_machine machine;
    if (yk_machine_parse(line, YK_MACHINE_JOB, &machine) != YOKE_OK)
        fail_msg("%s: %s", line, yoke_error_text());
    return machine;
}

static void a_line_is_a_machine(void **state)
{
    struct yk_machine m =
        parse("cores=8:rate=2e3:noise=0.1,gpu*2:f=7.5:fixed=50us,gpuBig:rate=3e9:mem=2G:stair=no:"
              "told=no:load=1e-3-2ms*3+5ms-*0.5,gpu:join=1s:fail=2s");
    (void)state;
    assert_int_equal(m.cpu.cores, 8);
    assert_true(m.cpu.rate == 2000 && m.cpu.noise == 0.1 && fabs(m.cpu.poll - 2e-6) < 1e-12 &&
                fabs(m.cpu.wait_switch - 3e-6) < 1e-12);
    assert_int_equal(m.gpu_count, 4);
    assert_string_equal(m.gpus[0].name, "gpu0");
    assert_string_equal(m.gpus[1].name, "gpu1");
    assert_string_equal(m.gpus[2].name, "gpuBig0");
    assert_string_equal(m.gpus[3].name, "gpu2");
    assert_true(m.gpus[1].f == 7.5 && fabs(m.gpus[1].fixed - 50e-6) < 1e-12 && m.gpus[1].told == 1);
    assert_true(m.gpus[2].rate == 3e9 && m.gpus[2].memory == (int64_t)2 << 30);
    assert_true(m.gpus[2].stair == 0 && m.gpus[2].told == 0);
    assert_int_equal(m.gpus[2].loads.count, 2);
    assert_true(m.gpus[2].loads.items[0].from == 1e-3 &&
                fabs(m.gpus[2].loads.items[0].to - 2e-3) < 1e-12 &&
                m.gpus[2].loads.items[0].factor == 3);
    assert_true(isinf(m.gpus[2].loads.items[1].to));
    assert_true(m.gpus[3].join == 1 && m.gpus[3].fail == 2);
    yk_machine_close(&m);
    m = parse("gpu,cpu:cores=3"); /* in any order */
    assert_true(m.cpu.cores == 3 && m.gpu_count == 1);
    yk_machine_close(&m);
    m = parse("cores=1,gpu*10000");
    assert_string_equal(m.gpus[9999].name, "gpu9999");
    yk_machine_close(&m);
}

static void a_wrong_line_says_where(void **state)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        { "", "character 1 (''): cores=N or gpu" },
        { "gpu", "has no cores" },
        { "cores=8,", "character 9 ('')" },
        { "cores=8,,gpu", "character 9 ('')" },
        { "cores", "character 1 ('cores'): cores=N or gpu" },
        { "cores=", "cores has no value" },
        { "cores=0", "cores=0 is out of range; it may be 1 to 4096" },
        { "cores=1000000", "out of range" },
        { "cores=x", "'x'" },
        { "cores=8:rate=0", "rate=0 is out of range" },
        { "cores=8:f=1", "character 9 ('f=1') has no option 'f'; there are: cores" },
        { "cores=8::noise=0", "character 9 (''): key=value" },
        { "cores=8:noise=1", "noise=1 is out of range" },
        { "cores=8,cores=2", "character 9 ('cores=2'): the cores were described before" },
        { "cores=8,gpu:f=0", "f=0 is out of range" },
        { "cores=8,gpu:rate=-1", "rate=" },
        { "cores=8,gpu:lanes=65", "lanes=65" },
        { "cores=8,gpu*0", "a count from 1 to 10000" },
        { "cores=8,gpu*10001", "a count from 1 to 10000" },
        { "cores=8,gpu*6000,gpu*6000", "10000 GPUs at most" },
        { "cores=8,gpu*2x", "':' is expected where 'x' stands" },
        { "cores=8,gpu/2", "':' is expected where '/' stands" },
        { "cores=8,gpu-and-a-very-long-name-indeed", "too long" },
        { "cores=8,cuda:0", "character 9 ('cuda:0'): cores=N or gpu" },
        { "cores=8,gpu:load=1", "is not FROM-TO*FACTOR" },
        { "cores=8,gpu:load=1-2", "is not FROM-TO*FACTOR" },
        { "cores=8,gpu:load=2-1*3", "begins before it ends" },
        { "cores=8,gpu:load=1-2*0", "factor" },
        { "cores=8,gpu:load=1-2*x", "'x'" },
        { "cores=8,gpu:load=-2*3", "is not FROM-TO*FACTOR" },
        { "cores=8,gpu:load=1-2*3+", "is not FROM-TO*FACTOR" },
        { "cores=8,gpu:load=0-1*2+1-2*2+2-3*2+3-4*2+4-5*2+5-6*2+6-7*2+7-8*2+8-9*2", "8 spells" },
        { "cores=8,gpu:load=1-2222222222222222222222222222222222222222222*3", "no number" },
    };
    int64_t before = yk_alloc_outstanding();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_machine machine = { .cpu.cores = 77 };
        assert_int_equal(yk_machine_parse(cases[i].line, YK_MACHINE_JOB, &machine), YOKE_EINVAL);
        if (!strstr(yoke_error_text(), cases[i].says))
            fail_msg("%s: %s", cases[i].line, yoke_error_text());
        assert_int_equal(machine.cpu.cores, 77);
    }
    assert_int_equal(yk_alloc_outstanding(), before);
}

static void no_memory_for_a_machine(void **state)
{
    int64_t before = yk_alloc_outstanding();
    (void)state;
    for (int64_t nth = 1;; nth++) {
        struct yk_machine machine;
        yk_alloc_fail_at(nth);
        yoke_status status =
            yk_machine_parse("cores=8:load=1-2*3,gpu*3:f=2:load=0-1*2", YK_MACHINE_JOB, &machine);
        if (status == YOKE_OK)
            yk_machine_close(&machine);
        else
            assert_int_equal(status, YOKE_ENOMEM);
        assert_int_equal(yk_alloc_outstanding(), before);
        if (!yk_alloc_failed())
            break;
    }
    yk_alloc_fail_at(0);
}

static double ideal(const char *line, struct yk_machine_job job, int only)
{
    struct yk_machine machine = parse(line);
    double seconds = yk_machine_ideal(&machine, &job, only);
    yk_machine_close(&machine);
    return seconds;
}

#define assert_near(measured, expected)                                                            \
    do {                                                                                           \
        double m = (measured), e = (expected);                                                     \
        if (!(fabs(m - e) <= 1e-9 * fabs(e)))                                                      \
            fail_msg("%.12g, not %.12g", m, e);                                                    \
    } while (0)

static void the_least_time(void **state)
{
    struct yk_machine_job job = { .items = 1e6 }, copies = { .items = 1e6, .bytes_in = 8 };
    (void)state;
    assert_near(ideal("cores=8", job, -1), 0.125);
    /* 10 items per us; the GPU begins 10 us late */
    assert_near(ideal("cores=2,gpu:f=8:fixed=7us:launch=3us", job, -1), (1e6 + 80) / 10e6);
    assert_near(ideal("cores=2,gpu:f=8:fixed=10us", job, 0), 0.5);
    assert_near(ideal("cores=2,gpu:f=8:fixed=10us", job, 1), 0.125 + 10e-6);
    /* half as fast from 0.1 s on: 0.8e6 until then */
    assert_near(ideal("cores=8:load=0.1-*2", job, -1), 0.15);
    /* the link allows 1e6 items per second, the kernels eight times as many */
    assert_near(ideal("cores=1,gpu:f=8:fixed=0:link=8e6:latency=1ms", copies, -1), 0.5005);
    assert_near(ideal("cores=1,gpu:f=1:fixed=0:fail=0.2", job, -1), 0.8);
    assert_near(ideal("cores=1,gpu:f=1:fixed=0:join=0.2", job, -1), 0.6);
    assert_true(isinf(ideal("cores=1,gpu:f=1:fixed=0:fail=0.2", job, 1)));
    job.core_seconds = 2e-6;
    assert_near(ideal("cores=1,gpu:f=3:fixed=0", job, -1), 0.5);
}

/* --- profiles --- */

static struct yk_profile profile_of(const char *text, int64_t items)
{
    struct yk_profile_spec spec;
    struct yk_profile profile = { .items = 0 };
    if (yk_profile_parse(text, items, &spec) != YOKE_OK ||
        yk_profile_open(&spec, &profile) != YOKE_OK)
        fail_msg("%s: %s", text, yoke_error_text());
    return profile;
}

static void all_items_cost_their_number(void **state)
{
    static const char *const texts[] = { "regular",
                                         "linear-up",
                                         "linear-down:spread=0.5",
                                         "random",
                                         "random:spread=0.3:seed=9",
                                         "clustered",
                                         "clustered:dear=100:share=0.01:stretches=1000" };
    static const int64_t sizes[] = { 1, 2, 7, 1000, 1 << 20, (1 << 20) + 1, 3000000017 };
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct yk_profile profile = profile_of(texts[t], sizes[s]);
            int64_t items = sizes[s], middle = items / 3;
            assert_near(yk_profile_cost(&profile, 0, items), (double)items);
            assert_near(yk_profile_cost(&profile, 0, middle) +
                            yk_profile_cost(&profile, middle, items),
                        (double)items);
            assert_true(yk_profile_cost(&profile, middle, middle) == 0);
            yk_profile_close(&profile);
        }
}

static void shapes(void **state)
{
    struct yk_profile profile = profile_of("linear-up", 10);
    int64_t i, dear = 0;
    double cost, least = INFINITY, most = 0;
    (void)state;
    for (i = 0; i < 10; i++)
        assert_near(yk_profile_cost(&profile, i, i + 1), 0.1 + 0.2 * (double)i);
    yk_profile_close(&profile);
    profile = profile_of("linear-down:spread=0.5", 10);
    assert_near(yk_profile_cost(&profile, 0, 1), 1.45);
    yk_profile_close(&profile);
    profile = profile_of("random:spread=0.5", 10000);
    for (i = 0; i < 10000; i++) {
        cost = yk_profile_cost(&profile, i, i + 1);
        least = fmin(least, cost);
        most = fmax(most, cost);
    }
    assert_true(least > 0.48 && least < 0.52 && most > 1.48 && most < 1.52);
    yk_profile_close(&profile);
    profile = profile_of("clustered:dear=9:share=0.25:stretches=8", 800); /* 2 of 8 */
    for (i = 0; i < 8; i++)
        dear += yk_profile_cost(&profile, 100 * i, 100 * i + 100) > 100;
    assert_int_equal(dear, 2);
    yk_profile_close(&profile);
}

static void a_recorded_profile(void **state)
{
    const double costs[] = { 1, 3, 0, 4 };
    struct yk_profile_spec spec;
    struct yk_profile profile;
    int64_t before = yk_alloc_outstanding();
    (void)state;
    assert_int_equal(yk_profile_parse("recorded", 8, &spec), YOKE_OK);
    assert_int_equal(yk_profile_open(&spec, &profile), YOKE_EINVAL); /* none given */
    spec.costs = costs;
    spec.cost_count = 4;
    assert_int_equal(yk_profile_open(&spec, &profile), YOKE_OK);
    assert_near(yk_profile_cost(&profile, 0, 2), 1);
    assert_near(yk_profile_cost(&profile, 3, 4), 1.5);
    assert_true(yk_profile_cost(&profile, 4, 6) == 0);
    yk_profile_close(&profile);
    spec.costs = (const double[]){ 1, NAN, 2, 3 };
    assert_int_equal(yk_profile_open(&spec, &profile), YOKE_EINVAL);
    spec.costs = (const double[]){ 0, 0, 0, 0 };
    assert_int_equal(yk_profile_open(&spec, &profile), YOKE_EINVAL);
    assert_int_equal(yk_alloc_outstanding(), before);
}

static void wrong_profiles(void **state)
{
    static const char *const texts[] = { "linear",           "",
                                         "random:spread=2",  "random:seeds=2",
                                         "regular:x=1",      "clustered:share=0",
                                         "clustered:dear=0", "clustered:stretches=0" };
    struct yk_profile_spec spec;
    struct yk_profile profile;
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        yoke_status status = yk_profile_parse(texts[t], 100, &spec);
        if (status == YOKE_OK)
            status = yk_profile_open(&spec, &profile);
        assert_int_equal(status, YOKE_EINVAL);
    }
    assert_int_equal(yk_profile_parse("regular", 0, &spec), YOKE_OK);
    assert_int_equal(yk_profile_open(&spec, &profile), YOKE_EINVAL);
    assert_string_equal(yk_profile_name(0), "regular");
    assert_null(yk_profile_name(6));
}

static void no_memory_for_a_profile(void **state)
{
    int64_t before = yk_alloc_outstanding();
    struct yk_profile_spec spec;
    struct yk_profile profile;
    (void)state;
    assert_int_equal(yk_profile_parse("clustered", 1000, &spec), YOKE_OK);
    for (int64_t nth = 1; nth <= 2; nth++) {
        yk_alloc_fail_at(nth);
        assert_int_equal(yk_profile_open(&spec, &profile), YOKE_ENOMEM);
        assert_int_equal(yk_alloc_outstanding(), before);
    }
    yk_alloc_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_a_machine),         cmocka_unit_test(a_wrong_line_says_where),
        cmocka_unit_test(no_memory_for_a_machine),     cmocka_unit_test(the_least_time),
        cmocka_unit_test(all_items_cost_their_number), cmocka_unit_test(shapes),
        cmocka_unit_test(a_recorded_profile),          cmocka_unit_test(wrong_profiles),
        cmocka_unit_test(no_memory_for_a_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
