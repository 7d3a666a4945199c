/* oracle.cu - the best fixed split of one job between CPU threads and one GPU on this machine,
 * measured by a program that is independent of yoke.
 *
 *     nvcc -O3 -arch=native -o oracle oracle.cu \
 *          -Xcompiler -O3,-march=native,-fopenmp-simd,-ffast-math,-fno-finite-math-only
 *     oracle saxpy|mxv|nbody ITEMS [threads=N] [repeat=N] [step=0.05] [share=S] [cold]
 *
 * Threads compute items 0 .. cut in small pieces, in turn; the GPU computes the rest with three
 * streams. Without `share`, the program sweeps the GPU's share in steps, then by 1 % around the
 * best. With `share`, it runs only this split, so that a script can alternate this program with
 * another. A time goes from inputs in pinned host memory to results there. Threads spin between
 * runs, so they start at once. The program sleeps while it waits for the GPU, as programs on shared
 * machines must.
 *
 * Shares that cannot win are left out: those for which one side alone, by its time for all items,
 * would need 1.5 times the best time so far. Each result is checked on samples; outputs are NaN
 * before each run (so the compiler must respect NaN). Prints one line of JSON.
 */
#include <atomic>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <unistd.h>

#include "oracle_jobs.h"

static const job *work;
static int threads, repeat = 9;

/* --- a team of threads, each bound to a core, that share the pieces of [next, end) --- */

static std::atomic<int> round_number, finished, quit;
static std::atomic<long> next_item;
static long end_item, piece;
static part_fn *team_work;

static void bind_to(int thread)
{
    cpu_set_t all, one;
    CPU_ZERO(&all);
    CPU_ZERO(&one);
    sched_getaffinity(getpid(), sizeof all, &all);
    int turn = thread % CPU_COUNT(&all), cpu = 0;
    while (!CPU_ISSET(cpu, &all) || turn-- > 0)
        cpu++;
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

static void member(int thread)
{
    bind_to(thread);
    for (int seen = 0;; seen++) {
        while (round_number.load() == seen) {
            if (quit.load())
                return;
            std::this_thread::yield();
        }
        for (long first; (first = next_item.fetch_add(piece)) < end_item;)
            team_work(first, std::min(first + piece, end_item));
        finished++;
    }
}

static void team_start(part_fn *part, long end)
{
    team_work = part;
    end_item = end;
    piece = (end / (threads * 24l) / LANES + 1) * LANES;
    next_item = 0;
    finished = 0;
    round_number++;
}

/* Twice the size of the caches: reading it evicts the run's data, so a run reads from memory.
 * Empty: the caches stay as the reset left them. */
static std::vector<char> other_bytes;

static size_t cache_bytes(void)
{
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE) + sysconf(_SC_LEVEL2_CACHE_SIZE) * threads;
    return (size_t)std::max(bytes, 32l << 20);
}

static void read_others(long first, long last)
{
    const volatile char *bytes = other_bytes.data();
    for (long line = first; line < last; line++)
        (void)bytes[line * 64];
}

static void team_wait(void)
{
    while (finished.load() < threads)
        std::this_thread::yield();
}

/* --- runs --- */

static double run_once(double share)
{
    long cut = items - std::llround(share * (double)items);
    team_start(work->reset, items);
    team_wait();
    if (!other_bytes.empty()) {
        team_start(read_others, (long)other_bytes.size() / 64);
        team_wait();
    }
    double start = seconds();
    team_start(work->cpu, cut);
    if (cut < items) {
        work->gpu(cut, items);
        for (int s = 0; s < STREAMS; s++)
            MUST(cudaStreamSynchronize(stream[s]));
    }
    team_wait();
    return seconds() - start;
}

/* Checks samples over all items, and on both sides of the cut. */
static double check(double share)
{
    long cut = items - std::llround(share * (double)items);
    double worst = 0;
    for (int s = 0; s < 64; s++) {
        long samples[] = { (long)((double)items * s / 64),
                           items - 1 - (long)((double)items * s / 64), std::min(items - 1, cut + s),
                           std::max(0l, cut - 1 - s) };
        for (long i : samples) {
            double error = work->error(i);
            if (!(error <= 1))
                end_with("%s, GPU's share %g: item %ld is wrong (%g of the allowed error)",
                         work->name, share, i, error);
            worst = std::max(worst, error);
        }
    }
    return worst;
}

struct point {
    double share, seconds;
    std::vector<double> runs;
};
static std::vector<point> points;
static double worst_error;

static double try_share(double share)
{
    point p = { share, 0, {} };
    run_once(share); /* not timed: it touches memory for the first time */
    for (int r = 0; r < repeat; r++)
        p.runs.push_back(run_once(share));
    worst_error = std::max(worst_error, check(share));
    p.seconds = median(p.runs);
    points.push_back(p);
    return p.seconds;
}

static const point &best_point(void)
{
    return *std::min_element(points.begin(), points.end(),
                             [](const point &a, const point &b) { return a.seconds < b.seconds; });
}

