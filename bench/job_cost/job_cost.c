/* job_cost.c - the time of a job on GPUs, compared with the same launches by hand, on resident
 * data.
 *
 *     yoke-bench-job-cost BY_HAND.so [gpus=1] [partitioner=even] [rounds=9]
 *
 * The job is saxpy with 2 floats (a job without work) up to 256 Mi. In a round both ways have 50
 * calls, in turns, each timed separately. Printed are the medians of the rounds' medians. `first`
 * is yoke's first job, which uploads and compiles.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yoke/yoke.h>

#include "../program.h"
#include "by_hand.h"

enum { CALLS = 50, WARM_UP = 8, ROUNDS_MAX = 99 };
extern const yoke_kernel job_cost_saxpy;

struct hand {
    by_hand_open_fn *open;
    by_hand_run_fn *run;
    by_hand_close_fn *close;
};

struct yoke {
    yoke_runtime *runtime;
    yoke_array *x, *y;
    yoke_job job;
};

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s: %s\n", name, dlerror());
        exit(1);
    }
    return found;
}

static void zero(yoke_array *array, int64_t items)
{
    must(yoke_array_acquire(array, YOKE_WRITE), "acquire");
    memset(yoke_array_host(array), 0, (size_t)items * sizeof(float));
    must(yoke_array_release(array), "release");
}

static void attach(struct yoke *yoke, int64_t items, const char *partitioner)
{
    static const float a = 1;
    const yoke_array_spec spec = { .rows = items, .element_size = sizeof(float) };
    must(yoke_array_open(yoke->runtime, &spec, &yoke->x), "array");
    must(yoke_array_open(yoke->runtime, &spec, &yoke->y), "array");
    zero(yoke->x, items);
    zero(yoke->y, items);
    yoke->job = (yoke_job){ .kernel = &job_cost_saxpy,
                            .range = { .last = items },
                            .partitioner = partitioner,
                            .args = { yoke_value(a), yoke_in(yoke->x), yoke_inout(yoke->y) } };
}

static void detach(struct yoke *yoke)
{
    yoke_array_close(yoke->x);
    yoke_array_close(yoke->y);
}

static double by_hand_us(const struct hand *hand)
{
    const double start = now_us();
    hand->run();
    return now_us() - start;
}

static double by_yoke_us(const struct yoke *yoke)
{
    const double start = now_us();
    must(yoke_run(yoke->runtime, &yoke->job, NULL), "run");
    return now_us() - start;
}

static void compare(const struct hand *hand, const struct yoke *yoke, int rounds)
{
    double hands[ROUNDS_MAX], yokes[ROUNDS_MAX], calls[CALLS];
    const double first = by_yoke_us(yoke);
    for (int k = 0; k < WARM_UP; k++) {
        hand->run();
        by_yoke_us(yoke);
    }
    for (int r = 0; r < rounds; r++) {
        for (int k = 0; k < CALLS; k++)
            calls[k] = by_hand_us(hand);
        hands[r] = median(calls, CALLS);
        for (int k = 0; k < CALLS; k++)
            calls[k] = by_yoke_us(yoke);
        yokes[r] = median(calls, CALLS);
    }
    const double h = median(hands, rounds), y = median(yokes, rounds);
    printf("| %lld | %.1f us | %.1f us | %.1f us | %.1f ms |\n", (long long)yoke->job.range.last, h,
           y, y - h, first / 1e3);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const int64_t items[] = { 2, 1 << 20, 1 << 24, 1 << 27, 1 << 28 };
    int gpus = 1, rounds = 9;
    const char *partitioner = "even";
    const struct program_option options[] = { { "gpus", .whole = &gpus },
                                              { "rounds", .whole = &rounds },
                                              { "partitioner", .text = &partitioner },
                                              { .name = NULL } };
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int wrong = !library;
    for (int k = 2; k < argc && !wrong; k++)
        wrong = !read_option(options, argv[k]);
    if (wrong || gpus < 1 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr,
                "usage: yoke-bench-job-cost BY_HAND.so [gpus=1] [partitioner=even] "
                "[rounds=9]\n%s\n",
                argc > 1 && !library ? dlerror() : "");
        return 2;
    }
    const struct hand hand = { (by_hand_open_fn *)symbol(library, "by_hand_open"),
                               (by_hand_run_fn *)symbol(library, "by_hand_run"),
                               (by_hand_close_fn *)symbol(library, "by_hand_close") };
    char devices[16 * 8] = "";
    for (int d = 0; d < gpus && d < 8; d++)
        snprintf(devices + strlen(devices), 16, "%scuda:%d", d ? "," : "", d);
    struct yoke yoke;
    must(yoke_open(&(yoke_config){ .devices = devices }, &yoke.runtime), "open");
    must(yoke_ready(yoke.runtime), "ready");
    printf("%s, %s\n\n| items | by hand | yoke | more | first job |\n| --- | --- | --- | --- | --- "
           "|\n",
           devices, partitioner);
    for (size_t s = 0; s < sizeof items / sizeof *items; s++) {
        if (!hand.open(gpus, items[s])) {
            fprintf(stderr, "by hand: fewer than %d GPUs, or no memory\n", gpus);
            return 1;
        }
        attach(&yoke, items[s], partitioner);
        compare(&hand, &yoke, rounds);
        detach(&yoke);
        hand.close();
    }
    yoke_close(yoke.runtime);
    return 0;
}
