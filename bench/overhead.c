/* overhead.c - the runtime's overhead on the host, beyond the calls that it cannot avoid.
 *
 *     yoke-bench-overhead DEVICE [chunks]
 *
 * Per chunk: a job over data on the device, in 2000 chunks of 4 KiB whose results are copied to the
 * host, alternates with the same launches, copies and events by direct calls of the backend. CPU
 * time is that of all threads, including the driver's (CUDA has two that wait for events; they are
 * busy in both cases). `caller` is the CPU time of the thread that does everything else in both
 * cases. Wall time is that of the whole. Then the CPU used while the device works alone: on jobs of
 * half a second, and on jobs of about 10 ms. If the device is the CPU itself (PoCL), it uses the
 * CPU, of course. Prints one line of JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yoke/yoke.h>

#include "bare.h"
#include "overhead_kernels.h"
#include "program.h"

enum { CHUNK = 1024, CHUNKS = 2000, TURNS = 9, LONG_ITEMS = 1 << 22 };

struct cost {
    double wall, cpu, caller;
};

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct cost cost_now(void)
{
    return (struct cost){ seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID),
                          seconds(CLOCK_THREAD_CPUTIME_ID) };
}

static struct cost cost_since(struct cost start)
{
    struct cost now = cost_now();
    return (struct cost){ now.wall - start.wall, now.cpu - start.cpu, now.caller - start.caller };
}

/* A job over arrays in memory that the device reaches fast. */
struct work {
    yoke_runtime *rt;
    float *xs, *ys;
    yoke_array *x, *y;
    yoke_job job;
    int32_t rounds;
};

static void work_open(yoke_runtime *rt, int64_t items, struct work *out)
{
    *out = (struct work){ .rt = rt };
    out->xs = yoke_alloc(rt, (size_t)items * sizeof(float));
    out->ys = yoke_alloc(rt, (size_t)items * sizeof(float));
    if (!out->xs || !out->ys)
        must(YOKE_ENOMEM, "host memory");
    memset(out->xs, 0, (size_t)items * sizeof(float));
    must(yoke_array_wrap(rt, out->xs, items, sizeof(float), &out->x), "x");
    must(yoke_array_wrap(rt, out->ys, items, sizeof(float), &out->y), "y");
    out->job = (yoke_job){ .kernel = &burn,
                           .range = { 0, items },
                           .args = { yoke_value_of(NULL, sizeof out->rounds), yoke_in(out->x),
                                     yoke_out_home(out->y) } };
}

/* Returns the number of chunks. */
static int64_t work_run(struct work *work)
{
    yoke_result *result;
    work->job.args[0].value = &work->rounds;
    must(yoke_run(work->rt, &work->job, &result), "job");
    int64_t chunks = result->devices[0].chunks;
    yoke_result_close(result);
    return chunks;
}

static void work_close(struct work *work)
{
    must(yoke_array_close(work->x), "x");
    must(yoke_array_close(work->y), "y");
    yoke_free(work->rt, work->xs);
    yoke_free(work->rt, work->ys);
}

static void print_chunks(yoke_runtime *rt, const char *device, int64_t chunks)
{
    double cpu[2][TURNS], wall[2][TURNS], caller[2][TURNS];
    char partitioner[64];
    struct bare bare;
    struct work work;
    snprintf(partitioner, sizeof partitioner, "dynamic:chunk=%d", CHUNK);
    work_open(rt, chunks * CHUNK, &work);
    work.job.partitioner = partitioner;
    must(bare_open(device, chunks * CHUNK, &bare), device);
    for (int t = -1; t < TURNS; t++) { /* the first turn copies the data and is not counted */
        struct cost start = cost_now();
        int64_t did = work_run(&work);
        struct cost ours = cost_since(start);
        start = cost_now();
        must(bare_run(&bare, CHUNK), "bare calls");
        struct cost theirs = cost_since(start);
        if (did != chunks) {
            fprintf(stderr, "%lld chunks instead of %lld\n", (long long)did, (long long)chunks);
            exit(1);
        }
        if (t < 0)
            continue;
        cpu[0][t] = ours.cpu;
        cpu[1][t] = theirs.cpu;
        wall[0][t] = ours.wall;
        wall[1][t] = theirs.wall;
        caller[0][t] = ours.caller;
        caller[1][t] = theirs.caller;
    }
    const double us = 1e6 / (double)chunks;
    double ours = median(cpu[0], TURNS) * us, theirs = median(cpu[1], TURNS) * us;
    double our_wall = median(wall[0], TURNS) * us, their_wall = median(wall[1], TURNS) * us;
    printf("\"chunks\": %lld, \"lanes\": %d, \"runtime_cpu_us\": %.3f, \"bare_cpu_us\": %.3f, "
           "\"overhead_cpu_us\": %.3f, \"runtime_wall_us\": %.3f, \"bare_wall_us\": %.3f, "
           "\"overhead_wall_us\": %.3f, \"overhead_caller_us\": %.3f",
           (long long)chunks, bare.lanes, ours, theirs, ours - theirs, our_wall, their_wall,
           our_wall - their_wall, (median(caller[0], TURNS) - median(caller[1], TURNS)) * us);
    bare_close(&bare);
    work_close(&work);
}

/* Runs jobs of about `each` seconds; prints the fraction of a core that the process uses. */
static void print_alone(struct work *work, const char *name, double each, int jobs)
{
    struct cost used = { 0 };
    work->rounds = 256;
    work_run(work);
    /* Repeated, because a short job predicts a long one badly. */
    for (int i = 0; i < 3; i++) {
        struct cost start = cost_now();
        work_run(work);
        double took = cost_since(start).wall, scale = each / (took > 1e-6 ? took : 1e-6);
        double rounds = work->rounds * scale;
        work->rounds = rounds < 1 ? 1 : rounds > 1e9 ? 1000000000 : (int32_t)rounds;
    }
    work_run(work);
    struct cost start = cost_now();
    for (int j = 0; j < jobs; j++)
        work_run(work);
    used = cost_since(start);
    printf(", \"%s_seconds\": %.6f, \"%s_cpu_share\": %.5f", name, used.wall / jobs, name,
           used.cpu / used.wall);
}

int main(int argc, char **argv)
{
    int64_t chunks = argc > 2 ? atoll(argv[2]) : CHUNKS;
    struct work work;
    yoke_runtime *rt;
    if (argc < 2 || chunks < 1 || chunks > 1000000) {
        fprintf(stderr, "usage: %s DEVICE [chunks]\n", argv[0]);
        return 2;
    }
    must(yoke_open(&(yoke_config){ .devices = argv[1] }, &rt), argv[1]);
    must(yoke_ready(rt), argv[1]);
    printf("{\"program\": \"overhead\", \"device\": \"%s\", ", argv[1]);
    print_chunks(rt, argv[1], chunks);
    work_open(rt, LONG_ITEMS, &work);
    print_alone(&work, "alone", 0.5, 4);
    print_alone(&work, "short", 0.01, 100);
    printf("}\n");
    work_close(&work);
    must(yoke_close(rt), "yoke_close");
    return 0;
}
