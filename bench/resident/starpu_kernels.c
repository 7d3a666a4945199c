/* starpu_kernels.c - see starpu_kernels.h. Compiled for this machine's cores. */
#include "starpu_kernels.h"

#include <stdio.h>
#include <stdlib.h>

const float *whole_of(void *buffers[])
{
    const int blocks = starpu_task_get_current()->nbuffers - MULTIPLY_BLOCKS;
    const float *next = FLOATS(buffers[MULTIPLY_BLOCKS]);
    int b;
    for (b = 0; b < blocks; b++) {
        if (FLOATS(buffers[MULTIPLY_BLOCKS + b]) != next) {
            fprintf(stderr, "starpu: the blocks of a vector lie apart in a memory\n");
            _Exit(1);
        }
        next += ROWS(buffers[MULTIPLY_BLOCKS + b]);
    }
    return FLOATS(buffers[MULTIPLY_BLOCKS]);
}

static void axpy_cpu(void *buffers[], void *argument)
{
    const float a = factor_of(argument), *restrict x = FLOATS(buffers[0]);
    float *restrict y = FLOATS(buffers[1]);
    int64_t i;
    for (i = 0; i < ROWS(buffers[1]); i++)
        y[i] = a * x[i] + y[i];
}

static void smooth_cpu(void *buffers[], void *argument)
{
    const float *restrict u = FLOATS(buffers[0]);
    const float before = FLOATS(buffers[1])[1], after = FLOATS(buffers[2])[0];
    float *restrict w = FLOATS(buffers[3]), *ends = FLOATS(buffers[4]);
    const int64_t last = ROWS(buffers[0]) - 1;
    const int place = (int)(intptr_t)argument;
    int64_t i;
    w[0] = place & IS_FIRST ? u[0] : 0.25f * before + 0.5f * u[0] + 0.25f * u[1];
    for (i = 1; i < last; i++)
        w[i] = 0.25f * u[i - 1] + 0.5f * u[i] + 0.25f * u[i + 1];
    w[last] = place & IS_LAST ? u[last] : 0.25f * u[last - 1] + 0.5f * u[last] + 0.25f * after;
    ends[0] = w[0];
    ends[1] = w[last];
}

static void scale_cpu(void *buffers[], void *argument)
{
    const float a = factor_of(argument), *restrict w = FLOATS(buffers[0]);
    float *restrict u = FLOATS(buffers[1]);
    int64_t i;
    for (i = 0; i < ROWS(buffers[1]); i++)
        u[i] = a * w[i];
}

static void scale_ends_cpu(void *buffers[], void *argument)
{
    scale_cpu(buffers, argument);
    FLOATS(buffers[2])[0] = FLOATS(buffers[1])[0];
    FLOATS(buffers[2])[1] = FLOATS(buffers[1])[ROWS(buffers[1]) - 1];
}

static void aim_cpu(void *buffers[], void *argument)
{
    const float b = factor_of(argument), *restrict r = FLOATS(buffers[0]);
    float *restrict u = FLOATS(buffers[1]);
    int64_t i;
    for (i = 0; i < ROWS(buffers[1]); i++)
        u[i] = r[i] + b * u[i];
}

static void dot_cpu(void *buffers[], void *argument)
{
    const float *x = FLOATS(buffers[0]), *y = FLOATS(buffers[1]);
    const int64_t rows = ROWS(buffers[0]);
    double sum = 0;
    int64_t i;
    (void)argument;
#pragma omp simd reduction(+ : sum)
    for (i = 0; i < rows; i++)
        sum += (double)x[i] * y[i];
    *(double *)STARPU_VARIABLE_GET_PTR(buffers[2]) = sum;
}

static void multiply_cpu(void *buffers[], void *argument)
{
    const int64_t *start = (const int64_t *)STARPU_VECTOR_GET_PTR(buffers[0]);
    const int64_t first = start[0]; /* the non-zeros are the block's only */
    const int32_t *column = (const int32_t *)STARPU_VECTOR_GET_PTR(buffers[1]);
    const float *value = FLOATS(buffers[2]), *x = whole_of(buffers);
    float *restrict y = FLOATS(buffers[3]), sum;
    int64_t i, k;
    (void)argument;
    for (i = 0; i < ROWS(buffers[3]); i++) {
        sum = 0;
        for (k = start[i] - first; k < start[i + 1] - first; k++)
            sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}

#if defined(STARPU_USE_CUDA) && !defined(CORES_ONLY)
#define ON_CUDA(function) .cuda_funcs = { function##_cuda }, .cuda_flags = { STARPU_CUDA_ASYNC },
#else
#define ON_CUDA(function)
#endif

/* `...`: how each buffer is accessed. */
#define CODELET(function, buffer_count, ...)                                                       \
    static struct starpu_perfmodel function##_model = { .type = STARPU_HISTORY_BASED,              \
                                                        .symbol = "resident_" #function };         \
    struct starpu_codelet function = { ON_CUDA(function).cpu_funcs = { function##_cpu },           \
                                       .nbuffers = buffer_count, .modes = { __VA_ARGS__ },         \
                                       .model = &function##_model, .name = #function }

CODELET(axpy, 2, STARPU_R, STARPU_RW);
CODELET(smooth, 5, STARPU_R, STARPU_R, STARPU_R, STARPU_W, STARPU_W);
CODELET(scale, 2, STARPU_R, STARPU_W);
CODELET(scale_ends, 3, STARPU_R, STARPU_W, STARPU_W);
CODELET(aim, 2, STARPU_R, STARPU_RW);
CODELET(dot, 3, STARPU_R, STARPU_R, STARPU_W);
CODELET(multiply, STARPU_VARIABLE_NBUFFERS, STARPU_R); /* each task says its modes */
