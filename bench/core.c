/* core.c - the runtime's overhead on CPU cores, compared with an OpenMP static loop over the same
 * kernel function.
 *
 *     yoke-bench-core [saxpy Mi-elements] [mxv rows] [pairs]
 *
 * Prints yoke_open + yoke_close, an empty job, the CPU used in 5 idle seconds, then saxpy and mxv
 * as medians of alternating pairs with their ratio. Both sides run the same CPU variant of the
 * application's kernel on the same arrays. So only the distribution of rows differs.
 */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yoke/yoke.h>

#include "program.h"

extern const yoke_kernel saxpy, mxv;

enum { PAIRS_MAX = 1001, COLUMNS = 2000 };

/* A pause before each timed run: OpenMP's threads spin for some milliseconds after a loop and would
 * take a core from the other side. */
#define SETTLE_NS 10000000

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void open_and_close(int rounds)
{
    double t[PAIRS_MAX], first = 0;
    yoke_runtime *rt;
    int i;
    for (i = 0; i < rounds; i++) {
        double start = seconds(CLOCK_MONOTONIC);
        must(yoke_open(NULL, &rt), "yoke_open");
        must(yoke_close(rt), "yoke_close");
        t[i] = seconds(CLOCK_MONOTONIC) - start;
        if (i == 0)
            first = t[0];
    }
    printf("open + close          first %8.3f ms   median %8.3f ms\n", first * 1e3,
           median(t, rounds) * 1e3);
}

static void body_of_nothing(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    (void)chunk;
}

static void empty_job(yoke_runtime *rt)
{
    enum { ROUNDS = 1001, EACH = 100 };
    yoke_kernel nothing = { .struct_size = sizeof nothing,
                            .kind = YOKE_KERNEL_NATIVE,
                            .name = "nothing" };
    yoke_job job = { .kernel = &nothing, .range = { 0, 1 } };
    double t[ROUNDS];
    int i, j;
    nothing.cpu.variant[0] = body_of_nothing;
    for (i = 0; i < ROUNDS; i++) {
        double start = seconds(CLOCK_MONOTONIC);
        for (j = 0; j < EACH; j++)
            must(yoke_run(rt, &job, NULL), "empty job");
        t[i] = (seconds(CLOCK_MONOTONIC) - start) / EACH;
    }
    printf("empty job                                median %8.3f us\n", median(t, ROUNDS) * 1e6);
}

static void idle(void)
{
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    struct timespec five = { 5, 0 };
    nanosleep(&five, NULL);
    wall = seconds(CLOCK_MONOTONIC) - wall;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("idle for %.1f s        %.4f cores used\n", wall, cpu / wall);
}

/* The variant that yoke takes by default: the highest one that the processor supports. */
static yoke_cpu_fn *variant_of(const yoke_kernel *kernel)
{
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512cd");
    if (avx512 && kernel->cpu.variant[2])
        return kernel->cpu.variant[2];
    return avx2 && kernel->cpu.variant[1] ? kernel->cpu.variant[1] : kernel->cpu.variant[0];
}

static void omp_static(yoke_cpu_fn *body, void *const *args, int64_t items)
{
#pragma omp parallel
    {
        int64_t id = omp_get_thread_num(), all = omp_get_num_threads();
        yoke_chunk chunk = { .first = items * id / all,
                             .last = items * (id + 1) / all,
                             .extent = { 1, 1 },
                             .lane = (int)id };
        body(args, &chunk);
    }
}

struct contest {
    const char *name;
    yoke_runtime *rt;
    const yoke_job *job;
    void *const *args;
    int pairs;
};

