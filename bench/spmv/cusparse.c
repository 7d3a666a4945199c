/* cusparse.c - loads libcuda and libcusparse by dlopen, with own declarations of the few functions
 * that are needed. If a function is missing, or a call fails, the note says which; times stay 0.
 */
#include "cusparse.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long long pointer;

static struct {
    int (*init)(unsigned);
    int (*device)(int *, int);
    int (*retain)(void **, int);
    int (*current)(void *);
    int (*alloc)(pointer *, size_t);
    int (*free)(pointer);
    int (*up)(pointer, const void *, size_t);
    int (*down)(void *, pointer, size_t);
    int (*across)(pointer, pointer, size_t, void *);
    int (*event)(void **, unsigned);
    int (*record)(void *, void *);
    int (*wait)(void *);
    int (*elapsed)(float *, void *, void *);
} cuda;

static struct {
    int (*create)(void **);
    int (*matrix)(void **, int64_t, int64_t, int64_t, void *, void *, void *, int, int, int, int);
    int (*vector)(void **, int64_t, void *, int);
    int (*size)(void *, int, const void *, const void *, const void *, const void *, void *, int,
                int, size_t *);
    int (*prepare)(void *, int, const void *, const void *, const void *, const void *, void *, int,
                   int, void *);
    int (*product)(void *, int, const void *, const void *, const void *, const void *, void *, int,
                   int, void *);
} sparse;

/* cusparse.h: CUSPARSE_INDEX_32I, _64I; library_types.h: CUDA_R_32F, _64F */
enum { INDEX_32 = 2, INDEX_64 = 3, REAL_32 = 0, REAL_64 = 1, PRODUCTS = 10, ALGORITHMS = 3 };
static const int algorithms[ALGORITHMS] = { 0, 2, 3 }; /* default, CSR_ALG1, CSR_ALG2 */

struct name {
    void *slot;
    const char *name;
};

static int find_all(void *library, const struct name *names, size_t count, char *note)
{
    for (size_t k = 0; k < count; k++) {
        void *found = dlsym(library, names[k].name);
        if (!found) {
            snprintf(note, 200, "there is no %s", names[k].name);
            return 0;
        }
        *(void **)names[k].slot = found;
    }
    return 1;
}

static int find_cuda(char *note)
{
    const struct name names[] = { { &cuda.init, "cuInit" },
                                  { &cuda.device, "cuDeviceGet" },
                                  { &cuda.retain, "cuDevicePrimaryCtxRetain" },
                                  { &cuda.current, "cuCtxSetCurrent" },
                                  { &cuda.alloc, "cuMemAlloc_v2" },
                                  { &cuda.free, "cuMemFree_v2" },
                                  { &cuda.up, "cuMemcpyHtoD_v2" },
                                  { &cuda.down, "cuMemcpyDtoH_v2" },
                                  { &cuda.across, "cuMemcpyDtoDAsync_v2" },
                                  { &cuda.event, "cuEventCreate" },
                                  { &cuda.record, "cuEventRecord" },
                                  { &cuda.wait, "cuEventSynchronize" },
                                  { &cuda.elapsed, "cuEventElapsedTime" } };
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context;
    int device;
    if (!library) {
        snprintf(note, 200, "there is no libcuda.so.1");
        return 0;
    }
    if (!find_all(library, names, sizeof names / sizeof *names, note))
        return 0;
    if (cuda.init(0) || cuda.device(&device, 0) || cuda.retain(&context, device) ||
        cuda.current(context)) {
        snprintf(note, 200, "the first GPU does not open");
        return 0;
    }
    return 1;
}

static int find_cusparse(char *note)
{
    const struct name names[] = { { &sparse.create, "cusparseCreate" },
                                  { &sparse.matrix, "cusparseCreateCsr" },
                                  { &sparse.vector, "cusparseCreateDnVec" },
                                  { &sparse.size, "cusparseSpMV_bufferSize" },
                                  { &sparse.product, "cusparseSpMV" } };
    static const char *const files[] = { "libcusparse.so.13", "libcusparse.so.12",
                                         "libcusparse.so.11", "libcusparse.so",
                                         "/usr/local/cuda/lib64/libcusparse.so" };
    void *library = NULL;
    for (size_t k = 0; k < sizeof files / sizeof *files && !library; k++)
        library = dlopen(files[k], RTLD_NOW | RTLD_LOCAL);
    if (!library && getenv("CUSPARSE"))
        library = dlopen(getenv("CUSPARSE"), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(note, 200, "there is no libcusparse.so; CUSPARSE=FILE names it");
        return 0;
    }
    *(void **)&sparse.prepare = dlsym(library, "cusparseSpMV_preprocess"); /* since 12.4 */
    return find_all(library, names, sizeof names / sizeof *names, note);
}

static pointer on_gpu(const void *from, size_t bytes)
{
    pointer p = 0;
    if (cuda.alloc(&p, bytes ? bytes : 1))
        return 0;
    if (from && cuda.up(p, from, bytes)) {
        cuda.free(p);
        return 0;
    }
    return p;
}

static double timed(void **events)
{
    float ms = 0;
    return cuda.record(events[1], NULL) || cuda.wait(events[1]) ||
                   cuda.elapsed(&ms, events[0], events[1])
               ? 0
               : (double)ms / 1e3;
}

