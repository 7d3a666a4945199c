/* test_derive.c - splits for sizes never seen, in worlds whose devices' lines are known for every
 * size: they reach 97 % of the best split's speed; what is wrong with lessons is not learned from.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/derive.h"

enum { DEVICES = 3, LESSONS = 12 };

/* Sizes from two numbers, and each device's line with them. [0] is a CPU, [1] a GPU whose rows are
 * copied, [2] a slow GPU that starts late. */
struct world {
    const char *name;
    int sizes;
    void (*measure)(double n, double m, double sizes[]);
    struct yk_line (*line)(int device, double n, double m);
};

static const double speeds[DEVICES] = { 1, 8, 2 };

static void saxpy_sizes(double n, double m, double sizes[])
{
    (void)m;
    memcpy(sizes, (double[]){ n, 4, n, 4 }, 4 * sizeof *sizes);
}

static struct yk_line saxpy_line(int device, double n, double m)
{
    static const double fixed[DEVICES] = { 5e3, 30e3, 400e3 };
    (void)n;
    (void)m;
    return (struct yk_line){ 1 / speeds[device], fixed[device] };
}

/* A row of a product of square matrices; the second one goes to each GPU whole. */
static void mm_sizes(double n, double m, double sizes[])
{
    (void)m;
    memcpy(sizes, (double[]){ n, n, n, 8 * n, n, 8 * n, n, 8 * n }, 8 * sizeof *sizes);
}

static struct yk_line mm_line(int device, double n, double m)
{
    double fixed = device ? 20e3 * device + 8 * n * n / 20 : 2e3;
    (void)m;
    return (struct yk_line){ 0.1 * n * n / speeds[device], fixed };
}

/* The same, where GPUs reach their speed only with large matrices. */
static struct yk_line mm_slow_line(int device, double n, double m)
{
    struct yk_line line = mm_line(device, n, m);
    line.item_ns *= device ? 1 + 400 * device / n : 1;
    return line;
}

static void bodies_sizes(double n, double m, double sizes[])
{
    (void)m;
    memcpy(sizes, (double[]){ n, n, 16, n, 12 }, 5 * sizeof *sizes);
}

static struct yk_line bodies_line(int device, double n, double m)
{
    double fixed = device ? 30e3 * device + 16 * n / 12 : 3e3;
    (void)m;
    return (struct yk_line){ 0.5 * n / speeds[device], fixed };
}

/* n rows of m numbers. */
static void mxv_sizes(double n, double m, double sizes[])
{
    memcpy(sizes, (double[]){ n, m, n, 4 * m, m, 4 }, 6 * sizeof *sizes);
}

static struct yk_line mxv_line(int device, double n, double m)
{
    double fixed = device ? 25e3 * device + 4 * m / 12 : 3e3;
    (void)n;
    return (struct yk_line){ (5 + m) * 0.2 / speeds[device], fixed };
}

/* A device's memory is slower than its cache, which ends somewhere in the middle. */
static struct yk_line cache_line(int device, double n, double m)
{
    struct yk_line line = mxv_line(device, n, m);
    if (device == 1)
        line.item_ns *= 1 + 0.6 / (1 + pow(3e7 / (n * m), 2));
    return line;
}

static const struct world worlds[] = {
    { "saxpy", 4, saxpy_sizes, saxpy_line },  { "mm", 8, mm_sizes, mm_line },
    { "mm-slow", 8, mm_sizes, mm_slow_line }, { "bodies", 5, bodies_sizes, bodies_line },
    { "mxv", 6, mxv_sizes, mxv_line },        { "cache", 6, mxv_sizes, cache_line },
};
enum { WORLDS = sizeof worlds / sizeof *worlds, SMOOTH = WORLDS - 1 };

/* A few percent that depend on all that is given, the same in every run. */
static double noise(double n, double m, int device)
{
    return 1 + 0.015 * sin(12.9898 * n + 78.233 * m + 37.719 * device);
}

struct spot {
    double n, m;
};

