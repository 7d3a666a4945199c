/* mm_cublas.c - cuBLAS on NVIDIA GPUs, on the streams that yoke passes.
 *
 * A handle belongs to the context it was made in. Each stream has its own, because two streams
 * would share the workspace of one handle. Handles are made in a stream's first call, and freed
 * when the application leaves the runtime, whose contexts end with it.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "mm_blas.h"

/* The parts of cublas_v2.h and cuda.h that are used, so that nothing of CUDA is needed to build. */
typedef struct cublasContext *cublas_handle;
enum { CUBLAS_OP_N = 0, CUBLAS_ALLOC_FAILED = 3 };
enum { CUDA_OUT_OF_MEMORY = 2, CUDA_UNKNOWN = 999 };

static struct {
    int (*create)(cublas_handle *handle);
    int (*destroy)(cublas_handle handle);
    int (*set_stream)(cublas_handle handle, void *stream);
    int (*dgemm)(cublas_handle handle, int turn_a, int turn_b, int m, int n, int k,
                 const double *alpha, const double *a, int lda, const double *b, int ldb,
                 const double *beta, double *c, int ldc);
    int (*sgemm)(cublas_handle handle, int turn_a, int turn_b, int m, int n, int k,
                 const float *alpha, const float *a, int lda, const float *b, int ldb,
                 const float *beta, float *c, int ldc);
    const char *name; /* NULL: there is none */
} cublas;
static struct { /* of the driver, to free handles from a host thread */
    int (*push)(void *context);
    int (*pop)(void **context);
} driver;

enum { STREAMS_MAX = 64 };
static struct {
    void *context, *stream;
    cublas_handle handle;
} handles[STREAMS_MAX];
static int handle_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the handles; GPUs call at the
                                                          * same time */

/* dlsym returns an object pointer; POSIX permits storing a function's address like this. */
static int find(void *library, const char *name, void *slot)
{
    *(void **)slot = library ? dlsym(library, name) : NULL;
    return *(void **)slot != NULL;
}

static int find_all(void *library)
{
    return find(library, "cublasCreate_v2", &cublas.create) &&
           find(library, "cublasDestroy_v2", &cublas.destroy) &&
           find(library, "cublasSetStream_v2", &cublas.set_stream) &&
           find(library, "cublasDgemm_v2", &cublas.dgemm) &&
           find(library, "cublasSgemm_v2", &cublas.sgemm);
}

/* Loads the newest cuBLAS that the driver supports; a newer one would fail in its first call, and
 * the GPU would be lost. */
static void load(void)
{
    static const char *const names[] = { "libcublas.so.13", "libcublas.so.12", "libcublas.so.11" };
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*get_version)(int *version), version = 0, n;
    if (find(library, "cuDriverGetVersion", &get_version))
        get_version(&version); /* 12040: CUDA 12.4 */
    if (!find(library, "cuCtxPushCurrent_v2", &driver.push) ||
        !find(library, "cuCtxPopCurrent_v2", &driver.pop))
        driver.push = NULL;
    for (n = 0; n < 3 && !cublas.name; n++) {
        if (version && version / 1000 < 13 - n)
            continue;
        library = dlopen(names[n], RTLD_NOW | RTLD_LOCAL);
        if (find_all(library))
            cublas.name = names[n];
        else if (library)
            dlclose(library);
    }
}

/* Uses the arithmetic of a new handle (CUBLAS_DEFAULT_MATH), which never rounds to fewer bits than
 * the type has: float stays float, not TF32. Each handle has its own workspace. */
static int make_handle(const yoke_cuda_call *call)
{
    cublas_handle handle;
    int status = handle_count < STREAMS_MAX ? cublas.create(&handle) : CUBLAS_ALLOC_FAILED;
    if (status)
        return status;
    status = cublas.set_stream(handle, call->stream);
    if (status) {
        cublas.destroy(handle);
        return status;
    }
    handles[handle_count].context = call->context;
    handles[handle_count].stream = call->stream;
    handles[handle_count++].handle = handle;
    return 0;
}

/* Finds or makes the stream's handle. Returns 0 or an error of cuBLAS. */
static int handle_of(const yoke_cuda_call *call, cublas_handle *out)
{
    int h = 0, status = 0;
    pthread_mutex_lock(&lock);
    while (h < handle_count &&
           (handles[h].context != call->context || handles[h].stream != call->stream))
        h++;
    if (h == handle_count)
        status = make_handle(call);
    if (!status)
        *out = handles[h].handle;
    pthread_mutex_unlock(&lock);
    return status;
}

static int driver_error(int status)
{
    return status == 0 ? 0 : status == CUBLAS_ALLOC_FAILED ? CUDA_OUT_OF_MEMORY : CUDA_UNKNOWN;
}

/* cuBLAS stores matrices by columns. To it, our matrices by rows are their transposes, so it
 * computes C' = B' A', with nothing to transpose. `one` and `zero` are in host memory, where a new
 * handle expects them, and are read before the call returns. */
static int rows_double(const yoke_cuda_call *call, const yoke_chunk *chunk)
{
    const struct mm_shape s = mm_shape_of(call->args, chunk);
    const double *a = call->args[MM_A], *b = call->args[MM_B], one = 1, zero = 0;
    double *c = call->args[MM_C];
    cublas_handle handle;
    int status = handle_of(call, &handle);
    if (!status)
        status = cublas.dgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, s.width, s.rows, s.inner, &one,
                              b + s.b, s.b_row, a + s.a, s.inner, &zero, c + s.c, s.c_row);
    return driver_error(status);
}

static int rows_single(const yoke_cuda_call *call, const yoke_chunk *chunk)
{
    const struct mm_shape s = mm_shape_of(call->args, chunk);
    const float *a = call->args[MM_A], *b = call->args[MM_B], one = 1, zero = 0;
    float *c = call->args[MM_C];
    cublas_handle handle;
    int status = handle_of(call, &handle);
    if (!status)
        status = cublas.sgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, s.width, s.rows, s.inner, &one,
                              b + s.b, s.b_row, a + s.a, s.inner, &zero, c + s.c, s.c_row);
    return driver_error(status);
}

const char *mm_cublas_use(yoke_kernel *kernel, int single)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (cublas.name)
        kernel->cuda.native = single ? rows_single : rows_double;
    return cublas.name;
}

/* If the driver's functions are not found, a handle is left until its context ends. */
void mm_cublas_forget(void)
{
    void *same;
    int h;
    pthread_mutex_lock(&lock);
    for (h = 0; driver.push && h < handle_count; h++)
        if (driver.push(handles[h].context) == 0) {
            cublas.destroy(handles[h].handle);
            driver.pop(&same);
        }
    handle_count = 0;
    pthread_mutex_unlock(&lock);
}