static void compete(const struct contest *c)
{
    static double ours[PAIRS_MAX], theirs[PAIRS_MAX], ratio[PAIRS_MAX];
    yoke_cpu_fn *body = variant_of(c->job->kernel);
    int64_t items = c->job->range.last;
    int i, turn;
    for (i = -3; i < c->pairs; i++) {
        double t[2];
        for (turn = 0; turn < 2; turn++) {
            int us = (turn + i) & 1;
            double start;
            nanosleep(&(struct timespec){ 0, SETTLE_NS }, NULL);
            start = seconds(CLOCK_MONOTONIC);
            if (us)
                must(yoke_run(c->rt, c->job, NULL), c->name);
            else
                omp_static(body, c->args, items);
            t[us] = seconds(CLOCK_MONOTONIC) - start;
        }
        if (i >= 0) {
            theirs[i] = t[0];
            ours[i] = t[1];
            ratio[i] = t[1] / t[0];
        }
    }
    printf("%-8s omp static %9.3f ms   yoke %9.3f ms   yoke/omp %.4f (median of %d pairs' ratios "
           "%.4f)\n",
           c->name, median(theirs, c->pairs) * 1e3, median(ours, c->pairs) * 1e3,
           median(ours, c->pairs) / median(theirs, c->pairs), c->pairs, median(ratio, c->pairs));
}

/* Written in parallel, by the threads that will use it. */
static float *filled(int64_t count, float value)
{
    float *block = malloc((size_t)count * sizeof *block);
    int64_t i;
    if (!block) {
        fprintf(stderr, "no memory for %lld floats\n", (long long)count);
        exit(1);
    }
#pragma omp parallel for schedule(static)
    for (i = 0; i < count; i++)
        block[i] = value;
    return block;
}

static void compete_saxpy(yoke_runtime *rt, int64_t n, int pairs)
{
    float a = 0.5f, *xs = filled(n, 1), *ys = filled(n, 2);
    void *args[] = { &a, xs, ys };
    yoke_array *x, *y;
    must(yoke_array_wrap(rt, xs, n, sizeof *xs, &x), "x");
    must(yoke_array_wrap(rt, ys, n, sizeof *ys, &y), "y");
    yoke_job job = { .kernel = &saxpy,
                     .range = { 0, n },
                     .args = { yoke_value(a), yoke_in(x), yoke_inout(y) } };
    compete(&(struct contest){ "saxpy", rt, &job, args, pairs });
    must(yoke_array_close(x), "x");
    must(yoke_array_close(y), "y");
    free(xs);
    free(ys);
}

static void compete_mxv(yoke_runtime *rt, int64_t rows, int pairs)
{
    int64_t columns = COLUMNS;
    int32_t flops = 8;
    float *matrix = filled(rows * columns, 0.25f), *vector = filled(columns, 1);
    float *result = filled(rows, 0);
    void *args[] = { &columns, &flops, matrix, vector, result };
    yoke_array_spec spec = {
        .host = matrix, .rows = rows, .row_elements = columns, .element_size = sizeof *matrix
    };
    yoke_array *a, *v, *y;
    must(yoke_array_open(rt, &spec, &a), "matrix");
    must(yoke_array_wrap(rt, vector, columns, sizeof *vector, &v), "vector");
    must(yoke_array_wrap(rt, result, rows, sizeof *result, &y), "result");
    yoke_job job = { .kernel = &mxv,
                     .range = { 0, rows },
                     .args = { yoke_value(columns), yoke_value(flops), yoke_in(a), yoke_in_whole(v),
                               yoke_out(y) } };
    compete(&(struct contest){ "mxv", rt, &job, args, pairs });
    must(yoke_array_close(a), "matrix");
    must(yoke_array_close(v), "vector");
    must(yoke_array_close(y), "result");
    free(matrix);
    free(vector);
    free(result);
}

int main(int argc, char **argv)
{
    int64_t elements = (argc > 1 ? atoll(argv[1]) : 64) << 20;
    int64_t rows = argc > 2 ? atoll(argv[2]) : 200000;
    int pairs = argc > 3 ? atoi(argv[3]) : 31;
    yoke_runtime *rt;
    if (elements < 1 || rows < 1 || pairs < 1 || pairs > PAIRS_MAX) {
        fprintf(stderr, "usage: %s [saxpy Mi-elements] [mxv rows] [pairs <= %d]\n", argv[0],
                PAIRS_MAX);
        return 2;
    }
    open_and_close(101);
    must(yoke_open(&(yoke_config){ .devices = "cpu" }, &rt), "yoke_open");
    empty_job(rt);
    idle();
    compete_saxpy(rt, elements, pairs);
    compete_mxv(rt, rows, pairs);
    must(yoke_close(rt), "yoke_close");
    return 0;
}
