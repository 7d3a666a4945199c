/* by_hand.cu - the cases of problem.h as a CUDA programmer would write them for one GPU or a few: equal parts, each GPU computes its
 * own, and gets what it reads of the others' parts before it reads.
 *
 *     gcc -O3 -c problem.c && nvcc -O3 -arch=native by_hand.cu problem.o -o by_hand
 *     by_hand CASE ROWS STEPS GPUS [queued=1]
 *
 * Each kernel is waited for, as in a program that calls yoke_run. With queued=1 GPUs wait for each other by events and the host waits
 * for sums only. Prints the times of problem.h and verifies the results. Memory is allocated before the clock starts.
 */
extern "C" {
#include "problem.h"
}

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/block/block_reduce.cuh>
#include <ctime>
#include <utility>

enum { GPUS_MOST = 8, BLOCK = 256, SUM_BLOCKS = 512 };

/* What a GPU computes, and its arrays, which have room for all rows. */
struct part {
    int64_t first, last;
    float *u, *w, *y, *r, *value;
    int64_t *start;
    int32_t *column;
    double *sums; /* of each block; the host reads them */
    cudaStream_t stream;
    cudaEvent_t written, fetched;
};

struct host {
    float *u, *y, *value;
    int64_t *start;
    int32_t *column;
};

static struct problem problem;
static struct part parts[GPUS_MOST];
static int gpus, queued;

