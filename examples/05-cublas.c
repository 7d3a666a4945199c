/* 05-cublas.c - y = A x: NVIDIA GPUs call cuBLAS on the stream that yoke gives them, and all other
 * devices use the kernel's own text. cuBLAS is loaded at run time; without it, or without a GPU,
 * the result is the same. */
#include <yoke/kernel.h>

YOKE_KERNEL(mxv, i, YOKE_VALUE(int64_t, columns), YOKE_IN(float, a), YOKE_IN(float, x),
            YOKE_OUT(float, y))
{
    float sum = 0.0f;
    for (int64_t j = 0; j < columns; j++)
        sum += a[i * columns + j] * x[j];
    y[i] = sum;
}

#ifndef YOKE_FLATTEN
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

/* The few declarations of cublas_v2.h that are used, so that no CUDA header is needed to build
 * this. */
typedef struct cublasContext *cublas_handle;
enum { CUBLAS_OP_T = 1, CUBLAS_ALLOC_FAILED = 3 };
enum { CUDA_OUT_OF_MEMORY = 2, CUDA_UNKNOWN = 999 };

static struct {
    int (*create)(cublas_handle *handle);
    int (*set_stream)(cublas_handle handle, void *stream);
    int (*sgemv)(cublas_handle handle, int transpose, int m, int n, const float *alpha,
                 const float *a, int lda, const float *x, int incx, const float *beta, float *y,
                 int incy);
} cublas;

/* dlsym returns an object pointer; POSIX allows a function's address to be stored this way. */
static int find(void *library, const char *name, void *slot)
{
    *(void **)slot = dlsym(library, name);
    return *(void **)slot != NULL;
}

/* Returns 1 if cuBLAS was found; it stays loaded. */
static int load_cublas(void)
{
    static const char *const names[] = { "libcublas.so.13", "libcublas.so.12", "libcublas.so.11" };
    for (int n = 0; n < 3; n++) {
        void *library = dlopen(names[n], RTLD_NOW | RTLD_LOCAL);
        if (!library)
            continue;
        if (find(library, "cublasCreate_v2", &cublas.create) &&
            find(library, "cublasSetStream_v2", &cublas.set_stream) &&
            find(library, "cublasSgemv_v2", &cublas.sgemv)) {
            fprintf(stderr, "NVIDIA GPUs use %s\n", names[n]);
            return 1;
        }
        dlclose(library);
    }
    fprintf(stderr, "no libcublas.so.13, .12 or .11: NVIDIA GPUs use the kernel's own text\n");
    return 0;
}

/* A handle belongs to the context in which it was made. Each stream has its own handle, because two
 * streams with one handle would share its workspace. Handles are never destroyed, because their
 * context may be gone before the process ends. Different GPUs call handle_of from different
 * threads. */
enum { STREAMS_MAX = 64 };
static struct {
    void *context, *stream;
    cublas_handle handle;
} handles[STREAMS_MAX];
static int handle_count;
static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;

static cublas_handle handle_of(const yoke_cuda_call *call, int *status)
{
    cublas_handle handle = NULL;
    int h = 0;
    *status = CUBLAS_ALLOC_FAILED;
    pthread_mutex_lock(&handles_lock);
    while (h < handle_count &&
           (handles[h].context != call->context || handles[h].stream != call->stream))
        h++;
    if (h == handle_count && h < STREAMS_MAX && !(*status = cublas.create(&handles[h].handle)) &&
        !(*status = cublas.set_stream(handles[h].handle, call->stream))) {
        handles[h].context = call->context;
        handles[h].stream = call->stream;
        handle_count++;
    }
    if (h < handle_count) {
        handle = handles[h].handle;
        *status = 0;
    }
    pthread_mutex_unlock(&handles_lock);
    return handle;
}

/* Computes rows chunk->first .. chunk->last - 1. cuBLAS is column-major: it sees our rows of
 * `columns` numbers as the columns of the transposed matrix, which has `columns` rows, so it must
 * transpose that. */
static int mxv_by_cublas(const yoke_cuda_call *call, const yoke_chunk *chunk)
{
    const int64_t columns = *(const int64_t *)call->args[0];
    const float *a = call->args[1], *x = call->args[2], one = 1.0f, zero = 0.0f;
    float *y = call->args[3];
    int status;
    cublas_handle handle = handle_of(call, &status);
    if (handle)
        status = cublas.sgemv(handle, CUBLAS_OP_T, (int)columns, (int)(chunk->last - chunk->first),
                              &one, a + chunk->first * columns, (int)columns, x, 1, &zero,
                              y + chunk->first, 1);
    return status == 0 ? 0 : status == CUBLAS_ALLOC_FAILED ? CUDA_OUT_OF_MEMORY : CUDA_UNKNOWN;
}

enum { rows = 4096, columns = 1024 };
static float as[(size_t)rows * columns], xs[columns], ys[rows];

/* Small integers: their sums are exact in any order. */
static float a_at(int64_t i, int64_t j)
{
    return (float)((i + 3 * j) % 7);
}

static void fill(void)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            as[i * columns + j] = a_at(i, j);
    for (int64_t j = 0; j < columns; j++)
        xs[j] = (float)(j % 5 - 2);
}

static int count_wrong(void)
{
    int wrong = 0;
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < columns; j++)
            sum += (double)a_at(i, j) * (double)(j % 5 - 2);
        wrong += (double)ys[i] != sum;
    }
    return wrong;
}

int main(void)
{
    yoke_runtime *rt;
    yoke_array *a, *x, *y;
    yoke_result *result;
    int64_t width = columns;
    yoke_kernel kernel = mxv;
    yoke_array_spec spec = {
        .host = as, .rows = rows, .row_elements = columns, .element_size = sizeof *as
    };
    fill();
    if (load_cublas())
        kernel.cuda.native = mxv_by_cublas;
    if (yoke_open(NULL, &rt) != YOKE_OK || yoke_array_open(rt, &spec, &a) != YOKE_OK ||
        yoke_array_wrap(rt, xs, columns, sizeof *xs, &x) != YOKE_OK ||
        yoke_array_wrap(rt, ys, rows, sizeof *ys, &y) != YOKE_OK)
        goto failed;
    yoke_job job = { .kernel = &kernel,
                     .range = { 0, rows },
                     .args = { yoke_value(width), yoke_in(a), yoke_in_whole(x), yoke_out(y) } };
    if (yoke_run(rt, &job, &result) != YOKE_OK || yoke_array_acquire(y, YOKE_READ) != YOKE_OK)
        goto failed;
    for (int d = 0; d < result->device_count; d++) {
        yoke_device device;
        if (yoke_device_get(rt, d, &device) == YOKE_OK)
            fprintf(stderr, "%s: %lld rows\n", device.name, (long long)result->devices[d].items);
    }
    yoke_result_close(result);
    int wrong = count_wrong();
    printf("y[1] = %g, y[%d] = %g; %d of %d wrong\n", (double)ys[1], rows - 1, (double)ys[rows - 1],
           wrong, (int)rows);
    yoke_array_close(y);
    yoke_array_close(x);
    yoke_array_close(a);
    return yoke_close(rt) != YOKE_OK || wrong ? EXIT_FAILURE : EXIT_SUCCESS;
failed:
    fprintf(stderr, "%s\n", yoke_error_text());
    return EXIT_FAILURE;
}
#endif
