/* resident.c - programs whose data stay on devices, step after step: the time of steps, and the
 * bytes that they move, with one partitioner for all kernels or one per kernel.
 *
 *     yoke-bench-resident CASE ROWS STEPS [blocks=N] [together=1] [queued=1] [moved=1]
 *                         [PARTITIONER [PARTITIONER ...]]
 *
 * CASE: see problem.h. blocks: axpy works on one block of the rows after the other, with a job for
 * each of N; together: submits these jobs, then waits for all. queued: submits the jobs of all
 * steps, and waits at the half, at the end, and for sums that the program needs. PARTITIONER: one
 * for all kernels, or one for each in turn; default: the runtime's. Devices: YOKE_DEVICES. Prints
 * one line: microseconds of all steps, the mean step of the second half, and the first step; with
 * moved=1 also bytes moved in a step of the second half. For these each job has to make a result,
 * with its sentences, which takes some microseconds. The arrays are compared with those of plain
 * loops.
 */
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

#include "../program.h"
#include "problem.h"

enum { BLOCKS_MOST = 64, KERNELS_MOST = 6 /* of a step */ };

extern const yoke_kernel axpy, smooth, scale, aim, dot, multiply;

static struct {
    struct problem problem;
    yoke_runtime *runtime;
    char **partitioners;
    int partitioner_count;
    int blocks, together; /* of axpy */
    int queued;
    int asks;              /* 1: for results of jobs, which know the bytes */
    yoke_ticket **tickets; /* of jobs for which nothing has waited */
    int waiting;           /* number of them */
    int64_t moved;
    double before; /* conjugate gradients: r r of the step before */
    yoke_array *u, *w, *y, *r, *start, *column, *value;
} at;

static yoke_array *array_of(int64_t rows, size_t size)
{
    yoke_array_spec spec = { .rows = rows, .element_size = size };
    yoke_array *array;
    must(yoke_array_open(at.runtime, &spec, &array), "array");
    return array;
}

static void *begin_write(yoke_array *array)
{
    must(yoke_array_acquire(array, YOKE_WRITE), "write");
    return yoke_array_host(array);
}

static yoke_array *vector(float (*of)(int64_t i))
{
    yoke_array *array = array_of(at.problem.rows, sizeof(float));
    float *x = begin_write(array);
    int64_t i;
    for (i = 0; i < at.problem.rows; i++)
        x[i] = of(i);
    must(yoke_array_release(array), "write");
    return array;
}

static void open_matrix(void)
{
    struct matrix matrix;
    at.start = array_of(at.problem.rows + 1, sizeof *matrix.start);
    at.column = array_of(at.problem.rows * NONZEROS, sizeof *matrix.column);
    at.value = array_of(at.problem.rows * NONZEROS, sizeof *matrix.value);
    matrix.start = begin_write(at.start);
    matrix.column = begin_write(at.column);
    matrix.value = begin_write(at.value);
    matrix_fill(&matrix, at.problem.rows);
    must(yoke_array_release(at.start), "matrix");
    must(yoke_array_release(at.column), "matrix");
    must(yoke_array_release(at.value), "matrix");
}

static yoke_rows nonzeros(const void *context, yoke_rows range)
{
    (void)context;
    return (yoke_rows){ .first = range.first * NONZEROS, .last = range.last * NONZEROS };
}

static const char *partitioner_of(int nth)
{
    return at.partitioner_count == 0 ? NULL : at.partitioners[nth % at.partitioner_count];
}

static void end(yoke_result *result)
{
    if (!result)
        return;
    at.moved +=
        result->traffic.to_devices + result->traffic.from_devices + result->traffic.between_devices;
    yoke_result_close(result);
}

static void wait_for_all(void)
{
    for (int k = 0; k < at.waiting; k++) {
        yoke_result *result = NULL;
        must(yoke_wait(at.tickets[k], at.asks ? &result : NULL), "job");
        end(result);
    }
    at.waiting = 0;
}

