/* resident.c - programs whose data stay on devices, step after step: the time of steps, and the
 * bytes that they move, with one partitioner for all kernels or one per kernel.
 *
 *     yoke-bench-resident CASE ROWS STEPS [PARTITIONER [PARTITIONER ...]]
 *
 * CASE: axpy     one kernel
 *       stencil  one kernel, two arrays in turn, with a halo
 *       chain    three kernels on the same rows
 *       turns    two kernels in turn (with slow=scale on a device: with opposite speed ratios)
 *       spmv     the rows of a sparse matrix, the whole vector
 *       cg       conjugate gradients: spmv, dot products and updates
 *
 * PARTITIONER: one for all kernels, or one for each in turn; default: the runtime's. Devices:
 * YOKE_DEVICES. Prints one line: microseconds of all steps, the mean step of the second half, bytes
 * moved in such a step, and the first step. Results are compared with those of plain loops.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/yoke.h>

#include "../program.h"

extern const yoke_kernel axpy, smooth, scale, aim, dot, multiply;

enum { NONZEROS = 9 };

static struct {
    yoke_runtime *runtime;
    char **partitioners;
    int partitioner_count;
    int64_t rows, moved;
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
    yoke_array *array = array_of(at.rows, sizeof(float));
    float *x = begin_write(array);
    int64_t i;
    for (i = 0; i < at.rows; i++)
        x[i] = of(i);
    must(yoke_array_release(array), "write");
    return array;
}

static float wave(int64_t i)
{
    return 1 + 0.5f * (float)((i * 7919) % 1000) / 1000;
}
static float zero(int64_t i)
{
    (void)i;
    return 0;
}

/* The columns of a row's non-zeros: the diagonal, and four on either side at these distances. The
 * matrix is diagonally dominant. */
static int64_t neighbour(int64_t i, int k)
{
    static const int64_t apart[NONZEROS] = { -1000, -100, -10, -1, 0, 1, 10, 100, 1000 };
    int64_t j = i + apart[k];
    return j < 0 ? j + at.rows : j >= at.rows ? j - at.rows : j;
}

static void open_matrix(void)
{
    int64_t *start, i;
    int32_t *column;
    float *value;
    int k;
    at.start = array_of(at.rows + 1, sizeof *start);
    at.column = array_of(at.rows * NONZEROS, sizeof *column);
    at.value = array_of(at.rows * NONZEROS, sizeof *value);
    start = begin_write(at.start);
    column = begin_write(at.column);
    value = begin_write(at.value);
    for (i = 0; i < at.rows; i++) {
        start[i] = i * NONZEROS;
        for (k = 0; k < NONZEROS; k++) {
            column[i * NONZEROS + k] = (int32_t)neighbour(i, k);
            value[i * NONZEROS + k] = k == NONZEROS / 2 ? 8.01f : -1;
        }
    }
    start[at.rows] = at.rows * NONZEROS;
    must(yoke_array_release(at.start), "matrix");
    must(yoke_array_release(at.column), "matrix");
    must(yoke_array_release(at.value), "matrix");
}

static yoke_rows nonzeros(const void *context, yoke_rows range)
{
    (void)context;
    return (yoke_rows){ .first = range.first * NONZEROS, .last = range.last * NONZEROS };
}

/* Runs the nth kernel of a step. */
static void run(int nth, yoke_job job)
{
    yoke_result *result;
    job.range.last = at.rows;
    job.partitioner =
        at.partitioner_count == 0 ? NULL : at.partitioners[nth % at.partitioner_count];
    must(yoke_run(at.runtime, &job, &result), "job");
    at.moved +=
        result->traffic.to_devices + result->traffic.from_devices + result->traffic.between_devices;
    yoke_result_close(result);
}

static void swap(yoke_array **one, yoke_array **other)
{
    yoke_array *kept = *one;
    *one = *other;
    *other = kept;
}

static void step_axpy(void)
{
    run(0, (yoke_job){ .kernel = &axpy,
                       .args = { yoke_value(0.5f), yoke_in(at.u), yoke_inout(at.y) } });
}

static void step_stencil(void)
{
    run(0, (yoke_job){ .kernel = &smooth,
                       .args = { yoke_value(at.rows), yoke_in_halo(at.u, 1, 1), yoke_out(at.w) } });
    swap(&at.u, &at.w);
}

