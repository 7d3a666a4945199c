/* test_pipeline.c - submitted jobs that wait for each other's rows begin behind each other: the
 * device is not idle between them, results are those of a plain loop, a lost device loses nothing
 * in silence, and a job ends after the one before it. On simulated machines; random programs also
 * on the devices in the arguments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "../../src/machine/random.h"
#include "../../src/runtime/device.h"
#include "ok.h"
#include "pipeline_kernels.h"
#include "under_sanitizer.h"
#include "walk.h"

enum { ARRAYS = 4, ROWS_MOST = 40000, QUEUED_MOST = 200 };

/* A program beside a plain loop that does the same. */
struct twin {
    yoke_runtime *runtime;
    yoke_array *array[ARRAYS];
    uint32_t device[ARRAYS][ROWS_MOST], host[ARRAYS][ROWS_MOST];
    int64_t rows, sums[QUEUED_MOST], host_sums[QUEUED_MOST];
    yoke_array *count_array;
    int64_t counts[COUNTS], host_counts[COUNTS];
    yoke_ticket *tickets[QUEUED_MOST];
    int queued;
};

static struct twin twin;

static void twin_open(const char *devices, int64_t rows)
{
    memset(&twin, 0, sizeof twin);
    twin.runtime = open_runtime(devices);
    twin.rows = rows;
    for (int a = 0; a < ARRAYS; a++) {
        for (int64_t i = 0; i < rows; i++)
            twin.device[a][i] = twin.host[a][i] = (uint32_t)(i * (a + 3));
        OK(yoke_array_wrap(twin.runtime, twin.device[a], rows, sizeof(uint32_t), &twin.array[a]));
    }
    OK(yoke_array_wrap(twin.runtime, twin.counts, COUNTS, sizeof(int64_t), &twin.count_array));
}

static void twin_close(int lost)
{
    for (int a = 0; a < ARRAYS; a++) {
        const yoke_status status = yoke_array_close(twin.array[a]);
        assert_true(status == YOKE_OK || (lost && status == YOKE_ELOST));
    }
    OK(yoke_array_close(twin.count_array));
    OK(yoke_close(twin.runtime));
}

static int draw(uint64_t *random, int64_t below)
{
    return (int)(yk_random_next(random) * (double)below);
}

enum kind { ADD, NEAR, FAR, SUM, COUNT, KINDS };

struct call {
    enum kind kind;
    int x, y;
    int64_t first, last;
};

static void call_here(const struct call *call)
{
    const uint32_t *x = twin.host[call->x];
    uint32_t *y = twin.host[call->y];
    for (int64_t i = call->first; i < call->last; i++)
        if (call->kind == ADD)
            y[i] = y[i] * 7 + x[i];
        else if (call->kind == NEAR)
            y[i] = 3 * x[i] + (i > 0 ? x[i - 1] : 0) + (i + 1 < twin.rows ? 5 * x[i + 1] : 0);
        else if (call->kind == FAR)
            y[i] = x[(7 * i + 1) % twin.rows] + 1;
        else if (call->kind == SUM)
            twin.host_sums[twin.queued] += (int64_t)x[i];
        else
            twin.host_counts[x[i] % COUNTS]++;
}

static void submit(const struct call *call)
{
    static const uint32_t seven = 7;
    yoke_array *x = twin.array[call->x], *y = twin.array[call->y];
    const yoke_job jobs[KINDS] = {
        [ADD] = { .kernel = &q_add, .args = { yoke_value(seven), yoke_in(x), yoke_inout(y) } },
        [NEAR] = { .kernel = &q_near,
                   .args = { yoke_value(twin.rows), yoke_in_halo(x, 1, 1), yoke_out(y) } },
        [FAR] = { .kernel = &q_far,
                  .args = { yoke_value(twin.rows), yoke_in_whole(x), yoke_out(y) } },
        [SUM] = { .kernel = &q_sum,
                  .args = { yoke_in(x), yoke_reduce_to(&twin.sums[twin.queued]) } },
        [COUNT] = { .kernel = &q_count, .args = { yoke_in(x), yoke_add_to(twin.count_array) } },
    };
    yoke_job job = jobs[call->kind];
    job.range.first = call->first;
    job.range.last = call->last;
    call_here(call);
    OK(yoke_submit(twin.runtime, &job, &twin.tickets[twin.queued++]));
}