static struct yk_lesson teach(const struct world *world, struct spot spot)
{
    static const char *const names[DEVICES] = { "cpu", "cuda:0", "cuda:1" };
    struct yk_lesson lesson = { .sizes = { .count = world->sizes },
                                .confirmed = 5,
                                .seen = 1,
                                .ns = 1e6,
                                .team = 7,
                                .device_count = DEVICES };
    world->measure(spot.n, spot.m, lesson.sizes.at);
    for (int d = 0; d < DEVICES; d++) {
        struct yk_lesson_device *device = &lesson.devices[d];
        strcpy(device->name, names[d]);
        device->line = world->line(d, spot.n, spot.m);
        device->line.item_ns *= noise(spot.n, spot.m, d);
        device->line.fixed_ns *= noise(spot.m, spot.n, d);
        device->rate = 1 / device->line.item_ns;
        device->fixed_ns = 5e3;
        device->share = 1.0 / DEVICES;
        device->grain = lesson.sizes.at[0] / 20;
        device->steady = 1;
    }
    return lesson;
}

/* When the last device ends. */
static double time_of(const struct world *world, struct spot spot, const double share[DEVICES])
{
    double sizes[YK_SIZES_MAX], last = 0;
    world->measure(spot.n, spot.m, sizes);
    for (int d = 0; d < DEVICES; d++) {
        struct yk_line line = world->line(d, spot.n, spot.m);
        if (share[d] > 0)
            last = fmax(last, yk_line_ns(&line, share[d] * sizes[0]));
    }
    return last;
}

/* By halving the time that all items take. */
static double best_time(const struct world *world, struct spot spot)
{
    double sizes[YK_SIZES_MAX], low = 0, high = 1e18;
    world->measure(spot.n, spot.m, sizes);
    for (int i = 0; i < 200; i++) {
        double end = (low + high) / 2, items = 0;
        for (int d = 0; d < DEVICES; d++) {
            struct yk_line line = world->line(d, spot.n, spot.m);
            items += fmax(0, (end - line.fixed_ns) / line.item_ns);
        }
        *(items < sizes[0] ? &low : &high) = end;
    }
    return high;
}

/* The derived split's speed as a part of the best one's. */
static double quality(const struct world *world, const struct yk_derivation *how,
                      const struct spot *known, struct spot asked)
{
    struct yk_lesson lessons[LESSONS], out;
    struct yk_lesson_list list = { lessons, LESSONS, 0 };
    struct yk_sizes sizes = { .count = world->sizes };
    double share[DEVICES], sum = 0;
    for (; known[list.count].n > 0; list.count++)
        lessons[list.count] = teach(world, known[list.count]);
    world->measure(asked.n, asked.m, sizes.at);
    assert_int_equal(yk_derive(how, &sizes, &list, &out), 1);
    assert_null(yk_lesson_wrong(&out));
    assert_int_equal(out.origin, YK_ORIGIN_DERIVED);
    assert_int_equal(out.confirmed, 0);
    for (int d = 0; d < DEVICES; d++)
        sum += share[d] = out.devices[d].share;
    assert_true(fabs(sum - 1) < 1e-9);
    return best_time(world, asked) / time_of(world, asked, share);
}

/* `asked` of the first few worlds. */
static void demand(int count, const struct spot *known, const struct spot *asked, double least)
{
    int failed = 0;
    for (int w = 0; w < count; w++)
        for (int i = 0; asked[i].n > 0; i++) {
            double reached = quality(&worlds[w], &yk_derive_model, known, asked[i]);
            if (!(reached >= least))
                printf("%s %gx%g: %.4f\n", worlds[w].name, asked[i].n, asked[i].m, reached);
            failed += !(reached >= least);
        }
    assert_int_equal(failed, 0);
}

static void test_between(void **state)
{
    (void)state;
    static const struct spot known[] = { { 1000, 1000 }, { 8000, 8000 }, { 0 } };
    static const struct spot asked[] = { { 1200, 1200 }, { 2000, 2000 }, { 3000, 3000 },
                                         { 4500, 4500 }, { 7000, 7000 }, { 0 } };
    demand(SMOOTH, known, asked, 0.97);
}

