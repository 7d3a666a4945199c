/* test_simulation_steps.c - yoke_simulate with a step: times that can be worked out, rows that
 * stay, what comes home, devices that fail, mistakes, and no memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yoke/simulate.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "machine/machine.h"
#include "simulated_steps.h"

/* 8,000 bytes travel once, in 10 us + 8 us; a kernel takes 5 us + 1 us, or 1 us * 4. */
static void times_by_hand(void **state)
{
    yoke_simulation asked = { .machine = "cores=1,gpu:rate=1e9:link=1e9",
                              .step = "a(inout x); b(in x, out y)*4",
                              .items = 1000,
                              .partitioner = "static:shares=0/1,chunks=1",
                              .runs = 3 };
    yoke_simulated *out = simulate(&asked);
    (void)state;
    assert_float_equal(out->runs[0], 18e-6 + 6e-6 + 9e-6, 1e-12);
    assert_float_equal(out->runs[1], 6e-6 + 9e-6, 1e-12);
    assert_float_equal(out->runs[2], 6e-6 + 9e-6, 1e-12);
    assert_true(out->to_devices == 0 && out->from_devices == 0);
    assert_true(out->devices[0].items == 0 && out->devices[1].items == 2000);
    assert_float_equal(out->devices[1].share, 1, 0);
    assert_string_equal(out->devices[1].name, "gpu0");
    yoke_simulated_close(out);
    asked.machine = "cores=4:rate=1e6";
    asked.partitioner = "even";
    out = simulate(&asked);
    assert_float_equal(out->runs[2], (1000 + 4000) / 4e6, 4e-5); /* pieces are not equal */
    assert_float_equal(out->ideal_seconds, (1000 + 4000) / 4e6, 1e-9);
    yoke_simulated_close(out);
}

/* 10 us and 8,000 ns for 8,000 bytes, or for half of them over each of two links; a kernel takes
 * 5 us and 1 us, or half of that 1 us. */
static void results_come_over_all_links(void **state)
{
    yoke_simulation asked = { .machine = "cores=1,gpu*2:rate=1e9:link=1e9",
                              .step = "a(out x); read x",
                              .items = 1000,
                              .partitioner = "static:shares=0/1/0,chunks=1",
                              .runs = 2 };
    yoke_simulated *out = simulate(&asked);
    (void)state;
    assert_float_equal(out->runs[1], 6e-6 + 18e-6, 1e-12);
    yoke_simulated_close(out);
    asked.partitioner = "static:shares=0/1/1,chunks=1";
    out = simulate(&asked);
    assert_float_equal(out->runs[1], 5.5e-6 + 14e-6, 1e-12);
    yoke_simulated_close(out);
    /* Both have all rows: 16 ms from one to the other, and 16 ms home from each. */
    asked.machine = "cores=1,gpu*2:rate=1e9:link=1e9:peer=1e9";
    asked.step = "a(inout x); b(whole x, inout y); read x";
    asked.items = 4000000;
    out = simulate(&asked);
    assert_float_equal(out->runs[1], 2e-3 + 2e-3 + 16e-3 + 16e-3, 0.5e-3);
    yoke_simulated_close(out);
}

/* Two equal GPUs beside slow cores: `auto` ends where `even` on the GPUs is, and only halos move.
 */
static void rows_stay(void **state)
{
    yoke_simulation asked = {
        .machine = "cores=8:rate=1e7:noise=0.03,gpu*2:rate=20e9:peer=100e9:fill=1000",
        .step = "smooth(in u:4[1], out w:4); smooth(in w[1], out u)",
        .items = 2000000,
        .runs = 100,
        .alone = 1
    };
    yoke_simulated *mine = simulate(&asked), *fixed;
    (void)state;
    asked.partitioner = "static:shares=0/0.5/0.5,chunks=1";
    asked.alone = 0;
    fixed = simulate(&asked);
    assert_true(late(mine) < 1.03 * late(fixed));
    assert_true(late(mine) < 0.7 * mine->devices[1].alone_seconds);
    assert_true(mine->to_devices + mine->from_devices == 0 && mine->between_devices <= 4 * 4);
    assert_true(mine->devices[0].items == 0);
    assert_true(mine->devices[0].reason[0] && mine->devices[1].reason[0]);
    yoke_simulated_close(mine);
    yoke_simulated_close(fixed);
}