/* Waits for all jobs. Returns the first error. */
static yoke_status wait_all(void)
{
    yoke_status worst = YOKE_OK;
    for (int k = 0; k < twin.queued; k++) {
        const yoke_status status = yoke_wait(twin.tickets[k], NULL);
        worst = worst == YOKE_OK ? status : worst;
        if (worst == YOKE_OK && twin.sums[k] != twin.host_sums[k])
            fail_msg("sum %d is %lld, not %lld", k, (long long)twin.sums[k],
                     (long long)twin.host_sums[k]);
        twin.sums[k] = twin.host_sums[k] = 0;
    }
    twin.queued = 0;
    return worst;
}

/* Returns 0 if rows of an array are lost. */
static int compare(const char *what)
{
    for (int a = 0; a < ARRAYS; a++) {
        const yoke_status status = yoke_array_acquire(twin.array[a], YOKE_READ);
        if (status == YOKE_ELOST)
            return 0;
        OK(status);
        for (int64_t i = 0; i < twin.rows; i++)
            if (twin.device[a][i] != twin.host[a][i])
                fail_msg("%s: array %d, row %lld is %u, not %u", what, a, (long long)i,
                         twin.device[a][i], twin.host[a][i]);
        OK(yoke_array_release(twin.array[a]));
    }
    OK(yoke_array_acquire(twin.count_array, YOKE_READ));
    for (int c = 0; c < COUNTS; c++)
        if (twin.counts[c] != twin.host_counts[c])
            fail_msg("%s: count %d is %lld, not %lld", what, c, (long long)twin.counts[c],
                     (long long)twin.host_counts[c]);
    OK(yoke_array_release(twin.count_array));
    return 1;
}

static void draw_call(uint64_t *random, struct call *call)
{
    *call = (struct call){ .kind = (enum kind)draw(random, KINDS),
                           .x = draw(random, ARRAYS),
                           .last = twin.rows };
    call->y = (call->x + 1 + draw(random, ARRAYS - 1)) % ARRAYS;
    if (draw(random, 6) == 0)
        call->first = twin.rows / 3;
    if (draw(random, 6) == 0)
        call->last = twin.rows - twin.rows / 4;
}

/* A loop of one to four kernels, all its jobs queued. */
static yoke_status loop(uint64_t *random)
{
    struct call calls[4];
    const int count = 1 + draw(random, 4);
    const int turns = 8 + draw(random, 40);
    for (int c = 0; c < count; c++)
        draw_call(random, &calls[c]);
    for (int t = 0; t < turns; t++)
        for (int c = 0; c < count; c++)
            submit(&calls[c]);
    return wait_all();
}

/* Ends early if jobs fail, which must be because a device was lost. */
static void run_program(const char *devices, uint64_t seed, int may_fail)
{
    uint64_t random = seed;
    char what[300];
    yoke_status status = YOKE_OK;
    snprintf(what, sizeof what, "%s, seed %llu", devices, (unsigned long long)seed);
    twin_open(devices, 2000 + (int64_t)draw(&random, ROWS_MOST - 2000));
    for (int l = 0; l < 6 && status == YOKE_OK; l++) {
        status = loop(&random);
        if (status == YOKE_OK)
            status = compare(what) ? YOKE_OK : YOKE_ELOST;
        else if (!may_fail)
            fail_msg("%s: %s", what, yoke_error_text());
        else if (status != YOKE_ELOST && status != YOKE_ECANCELED && status != YOKE_EDEVICE)
            fail_msg("%s: %s: %s", what, yoke_status_text(status), yoke_error_text());
    }
    assert_true(status == YOKE_OK || may_fail);
    twin_close(may_fail);
}

