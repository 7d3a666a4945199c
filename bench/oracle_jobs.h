/* oracle_jobs.h - the three jobs, handwritten for one machine: inputs, loops for a core, kernels
 * and copies for a GPU, and checks.
 *
 * The arithmetic and the bytes are those of apps/saxpy, apps/mxv and apps/nbody, but none of their
 * code is used. Host memory is pinned. Device memory holds whole arrays, so an index means the same
 * on both sides.
 */
#ifndef YOKE_BENCH_ORACLE_JOBS_H
#define YOKE_BENCH_ORACLE_JOBS_H

#include <cmath>
#include <cstdint>

#include "oracle.h"

enum { COLUMNS = 2000, TILE = 128, LANES = 64, STREAMS = 3, ARRAYS = 4 };
static const float FACTOR = 3, TERM = 0.25f, STEP = 0.001f, SOFTENING2 = 0.01f * 0.01f;

static long items;                        /* elements, rows or bodies */
static float *host[ARRAYS], *gpu[ARRAYS]; /* in the order of the enums below */
static cudaStream_t stream[STREAMS];

/* A part of the range. */
typedef void part_fn(long first, long last);

struct job {
    const char *name;
    long floats[ARRAYS];        /* per array: floats per item; negative: -floats in total */
    part_fn *fill;              /* sets inputs that no run changes */
    part_fn *reset;             /* restores what a run reads and writes; outputs become NaN */
    part_fn *cpu, *gpu;         /* gpu: everything, from and to host memory; in flight on return */
    part_fn *launch;            /* the kernel alone, on data that are on the GPU */
    double (*error)(long item); /* relative to the allowed error; against double precision */
};

static uint32_t hash(uint64_t index)
{
    index = (index + 0x632be59bd9b4e019u) * 0x9e3779b97f4a7c15u;
    index = (index ^ index >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)(index >> 32);
}

static unsigned blocks(long threads, long block)
{
    return (unsigned)((threads + block - 1) / block);
}

static void up(int array, long first, long count, cudaStream_t queue)
{
    MUST(cudaMemcpyAsync(gpu[array] + first, host[array] + first, (size_t)count * sizeof(float),
                         cudaMemcpyHostToDevice, queue));
}

static void down(int array, long first, long count, cudaStream_t queue)
{
    MUST(cudaMemcpyAsync(host[array] + first, gpu[array] + first, (size_t)count * sizeof(float),
                         cudaMemcpyDeviceToHost, queue));
}

/* --- saxpy: y = a x + y, on integers, so that every result is exact --- */

enum { SAXPY_X, SAXPY_Y, SAXPY_CHUNK = 4 << 20 };

static float saxpy_y(long i)
{
    return (float)(hash((uint64_t)i) >> 20);
}

static void saxpy_fill(long first, long last)
{
    for (long i = first; i < last; i++)
        host[SAXPY_X][i] = (float)(hash((uint64_t)i) & 4095);
}

static void saxpy_reset(long first, long last)
{
    for (long i = first; i < last; i++)
        host[SAXPY_Y][i] = saxpy_y(i);
}

static void saxpy_cpu(long first, long last)
{
    const float *__restrict x = host[SAXPY_X];
    float *__restrict y = host[SAXPY_Y];
    for (long i = first; i < last; i++)
        y[i] = FACTOR * x[i] + y[i];
}

__global__ void saxpy_kernel(long last, float a, const float *x, float *y, long first)
{
    long i = first + blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < last)
        y[i] = a * x[i] + y[i];
}

static void saxpy_launch_on(long first, long last, cudaStream_t queue)
{
    saxpy_kernel<<<blocks(last - first, 256), 256, 0, queue>>>(last, FACTOR, gpu[SAXPY_X],
                                                               gpu[SAXPY_Y], first);
}

static void saxpy_launch(long first, long last)
{
    saxpy_launch_on(first, last, stream[0]);
}

/* Chunks alternate between the streams: results of one chunk are copied back while data of the next
 * arrive. */
static void saxpy_gpu(long first, long last)
{
    for (int turn = 0; first < last; first += SAXPY_CHUNK, turn = (turn + 1) % STREAMS) {
        long count = std::min<long>(SAXPY_CHUNK, last - first);
        up(SAXPY_X, first, count, stream[turn]);
        up(SAXPY_Y, first, count, stream[turn]);
        saxpy_launch_on(first, first + count, stream[turn]);
        down(SAXPY_Y, first, count, stream[turn]);
    }
}

static double saxpy_error(long i)
{
    return host[SAXPY_Y][i] == FACTOR * host[SAXPY_X][i] + saxpy_y(i) ? 0 : INFINITY;
}

/* --- mxv: a row of p(A) times a vector, p(a) = four Horner steps --- */

enum { MXV_A, MXV_V, MXV_Y, MXV_CHUNK = 4096 };

