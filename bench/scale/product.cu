/* product.cu - C = A x B of doubles by direct calls of cuBLAS on one GPU, from host memory to host
 * memory, with handwritten overlap of copies. Independent of yoke.
 *
 *     nvcc -O3 -arch=native -o product product.cu -lcublas
 *     product N [REPEAT=9]        one line of JSON
 *
 * Three ways, each with 1 to 16 parts; printed is the best of the medians, with its number of
 * parts:
 *   rows   copies B first, then A in blocks of rows; each block's rows of C are copied back at once
 *   wave   copies panels of columns of B and blocks of rows of A in turn. Each new part is
 *          multiplied by all parts of the other matrix that have arrived, so the first product
 *          begins after two parts
 *   tiles  the same, but each pair of parts is multiplied and copied back separately
 * resident: one call on data that are on the GPU. link: the time that the copies of A and B take
 * alone. Memory is pinned, and buffers are allocated before.
 */
#include <cstring>
#include <cublas_v2.h>

#include "../oracle.h"

#define MUST_BLAS(call)                                                                            \
    do {                                                                                           \
        cublasStatus_t status = (call);                                                            \
        if (status != CUBLAS_STATUS_SUCCESS)                                                       \
            end_with("%s:%d: %s: %d", __FILE__, __LINE__, #call, (int)status);                     \
    } while (0)

enum { PARTS_MOST = 16 };

static int n;
static double *near_a, *near_b, *near_c, *a, *b, *c; /* near_: the host's; others: the GPU's */
static cudaStream_t in, home;
static cudaStream_t work;
static cublasHandle_t blas;
static cudaEvent_t arrived, done;

/* Where part p of `parts` begins. */
static int from_of(int p, int parts)
{
    return (int)((long long)n * p / parts);
}

/* Copies rows first .. last - 1 of A to the device. */
static void fetch_rows(int first, int last)
{
    size_t at = (size_t)first * n, count = (size_t)(last - first) * n;
    MUST(cudaMemcpyAsync(a + at, near_a + at, count * sizeof *a, cudaMemcpyHostToDevice, in));
}

/* Copies columns first .. last - 1 of B to the device. */
static void fetch_columns(int first, int last)
{
    size_t pitch = (size_t)n * sizeof *b, width = (size_t)(last - first) * sizeof *b;
    MUST(cudaMemcpy2DAsync(b + first, pitch, near_b + first, pitch, width, (size_t)n,
                           cudaMemcpyHostToDevice, in));
}

struct tile {
    int row, row_end, column, column_end;
};

/* Multiplies after all copies so far have arrived. Rows are contiguous here, columns in cuBLAS: so
 * it computes C' = B' A'. */
static void multiply(tile t)
{
    const double one = 1, zero = 0;
    MUST(cudaEventRecord(arrived, in));
    MUST(cudaStreamWaitEvent(work, arrived, 0));
    MUST_BLAS(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, t.column_end - t.column,
                          t.row_end - t.row, n, &one, b + t.column, n, a + (size_t)t.row * n, n,
                          &zero, c + (size_t)t.row * n + t.column, n));
}

/* Copies the tile back after all products so far. */
static void bring_home(tile t)
{
    size_t pitch = (size_t)n * sizeof *c, at = (size_t)t.row * n + t.column;
    MUST(cudaEventRecord(done, work));
    MUST(cudaStreamWaitEvent(home, done, 0));
    MUST(cudaMemcpy2DAsync(near_c + at, pitch, c + at, pitch,
                           (size_t)(t.column_end - t.column) * sizeof *c,
                           (size_t)(t.row_end - t.row), cudaMemcpyDeviceToHost, home));
}

static void by_rows(int parts)
{
    fetch_columns(0, n);
    for (int p = 0; p < parts; p++) {
        tile t = { from_of(p, parts), from_of(p + 1, parts), 0, n };
        fetch_rows(t.row, t.row_end);
        multiply(t);
        bring_home(t);
    }
}

/* A new block of rows is multiplied by the panels that have arrived; then a new panel by the
 * blocks. */
