/* first_jobs.c - the time of the first jobs on new data, and whether their results are right.
 *
 *     yoke-bench-first-jobs DEVICES ITEMS [memory=alloc|array|malloc] [jobs=200] [times=1]
 *
 * Each of `times` repetitions fills new memory, runs `jobs` jobs of saxpy on it, copies the result
 * to the host and checks all of it. Prints milliseconds: to allocate, to fill, of the first job, of
 * all jobs, the median of the second half, of the copy to the host; and the number of wrong
 * elements. Memory from alloc and malloc is wrapped; array is memory of yoke_array_open.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yoke/yoke.h>

#include "../program.h"

enum { JOBS_MAX = 10000 };
extern const yoke_kernel job_cost_saxpy;
static const float a = 0.5f; /* whole and half numbers: sums are exact */

struct data {
    yoke_array *array[2];
    float *block[2]; /* to be freed; NULL: the array's own memory */
    float *x, *y;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void open_array(yoke_runtime *runtime, const char *memory, int64_t items, struct data *data,
                       int k)
{
    yoke_array_spec spec = { .rows = items, .element_size = sizeof(float) };
    const size_t bytes = (size_t)items * sizeof(float);
    if (!strcmp(memory, "alloc"))
        data->block[k] = yoke_alloc(runtime, bytes);
    else if (!strcmp(memory, "malloc"))
        data->block[k] = malloc(bytes);
    if (!data->block[k] && strcmp(memory, "array") != 0) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    spec.host = data->block[k];
    must(yoke_array_open(runtime, &spec, &data->array[k]), "array");
}

static void fill(struct data *data, int64_t items)
{
    for (int k = 0; k < 2; k++)
        must(yoke_array_acquire(data->array[k], YOKE_WRITE), "acquire");
    data->x = yoke_array_host(data->array[0]);
    data->y = yoke_array_host(data->array[1]);
#pragma omp parallel for
    for (int64_t i = 0; i < items; i++) {
        data->x[i] = (float)(i % 1021);
        data->y[i] = (float)(i % 4093);
    }
    for (int k = 0; k < 2; k++)
        must(yoke_array_release(data->array[k]), "release");
}

static int64_t wrong_after(const struct data *data, int64_t items, int jobs)
{
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t i = 0; i < items; i++)
        wrong += data->y[i] != (float)(i % 4093) + (float)jobs * a * (float)(i % 1021);
    return wrong;
}

static void close_data(yoke_runtime *runtime, struct data *data, const char *memory)
{
    for (int k = 0; k < 2; k++) {
        must(yoke_array_close(data->array[k]), "close");
        if (!strcmp(memory, "alloc"))
            yoke_free(runtime, data->block[k]);
        else
            free(data->block[k]);
    }
}

/* 0: a result is wrong. */
static int once(yoke_runtime *runtime, const char *memory, int64_t items, int jobs)
{
    double each[JOBS_MAX];
    struct data data = { .x = NULL };
    const double given = now_ms();
    for (int k = 0; k < 2; k++)
        open_array(runtime, memory, items, &data, k);
    const double filled = now_ms();
    fill(&data, items);
    const yoke_job job = { .kernel = &job_cost_saxpy,
                           .range = { .last = items },
                           .args = { yoke_value(a), yoke_in(data.array[0]),
                                     yoke_inout(data.array[1]) } };
    const double start = now_ms();
    for (int k = 0; k < jobs; k++) {
        const double begun = now_ms();
        must(yoke_run(runtime, &job, NULL), "run");
        each[k] = now_ms() - begun;
    }
    const double all = now_ms() - start, first = each[0], then = now_ms();
    must(yoke_array_acquire(data.array[1], YOKE_READ), "acquire");
    const double home = now_ms() - then;
    const int64_t wrong = wrong_after(&data, items, jobs);
    must(yoke_array_release(data.array[1]), "release");
    printf("alloc %.4f fill %.4f first %.4f all %.4f late %.4f home %.4f wrong %lld\n",
           filled - given, start - filled, first, all, median(each + jobs / 2, jobs - jobs / 2),
           home, (long long)wrong);
    fflush(stdout);
    close_data(runtime, &data, memory);
    return wrong == 0;
}

int main(int argc, char **argv)
{
    int jobs = 200, times = 1, right = 1, wrong = argc < 3;
    int64_t items = argc < 3 ? 0 : atoll(argv[2]);
    const char *memory = "alloc";
    const struct program_option options[] = { { "memory", .text = &memory },
                                              { "jobs", .whole = &jobs },
                                              { "times", .whole = &times },
                                              { .name = NULL } };
    yoke_runtime *runtime;
    for (int k = 3; k < argc; k++)
        wrong |= !read_option(options, argv[k]);
    if (wrong || items < 1 || jobs < 1 || jobs > JOBS_MAX) {
        fprintf(stderr,
                "usage: %s DEVICES ITEMS [memory=alloc|array|malloc] [jobs=200] [times=1]\n",
                argv[0]);
        return 2;
    }
    must(yoke_open(&(yoke_config){ .devices = argv[1] }, &runtime), "open");
    must(yoke_ready(runtime), "ready");
    for (int k = 0; k < times; k++)
        right &= once(runtime, memory, items, jobs);
    must(yoke_close(runtime), "close");
    return !right;
}
