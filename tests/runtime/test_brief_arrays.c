/* test_brief_arrays.c - `auto` counts on rows that stay on a device only while arrays live. In an
 * array of one call (yoke_for), or one that the program opens for each job, all rows come from the
 * host each time. On a simulated machine where copies to the GPU take three times as long as the
 * cores need for the job, and the GPU an eighth of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job/runtime.h"
#include "ok.h"

extern const yoke_kernel f_dot; /* for_kernels.c */

enum { ITEMS = 200000, JOBS = 12 };
#define CORES "sim:cpu:cores=4:rate=1e9"
#define BOTH  "sim:gpu:rate=4e10:fixed=2us:fill=1000:link=10e9," CORES

static float x[ITEMS], y[ITEMS];

enum life { ONE_CALL, ONE_JOB, ALL_JOBS };

struct program {
    yoke_runtime *runtime;
    yoke_array *xs, *ys;
    enum life life;
};

static void open_arrays(struct program *program)
{
    OK(yoke_array_wrap(program->runtime, x, ITEMS, sizeof *x, &program->xs));
    OK(yoke_array_wrap(program->runtime, y, ITEMS, sizeof *y, &program->ys));
}

static void close_arrays(struct program *program)
{
    OK(yoke_array_close(program->xs));
    OK(yoke_array_close(program->ys));
}

static void dot(struct program *program)
{
    double sum[1] = { 0 };
    if (program->life == ONE_JOB)
        open_arrays(program);
    if (program->life == ONE_CALL)
        OK(yoke_for(program->runtime, &f_dot, ITEMS, x, y, sum));
    else
        OK(yoke_for(program->runtime, &f_dot, ITEMS, program->xs, program->ys, sum));
    if (program->life == ONE_JOB)
        close_arrays(program);
    assert_true(sum[0] == 2 * ITEMS);
}

/* Runs the jobs. Returns the time from job number `from` on, in ns. */
static int64_t time_from(struct program *program, int from)
{
    int64_t begun = 0;
    int j;
    if (program->life == ALL_JOBS)
        open_arrays(program);
    for (j = 0; j < JOBS; j++) {
        if (j == from)
            begun = yk_now(program->runtime);
        dot(program);
    }
    if (program->life == ALL_JOBS)
        close_arrays(program);
    return yk_now(program->runtime) - begun;
}

static int64_t time_on(const char *devices, enum life life)
{
    struct program program = { .life = life };
    int64_t ns;
    OK(yoke_open(&(yoke_config){ .devices = devices, .knowledge = "off" }, &program.runtime));
    ns = time_from(&program, JOBS / 2);
    OK(yoke_close(program.runtime));
    return ns;
}

static void rows_come_from_the_host_each_time(void **state)
{
    (void)state;
    assert_true(time_on(BOTH, ONE_CALL) < 1.1 * (double)time_on(CORES, ONE_CALL));
    assert_true(time_on(BOTH, ONE_JOB) < 1.1 * (double)time_on(CORES, ONE_JOB));
}

static void rows_stay_while_arrays_live(void **state)
{
    (void)state;
    assert_true(time_on(BOTH, ALL_JOBS) < 0.7 * (double)time_on(CORES, ALL_JOBS));
}

/* The lives of arrays are learned, and a change is noticed. */
static void lives_change(void **state)
{
    struct program program = { .life = ONE_JOB };
    int64_t brief, lasting, again;
    (void)state;
    OK(yoke_open(&(yoke_config){ .devices = BOTH, .knowledge = "off" }, &program.runtime));
    brief = time_from(&program, 0);
    program.life = ALL_JOBS;
    lasting = time_from(&program, 0);
    assert_true(lasting < 0.8 * (double)brief);
    again = time_from(&program, 0); /* the first job moves the rows, because such arrays lasted */
    assert_true(again < 0.9 * (double)lasting);
    OK(yoke_close(program.runtime));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_from_the_host_each_time),
        cmocka_unit_test(rows_stay_while_arrays_live),
        cmocka_unit_test(lives_change),
    };
    for (int i = 0; i < ITEMS; i++) {
        x[i] = 1;
        y[i] = 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
