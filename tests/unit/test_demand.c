/* Tests of demand: the example of section 4.1 of Ribeiro et al. decision by decision, the window,
 * and each model of capability. test_simulator_any.c tests that no item is lost whatever is known
 * or measured. */
#include <stdio.h>

#include <yoke/status.h>

#include "simulator_bench.h"

enum { GPU, CPU };
#define GIVEN "demand:dd=10,model=given,capability=1.0/0.3"

/* The chunk that a lane gets; a wait is {0, 0}. */
struct step {
    int device;
    int64_t first, last;
    const char *reason;
};

/* `told`: what is known of both devices; NULL: nothing. */
static struct yk_dispatch *open_two(const char *partitioner, int64_t items,
                                    const struct yk_split_device *told)
{
    struct yk_split_device devices[] = {
        { .name = "gpu", .lanes = 4, .fill = 1, .share = -1 },
        { .name = "cpu", .lanes = 3, .host_memory = 1, .fill = 3, .share = -1 }
    };
    struct yk_split_spec spec = {
        .last = items, .unit = 1, .devices = devices, .device_count = 2, .partitioner = partitioner
    };
    struct yk_dispatch *dispatch;
    int d;
    for (d = 0; told && d < 2; d++) {
        devices[d].rate = told[d].rate;
        devices[d].peak = told[d].peak;
    }
    if (yk_dispatch_open(&spec, &dispatch) != YOKE_OK)
        fail_msg("%s: %s", partitioner, yoke_error_text());
    yk_dispatch_join(dispatch, GPU, 0);
    yk_dispatch_join(dispatch, CPU, 0);
    return dispatch;
}

static enum yk_verdict next(struct yk_dispatch *dispatch, int device, struct yk_chunk *chunk)
{
    int64_t wake_ns;
    return yk_dispatch_next(dispatch, &(struct yk_request){ device, 0, 0 }, chunk, &wake_ns);
}

/* A lane requests a chunk; if it gets one, each item takes `item_ns`. */
static void ask_and_do(struct yk_dispatch *dispatch, int at, const struct step *step,
                       int64_t item_ns)
{
    static int64_t now;
    struct yk_chunk chunk;
    struct yk_chunk_times times = { .issued = now + 1 };
    if (next(dispatch, step->device, &chunk) != YK_TAKE)
        fail_msg("step %d: nothing", at);
    if (chunk.first != step->first || chunk.last != step->last)
        fail_msg("step %d: [%d, %d) \"%s\"", at, (int)chunk.first, (int)chunk.last, chunk.reason);
    assert_string_equal(chunk.reason, step->reason ? step->reason : "task");
    times.ended = times.issued + (chunk.last - chunk.first) * item_ns;
    now = times.ended;
    yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
    assert_true(yk_dispatch_check(dispatch));
}

/* Each task is done before the next is requested; an item takes the CPU ten times as long. */
static void walk(struct yk_dispatch *dispatch, const struct step *steps, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        ask_and_do(dispatch, (int)i, &steps[i], steps[i].device == CPU ? 10 : 1);
}
#define WALK(dispatch, steps) walk(dispatch, steps, sizeof(steps) / sizeof *(steps))

