/* triad.c - see triad.h.
 *
 * Uses its own threads, so that it measures the machine and not how a runtime hands out work. They
 * start together. A slow thread does not hold up the others, because each counts the elements that
 * it did in MEASURE_NS.
 */

#include "triad.h"

#include <stdatomic.h>
#include <string.h>

#include "../base/alloc.h"
#include "../platform/clock.h"
#include "../platform/gate.h"
#include "../platform/thread.h"
#include "../platform/topology.h"

#define MEASURE_NS 300000000
/* Bytes of one array of a core: more than its caches hold, unless the last level is large. */
#define ARRAY_BYTES ((int64_t)8 << 20)
/* All arrays together are TIMES_CACHES times as large as the last-level caches, but at most an
 * eighth of the free memory. */
#define TIMES_CACHES 4
#define FILL_BYTES   ((size_t)1 << 20)

struct strand {
    struct triad *triad;
    struct yk_thread thread;
    double *arrays; /* three arrays, one after the other */
    double rate;
};

struct triad {
    struct yk_gate start;
    atomic_int ready, stop;
    int count;
    int64_t elements; /* elements of one array */
    struct strand *strands;
};

static void pass(double *restrict a, const double *restrict b, const double *restrict c,
                 int64_t elements)
{
    int64_t i;
    for (i = 0; i < elements; i++)
        a[i] = b[i] + 3 * c[i];
}

/* Fills a thread's arrays on its core, so that the pages are near it. These may be gigabytes, so it
 * ends early if triad->stop is set. */
static void fill(struct triad *triad, double *arrays)
{
    size_t left = (size_t)(3 * triad->elements) * sizeof *arrays, bytes;
    char *next = (char *)arrays;
    for (; left > 0 && !atomic_load(&triad->stop); left -= bytes, next += bytes) {
        bytes = left < FILL_BYTES ? left : FILL_BYTES;
        memset(next, 0, bytes);
    }
}

static void run(void *context)
{
    struct strand *strand = context;
    struct triad *triad = strand->triad;
    int64_t elements = triad->elements, start, now, passes = 0;
    fill(triad, strand->arrays);
    if (atomic_fetch_add(&triad->ready, 1) == triad->count - 1)
        yk_gate_open(&triad->start);
    yk_gate_pass(&triad->start);
    start = yk_clock_ns();
    do {
        pass(strand->arrays, strand->arrays + elements, strand->arrays + 2 * elements, elements);
        passes++;
        now = yk_clock_ns();
    } while (now - start < MEASURE_NS && !atomic_load(&triad->stop));
    strand->rate = 24e9 * (double)(passes * elements) / (double)(now - start + 1);
}

/* Returns the bytes of all last-level caches of the usable cores; 0: unknown. */
static int64_t cache_bytes(void)
{
    struct yk_topology topology;
    int caches = 0, c, before;
    int64_t bytes;
    if (yk_topology_open(&topology) != YOKE_OK)
        return 0;
    for (c = 0; c < topology.core_count; c++) {
        for (before = 0; before < c && topology.cores[before].l3 != topology.cores[c].l3;)
            before++;
        caches += topology.cores[c].l3 >= 0 && before == c;
    }
    bytes = caches * topology.l3_bytes;
    yk_topology_close(&topology);
    return bytes;
}

static int64_t array_bytes(int count)
{
    int64_t bytes = ARRAY_BYTES, wanted = TIMES_CACHES * cache_bytes() / (3 * count);
    int64_t most = yk_memory_available() / 8 / (3 * count);
    if (bytes < wanted)
        bytes = wanted;
    if (bytes > most)
        bytes = most;
    return bytes > 4096 ? bytes / 64 * 64 : 4096;
}

static yoke_status start_strands(struct triad *triad, const int *cpus, int *started)
{
    yoke_status status = YOKE_OK;
    int i;
    for (i = 0; i < triad->count && status == YOKE_OK; i++) {
        struct strand *strand = &triad->strands[i];
        struct yk_thread_spec spec = {
            .name = "yk-triad", .cpu = cpus[i], .run = run, .context = strand
        };
        strand->triad = triad;
        strand->arrays = yk_alloc_aligned((size_t)triad->elements * 3 * sizeof(double), 0);
        status = strand->arrays ? yk_thread_open(&spec, &strand->thread) : YOKE_ENOMEM;
        *started += status == YOKE_OK;
    }
    return status;
}

yoke_status yk_triad_measure(const int *cpus, int count, double *bytes_per_second)
{
    struct triad triad = { .count = count };
    int started = 0, i;
    double sum = 0;
    yoke_status status;
    triad.elements = array_bytes(count) / (int64_t)sizeof(double);
    triad.strands = yk_calloc((size_t)count, sizeof *triad.strands);
    status = triad.strands ? start_strands(&triad, cpus, &started) : YOKE_ENOMEM;
    if (status != YOKE_OK) {
        atomic_store(&triad.stop, 1);
        yk_gate_open(&triad.start); /* threads that run end now */
    }
    for (i = 0; i < started; i++)
        yk_thread_join(&triad.strands[i].thread);
    for (i = 0; triad.strands && i < count; i++) {
        sum += triad.strands[i].rate;
        yk_free(triad.strands[i].arrays);
    }
    yk_free(triad.strands);
    if (status == YOKE_OK)
        *bytes_per_second = sum;
    return status;
}