static void step_turns(void)
{
    run(0, (yoke_job){ .kernel = &smooth,
                       .args = { yoke_value(at.rows), yoke_in_halo(at.u, 1, 1), yoke_out(at.w) } });
    run(1, (yoke_job){ .kernel = &scale,
                       .args = { yoke_value(1.0f), yoke_in(at.w), yoke_out(at.u) } });
}

static void step_chain(void)
{
    step_turns();
    run(2, (yoke_job){ .kernel = &axpy,
                       .args = { yoke_value(0.5f), yoke_in(at.w), yoke_inout(at.y) } });
}

static void run_multiply(int nth, yoke_array *x, yoke_array *y)
{
    run(nth,
        (yoke_job){
            .kernel = &multiply,
            .args = { yoke_in_halo(at.start, 0, 1), yoke_in_custom(at.column, nonzeros, NULL),
                      yoke_in_custom(at.value, nonzeros, NULL), yoke_in_whole(x), yoke_out(y) } });
}

static void step_spmv(void)
{
    run_multiply(0, at.u, at.w);
    run(1, (yoke_job){ .kernel = &scale,
                       .args = { yoke_value(1.0f / 16), yoke_in(at.w), yoke_out(at.u) } });
}

static double run_dot(int nth, yoke_array *x, yoke_array *y)
{
    double sum;
    run(nth,
        (yoke_job){ .kernel = &dot, .args = { yoke_in(x), yoke_in(y), yoke_reduce_to(&sum) } });
    return sum;
}

/* u: direction, w: the matrix times u, y: solution, r: residual, before: r r. */
static void step_cg(void)
{
    double alpha, next;
    run_multiply(0, at.u, at.w);
    alpha = at.before / run_dot(1, at.u, at.w);
    run(2, (yoke_job){ .kernel = &axpy,
                       .args = { yoke_value((float)alpha), yoke_in(at.u), yoke_inout(at.y) } });
    run(3, (yoke_job){ .kernel = &axpy,
                       .args = { yoke_value((float)-alpha), yoke_in(at.w), yoke_inout(at.r) } });
    next = run_dot(4, at.r, at.r);
    run(5, (yoke_job){ .kernel = &aim,
                       .args = { yoke_value((float)(next / at.before)), yoke_in(at.r),
                                 yoke_inout(at.u) } });
    at.before = next;
}

/* --- the same by plain loops --- */

/* Some rows, from `first` on. Rows at the ends become wrong if they have neighbours outside, and
 * one more row on each side per step. */
struct plain {
    int64_t first, count;
    float *u, *w, *y;
};

static void plain_smooth(struct plain *p)
{
    int64_t i;
    for (i = 0; i < p->count; i++)
        p->w[i] = i == 0 || i == p->count - 1
                      ? p->u[i]
                      : 0.25f * p->u[i - 1] + 0.5f * p->u[i] + 0.25f * p->u[i + 1];
}

static void plain_axpy(struct plain *p, const float *x)
{
    int64_t i;
    for (i = 0; i < p->count; i++)
        p->y[i] = 0.5f * x[i] + p->y[i];
}

static void plain_step_axpy(struct plain *p)
{
    plain_axpy(p, p->u);
}
static void plain_step_stencil(struct plain *p)
{
    float *kept = p->u;
    plain_smooth(p);
    p->u = p->w;
    p->w = kept;
}
static void plain_step_turns(struct plain *p)
{
    plain_smooth(p);
    memcpy(p->u, p->w, (size_t)p->count * sizeof *p->u);
}
static void plain_step_chain(struct plain *p)
{
    plain_step_turns(p);
    plain_axpy(p, p->w);
}
static void plain_step_spmv(struct plain *p)
{
    int64_t i;
    int k;
    for (i = 0; i < p->count; i++) {
        float sum = 0;
        for (k = 0; k < NONZEROS; k++)
            sum += (k == NONZEROS / 2 ? 8.01f : -1) * p->u[neighbour(i, k)];
        p->w[i] = sum;
    }
    for (i = 0; i < p->count; i++)
        p->u[i] = 1.0f / 16 * p->w[i];
}

static const struct bench_case {
    const char *name;
    void (*step)(void);
    void (*plain)(struct plain *p); /* NULL: checked by the residual */
    int reaches; /* rows on either side that a step's result depends on; -1: all */
} cases[] = { { "axpy", step_axpy, plain_step_axpy, 0 },
              { "stencil", step_stencil, plain_step_stencil, 1 },
              { "chain", step_chain, plain_step_chain, 1 },
              { "turns", step_turns, plain_step_turns, 1 },
              { "spmv", step_spmv, plain_step_spmv, -1 },
              { "cg", step_cg, NULL, -1 },
              { NULL, NULL, NULL, 0 } };