static void must(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "by_hand: %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* --- kernels --- */

static __device__ int64_t row_of(int64_t first)
{
    return first + blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
}

static __global__ void smooth(int64_t first, int64_t last, int64_t rows, const float *u, float *w)
{
    const int64_t i = row_of(first);
    if (i < last)
        w[i] = i == 0 || i == rows - 1 ? u[i] : 0.25f * u[i - 1] + 0.5f * u[i] + 0.25f * u[i + 1];
}

static __global__ void scale(int64_t first, int64_t last, float a, const float *w, float *u)
{
    const int64_t i = row_of(first);
    if (i < last)
        u[i] = a * w[i];
}

static __global__ void axpy(int64_t first, int64_t last, float a, const float *x, float *y)
{
    const int64_t i = row_of(first);
    if (i < last)
        y[i] = a * x[i] + y[i];
}

static __global__ void aim(int64_t first, int64_t last, float b, const float *r, float *u)
{
    const int64_t i = row_of(first);
    if (i < last)
        u[i] = r[i] + b * u[i];
}

static __global__ void multiply(int64_t first, int64_t last, const int64_t *start, const int32_t *column, const float *value,
                                const float *x, float *y)
{
    const int64_t i = row_of(first);
    float sum = 0;
    if (i >= last)
        return;
    for (int64_t k = start[i]; k < start[i + 1]; k++)
        sum += value[k] * x[column[k]];
    y[i] = sum;
}

static __global__ void dot(int64_t first, int64_t last, const float *x, const float *y, double *sums)
{
    using reduce = cub::BlockReduce<double, BLOCK>;
    __shared__ reduce::TempStorage storage;
    double sum = 0;
    for (int64_t i = row_of(first); i < last; i += (int64_t)gridDim.x * blockDim.x)
        sum += (double)x[i] * y[i];
    sum = reduce(storage).Sum(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

/* --- one kernel on all GPUs --- */

static void wait_for_all(void)
{
    for (int g = 0; g < gpus; g++)
        must(cudaStreamSynchronize(parts[g].stream), "wait");
}

/* Calls begin(part, blocks) for each GPU. */
template <typename function> static void run(function begin, int waits)
{
    for (int g = 0; g < gpus; g++) {
        struct part *part = &parts[g];
        must(cudaSetDevice(g), "device");
        begin(part, (unsigned)((part->last - part->first + BLOCK - 1) / BLOCK));
        must(cudaGetLastError(), "launch");
        if (queued && gpus > 1)
            must(cudaEventRecord(part->written, part->stream), "event");
    }
    if (waits)
        wait_for_all();
}

/* Before GPU `g` reads the other's rows [first, last) of u. */
static void fetch(int g, int other, int64_t first, int64_t last)
{
    must(cudaMemcpyPeerAsync(parts[g].u + first, g, parts[other].u + first, other, (last - first) * sizeof(float), parts[g].stream),
         "copy");
}

/* The rows within `reach` of a GPU's own ones; -1: all. Nobody overwrites what the others still read. */
static void fetch_around(int64_t reach)
{
    for (int g = 0; g < gpus && gpus > 1; g++) {
        must(cudaSetDevice(g), "device");
        for (int other = 0; other < gpus; other++) {
            const struct part *const mine = &parts[g], *const its = &parts[other];
            const int64_t low = reach < 0 ? 0 : mine->first - reach, high = reach < 0 ? problem.rows : mine->last + reach;
            const int64_t first = low > its->first ? low : its->first, last = high < its->last ? high : its->last;
            if (other == g || first >= last)
                continue;
            if (queued)
                must(cudaStreamWaitEvent(mine->stream, its->written, 0), "event");
            fetch(g, other, first, last);
        }
        if (queued)
            must(cudaEventRecord(parts[g].fetched, parts[g].stream), "event");
    }
    for (int g = 0; g < gpus && queued; g++)
        for (int other = 0; other < gpus; other++)
            if (other != g)
                must(cudaStreamWaitEvent(parts[g].stream, parts[other].fetched, 0), "event");
}

static void run_smooth(void)
{
    fetch_around(1);
    run([](part *p, unsigned blocks) { smooth<<<blocks, BLOCK, 0, p->stream>>>(p->first, p->last, problem.rows, p->u, p->w); }, !queued);
}

static void run_scale(float a)
{
    run([a](part *p, unsigned blocks) { scale<<<blocks, BLOCK, 0, p->stream>>>(p->first, p->last, a, p->w, p->u); }, !queued);
}

static void run_axpy(float a, float *part::*x, float *part::*y)
{
    run([=](part *p, unsigned blocks) { axpy<<<blocks, BLOCK, 0, p->stream>>>(p->first, p->last, a, p->*x, p->*y); }, !queued);
}

static void run_multiply(void)
{
    fetch_around(-1);
    run([](part *p, unsigned blocks) {
        multiply<<<blocks, BLOCK, 0, p->stream>>>(p->first, p->last, p->start, p->column, p->value, p->u, p->w);
    }, !queued);
}

static double run_dot(float *part::*x, float *part::*y)
{
    double sum = 0;
    run([=](part *p, unsigned) { dot<<<SUM_BLOCKS, BLOCK, 0, p->stream>>>(p->first, p->last, p->*x, p->*y, p->sums); }, 1);
    for (int g = 0; g < gpus; g++)
        for (int b = 0; b < SUM_BLOCKS; b++)
            sum += parts[g].sums[b];
    return sum;
}

/* --- cases --- */

static void step_axpy(void) { run_axpy(0.5f, &part::u, &part::y); }

static void step_stencil(void)
{
    run_smooth();
    for (int g = 0; g < gpus; g++)
        std::swap(parts[g].u, parts[g].w);
}

static void step_turns(void)
{
    run_smooth();
    run_scale(1);
}

static void step_chain(void)
{
    step_turns();
    run_axpy(0.5f, &part::w, &part::y);
}

static void step_spmv(void)
{
    run_multiply();
    run_scale(1.0f / 16);
}

static double residual; /* r r */

static void step_cg(void)
{
    run_multiply();
    const double alpha = residual / run_dot(&part::u, &part::w);
    run_axpy((float)alpha, &part::u, &part::y);
    run_axpy((float)-alpha, &part::w, &part::r);
    const double next = run_dot(&part::r, &part::r);
    const float beta = (float)(next / residual);
    run([=](part *p, unsigned blocks) { aim<<<blocks, BLOCK, 0, p->stream>>>(p->first, p->last, beta, p->r, p->u); }, !queued);
    residual = next;
}

static void (*const step_of[CASES])(void) = { step_axpy, step_stencil, step_chain, step_turns, step_spmv, step_cg };

/* --- memory --- */

template <typename type> static void open_array(type **array, int64_t count)
{
    must(cudaMalloc(array, count * sizeof(type)), "memory");
}

static void open_part(int g)
{
    struct part *part = &parts[g];
    part->first = problem.rows * g / gpus;
    part->last = problem.rows * (g + 1) / gpus;
    must(cudaSetDevice(g), "device");
    for (float **array : { &part->u, &part->w, &part->y, &part->r })
        open_array(array, problem.rows);
    open_array(&part->start, problem.rows + 1);
    open_array(&part->column, problem.rows * NONZEROS);
    open_array(&part->value, problem.rows * NONZEROS);
    must(cudaHostAlloc(&part->sums, SUM_BLOCKS * sizeof(double), cudaHostAllocMapped), "memory");
    must(cudaStreamCreateWithFlags(&part->stream, cudaStreamNonBlocking), "stream");
    must(cudaEventCreateWithFlags(&part->written, cudaEventDisableTiming), "event");
    must(cudaEventCreateWithFlags(&part->fetched, cudaEventDisableTiming), "event");
    for (int other = 0; other < gpus; other++)
        if (other != g)
            must(cudaDeviceEnablePeerAccess(other, 0), "peer");
}

template <typename type> static void upload(const part *part, type *to, const type *from, int64_t first, int64_t last)
{
    must(cudaMemcpyAsync(to + first, from + first, (last - first) * sizeof(type), cudaMemcpyHostToDevice, part->stream), "upload");
}

static void upload_all(const struct host *host)
{
    for (int g = 0; g < gpus; g++) {
        const struct part *p = &parts[g];
        must(cudaSetDevice(g), "device");
        upload(p, p->u, host->u, p->first, p->last);
        must(cudaMemsetAsync(p->y, 0, problem.rows * sizeof(float), p->stream), "clear");
        upload(p, p->r, host->u, p->first, p->last);
        if (!problem_has_matrix(&problem))
            continue;
        upload(p, p->start, host->start, p->first, p->last + 1);
        upload(p, p->column, host->column, p->first * NONZEROS, p->last * NONZEROS);
        upload(p, p->value, host->value, p->first * NONZEROS, p->last * NONZEROS);
    }
    wait_for_all();
}

static void download_all(const struct host *host)
{
    wait_for_all();
    for (int g = 0; g < gpus; g++) {
        const struct part *p = &parts[g];
        const size_t bytes = (p->last - p->first) * sizeof(float);
        must(cudaMemcpy(host->u + p->first, p->u + p->first, bytes, cudaMemcpyDeviceToHost), "download");
        must(cudaMemcpy(host->y + p->first, p->y + p->first, bytes, cudaMemcpyDeviceToHost), "download");
    }
}

static struct host host_data(void)
{
    struct host host;
    must(cudaMallocHost(&host.u, problem.rows * sizeof(float)), "memory");
    must(cudaMallocHost(&host.y, problem.rows * sizeof(float)), "memory");
    must(cudaMallocHost(&host.value, problem.rows * NONZEROS * sizeof(float)), "memory");
    must(cudaMallocHost(&host.column, problem.rows * NONZEROS * sizeof(int32_t)), "memory");
    must(cudaMallocHost(&host.start, (problem.rows + 1) * sizeof(int64_t)), "memory");
    const struct matrix matrix = { host.start, host.column, host.value };
    matrix_fill(&matrix, problem.rows);
    for (int64_t i = 0; i < problem.rows; i++)
        host.u[i] = wave(i);
    return host;
}

static struct problem_times run_all(const struct host *host)
{
    struct problem_times times = { seconds(), 0, 0, 0 };
    upload_all(host);
    if (problem.which == CG)
        residual = run_dot(&part::r, &part::r);
    for (int step = 0; step < problem.steps; step++) {
        if (step == problem.steps / 2) {
            wait_for_all();
            times.half = seconds();
        }
        step_of[problem.which]();
        if (step == 0) {
            wait_for_all();
            times.first = seconds();
        }
    }
    wait_for_all();
    times.end = seconds();
    return times;
}

int main(int count, char **words)
{
    gpus = count < 5 ? 0 : atoi(words[4]);
    queued = count == 6 && strcmp(words[5], "queued=1") == 0;
    if (gpus < 1 || gpus > GPUS_MOST || count != 5 + queued || !problem_read(words + 1, &problem)) {
        fprintf(stderr, "usage: by_hand " PROBLEM_WORDS " GPUS [queued=1]\n");
        return 2;
    }
    for (int g = 0; g < gpus; g++)
        open_part(g);
    const struct host host = host_data();
    const struct problem_times times = run_all(&host);
    problem_print(&problem, &times);
    printf("\n");
    download_all(&host);
    const struct problem_results found = { host.u, host.y, residual };
    return problem_verify(&problem, &found) ? 0 : 1;
}
