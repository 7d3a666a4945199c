/* jobs.c - the overhead of an empty job: many at once, one after the other, as a tree.
 *
 *     yoke-bench-jobs [count=100000] [rounds=5] [devices=cpu]
 *
 *   bulk   submits all jobs, then waits for all; the jobs are independent
 *   chain  each job writes the row that the job before has written
 *   tree   a binary tree by `after`, leaves first
 *   run    yoke_run, one by one
 * Each round does all four. Prints medians in microseconds per job, from the first submission to
 * the return of the last wait.
 */
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

#include "driver.h"
#include "program.h"

enum { ROUNDS_MAX = 99 };

static void nothing(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    (void)chunk;
}

static const yoke_param row_params[] = {
    { YOKE_PARAM_INOUT, "float", "x", sizeof(float), _Alignof(float) },
};
static const yoke_kernel free_kernel = { .struct_size = sizeof(yoke_kernel),
                                         .kind = YOKE_KERNEL_NATIVE,
                                         .name = "nothing",
                                         .file = __FILE__,
                                         .cpu.variant = { nothing } };
static const yoke_kernel row_kernel = { .struct_size = sizeof(yoke_kernel),
                                        .kind = YOKE_KERNEL_NATIVE,
                                        .name = "nothing to a row",
                                        .file = __FILE__,
                                        .params = row_params,
                                        .param_count = 1,
                                        .cpu.variant = { nothing } };

struct bench {
    yoke_runtime *runtime;
    yoke_array *array;
    yoke_ticket **tickets;
    int64_t count;
};

static void wait_for_all(struct bench *bench)
{
    int64_t i;
    for (i = 0; i < bench->count; i++)
        must(yoke_wait(bench->tickets[i], NULL), "a wait");
}

static void bulk(struct bench *bench)
{
    const yoke_job job = { .kernel = &free_kernel, .range = { .last = 1 } };
    int64_t i;
    for (i = 0; i < bench->count; i++)
        must(yoke_submit(bench->runtime, &job, &bench->tickets[i]), "a job");
    wait_for_all(bench);
}

static void chain(struct bench *bench)
{
    const yoke_job job = { .kernel = &row_kernel,
                           .range = { .last = 1 },
                           .args = { yoke_inout(bench->array) } };
    int64_t i;
    for (i = 0; i < bench->count; i++)
        must(yoke_submit(bench->runtime, &job, &bench->tickets[i]), "a job");
    wait_for_all(bench);
}

/* The children of node i are 2i + 1 and 2i + 2. Tickets are in order from the last node to the
 * root. */
static void tree(struct bench *bench)
{
    int64_t n = bench->count, node;
    for (node = n - 1; node >= 0; node--) {
        yoke_job job = { .kernel = &free_kernel, .range = { .last = 1 } };
        int64_t last_child = 2 * node + 2 < n ? 2 * node + 2 : n - 1;
        if (2 * node + 1 < n) {
            job.after = &bench->tickets[n - 1 - last_child];
            job.after_count = (int)(last_child - 2 * node);
        }
        must(yoke_submit(bench->runtime, &job, &bench->tickets[n - 1 - node]), "a job");
    }
    wait_for_all(bench);
}

static void run(struct bench *bench)
{
    const yoke_job job = { .kernel = &free_kernel, .range = { .last = 1 } };
    int64_t i;
    for (i = 0; i < bench->count; i++)
        must(yoke_run(bench->runtime, &job, NULL), "a job");
}

static const struct {
    const char *name;
    void (*run)(struct bench *bench);
} parts[] = { { "bulk", bulk }, { "chain", chain }, { "tree", tree }, { "run", run } };
enum { PARTS = sizeof parts / sizeof *parts };

int main(int argc, char **argv)
{
    struct bench bench = { .count = 100000 };
    yoke_config config = { .devices = "cpu" };
    double times[PARTS][ROUNDS_MAX];
    float row = 0;
    int rounds = 5, round, p, i;
    const struct program_option options[] = { { "count", .large = &bench.count },
                                              { "rounds", .whole = &rounds },
                                              { "devices", .text = &config.devices },
                                              { .name = NULL } };
    for (i = 1; i < argc; i++)
        if (!read_option(options, argv[i]))
            bench.count = 0;
    if (rounds < 1 || rounds > ROUNDS_MAX || bench.count < 1) {
        fprintf(stderr, "usage: %s [count=N] [rounds=1..%d] [devices=LIST]\n", argv[0], ROUNDS_MAX);
        return 2;
    }
    bench.tickets = calloc((size_t)bench.count, sizeof *bench.tickets);
    must(bench.tickets ? YOKE_OK : YOKE_ENOMEM, "memory for tickets");
    must(yoke_open(&config, &bench.runtime), "a runtime");
    must(yoke_array_wrap(bench.runtime, &row, 1, sizeof row, &bench.array), "an array");
    for (round = 0; round < rounds; round++)
        for (p = 0; p < PARTS; p++) {
            double start = app_wall_seconds();
            parts[p].run(&bench);
            times[p][round] = (app_wall_seconds() - start) / (double)bench.count;
        }
    printf("| %lld jobs | us each, median of %d | least | most |\n| --- | --- | --- | --- |\n",
           (long long)bench.count, rounds);
    for (p = 0; p < PARTS; p++) {
        double least = times[p][0], most = times[p][0];
        for (round = 1; round < rounds; round++) {
            least = times[p][round] < least ? times[p][round] : least;
            most = times[p][round] > most ? times[p][round] : most;
        }
        printf("| %s | %.2f | %.2f | %.2f |\n", parts[p].name, 1e6 * median(times[p], rounds),
               1e6 * least, 1e6 * most);
    }
    must(yoke_array_close(bench.array), "closing the array");
    must(yoke_close(bench.runtime), "closing the runtime");
    free(bench.tickets);
    return 0;
}
