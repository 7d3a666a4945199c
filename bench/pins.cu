/* pins.cu - what the driver's pins and staged copies cost for memory of malloc, on which the
 * constants of src/array/pin.c are based.
 *
 *     nvcc -O3 -arch=native -Xcompiler -fopenmp -o pins pins.cu
 *     OMP_WAIT_POLICY=passive ./pins [MIB ...]        (4 16 64 512)
 *
 * For each size: microseconds a MiB (and a call) of registering and unregistering in blocks, of the
 * first copy of a registered block, of copies of pageable memory by the driver, and of copies
 * through pinned buffers by one, two and four threads. Medians of 7, each on new memory that all
 * cores fill.
 */
#include <atomic>
#include <cstring>
#include <thread>
#include <time.h>

#include "oracle.h"

enum { REPEAT = 7, THREADS = 4, SLOTS = 8 };
static const size_t MIB = 1 << 20, PAGE = 4096;
static char *slots, *device;
static cudaStream_t stream[THREADS];

struct memory {
    char *all, *pages;
    explicit memory(size_t bytes)
        : all((char *)malloc(bytes + PAGE)), pages((char *)(((uintptr_t)all + PAGE - 1) & -PAGE))
    {
#pragma omp parallel for
        for (size_t i = 0; i < bytes / sizeof(int); i++)
            ((int *)pages)[i] = (int)i;
        const struct timespec calm = { 0, 10000000 };
        nanosleep(&calm, nullptr);
    }
    ~memory()
    {
        free(all);
    }
};

struct clocks {
    std::vector<double> pin, unpin, copy;
};

static void blocks(size_t bytes, size_t block)
{
    clocks all;
    for (int r = 0; r < REPEAT; r++) {
        memory host(bytes);
        const double start = seconds();
        for (size_t at = 0; at < bytes; at += block)
            MUST(cudaHostRegister(host.pages + at, block, cudaHostRegisterDefault));
        const double pinned = seconds();
        MUST(cudaMemcpyAsync(device, host.pages, block, cudaMemcpyHostToDevice, stream[0]));
        MUST(cudaStreamSynchronize(stream[0]));
        const double copied = seconds();
        for (size_t at = 0; at < bytes; at += block)
            MUST(cudaHostUnregister(host.pages + at));
        all.unpin.push_back(seconds() - copied);
        all.pin.push_back(pinned - start);
        all.copy.push_back((copied - pinned) * (double)(bytes / block));
    }
    const double mibs = (double)bytes / (double)MIB, calls = (double)(bytes / block);
    const double pin = 1e6 * median(all.pin), unpin = 1e6 * median(all.unpin);
    printf(
        "| %zu MiB | blocks of %.2f MiB | register %.0f (%.0f a call) | unregister %.0f (%.0f) | "
        "first copy %.0f |\n",
        bytes / MIB, (double)block / (double)MIB, pin / mibs, pin / calls, unpin / mibs,
        unpin / calls, 1e6 * median(all.copy) / mibs);
}

/* One of `threads` threads copies pieces through its own buffers, in turn. */
static void stage(char *host, size_t bytes, int thread, std::atomic<size_t> *next)
{
    for (int k = 0;; k = (k + 1) % SLOTS) {
        const size_t at = next->fetch_add(MIB);
        if (at >= bytes)
            break;
        char *slot = slots + (size_t)(thread * SLOTS + k) * MIB;
        if (k == 0)
            MUST(cudaStreamSynchronize(stream[thread]));
        memcpy(slot, host + at, MIB);
        MUST(cudaMemcpyAsync(device + at, slot, MIB, cudaMemcpyHostToDevice, stream[thread]));
    }
    MUST(cudaStreamSynchronize(stream[thread]));
}

static void staged(size_t bytes, int threads)
{
    std::vector<double> runs;
    for (int r = 0; r < REPEAT; r++) {
        memory host(bytes);
        std::atomic<size_t> next(0);
        std::vector<std::thread> others;
        const double start = seconds();
        for (int t = 1; t < threads; t++)
            others.emplace_back(stage, host.pages, bytes, t, &next);
        stage(host.pages, bytes, 0, &next);
        for (std::thread &other : others)
            other.join();
        runs.push_back(seconds() - start);
    }
    printf("| %zu MiB | staged by %d threads | %.0f |\n", bytes / MIB, threads,
           1e6 * median(runs) * (double)MIB / (double)bytes);
}

static void pageable(size_t bytes)
{
    std::vector<double> up, home;
    for (int r = 0; r < REPEAT; r++) {
        memory host(bytes);
        const double start = seconds();
        MUST(cudaMemcpy(device, host.pages, bytes, cudaMemcpyHostToDevice));
        const double there = seconds();
        MUST(cudaMemcpy(host.pages, device, bytes, cudaMemcpyDeviceToHost));
        home.push_back(seconds() - there);
        up.push_back(there - start);
    }
    const double mibs = (double)bytes / (double)MIB;
    printf("| %zu MiB | by the driver | to the device %.0f | home %.0f |\n", bytes / MIB,
           1e6 * median(up) / mibs, 1e6 * median(home) / mibs);
}

static void measure(size_t bytes)
{
    MUST(cudaMalloc((void **)&device, bytes));
    for (size_t block = MIB / 4; block < bytes && block <= 32 * MIB; block *= 4)
        blocks(bytes, block);
    blocks(bytes, bytes);
    pageable(bytes);
    for (int threads = 1; threads <= THREADS; threads *= 2)
        staged(bytes, threads);
    MUST(cudaFree(device));
}

int main(int argc, char **argv)
{
    MUST(cudaMallocHost((void **)&slots, THREADS * SLOTS * MIB));
    memset(slots, 0, THREADS * SLOTS * MIB);
    for (int t = 0; t < THREADS; t++)
        MUST(cudaStreamCreate(&stream[t]));
    for (int k = 1; k < argc; k++)
        measure((size_t)atol(argv[k]) * MIB);
    for (size_t mibs : { 4, 16, 64, 512 })
        if (argc == 1)
            measure(mibs * MIB);
    return 0;
}