/* The program writes b before each step, so most of what k0 reads comes from the host. Jobs without
 * a plan are tried then; here the plan is faster, so it goes on. Before, most jobs had no plan, and
 * the late step took 1.24 times as long. */
static void a_plan_goes_on_though_rows_are_sent(void **state)
{
    yoke_simulation asked = { .machine = "cores=4:rate=9.28e7,gpu*2:rate=2.28e10:fill=20000:"
                                         "fixed=5.6us:latency=10.5us:link=5e10:peer=150e9",
                              .step = "k0(sum, out a:4, in b:4)*4; k1(whole b, out a)*4; write b",
                              .items = 135402,
                              .runs = 100 };
    yoke_simulated *mine = simulate(&asked), *fixed;
    (void)state;
    asked.partitioner = "static:shares=0/0.5/0.5,chunks=1";
    fixed = simulate(&asked);
    assert_true(late_median(mine) < 1.03 * late_median(fixed));
    assert_true(late(mine) < 1.06 * late(fixed));
    yoke_simulated_close(mine);
    yoke_simulated_close(fixed);
}

/* Short jobs whose results the program reads, or which fill no GPU: a GPU that is twenty times as
 * fast as the cores may be the slower one. `auto` ends with the better one, or with both. */
static void short_jobs_end_on_the_best_device(void **state)
{
    static const struct {
        const char *step;
        int64_t items;
    } cases[] = { { "saxpy(in x:4, inout y:4); read y", 1000000 },
                  { "lookup(in x:4, whole t, out y:4)*2; read y", 1000000 },
                  { "push(inout p:48)*8; read p", 1000000 },
                  { "price(in s:4, in t:4, out c:4, out p:4)*5; read c; read p", 1000000 },
                  { "gather(in i:4, whole x:4, out y:4)*3; read y", 1000000 },
                  { "one(in u:4[64], out w:4); two(in w[64], out u); read u", 1000000 },
                  { "dot(sum, in x:4, in y:4)", 1000000 },
                  { "tree(in s:4, out v:4)*512", 4096 },
                  { "tiny(in x[1], out y); tiny(in y[1], out x)", 600 } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const yoke_simulation asked = {
            .machine = "cores=16:rate=1.05e9,gpu:rate=200e9:fill=270336:fixed=6us:link=28e9:"
                       "latency=8us",
            .step = cases[i].step,
            .items = cases[i].items,
            .runs = 100,
            .alone = 1
        };
        yoke_simulated *out = simulate(&asked);
        const double best = fmin(out->devices[0].alone_seconds, out->devices[1].alone_seconds);
        if (late_median(out) > 1.03 * best || late(out) > 1.06 * best)
            fail_msg("%s: %g us, alone %g and %g", asked.step, 1e6 * late_median(out),
                     1e6 * out->devices[0].alone_seconds, 1e6 * out->devices[1].alone_seconds);
        yoke_simulated_close(out);
    }
}

static void what_comes_home(void **state)
{
    yoke_simulation asked = { .machine = "cores=1,gpu*2:peer=50e9",
                              .step =
                                  "a(whole x, out y:16); read y; dot(sum, in x); b(in y, out x)",
                              .items = 1000,
                              .partitioner = "static:shares=0/0.5/0.5,chunks=1",
                              .runs = 5 };
    yoke_simulated *out = simulate(&asked);
    (void)state;
    assert_int_equal(out->from_devices, 16000);
    assert_int_equal(out->between_devices, 8000); /* the half of x that the other one wrote */
    assert_int_equal(out->to_devices, 0);
    yoke_simulated_close(out);
    asked.step = "a(in x, out y:16); write x"; /* x goes to the GPUs again in each step */
    out = simulate(&asked);
    assert_true(out->to_devices == 8000 && out->from_devices == 0 && out->between_devices == 0);
    yoke_simulated_close(out);
}

