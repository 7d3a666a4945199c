/* plain_loops.c - loops over plain memory, call after call, as a new user writes them.
 *
 *     yoke-bench-plain-loops [loop=all|NAME] [items=50000000] [calls=20] [memory=malloc|alloc]
 *                            [arrays=call|job] [wait=1000] [rounds=30]
 *
 * Each call of a loop gets pointers (arrays=call: yoke_for makes arrays of them for the call), or
 * arrays that the program opens for the call and closes after it (arrays=job; multiply gets
 * pointers all the same). memory=alloc: of yoke_alloc. The program waits so many ms after it has
 * opened yoke, in which drivers are loaded. Verifies the results of the last call, and of all calls
 * together where these add up. Prints for each loop its name, and in ms the sum of all calls, the
 * first one, and the median of the later half. root does `rounds` steps of Heron's square root, at
 * least 10. plain_loops.py runs such processes by turns. Devices, knowledge: by the environment.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yoke/yoke.h>

#include "program.h"

enum { BINS = 256, COLUMNS = 1000, CALLS_MAX = 10000, VALUES = 7 };
extern const yoke_kernel p_add, p_sum, p_greatest, p_smooth, p_look_up, p_count, p_multiply, p_root;

static const char *loop = "all", *memory = "malloc", *arrays = "call";
static int64_t n = 50000000;
static int calls = 20, wait_ms = 1000, rounds = 30;
static const struct program_option options[] = {
    { "loop", .text = &loop },      { "items", .large = &n },
    { "calls", .whole = &calls },   { "memory", .text = &memory },
    { "arrays", .text = &arrays },  { "wait", .whole = &wait_ms },
    { "rounds", .whole = &rounds }, { NULL }
};

static float *x, *y, most;
static int32_t *at;
static double sum;
static int64_t bins[BINS];

/* --- the loops; with arrays of the program xs, ys, ats --- */

static yoke_array *xs, *ys, *ats;

static int opens(void)
{
    return strcmp(arrays, "job") == 0;
}

static yoke_status add(void)
{
    return opens() ? yoke_for(NULL, &p_add, n, 1.0f, xs, ys)
                   : yoke_for(NULL, &p_add, n, 1.0f, x, y);
}

static yoke_status add_up(void)
{
    return opens() ? yoke_for(NULL, &p_sum, n, xs, &sum) : yoke_for(NULL, &p_sum, n, x, &sum);
}

static yoke_status greatest(void)
{
    return opens() ? yoke_for(NULL, &p_greatest, n, xs, &most)
                   : yoke_for(NULL, &p_greatest, n, x, &most);
}

static yoke_status smooth(void)
{
    return opens() ? yoke_for(NULL, &p_smooth, n, n, yoke_halo(xs, 1, 1), ys)
                   : yoke_for(NULL, &p_smooth, n, n, yoke_halo(x, 1, 1), y);
}

static yoke_status look_up(void)
{
    return opens() ? yoke_for(NULL, &p_look_up, n, ats, yoke_whole(xs), ys)
                   : yoke_for(NULL, &p_look_up, n, at, yoke_whole(x, n), y);
}

static yoke_status count(void)
{
    return opens() ? yoke_for(NULL, &p_count, n, ats, bins) : yoke_for(NULL, &p_count, n, at, bins);
}

static yoke_status multiply(void)
{
    const int64_t columns = COLUMNS;
    return yoke_for(NULL, &p_multiply, n / columns, columns, yoke_row(x, columns),
                    yoke_whole(x, columns), y);
}

static yoke_status root(void)
{
    return opens() ? yoke_for(NULL, &p_root, n, rounds, xs, ys)
                   : yoke_for(NULL, &p_root, n, rounds, x, y);
}

/* --- their results --- */

static int added(int64_t i)
{
    return y[i] == (float)calls * x[i];
}

static int smoothed(int64_t i)
{
    return y[i] ==
           (i == 0 || i == n - 1 ? x[i] : 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1]);
}

static int looked_up(int64_t i)
{
    return y[i] == x[at[i]];
}

static int multiplied(int64_t row)
{
    float expected = 0;
    int64_t j;
    for (j = 0; j < COLUMNS; j++) /* small whole numbers: exact in any order */
        expected += x[row * COLUMNS + j] * x[j];
    return y[row] == expected;
}

static int rooted(int64_t i)
{
    const double expected = sqrt((double)x[i] + 1);
    return fabs(y[i] - expected) <= 1e-6 * expected;
}

