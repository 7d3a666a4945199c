/* by_hand.cu - see by_hand.h.
 *     nvcc -O3 -arch=native -shared -Xcompiler -fPIC by_hand.cu -o by_hand.so */
#include "by_hand.h"

enum { GPUS_MAX = 16 };
static struct {
    int gpus;
    int64_t items; /* of each */
    float *x[GPUS_MAX], *y[GPUS_MAX];
} parts;

static __global__ void saxpy(float a, const float *__restrict__ x, float *__restrict__ y, int64_t n)
{
    const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int by_hand_open(int gpus, int64_t items)
{
    int found = 0;
    if (cudaGetDeviceCount(&found) != cudaSuccess || gpus > found || gpus > GPUS_MAX)
        return 0;
    parts.gpus = gpus;
    parts.items = (items + gpus - 1) / gpus;
    const size_t bytes = (size_t)parts.items * sizeof(float);
    for (int d = 0; d < gpus; d++)
        if (cudaSetDevice(d) != cudaSuccess || cudaMalloc(&parts.x[d], bytes) != cudaSuccess ||
            cudaMalloc(&parts.y[d], bytes) != cudaSuccess ||
            cudaMemset(parts.x[d], 0, bytes) != cudaSuccess ||
            cudaMemset(parts.y[d], 0, bytes) != cudaSuccess)
            return 0;
    return 1;
}

void by_hand_run(void)
{
    for (int d = 0; d < parts.gpus; d++) {
        cudaSetDevice(d);
        saxpy<<<(unsigned)((parts.items + 255) / 256), 256>>>(1, parts.x[d], parts.y[d], parts.items);
    }
    for (int d = 0; d < parts.gpus; d++) {
        cudaSetDevice(d);
        cudaDeviceSynchronize();
    }
}

void by_hand_close(void)
{
    for (int d = 0; d < parts.gpus; d++) {
        cudaSetDevice(d);
        cudaFree(parts.x[d]);
        cudaFree(parts.y[d]);
    }
}
