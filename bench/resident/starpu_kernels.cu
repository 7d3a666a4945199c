/* starpu_kernels.cu - see starpu_kernels.h. One thread for each row; nvcc compiles it (beside_starpu.py
 * says how). Tasks end by themselves when their stream comes to their end (STARPU_CUDA_ASYNC).
 */
#include "starpu_kernels.h"

enum { THREADS = 256, DOT_BLOCKS_MOST = 1024 };

static unsigned blocks_for(int64_t rows)
{
    return (unsigned)((rows + THREADS - 1) / THREADS);
}

static void check_launch(void)
{
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        STARPU_CUDA_REPORT_ERROR(error);
}

static __device__ int64_t row(void)
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __global__ void axpy_rows(float a, const float *x, float *y, int64_t rows)
{
    const int64_t i = row();
    if (i < rows)
        y[i] = a * x[i] + y[i];
}

extern "C" void axpy_cuda(void *buffers[], void *argument)
{
    const int64_t rows = ROWS(buffers[1]);
    axpy_rows<<<blocks_for(rows), THREADS, 0, starpu_cuda_get_local_stream()>>>(
        factor_of(argument), FLOATS(buffers[0]), FLOATS(buffers[1]), rows);
    check_launch();
}

/* A block with what lies around it. */
struct block {
    const float *u, *before, *after; /* ends of the neighbours */
    float *w, *ends;
    int64_t rows;
    int place;
};

static __global__ void smooth_rows(struct block block)
{
    const int64_t i = row(), last = block.rows - 1;
    const float *u = block.u;
    float left, right, result;
    if (i > last)
        return;
    left = i > 0 ? u[i - 1] : block.before[1];
    right = i < last ? u[i + 1] : block.after[0];
    result = 0.25f * left + 0.5f * u[i] + 0.25f * right;
    if ((i == 0 && block.place & IS_FIRST) || (i == last && block.place & IS_LAST))
        result = u[i];
    block.w[i] = result;
    if (i == 0)
        block.ends[0] = result;
    if (i == last)
        block.ends[1] = result;
}

extern "C" void smooth_cuda(void *buffers[], void *argument)
{
    struct block block;
    block.u = FLOATS(buffers[0]);
    block.before = FLOATS(buffers[1]);
    block.after = FLOATS(buffers[2]);
    block.w = FLOATS(buffers[3]);
    block.ends = FLOATS(buffers[4]);
    block.rows = ROWS(buffers[0]);
    block.place = (int)(intptr_t)argument;
    smooth_rows<<<blocks_for(block.rows), THREADS, 0, starpu_cuda_get_local_stream()>>>(block);
    check_launch();
}

/* `ends` may be NULL. */
static __global__ void scale_rows(float a, const float *w, float *u, float *ends, int64_t rows)
{
    const int64_t i = row();
    float result;
    if (i >= rows)
        return;
    result = a * w[i];
    u[i] = result;
    if (ends && i == 0)
        ends[0] = result;
    if (ends && i == rows - 1)
        ends[1] = result;
}

static void scale_with(void *buffers[], float *ends, void *argument)
{
    const int64_t rows = ROWS(buffers[1]);
    scale_rows<<<blocks_for(rows), THREADS, 0, starpu_cuda_get_local_stream()>>>(
        factor_of(argument), FLOATS(buffers[0]), FLOATS(buffers[1]), ends, rows);
    check_launch();
}

extern "C" void scale_cuda(void *buffers[], void *argument)
{
    scale_with(buffers, NULL, argument);
}

extern "C" void scale_ends_cuda(void *buffers[], void *argument)
{
    scale_with(buffers, FLOATS(buffers[2]), argument);
}

static __global__ void aim_rows(float b, const float *r, float *u, int64_t rows)
{
    const int64_t i = row();
    if (i < rows)
        u[i] = r[i] + b * u[i];
}

extern "C" void aim_cuda(void *buffers[], void *argument)
{
    const int64_t rows = ROWS(buffers[1]);
    aim_rows<<<blocks_for(rows), THREADS, 0, starpu_cuda_get_local_stream()>>>(
        factor_of(argument), FLOATS(buffers[0]), FLOATS(buffers[1]), rows);
    check_launch();
}

/* Adds the products to *sum: first in a thread, then in a warp, then in a block of threads. */
static __global__ void dot_rows(const float *x, const float *y, double *sum, int64_t rows)
{
    __shared__ double of_warp[THREADS / 32];
    const int64_t apart = (int64_t)gridDim.x * blockDim.x;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double mine = 0;
    for (int64_t i = row(); i < rows; i += apart)
        mine += (double)x[i] * y[i];
    for (int far = 16; far > 0; far /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, far);
    if (lane == 0)
        of_warp[warp] = mine;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int other = 1; other < THREADS / 32; other++)
        mine += of_warp[other];
    atomicAdd(sum, mine);
}

extern "C" void dot_cuda(void *buffers[], void *argument)
{
    const int64_t rows = ROWS(buffers[0]);
    const unsigned blocks = blocks_for(rows) < DOT_BLOCKS_MOST ? blocks_for(rows) : DOT_BLOCKS_MOST;
    double *sum = (double *)STARPU_VARIABLE_GET_PTR(buffers[2]);
    cudaStream_t stream = starpu_cuda_get_local_stream();
    (void)argument;
    cudaMemsetAsync(sum, 0, sizeof *sum, stream);
    dot_rows<<<blocks, THREADS, 0, stream>>>(FLOATS(buffers[0]), FLOATS(buffers[1]), sum, rows);
    check_launch();
}

/* Some rows of the matrix. */
struct piece {
    const int64_t *start;
    const int32_t *column; /* from the non-zero start[0] on, like `value` */
    const float *value;
    int64_t rows;
};

static __global__ void multiply_rows(struct piece piece, const float *__restrict__ x,
                                     float *__restrict__ y)
{
    const int64_t i = row();
    float sum = 0;
    if (i >= piece.rows)
        return;
    const int64_t first = piece.start[0], last = piece.start[i + 1] - first;
    for (int64_t k = piece.start[i] - first; k < last; k++)
        sum += piece.value[k] * x[piece.column[k]];
    y[i] = sum;
}

extern "C" void multiply_cuda(void *buffers[], void *argument)
{
    struct piece piece;
    (void)argument;
    piece.start = (const int64_t *)STARPU_VECTOR_GET_PTR(buffers[0]);
    piece.column = (const int32_t *)STARPU_VECTOR_GET_PTR(buffers[1]);
    piece.value = FLOATS(buffers[2]);
    piece.rows = ROWS(buffers[3]);
    multiply_rows<<<blocks_for(piece.rows), THREADS, 0, starpu_cuda_get_local_stream()>>>(
        piece, whole_of(buffers), FLOATS(buffers[3]));
    check_launch();
}