static void test_beyond(void **state)
{
    (void)state;
    static const struct spot known[] = {
        { 1000, 1000 }, { 2000, 2000 }, { 4000, 4000 }, { 8000, 8000 }, { 0 }
    };
    static const struct spot asked[] = {
        { 500, 500 },     { 700, 700 },     { 1500, 1500 }, { 12000, 12000 },
        { 16000, 16000 }, { 32000, 32000 }, { 0 }
    };
    demand(SMOOTH, known, asked, 0.97);
}

/* Also where a device has a step, between lessons that are not far apart. */
static void test_dense(void **state)
{
    (void)state;
    struct spot known[LESSONS + 1] = { { 0 } }, asked[LESSONS] = { { 0 } };
    for (int i = 0; i < LESSONS; i++) {
        known[i].n = known[i].m = round(500 * pow(2, 0.5 * i));
        if (i < LESSONS - 1)
            asked[i].n = asked[i].m = round(500 * pow(2, 0.5 * i + 0.25));
    }
    demand(WORLDS, known, asked, 0.97);
}

/* Each of two sizes changes alone. */
static void test_two_sizes(void **state)
{
    (void)state;
    static const struct spot known[] = {
        { 1000, 1000 }, { 1000, 8000 }, { 8000, 1000 }, { 8000, 8000 }, { 0 }
    };
    static const struct spot asked[] = { { 2000, 1000 },  { 1000, 2000 },   { 3000, 3000 },
                                         { 8000, 500 },   { 500, 8000 },    { 16000, 4000 },
                                         { 4000, 16000 }, { 16000, 16000 }, { 0 } };
    demand(SMOOTH, known, asked, 0.97);
}

/* Lessons close to each other tell mostly noise of how it goes on. */
static void test_close_lessons(void **state)
{
    (void)state;
    static const struct spot known[] = { { 4000, 4000 }, { 4010, 4010 }, { 4020, 4020 }, { 0 } };
    static const struct spot asked[] = { { 3000, 3000 }, { 4005, 4005 }, { 6000, 6000 }, { 0 } };
    demand(SMOOTH, known, asked, 0.95);
}

static void test_one_lesson(void **state)
{
    (void)state;
    static const struct spot known[] = { { 4000, 4000 }, { 0 } };
    static const struct spot asked[] = { { 2000, 2000 }, { 3000, 3000 }, { 8000, 8000 }, { 0 } };
    demand(SMOOTH, known, asked, 0.84); /* what the paper reaches */
}

static void test_exact_where_known(void **state)
{
    (void)state;
    static const struct spot known[] = { { 1000, 1000 }, { 4000, 4000 }, { 0 } };
    static const struct spot asked[] = { { 1000, 1000 }, { 4000, 4000 }, { 0 } };
    demand(SMOOTH, known, asked, 0.985);
}

/* A GPU that pays only from some size on is in the team from there on. */
static void test_team(void **state)
{
    (void)state;
    const struct world *world = &worlds[0];
    struct yk_lesson lessons[2] = { teach(world, (struct spot){ 1e5, 0 }),
                                    teach(world, (struct spot){ 1e8, 0 }) },
                     out;
    struct yk_lesson_list list = { lessons, 2, 2 };
    struct yk_sizes sizes = lessons[0].sizes;
    sizes.at[0] = sizes.at[2] = 2e5;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &out), 1);
    assert_int_equal(out.team, 3);
    assert_true(out.devices[2].share == 0);
    assert_true(fabs(out.ns / best_time(world, (struct spot){ 2e5, 0 }) - 1) < 0.05);
    sizes.at[0] = sizes.at[2] = 2e7;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &out), 1);
    assert_int_equal(out.team, 7);
}

