/* mm_blas.h - the product by libraries, which are looked for when they are needed: whoever runs
 * another application has nothing of them, such as the threads that OpenBLAS starts when it is
 * loaded.
 */
#ifndef YOKE_APPS_MM_BLAS_H
#define YOKE_APPS_MM_BLAS_H

#include <yoke/kernel_type.h>

/* Puts OpenBLAS into the kernel, one call a piece, on the core that has the piece. The library's
 * words about itself; NULL, with nothing changed, where there is none. */
const char *mm_openblas_use(yoke_kernel *kernel, int single);

/* Puts cuBLAS into the kernel, likewise. */
const char *mm_cublas_use(yoke_kernel *kernel, int single);
/* Gives back what was made for streams of runtimes. While they are still open. */
void mm_cublas_forget(void);

#endif
