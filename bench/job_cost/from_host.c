/* from_host.c - one call of saxpy from and to the host's memory on a GPU alone: handwritten, and by
 * yoke.
 *
 *     yoke-bench-from-host BY_HAND.so [devices=cuda:0] [items=128M] [pairs=15] [only=KIND]
 *
 * Kinds of memory: `pinned` (cudaMallocHost, for yoke as well), `alloc` (yoke_alloc; handwritten:
 * cudaMallocHost), `pageable` (malloc). Each call has new memory, which all cores fill and later
 * check. But drivers are loaded, kernels are compiled, and memory on the GPU is allocated. In a
 * round each way has its turn. Printed are medians, and the ratio of yoke's time to the faster of
 * the handwritten ways that a plain program has, with its 95 % interval. The time of copies in
 * pieces is printed beside them.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yoke/yoke.h>

#include "../kernels/interval.h"
#include "../program.h"
#include "by_hand.h"

enum { PAIRS_MAX = 99, BY_YOKE = FROM_HOST_WAYS, WAYS };
extern const yoke_kernel job_cost_saxpy;

struct bench {
    from_host_run_fn *run;
    from_host_take_fn *take;
    from_host_give_fn *give;
    yoke_runtime *runtime;
    int64_t items;
};

struct kind {
    const char *name;
    int ways[WAYS]; /* 1: used; ratios are to the faster of `plain` and `register` */
};
static const struct kind kinds[] = {
    { "pinned", { [FROM_HOST_PLAIN] = 1, [FROM_HOST_PIECES] = 1, [BY_YOKE] = 1 } },
    { "alloc", { [FROM_HOST_PLAIN] = 1, [FROM_HOST_PIECES] = 1, [BY_YOKE] = 1 } },
    { "pageable", { [FROM_HOST_PLAIN] = 1, [FROM_HOST_REGISTER] = 1, [BY_YOKE] = 1 } },
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s: %s\n", name, dlerror());
        exit(1);
    }
    return found;
}

static int is(const struct kind *kind, const char *name)
{
    return !strcmp(kind->name, name);
}

static float *take(const struct bench *bench, const struct kind *kind, int way)
{
    const size_t bytes = (size_t)bench->items * sizeof(float);
    float *memory = is(kind, "pageable")                  ? malloc(bytes)
                    : is(kind, "alloc") && way == BY_YOKE ? yoke_alloc(bench->runtime, bytes)
                                                          : bench->take(bench->items);
    if (!memory) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return memory;
}

static void give(const struct bench *bench, const struct kind *kind, int way, float *memory)
{
    if (is(kind, "pageable"))
        free(memory);
    else if (is(kind, "alloc") && way == BY_YOKE)
        yoke_free(bench->runtime, memory);
    else
        bench->give(memory);
}

static void check(const struct from_host_data *data)
{
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t i = 0; i < data->items; i++)
        wrong += data->y[i] != data->a * (float)(i % 1021) + (float)(i % 4093);
    if (!wrong)
        return;
    fprintf(stderr, "%lld results are wrong\n", (long long)wrong);
    exit(1);
}

/* Milliseconds of a call on new memory. */
static double call(const struct bench *bench, const struct kind *kind, int way)
{
    float *x = take(bench, kind, way), *y = take(bench, kind, way);
    const struct from_host_data data = { bench->items, 0.5f, x, y };
#pragma omp parallel for
    for (int64_t i = 0; i < bench->items; i++) {
        x[i] = (float)(i % 1021);
        y[i] = (float)(i % 4093);
    }
    nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL); /* OpenMP's threads still spin */
    const double start = now_ms();
    if (way == BY_YOKE) {
        must(yoke_for(bench->runtime, &job_cost_saxpy, data.items, data.a, x, y), "saxpy");
    } else if (!bench->run((enum from_host_way)way, &data)) {
        fprintf(stderr, "by hand: CUDA failed\n");
        exit(1);
    }
    const double took = now_ms() - start;
    check(&data);
    give(bench, kind, way, x);
    give(bench, kind, way, y);
    return took;
}

static void compare(const struct bench *bench, const struct kind *kind, int pairs)
{
    static const char *const names[] = { "plain", "in pieces", "registering", "yoke" };
    double ms[WAYS][PAIRS_MAX], ratios[PAIRS_MAX];
    for (int pair = -1; pair < pairs; pair++) /* the first round is not counted */
        for (int k = 0; k < WAYS; k++) {
            const int way = (k + pair + 1) % WAYS;
            if (kind->ways[way])
                ms[way][pair < 0 ? 0 : pair] = call(bench, kind, way);
        }
    double plain[PAIRS_MAX], registering[PAIRS_MAX];
    memcpy(plain, ms[FROM_HOST_PLAIN], sizeof plain);
    memcpy(registering, ms[FROM_HOST_REGISTER], sizeof registering);
    const int best =
        kind->ways[FROM_HOST_REGISTER] && median(registering, pairs) < median(plain, pairs)
            ? FROM_HOST_REGISTER
            : FROM_HOST_PLAIN;
    for (int r = 0; r < pairs; r++)
        ratios[r] = ms[BY_YOKE][r] / ms[best][r];
    printf("| %s | %lld |", kind->name, (long long)bench->items);
    for (int way = 0; way < WAYS; way++)
        if (kind->ways[way])
            printf(" %s %.2f ms |", names[way], median(ms[way], pairs));
    const struct interval ratio = interval_of(ratios, pairs);
    printf(" %.3f (%.3f to %.3f) of %s |\n", ratio.median, ratio.low, ratio.high, names[best]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct bench bench = { .items = (int64_t)128 << 20 };
    int pairs = 15;
    const char *devices = "cuda:0", *only = NULL;
    const struct program_option options[] = { { "devices", .text = &devices },
                                              { "items", .large = &bench.items },
                                              { "pairs", .whole = &pairs },
                                              { "only", .text = &only },
                                              { .name = NULL } };
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int wrong = !library;
    for (int k = 2; k < argc && !wrong; k++)
        wrong = !read_option(options, argv[k]);
    if (wrong || pairs < 6 || pairs > PAIRS_MAX || bench.items < 1) {
        fprintf(stderr,
                "usage: %s BY_HAND.so [devices=cuda:0] [items=128M] [pairs=15] [only=KIND]\n%s\n",
                argv[0], argc > 1 && !library ? dlerror() : "");
        return 2;
    }
    bench.run = (from_host_run_fn *)symbol(library, "from_host_run");
    bench.take = (from_host_take_fn *)symbol(library, "from_host_take");
    bench.give = (from_host_give_fn *)symbol(library, "from_host_give");
    must(yoke_open(&(yoke_config){ .devices = devices }, &bench.runtime), "open");
    must(yoke_ready(bench.runtime), "ready");
    if (!((from_host_open_fn *)symbol(library, "from_host_open"))(bench.items)) {
        fprintf(stderr, "by hand: no GPU, or no memory\n");
        return 1;
    }
    printf("| memory | floats | by hand | by hand | yoke | yoke beside by hand (95 %%) |\n"
           "| --- | --- | --- | --- | --- | --- |\n");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!only || is(&kinds[k], only))
            compare(&bench, &kinds[k], pairs);
    must(yoke_close(bench.runtime), "close");
    return 0;
}