#define GPU "rate=2e9:launch=8us:fixed=1us:fill=500:noise=0.05"

static void random_programs(void **state)
{
    static const char *const devices[] = {
        "sim:gpu:" GPU,
        "sim:gpu*2:" GPU ":peer=50e9",
        "sim:gpu*3:" GPU ":lanes=2",
        "sim:gpu:" GPU ",sim:gpu:rate=1e9:launch=20us:fixed=0:fill=100:peer=10e9:lanes=1",
        "sim:cpu:cores=2:rate=2e8:noise=0.05,sim:gpu:" GPU,
        "sim:cpu:cores=3:rate=5e6,sim:gpu*2:" GPU ":mem=700K",
        "sim:gpu:" GPU ":lanes=2:mem=250K",
    };
    (void)state;
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++)
        for (uint64_t seed = 1; seed <= 12; seed += WALK_STRIDE)
            run_program(devices[d], seed, 0);
}

/* One of two devices is lost after any number of operations. */
static void devices_that_fail(void **state)
{
    char devices[256];
    (void)state;
    for (int after = 20; after < 1500; after += 17 * WALK_STRIDE) {
        snprintf(devices, sizeof devices,
                 "sim:gpu:" GPU ":peer=50e9,sim:gpu:" GPU ":peer=50e9:fail_after=%d", after);
        run_program(devices, (uint64_t)(after % 7) + 1, 1);
    }
}

/* A device is lost while the other one has already begun the next job on rows that the lost chunk
 * reads. The rows are on the host as well, so that chunk could be repeated, with wrong results. */
static void neighbours_that_fail(void **state)
{
    static const struct call calls[] = { { NEAR, 0, 1, 0, ROWS_MOST },
                                         { NEAR, 1, 0, 0, ROWS_MOST } };
    char devices[256];
    (void)state;
    for (int after = 60; after < 400; after += WALK_STRIDE) {
        yoke_status status = YOKE_OK;
        snprintf(devices, sizeof devices,
                 "sim:gpu:" GPU ":peer=50e9:latency=1us,sim:gpu:" GPU
                 ":peer=50e9:latency=1us:fail_after=%d",
                 after);
        twin_open(devices, ROWS_MOST);
        for (int loops = 0; loops < 12 && status == YOKE_OK; loops++) {
            for (int k = 0; k < 2 * (6 - loops / 2); k++)
                submit(&calls[k % 2]);
            status = wait_all();
            if (status == YOKE_OK)
                status = compare(devices) ? YOKE_OK : YOKE_ELOST;
        }
        twin_close(1);
    }
}

enum { FEW_ROWS = 1023 };

/* A stencil from one array to the other; chunks on rows that GPUs copy from each other. */
static yoke_status step_there(int turn)
{
    static const int64_t rows = FEW_ROWS;
    yoke_array *from = twin.array[turn % 2], *to = twin.array[1 - turn % 2];
    const yoke_job job = { .kernel = &q_near,
                           .range = { 0, FEW_ROWS },
                           .args = { yoke_value(rows), yoke_in_halo(from, 1, 1), yoke_out(to) },
                           .partitioner = turn % 3 ? "even" : "dynamic:chunk=64" };
    return yoke_run(twin.runtime, &job, NULL);
}

/* Rows are lost with the GPU that another one copies them from. Whoever notices it first, the error
 * names the array and the cure. */
