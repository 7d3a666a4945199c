/* test_cuda_reduce.c - GPUs write the partial results of reductions into the host's memory: no copy
 * home, the same bits, and exactly once whatever fails. With the word "copies": a driver whose
 * kernels do not reach that memory. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "job/runtime.h"
#include "ok.h"
#include "reduce_kernels.h"
#include "standin.h"

enum { ROWS = 300, COLUMNS = 200, WARM_UP = 12, JOBS = 4 };

static float xs[ROWS * COLUMNS];
static int copies;

struct result {
    float sum;
    yoke_at_float high;
};
static struct result expected;

static void fill(void)
{
    unsigned random = 7;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        random = random * 1664525u + 1013904223u;
        xs[i] = (float)(random >> 8) * 0x1p-20f - 7.5f;
    }
}

static yoke_array *wrap(yoke_runtime *runtime)
{
    yoke_array *x;
    OK(yoke_array_open(
        runtime,
        &(yoke_array_spec){
            .host = xs, .rows = ROWS, .row_elements = COLUMNS, .element_size = sizeof *xs },
        &x));
    return x;
}

static yoke_job job_of(yoke_array *x, const char *partitioner, struct result *out)
{
    *out = (struct result){ 0 };
    return (
        yoke_job){ .kernel = &k_reduce_2,
                   .range = { .first = 0, .last = ROWS, .extent = { COLUMNS } },
                   .partitioner = partitioner,
                   .args = { yoke_in(x), yoke_reduce_to(&out->sum), yoke_reduce_to(&out->high) } };
}

static void assert_right(const struct result *got)
{
    assert_memory_equal(&got->sum, &expected.sum, sizeof got->sum);
    assert_true(got->high.value == expected.high.value);
    assert_int_equal(got->high.place, expected.high.place);
}

static void run(yoke_runtime *runtime, yoke_array *x, const char *partitioner)
{
    struct result got;
    const yoke_job job = job_of(x, partitioner, &got);
    OK(yoke_run(runtime, &job, NULL));
    assert_right(&got);
}

static void close_all(yoke_runtime *runtime, yoke_array *x)
{
    OK(yoke_array_close(x));
    OK(yoke_close(runtime));
    assert_int_equal(standin_outstanding(), 0);
}

/* Copies to the host, each of one result of one chunk, that a job makes. */
static long copies_home(yoke_runtime *runtime, yoke_array *x, const char *partitioner)
{
    const long before = standin_calls_of("cuMemcpyDtoHAsync");
    run(runtime, x, partitioner);
    return standin_calls_of("cuMemcpyDtoHAsync") - before;
}

static struct call {
    const char *function;
    long written, copied; /* most calls for one chunk: results are written home, or copied */
} calls[] = {
    { "cuLaunchKernel", 1, 1 },    { "cuMemcpyHtoDAsync", 0, 0 }, { "cuMemcpyDtoHAsync", 0, 2 },
    { "cuStreamWaitEvent", 0, 1 }, { "cuEventRecord", 2, 5 }, /* twice behind what a thread may
                                                                 sleep for */
};
enum { CALLS = sizeof calls / sizeof *calls };

/* Of the job with the fewest calls: every few seconds one more event is recorded, to compare
 * clocks.
 */
static void count_calls(const char *devices, int gpus)
{
    yoke_runtime *runtime = open_runtime(devices);
    yoke_array *x = wrap(runtime);
    long least[CALLS], before[CALLS];
    for (int job = 0; job < WARM_UP; job++)
        run(runtime, x, "even");
    for (int job = 0; job < JOBS; job++) {
        for (int i = 0; i < CALLS; i++)
            before[i] = standin_calls_of(calls[i].function);
        run(runtime, x, "even");
        assert_int_equal(standin_calls_of("cuLaunchKernel") - before[0], gpus);
        for (int i = 0; i < CALLS; i++) {
            const long made = standin_calls_of(calls[i].function) - before[i];
            least[i] = job && least[i] < made ? least[i] : made;
        }
    }
    for (int i = 0; i < CALLS; i++) {
        const long most = gpus * (copies ? calls[i].copied : calls[i].written);
        if (least[i] > most)
            fail_msg("%s: %ld calls of %s, not %ld", devices, least[i], calls[i].function, most);
    }
    assert_int_equal(copies_home(runtime, x, "even"), copies ? 2 * gpus : 0);
    close_all(runtime, x);
}

static void one_launch_and_one_event(void **state)
{
    (void)state;
    count_calls("cuda:0", 1);
    count_calls("cuda:0,cuda:1", 2);
}