static void test_nearest(void **state)
{
    (void)state;
    const struct world *world = &worlds[1];
    struct yk_lesson lessons[3], out;
    struct yk_lesson_list list = { lessons, 3, 3 };
    for (int i = 0; i < 3; i++) {
        lessons[i] = teach(world, (struct spot){ 1000 << i, 0 });
        lessons[i].devices[0].share = 0.1 * (1 + i);
        lessons[i].devices[1].share = 0.9 - 0.1 * (1 + i);
        lessons[i].devices[2].share = 0.1;
    }
    struct yk_sizes sizes = { .count = world->sizes };
    world->measure(2100, 0, sizes.at);
    assert_int_equal(yk_derive(&yk_derive_nearest, &sizes, &list, &out), 1);
    assert_true(out.devices[0].share == 0.2);
    assert_true(out.sizes.at[0] == 2100);
    assert_int_equal(out.origin, YK_ORIGIN_DERIVED);
    assert_int_equal(out.confirmed, 0);
    assert_int_equal(out.team, 7);
}

/* Without lines, the speeds of chunks tell the shares, but no end and no other team. */
static void test_rates_only(void **state)
{
    (void)state;
    const struct world *world = &worlds[3];
    struct yk_lesson lessons[2] = { teach(world, (struct spot){ 1e4, 0 }),
                                    teach(world, (struct spot){ 4e4, 0 }) },
                     out;
    struct yk_lesson_list list = { lessons, 2, 2 };
    struct yk_sizes sizes = { .count = world->sizes };
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < DEVICES; d++)
            lessons[i].devices[d].line = (struct yk_line){ 0 };
    lessons[0].team = lessons[1].team = 3;
    world->measure(2e4, 0, sizes.at);
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &out), 1);
    assert_true(out.ns == 0);
    assert_int_equal(out.team, 3);
    assert_true(fabs(out.devices[1].share - 8.0 / 11) < 0.02);
    assert_true(fabs(out.devices[1].rate * 0.5 * 2e4 / 8 - 1) < 0.05);
    for (int i = 0; i < 2; i++) /* nobody knows a device's speed: shares as they were */
        lessons[i].devices[2].rate = 0;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &out), 1);
    assert_true(out.devices[1].share == 1.0 / DEVICES);
}

/* Ruins a lesson in the nth way; 0: there is no such way. */
static int ruin(struct yk_lesson *lesson, int way)
{
    struct yk_lesson_device *device = &lesson->devices[1];
    switch (way) {
    case 0:
        device->rate = (double)NAN;
        break;
    case 1:
        device->rate = -1;
        break;
    case 2:
        device->line.item_ns = (double)INFINITY;
        break;
    case 3:
        device->line.fixed_ns = -5;
        break;
    case 4:
        device->share = 2;
        break;
    case 5:
        device->name[0] = 0;
        break;
    case 6:
        strcpy(device->name, "cpu");
        break;
    case 7:
        strcpy(device->name, "cuda:7");
        break; /* another set of devices, and not the nearest */
    case 8:
        lesson->device_count = 2;
        lesson->team = 3;
        break;
    case 9:
        lesson->device_count = 0;
        break;
    case 10:
        lesson->device_count = YK_LESSON_DEVICES + 1;
        break;
    case 11:
        lesson->sizes.count--;
        break;
    case 12:
        lesson->sizes.count = YK_SIZES_MAX + 1;
        break;
    case 13:
        lesson->sizes.at[1] = (double)NAN;
        break;
    case 14:
        lesson->sizes.at[0] = -1;
        break;
    case 15:
        lesson->origin = YK_ORIGIN_DERIVED;
        break;
    case 16:
        lesson->origin = (enum yk_origin)7;
        break;
    case 17:
        for (int d = 0; d < DEVICES; d++) {
            lesson->devices[d].line.item_ns = 0;
            lesson->devices[d].rate = 0;
        }
        break;
    case 18:
        lesson->ns = (double)NAN;
        break;
    case 19:
        memset(device->name, 'x', sizeof device->name);
        break;
    default:
        return 0;
    }
    return 1;
}