static void measure_copies(int rounds, void **events, struct cusparse_times *out)
{
    const size_t bytes = (size_t)1 << 30;
    const pointer a = on_gpu(NULL, bytes), b = on_gpu(NULL, bytes);
    for (int r = 0; a && b && r < rounds + 1; r++) { /* the first round warms up */
        double seconds;
        cuda.record(events[0], NULL);
        for (int k = 0; k < PRODUCTS; k++)
            cuda.across(b, a, bytes, NULL);
        seconds = timed(events);
        if (r && seconds > 0)
            out->copy_rate = fmax(out->copy_rate, 2.0 * PRODUCTS * (double)bytes / seconds);
    }
    cuda.free(a);
    cuda.free(b);
}

struct work {
    void *handle, *matrix, *x, *y;
    int real;
    const void *one, *zero;
};

static double product_seconds(const struct work *w, int algorithm, int rounds, void **events)
{
    size_t bytes = 0;
    double best = 0;
    if (sparse.size(w->handle, 0, w->one, w->matrix, w->x, w->zero, w->y, w->real, algorithm,
                    &bytes))
        return 0;
    const pointer buffer = on_gpu(NULL, bytes);
    if (sparse.prepare)
        sparse.prepare(w->handle, 0, w->one, w->matrix, w->x, w->zero, w->y, w->real, algorithm,
                       (void *)(uintptr_t)buffer);
    for (int r = 0; r < rounds + 1; r++) {
        int failed = 0;
        double seconds;
        cuda.record(events[0], NULL);
        for (int k = 0; k < PRODUCTS; k++)
            failed |= sparse.product(w->handle, 0, w->one, w->matrix, w->x, w->zero, w->y, w->real,
                                     algorithm, (void *)(uintptr_t)buffer);
        seconds = timed(events) / PRODUCTS;
        if (!failed && r && seconds > 0 && (best == 0 || seconds < best))
            best = seconds;
    }
    cuda.free(buffer);
    return best;
}

/* Compares some rows of y with the host's loop. */
static int is_right(struct spmv_state *s, pointer y)
{
    const size_t size = sparse_size(s->options.type);
    if (cuda.down(s->vectors[SPMV_Y], y, (size_t)s->matrix.rows * size))
        return 0;
    for (int64_t i = 0; i < s->matrix.rows; i += 1 + s->matrix.rows / 1000) {
        double sum = 0, magnitudes = 0;
        for (int64_t k = s->matrix.starts[i]; k < s->matrix.starts[i + 1]; k++) {
            sum += sparse_get(&s->matrix, k) * spmv_get(s, SPMV_X, s->matrix.column[k]);
            magnitudes += fabs(sparse_get(&s->matrix, k));
        }
        if (!(fabs(spmv_get(s, SPMV_Y, i) - sum) <= 1e-4 * magnitudes))
            return 0;
    }
    return 1;
}

void cusparse_measure(struct spmv_state *s, int rounds, struct cusparse_times *out)
{
    const struct sparse *m = &s->matrix;
    const size_t size = sparse_size(s->options.type);
    static const double ones[2] = { 1, 0 };
    static const float single_ones[2] = { 1, 0 };
    struct work w = { .real = s->options.type == SPARSE_DOUBLE ? REAL_64 : REAL_32 };
    void *events[2];
    if (!find_cuda(out->note) || cuda.event(&events[0], 0) || cuda.event(&events[1], 0))
        return;
    measure_copies(rounds, events, out);
    if (!find_cusparse(out->note))
        return;
    if (m->entries > INT32_MAX) {
        snprintf(out->note, sizeof out->note, "more than 2^31 non-zeros");
        return;
    }
    w.one = s->options.type == SPARSE_DOUBLE ? (const void *)&ones[0] : &single_ones[0];
    w.zero = s->options.type == SPARSE_DOUBLE ? (const void *)&ones[1] : &single_ones[1];
    const pointer starts = on_gpu(s->starts, ((size_t)m->rows + 1) * sizeof *s->starts);
    const pointer columns = on_gpu(m->column, (size_t)m->entries * sizeof *m->column);
    const pointer values = on_gpu(m->value, (size_t)m->entries * size);
    const pointer x = on_gpu(s->vectors[SPMV_X], (size_t)m->columns * size);
    const pointer y = on_gpu(NULL, (size_t)m->rows * size);
    if (!starts || !columns || !values || !x || !y || sparse.create(&w.handle) ||
        sparse.matrix(&w.matrix, m->rows, m->columns, m->entries, (void *)(uintptr_t)starts,
                      (void *)(uintptr_t)columns, (void *)(uintptr_t)values, INDEX_32, INDEX_32, 0,
                      w.real) ||
        sparse.vector(&w.x, m->columns, (void *)(uintptr_t)x, w.real) ||
        sparse.vector(&w.y, m->rows, (void *)(uintptr_t)y, w.real)) {
        snprintf(out->note, sizeof out->note, "cuSPARSE does not take the matrix");
        return;
    }
    for (int k = 0; k < ALGORITHMS; k++)
        out->seconds[k] = product_seconds(&w, algorithms[k], rounds, events);
    if (!is_right(s, y)) {
        out->seconds[0] = out->seconds[1] = out->seconds[2] = 0;
        snprintf(out->note, sizeof out->note, "cuSPARSE's product is wrong");
    }
}