/* "assign a task with 100 BWUs if the requesting device is a GPU or with 30 BWUs if it is a CPU" */
static void the_papers_example(void **state)
{
    static const struct step steps[] = {
        { GPU, 900, 1000, NULL }, { CPU, 0, 30, NULL },    { GPU, 800, 900, NULL },
        { CPU, 30, 60, NULL },    { GPU, 700, 800, NULL }, { CPU, 60, 90, NULL },
        { GPU, 600, 700, NULL },  { CPU, 90, 120, NULL },  { GPU, 500, 600, NULL },
        { CPU, 120, 150, NULL },  { GPU, 400, 500, NULL }, { CPU, 150, 180, NULL },
        { GPU, 300, 400, NULL },  { CPU, 180, 210, NULL }, { CPU, 210, 240, NULL },
        { GPU, 240, 300, NULL } /* the rest */
    };
    struct yk_dispatch *dispatch = open_two(GIVEN, 1000, NULL);
    (void)state;
    WALK(dispatch, steps);
    assert_int_equal(yk_dispatch_left(dispatch), 0);
    assert_string_equal(
        yk_dispatch_reason(dispatch, CPU),
        "its capability is 0.3, the fastest device's is 1 (given): 8 tasks, the latest "
        "of range / 10 * 0.3 = 30 items");
    assert_string_equal(
        yk_dispatch_reason(dispatch, GPU),
        "its capability is 1, the fastest device's is 1 (given): 8 tasks, the latest "
        "of range / 10 * 1 = 100 items");
    yk_dispatch_close(dispatch);
}

/* Equation 1: only ratios matter. */
static void capabilities_are_normalised(void **state)
{
    static const struct step steps[] = { { GPU, 900, 1000, NULL }, { CPU, 0, 30, NULL } };
    struct yk_dispatch *dispatch =
        open_two("demand:dd=10,model=given,capability=5000/1500", 1000, NULL);
    (void)state;
    WALK(dispatch, steps);
    yk_dispatch_close(dispatch);
}

static void a_device_holds_a_window_of_tasks(void **state)
{
    static const struct {
        const char *partitioner;
        int window;
    } cases[] = { { GIVEN, 2 }, { GIVEN ",window=1", 1 }, { GIVEN ",window=3", 3 } };
    const struct yk_chunk_times times = { .issued = 1, .ended = 100 };
    size_t i;
    int d, held;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_dispatch *dispatch = open_two(cases[i].partitioner, 1000, NULL);
        struct yk_chunk chunk;
        for (d = 0; d < 2; d++) {
            for (held = 0; held < cases[i].window; held++)
                assert_int_equal(next(dispatch, d, &chunk), YK_TAKE);
            assert_int_equal(next(dispatch, d, &(struct yk_chunk){ 0 }), YK_WAIT);
            yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
            assert_int_equal(next(dispatch, d, &chunk), YK_TAKE);
            assert_int_equal(next(dispatch, d, &(struct yk_chunk){ 0 }), YK_WAIT);
        }
        assert_int_equal(yk_dispatch_out(dispatch), 2 * cases[i].window);
        yk_dispatch_close(dispatch);
    }
}

/* The lanes of a CPU share a task, in pieces. */
static void cores_share_a_task(void **state)
{
    struct yk_dispatch *dispatch = open_two(GIVEN, 96000, NULL);
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(next(dispatch, CPU, &chunk), YK_TAKE);
    assert_int_equal(chunk.last, 2880);
    assert_int_equal(chunk.piece, 2880 / (3 * 32));
    yk_dispatch_close(dispatch);
}

static void tasks_are_whole_units(void **state)
{
    struct yk_split_device devices[] = { { .name = "gpu", .lanes = 1, .fill = 1, .share = -1 },
                                         { .name = "slow", .lanes = 1, .fill = 1, .share = -1 } };
    struct yk_split_spec spec = { .first = -7,
                                  .last = 1000,
                                  .unit = 16,
                                  .devices = devices,
                                  .device_count = 2,
                                  .partitioner = "demand:dd=10,model=given,capability=1/0.001" };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    yk_dispatch_join(dispatch, 1, 0);
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_int_equal(chunk.last - chunk.first, 15); /* the last unit of the range is shorter */
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_int_equal(chunk.last - chunk.first, 16); /* 0.1 items */
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
    assert_int_equal(chunk.last - chunk.first, 96); /* 100.7 items are 6.3 units */
    yk_dispatch_close(dispatch);
}

/* Begins with rates of earlier jobs; then the CPU turns out slower, at a tenth of the GPU's rate.
 */
