/* links.cu - measures the link between host memory and one GPU, and the cost of the driver's calls.
 *
 *     nvcc -O3 -arch=native -o links links.cu
 *     links             rates and costs, one line of JSON
 *     links hog GIB S   takes the GPU's memory except GIB for S seconds, to test others without it
 *
 * Rates are in bytes per second: medians of 9, for 1 GiB in 64 consecutive copies of 16 MiB. `both`
 * moves 1 GiB in each direction at the same time. `two_to_one` moves half as much back to the host,
 * as saxpy does; `two_to_one_to` is the rate of the busier direction then.
 */
#include <cstring>
#include <unistd.h>

#include "oracle.h"

enum { COPIES = 64, REPEAT = 9, CHUNKS = 2000 };
static const size_t COPY = 16 << 20, WHOLE = COPIES * COPY;
static char *near_to, *near_from, *device_to, *device_from;
static cudaStream_t out, home;

__global__ void nothing(int *where)
{
    if (where)
        *where = 1;
}

/* Starts `to` copies to the device and `from` copies back; returns the seconds until all are
 * done. */
static double move(int to, int from)
{
    std::vector<double> runs;
    for (int r = 0; r <= REPEAT; r++) {
        double start = seconds();
        for (int c = 0; c < COPIES; c++) {
            if (c < to)
                MUST(cudaMemcpyAsync(device_to + c * COPY, near_to + c * COPY, COPY,
                                     cudaMemcpyHostToDevice, out));
            if (c < from)
                MUST(cudaMemcpyAsync(near_from + c * COPY, device_from + c * COPY, COPY,
                                     cudaMemcpyDeviceToHost, home));
        }
        MUST(cudaStreamSynchronize(out));
        MUST(cudaStreamSynchronize(home));
        if (r)
            runs.push_back(seconds() - start);
    }
    return median(runs);
}

static void print_rates(const char *name, int with_both)
{
    double to = (double)WHOLE / move(COPIES, 0), from = (double)WHOLE / move(0, COPIES);
    printf("\"%s\": {\"to\": %.4g, \"from\": %.4g", name, to, from);
    if (with_both)
        printf(", \"both\": %.4g, \"two_to_one_to\": %.4g",
               2 * (double)WHOLE / move(COPIES, COPIES), (double)WHOLE / move(COPIES, COPIES / 2));
    printf("}, ");
}

/* Repeats copies of one size on one stream: the rate of small copies. */
static void print_small_copies(void)
{
    size_t sizes[] = { 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20 };
    printf("\"copies\": [");
    for (size_t bytes : sizes) {
        std::vector<double> runs;
        for (int r = 0; r <= REPEAT; r++) {
            double start = seconds();
            for (int c = 0; c < 16; c++)
                MUST(cudaMemcpyAsync(device_to, near_to, bytes, cudaMemcpyHostToDevice, out));
            MUST(cudaStreamSynchronize(out));
            if (r)
                runs.push_back(16 * (double)bytes / (seconds() - start));
        }
        printf("%s{\"bytes\": %zu, \"to\": %.4g}", bytes > sizes[0] ? ", " : "", bytes,
               median(runs));
    }
    printf("], ");
}

static double pin_seconds(void)
{
    char *memory = (char *)aligned_alloc(2 << 20, WHOLE);
    if (!memory)
        end_with("no memory to pin");
    memset(memory, 1, WHOLE);
    double start = seconds();
    MUST(cudaHostRegister(memory, WHOLE, cudaHostRegisterPortable));
    double pinned = seconds() - start;
    MUST(cudaHostUnregister(memory));
    free(memory);
    return pinned;
}

/* Measures launch, copy to the host and event, which each chunk of a job needs: the host's wall
 * time, and the thread's CPU time. */
static void print_calls(void)
{
    cudaEvent_t event;
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync));
    double wall = 0, cpu = 0, synchronised = 0;
    for (int c = -10; c < CHUNKS; c++) {
        double start = seconds(), used = seconds(CLOCK_THREAD_CPUTIME_ID);
        nothing<<<1, 32, 0, out>>>(nullptr);
        MUST(cudaMemcpyAsync(near_from, device_from, 4096, cudaMemcpyDeviceToHost, out));
        MUST(cudaEventRecord(event, out));
        double called = seconds(), called_used = seconds(CLOCK_THREAD_CPUTIME_ID);
        MUST(cudaEventSynchronize(event));
        if (c < 0)
            continue;
        wall += called - start;
        cpu += called_used - used;
        synchronised += seconds() - start;
    }
    printf("\"chunk_calls_seconds\": %.4g, \"chunk_calls_cpu_seconds\": %.4g, "
           "\"chunk_seconds\": %.4g",
           wall / CHUNKS, cpu / CHUNKS, synchronised / CHUNKS);
    MUST(cudaEventDestroy(event));
}

static void rates(void)
{
    cudaDeviceProp properties;
    double start = seconds();
    MUST(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    MUST(cudaFree(nullptr));
    double context = seconds() - start;
    MUST(cudaGetDeviceProperties(&properties, 0));
    printf("{\"program\": \"links\", \"gpu\": \"%s\", \"context_seconds\": %.4g, ", properties.name,
           context);
    MUST(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&home, cudaStreamNonBlocking));
    MUST(cudaMalloc(&device_to, WHOLE));
    MUST(cudaMalloc(&device_from, WHOLE));
    near_to = (char *)aligned_alloc(2 << 20, WHOLE);
    near_from = (char *)aligned_alloc(2 << 20, WHOLE);
    if (!near_to || !near_from)
        end_with("no memory for 2 GiB of pageable data");
    memset(near_to, 1, WHOLE);
    memset(near_from, 1, WHOLE);
    print_rates("pageable", 0);
    free(near_to);
    free(near_from);
    MUST(cudaMallocHost(&near_to, WHOLE));
    MUST(cudaMallocHost(&near_from, WHOLE));
    memset(near_to, 1, WHOLE);
    memset(near_from, 1, WHOLE);
    print_rates("pinned", 1);
    print_small_copies();
    printf("\"pin_1GiB_seconds\": %.4g, ", pin_seconds());
    print_calls();
    printf("}\n");
}

/* Allocates smaller and smaller pieces until only `gib` GiB are left. */
static void hog(double gib, unsigned how_long)
{
    size_t leave = (size_t)(gib * (1 << 30)), available, all;
    for (size_t part = (size_t)1 << 36; part >= 1 << 21; part /= 2) {
        void *memory;
        while (cudaMemGetInfo(&available, &all) == cudaSuccess && available >= leave + part &&
               cudaMalloc(&memory, part) == cudaSuccess)
            continue;
    }
    MUST(cudaMemGetInfo(&available, &all));
    printf("%.2f of %.2f GiB are left for %u s\n", (double)available / (1 << 30),
           (double)all / (1 << 30), how_long);
    fflush(stdout);
    sleep(how_long);
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "hog"))
        hog(atof(argv[2]), (unsigned)atoi(argv[3]));
    else if (argc == 1)
        rates();
    else
        end_with("usage: %s, or %s hog GIB SECONDS", argv[0], argv[0]);
    return 0;
}
