/* first_job.c - a program that opens yoke, names no devices, and has one job.
 *
 *     yoke-bench-first-job [loop=points] [items=4M] [rounds=1000]
 *
 * loop: points (an array), area (one sum), bins (sums in 256 places). Verifies the result. Prints
 * the loop, the ms of the job, those from yoke_open to the end of yoke_close, and the GPUs' part of
 * the job. Devices and loads are chosen by the environment: YOKE_DEVICES, YOKE_LOAD.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/yoke.h>

#include "first_job_kernels.h"
#include "program.h"

enum { BINS = 256 };

static const char *loop = "points";
static int64_t items = 4 << 20;
static int rounds = 1000;

static const struct program_option options[] = { { "loop", .text = &loop },
                                                 { "items", .large = &items },
                                                 { "rounds", .whole = &rounds },
                                                 { NULL } };

struct program {
    yoke_runtime *runtime;
    double job_s, part; /* of the job: its time, and the GPUs' part of it */
    double *x, area;
    int64_t bins[BINS];
};

static void fail(const char *what)
{
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static void run(struct program *program, const yoke_job *job)
{
    yoke_result *result;
    const double start = now_s();
    int d;
    must(yoke_run(program->runtime, job, &result), "the job");
    program->job_s = now_s() - start;
    for (d = 0; d < result->device_count; d++)
        program->part += d > 0 ? result->devices[d].share : 0;
    yoke_result_close(result);
}

static void points(struct program *program)
{
    yoke_array *array;
    if (!(program->x = calloc((size_t)items, sizeof *program->x)))
        fail("no memory");
    must(yoke_array_wrap(program->runtime, program->x, items, sizeof *program->x, &array),
         "an array");
    run(program, &(yoke_job){ .kernel = &k_points,
                              .range = { .last = items },
                              .args = { yoke_value(rounds), yoke_out(array) } });
    must(yoke_array_close(array), "the array");
}

/* After at least 60 steps, Heron's root of up to 2^40 is exact but for rounding. */
static void check_points(const struct program *program)
{
    int64_t i;
    for (i = 0; i < items; i++)
        if (fabs(program->x[i] - sqrt((double)(i + 1))) > 1e-12 * program->x[i])
            fail("points, which needs rounds=60 or more");
    free(program->x);
}

static void area(struct program *program)
{
    run(program, &(yoke_job){ .kernel = &k_area,
                              .range = { .last = items },
                              .args = { yoke_value(items), yoke_value(rounds),
                                        yoke_reduce_to(&program->area) } });
}

static void check_area(const struct program *program)
{
    if (fabs(program->area - 3.14159265358979323846) > 1e-9)
        fail("area");
}

static void bins(struct program *program)
{
    yoke_array *array;
    must(yoke_array_wrap(program->runtime, program->bins, BINS, sizeof *program->bins, &array),
         "an array");
    run(program, &(yoke_job){ .kernel = &k_bins,
                              .range = { .last = items },
                              .args = { yoke_value(rounds), yoke_add_to(array) } });
    must(yoke_array_close(array), "the array");
}

/* `rounds` steps of the generator are one step with other constants. */
static void check_bins(const struct program *program)
{
    int64_t expected[BINS] = { 0 }, i;
    uint64_t factor = 1, term = 0;
    int r;
    for (r = 0; r < rounds; r++) {
        term = term * 6364136223846793005u + 1442695040888963407u;
        factor *= 6364136223846793005u;
    }
    for (i = 0; i < items; i++)
        expected[(((uint64_t)i * 2654435761u + 1) * factor + term) >> 56]++;
    if (memcmp(program->bins, expected, sizeof expected) != 0)
        fail("bins");
}

static const struct loop {
    const char *name;
    void (*run)(struct program *);
    void (*check)(const struct program *);
} loops[] = { { "points", points, check_points },
              { "area", area, check_area },
              { "bins", bins, check_bins },
              { NULL } };

static const struct loop *chosen(int argc, char **argv)
{
    const struct loop *found = loops;
    int i, known = 1;
    for (i = 1; i < argc; i++)
        known &= read_option(options, argv[i]);
    while (found->name && strcmp(found->name, loop) != 0)
        found++;
    return known && items > 0 && rounds > 0 ? found : &loops[sizeof loops / sizeof *loops - 1];
}

int main(int argc, char **argv)
{
    static struct program program;
    const struct loop *given = chosen(argc, argv);
    double start, end;
    if (!given->name) {
        fprintf(stderr,
                "usage: yoke-bench-first-job [loop=points|area|bins] [items=N] [rounds=N]\n");
        return 2;
    }
    start = now_s();
    must(yoke_open(NULL, &program.runtime), "yoke_open");
    given->run(&program);
    must(yoke_close(program.runtime), "yoke_close");
    end = now_s();
    given->check(&program);
    printf("%s %.1f %.1f %.3f\n", given->name, program.job_s * 1e3, (end - start) * 1e3,
           program.part);
    return 0;
}