static void learned_begins_with_what_is_known_and_corrects_it(void **state)
{
    static const struct yk_split_device told[] = { { .rate = 1 }, { .rate = 0.5 } };
    static const struct step steps[] = { { GPU, 9900, 10000, NULL }, { CPU, 0, 50, NULL } };
    struct yk_dispatch *dispatch = open_two("demand:dd=100", 10000, told);
    struct yk_chunk chunk;
    int i;
    (void)state;
    WALK(dispatch, steps);
    for (i = 0; i < 60; i++) {
        struct yk_chunk_times slow = { .issued = 2000000 + i * 10000 };
        assert_int_equal(next(dispatch, CPU, &chunk), YK_TAKE);
        slow.ended = slow.issued + (chunk.last - chunk.first) * 10;
        yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &slow);
    }
    assert_in_range(chunk.last - chunk.first, 10, 11);
    assert_string_equal(chunk.reason, "task");
    yk_dispatch_close(dispatch);
}

static void who_is_unknown_counts_as_the_fastest(void **state)
{
    static const struct yk_split_device told[] = { { .rate = 1 }, { .rate = 0 } };
    static const struct step steps[] = {
        { CPU, 0, 100, "speed unknown" }, /* and takes 10 ns per item, the GPU 1 */
        { CPU, 100, 110, NULL },
        { GPU, 900, 1000, NULL },
    };
    static const struct step unknown[] = { { GPU, 900, 1000, "speed unknown" },
                                           { CPU, 0, 100, "speed unknown" },
                                           { CPU, 100, 110, NULL },
                                           { GPU, 800, 900, NULL } };
    struct yk_dispatch *dispatch = open_two("demand:dd=10", 1000, told);
    (void)state;
    WALK(dispatch, steps);
    yk_dispatch_close(dispatch);
    dispatch = open_two("demand:dd=10", 1000, NULL);
    WALK(dispatch, unknown);
    yk_dispatch_close(dispatch);
}

static void measured_does_not_change_within_a_job(void **state)
{
    static const struct yk_split_device told[] = { { .rate = 1 }, { .rate = 0.5 } };
    static const struct step steps[] = { { GPU, 900, 1000, NULL },
                                         { CPU, 0, 50, NULL },
                                         { CPU, 50, 100, NULL },
                                         { CPU, 100, 150, NULL } };
    static const struct step unknown[] = { { GPU, 900, 1000, "speed unknown" },
                                           { CPU, 0, 100, "speed unknown" },
                                           { CPU, 100, 200, "speed unknown" } };
    struct yk_dispatch *dispatch = open_two("demand:dd=10,model=measured", 1000, told);
    (void)state;
    WALK(dispatch, steps);
    yk_dispatch_close(dispatch);
    dispatch = open_two("demand:dd=10,model=measured", 1000, NULL);
    WALK(dispatch, unknown);
    yk_dispatch_close(dispatch);
}

/* Learned rates differ from the peaks and are ignored, unless a peak is missing. */
static void peaks_are_all_known_or_none_counts(void **state)
{
    static const struct yk_split_device both[] = { { .peak = 67000, .rate = 1 },
                                                   { .peak = 6700, .rate = 1 } };
    static const struct yk_split_device one[] = { { .peak = 67000, .rate = 1 }, { .rate = 0.5 } };
    static const struct step by_peak[] = { { GPU, 900, 1000, NULL },
                                           { CPU, 0, 10, NULL },
                                           { CPU, 10, 20, NULL } };
    static const struct step by_rate[] = { { GPU, 900, 1000, NULL }, { CPU, 0, 50, NULL } };
    struct yk_dispatch *dispatch = open_two("demand:dd=10,model=peak", 1000, both);
    (void)state;
    WALK(dispatch, by_peak);
    yk_dispatch_close(dispatch);
    dispatch = open_two("demand:dd=10,model=peak", 1000, one);
    WALK(dispatch, by_rate);
    yk_dispatch_close(dispatch);
}