/* The cores do everything in the end, and no row is missed, though a GPU without room for the
 * arrays works in windows. */
static void a_device_fails(void **state)
{
    static const char *const machines[] = { "cores=2,gpu:f=9:fail=2ms",
                                            "cores=2,gpu:f=9:fail=2ms:mem=100k:pages=4k" };
    (void)state;
    for (int i = 0; i < 2; i++) {
        const yoke_simulation asked = {
            .machine = machines[i], .step = "a(in x, out y)", .items = 20000, .runs = 4
        };
        yoke_simulated *out = simulate(&asked);
        assert_int_equal(out->devices[0].items, 20000);
        assert_string_equal(out->devices[1].reason, "sim:gpu0 was lost before");
        yoke_simulated_close(out);
    }
}

static void the_timeline_has_all_steps(void **state)
{
    char path[64], line[512];
    int named = 0;
    const yoke_simulation asked = { .machine = "cores=2,gpu",
                                    .step = "first(out x); second(in x, out y)",
                                    .items = 1000,
                                    .runs = 2,
                                    .trace = path };
    (void)state;
    snprintf(path, sizeof path, "/tmp/yoke-steps-%d.json", (int)getpid());
    yoke_simulated_close(simulate(&asked));
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    while (fgets(line, sizeof line, stream))
        named |= (strstr(line, "\"first\"") ? 1 : 0) | (strstr(line, "\"second\"") ? 2 : 0);
    fclose(stream);
    remove(path);
    assert_int_equal(named, 3);
}

static void mistakes(void **state)
{
    static const struct {
        const char *step, *says;
    } cases[] = {
        { "", "character 1 (''): a kernel's name, read or write is expected" },
        { "a", "character 2 (''): '(' is expected" },
        { "a(", "character 3 (''): in, whole, inout, out or sum" },
        { "read", "character 5 (''): an array's name" },
        { "write x", "character 8 (''): a kernel is expected" },
        { "a(read x)", "character 3 ('read x)'): in, whole" },
        { "a(in)", "an array's name" },
        { "a(in x", "',' or ')'" },
        { "a(in x:0)", "bytes of a row" },
        { "a(in x:4, in x:8)", "the number of bytes that the array had before" },
        { "a(out x[1])", "only 'in' has one" },
        { "a(in x[0])", "a number of rows" },
        { "a(in x[2)", "']'" },
        { "a(in x)*0", "a number of items" },
        { "a(in x) b", "';' or the end" },
        { "a(in x, sum)", "sum as the first argument" },
        { "a(in x, out x)", "has 'x' twice and writes it" },
        { "a(in a, in b, in c, in d, in e, in f, in g, in h, in i)", "8 arguments at most" },
        { "a_name_of_more_than_thirty_one_characters(in x)", "31 characters" },
    };
    const yoke_simulation usual = { .machine = "cores=2,gpu", .items = 1000, .step = "a(in x)" };
    yoke_simulation asked = usual;
    yoke_simulated *out = NULL;
    const int64_t before = yk_alloc_outstanding();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        asked.step = cases[i].step;
        assert_int_equal(yoke_simulate(&asked, &out), YOKE_EINVAL);
        if (!strstr(yoke_error_text(), cases[i].says))
            fail_msg("%s", yoke_error_text());
    }
    asked = usual;
    asked.threads = 2;
    assert_int_equal(yoke_simulate(&asked, &out), YOKE_EINVAL);
    asked = usual;
    asked.machine = "cores=2,gpu:told=no";
    assert_int_equal(yoke_simulate(&asked, &out), YOKE_EINVAL);
    asked = usual;
    asked.partitioner = "fair";
    assert_int_equal(yoke_simulate(&asked, &out), YOKE_EINVAL);
    asked = usual;
    asked.trace = "/nonexistent/t.json";
    assert_int_equal(yoke_simulate(&asked, &out), YOKE_EIO);
    assert_null(out);
    assert_int_equal(yk_alloc_outstanding(), before);
}

