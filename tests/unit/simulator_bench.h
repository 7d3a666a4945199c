/* simulator_bench.h - shared by the tests of the simulator: opens a machine and a profile from
 * their texts, runs a job, and checks every span.
 *
 * Invariants of every simulation: a lane does one thing at a time; kernels of a GPU, and copies in
 * each direction of its link, do not overlap; an item counts exactly once. */
#ifndef TESTS_UNIT_SIMULATOR_BENCH_H
#define TESTS_UNIT_SIMULATOR_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "simulator/simulate.h"

enum { bench_lanes_max = 256, bench_devices_max = 64 };

/* What is known of a device beforehand, right or wrong; 0: nothing. */
struct bench_told {
    double rate, share, peak;
    int64_t limit;
};

struct simulator_bench {
    struct yk_machine machine;
    struct yk_profile profile;
    struct yk_simulate_spec spec;
    struct yk_simulate_result result;
    struct bench_told told[bench_devices_max];
    /* what the runs taught */
    struct yk_learned learned[bench_devices_max];
    struct yk_adjust adjust;
    struct yk_late late;
    /* computed from the spans */
    unsigned char *counted; /* for each item, how often it counted */
    signed char *by;        /* for each item that counted, the device that did it */
    int64_t lane_end[bench_devices_max][bench_lanes_max];
    int64_t engine_end[bench_devices_max][4]; /* of a GPU, by kind of span */
    int64_t spans, done_first, done_last;     /* of the latest span that counts */
    double latest_done;                       /* us */
    double device_done[bench_devices_max];    /* us: when the device's latest item counted */
};

static inline void bench_count(struct simulator_bench *bench, const struct yk_simulate_span *span)
{
    unsigned char *counted = bench->counted + (span->first - bench->spec.first);
    size_t items = (size_t)(span->last - span->first);
    bench->latest_done = bench->device_done[span->device] = (double)span->end_ns / 1000;
    if (bench->spec.all_or_nothing)
        memset(bench->by + (span->first - bench->spec.first), span->device, items);
    if (memchr(counted, 1, items)) /* some counted before: keep the count; the run is wrong */
        for (size_t i = 0; i < items; i++)
            counted[i]++;
    else
        memset(counted, 1, items);
}

static inline void bench_lose(struct simulator_bench *bench, int device)
{
    for (int64_t item = 0; item < bench->profile.items; item++)
        if (bench->by[item] == device) {
            bench->counted[item]--;
            bench->by[item] = -1;
        }
}

static inline void bench_span(void *context, const struct yk_simulate_span *span)
{
    struct simulator_bench *bench = context;
    int64_t *lane = &bench->lane_end[span->device][span->lane];
    int64_t *engine;
    bench->spans++;
    assert_true(span->start_ns <= span->end_ns && span->first <= span->last);
    if (span->kind == YK_SIMULATE_DONE || span->kind == YK_SIMULATE_LOST) {
        if (span->kind == YK_SIMULATE_DONE)
            bench_count(bench, span);
        else
            bench_lose(bench, span->device);
        return;
    }
    engine = &bench->engine_end[span->device][span->kind];
    assert_true(span->start_ns >= *lane);
    *lane = span->end_ns;
    if (span->device > 0) {
        assert_true(span->start_ns >= *engine);
        *engine = span->end_ns;
    }
}

/* Texts of a machine and a profile; the caller sets the rest of the spec before bench_run. */
static inline struct simulator_bench *bench_open(const char *machine, const char *profile,
                                                 int64_t items)
{
    struct simulator_bench *bench = calloc(1, sizeof *bench);
    struct yk_profile_spec spec;
    assert_non_null(bench);
    if (yk_machine_parse(machine, YK_MACHINE_JOB, &bench->machine) != YOKE_OK)
        fail_msg("%s", yoke_error_text());
    assert_int_equal(yk_profile_parse(profile, items, &spec), YOKE_OK);
    assert_int_equal(yk_profile_open(&spec, &bench->profile), YOKE_OK);
    bench->counted = calloc((size_t)items, 1);
    bench->by = calloc((size_t)items, 1);
    assert_true(bench->counted && bench->by);
    bench->spec = (struct yk_simulate_spec){ .machine = &bench->machine,
                                             .profile = &bench->profile,
                                             .span = bench_span,
                                             .context = bench,
                                             .most_events = 20000000 };
    return bench;
}