static void lost_neighbours_are_explained(void **state)
{
    char devices[256];
    int lost = 0;
    (void)state;
    for (int after = 20; after < 100; after += WALK_STRIDE) {
        yoke_status status = YOKE_OK;
        snprintf(devices, sizeof devices,
                 "sim:cpu:cores=2:rate=1e6,sim:gpu:rate=2e8:peer=50e9:fixed=1us:fail_after=%d,"
                 "sim:gpu:rate=1e8:peer=50e9:fixed=1us",
                 after);
        twin_open(devices, FEW_ROWS);
        for (int turn = 0; turn < 40 && status == YOKE_OK; turn++)
            status = step_there(turn);
        if (status != YOKE_OK) {
            assert_int_equal(status, YOKE_ELOST);
            if (!strstr(yoke_error_text(), "array") || !strstr(yoke_error_text(), "write"))
                fail_msg("%s: %s", devices, yoke_error_text());
            lost++;
        }
        twin_close(1);
    }
    assert_true(lost > 0);
}

/* Queues the calls in turn, `jobs` of them, and waits; all that `phases` times. Returns the us of a
 * job in the last phase: by then the devices have their rows and the plan is made. */
static double late_us(const struct call *calls, int count, int jobs, int phases)
{
    double begin = 0;
    for (int phase = 0; phase < phases; phase++) {
        begin = yoke_seconds(twin.runtime);
        for (int s = 0; s < jobs; s++)
            submit(&calls[s % count]);
        OK(wait_all());
    }
    return (yoke_seconds(twin.runtime) - begin) * 1e6 / jobs;
}

/* Queued steps take as long as their kernels: the delay of a launch passes while the kernel before
 * runs. Of two devices each launches behind its own kernels. */
static void no_gaps(void **state)
{
    static const struct call step = { ADD, 0, 1, 0, ROWS_MOST };
    enum { STEPS = 100 };
    (void)state;
    for (int gpus = 1; gpus <= 2; gpus++) {
        char devices[128];
        double late;
        snprintf(devices, sizeof devices, "sim:gpu*%d:rate=1e9:launch=10us:fixed=0:fill=500", gpus);
        twin_open(devices, ROWS_MOST);
        late = late_us(&step, 1, STEPS, 2);
        if (late > 40.0 / gpus + 1) /* 50 / gpus if each step waited for the one before */
            fail_msg("%d GPUs: a step takes %.1f us", gpus, late);
        assert_true(compare(devices));
        twin_close(0);
    }
}

/* A kernel that needs a neighbour's rows is launched behind that device's kernel, too: the copy of
 * the rows waits on the device, not for a host thread. */
static void halos_come_behind(void **state)
{
    static const struct call calls[] = { { NEAR, 0, 1, 0, ROWS_MOST },
                                         { NEAR, 1, 0, 0, ROWS_MOST } };
    enum { STEPS = 100 };
    double late;
    (void)state;
    twin_open("sim:gpu*2:rate=1e9:launch=10us:fixed=0:fill=500:peer=50e9:latency=2us", ROWS_MOST);
    late = late_us(calls, 2, STEPS, 2);
    if (late > 20.0 + 3) /* 32 if each launch waited for the end of the neighbour's kernel */
        fail_msg("a step takes %.1f us", late);
    assert_true(compare("halos"));
    twin_close(0);
}

/* A kernel that adds to an array is launched behind the one whose rows it reads. Only the next job,
 * which waits until the sums are home, begins late. */
static void counts_begin_behind(void **state)
{
    static const struct call calls[] = { { ADD, 0, 1, 0, ROWS_MOST },
                                         { COUNT, 1, 0, 0, ROWS_MOST } };
    enum { STEPS = 40 };
    double late;
    (void)state;
    twin_open("sim:gpu:rate=1e9:launch=10us:fixed=0:fill=500", ROWS_MOST);
    late = 2 * late_us(calls, 2, 2 * STEPS, 2);
    if (late > 2 * 40.0 + 10 + 11) /* 10 us more if both began late; 10 us for the copy home */
        fail_msg("a step takes %.1f us", late);
    assert_true(compare("counts"));
    twin_close(0);
}