static int summed(int64_t i)
{
    double expected = 0;
    for (i = 0; i < n; i++)
        expected += x[i];
    return sum == expected;
}

static int was_greatest(int64_t i)
{
    (void)i;
    return most == (float)((n < VALUES ? n : VALUES) - 1);
}

static int counted(int64_t i)
{
    int64_t expected[BINS] = { 0 };
    for (i = 0; i < n; i++)
        expected[at[i] & 255] += calls;
    return memcmp(bins, expected, sizeof bins) == 0;
}

/* each: 1: `is_right` is asked for each item. */
static const struct plain_loop {
    const char *name;
    yoke_status (*run)(void);
    int (*is_right)(int64_t item);
    int each, columns;
} loops[] = {
    { "add", add, added, 1, 1 },
    { "sum", add_up, summed, 0, 1 },
    { "greatest", greatest, was_greatest, 0, 1 },
    { "smooth", smooth, smoothed, 1, 1 },
    { "look-up", look_up, looked_up, 1, 1 },
    { "count", count, counted, 0, 1 },
    { "multiply", multiply, multiplied, 1, COLUMNS },
    { "root", root, rooted, 1, 1 },
    { NULL },
};

static void check(const struct plain_loop *done)
{
    int64_t i, items = done->each ? n / done->columns : 1;
    for (i = 0; i < items; i++)
        if (!done->is_right(i)) {
            fprintf(stderr, "wrong: %s, item %lld\n", done->name, (long long)i);
            exit(1);
        }
}

static void open_array(void *at_memory, size_t element, yoke_array **out)
{
    must(yoke_array_wrap(yoke_default(), at_memory, n, element, out), "an array");
}

static void call(const struct plain_loop *called)
{
    if (opens()) {
        open_array(x, sizeof *x, &xs);
        open_array(y, sizeof *y, &ys);
        open_array(at, sizeof *at, &ats);
    }
    must(called->run(), called->name);
    if (opens()) {
        must(yoke_array_close(xs), "x");
        must(yoke_array_close(ys), "y");
        must(yoke_array_close(ats), "at");
    }
}

static void measure(const struct plain_loop *measured)
{
    static double ms[CALLS_MAX];
    double all = 0, first;
    int c;
    memset(y, 0, (size_t)n * sizeof *y);
    memset(bins, 0, sizeof bins);
    for (c = 0; c < calls; c++) {
        const double start = now_s();
        call(measured);
        ms[c] = 1e3 * (now_s() - start);
        all += ms[c];
    }
    check(measured);
    first = ms[0]; /* before median sorts */
    printf("%s sum %.3f first %.3f late %.3f\n", measured->name, all, first,
           median(ms + calls / 2, calls - calls / 2));
}

static void *memory_of(size_t bytes)
{
    void *got = strcmp(memory, "alloc") == 0 ? yoke_alloc(yoke_default(), bytes) : malloc(bytes);
    must(got ? YOKE_OK : YOKE_ENOMEM, "memory");
    return got;
}

static void fill(void)
{
    int64_t i;
    x = memory_of((size_t)n * sizeof *x);
    y = memory_of((size_t)n * sizeof *y);
    at = memory_of((size_t)n * sizeof *at);
    for (i = 0; i < n; i++) {
        x[i] = (float)(i % VALUES);
        at[i] = (int32_t)((uint64_t)i * 2654435761u % (uint64_t)n);
    }
}

static int is_asked(const char *name)
{
    return strcmp(loop, "all") == 0 || strcmp(loop, name) == 0;
}

int main(int argc, char **argv)
{
    const struct plain_loop *one;
    int i, known = 1;
    for (i = 1; i < argc; i++)
        known &= read_option(options, argv[i]);
    if (!known || n < COLUMNS || n > INT32_MAX || calls < 1 || calls > CALLS_MAX || wait_ms < 0 ||
        rounds < 10) {
        fprintf(stderr, "usage: yoke-bench-plain-loops [loop=all|NAME] [items=N] [calls=N] "
                        "[memory=malloc|alloc] [arrays=call|job] [wait=MS] [rounds=N]\n");
        return 2;
    }
    must(yoke_default() ? YOKE_OK : YOKE_EDEVICE, "yoke");
    nanosleep(&(struct timespec){ wait_ms / 1000, wait_ms % 1000 * 1000000L }, NULL);
    fill();
    for (one = loops; one->name; one++)
        if (is_asked(one->name))
            measure(one);
    return 0;
}
