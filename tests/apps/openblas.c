/* openblas.c - a stand-in for OpenBLAS, as libopenblas.so.0: what the application mm calls of it,
 * and how it settles for which processor it works.
 *
 * YOKE_STANDIN_OPENBLAS=CORE: what it takes the processor for. As in the library OPENBLAS_CORETYPE,
 * read when it is loaded, goes before that.
 */
#include <stdio.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* those are in OpenBLAS's header */
#define EXPORT __attribute__((visibility("default")))

static char core[64], config[96];

__attribute__((constructor)) static void settle(void)
{
    const char *asked = getenv("OPENBLAS_CORETYPE"), *own = getenv("YOKE_STANDIN_OPENBLAS");
    snprintf(core, sizeof core, "%s", asked ? asked : own ? own : "Haswell");
    snprintf(config, sizeof config, "stand-in for %s", core);
}

EXPORT void openblas_set_num_threads(int threads)
{
    (void)threads;
}

EXPORT char *openblas_get_config(void)
{
    return config;
}

EXPORT char *openblas_get_corename(void)
{
    return core;
}

/* By rows, with nothing transposed, alpha 1 and beta 0. */
#define GEMM(name, real)                                                                           \
    EXPORT void name(int order, int turn_a, int turn_b, int m, int n, int k, real alpha,           \
                     const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc)  \
    {                                                                                              \
        if (order != 101 || turn_a != 111 || turn_b != 111 || alpha != 1 || beta != 0)             \
            abort();                                                                               \
        for (int i = 0; i < m; i++)                                                                \
            for (int j = 0; j < n; j++) {                                                          \
                real sum = 0;                                                                      \
                for (int l = 0; l < k; l++)                                                        \
                    sum += a[(size_t)i * (size_t)lda + (size_t)l] *                                \
                           b[(size_t)l * (size_t)ldb + (size_t)j];                                 \
                c[(size_t)i * (size_t)ldc + (size_t)j] = sum;                                      \
            }                                                                                      \
    }
GEMM(cblas_dgemm, double)
GEMM(cblas_sgemm, float)