static struct yk_stage *stage_of(yoke_runtime *runtime, int device)
{
    return &runtime->devices[device].place->stage;
}

static void no_memory_is_left(void **state)
{
    yoke_runtime *runtime = open_runtime("cuda:0");
    yoke_array *x = wrap(runtime);
    struct yk_slot *slot, *taken = NULL;
    (void)state;
    while ((slot = yk_stage_take_down(stage_of(runtime, 0), YK_STAGE_FLYING))) {
        slot->next = taken;
        taken = slot;
    }
    assert_int_equal(copies_home(runtime, x, "even"), 2);
    while ((slot = taken)) {
        taken = slot->next;
        yk_stage_give_down(stage_of(runtime, 0), slot);
    }
    assert_int_equal(copies_home(runtime, x, "even"), copies ? 2 : 0);
    close_all(runtime, x);
}

/* The first result alone fills the buffer. */
static void results_are_too_large(void **state)
{
    const int64_t before = yk_stage_slot_bytes;
    yoke_runtime *runtime;
    yoke_array *x;
    (void)state;
    yk_stage_slot_bytes = ROWS * sizeof(float);
    runtime = open_runtime("cuda:0");
    x = wrap(runtime);
    assert_true(copies_home(runtime, x, "even") > 0);
    close_all(runtime, x);
    yk_stage_slot_bytes = before;
}

/* More than there are buffers; all come back. */
static void many_jobs_at_once(void **state)
{
    enum { MANY = 3 * YK_STAGE_DOWN };
    static struct result got[MANY];
    yoke_ticket *tickets[MANY];
    yoke_runtime *runtime = open_runtime("cuda:0,cuda:1");
    yoke_array *x = wrap(runtime);
    (void)state;
    for (int i = 0; i < MANY; i++) {
        const yoke_job job = job_of(x, i % 2 ? "dynamic:chunk=40" : "even", &got[i]);
        OK(yoke_submit(runtime, &job, &tickets[i]));
    }
    for (int i = 0; i < MANY; i++) {
        OK(yoke_wait(tickets[i], NULL));
        assert_right(&got[i]);
    }
    for (int d = 0; d < 2; d++)
        assert_int_equal(stage_of(runtime, d)->free_count, YK_STAGE_DOWN);
    close_all(runtime, x);
}

/* A GPU that copies from the one that fails may be lost with it, so there is a core, too. */
static void a_gpu_fails_in_the_middle(void **state)
{
    static const struct {
        const char *devices, *partitioner; /* by shares, for a core begins before GPUs are ready */
    } machines[] = { { "cpu:1,cuda:0", "static:shares=0.3/0.7:chunks=8" },
                     { "cpu:1,cuda:0,cuda:1:lanes=1", "static:shares=0.2/0.4/0.4:chunks=4" } };
    (void)state;
    for (int m = 0; m < 2; m++) {
        long nth = 0;
        int failed;
        do {
            const struct standin_failure failure = { ++nth, 700, STANDIN_LATER, NULL };
            const int64_t before = yk_alloc_outstanding();
            yoke_runtime *runtime = open_runtime(machines[m].devices);
            yoke_array *x = wrap(runtime);
            standin_fail(&failure);
            for (int job = 0; job < 3; job++)
                run(runtime, x, machines[m].partitioner);
            failed = standin_failed();
            standin_fail(NULL);
            close_all(runtime, x);
            assert_int_equal(yk_alloc_outstanding(), before);
        } while (failed);
        print_message("%s: %ld operations failed in turn\n", machines[m].devices, nth - 1);
        assert_true(nth > 8);
    }
}

static int setup(void **state)
{
    yoke_runtime *runtime;
    yoke_array *x;
    yoke_job job;
    (void)state;
    alarm(540);
    fill();
    runtime = open_runtime("cpu:1");
    x = wrap(runtime);
    job = job_of(x, NULL, &expected);
    OK(yoke_run(runtime, &job, NULL));
    OK(yoke_array_close(x));
    OK(yoke_close(runtime));
    return 0;
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_launch_and_one_event),  cmocka_unit_test(no_memory_is_left),
        cmocka_unit_test(results_are_too_large),     cmocka_unit_test(many_jobs_at_once),
        cmocka_unit_test(a_gpu_fails_in_the_middle),
    };
    copies = count > 1 && !strcmp(words[1], "copies");
    return cmocka_run_group_tests_name("reductions on GPUs", tests, setup, NULL);
}