/* A key that only counts for arrays that stay is refused with that cause where there are none. */
static void keys_of_arrays(void **state)
{
    yoke_simulation asked = { .machine = "cores=2,gpu:peer=1e9", .items = 1000 };
    yoke_simulated *out = NULL;
    (void)state;
    assert_int_equal(yoke_simulate(&asked, &out), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "character 13 ('peer=1e9') changes nothing"));
    assert_null(out);
}

/* The devices of a machine, as text, are the same machine again. */
static void devices_as_text(void **state)
{
    struct yk_machine machine;
    const struct yk_machine_job job = { .core_seconds = 1e-7 };
    (void)state;
    assert_int_equal(yk_machine_parse("cores=3:noise=0.03:load=1-*2,gpu*2:f=0.1:fixed=7us:stair=no:"
                                      "link=0:load=1ms-2ms*3+5-6*1.5",
                                      YK_MACHINE_STEPS, &machine),
                     YOKE_OK);
    char *text = yk_machine_devices(&machine, &job, -1);
    assert_string_equal(
        text, "sim:cpu:cores=3:rate=1e+07:noise=0.03:load=1-*2,"
              "sim:gpu0:rate=1e+06:fixed=7e-06:stair=no:noise=0.03:load=0.001-0.002*3+5-6*1.5:"
              "link=1e+18:mem=576460752303423488:results=no,"
              "sim:gpu1:rate=1e+06:fixed=7e-06:stair=no:noise=0.03:load=0.001-0.002*3+5-6*1.5:"
              "link=1e+18:mem=576460752303423488:results=no");
    yk_free(text);
    text = yk_machine_devices(&machine, &job, 0);
    assert_string_equal(text, "sim:cpu:cores=3:rate=1e+07:noise=0.03:load=1-*2");
    yk_free(text);
    yk_machine_close(&machine);
}

static void no_memory(void **state)
{
    const yoke_simulation asked = { .machine = "cores=1,gpu*2:lanes=1:load=1-2*3",
                                    .step = "a(in x[1], out y); b(sum, in y)",
                                    .items = 500,
                                    .partitioner = "even",
                                    .runs = 2 };
    const int64_t before = yk_alloc_outstanding();
    int64_t nth;
    (void)state;
    for (nth = 1;; nth++) {
        yoke_simulated *out = NULL;
        yk_alloc_fail_at(nth);
        yoke_status status = yoke_simulate(&asked, &out);
        if (status != YOKE_OK && (status != YOKE_ENOMEM || out))
            fail_msg("allocation %d: %s", (int)nth, yoke_error_text());
        yoke_simulated_close(out);
        if (yk_alloc_outstanding() != before)
            fail_msg("allocation %d: %d blocks are left", (int)nth,
                     (int)(yk_alloc_outstanding() - before));
        if (!yk_alloc_failed())
            break;
    }
    yk_alloc_fail_at(0);
    print_message("%d allocations failed in turn\n", (int)nth - 1);
    assert_true(nth > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_by_hand),
        cmocka_unit_test(results_come_over_all_links),
        cmocka_unit_test(rows_stay),
        cmocka_unit_test(a_plan_goes_on_though_rows_are_sent),
        cmocka_unit_test(short_jobs_end_on_the_best_device),
        cmocka_unit_test(what_comes_home),
        cmocka_unit_test(a_device_fails),
        cmocka_unit_test(the_timeline_has_all_steps),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(keys_of_arrays),
        cmocka_unit_test(devices_as_text),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