static void by_wave(int parts)
{
    for (int p = 0; p < parts; p++) {
        int from = from_of(p, parts), to = from_of(p + 1, parts);
        fetch_rows(from, to);
        if (p > 0) {
            tile along = { from, to, 0, from };
            multiply(along);
            bring_home(along);
        }
        fetch_columns(from, to);
        tile down = { 0, to, from, to };
        multiply(down);
        bring_home(down);
    }
}

static void make_tile(int row, int column, int parts)
{
    tile t = { from_of(row, parts), from_of(row + 1, parts), from_of(column, parts),
               from_of(column + 1, parts) };
    multiply(t);
    bring_home(t);
}

static void by_tiles(int parts)
{
    for (int p = 0; p < parts; p++) {
        fetch_rows(from_of(p, parts), from_of(p + 1, parts));
        for (int column = 0; column < p; column++)
            make_tile(p, column, parts);
        fetch_columns(from_of(p, parts), from_of(p + 1, parts));
        for (int row = 0; row <= p; row++)
            make_tile(row, p, parts);
    }
}

static void resident(int)
{
    multiply({ 0, n, 0, n });
}

static void link(int)
{
    fetch_rows(0, n);
    fetch_columns(0, n);
}

static double time_of(void (*way)(int parts), int parts, int repeat)
{
    std::vector<double> runs;
    for (int r = 0; r <= repeat; r++) {
        double start = seconds();
        way(parts);
        MUST(cudaDeviceSynchronize());
        if (r)
            runs.push_back(seconds() - start);
    }
    return median(runs);
}

static void print_best(const char *name, void (*way)(int parts), int repeat)
{
    double best = 0;
    int best_parts = 0;
    for (int parts = 1; parts <= PARTS_MOST && parts <= n; parts++) {
        double time = time_of(way, parts, repeat);
        if (best_parts == 0 || time < best) {
            best = time;
            best_parts = parts;
        }
    }
    printf("\"%s\": {\"seconds\": %.6g, \"parts\": %d}, ", name, best, best_parts);
}

/* Small whole numbers: every sum is exact, so one wrong row or column is noticed. */
static void fill()
{
    for (size_t i = 0; i < (size_t)n * n; i++) {
        near_a[i] = (double)(i * 2654435761u >> 8 & 7);
        near_b[i] = (double)(i * 2246822519u >> 9 & 7);
    }
}

static int is_right()
{
    for (int k = 0; k < 64; k++) {
        int row = (int)((long long)k * 7919 % n), column = (int)((long long)k * 104729 % n);
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += near_a[(size_t)row * n + i] * near_b[(size_t)i * n + column];
        if (near_c[(size_t)row * n + column] != sum)
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    int repeat = argc > 2 ? atoi(argv[2]) : 9;
    n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1 || repeat < 1)
        end_with("usage: %s N [REPEAT]", argv[0]);
    size_t bytes = (size_t)n * n * sizeof *a;
    for (double **block : { &near_a, &near_b, &near_c })
        MUST(cudaMallocHost(block, bytes));
    for (double **block : { &a, &b, &c })
        MUST(cudaMalloc(block, bytes));
    for (cudaStream_t *stream : { &in, &work, &home })
        MUST(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    for (cudaEvent_t *event : { &arrived, &done })
        MUST(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    MUST_BLAS(cublasCreate(&blas));
    MUST_BLAS(cublasSetStream(blas, work));
    fill();
    int right = 1;
    printf("{\"n\": %d, ", n);
    for (auto way : { by_rows, by_wave, by_tiles }) {
        memset(near_c, 0xff, bytes);
        way(5);
        MUST(cudaDeviceSynchronize());
        right = right && is_right();
    }
    print_best("rows", by_rows, repeat);
    print_best("wave", by_wave, repeat);
    print_best("tiles", by_tiles, repeat);
    printf("\"resident_seconds\": %.6g, \"link_seconds\": %.6g, \"right\": %s}\n",
           time_of(resident, 1, repeat), time_of(link, 1, repeat), right ? "true" : "false");
    return !right;
}
