/* loops.c - see loops.h. */
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FACTOR     1664525u
#define INCREMENT  1013904223u
#define SAMPLES    4099
#define CACHE_LINE 64

struct counter { /* on a cache line of its own */
    _Alignas(2 * CACHE_LINE) int64_t calls;
    int64_t items;
};

struct loops loops;
static struct counter counters[LANES_MAX];
static float y_before;

static void saxpy(int64_t first, int64_t last, int lane)
{
    const float *restrict x = loops.x;
    float *restrict y = loops.y, a = loops.a;
    (void)lane;
    for (int64_t i = first; i < last; i++)
        y[i] = a * x[i] + y[i];
}

static uint64_t steps_of(int64_t rank)
{
    return (uint64_t)((double)rank * loops.steps) + 1;
}

static uint32_t chain(int64_t item, uint64_t steps)
{
    uint32_t value = (uint32_t)item + 1;
    for (uint64_t k = 0; k < steps; k++)
        value = value * FACTOR + INCREMENT;
    return value;
}

static void uneven_up(int64_t first, int64_t last, int lane)
{
    (void)lane;
    for (int64_t i = first; i < last; i++)
        loops.out[i] = chain(i, steps_of(i));
}

static void uneven_down(int64_t first, int64_t last, int lane)
{
    (void)lane;
    for (int64_t i = first; i < last; i++)
        loops.out[i] = chain(i, steps_of(loops.uneven_items - 1 - i));
}

static void nothing(int64_t first, int64_t last, int lane)
{
    counters[lane].calls++;
    counters[lane].items += last - first;
}

/* The end of a chain, computed by repeated squaring of its step. */
static uint32_t chain_end(int64_t item, uint64_t steps)
{
    uint32_t value = (uint32_t)item + 1, factor = FACTOR, increment = INCREMENT;
    for (; steps; steps >>= 1) {
        if (steps & 1)
            value = value * factor + increment;
        increment = increment * factor + increment;
        factor *= factor;
    }
    return value;
}

static void *map(size_t bytes, int file, size_t offset)
{
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_POPULATE, file,
                       file < 0 ? 0 : (off_t)offset);
    if (block == MAP_FAILED) {
        perror("memory for the vectors");
        exit(1);
    }
    return block;
}

void loops_open(int64_t floats, int64_t uneven_items, int64_t nothings, int file)
{
    size_t bytes = (size_t)floats * sizeof(float), pages = (bytes + 4095) / 4096 * 4096;
    loops.a = 0.5f;
    loops.floats = floats;
    loops.uneven_items = uneven_items;
    loops.x = map(bytes, file, 0);
    loops.y = map(bytes, file, pages);
    loops.out = map((size_t)uneven_items * sizeof *loops.out, -1, 0);
    if (file < 0 || loops.x[0] != 1)
        for (int64_t i = 0; i < floats; i++) {
            loops.x[i] = 1;
            loops.y[i] = 0;
        }
    loops.saxpy = (struct loop){ "saxpy", saxpy, floats };
    loops.up = (struct loop){ "uneven-up", uneven_up, uneven_items };
    loops.down = (struct loop){ "uneven-down", uneven_down, uneven_items };
    loops.nothing = (struct loop){ "nothing", nothing, nothings };
}

const struct loop *loop_find(const char *name)
{
    const struct loop *all[] = { &loops.saxpy, &loops.up, &loops.down, &loops.nothing };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

void loop_prepare(const struct loop *loop)
{
    memset(counters, 0, sizeof counters);
    if (loop == &loops.saxpy)
        y_before = loops.y[0];
    else if (loop != &loops.nothing)
        memset(loops.out, 0, (size_t)loop->items * sizeof *loops.out);
}

static void wrong(const struct loop *loop, int64_t item)
{
    fprintf(stderr, "%s: item %lld is wrong\n", loop->name, (long long)item);
    exit(1);
}

/* Halves are exact in a float up to 2^23, so every element has one right value. */
static void verify_saxpy(void)
{
    int64_t stride = loops.floats / SAMPLES + 1;
    for (int64_t i = 0; i < loops.floats; i += stride)
        if (loops.y[i] != y_before + loops.a)
            wrong(&loops.saxpy, i);
    if (loops.y[loops.floats - 1] != y_before + loops.a)
        wrong(&loops.saxpy, loops.floats - 1);
}

static int64_t verify_nothing(void)
{
    int64_t calls = 0, items = 0;
    for (int lane = 0; lane < LANES_MAX; lane++) {
        calls += counters[lane].calls;
        items += counters[lane].items;
    }
    if (items != loops.nothing.items)
        wrong(&loops.nothing, items);
    return calls;
}

int64_t loop_verify(const struct loop *loop)
{
    if (loop == &loops.nothing)
        return verify_nothing();
    if (loop == &loops.saxpy) {
        verify_saxpy();
        return 0;
    }
    for (int64_t i = 0; i < loop->items; i++) {
        int64_t rank = loop == &loops.up ? i : loops.uneven_items - 1 - i;
        if (loops.out[i] != chain_end(i, steps_of(rank)))
            wrong(loop, i);
    }
    return 0;
}
