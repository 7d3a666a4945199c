/* cuda.cu - the loops of kernels.c in plain CUDA, for GPU 0. The benchmark loads this shared
 * object:
 *
 *     nvcc -O3 -arch=native -shared -Xcompiler -fPIC -Icuda -I../../include -o cuda.so cuda.cu
 */
#include <cub/device/device_reduce.cuh>
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

/* As users write it: each thread sums before the block does, with some blocks per
 * multiprocessor. */
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

/* CUB's reductions. The result is copied to the host, as yoke's is. CUB fails if it needs more
 * room. */
template <class Reduce> static void reduce_home(const void *result, size_t bytes, Reduce reduce)
{
    static void *room, *home;
    size_t room_bytes = 1 << 20;
    if (!room) {
        must(cudaMalloc(&room, room_bytes), "cudaMalloc");
        must(cudaMallocHost(&home, sizeof(place_t)), "cudaMallocHost");
    }
    must(reduce(room, room_bytes), "CUB");
    must(cudaMemcpyAsync(home, result, bytes, cudaMemcpyDeviceToHost), "result");
}
static void cuda_sum_by_cub(void *const *arguments, const int64_t *size)
{
    const float *x = (const float *)arguments[0];
    float *sum = (float *)arguments[1];
    reduce_home(sum, sizeof *sum, [=](void *room, size_t &bytes) {
        return cub::DeviceReduce::Sum(room, bytes, x, sum, size[0]);
    });
}
static void cuda_max_by_cub(void *const *arguments, const int64_t *size)
{
    const float *x = (const float *)arguments[0];
    float *largest = (float *)arguments[1];
    reduce_home(largest, sizeof *largest, [=](void *room, size_t &bytes) {
        return cub::DeviceReduce::Max(room, bytes, x, largest, size[0]);
    });
}
static void cuda_argmin_by_cub(void *const *arguments, const int64_t *size)
{
    const float *x = (const float *)arguments[0];
    place_t *least = (place_t *)arguments[1];
    reduce_home(least, sizeof *least, [=](void *room, size_t &bytes) {
        return cub::DeviceReduce::ArgMin(room, bytes, x, &least->value, &least->place, size[0]);
    });
}

#define KNOWN(kernel, margin) { #kernel, cuda_##kernel },

static plain_fn *cuda_find(const char *kernel)
{
    static const struct {
        const char *kernel;
        plain_fn *loop;
    } known[] = { { "dot_reduce", cuda_dot_by_hand },
                  { "reduce_sum", cuda_sum_by_cub },
                  { "reduce_max", cuda_max_by_cub },
                  { "reduce_argmin", cuda_argmin_by_cub },
                  PLAIN_KERNELS(KNOWN) }; /* the first entry of a name counts */
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
