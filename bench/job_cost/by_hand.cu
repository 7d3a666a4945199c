/* by_hand.cu - see by_hand.h.
 *     nvcc -O3 -arch=native -shared -Xcompiler -fPIC by_hand.cu -o by_hand.so */
#include "by_hand.h"

enum { GPUS_MAX = 16 };
static struct {
    int gpus;
    int64_t items; /* per GPU */
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

/* ---- from and to the host's memory, on GPU 0 ---- */

enum { PIECES = 16, STREAMS = 3 };
static struct {
    float *x, *y; /* on the GPU */
    cudaStream_t stream[STREAMS];
} gpu;

int from_host_open(int64_t items)
{
    const size_t bytes = (size_t)items * sizeof(float);
    int well = cudaSetDevice(0) == cudaSuccess && cudaMalloc(&gpu.x, bytes) == cudaSuccess &&
               cudaMalloc(&gpu.y, bytes) == cudaSuccess;
    for (int k = 0; k < STREAMS; k++)
        well = well && cudaStreamCreate(&gpu.stream[k]) == cudaSuccess;
    return well;
}

/* Computes items first .. last - 1, all in one stream. */
static void part(const struct from_host_data *data, int64_t first, int64_t last, cudaStream_t stream)
{
    const int64_t items = last - first;
    const size_t bytes = (size_t)items * sizeof(float);
    cudaMemcpyAsync(gpu.x + first, data->x + first, bytes, cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(gpu.y + first, data->y + first, bytes, cudaMemcpyHostToDevice, stream);
    saxpy<<<(unsigned)((items + 255) / 256), 256, 0, stream>>>(data->a, gpu.x + first,
                                                               gpu.y + first, items);
    cudaMemcpyAsync(data->y + first, gpu.y + first, bytes, cudaMemcpyDeviceToHost, stream);
}

int from_host_run(enum from_host_way way, const struct from_host_data *data)
{
    const size_t bytes = (size_t)data->items * sizeof(float);
    const int pieces = way == FROM_HOST_PIECES ? PIECES : 1;
    if (way == FROM_HOST_REGISTER &&
        (cudaHostRegister((void *)data->x, bytes, cudaHostRegisterDefault) != cudaSuccess ||
         cudaHostRegister(data->y, bytes, cudaHostRegisterDefault) != cudaSuccess))
        return 0;
    for (int64_t k = 0; k < pieces; k++)
        part(data, data->items * k / pieces, data->items * (k + 1) / pieces,
             gpu.stream[k % STREAMS]);
    int well = cudaDeviceSynchronize() == cudaSuccess;
    if (way == FROM_HOST_REGISTER)
        well = cudaHostUnregister((void *)data->x) == cudaSuccess &&
               cudaHostUnregister(data->y) == cudaSuccess && well;
    return well;
}

void *from_host_take(int64_t items)
{
    void *memory;
    return cudaMallocHost(&memory, (size_t)items * sizeof(float)) == cudaSuccess ? memory : NULL;
}

void from_host_give(void *memory)
{
    cudaFreeHost(memory);
}
