/* test_cuda_faults.c - every driver call fails in turn, once or with the context dead from then on,
 * and so does work on streams, while jobs run on a CPU and a GPU.
 *
 * Nothing crashes, hangs or leaks; results reported as correct are correct; and a job whose inputs
 * are on the host succeeds, on the CPU if necessary. Where a thread waits, the number of calls
 * differs from run to run, so the walk takes larger steps the longer it gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "backend/cuda/cuda_api.h"
#include "base/alloc.h"
#include "job_kernels.h"
#include "reduce_kernels.h"
#include "scene.h"
#include "standin.h"
#include "under_sanitizer.h"

static const char *const functions[] = {
#define NAME(name, symbol, parameters) "cu" #name,
    YK_CUDA_FUNCTIONS(NAME) YK_CUDA_VIRTUAL_FUNCTIONS(NAME)
#undef NAME
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const char *const kind_names[] = { "once", "for good", "later" };

/* From host data to host data, several times: whatever happens to the GPU, the CPU can do the job.
 * The arrays are large enough that their pages are mapped on demand, and used often enough that
 * they are pinned. */
enum { ROWS = 1100000, TURNS = 3 };

/* Input and results of each turn, made once: to make them anew took a third of the time. */
static struct turn {
    float xs[ROWS], ys[ROWS];
    int64_t count;
} turns[TURNS];

static void turns_make(void)
{
    for (int t = 0; t < TURNS; t++) {
        float *xs = turns[t].xs;
        for (int i = 0; i < ROWS; i++)
            xs[i] = (float)((i + t) % 1000);
        for (int i = 0; i < ROWS; i++) {
            turns[t].ys[i] = xs[i] + (i ? xs[i - 1] : 0) + (i < ROWS - 1 ? xs[i + 1] : 0);
            turns[t].count += xs[i] > 0 ? 1 + i % 3 : 0;
        }
    }
}

struct safe {
    yoke_runtime *rt;
    float *xs, *ys;
    yoke_array *x, *y;
};

static yoke_status safe_open(struct safe *safe)
{
    yoke_status status = yoke_open(&(yoke_config){ .devices = "cpu:1,cuda:0" }, &safe->rt);
    if (status != YOKE_OK)
        return status;
    assert_int_equal(yoke_trace_start(safe->rt), YOKE_OK); /* queries the driver's times */
    safe->xs = yoke_alloc(safe->rt, ROWS * sizeof *safe->xs);
    safe->ys = malloc(ROWS * sizeof *safe->ys);
    assert_true(safe->xs && safe->ys);
    assert_int_equal(yoke_array_wrap(safe->rt, safe->xs, ROWS, 4, &safe->x), YOKE_OK);
    assert_int_equal(yoke_array_wrap(safe->rt, safe->ys, ROWS, 4, &safe->y), YOKE_OK);
    return status;
}

static void safe_close(struct safe *safe)
{
    yoke_array_close(safe->x);
    yoke_array_close(safe->y);
    yoke_free(safe->rt, safe->xs);
    free(safe->ys);
    assert_int_equal(yoke_close(safe->rt), YOKE_OK);
}

static void safe_check(const struct safe *safe, const struct turn *turn)
{
    if (memcmp(safe->xs, turn->xs, sizeof turn->xs) != 0)
        fail_msg("the input has changed");
    if (memcmp(safe->ys, turn->ys, sizeof turn->ys) == 0)
        return;
    for (int i = 0; i < ROWS; ++i)
        if (safe->ys[i] != turn->ys[i])
            fail_msg("y[%d] is %g, not %g", i, (double)safe->ys[i], (double)turn->ys[i]);
}

/* The result is on the host when the job ends. */
static void safe_reduce(struct safe *safe, const struct turn *turn)
{
    int64_t count = 0;
    yoke_job job = { .kernel = &k_reduce_count,
                     .range = { 0, ROWS },
                     .partitioner = "static:shares=0.9/0.1:chunks=4",
                     .args = { yoke_in(safe->x), yoke_reduce_to(&count) } };
    if (yoke_run(safe->rt, &job, NULL) != YOKE_OK)
        fail_msg("the reduction could have ended on the CPU: %s", yoke_error_text());
    assert_int_equal(count, turn->count);
}

/* The result may be lost with the GPU after the job has ended; then yoke reports it. */
static yoke_status safe_turn(struct safe *safe, const struct turn *turn)
{
    const bounds_t bounds = { 0, ROWS, 1 };
    yoke_job job = { .kernel = &k_blur,
                     .range = { 0, ROWS },
                     .partitioner = "static:shares=0.9/0.1:chunks=4",
                     .args = { yoke_value(bounds), yoke_in_halo(safe->x, 1, 1),
                               yoke_out(safe->y) } };
    assert_int_equal(yoke_array_acquire(safe->x, YOKE_WRITE), YOKE_OK);
    memcpy(safe->xs, turn->xs, sizeof turn->xs);
    assert_int_equal(yoke_array_release(safe->x), YOKE_OK);
    if (yoke_run(safe->rt, &job, NULL) != YOKE_OK)
        fail_msg("the job could have ended on the CPU: %s", yoke_error_text());
    safe_reduce(safe, turn);
    yoke_status status = yoke_array_acquire(safe->y, YOKE_READ);
    if (status == YOKE_OK)
        safe_check(safe, turn);
    return status;
}

static yoke_status safe_jobs(void)
{
    struct safe safe;
    yoke_status status = safe_open(&safe);
    if (status != YOKE_OK)
        return status;
    for (int turn = 0; turn < TURNS && status == YOKE_OK; ++turn)
        status = safe_turn(&safe, &turns[turn]);
    safe_close(&safe);
    return status;
}

