/* cuda.cu - the loops of kernels.c in plain CUDA, for GPU 0; a shared object that the benchmark
 * loads:
 *
 *     nvcc -O3 -arch=native -shared -Xcompiler -fPIC -Icuda -I../../include -o cuda.so cuda.cu
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"

static void must(cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "plain CUDA: %s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}
static void launched(const char *kernel)
{
    must(cudaGetLastError(), kernel);
}

#include "kernels.c"

/* A user lets each thread sum before a block does: some blocks for each processor. */
static __global__ void dot_kernel_by_hand(int64_t items, const float *__restrict__ x,
                                          const float *__restrict__ y, double *sum)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    double mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < items; i += step)
        mine += (double)x[i] * y[i];
    YOKE_LANE_SUM(double, all, lane, 0, (int)blockDim.x, mine)
    if (threadIdx.x == 0)
        atomicAdd(sum, all);
}
static void cuda_dot_by_hand(void *const *arguments, const int64_t *size)
{
    dot_kernel_by_hand<<<8 * 132, 256>>>(size[0], (const float *)arguments[0],
                                         (const float *)arguments[1], (double *)arguments[2]);
    launched("dot_by_hand");
}

#define KNOWN(kernel, margin) { #kernel, cuda_##kernel },

static plain_fn *cuda_find(const char *kernel)
{
    static const struct {
        const char *kernel;
        plain_fn *loop;
    } known[] = { { "dot_reduce", cuda_dot_by_hand },
                  PLAIN_KERNELS(KNOWN) }; /* the first of a name counts */
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(known[k].kernel, kernel))
            return known[k].loop;
    return NULL;
}

static void cuda_wait(void)
{
    must(cudaDeviceSynchronize(), "the kernel");
}

static void *cuda_take(size_t bytes)
{
    void *memory;
    must(cudaSetDevice(0), "GPU 0");
    must(cudaMalloc(&memory, bytes), "cudaMalloc");
    return memory;
}
static void cuda_put(void *to, const void *host, size_t bytes)
{
    must(cudaMemcpy(to, host, bytes, cudaMemcpyHostToDevice), "copy to the GPU");
}
static void cuda_get(void *host, const void *from, size_t bytes)
{
    must(cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost), "copy from the GPU");
}
static void cuda_give(void *memory)
{
    must(cudaFree(memory), "cudaFree");
}

extern "C" const struct plain plain_loops;
const struct plain plain_loops = { "CUDA",   cuda_find, cuda_wait, cuda_take,
                                   cuda_put, cuda_get,  cuda_give };
