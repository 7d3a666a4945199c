/* kb.c - what the knowledge base costs a job: looking up, deriving, storing, opening.
 *
 *     yoke-bench-kb [FILE]
 *
 * Creates a new FILE (default /tmp/yoke-bench-kb.db; removed at the end) with 10, 1,000 and 20,000
 * lessons of 50 kernels, for five devices and seven sizes each. Each look-up is for another lesson
 * that exists, by prepared statements; the first 100 look-ups are not counted. Prints one line of
 * JSON: medians and 99th percentiles in microseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "knowledge/store.h"

enum { WARM = 100, LOOKS = 5000, DERIVATIONS = 500, PUTS = 500, OPENS = 20, KERNELS = 50 };

struct bench {
    struct yk_store_spec spec;
    struct yk_store *store;
    unsigned lessons;
    double us[LOOKS];
};

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print(struct bench *bench, const char *what, int count)
{
    qsort(bench->us, (size_t)count, sizeof *bench->us, ascending);
    printf(", \"%s\": [%.1f, %.1f]", what, bench->us[count / 2], bench->us[count * 99 / 100]);
}

static struct yk_store_key key_of(unsigned number)
{
    return (struct yk_store_key){ .machine = 0x123456789abcdef0u,
                                  .machine_text = "a processor; four GPUs",
                                  .subject = 1 + number % KERNELS,
                                  .name = "kernel",
                                  .subject_text = "kernels.c" };
}

static struct yk_lesson lesson_of(unsigned number)
{
    double n = 1000 + 100 * (number / KERNELS);
    struct yk_lesson lesson = { .sizes = { 7, { n, 1, 1, n, 8 * n, n, 8 * n } },
                                .confirmed = 1,
                                .seen = 1,
                                .ns = 1e6,
                                .team = 31,
                                .device_count = 5 };
    for (int d = 0; d < 5; d++) {
        struct yk_lesson_device *device = &lesson.devices[d];
        *device = (struct yk_lesson_device){ .line = { n * n / 100 / (1 + d), 1e4 },
                                             .rate = 100 * (1 + d) / (n * n),
                                             .fixed_ns = 1e3,
                                             .share = 0.2,
                                             .grain = n / 10,
                                             .steady = 1 };
        snprintf(device->name, sizeof device->name, d ? "cuda:%d" : "cpu", d - 1);
    }
    return lesson;
}

static int fail(const char *what)
{
    fprintf(stderr, "yoke-bench-kb: %s: %s\n", what, yoke_error_text());
    return 0;
}

static int fill(struct bench *bench, unsigned count)
{
    for (; bench->lessons < count; bench->lessons++) {
        struct yk_store_key key = key_of(bench->lessons);
        struct yk_lesson lesson = lesson_of(bench->lessons);
        if (yk_store_put(bench->store, &key, &lesson, 1) != YOKE_OK)
            return fail("put");
    }
    return 1;
}

static int look_up(struct bench *bench)
{
    struct yk_lesson found;
    for (int i = -WARM; i < LOOKS; i++) {
        unsigned number = (unsigned)(i + WARM) * 7919 % bench->lessons;
        struct yk_store_key key = key_of(number);
        struct yk_lesson lesson = lesson_of(number);
        double begun = now_us();
        int there = yk_store_find(bench->store, &key, &lesson.sizes, &found);
        if (i >= 0)
            bench->us[i] = now_us() - begun;
        if (!there || found.devices[4].rate != lesson.devices[4].rate)
            return fail("find");
    }
    print(bench, "find_us", LOOKS);
    return 1;
}

static int derive(struct bench *bench)
{
    struct yk_lesson found;
    for (int i = 0; i < DERIVATIONS; i++) {
        struct yk_store_key key = key_of((unsigned)i);
        struct yk_lesson lesson = lesson_of((unsigned)i % bench->lessons);
        lesson.sizes.at[0] += 33;
        double begun = now_us();
        yk_store_derive(bench->store, &key, &lesson.sizes, &found);
        bench->us[i] = now_us() - begun;
    }
    print(bench, "derive_us", DERIVATIONS);
    return 1;
}

static int put(struct bench *bench)
{
    for (int i = 0; i < PUTS; i++) {
        struct yk_store_key key = key_of((unsigned)i);
        struct yk_lesson lesson = lesson_of((unsigned)i % bench->lessons);
        double begun = now_us();
        yoke_status status = yk_store_put(bench->store, &key, &lesson, 1);
        bench->us[i] = now_us() - begun;
        if (status != YOKE_OK)
            return fail("put");
    }
    print(bench, "put_us", PUTS);
    return 1;
}

static int reopen(struct bench *bench)
{
    char why[YK_STORE_WHY];
    yk_store_close(bench->store);
    for (int i = 0; i < OPENS; i++) {
        double begun = now_us();
        if (yk_store_open(&bench->spec, &bench->store) != YOKE_OK)
            return fail("open");
        bench->us[i] = now_us() - begun;
        yk_store_trouble(bench->store, why);
        if (*why)
            return fail(why);
        if (i < OPENS - 1)
            yk_store_close(bench->store);
    }
    print(bench, "open_us", OPENS);
    return 1;
}

static void drop(const char *path)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-lock" };
    char name[4096];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

int main(int argc, char **argv)
{
    static const unsigned counts[] = { 10, 1000, 20000 };
    static struct bench bench;
    int good;
    bench.spec = (struct yk_store_spec){ .path = argc > 1 ? argv[1] : "/tmp/yoke-bench-kb.db",
                                         .limit_bytes = 1 << 30 };
    if (access(bench.spec.path, F_OK) == 0) {
        fprintf(stderr, "yoke-bench-kb: %s is there already; name a file that is not\n",
                bench.spec.path);
        return 2;
    }
    good = yk_store_open(&bench.spec, &bench.store) == YOKE_OK;
    for (size_t i = 0; good && i < sizeof counts / sizeof *counts; i++) {
        good = fill(&bench, counts[i]);
        printf("%s{ \"lessons\": %u, \"bytes\": %lld", i ? ", " : "[", counts[i],
               (long long)yk_store_bytes(bench.store));
        good = good && look_up(&bench) && derive(&bench) && put(&bench) && reopen(&bench);
        printf(" }");
    }
    printf("]\n");
    yk_store_close(bench.store);
    drop(bench.spec.path);
    return good ? 0 : 1;
}
