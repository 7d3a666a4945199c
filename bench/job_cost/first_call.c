/* first_call.c - a process with one job: the time of the first call of yoke_run.
 *
 *     yoke-bench-first-call ROUNDS
 *
 * The job does ROUNDS rounds over 64 Ki floats on YOKE_DEVICES. Prints the milliseconds of
 * yoke_open, of yoke_run, and of closing. first_call.py runs many such processes and adds up their
 * CPU time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <yoke/yoke.h>

#include "../program.h"

extern const yoke_kernel job_cost_work;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static float y[64 << 10];
    const int64_t items = sizeof y / sizeof *y;
    const int32_t rounds = argc == 2 ? atoi(argv[1]) : 0;
    yoke_runtime *runtime;
    yoke_array *array;
    if (rounds < 1) {
        fprintf(stderr, "usage: %s ROUNDS\n", argv[0]);
        return 2;
    }
    for (int64_t i = 0; i < items; i++)
        y[i] = (float)(i % 7);
    const double start = now_ms();
    must(yoke_open(NULL, &runtime), "open");
    const double opened = now_ms();
    must(yoke_array_wrap(runtime, y, items, sizeof *y, &array), "array");
    const yoke_job job = { .kernel = &job_cost_work,
                           .range = { .last = items },
                           .args = { yoke_value(rounds), yoke_inout(array) } };
    const double begun = now_ms();
    must(yoke_run(runtime, &job, NULL), "run");
    const double done = now_ms();
    must(yoke_array_close(array), "close");
    must(yoke_close(runtime), "close");
    printf("%.4f %.4f %.4f\n", opened - start, done - begun, now_ms() - done);
    return 0;
}