/* Two kernels that do not wait for each other run side by side. Still their rounds count, so the
 * GPU is found that is faster without the cores. */
static void finds_the_team(void **state)
{
    static const struct call calls[] = { { NEAR, 0, 1, 0, ROWS_MOST },
                                         { NEAR, 1, 0, 0, ROWS_MOST },
                                         { ADD, 1, 2, 0, ROWS_MOST } };
    enum { CALLS = sizeof calls / sizeof *calls, ROUNDS = 60 };
    double late;
    (void)state;
    twin_open("sim:cpu:cores=14:rate=4e7:fixed=5us,sim:gpu:rate=5e9:link=2e9:launch=8us:fixed=2us:"
              "fill=10800",
              ROWS_MOST);
    late = CALLS * late_us(calls, CALLS, ROUNDS * CALLS, 3);
    if (late > 1.1 * CALLS * (40000 / 5e3 + 2))
        fail_msg("a round takes %.1f us", late);
    assert_true(compare("side by side"));
    twin_close(0);
}

/* The results say how long each job took; together that is the time of all. */
static void times_add_up(void **state)
{
    static const struct call step = { ADD, 0, 1, 0, ROWS_MOST };
    double begin, sum = 0, all;
    (void)state;
    twin_open("sim:gpu:rate=1e9:launch=10us:fixed=1us:fill=500", ROWS_MOST);
    begin = yoke_seconds(twin.runtime);
    for (int s = 0; s < 50; s++)
        submit(&step);
    for (int s = 0; s < 50; s++) {
        yoke_result *result;
        OK(yoke_wait(twin.tickets[s], &result));
        assert_true(result->seconds > 0);
        sum += result->seconds;
        yoke_result_close(result);
    }
    all = yoke_seconds(twin.runtime) - begin;
    if (sum > 1.01 * all || sum < 0.9 * all)
        fail_msg("50 jobs took %g s, by their results %g s", all, sum);
    twin_close(0);
}

static void canceled_chains_end(void **state)
{
    static const struct call step = { ADD, 0, 1, 0, ROWS_MOST };
    (void)state;
    for (int waited = 0; waited < 30; waited += 3) {
        int canceled = 0;
        twin_open("sim:gpu*2:" GPU ":peer=50e9", ROWS_MOST);
        for (int s = 0; s < 40; s++)
            submit(&step);
        for (int s = 0; s < waited; s++)
            OK(yoke_wait(twin.tickets[s], NULL));
        OK(yoke_cancel(twin.tickets[waited + 1]));
        for (int s = waited; s < 40; s++) {
            const yoke_status status = yoke_wait(twin.tickets[s], NULL);
            assert_true(status == YOKE_OK || status == YOKE_ECANCELED);
            assert_true(s > waited || status == YOKE_OK);
            assert_true(!canceled || status == YOKE_ECANCELED); /* it needs the one before */
            canceled |= status != YOKE_OK;
        }
        twin_close(1);
    }
}

enum { CHAIN_ROWS = 3000, CHAIN_JOBS = 30 };

static yoke_status run_chain(yoke_runtime *rt, yoke_array *const *arrays)
{
    static const uint32_t seven = 7;
    static const int64_t rows = CHAIN_ROWS;
    yoke_ticket *tickets[CHAIN_JOBS];
    yoke_status worst = YOKE_OK, status;
    int submitted = 0;
    while (worst == YOKE_OK && submitted < CHAIN_JOBS) {
        const yoke_job jobs[] = {
            { .kernel = &q_near,
              .range = { 0, rows },
              .args = { yoke_value(rows), yoke_in_halo(arrays[0], 1, 1), yoke_out(arrays[1]) } },
            { .kernel = &q_add,
              .range = { 0, rows },
              .args = { yoke_value(seven), yoke_in(arrays[1]), yoke_inout(arrays[0]) } }
        };
        worst = yoke_submit(rt, &jobs[submitted % 2], &tickets[submitted]);
        submitted += worst == YOKE_OK;
    }
    for (int k = 0; k < submitted; k++) {
        status = yoke_wait(tickets[k], NULL);
        worst = worst == YOKE_OK ? status : worst;
    }
    return worst;
}