static void mxv_fill(long first, long last)
{
    for (long i = first * COLUMNS; i < last * COLUMNS; i++)
        host[MXV_A][i] = (float)((int)(hash((uint64_t)i) >> 24) - 128) / 256;
    for (long j = 0; first == 0 && j < COLUMNS; j++)
        host[MXV_V][j] = (float)((int)(hash(~(uint64_t)j) & 7) - 4) / 4;
}

static void mxv_reset(long first, long last)
{
    for (long i = first; i < last; i++)
        host[MXV_Y][i] = NAN;
}

template <typename real> static inline __host__ __device__ real polynomial(real a)
{
    real p = a;
    for (int k = 0; k < 4; k++)
        p = p * a + (real)TERM;
    return p;
}

static void mxv_cpu(long first, long last)
{
    const float *__restrict v = host[MXV_V];
    for (long i = first; i < last; i++) {
        const float *row = host[MXV_A] + i * COLUMNS;
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int j = 0; j < COLUMNS; j++)
            sum += polynomial(row[j]) * v[j];
        host[MXV_Y][i] = sum;
    }
}

__global__ void mxv_kernel(long first, long last, const float *a, const float *v, float *y)
{
    long i = first + (blockIdx.x * (long)blockDim.x + threadIdx.x) / 32;
    if (i >= last)
        return;
    float sum = 0;
    for (int j = threadIdx.x % 32; j < COLUMNS; j += 32)
        sum += polynomial(a[i * COLUMNS + j]) * v[j];
    for (int half = 16; half; half /= 2)
        sum += __shfl_down_sync(~0u, sum, half);
    if (threadIdx.x % 32 == 0)
        y[i] = sum;
}

static void mxv_launch_on(long first, long last, cudaStream_t queue)
{
    mxv_kernel<<<blocks((last - first) * 32, 256), 256, 0, queue>>>(first, last, gpu[MXV_A],
                                                                    gpu[MXV_V], gpu[MXV_Y]);
}

static void mxv_launch(long first, long last)
{
    mxv_launch_on(first, last, stream[0]);
}

static void mxv_gpu(long first, long last)
{
    up(MXV_V, 0, COLUMNS, stream[0]);
    MUST(cudaStreamSynchronize(stream[0])); /* all streams read the vector */
    for (int turn = 0; first < last; first += MXV_CHUNK, turn = (turn + 1) % STREAMS) {
        long count = std::min<long>(MXV_CHUNK, last - first);
        up(MXV_A, first * COLUMNS, count * COLUMNS, stream[turn]);
        mxv_launch_on(first, first + count, stream[turn]);
        down(MXV_Y, first, count, stream[turn]);
    }
}

static double mxv_error(long i)
{
    double sum = 0, size = 0;
    for (int j = 0; j < COLUMNS; j++) {
        double term = polynomial((double)host[MXV_A][i * COLUMNS + j]) * host[MXV_V][j];
        sum += term;
        size += fabs(term);
    }
    return fabs(host[MXV_Y][i] - sum) / (1e-5 * size);
}

/* --- nbody: all pairs, then a step of leapfrog --- */

enum { NBODY_FROM, NBODY_VELOCITY, NBODY_TO, NBODY_ACCELERATION };

static void nbody_fill(long first, long last)
{
    for (long i = first; i < last; i++) {
        for (int k = 0; k < 3; k++)
            host[NBODY_FROM][4 * i + k] = (float)hash((uint64_t)(4 * i + k)) * 0x1p-31f - 1;
        host[NBODY_FROM][4 * i + 3] = 1 / (float)items;
    }
}

static float nbody_velocity(long i, int k)
{
    return (float)hash(~(uint64_t)(4 * i + k)) * 0x1p-31f - 1;
}

static void nbody_reset(long first, long last)
{
    for (long i = first; i < last; i++)
        for (int k = 0; k < 4; k++) {
            host[NBODY_VELOCITY][4 * i + k] = nbody_velocity(i, k);
            host[NBODY_TO][4 * i + k] = host[NBODY_ACCELERATION][4 * i + k] = NAN;
        }
}

/* From body i's acceleration to its place after the step. */
static inline __host__ __device__ void nbody_move(float4 *const *arrays, long i, float4 a)
{
    float4 me = arrays[NBODY_FROM][i], v = arrays[NBODY_VELOCITY][i];
    float4 u = { v.x + STEP * a.x, v.y + STEP * a.y, v.z + STEP * a.z, 0 };
    arrays[NBODY_VELOCITY][i] = u;
    arrays[NBODY_TO][i] = { me.x + STEP * u.x, me.y + STEP * u.y, me.z + STEP * u.z, me.w };
    arrays[NBODY_ACCELERATION][i] = a;
}

/* Computes LANES bodies at a time, one per element of a vector. All of them meet the same other
 * body. */