static double difference(yoke_array *array, const struct plain *p, const float *plain,
                         int64_t wrong)
{
    const int64_t low = p->first > 0 ? wrong : 0;
    const int64_t high = p->first + p->count < at.rows ? p->count - wrong : p->count;
    const float *mine;
    double most = 0;
    int64_t i;
    must(yoke_array_acquire(array, YOKE_READ), "read");
    mine = (const float *)yoke_array_host(array) + p->first;
    for (i = low; i < high; i++)
        most = fmax(most, fabs((double)mine[i] - plain[i]) / (1 + fabs((double)plain[i])));
    must(yoke_array_release(array), "read");
    return most;
}

static double verify_rows(const struct bench_case *bench, int steps, int64_t first, int64_t count)
{
    struct plain p = { .first = first, .count = count };
    float *memory = malloc(3 * (size_t)count * sizeof *memory);
    double off;
    int64_t i;
    if (!memory)
        must(YOKE_ENOMEM, "plain");
    p.u = memory;
    p.w = p.u + count;
    p.y = p.w + count;
    for (i = 0; i < count; i++) {
        p.u[i] = wave(first + i);
        p.y[i] = p.w[i] = 0;
    }
    for (i = 0; i < steps; i++)
        bench->plain(&p);
    off = fmax(difference(at.u, &p, p.u, steps), difference(at.y, &p, p.y, steps));
    free(memory);
    return off;
}

/* The error of the result: at both ends and in the middle, where the borders between two devices
 * are; or of all rows. For conjugate gradients: 0, if the residual became smaller; otherwise 1. */
static double verify(const struct bench_case *bench, int steps, double before)
{
    const int64_t window = 2 * steps + (1 << 16);
    if (!bench->plain)
        return at.before < before ? 0 : 1;
    if (bench->reaches < 0 || at.rows <= 3 * window)
        return verify_rows(bench, steps, 0, at.rows);
    return fmax(verify_rows(bench, steps, 0, window),
                fmax(verify_rows(bench, steps, (at.rows - window) / 2, window),
                     verify_rows(bench, steps, at.rows - window, window)));
}

static void open_all(const struct bench_case *bench)
{
    must(yoke_open(NULL, &at.runtime), "open");
    must(yoke_ready(at.runtime), "ready");
    at.u = vector(wave);
    at.w = vector(zero);
    at.y = vector(zero);
    if (bench->step == step_cg)
        at.r = vector(wave);
    if (bench->step == step_cg || bench->step == step_spmv)
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

static const struct bench_case *find_case(const char *name)
{
    const struct bench_case *bench = cases;
    while (bench->name && strcmp(bench->name, name) != 0)
        bench++;
    return bench->name ? bench : NULL;
}

int main(int count, char **words)
{
    const struct bench_case *bench = count > 3 ? find_case(words[1]) : NULL;
    const int steps = bench ? atoi(words[3]) : 0;
    double begin, first = 0, half = 0, all, off, before = 0;
    int step;
    if (steps < 2 || (at.rows = atoll(words[2])) < 1) {
        fprintf(stderr, "usage: yoke-bench-resident axpy|stencil|chain|turns|spmv|cg ROWS STEPS "
                        "[PARTITIONER ...]\n");
        return 2;
    }
    at.partitioners = words + 4;
    at.partitioner_count = count - 4;
    open_all(bench);
    begin = yoke_seconds(at.runtime);
    if (bench->step == step_cg)
        before = at.before = run_dot(1, at.r, at.r);
    for (step = 0; step < steps; step++) {
        if (step == steps / 2) {
            half = yoke_seconds(at.runtime);
            at.moved = 0;
        }
        bench->step();
        if (step == 0)
            first = yoke_seconds(at.runtime) - begin;
    }
    all = yoke_seconds(at.runtime);
    printf("%s all %.1f step %.3f moved %lld first %.1f\n", bench->name, 1e6 * (all - begin),
           1e6 * (all - half) / (steps - steps / 2), (long long)(at.moved / (steps - steps / 2)),
           1e6 * first);
    off = verify(bench, steps, before);
    if (!(off < 1e-3)) {
        fprintf(stderr, "%s: results are off by %g\n", bench->name, off);
        return 1;
    }
    close_all();
    return 0;
}