static void sweep(double step, double cpu_only, double gpu_only)
{
    double around[][3] = { { step, 1 - step, step }, { 0, 0, 0.01 } };
    for (int grid = 0; grid < 2; grid++) {
        if (grid == 1) {
            double centre = best_point().share;
            around[1][0] = std::max(0.01, centre - step + 0.01);
            around[1][1] = std::min(0.99, centre + step - 0.01);
        }
        for (double s = around[grid][0]; s < around[grid][1] + 1e-6; s += around[grid][2]) {
            double limit = 1.5 * best_point().seconds;
            bool known = std::any_of(points.begin(), points.end(),
                                     [s](const point &p) { return fabs(p.share - s) < 1e-6; });
            if (!known && (1 - s) * cpu_only < limit && s * gpu_only < limit)
                try_share(s);
        }
    }
}

/* Times the kernel over everything in one launch; the data are on the GPU already. */
static double kernel_alone(void)
{
    std::vector<double> runs;
    cudaEvent_t begin, end;
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&end));
    run_once(1);
    for (int r = 0; r <= repeat; r++) {
        float milliseconds;
        MUST(cudaEventRecord(begin, stream[0]));
        work->launch(0, items);
        MUST(cudaEventRecord(end, stream[0]));
        MUST(cudaEventSynchronize(end));
        MUST(cudaEventElapsedTime(&milliseconds, begin, end));
        if (r)
            runs.push_back(milliseconds * 1e-3);
    }
    return median(runs);
}

/* --- command line and output --- */

static void open_all(void)
{
    MUST(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    for (int k = 0; k < ARRAYS; k++) {
        long floats = work->floats[k] < 0 ? -work->floats[k] : work->floats[k] * items;
        if (!floats)
            continue;
        MUST(cudaMallocHost(&host[k], (size_t)floats * sizeof(float)));
        MUST(cudaMalloc(&gpu[k], (size_t)floats * sizeof(float)));
    }
    for (int s = 0; s < STREAMS; s++)
        MUST(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
}

static void print(double first, double cpu_only, double gpu_only, double kernel)
{
    cudaDeviceProp properties;
    MUST(cudaGetDeviceProperties(&properties, 0));
    const point &best = best_point();
    printf("{\"program\": \"oracle\", \"gpu\": \"%s\", \"app\": \"%s\", \"size\": %ld, "
           "\"threads\": %d, \"repeat\": %d, \"verified\": true, \"error\": %.3g, "
           "\"first_seconds\": %.9f, ",
           properties.name, work->name, items, threads, repeat, worst_error, first);
    if (kernel > 0)
        printf("\"cpu_only\": %.9f, \"gpu_only\": %.9f, \"kernel_seconds\": %.9f, ", cpu_only,
               gpu_only, kernel);
    printf("\"oracle\": %.9f, \"share\": %.4f, \"shares\": [", best.seconds, best.share);
    for (size_t p = 0; p < points.size(); p++) {
        printf("%s{\"share\": %.4f, \"seconds\": %.9f, \"runs\": [", p ? ", " : "", points[p].share,
               points[p].seconds);
        for (size_t r = 0; r < points[p].runs.size(); r++)
            printf("%s%.9f", r ? ", " : "", points[p].runs[r]);
        printf("]}");
    }
    printf("]}\n");
}

int main(int argc, char **argv)
{
    double step = 0.05, share = -1, cpu_only = 0, gpu_only = 0, kernel = 0;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    threads = CPU_COUNT(&cores);
    for (const job &one : jobs)
        if (argc > 2 && !strcmp(argv[1], one.name))
            work = &one;
    items = argc > 2 ? atol(argv[2]) : 0;
    int right = work && items > 0, cold = 0;
    for (int a = 3; a < argc; a++)
        if (!strcmp(argv[a], "cold"))
            cold = 1;
        else
            right &= sscanf(argv[a], "threads=%d", &threads) == 1 ||
                     sscanf(argv[a], "repeat=%d", &repeat) == 1 ||
                     sscanf(argv[a], "step=%lf", &step) == 1 ||
                     sscanf(argv[a], "share=%lf", &share) == 1;
    if (!right || threads < 1 || repeat < 1 || step < 0.01 || step > 1 || share > 1)
        end_with("usage: %s saxpy|mxv|nbody ITEMS [threads=N] [repeat=N] [step=0.05] [share=S] [cold]",
                 argv[0]);
    if (cold)
        other_bytes.assign(2 * cache_bytes(), 1);
    open_all();
    std::vector<std::thread> team;
    for (int t = 0; t < threads; t++)
        team.emplace_back(member, t);
    team_start(work->fill, items);
    team_wait();
    double first = run_once(share < 0 ? 1 : share);
    if (share < 0) {
        kernel = kernel_alone();
        gpu_only = try_share(1);
        int wanted = repeat;
        if (gpu_only * 10 < run_once(0)) /* a CPU that is that slow decides nothing */
            repeat = std::min(repeat, 3);
        cpu_only = try_share(0);
        repeat = wanted;
        sweep(step, cpu_only, gpu_only);
    } else {
        try_share(share);
    }
    print(first, cpu_only, gpu_only, kernel);
    quit = 1;
    for (std::thread &thread : team)
        thread.join();
    return 0;
}