static void run_now(const yoke_job *job)
{
    yoke_result *result = NULL;
    must(yoke_run(at.runtime, job, at.asks ? &result : NULL), "job");
    end(result);
}

/* Runs a job, or only submits it if its results are not needed now. */
static void pass(const yoke_job *job)
{
    if (at.queued || at.together)
        must(yoke_submit(at.runtime, job, &at.tickets[at.waiting++]), "job");
    else
        run_now(job);
}

/* The nth kernel of a step. */
static yoke_job kernel_of(int nth, yoke_job job)
{
    job.range.last = at.problem.rows;
    job.partitioner = partitioner_of(nth);
    return job;
}

static void pass_kernel(int nth, yoke_job job)
{
    job = kernel_of(nth, job);
    pass(&job);
}

static void swap(yoke_array **one, yoke_array **other)
{
    yoke_array *kept = *one;
    *one = *other;
    *other = kept;
}

static void step_axpy(void)
{
    for (int b = 0; b < at.blocks; b++) {
        const yoke_job job = { .kernel = &axpy,
                               .range = { at.problem.rows * b / at.blocks,
                                          at.problem.rows * (b + 1) / at.blocks },
                               .partitioner = partitioner_of(0),
                               .args = { yoke_value(0.5f), yoke_in(at.u), yoke_inout(at.y) } };
        pass(&job);
    }
    if (!at.queued)
        wait_for_all();
}

static void step_stencil(void)
{
    pass_kernel(0, (yoke_job){ .kernel = &smooth,
                               .args = { yoke_value(at.problem.rows), yoke_in_halo(at.u, 1, 1),
                                         yoke_out(at.w) } });
    swap(&at.u, &at.w);
}

static void step_turns(void)
{
    pass_kernel(0, (yoke_job){ .kernel = &smooth,
                               .args = { yoke_value(at.problem.rows), yoke_in_halo(at.u, 1, 1),
                                         yoke_out(at.w) } });
    pass_kernel(1, (yoke_job){ .kernel = &scale,
                               .args = { yoke_value(1.0f), yoke_in(at.w), yoke_out(at.u) } });
}

static void step_chain(void)
{
    step_turns();
    pass_kernel(2, (yoke_job){ .kernel = &axpy,
                               .args = { yoke_value(0.5f), yoke_in(at.w), yoke_inout(at.y) } });
}

static void run_multiply(int nth, yoke_array *x, yoke_array *y)
{
    pass_kernel(nth, (yoke_job){ .kernel = &multiply,
                                 .args = { yoke_in_halo(at.start, 0, 1),
                                           yoke_in_custom(at.column, nonzeros, NULL),
                                           yoke_in_custom(at.value, nonzeros, NULL),
                                           yoke_in_whole(x), yoke_out(y) } });
}

static void step_spmv(void)
{
    run_multiply(0, at.u, at.w);
    pass_kernel(1, (yoke_job){ .kernel = &scale,
                               .args = { yoke_value(1.0f / 16), yoke_in(at.w), yoke_out(at.u) } });
}

static double run_dot(int nth, yoke_array *x, yoke_array *y)
{
    double sum;
    const yoke_job job =
        kernel_of(nth, (yoke_job){ .kernel = &dot,
                                   .args = { yoke_in(x), yoke_in(y), yoke_reduce_to(&sum) } });
    run_now(&job);
    return sum;
}

/* u: direction, w: the matrix times u, y: solution, r: residual, before: r r. */
static void step_cg(void)
{
    double alpha, next;
    run_multiply(0, at.u, at.w);
    alpha = at.before / run_dot(1, at.u, at.w);
    pass_kernel(
        2, (yoke_job){ .kernel = &axpy,
                       .args = { yoke_value((float)alpha), yoke_in(at.u), yoke_inout(at.y) } });
    pass_kernel(
        3, (yoke_job){ .kernel = &axpy,
                       .args = { yoke_value((float)-alpha), yoke_in(at.w), yoke_inout(at.r) } });
    next = run_dot(4, at.r, at.r);
    pass_kernel(5, (yoke_job){ .kernel = &aim,
                               .args = { yoke_value((float)(next / at.before)), yoke_in(at.r),
                                         yoke_inout(at.u) } });
    at.before = next;
}

