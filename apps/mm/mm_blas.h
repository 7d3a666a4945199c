/* mm_blas.h - the product by libraries. These are loaded only when needed, so that other
 * applications do not get their side effects, such as the threads that OpenBLAS starts when it is
 * loaded.
 */
#ifndef YOKE_APPS_MM_BLAS_H
#define YOKE_APPS_MM_BLAS_H

#include <yoke/kernel_type.h>

#include "mm_kernels.h"

/* A chunk's part of the product, from the kernel's arguments (mm_kernels.h): the shape of its
 * blocks in the types that libraries use, and where the blocks begin, in elements. */
struct mm_shape {
    int rows, width, inner; /* C: rows x width */
    int b_row, c_row;       /* elements from one row to the next, in memory */
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

/* Puts OpenBLAS into the kernel: one call per piece, on the core that has the piece. Returns the
 * library's description of itself; NULL, with nothing changed, if it is not available. */
const char *mm_openblas_use(yoke_kernel *kernel, int single);

/* Puts cuBLAS into the kernel, in the same way. */
const char *mm_cublas_use(yoke_kernel *kernel, int single);
/* Frees the handles that were made for streams of runtimes. Call while these are still open. */
void mm_cublas_forget(void);

#endif