static void tasks_of_a_lost_device_go_to_the_others(void **state)
{
    struct yk_dispatch *dispatch = open_two(GIVEN, 1000, NULL);
    struct yk_chunk chunk;
    const struct yk_chunk_times times = { .issued = 1, .ended = 100 };
    (void)state;
    assert_int_equal(next(dispatch, GPU, &chunk), YK_TAKE);
    assert_int_equal(next(dispatch, GPU, &chunk), YK_TAKE);
    assert_int_equal(next(dispatch, CPU, &chunk), YK_TAKE);
    assert_int_equal(chunk.last - chunk.first, 30);
    yk_dispatch_failed(dispatch, GPU, "it was unplugged");
    yk_dispatch_done(dispatch, &chunk, 30, &times);
    while (next(dispatch, CPU, &chunk) == YK_TAKE) {
        /* the fastest device at present */
        assert_int_equal(chunk.last - chunk.first, chunk.last < 1000 ? 100 : 70);
        yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
        assert_true(yk_dispatch_check(dispatch));
    }
    assert_int_equal(yk_dispatch_left(dispatch), 0);
    yk_dispatch_close(dispatch);
}

static void a_range_smaller_than_dd_is_given_by_units(void **state)
{
    static const struct step steps[] = { { CPU, 0, 1, NULL },
                                         { GPU, 2, 3, NULL },
                                         { CPU, 1, 2, NULL } };
    struct yk_dispatch *dispatch = open_two(GIVEN, 3, NULL);
    (void)state;
    WALK(dispatch, steps);
    assert_int_equal(yk_dispatch_left(dispatch), 0);
    yk_dispatch_close(dispatch);
    dispatch = open_two(GIVEN, 0, NULL);
    assert_int_equal(next(dispatch, CPU, &(struct yk_chunk){ 0 }), YK_FINISHED);
    yk_dispatch_close(dispatch);
}

/* dd has a default, 16 per device; and a range may have the largest possible length. */
static void extreme_sizes(void **state)
{
    struct yk_dispatch *dispatch = open_two("demand", 32000, NULL);
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(next(dispatch, CPU, &chunk), YK_TAKE);
    assert_int_equal(chunk.last, 1000);
    yk_dispatch_close(dispatch);
    dispatch = open_two("demand:dd=1", INT64_MAX, NULL);
    assert_int_equal(next(dispatch, CPU, &chunk), YK_TAKE);
    assert_true(chunk.last == INT64_MAX);
    yk_dispatch_close(dispatch);
    dispatch = open_two("demand:dd=9000000000000000000", 1000, NULL);
    assert_int_equal(next(dispatch, CPU, &chunk), YK_TAKE);
    assert_int_equal(chunk.last, 1);
    yk_dispatch_close(dispatch);
}

static void measured_times_may_be_absurd(void **state)
{
    static const int64_t ends[] = { 0, 0, -5, INT64_MAX / 2, 1, 1 };
    static const struct yk_split_device told[] = { { .rate = 1e300, .peak = 1e308 },
                                                   { .rate = 1e-300, .peak = 1e-308 } };
    static const char *const names[] = { "demand", "demand:model=measured", "demand:model=peak" };
    size_t i;
    int kind;
    (void)state;
    for (kind = 0; kind < 6; kind++) {
        struct yk_dispatch *dispatch = open_two(names[kind / 2], 10000, kind % 2 ? told : NULL);
        struct yk_chunk chunk;
        for (i = 0; yk_dispatch_left(dispatch) > 0; i++) {
            const struct yk_chunk_times times = { .issued = 0, .ended = ends[i % 6] };
            assert_true(i < 100000);
            if (next(dispatch, (int)(i % 2), &chunk) != YK_TAKE)
                continue;
            assert_true(chunk.first < chunk.last);
            yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
        }
        assert_true(yk_dispatch_check(dispatch));
        yk_dispatch_close(dispatch);
    }
}

