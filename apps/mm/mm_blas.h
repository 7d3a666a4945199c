/* mm_blas.h - the product by libraries, which are looked for when they are needed: whoever runs
 * another application has nothing of them, such as the threads that OpenBLAS starts when it is
 * loaded.
 */
#ifndef YOKE_APPS_MM_BLAS_H
#define YOKE_APPS_MM_BLAS_H

#include <yoke/kernel_type.h>

#include "mm_kernels.h"

/* A chunk's part of the product: the shape of its blocks as libraries count, in elements, and where
 * they begin. From the kernel's arguments (mm_kernels.h). */
struct mm_shape {
    int rows, width, inner; /* C: rows x width */
    int b_row, c_row;       /* from a row to the next, in memory */
    int64_t a, b, c;
};
static inline struct mm_shape mm_shape_of(void *const *args, const yoke_chunk *chunk)
{
    const int64_t inner = *(const int64_t *)args[MM_INNER];
    const int64_t b_row = *(const int64_t *)args[MM_B_ROW];
    const int64_t c_row = *(const int64_t *)args[MM_C_ROW];
    const int64_t from = *(const int64_t *)args[MM_FROM_COLUMN];
    const int64_t to = *(const int64_t *)args[MM_TO_COLUMN];
    return (struct mm_shape){ .rows = (int)(chunk->last - chunk->first),
                              .width = (int)(to - from),
                              .inner = (int)inner,
                              .b_row = (int)b_row,
                              .c_row = (int)c_row,
                              .a = chunk->first * inner,
                              .b = from,
                              .c = chunk->first * c_row + from };
}

/* Puts OpenBLAS into the kernel, one call a piece, on the core that has the piece. The library's
 * words about itself; NULL, with nothing changed, where there is none. */
const char *mm_openblas_use(yoke_kernel *kernel, int single);

/* Puts cuBLAS into the kernel, likewise. */
const char *mm_cublas_use(yoke_kernel *kernel, int single);
/* Gives back what was made for streams of runtimes. While they are still open. */
void mm_cublas_forget(void);

#endif
