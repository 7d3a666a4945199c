/* mm_openblas.c - OpenBLAS on cores: each core calls it for rows of its own, with one thread.
 *
 * Its own threads would wait for the slowest of them in every call; yoke's cores take pieces as
 * they get ready. The price is that every call rearranges ("packs") all of B for itself, which is
 * why a piece should have hundreds of rows.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "mm_blas.h"

/* The little that is used of cblas.h; its enumerations have the size of an int. */
enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111 };

static struct {
    void (*set_num_threads)(int threads);
    char *(*get_config)(void);
    void (*dgemm)(int order, int turn_a, int turn_b, int m, int n, int k, double alpha,
                  const double *a, int lda, const double *b, int ldb, double beta, double *c,
                  int ldc);
    void (*sgemm)(int order, int turn_a, int turn_b, int m, int n, int k, float alpha,
                  const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
} blas;
static const char *config; /* NULL: there is no OpenBLAS */

/* dlsym gives an object's address; POSIX says that a function's may be stored so. */
static int find(void *library, const char *name, void *slot)
{
    *(void **)slot = dlsym(library, name);
    return *(void **)slot != NULL;
}

/* It stays loaded: its threads would have to be ended. */
static void load(void)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    if (!find(library, "openblas_set_num_threads", &blas.set_num_threads) ||
        !find(library, "openblas_get_config", &blas.get_config) ||
        !find(library, "cblas_dgemm", &blas.dgemm) || !find(library, "cblas_sgemm", &blas.sgemm)) {
        dlclose(library);
        return;
    }
    blas.set_num_threads(1);
    config = blas.get_config();
}

static void rows_double(void *const *args, const yoke_chunk *chunk)
{
    const struct mm_shape s = mm_shape_of(args, chunk);
    const double *a = args[4], *b = args[5];
    double *c = args[6];
    blas.dgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, s.rows, s.width, s.inner, 1, a + s.a,
               s.inner, b + s.b, s.columns, 0, c + s.c, s.columns);
}

static void rows_single(void *const *args, const yoke_chunk *chunk)
{
    const struct mm_shape s = mm_shape_of(args, chunk);
    const float *a = args[4], *b = args[5];
    float *c = args[6];
    blas.sgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, s.rows, s.width, s.inner, 1, a + s.a,
               s.inner, b + s.b, s.columns, 0, c + s.c, s.columns);
}

const char *mm_openblas_use(yoke_kernel *kernel, int single)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int v;
    pthread_once(&once, load);
    if (!config)
        return NULL;
    /* It chooses by the processor itself. */
    for (v = 1; v < YOKE_CPU_VARIANTS; v++)
        kernel->cpu.variant[v] = NULL;
    kernel->cpu.variant[0] = single ? rows_single : rows_double;
    return config;
}
