/* test_threads.c - number and placement of threads, and every way in which they can wait for a
 * device: each item is done once, and the result says how they waited. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "job_kernels.h"
#include "life/wait_text.h"
#include "ok.h"

enum { N = 3000, ROUNDS = 40, OPENCL_LANES = 3 };

static const char machine[] = "cpu:2,opencl:0:units=1:lanes=3";

/* 0: this machine does not have the device. */
static int open_machine(const yoke_config *config, yoke_runtime **rt)
{
    yoke_status status = yoke_open(config, rt);
    if (status == YOKE_ENODEV) {
        print_message("%s: not on this machine: %s\n", config->devices, yoke_error_text());
        return 0;
    }
    if (status != YOKE_OK)
        fail_msg("%s", yoke_error_text());
    return 1;
}

/* --- number of threads --- */

struct count {
    const char *devices, *partitioner;
    int threads;
    yoke_waiting waiting;
    int lanes, bound;
};

static const struct count counts[] = {
    { machine, NULL, 0, YOKE_WAIT_AUTO, 2, 2 },
    { machine, "auto", 0, YOKE_WAIT_BLOCK, 2, 2 },
    { machine, "c-ht", 0, YOKE_WAIT_AUTO, 2, 2 },
    { machine, "nc-ht", 0, YOKE_WAIT_AUTO, 3, 2 },
    { machine, "nc-ht", 0, YOKE_WAIT_BLOCK, 3, 2 },
    { machine, "nc-ht", 0, YOKE_WAIT_SPIN, 2, 2 },
    { machine, "nc-ht", 0, YOKE_WAIT_YIELD, 2, 2 },
    { machine, "nc-ht:streams=2", 0, YOKE_WAIT_AUTO, 4, 2 },
    { machine, "nc-ht:streams=2000000000000", 0, YOKE_WAIT_AUTO, 2 + OPENCL_LANES, 2 },
    { machine, "nc-ht", 2, YOKE_WAIT_AUTO, 2, 2 },
    { machine, NULL, 1, YOKE_WAIT_AUTO, 1, 1 },
    { "cpu:2", NULL, 17, YOKE_WAIT_AUTO, 17, 2 },
    { "cpu:2", "nc-ht", 0, YOKE_WAIT_AUTO, 2, 2 },
    { "opencl:0:units=1:lanes=3,cpu:2,cpu:1", "nc-ht", 0, YOKE_WAIT_AUTO, 3, 2 },
};

static void as_many_threads_as_documented(void **state)
{
    size_t c;
    int d, w, bound;
    (void)state;
    for (c = 0; c < sizeof counts / sizeof *counts; c++) {
        yoke_config config = { .devices = counts[c].devices,
                               .partitioner = counts[c].partitioner,
                               .threads = counts[c].threads,
                               .waiting = counts[c].waiting };
        const struct yk_runtime_device *cpu;
        yoke_runtime *rt;
        if (!open_machine(&config, &rt))
            continue;
        d = rt->devices[0].device->desc.host_memory ? 0 : 1;
        cpu = &rt->devices[d];
        for (w = bound = 0; w < cpu->worker_count; w++) {
            bound += cpu->workers[w].cpu >= 0;
            assert_true(w < 2 || cpu->workers[w].cpu < 0);
        }
        if (cpu->lanes != counts[c].lanes || bound != counts[c].bound)
            fail_msg("case %d: %d lanes, %d bound", (int)c, cpu->lanes, bound);
        assert_int_equal(cpu->worker_count, cpu->lanes);
        if (yoke_device_count(rt) > 2) /* extra threads belong to the first CPU only */
            assert_int_equal(rt->devices[2].lanes, 1);
        OK(yoke_close(rt));
    }
}

static void expect_refused(const yoke_config *config, const char *text)
{
    yoke_runtime *rt;
    assert_int_equal(yoke_open(config, &rt), YOKE_EINVAL);
    if (!strcasestr(yoke_error_text(), text))
        fail_msg("'%s' does not say %s", yoke_error_text(), text);
}

static void counts_that_make_no_sense(void **state)
{
    static const int wrong[] = { -1, -2147483647, 4097, 10000 };
    static const char *const words[] = { "-1", "10000", "4097", "99999999999999999999", "two", "" };
    yoke_config config = { .devices = "cpu:2" };
    yoke_device device;
    yoke_runtime *rt;
    size_t i;
    (void)state;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_refused(&(yoke_config){ .devices = "cpu:2", .threads = wrong[i] }, "threads");
    for (i = 0; i + 1 < sizeof words / sizeof *words; i++) {
        setenv("YOKE_THREADS", words[i], 1);
        expect_refused(&config, "threads");
    }
    for (; i < sizeof words / sizeof *words; i++) { /* invalid values are ignored */
        setenv("YOKE_THREADS", words[i], 1);
        OK(yoke_open(&config, &rt));
        OK(yoke_device_get(rt, 0, &device));
        assert_int_equal(device.lanes, 2);
        OK(yoke_close(rt));
    }
    unsetenv("YOKE_THREADS");
    expect_refused(&(yoke_config){ .waiting = (yoke_waiting)9 }, "waiting");
    expect_refused(&(yoke_config){ .partitioner = "nc-ht:streams=few" }, "few");
}