/* The sum of both arrays, which a plain loop gave once. */
static void check_chain(const uint32_t *x, const uint32_t *y)
{
    static uint32_t right;
    uint32_t sum = 0;
    for (int i = 0; i < CHAIN_ROWS; i++)
        sum = sum * 31 + x[i] + 3 * y[i];
    if (!right) {
        uint32_t a[CHAIN_ROWS], b[CHAIN_ROWS];
        for (int i = 0; i < CHAIN_ROWS; i++)
            a[i] = (uint32_t)i;
        for (int k = 0; k < CHAIN_JOBS; k++)
            for (int i = 0; i < CHAIN_ROWS; i++)
                if (k % 2)
                    a[i] = a[i] * 7 + b[i];
                else
                    b[i] =
                        3 * a[i] + (i > 0 ? a[i - 1] : 0) + (i + 1 < CHAIN_ROWS ? 5 * a[i + 1] : 0);
        for (int i = 0; i < CHAIN_ROWS; i++)
            right = right * 31 + a[i] + 3 * b[i];
    }
    assert_int_equal(sum, right);
}

static yoke_status chain(const char *devices)
{
    static uint32_t memory[2][CHAIN_ROWS];
    yoke_array *arrays[2] = { NULL, NULL };
    yoke_runtime *rt;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
    if (status != YOKE_OK)
        return status;
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < CHAIN_ROWS; i++)
            memory[a][i] = a ? 0 : (uint32_t)i;
    for (int a = 0; a < 2 && status == YOKE_OK; a++)
        status = yoke_array_wrap(rt, memory[a], CHAIN_ROWS, sizeof **memory, &arrays[a]);
    if (status == YOKE_OK)
        status = run_chain(rt, arrays);
    for (int a = 0; a < 2; a++) { /* brings the rows home */
        const yoke_status closed = arrays[a] ? yoke_array_close(arrays[a]) : YOKE_OK;
        status = status == YOKE_OK ? closed : status;
    }
    yoke_close(rt);
    if (status == YOKE_OK)
        check_chain(memory[0], memory[1]);
    return status;
}

/* Every allocation and every call of a backend fails in turn. */
static void everything_fails(void **state)
{
    static const char *const devices[] = { "sim:gpu:lanes=2:launch=5us",
                                           "sim:gpu*2:launch=5us:peer=50e9",
                                           "sim:gpu*2:launch=5us" };
    const unsigned allowed = 1u << YOKE_OK | 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE |
                             1u << YOKE_ELOST | 1u << YOKE_ECANCELED;
    int64_t well;
    yk_check_devices = 1;
    (void)state;
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        assert_int_equal(chain(devices[d]), YOKE_OK);
        assert_true(walk_allocations(chain, devices[d], allowed) >= 20);
        assert_true(walk_calls(chain, devices[d], YOKE_EDEVICE, &well) >= 50);
        assert_true(walk_calls(chain, devices[d], YOKE_ENOMEM, &well) >= 50);
    }
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
        cmocka_unit_test(devices_that_fail),
        cmocka_unit_test(neighbours_that_fail),
        cmocka_unit_test(lost_neighbours_are_explained),
        cmocka_unit_test(no_gaps),
        cmocka_unit_test(halos_come_behind),
        cmocka_unit_test(counts_begin_behind),
        cmocka_unit_test(times_add_up),
        cmocka_unit_test(finds_the_team),
        cmocka_unit_test(canceled_chains_end),
        cmocka_unit_test(everything_fails),
    };
    for (int w = 1; w < count; w++)
        for (uint64_t seed = 1; seed <= 2; seed++)
            run_program(words[w], seed, 0);
    return count > 1 ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
