/* sim_bench.h - virtual devices with queues, a buffer and programs, and operations whose start and
 * end are known in advance; for the tests of the sim backend. Times are ns. */
#ifndef SIM_BENCH_H
#define SIM_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/sim/sim.h"

static const struct yk_backend *const sim = &yk_backend_sim;

/* y = a y + lane, on floats. */
static inline void scale_run(void *const *args, const yoke_chunk *chunk)
{
    float a = *(const float *)args[0], *y = args[1];
    for (int64_t i = chunk->first; i < chunk->last; i++)
        y[i] = a * y[i] + (float)chunk->lane;
}

static inline void team_run(void *const *args, const yoke_chunk *chunk)
{
    float *y = args[1];
    for (int64_t i = chunk->first; i < chunk->last; i++)
        y[i] = (float)chunk->team;
}

static const yoke_param scale_params[] = { { YOKE_PARAM_VALUE, "float", "a", 4, 4 },
                                           { YOKE_PARAM_INOUT, "float", "y", 4, 4 } };
static const yoke_kernel scale = { .struct_size = sizeof scale,
                                   .name = "scale",
                                   .params = scale_params,
                                   .param_count = 2,
                                   .cpu = { .variant = { scale_run } } };
static const yoke_kernel team = { .struct_size = sizeof team,
                                  .name = "team",
                                  .params = scale_params,
                                  .param_count = 2,
                                  .cpu = { .team = team_run } };

enum { DEVICES = 3, QUEUES = 4, FLOATS = 1000 };

/* Devices; the first has queues, a buffer of FLOATS elements and programs. */
struct bench {
    struct yk_device *devices[DEVICES], *device;
    int count;
    struct yk_queue *queue[QUEUES];
    struct yk_buffer *buffer;
    struct yk_program *scale, *team;
    float host[FLOATS];
};

static inline void bench_open(struct bench *bench, const char *text)
{
    struct yk_device_list list = { 0 };
    memset(bench, 0, sizeof *bench);
    assert_int_equal(yk_devices_find(text, &list), YOKE_OK);
    assert_true(list.count <= DEVICES);
    for (int i = 0; i < list.count; i++)
        assert_int_equal(sim->open(&list.items[i], &bench->devices[i]), YOKE_OK);
    bench->count = list.count;
    bench->device = bench->devices[0];
    yk_device_list_close(&list);
    for (int q = 0; q < QUEUES; q++)
        assert_int_equal(
            sim->queue_open(bench->devices[q < bench->count ? q : 0], &bench->queue[q]), YOKE_OK);
    if (!bench->device->desc.host_memory)
        assert_int_equal(sim->alloc(bench->device, sizeof bench->host, &bench->buffer), YOKE_OK);
    assert_int_equal(sim->build(bench->device, &scale, &bench->scale), YOKE_OK);
    assert_int_equal(sim->build(bench->device, &team, &bench->team), YOKE_OK);
}

static inline void bench_close(struct bench *bench)
{
    for (int q = 0; q < QUEUES; q++)
        sim->queue_close(bench->queue[q]);
    sim->program_close(bench->device, bench->scale);
    sim->program_close(bench->device, bench->team);
    if (bench->buffer)
        sim->free(bench->device, bench->buffer);
    for (int i = 0; i < bench->count; i++)
        sim->close(bench->devices[i]);
    assert_int_equal(sim->now(), 0); /* closing the last device resets the clock */
}

static inline struct yk_event *copy_after(struct bench *bench, int queue, enum yk_copy_kind kind,
                                          struct yk_event *after)
{
    struct yk_event *event = NULL;
    struct yk_copy copy = { .kind = kind,
                            .host = bench->host,
                            .buffer = bench->buffer,
                            .bytes = sizeof bench->host,
                            .after = &after,
                            .after_count = after ? 1 : 0 };
    assert_int_equal(sim->copy(bench->queue[queue], &copy, &event), YOKE_OK);
    return event;
}

struct part {
    int queue, lane, team;
    int64_t items;
    struct yk_event *after;
};

static inline struct yk_event *launch(struct bench *bench, struct yk_program *program,
                                      struct part part)
{
    static float a = 2;
    struct yk_event *event = NULL;
    struct yk_launch_arg args[] = { { .value = &a },
                                    { .buffer = bench->buffer, .host = bench->host } };
    struct yk_launch launch = { .first = 0,
                                .last = part.items,
                                .extent = { 1, 1 },
                                .args = args,
                                .lane = part.lane,
                                .team = part.team ? part.team : 1,
                                .after = &part.after,
                                .after_count = part.after ? 1 : 0 };
    assert_int_equal(sim->launch(bench->queue[part.queue], program, &launch, &event), YOKE_OK);
    return event;
}

/* Runs to the end of the event, checks its times and status, closes it. */
static inline void expect_outcome(struct yk_event *event, int64_t started, int64_t ended,
                                  yoke_status expected)
{
    yoke_status outcome;
    struct yk_event_times times;
    while (!sim->poll(event, &outcome))
        assert_true(sim->advance(0));
    sim->event_times(event, &times);
    assert_int_equal(times.started, started);
    assert_int_equal(times.ended, ended);
    assert_int_equal(outcome, expected);
    sim->event_close(event);
}

static inline void expect(struct yk_event *event, int64_t started, int64_t ended)
{
    expect_outcome(event, started, ended, YOKE_OK);
}

/* 4000 bytes at 1 GB/s take 4 us, plus 10 us of latency. */
static const char slow_link[] = "sim:gpu:link=1e9:latency=10us:rate=1e9:fixed=5us";

#endif