/* --- all combinations --- */

static uint32_t numbers[N];

static uint32_t spent(uint32_t s, int rounds)
{
    for (; rounds > 0; rounds--)
        s = s * 1664525u + 1013904223u;
    return s;
}

static void check_waits(const yoke_config *config, const yoke_result *result)
{
    static const char *const words[] = { "", "(spin)", "(yield)", "(block)" };
    const yoke_wait_result *gpu = &result->waits[1];
    assert_int_equal(result->version, 4);
    assert_int_equal(result->waits[0].waiting, YOKE_WAIT_AUTO);
    if (config->threads > 2)
        assert_non_null(strstr(result->waits[0].reason, "threads on 2 cores"));
    if (result->devices[1].chunks == 0) {
        assert_string_equal(gpu->reason, "");
        return;
    }
    /* a chunk may be over when it has been issued, so that no thread waits */
    if (gpu->waiting == YOKE_WAIT_AUTO)
        return;
    assert_non_null(strstr(gpu->reason, words[gpu->waiting]));
    if (config->waiting == YOKE_WAIT_AUTO)
        assert_true(gpu->waiting != YOKE_WAIT_YIELD);
    else
        assert_int_equal(gpu->waiting, config->waiting);
}

static void run_jobs(const yoke_config *config)
{
    yoke_result *result;
    yoke_runtime *rt;
    yoke_array *array;
    const int32_t rounds = ROUNDS;
    int i, j;
    if (!open_machine(config, &rt)) {
        print_message("%s is not here\n", config->devices);
        return;
    }
    for (i = 0; i < N; i++)
        numbers[i] = (uint32_t)i;
    OK(yoke_array_wrap(rt, numbers, N, 4, &array));
    for (j = 0; j < 3; j++) {
        yoke_job job = { .kernel = &k_spend,
                         .range = { 0, N },
                         .args = { yoke_value(rounds), yoke_inout(array) } };
        OK(yoke_run(rt, &job, &result));
        check_waits(config, result);
        yoke_result_close(result);
    }
    OK(yoke_array_close(array));
    for (i = 0; i < N; i++)
        if (numbers[i] != spent((uint32_t)i, 3 * ROUNDS))
            fail_msg("%s, %d threads, wait %d: item %d", config->partitioner, config->threads,
                     (int)config->waiting, i);
    OK(yoke_close(rt));
}

static void all_ways_of_waiting(void **state)
{
    static const char *const partitioners[] = {
        "auto",   "even",  "static",          "dynamic:chunk=100",
        "guided", "nc-ht", "c-ht:grains=200", "demand",
    };
    static const int threads[] = { 0, 1, 3, 17 };
    size_t p, t;
    int w;
    (void)state;
    for (w = YOKE_WAIT_AUTO; w <= YOKE_WAIT_BLOCK; w++)
        for (p = 0; p < sizeof partitioners / sizeof *partitioners; p++)
            for (t = 0; t < sizeof threads / sizeof *threads; t++)
                run_jobs(&(yoke_config){ .devices = machine,
                                         .partitioner = partitioners[p],
                                         .threads = threads[t],
                                         .waiting = (yoke_waiting)w });
}

/* A device that does the whole job is driven by the thread that calls yoke_run. */
static void the_calling_thread_waits_too(void **state)
{
    int w;
    (void)state;
    for (w = YOKE_WAIT_AUTO; w <= YOKE_WAIT_BLOCK; w++) {
        yoke_config config = { .devices = "opencl:0:units=1", .waiting = (yoke_waiting)w };
        const int32_t rounds = ROUNDS * 1000;
        yoke_result *result;
        yoke_runtime *rt;
        yoke_array *array;
        int i;
        if (!open_machine(&config, &rt))
            skip();
        for (i = 0; i < N; i++)
            numbers[i] = (uint32_t)i;
        OK(yoke_array_wrap(rt, numbers, N, 4, &array));
        yoke_job job = { .kernel = &k_spend,
                         .range = { 0, N },
                         .args = { yoke_value(rounds), yoke_inout(array) } };
        OK(yoke_run(rt, &job, &result));
        assert_non_null(strstr(result->waits[0].reason, "the calling thread"));
        if (w != YOKE_WAIT_AUTO)
            assert_int_equal(result->waits[0].waiting, w);
        yoke_result_close(result);
        OK(yoke_array_close(array));
        for (i = 0; i < N; i++)
            assert_int_equal(numbers[i], spent((uint32_t)i, ROUNDS * 1000));
        OK(yoke_close(rt));
    }
}