static void wrong_words_are_named(void **state)
{
    static const struct {
        const char *settings, *text;
    } cases[] = { { "dd=0", "dd is 0; give a whole number of 1 or more" },
                  { "dd=-3", "dd is -3" },
                  { "dd=many", "dd is many" },
                  { "dd=1.5", "dd is 1.5" },
                  { "window=0", "window is 0 tasks; give 1 or more" },
                  { "window=-1", "window is -1" },
                  { "model=magic", "learned, given, peak, measured" },
                  { "model=given", "a number for each of 2 devices" },
                  { "model=given,capability=1", "capability has 1 number for 2 devices" },
                  { "model=given,capability=1/2/3", "capability has 3 numbers for 2 devices" },
                  { "model=given,capability=1/0", "capability of cpu is 0; give a number above 0" },
                  { "model=given,capability=-1/1", "capability -1 is too small" },
                  { "model=given,capability=1/x", "not a number" },
                  { "model=given,capability=1/", "missing" },
                  { "model=given,capability=1/inf", "capability" },
                  { "model=given,capability=nan/1", "capability" },
                  { "capability=1/1", "add model=given" },
                  { "chunk=1", "has no option 'chunk'" } };
    const struct yk_split_device devices[] = {
        { .name = "gpu", .lanes = 4, .fill = 1, .share = -1 },
        { .name = "cpu", .lanes = 3, .host_memory = 1, .fill = 3, .share = -1 }
    };
    struct yk_split_spec spec = { .last = 10, .unit = 1, .devices = devices, .device_count = 2 };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_dispatch *dispatch;
        char partitioner[100];
        snprintf(partitioner, sizeof partitioner, "demand:%s", cases[i].settings);
        spec.partitioner = partitioner;
        assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_EINVAL);
        if (!strstr(yoke_error_text(), cases[i].text))
            fail_msg("%s: %s", partitioner, yoke_error_text());
        assert_int_equal(yk_alloc_outstanding(), 0);
    }
}

/* --- machines --- */

/* If capabilities are correct, all tasks take equally long, and at most one task's time is lost: 1
 * / dd of the time of the fastest device. */
static void right_capabilities_end_together(void **state)
{
    static const char *const names[] = { "demand:dd=100,model=given,capability=0.1/1/0.5",
                                         "demand:dd=100" };
    size_t i;
    (void)state;
    for (i = 0; i < 2; i++) {
        struct simulator_bench *bench =
            bench_open("cores=4:rate=2.5e6:poll=0:wake=0:switch=0,"
                       "gpuA:rate=1e8:fixed=0:launch=10us,gpuB:rate=5e7:fixed=0:launch=10us",
                       "regular", 1000000);
        double part;
        bench->spec.know = bench_know;
        bench->spec.partitioner = names[i];
        part = bench_run(bench) / bench_ideal(bench, -1);
        print_message("%s: %.3f of ideal\n", names[i], part);
        assert_true(part < 1.05);
        bench_close(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_example),
        cmocka_unit_test(capabilities_are_normalised),
        cmocka_unit_test(a_device_holds_a_window_of_tasks),
        cmocka_unit_test(cores_share_a_task),
        cmocka_unit_test(tasks_are_whole_units),
        cmocka_unit_test(learned_begins_with_what_is_known_and_corrects_it),
        cmocka_unit_test(who_is_unknown_counts_as_the_fastest),
        cmocka_unit_test(measured_does_not_change_within_a_job),
        cmocka_unit_test(peaks_are_all_known_or_none_counts),
        cmocka_unit_test(tasks_of_a_lost_device_go_to_the_others),
        cmocka_unit_test(a_range_smaller_than_dd_is_given_by_units),
        cmocka_unit_test(extreme_sizes),
        cmocka_unit_test(measured_times_may_be_absurd),
        cmocka_unit_test(wrong_words_are_named),
        cmocka_unit_test(right_capabilities_end_together),
    };
    return cmocka_run_group_tests_name("demand", tests, NULL, NULL);
}
