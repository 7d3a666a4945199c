/* openblas.c - a stand-in for OpenBLAS, as libopenblas.so.0: the functions that the application mm
 * calls, and the choice of the processor's kernels.
 *
 * YOKE_STANDIN_OPENBLAS=CORE: the processor that it detects. As in the library, OPENBLAS_CORETYPE,
 * which is read at load time, has precedence. */
#include <stdio.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* OpenBLAS's header declares them */
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

/* Row-major, not transposed, alpha 1 and beta 0. */
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
