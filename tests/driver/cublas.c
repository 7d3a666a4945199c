/* cublas.c - a stand-in for cuBLAS, as libcublas.so.12: the functions that the application mm
 * calls, with the library's own rules, computed on the host in stream order.
 *
 * YOKE_STANDIN_CUBLAS_FAIL=N,STATUS: the Nth call returns that status and does nothing. Handles
 * that are still open when the process ends are reported on stderr. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "standin.h"

enum {
    SUCCESS = 0,
    NOT_INITIALIZED = 1,
    ALLOC_FAILED = 3,
    INVALID_VALUE = 7,
    MAPPING_ERROR = 11,
    NOT_TRANSPOSED = 0
};

typedef struct cublasContext {
    void *context, *stream; /* the driver's; the stream is NULL until it is set */
} * cublasHandle_t;

static atomic_long handles, calls;

__attribute__((destructor)) static void tell_left(void)
{
    if (atomic_load(&handles))
        fprintf(stderr, "stand-in cuBLAS: %ld handles are left\n", atomic_load(&handles));
}

static int due(void)
{
    const char *text = getenv("YOKE_STANDIN_CUBLAS_FAIL");
    long nth = 0, call = atomic_fetch_add(&calls, 1) + 1;
    int status = 0;
    return text && sscanf(text, "%ld,%d", &nth, &status) == 2 && nth == call ? status : SUCCESS;
}

/* A handle belongs to the context in which it was made, which must be current in every call. */
static int check(cublasHandle_t handle)
{
    const int status = due();
    if (status)
        return status;
    return !handle                                ? NOT_INITIALIZED
           : handle->context != standin_current() ? MAPPING_ERROR
                                                  : SUCCESS;
}

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* cuBLAS's header declares them */
#define EXPORT __attribute__((visibility("default")))

EXPORT int cublasCreate_v2(cublasHandle_t *handle)
{
    const int status = due();
    cublasHandle_t made;
    if (status)
        return status;
    if (!standin_current())
        return NOT_INITIALIZED;
    made = calloc(1, sizeof *made);
    if (!made)
        return ALLOC_FAILED;
    made->context = standin_current();
    atomic_fetch_add(&handles, 1);
    *handle = made;
    return SUCCESS;
}

EXPORT int cublasDestroy_v2(cublasHandle_t handle)
{
    if (!handle)
        return NOT_INITIALIZED;
    if (handle->context != standin_current())
        return MAPPING_ERROR;
    atomic_fetch_sub(&handles, 1);
    free(handle);
    return SUCCESS;
}

EXPORT int cublasSetStream_v2(cublasHandle_t handle, void *stream)
{
    const int status = check(handle);
    if (!status)
        handle->stream = stream;
    return status;
}

struct product { /* matrices are column-major */
    int m, n, k, lda, ldb, ldc, is_single;
    double alpha, beta; /* read during the call */
    const void *a, *b;
    void *c;
};

static double get(const struct product *p, const void *matrix, int64_t at)
{
    return p->is_single ? (double)((const float *)matrix)[at] : ((const double *)matrix)[at];
}

static int compute(void *context)
{
    const struct product *p = context;
    int64_t i, j, l;
    for (j = 0; j < p->n; j++)
        for (i = 0; i < p->m; i++) {
            const int64_t at = i + j * p->ldc;
            double sum = 0;
            for (l = 0; l < p->k; l++)
                sum += get(p, p->a, i + l * p->lda) * get(p, p->b, l + j * p->ldb);
            sum = p->alpha * sum + (p->beta != 0 ? p->beta * get(p, p->c, at) : 0);
            if (p->is_single)
                ((float *)p->c)[at] = (float)sum;
            else
                ((double *)p->c)[at] = sum;
        }
    free(context);
    return 0;
}

static int start(cublasHandle_t handle, const int turns[2], const struct product *product)
{
    struct product *mine;
    const int status = check(handle);
    if (status)
        return status;
    if (turns[0] != NOT_TRANSPOSED || turns[1] != NOT_TRANSPOSED || product->m < 0 ||
        product->n < 0 || product->k < 0 || product->lda < product->m || product->lda < 1 ||
        product->ldb < product->k || product->ldb < 1 || product->ldc < product->m ||
        product->ldc < 1 || !handle->stream)
        return INVALID_VALUE;
    mine = malloc(sizeof *mine);
    if (!mine)
        return ALLOC_FAILED;
    *mine = *product;
    return standin_run_on(handle->stream, compute, mine) ? MAPPING_ERROR : SUCCESS;
}

EXPORT int cublasDgemm_v2(cublasHandle_t handle, int turn_a, int turn_b, int m, int n, int k,
                          const double *alpha, const double *a, int lda, const double *b, int ldb,
                          const double *beta, double *c, int ldc)
{
    const struct product product = { m, n, k, lda, ldb, ldc, 0, *alpha, *beta, a, b, c };
    return start(handle, (const int[2]){ turn_a, turn_b }, &product);
}

EXPORT int cublasSgemm_v2(cublasHandle_t handle, int turn_a, int turn_b, int m, int n, int k,
                          const float *alpha, const float *a, int lda, const float *b, int ldb,
                          const float *beta, float *c, int ldc)
{
    const struct product product = { m, n, k, lda, ldb, ldc, 1, (double)*alpha, (double)*beta,
                                     a, b, c };
    return start(handle, (const int[2]){ turn_a, turn_b }, &product);
}