/* Returns the time in us; checks that every item counted once. */
static inline double bench_run(struct simulator_bench *bench)
{
    const int64_t items = bench->profile.items;
    int64_t sum = 0;
    int d;
    memset(bench->counted, 0, (size_t)items);
    if (bench->spec.all_or_nothing)
        memset(bench->by, -1, (size_t)items);
    memset(bench->device_done, 0, sizeof bench->device_done);
    memset(bench->lane_end, 0, sizeof bench->lane_end);
    memset(bench->engine_end, 0, sizeof bench->engine_end);
    yk_simulate_close(&bench->result);
    if (yk_simulate(&bench->spec, &bench->result) != YOKE_OK)
        fail_msg("%s", yoke_error_text());
    if (bench->result.verdict[0])
        fail_msg("%s", bench->result.verdict);
    /* all are equal to the first */
    if (bench->counted[0] != 1 || memcmp(bench->counted, bench->counted + 1, (size_t)items - 1))
        for (int64_t item = 0; item < items; item++)
            if (bench->counted[item] != 1)
                fail_msg("item %d counted %d times", (int)item, bench->counted[item]);
    for (d = 0; d < bench->result.device_count; d++)
        sum += bench->result.devices[d].items;
    assert_int_equal(sum, items);
    return bench->result.seconds * 1e6;
}

/* For spec.know: what told[] says, and no peak that it does not tell. */
static inline void bench_know(void *context, int device, struct yk_split_device *known)
{
    const struct bench_told *told = &((struct simulator_bench *)context)->told[device];
    known->peak = told->peak;
    if (told->peak == 0)
        known->make = 0;
    if (known->rate == 0)
        known->rate = told->rate;
    if (known->share < 0 && told->share > 0)
        known->share = told->share;
    known->limit = told->limit;
}

/* Copies what the latest run learned, for the spec of the next run. */
static inline void bench_take_learned(const struct simulator_bench *bench, struct yk_learned *out)
{
    int d;
    for (d = 0; d < bench->result.device_count; d++)
        out[d] = bench->result.devices[d].learned;
}

/* The next run knows what the latest one learned. */
static inline void bench_learn(struct simulator_bench *bench)
{
    bench_take_learned(bench, bench->learned);
    bench->adjust = bench->result.adjust;
    bench->late = bench->result.late;
    bench->spec.learned = bench->learned;
    bench->spec.adjust = &bench->adjust;
    bench->spec.late = bench->late;
}

static inline void bench_forget(struct simulator_bench *bench)
{
    bench->spec.learned = NULL;
    bench->spec.adjust = NULL;
    bench->spec.late = (struct yk_late){ 0 };
}

/* Runs `count` times, each with what the run before learned; returns the last run's time. */
static inline double bench_rerun(struct simulator_bench *bench, int count)
{
    double us = bench_run(bench);
    while (--count > 0) {
        bench_learn(bench);
        us = bench_run(bench);
    }
    bench_forget(bench);
    return us;
}

/* The least time, in us, of all devices together, or of one: yk_machine_ideal. */
static inline double bench_ideal(const struct simulator_bench *bench, int only)
{
    const struct yk_simulate_spec *spec = &bench->spec;
    const struct yk_machine_job job = { .items = (double)bench->profile.items,
                                        .core_seconds = spec->core_seconds,
                                        .bytes_in = spec->bytes_in,
                                        .bytes_out = spec->bytes_out,
                                        .dearest = bench->profile.dearest };
    return 1e6 * yk_machine_ideal(&bench->machine, &job, only);
}

static inline void bench_close(struct simulator_bench *bench)
{
    yk_simulate_close(&bench->result);
    yk_profile_close(&bench->profile);
    yk_machine_close(&bench->machine);
    free(bench->counted);
    free(bench->by);
    free(bench);
}

#endif
