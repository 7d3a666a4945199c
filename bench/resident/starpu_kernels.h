/* starpu_kernels.h - the kernels of kernels.c as StarPU's codelets, each of one block of rows.
 * Their functions are in starpu_kernels.c for cores, and in starpu_kernels.cu for CUDA.
 *
 * A vector's block has two ends, its first and its last element, in a vector of two, so that a
 * neighbour reads these and not the block.
 */
#ifndef BENCH_RESIDENT_STARPU_KERNELS_H
#define BENCH_RESIDENT_STARPU_KERNELS_H

#include <starpu.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Buffers in the order of the comments. */
extern struct starpu_codelet axpy, /* x, y */
    smooth,                        /* u, ends before it, ends after it, w, w's ends */
    scale,                         /* w, u */
    scale_ends,                    /* w, u, u's ends */
    aim,                           /* r, u */
    dot,                           /* x, y, sum */
    multiply;                      /* start, column, value, y, all blocks of x */

/* Which rows of a block have no neighbour: the argument of `smooth`. */
enum { IS_FIRST = 1, IS_LAST = 2 };

/* A factor, the argument of the other codelets, travels in the argument's pointer itself. */
static inline void *word_of(float factor)
{
    uint32_t bits;
    memcpy(&bits, &factor, sizeof bits);
    return (void *)(uintptr_t)bits;
}
static inline float factor_of(void *word)
{
    const uint32_t bits = (uint32_t)(uintptr_t)word;
    float factor;
    memcpy(&factor, &bits, sizeof factor);
    return factor;
}

#define FLOATS(buffer) ((float *)STARPU_VECTOR_GET_PTR(buffer))
#define ROWS(buffer)   ((int64_t)STARPU_VECTOR_GET_NX(buffer))

/* The whole vector, whose blocks are the current task's buffers from `blocks` on. Ends the program
 * if they do not lie one after the other in this memory. */
enum { MULTIPLY_BLOCKS = 4 };
const float *whole_of(void *buffers[]);

#ifdef STARPU_USE_CUDA
void axpy_cuda(void *buffers[], void *argument);
void smooth_cuda(void *buffers[], void *argument);
void scale_cuda(void *buffers[], void *argument);
void scale_ends_cuda(void *buffers[], void *argument);
void aim_cuda(void *buffers[], void *argument);
void dot_cuda(void *buffers[], void *argument);
void multiply_cuda(void *buffers[], void *argument);
#endif

#ifdef __cplusplus
}
#endif

#endif
