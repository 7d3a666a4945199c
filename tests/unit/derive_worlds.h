/* derive_worlds.h - simulated worlds in which each device's line (time against items) is known for
 * every size; lessons generated there, and the best split. */
#ifndef DERIVE_WORLDS_H
#define DERIVE_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "knowledge/derive.h"

enum { DEVICES = 3 };

/* Sizes derived from two numbers, and each device's line for them. [0] is a CPU, [1] a GPU whose
 * rows are copied, [2] a slow GPU that starts late. */
struct world {
    const char *name;
    int sizes;
    void (*measure)(double n, double m, double sizes[]);
    struct yk_line (*line)(int device, double n, double m);
};

static const double speeds[DEVICES] = { 1, 8, 2 };

static inline void saxpy_sizes(double n, double m, double sizes[])
{
    (void)m;
    memcpy(sizes, (double[]){ n, 4, n, 4 }, 4 * sizeof *sizes);
}

static inline struct yk_line saxpy_line(int device, double n, double m)
{
    static const double fixed[DEVICES] = { 5e3, 30e3, 400e3 };
    (void)n;
    (void)m;
    return (struct yk_line){ 1 / speeds[device], fixed[device] };
}

/* Items are rows of a product of square matrices; the second matrix goes whole to each GPU. */
static inline void mm_sizes(double n, double m, double sizes[])
{
    (void)m;
    memcpy(sizes, (double[]){ n, n, n, 8 * n, n, 8 * n, n, 8 * n }, 8 * sizeof *sizes);
}

static inline struct yk_line mm_line(int device, double n, double m)
{
    double fixed = device ? 20e3 * device + 8 * n * n / 20 : 2e3;
    (void)m;
    return (struct yk_line){ 0.1 * n * n / speeds[device], fixed };
}

/* The same, but GPUs reach full speed only with large matrices. */
static inline struct yk_line mm_slow_line(int device, double n, double m)
{
    struct yk_line line = mm_line(device, n, m);
    line.item_ns *= device ? 1 + 400 * device / n : 1;
    return line;
}

static inline void bodies_sizes(double n, double m, double sizes[])
{
    (void)m;
    memcpy(sizes, (double[]){ n, n, 16, n, 12 }, 5 * sizeof *sizes);
}

static inline struct yk_line bodies_line(int device, double n, double m)
{
    double fixed = device ? 30e3 * device + 16 * n / 12 : 3e3;
    (void)m;
    return (struct yk_line){ 0.5 * n / speeds[device], fixed };
}

/* n rows of m numbers. */
static inline void mxv_sizes(double n, double m, double sizes[])
{
    memcpy(sizes, (double[]){ n, m, n, 4 * m, m, 4 }, 6 * sizeof *sizes);
}

static inline struct yk_line mxv_line(int device, double n, double m)
{
    double fixed = device ? 25e3 * device + 4 * m / 12 : 3e3;
    (void)n;
    return (struct yk_line){ (5 + m) * 0.2 / speeds[device], fixed };
}

/* A device's memory is slower than its cache; the data outgrow the cache at a size in the middle of
 * the range. */
static inline struct yk_line cache_line(int device, double n, double m)
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

/* A deterministic error of a few per cent that depends on all arguments. */
static inline double noise(double n, double m, int device)
{
    return 1 + 0.015 * sin(12.9898 * n + 78.233 * m + 37.719 * device);
}

struct spot {
    double n, m;
};

static inline struct yk_lesson teach(const struct world *world, struct spot spot)
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

/* Time at which the last device ends. */
static inline double time_of(const struct world *world, struct spot spot,
                             const double share[DEVICES])
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

/* Finds the shortest time for all items by bisection. */
static inline double best_time(const struct world *world, struct spot spot)
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

#endif