/* They change nothing of what the others tell, and alone tell nothing. */
static void test_garbage(void **state)
{
    (void)state;
    const struct world *world = &worlds[1];
    struct yk_lesson lessons[3], clean, out;
    struct yk_sizes sizes = { .count = world->sizes };
    world->measure(2000, 0, sizes.at);
    lessons[0] = teach(world, (struct spot){ 1800, 0 });
    lessons[1] = teach(world, (struct spot){ 4000, 0 });
    struct yk_lesson_list two = { lessons, 3, 2 }, three = { lessons, 3, 3 };
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &two, &clean), 1);
    for (int way = 0;; way++) {
        lessons[2] = teach(world, (struct spot){ 1700, 0 });
        lessons[2].devices[0].line.item_ns *= 3;
        if (!ruin(&lessons[2], way))
            break;
        assert_int_equal(yk_derive(&yk_derive_model, &sizes, &three, &out), 1);
        assert_memory_equal(&out, &clean, sizeof out);
        struct yk_lesson_list alone = { &lessons[2], 1, 1 };
        int helps = way == 7 || way == 8 || way == 15; /* nothing wrong with it but its company */
        if (way != 11)
            assert_int_equal(yk_derive(&yk_derive_model, &sizes, &alone, &out), helps);
    }
    sizes.at[0] = (double)NAN;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &two, &out), 0);
    sizes.count = 0;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &two, &out), 0);
    sizes.count = YK_SIZES_MAX + 1;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &two, &out), 0);
}

/* However extreme, what comes out is a lesson. */
static void test_extremes(void **state)
{
    (void)state;
    static const double extremes[] = { 0, 1, 1e-300, 5e-324, 1e18, 1e300, 1.7e308 };
    enum { COUNT = sizeof extremes / sizeof *extremes };
    const struct world *world = &worlds[1];
    for (int i = 0; i < COUNT * COUNT * COUNT; i++) {
        struct yk_lesson lessons[2] = { teach(world, (struct spot){ 100, 0 }),
                                        teach(world, (struct spot){ 200, 0 }) },
                         out;
        struct yk_lesson_list list = { lessons, 2, 2 };
        struct yk_sizes sizes = lessons[0].sizes;
        sizes.at[i % 8] = extremes[i % COUNT];
        lessons[0].devices[i % 3].line.item_ns = extremes[i / COUNT % COUNT];
        lessons[1].devices[i % 3].line.fixed_ns = extremes[i / COUNT / COUNT];
        lessons[0].devices[i % 3].grain = extremes[i / COUNT / COUNT];
        if (yk_derive(&yk_derive_model, &sizes, &list, &out))
            assert_null(yk_lesson_wrong(&out));
    }
}

static void test_many(void **state)
{
    (void)state;
    const struct world *world = &worlds[2];
    struct yk_lesson lessons[64], out;
    struct yk_lesson_list list = { lessons, 64, 64 };
    struct yk_sizes sizes = { .count = world->sizes };
    for (int i = 0; i < 64; i++)
        lessons[63 - i] = teach(world, (struct spot){ 100 * (1 + i), 0 });
    world->measure(2050, 0, sizes.at);
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &out), 1);
    for (int d = 0; d < DEVICES; d++) {
        struct yk_line line = world->line(d, 2050, 0);
        assert_true(fabs(out.devices[d].line.item_ns / line.item_ns - 1) < 0.03);
    }
}

static void test_table(void **state)
{
    (void)state;
    assert_ptr_equal(yk_derivation_find("nearest"), &yk_derive_nearest);
    assert_ptr_equal(yk_derivation_find("model"), &yk_derive_model);
    assert_ptr_equal(yk_derivations[0], &yk_derive_model);
    assert_null(yk_derivation_find("neares"));
    assert_null(yk_derivation_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between),    cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_two_sizes),  cmocka_unit_test(test_close_lessons),
        cmocka_unit_test(test_one_lesson), cmocka_unit_test(test_exact_where_known),
        cmocka_unit_test(test_team),       cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_rates_only), cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_extremes),   cmocka_unit_test(test_many),
        cmocka_unit_test(test_table),      cmocka_unit_test(test_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