/* GPUs only: a fast CPU would leave them nothing to do. */
static yoke_status mixed_jobs(void)
{
    return scene_run("cuda:0,cuda:1:lanes=1");
}

/* A refused call is a usage error and ends the job. */
static int may_be(yoke_status status, int code)
{
    return status == YOKE_OK || status == YOKE_ENOMEM || status == YOKE_EDEVICE ||
           status == YOKE_ENODEV || status == YOKE_ELOST ||
           (status == YOKE_EINVAL && code == CUDA_ERROR_INVALID_VALUE);
}

struct walk {
    yoke_status (*program)(void);
    long failed, went_well;
};
static int has_failed[FUNCTIONS]; /* in any walk so far */

/* 0: the call was not reached. */
static int walk_step(struct walk *walk, const struct standin_failure *failure)
{
    int64_t before = yk_alloc_outstanding();
    alarm(60);
    standin_fail(failure);
    yoke_status status = walk->program();
    int reached = standin_failed();
    standin_fail(NULL);
    const char *function = failure->function ? failure->function : "stream";
    if (yk_alloc_outstanding() != before || standin_outstanding() != 0)
        fail_msg("%s %ld fails %s with %d: %d blocks and %ld things of the driver are left",
                 function, failure->nth, kind_names[failure->kind], failure->code,
                 (int)(yk_alloc_outstanding() - before), standin_outstanding());
    if (!may_be(status, failure->code))
        fail_msg("%s %ld fails %s with %d: %s: %s", function, failure->nth,
                 kind_names[failure->kind], failure->code, yoke_status_text(status),
                 yoke_error_text());
    walk->failed += reached;
    walk->went_well += reached && status == YOKE_OK;
    return reached;
}

static void walk_all(struct walk *walk, enum standin_kind kind, int code)
{
    for (int f = 0; f < FUNCTIONS; ++f)
        for (long nth = 1;; nth += 1 + (RUNNING_UNDER_ASAN ? 2 : 1) * nth) {
            const struct standin_failure failure = { nth, code, kind, functions[f] };
            if (!walk_step(walk, &failure))
                break;
            has_failed[f] = 1;
        }
    print_message("%ld calls failed %s with %d, %ld times the job went well\n", walk->failed,
                  kind_names[kind], code, walk->went_well);
    assert_true(walk->failed > 60);
    assert_true(walk->went_well > walk->failed / 8);
}

static void walk_streams(struct walk *walk)
{
    for (long nth = 1;; ++nth) {
        const struct standin_failure failure = { nth, 700, STANDIN_LATER, NULL };
        if (!walk_step(walk, &failure))
            break;
    }
    print_message("%ld operations failed on streams, %ld times the job went well\n", walk->failed,
                  walk->went_well);
    assert_true(walk->failed > 4);
}

static void mixed_jobs_without_memory(void **state)
{
    (void)state;
    walk_all(&(struct walk){ .program = mixed_jobs }, STANDIN_ONCE, CUDA_ERROR_OUT_OF_MEMORY);
}

static void mixed_jobs_with_refusals(void **state)
{
    (void)state;
    walk_all(&(struct walk){ .program = mixed_jobs }, STANDIN_ONCE, CUDA_ERROR_INVALID_VALUE);
}

static void mixed_jobs_on_a_dying_gpu(void **state)
{
    (void)state;
    walk_all(&(struct walk){ .program = mixed_jobs }, STANDIN_FOR_GOOD, 719);
}

static void mixed_jobs_with_faulting_kernels(void **state)
{
    (void)state;
    walk_streams(&(struct walk){ .program = mixed_jobs });
}

static void safe_jobs_without_memory(void **state)
{
    (void)state;
    walk_all(&(struct walk){ .program = safe_jobs }, STANDIN_ONCE, CUDA_ERROR_OUT_OF_MEMORY);
}

static void safe_jobs_on_a_dying_gpu(void **state)
{
    (void)state;
    walk_all(&(struct walk){ .program = safe_jobs }, STANDIN_FOR_GOOD, 719);
}

static void safe_jobs_with_faulting_kernels(void **state)
{
    (void)state;
    walk_streams(&(struct walk){ .program = safe_jobs });
}

/* All functions except those called once per process, those that cannot fail, copies within a
 * device, which only the contract test makes, and queries about memory that the program pinned
 * (test_cuda_filled.c). */
static void every_function_was_reached(void **state)
{
    static const char elsewhere[] =
        "cuInit cuDriverGetVersion cuGetErrorName cuGetErrorString cuMemcpyDtoDAsync "
        "cuPointerGetAttribute";
    (void)state;
    for (int f = 0; f < FUNCTIONS; ++f)
        if (!has_failed[f] && !strstr(elsewhere, functions[f]))
            fail_msg("%s never failed", functions[f]);
}

/* Objects loaded or compiled once per process do not count as leaked. */
static int warm_up(void **state)
{
    (void)state;
    turns_make();
    return mixed_jobs() == YOKE_OK && safe_jobs() == YOKE_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_jobs_without_memory),
        cmocka_unit_test(mixed_jobs_with_refusals),
        cmocka_unit_test(mixed_jobs_on_a_dying_gpu),
        cmocka_unit_test(mixed_jobs_with_faulting_kernels),
        cmocka_unit_test(safe_jobs_without_memory),
        cmocka_unit_test(safe_jobs_on_a_dying_gpu),
        cmocka_unit_test(safe_jobs_with_faulting_kernels),
        cmocka_unit_test(every_function_was_reached),
    };
    return cmocka_run_group_tests_name("every call of the driver", tests, warm_up, NULL);
}
