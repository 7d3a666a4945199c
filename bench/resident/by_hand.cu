/* by_hand.cu - the case `chain` as a CUDA programmer would write it for one GPU or two: smooth, scale
 * and axpy over and over, and the neighbour's row before each smooth.
 *
 *     nvcc -O3 -arch=native by_hand.cu -o by_hand
 *     by_hand ROWS GPUS STEPS
 *
 * As in a program that calls yoke_run, each kernel is waited for. Prints the mean step of the second
 * half, and the median of each kernel, in us.
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { GPUS_MOST = 2, KERNELS = 3, BLOCK = 256 };
struct part {
    long first, count;
    float *u, *w, *x; /* arrays of all rows, of which the GPU computes its part */
    cudaStream_t stream;
};

static __global__ void smooth(long rows, long first, long count, const float *u, float *w)
{
    const long i = first + blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < first + count)
        w[i] = i == 0 || i == rows - 1 ? u[i] : 0.25f * u[i - 1] + 0.5f * u[i] + 0.25f * u[i + 1];
}

static __global__ void scale(long first, long count, float a, const float *w, float *u)
{
    const long i = first + blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < first + count)
        u[i] = a * w[i];
}

static __global__ void axpy(long first, long count, float a, const float *x, float *y)
{
    const long i = first + blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < first + count)
        y[i] = a * x[i] + y[i];
}

static double now_us(void)
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(now).count();
}

static void open(struct part *parts, int gpus, long rows)
{
    const size_t bytes = rows * sizeof(float);
    for (int g = 0; g < gpus; g++) {
        struct part *part = &parts[g];
        part->first = rows / gpus * g;
        part->count = g == gpus - 1 ? rows - part->first : rows / gpus;
        cudaSetDevice(g);
        for (float **array : { &part->u, &part->w, &part->x }) {
            cudaMalloc(array, bytes);
            cudaMemset(*array, 0, bytes);
        }
        cudaStreamCreate(&part->stream);
        if (gpus > 1)
            cudaDeviceEnablePeerAccess(1 - g, 0);
    }
}

static void launch(const struct part *parts, int gpus, int g, int kernel, long rows)
{
    const struct part *part = &parts[g], *other = &parts[1 - g];
    const unsigned blocks = (unsigned)((part->count + BLOCK - 1) / BLOCK);
    const long missing = g == 0 ? part->first + part->count : part->first - 1;
    if (kernel == 0 && gpus > 1)
        cudaMemcpyPeerAsync(part->u + missing, g, other->u + missing, 1 - g, sizeof(float),
                            part->stream);
    if (kernel == 0)
        smooth<<<blocks, BLOCK, 0, part->stream>>>(rows, part->first, part->count, part->u, part->w);
    else if (kernel == 1)
        scale<<<blocks, BLOCK, 0, part->stream>>>(part->first, part->count, 0.5f, part->w, part->u);
    else
        axpy<<<blocks, BLOCK, 0, part->stream>>>(part->first, part->count, 0.5f, part->x, part->w);
}

static double run(const struct part *parts, int gpus, int kernel, long rows)
{
    const double begun = now_us();
    for (int g = 0; g < gpus; g++) {
        cudaSetDevice(g);
        launch(parts, gpus, g, kernel, rows);
    }
    for (int g = 0; g < gpus; g++) {
        cudaSetDevice(g);
        cudaStreamSynchronize(parts[g].stream);
    }
    return now_us() - begun;
}

int main(int argc, char **argv)
{
    struct part parts[GPUS_MOST];
    std::vector<double> times[KERNELS];
    if (argc != 4)
        return fprintf(stderr, "usage: by_hand ROWS GPUS STEPS\n"), 2;
    const long rows = atol(argv[1]);
    const int gpus = atoi(argv[2]), steps = atoi(argv[3]);
    if (rows < GPUS_MOST || gpus < 1 || gpus > GPUS_MOST || steps < 2)
        return fprintf(stderr, "by_hand: ROWS from 2, GPUS 1 or 2, STEPS from 2\n"), 2;
    open(parts, gpus, rows);
    double all = 0;
    for (int s = 0; s < steps; s++)
        for (int k = 0; k < KERNELS; k++) {
            const double us = run(parts, gpus, k, rows);
            if (s < steps / 2)
                continue;
            times[k].push_back(us);
            all += us;
        }
    printf("step %.3f", all / times[0].size());
    for (int k = 0; k < KERNELS; k++) {
        std::sort(times[k].begin(), times[k].end());
        printf(" %s %.1f", k == 0 ? "smooth" : k == 1 ? "scale" : "axpy", times[k][times[k].size() / 2]);
    }
    printf("\n");
    return cudaGetLastError() != cudaSuccess;
}