static void nbody_lanes(long first, int count)
{
    float4 *arrays[ARRAYS];
    float x[LANES], y[LANES], z[LANES], ax[LANES] = {}, ay[LANES] = {}, az[LANES] = {};
    for (int k = 0; k < ARRAYS; k++)
        arrays[k] = (float4 *)host[k];
    const float4 *from = arrays[NBODY_FROM];
    for (int l = 0; l < LANES; l++) {
        float4 me = from[first + std::min(l, count - 1)];
        x[l] = me.x, y[l] = me.y, z[l] = me.z;
    }
    for (long j = 0; j < items; j++) {
        const float4 other = from[j];
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            float dx = other.x - x[l], dy = other.y - y[l], dz = other.z - z[l];
            float r = 1 / sqrtf(dx * dx + dy * dy + dz * dz + SOFTENING2);
            float w = other.w * r * r * r;
            ax[l] += w * dx;
            ay[l] += w * dy;
            az[l] += w * dz;
        }
    }
    for (int l = 0; l < count; l++)
        nbody_move(arrays, first + l, float4{ ax[l], ay[l], az[l], 0 });
}

static void nbody_cpu(long first, long last)
{
    for (; first < last; first += LANES)
        nbody_lanes(first, (int)std::min<long>(LANES, last - first));
}

struct nbody_arrays {
    float4 *at[ARRAYS];
};

__global__ void nbody_kernel(long first, long last, long bodies, nbody_arrays arrays)
{
    __shared__ float4 tile[TILE];
    const float4 *from = arrays.at[NBODY_FROM];
    long i = first + blockIdx.x * (long)TILE + threadIdx.x;
    float4 me = from[i < last ? i : first], a = { 0, 0, 0, 0 };
    for (long start = 0; start < bodies; start += TILE) {
        long mine = start + threadIdx.x;
        __syncthreads();
        /* beyond the last body: mass 0, so it does not pull */
        tile[threadIdx.x] = mine < bodies ? from[mine] : float4{ 0, 0, 0, 0 };
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < TILE; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING2);
            float w = tile[k].w * r * r * r;
            a.x += w * dx;
            a.y += w * dy;
            a.z += w * dz;
        }
    }
    if (i < last)
        nbody_move(arrays.at, i, a);
}

static void nbody_launch(long first, long last)
{
    nbody_arrays arrays;
    for (int k = 0; k < ARRAYS; k++)
        arrays.at[k] = (float4 *)gpu[k];
    nbody_kernel<<<blocks(last - first, TILE), TILE, 0, stream[0]>>>(first, last, items, arrays);
}

static void nbody_gpu(long first, long last)
{
    up(NBODY_FROM, 0, 4 * items, stream[0]);
    up(NBODY_VELOCITY, 4 * first, 4 * (last - first), stream[0]);
    nbody_launch(first, last);
    for (int k = NBODY_VELOCITY; k <= NBODY_ACCELERATION; k++)
        down(k, 4 * first, 4 * (last - first), stream[0]);
}

/* Checks the acceleration against a direct sum, and the move against the acceleration. */
static double nbody_error(long i)
{
    const float *from = host[NBODY_FROM];
    double sum[3] = {}, error = 0, size = 1;
    for (long j = 0; j < items; j++) {
        double d[3], r2 = SOFTENING2;
        for (int k = 0; k < 3; k++) {
            d[k] = (double)from[4 * j + k] - from[4 * i + k];
            r2 += d[k] * d[k];
        }
        for (int k = 0; k < 3; k++)
            sum[k] += from[4 * j + 3] / (r2 * sqrt(r2)) * d[k];
    }
    for (int k = 0; k < 3; k++) {
        double a = host[NBODY_ACCELERATION][4 * i + k];
        double v = nbody_velocity(i, k) + STEP * a;
        double there = from[4 * i + k] + STEP * v;
        size += fabs(sum[k]);
        error += fabs(a - sum[k]) + fabs(host[NBODY_VELOCITY][4 * i + k] - v) +
                 fabs(host[NBODY_TO][4 * i + k] - there);
    }
    return error / (2e-5 * size);
}

static const job jobs[] = {
    { "saxpy",
      { 1, 1, 0, 0 },
      saxpy_fill,
      saxpy_reset,
      saxpy_cpu,
      saxpy_gpu,
      saxpy_launch,
      saxpy_error },
    { "mxv",
      { COLUMNS, -COLUMNS, 1, 0 },
      mxv_fill,
      mxv_reset,
      mxv_cpu,
      mxv_gpu,
      mxv_launch,
      mxv_error },
    { "nbody",
      { 4, 4, 4, 4 },
      nbody_fill,
      nbody_reset,
      nbody_cpu,
      nbody_gpu,
      nbody_launch,
      nbody_error },
};

#endif
