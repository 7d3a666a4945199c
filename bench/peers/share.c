/* share.c - which fraction of mxv's time is spent on distributing the rows.
 *
 *     yoke-peer-share THREADS ROWS
 *
 * The linker puts a clock around every function of the dispatcher and of the leases that lanes call
 * (--wrap); the cost of two clock readings is subtracted. Each line on stdin starts one job with
 * `auto` over ROWS x 2000 floats. The answer: its seconds, the seconds that all threads together
 * spent in these functions, the number of calls, and the number of chunks.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <yoke/yoke.h>

#include "../program.h"
#include "job/runtime.h"
#include "partition/lease.h"

extern const yoke_kernel mxv;

enum { COLUMNS = 2000, FLOPS = 8, CLOCK_TRIALS = 100000 };

static atomic_int_fast64_t spent_ns, calls;

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void count(int64_t start)
{
    int64_t end = clock_ns();
    atomic_fetch_add_explicit(&spent_ns, end - start, memory_order_relaxed);
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

/* The linker sends calls of yk_NAME to __wrap_yk_NAME; __real_yk_NAME is the original function. */
#define CLOCKED(type, name, parameters, arguments)                                                 \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        int64_t start = clock_ns();                                                                \
        type result = __real_##name arguments;                                                     \
        count(start);                                                                              \
        return result;                                                                             \
    }
#define CLOCKED_VOID(name, parameters, arguments)                                                  \
    void __real_##name parameters;                                                                 \
    void __wrap_##name parameters;                                                                 \
    void __wrap_##name parameters                                                                  \
    {                                                                                              \
        int64_t start = clock_ns();                                                                \
        __real_##name arguments;                                                                   \
        count(start);                                                                              \
    }

CLOCKED(yoke_status, yk_dispatch_open, (const struct yk_split_spec *spec, struct yk_dispatch **out),
        (spec, out))
CLOCKED_VOID(yk_dispatch_close, (struct yk_dispatch * dispatch), (dispatch))
CLOCKED_VOID(yk_dispatch_join, (struct yk_dispatch * dispatch, int device, int64_t now),
             (dispatch, device, now))
CLOCKED(enum yk_verdict, yk_dispatch_next,
        (struct yk_dispatch * dispatch, const struct yk_request *request, struct yk_chunk *chunk,
         int64_t *wake_ns),
        (dispatch, request, chunk, wake_ns))
CLOCKED_VOID(yk_dispatch_done,
             (struct yk_dispatch * dispatch, const struct yk_chunk *chunk, int64_t completed,
              const struct yk_chunk_times *times),
             (dispatch, chunk, completed, times))
CLOCKED(int64_t, yk_dispatch_left, (const struct yk_dispatch *dispatch), (dispatch))
CLOCKED_VOID(yk_dispatch_outcome,
             (const struct yk_dispatch *dispatch, int device, struct yk_split_outcome *out),
             (dispatch, device, out))
CLOCKED(int, yk_lease_cut, (struct yk_leases * leases, int lane, struct yk_chunk *piece, int *slot),
        (leases, lane, piece, slot))
CLOCKED_VOID(yk_lease_publish,
             (struct yk_leases * leases, const struct yk_chunk *chunk, int64_t now),
             (leases, chunk, now))
CLOCKED_VOID(yk_lease_worked, (struct yk_leases * leases, int slot, int64_t ns), (leases, slot, ns))
CLOCKED(const struct yk_lease *, yk_lease_done,
        (struct yk_leases * leases, int slot, int64_t items), (leases, slot, items))
CLOCKED_VOID(yk_lease_free, (struct yk_leases * leases, int slot), (leases, slot))

/* Nanoseconds that the clock itself adds to a call. */
static double clock_cost(void)
{
    int64_t before = atomic_load(&spent_ns);
    double cost;
    for (int i = 0; i < CLOCK_TRIALS; i++)
        count(clock_ns());
    cost = (double)(atomic_load(&spent_ns) - before) / CLOCK_TRIALS;
    return cost;
}

static float *filled(int64_t floats, float value)
{
    float *block = malloc((size_t)floats * sizeof *block);
    if (!block)
        must(YOKE_ENOMEM, "memory for the matrix");
    for (int64_t i = 0; i < floats; i++)
        block[i] = value;
    return block;
}

static void answer(yoke_runtime *runtime, const yoke_job *job, double cost)
{
    yoke_result *result;
    int64_t start, all, inside, count_of;
    atomic_store(&spent_ns, 0);
    atomic_store(&calls, 0);
    start = clock_ns();
    must(yoke_run(runtime, job, &result), "mxv");
    all = clock_ns() - start;
    inside = atomic_load(&spent_ns);
    count_of = atomic_load(&calls);
    printf("seconds=%.9f inside=%.9f calls=%lld chunks=%lld\n", 1e-9 * (double)all,
           1e-9 * ((double)inside - cost * (double)count_of), (long long)count_of,
           (long long)result->devices[0].chunks);
    fflush(stdout);
    yoke_result_close(result);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 0;
    int64_t rows = argc > 2 ? atoll(argv[2]) : 0, columns = COLUMNS;
    int32_t flops = FLOPS;
    char line[64];
    yoke_runtime *runtime;
    yoke_array *a, *v, *y;
    if (threads < 1 || rows < 1) {
        fprintf(stderr, "usage: %s THREADS ROWS\n", argv[0]);
        return 2;
    }
    float *matrix = filled(rows * columns, 0.25f), *vector = filled(columns, 1);
    float *result = filled(rows, 0);
    must(yoke_open(&(yoke_config){ .devices = "cpu", .threads = threads }, &runtime), "yoke_open");
    must(yoke_array_open(runtime,
                         &(yoke_array_spec){ .host = matrix,
                                             .rows = rows,
                                             .row_elements = columns,
                                             .element_size = sizeof *matrix },
                         &a),
         "matrix");
    must(yoke_array_wrap(runtime, vector, columns, sizeof *vector, &v), "vector");
    must(yoke_array_wrap(runtime, result, rows, sizeof *result, &y), "result");
    yoke_job job = { .kernel = &mxv,
                     .range = { 0, rows },
                     .args = { yoke_value(columns), yoke_value(flops), yoke_in(a), yoke_in_whole(v),
                               yoke_out(y) } };
    double cost = clock_cost();
    while (fgets(line, sizeof line, stdin))
        answer(runtime, &job, cost);
    must(yoke_array_close(a), "matrix");
    must(yoke_array_close(v), "vector");
    must(yoke_array_close(y), "result");
    must(yoke_close(runtime), "yoke_close");
    free(matrix);
    free(vector);
    free(result);
    return 0;
}
