/* check_bench.h - a checked simulated device with two queues, two buffers and a program, and a
 * listener that counts reported violations; for the tests of the checking wrapper. */
#ifndef CHECK_BENCH_H
#define CHECK_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/check/check.h"
#include "backend/sim/sim.h"
#include "base/alloc.h"

static inline void nothing(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    (void)chunk;
}

static const yoke_param params[] = { { YOKE_PARAM_VALUE, "int", "n", 4, 4 },
                                     { YOKE_PARAM_INOUT, "float", "x", 4, 4 } };
static const yoke_kernel kernel = { .struct_size = sizeof kernel,
                                    .name = "nothing",
                                    .params = params,
                                    .param_count = 2,
                                    .cpu = { .variant = { nothing } } };

enum { BYTES = 4000 };

static struct {
    int count;
    char text[384];
} breaches;

static inline void note_breach(void *context, const char *text)
{
    (void)context;
    breaches.count++;
    strncpy(breaches.text, text, sizeof breaches.text - 1);
}

/* Exactly one violation since the last check, and its text contains these words. */
static inline void expect_breach(const char *words)
{
    if (breaches.count != 1 || !strstr(breaches.text, words))
        fail_msg("%d breaches, the last '%s', instead of one with '%s'", breaches.count,
                 breaches.text, words);
    breaches.count = 0;
    breaches.text[0] = '\0';
}

struct bench {
    struct yk_device *device;
    const struct yk_backend *b; /* the wrapper's function table */
    struct yk_queue *queue[2];
    struct yk_buffer *x, *y;
    struct yk_program *program;
    char host[2 * BYTES];
};

static inline struct yk_device *open_checked(const char *text)
{
    struct yk_device_list list = { 0 };
    struct yk_device *device;
    assert_int_equal(yk_devices_find(text, &list), YOKE_OK);
    assert_int_equal(yk_backend_sim.open(&list.items[0], &device), YOKE_OK);
    yk_device_list_close(&list);
    assert_int_equal(yk_backend_check(device, &device), YOKE_OK);
    return device;
}

static inline void bench_open(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    memset(&breaches, 0, sizeof breaches);
    yk_check_on_breach(note_breach, NULL);
    bench->device = open_checked("sim:gpu:mem=1M");
    bench->b = bench->device->backend;
    for (int q = 0; q < 2; q++)
        assert_int_equal(bench->b->queue_open(bench->device, &bench->queue[q]), YOKE_OK);
    assert_int_equal(bench->b->alloc(bench->device, BYTES, &bench->x), YOKE_OK);
    assert_int_equal(bench->b->alloc(bench->device, BYTES, &bench->y), YOKE_OK);
    assert_int_equal(bench->b->build(bench->device, &kernel, &bench->program), YOKE_OK);
}

static inline void bench_close(struct bench *bench)
{
    for (int q = 0; q < 2; q++)
        bench->b->queue_close(bench->queue[q]);
    bench->b->free(bench->device, bench->x);
    bench->b->free(bench->device, bench->y);
    bench->b->program_close(bench->device, bench->program);
    bench->b->close(bench->device);
    assert_int_equal(breaches.count, 0);
    yk_check_on_breach(NULL, NULL);
}

#endif