static void (*const step_of[CASES])(void) = {
    [AXPY] = step_axpy,   [STENCIL] = step_stencil, [CHAIN] = step_chain,
    [TURNS] = step_turns, [SPMV] = step_spmv,       [CG] = step_cg,
};

static void open_all(void)
{
    must(yoke_open(NULL, &at.runtime), "open");
    must(yoke_ready(at.runtime), "ready");
    at.u = vector(wave);
    at.w = vector(zero);
    at.y = vector(zero);
    if (at.problem.which == CG)
        at.r = vector(wave);
    if (problem_has_matrix(&at.problem))
        open_matrix();
}

/* So that the runtime keeps what it learned (YOKE_KB). */
static void close_all(void)
{
    yoke_array *const arrays[] = { at.u, at.w, at.y, at.r, at.start, at.column, at.value };
    size_t i;
    for (i = 0; i < sizeof arrays / sizeof *arrays; i++)
        yoke_array_close(arrays[i]);
    must(yoke_close(at.runtime), "close");
}

static struct problem_times run_all(void)
{
    struct problem_times times = { .begin = yoke_seconds(at.runtime) };
    int step;
    if (at.problem.which == CG)
        at.before = run_dot(1, at.r, at.r);
    for (step = 0; step < at.problem.steps; step++) {
        if (step == at.problem.steps / 2) {
            wait_for_all();
            times.half = yoke_seconds(at.runtime);
            at.moved = 0;
        }
        step_of[at.problem.which]();
        if (step == 0) {
            wait_for_all();
            times.first = yoke_seconds(at.runtime);
        }
    }
    wait_for_all();
    times.end = yoke_seconds(at.runtime);
    return times;
}

static int verify(void)
{
    struct problem_results found = { .residual = at.before };
    int right;
    must(yoke_array_acquire(at.u, YOKE_READ), "read");
    must(yoke_array_acquire(at.y, YOKE_READ), "read");
    found.u = yoke_array_host(at.u);
    found.y = yoke_array_host(at.y);
    right = problem_verify(&at.problem, &found);
    must(yoke_array_release(at.y), "read");
    must(yoke_array_release(at.u), "read");
    return right;
}

/* Returns the number of options before the partitioners. */
static int read_options(int count, char **words)
{
    const struct program_option options[] = { { .name = "blocks", .whole = &at.blocks },
                                              { .name = "together", .whole = &at.together },
                                              { .name = "queued", .whole = &at.queued },
                                              { .name = "moved", .whole = &at.asks },
                                              { .name = NULL } };
    int k = 0;
    at.blocks = 1;
    while (k < count && read_option(options, words[k]))
        k++;
    return k;
}

int main(int count, char **words)
{
    struct problem_times times;
    int right, options = count < 4 ? 0 : read_options(count - 4, words + 4);
    if (count < 4 || !problem_read(words + 1, &at.problem) || at.blocks < 1 ||
        at.blocks > BLOCKS_MOST || ((at.blocks > 1 || at.together) && at.problem.which != AXPY)) {
        fprintf(stderr, "usage: yoke-bench-resident " PROBLEM_WORDS
                        " [blocks=N] [together=1] [queued=1] [moved=1] [PARTITIONER ...]\n");
        return 2;
    }
    at.partitioners = words + 4 + options;
    at.partitioner_count = count - 4 - options;
    at.tickets = calloc((size_t)at.problem.steps * (KERNELS_MOST + at.blocks), sizeof *at.tickets);
    must(at.tickets ? YOKE_OK : YOKE_ENOMEM, "tickets");
    open_all();
    times = run_all();
    problem_print(&at.problem, &times);
    if (at.asks)
        printf(" moved %lld", (long long)at.moved / (at.problem.steps - at.problem.steps / 2));
    printf("\n");
    right = verify();
    close_all();
    free(at.tickets);
    return right ? 0 : 1;
}
