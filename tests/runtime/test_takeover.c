/* test_takeover.c - a thread of the program that waits for a job steps its GPU in place of the host
 * thread; the host thread goes on when the program does something else; and threads that wait at
 * the same time get right results. On the devices in the arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "ok.h"
#include "pipeline_kernels.h"
#include "platform/clock.h"
#include "platform/thread.h"

enum { ROWS = 4096, ARRAYS = 2, ROUNDS = 60, TRIES = 2000, THREADS = 3 };

/* x stays as it is, y = 3 y + x in each job. */
struct program {
    yoke_runtime *runtime;
    uint32_t x[ROWS], y[ROWS], expected[ROWS];
    yoke_array *array[ARRAYS];
};

static yoke_job add_job(struct program *at)
{
    static const uint32_t three = 3;
    return (
        yoke_job){ .kernel = &q_add,
                   .range = { 0, ROWS },
                   .args = { yoke_value(three), yoke_in(at->array[0]), yoke_inout(at->array[1]) } };
}

static void expect_jobs(struct program *at, int jobs)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < jobs; j++)
            at->expected[i] = at->expected[i] * 3 + at->x[i];
}

/* In the first jobs rows come from the host and the kernel is built, which host threads do. */
static void begin(struct program *at, yoke_runtime *runtime)
{
    memset(at, 0, sizeof *at);
    at->runtime = runtime;
    for (int i = 0; i < ROWS; i++) {
        at->x[i] = (uint32_t)i * 5 + 1;
        at->y[i] = at->expected[i] = (uint32_t)i;
    }
    OK(yoke_array_wrap(runtime, at->x, ROWS, sizeof(uint32_t), &at->array[0]));
    OK(yoke_array_wrap(runtime, at->y, ROWS, sizeof(uint32_t), &at->array[1]));
    for (int j = 0; j < 3; j++) {
        const yoke_job first = add_job(at);
        OK(yoke_run(runtime, &first, NULL));
    }
    expect_jobs(at, 3);
}

static void end(struct program *at)
{
    for (int a = 0; a < ARRAYS; a++)
        OK(yoke_array_close(at->array[a]));
    assert_memory_equal(at->y, at->expected, sizeof at->y);
}

/* Without the watchdog, for which a host thread looks once a second: only a wake wakes it. */
static void on_each(void **state, void (*test)(yoke_runtime *runtime))
{
    const char *const *devices = *state;
    for (; *devices; devices++) {
        yoke_runtime *rt;
        const yoke_config config = { .devices = *devices, .watchdog = -1 };
        const yoke_status status = yoke_open(&config, &rt);
        if (status == YOKE_ENODEV) {
            print_message("%s: %s\n", *devices, yoke_error_text());
            continue;
        }
        OK(status);
        test(rt);
        OK(yoke_close(rt));
    }
}

/* Submits a job and runs another one on the same rows. Returns 1 if the calling thread stepped the
 * device for the second. */
static int submit_and_run(struct program *at)
{
    const yoke_job job = add_job(at);
    yoke_ticket *ticket;
    yoke_result *result;
    int stepped;
    OK(yoke_submit(at->runtime, &job, &ticket));
    OK(yoke_run(at->runtime, &job, &result));
    OK(yoke_wait(ticket, NULL));
    stepped = strstr(result->waits[0].reason, "the calling thread") != NULL;
    yoke_result_close(result);
    return stepped;
}

static void wait_and_step(yoke_runtime *runtime)
{
    static struct program at;
    int tries = 0, stepped = 0;
    begin(&at, runtime);
    while (!stepped && tries++ < TRIES)
        stepped = submit_and_run(&at);
    assert_true(stepped);
    expect_jobs(&at, 2 * tries);
    end(&at);
}

static void the_thread_that_waits_steps(void **state)
{
    on_each(state, wait_and_step);
}

static int note_end(void *context, int64_t done, int64_t all)
{
    if (done == all)
        atomic_store((atomic_int *)context, 1);
    return 0;
}

/* Submits jobs, of which the last notes its end, and calls nothing of yoke until it has. */
static void submit_and_leave(struct program *at, int jobs)
{
    const int64_t until = yk_clock_ns() + 20000000000;
    yoke_ticket *tickets[3];
    atomic_int over = 0;
    for (int j = 0; j < jobs; j++) {
        yoke_job job = add_job(at);
        if (j == jobs - 1) {
            job.progress = note_end;
            job.progress_context = &over;
        }
        OK(yoke_submit(at->runtime, &job, &tickets[j]));
    }
    while (!atomic_load(&over) && yk_clock_ns() < until)
        yk_clock_sleep_until(yk_clock_ns() + 100000);
    assert_true(atomic_load(&over));
    for (int j = 0; j < jobs; j++)
        OK(yoke_wait(tickets[j], NULL));
}

/* Before, the program steps the device. The host thread sleeps, watches or has the device. */
static void leave_each_time(yoke_runtime *runtime)
{
    static struct program at;
    int round, jobs = 0;
    begin(&at, runtime);
    for (round = 0; round < ROUNDS; round++) {
        submit_and_run(&at);
        if (round % 4 == 0)
            yk_clock_sleep_until(yk_clock_ns() + 1000000);
        submit_and_leave(&at, 1 + round % 3);
        jobs += 2 + 1 + round % 3;
    }
    expect_jobs(&at, jobs);
    end(&at);
}

static void the_host_thread_goes_on(void **state)
{
    on_each(state, leave_each_time);
}

/* In some rounds the thread drives the device of a job that begins at once (work/drive.c). */
static void run_rounds(void *context)
{
    struct program *at = context;
    const yoke_job job = add_job(at);
    for (int round = 0; round < ROUNDS; round++)
        if (round % 3 == 2)
            OK(yoke_run(at->runtime, &job, NULL));
        else
            submit_and_run(at);
}

static void wait_together(yoke_runtime *runtime)
{
    static struct program programs[THREADS];
    struct yk_thread threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        begin(&programs[t], runtime);
    for (int t = 0; t < THREADS; t++)
        OK(yk_thread_open(
            &(struct yk_thread_spec){
                .name = "program", .cpu = -1, .run = run_rounds, .context = &programs[t] },
            &threads[t]));
    for (int t = 0; t < THREADS; t++)
        yk_thread_join(&threads[t]);
    for (int t = 0; t < THREADS; t++) {
        expect_jobs(&programs[t], 2 * ROUNDS - ROUNDS / 3);
        end(&programs[t]);
    }
}

static void several_threads_wait(void **state)
{
    on_each(state, wait_together);
}

/* Arguments: these devices instead. */
int main(int argc, char **argv)
{
    static const char *const opencl[] = { "opencl:0:units=1", NULL };
    void *devices = argc > 1 ? (void *)(argv + 1) : (void *)opencl;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(the_thread_that_waits_steps, devices),
        cmocka_unit_test_prestate(the_host_thread_goes_on, devices),
        cmocka_unit_test_prestate(several_threads_wait, devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