static void nobody_waits_for_simulated_devices(void **state)
{
    yoke_config config = { .devices = "sim:cpu:cores=2,sim:gpu", .waiting = YOKE_WAIT_SPIN };
    yoke_job job = { .kernel = &k_noop, .range = { 0, N } };
    yoke_result *result;
    yoke_runtime *rt;
    const int32_t unused = 0;
    yoke_arg value = yoke_value(unused);
    int d;
    (void)state;
    job.args[0] = value;
    OK(yoke_open(&config, &rt));
    OK(yoke_run(rt, &job, &result));
    for (d = 0; d < result->device_count; d++) {
        assert_int_equal(result->waits[d].waiting, YOKE_WAIT_AUTO);
        assert_string_equal(result->waits[d].reason, "");
    }
    yoke_result_close(result);
    OK(yoke_close(rt));
}

/* --- the reason --- */

static const char *sentence(yoke_waiting waiting, struct yk_waits waits, yoke_waiting *chosen)
{
    static char text[YK_WAIT_TEXT];
    struct yk_device gpu = { .desc = { .name = "gpu" } };
    struct yk_runtime_device entry = { .device = &gpu };
    struct yk_job_device device = { .device = &entry, .waits = waits };
    yoke_runtime *rt = yk_calloc(1, sizeof *rt);
    struct yk_job job = {
        .runtime = rt, .devices = &device, .device_count = 1, .lanes.hosting = -1
    };
    assert_non_null(rt);
    rt->waiting = waiting;
    *chosen = yk_wait_explain(&job, 0, text);
    yk_free(rt);
    return text;
}

static void what_auto_came_to(void **state)
{
    enum { MS = 1000000 };
    const struct yk_waits none = { 0 }, first = { .flights = 1 },
                          longer = { .flights = 5, .foretold = 4, .lasts_ns = 4800000 },
                          brief = { .flights = 9, .foretold = 8, .lasts_ns = 240000, .brief = 8 },
                          both = { .flights = 9, .foretold = 8, .lasts_ns = 8 * MS, .brief = 2 };
    yoke_waiting chosen;
    (void)state;
    assert_string_equal(sentence(YOKE_WAIT_AUTO, none, &chosen), "");
    assert_int_equal(chosen, YOKE_WAIT_AUTO);
    assert_string_equal(sentence(YOKE_WAIT_AUTO, first, &chosen),
                        "its host thread slept (block): the time of its chunks was not known");
    assert_int_equal(chosen, YOKE_WAIT_BLOCK);
    assert_string_equal(
        sentence(YOKE_WAIT_AUTO, longer, &chosen),
        "its host thread slept (block): chunks of 1.2 ms are long beside a wake of 40 us");
    assert_int_equal(chosen, YOKE_WAIT_BLOCK);
    assert_string_equal(sentence(YOKE_WAIT_AUTO, brief, &chosen),
                        "its host thread polled (spin): chunks of 30 us are short beside a wake of "
                        "40 us; 1 of 9 were longer, or of unknown length");
    assert_int_equal(chosen, YOKE_WAIT_SPIN);
    assert_string_equal(sentence(YOKE_WAIT_AUTO, both, &chosen),
                        "its host thread slept (block): chunks of 1 ms are long beside a wake of "
                        "40 us; 2 of 9 were too short to sleep");
    assert_int_equal(chosen, YOKE_WAIT_BLOCK);
    assert_string_equal(sentence(YOKE_WAIT_YIELD, longer, &chosen),
                        "its host thread polled, giving way to others (yield), as asked for");
    assert_int_equal(chosen, YOKE_WAIT_YIELD);
}

static int nothing_left(void **state)
{
    (void)state;
    return yk_alloc_outstanding() == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(as_many_threads_as_documented, nothing_left),
        cmocka_unit_test_teardown(counts_that_make_no_sense, nothing_left),
        cmocka_unit_test_teardown(all_ways_of_waiting, nothing_left),
        cmocka_unit_test_teardown(the_calling_thread_waits_too, nothing_left),
        cmocka_unit_test_teardown(nobody_waits_for_simulated_devices, nothing_left),
        cmocka_unit_test_teardown(what_auto_came_to, nothing_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
