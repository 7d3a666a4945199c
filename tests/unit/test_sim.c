/* test_sim.c - virtual time, worked out by hand: what overlaps, what waits, what fails when; and
 * operations take effect at their time and not before. Times are ns. */
#include "sim_bench.h"

#include <math.h>

#include "base/alloc.h"

static void links(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, slow_link);
    struct yk_event *in = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    struct yk_event *out = copy_after(&bench, 1, YK_COPY_FROM_DEVICE, NULL);
    struct yk_event *in2 = copy_after(&bench, 2, YK_COPY_TO_DEVICE, NULL);
    expect(in, 0, 14000);
    expect(out, 0, 14000);     /* the other direction is free */
    expect(in2, 14000, 28000); /* this direction was busy */
    assert_int_equal(sim->now(), 28000);
    expect(copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL), 28000, 42000);
    assert_int_equal(sim->advance(0), 0);
    bench_close(&bench);
}

/* Steps of 300 items: 1000 items take 4 steps, 1200 ns at 1 ns per item, and 5 us to launch. */
static void kernels(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, "sim:gpu:rate=1e9:fixed=5us:fill=300:link=1e9:latency=10us");
    struct yk_event *first = launch(&bench, bench.scale, (struct part){ .items = 1000 });
    struct yk_event *second =
        launch(&bench, bench.scale, (struct part){ .queue = 1, .items = 300 });
    struct yk_event *in = copy_after(&bench, 2, YK_COPY_TO_DEVICE, NULL);
    struct yk_event *third =
        launch(&bench, bench.scale, (struct part){ .queue = 1, .items = 301, .after = in });
    expect(first, 0, 6200);
    expect(second, 6200, 11500); /* kernels of all queues run one after another */
    expect(in, 0, 14000);        /* a copy in parallel */
    expect(third, 14000, 19600);
    bench_close(&bench);
}

/* The delay before a kernel passes while the other queue's kernel runs; without stairs 301 items
 * take 301 ns. */
static void launches(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, "sim:gpu:rate=1e9:fixed=1us:launch=3us:fill=300:stair=no");
    struct yk_event *first = launch(&bench, bench.scale, (struct part){ .items = 301 });
    struct yk_event *second =
        launch(&bench, bench.scale, (struct part){ .queue = 1, .items = 1000 });
    expect(first, 3000, 4301);
    expect(second, 4301, 6301);
    bench_close(&bench);
}

/* Without results operations take their time, and touch no memory. */
static void no_results(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, "sim:gpu:rate=1e9:fixed=5us:link=1e9:latency=10us:pages=4k:results=no");
    assert_int_equal(sim->commit(bench.device, bench.buffer, 0, sizeof bench.host), YOKE_OK);
    memset(bench.buffer->data, 7, sizeof bench.host);
    bench.host[0] = 1;
    expect(copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL), 0, 14000);
    expect(launch(&bench, bench.scale, (struct part){ .items = 1000 }), 14000, 20000);
    expect(copy_after(&bench, 0, YK_COPY_FROM_DEVICE, NULL), 20000, 34000);
    for (size_t i = 0; i < sizeof bench.host; i++)
        assert_int_equal(bench.buffer->data[i], 7);
    assert_float_equal(bench.host[0], 1, 0);
    bench_close(&bench);
}

static void within_and_zero(void **state)
{
    struct bench bench;
    struct yk_event *zero = NULL, *within = NULL;
    (void)state;
    bench_open(&bench, "sim:gpu:bandwidth=1e9:fixed=1us");
    assert_int_equal(
        sim->zero(bench.queue[0], &(struct yk_buffer_range){ bench.buffer, 0, 4000 }, &zero),
        YOKE_OK);
    struct yk_copy copy = { .kind = YK_COPY_WITHIN,
                            .buffer = bench.buffer,
                            .offset = 2000,
                            .from = bench.buffer,
                            .bytes = 2000 };
    assert_int_equal(sim->copy(bench.queue[1], &copy, &within), YOKE_OK);
    expect(zero, 0, 5000);
    expect(within, 5000, 8000);
    bench_close(&bench);
}

static void lanes(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, "sim:cpu:cores=3:rate=1e9:work=2:fixed=100ns");
    struct yk_event *a = launch(&bench, bench.scale, (struct part){ .items = 500 });
    struct yk_event *b =
        launch(&bench, bench.scale, (struct part){ .queue = 1, .lane = 1, .items = 200 });
    struct yk_event *c =
        launch(&bench, bench.scale, (struct part){ .queue = 2, .lane = 1, .items = 50 });
    struct yk_event *d = launch(&bench, bench.scale, (struct part){ .lane = 2, .items = 50 });
    expect(b, 0, 500);
    expect(c, 500, 700); /* the lane was busy */
    expect(a, 0, 1100);
    expect(d, 1100, 1300); /* the queue was busy */
    bench_close(&bench);
}

static void teams(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, "sim:cpu:cores=4:rate=1e9");
    struct yk_event *alone =
        launch(&bench, bench.scale, (struct part){ .queue = 1, .lane = 1, .items = 100 });
    struct yk_event *all = launch(&bench, bench.team, (struct part){ .items = 800, .team = 4 });
    struct yk_event *next =
        launch(&bench, bench.scale, (struct part){ .queue = 2, .lane = 3, .items = 10 });
    expect(alone, 0, 100);
    expect(all, 100, 300); /* when all lanes are free; 800 items on 4 cores */
    expect(next, 300, 310);
    assert_float_equal(bench.host[799], 4, 0);
    bench_close(&bench);
}

static void contention(void **state)
{
    struct bench bench;
    struct yk_program *program;
    (void)state;
    bench_open(&bench, "sim:gpu*2:rate=1e9:fixed=0:contention=0.5");
    assert_int_equal(sim->build(bench.devices[1], &scale, &program), YOKE_OK);
    struct yk_event *alone = launch(&bench, bench.scale, (struct part){ .items = 1000 }), *beside;
    struct yk_buffer *buffer, *mine = bench.buffer;
    assert_int_equal(sim->alloc(bench.devices[1], 4000, &buffer), YOKE_OK);
    bench.buffer = buffer;
    beside = launch(&bench, program, (struct part){ .queue = 1, .items = 1000 });
    expect(alone, 0, 1000);
    expect(beside, 0, 1500);
    expect(launch(&bench, program, (struct part){ .queue = 1, .items = 1000 }), 1500, 2500);
    bench.buffer = mine;
    sim->free(bench.devices[1], buffer);
    sim->program_close(bench.devices[1], program);
    bench_close(&bench);
}

/* From 2 to 3 us kernels take twice as long, from 3 to 4 us three times. */
static void load(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, "sim:gpu:rate=1e9:fixed=0:load=2us-4us*2+3us-4us*1.5");
    expect(launch(&bench, bench.scale, (struct part){ .items = 1000 }), 0, 1000);
    expect(launch(&bench, bench.scale, (struct part){ .items = 1000 }), 1000, 2000);
    expect(launch(&bench, bench.scale, (struct part){ .items = 500 }), 2000, 3000);
    expect(launch(&bench, bench.scale, (struct part){ .items = 1000 }), 3000, 4667);
    expect(launch(&bench, bench.scale, (struct part){ .items = 1000 }), 4667, 5667);
    bench_close(&bench);
}

static void extents(void **state)
{
    struct bench bench;
    struct yk_event *event = NULL;
    float a = 1;
    (void)state;
    bench_open(&bench, "sim:gpu:rate=1e9:fixed=0");
    struct yk_launch_arg args[] = { { .value = &a }, { .buffer = bench.buffer } };
    struct yk_launch l = { .first = 5, .last = 15, .extent = { 30, 7 }, .args = args, .team = 1 };
    assert_int_equal(sim->launch(bench.queue[0], bench.scale, &l, &event), YOKE_OK);
    expect(event, 0, 2100);
    l.second.first = 10;
    l.second.last = 15;
    l.third.first = 6;
    l.third.last = 7;
    event = NULL;
    assert_int_equal(sim->launch(bench.queue[0], bench.scale, &l, &event), YOKE_OK);
    expect(event, 2100, 2150);
    bench_close(&bench);
}

/* Nothing happens before its time, and everything happens at it. */
static void effects(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, slow_link);
    for (int i = 0; i < FLOATS; i++)
        bench.host[i] = (float)i;
    struct yk_event *in = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    assert_true(isnan(*(float *)bench.buffer->data)); /* memory that was never written */
    struct yk_event *kernel = launch(&bench, bench.scale, (struct part){ .items = FLOATS });
    struct yk_event *out = copy_after(&bench, 0, YK_COPY_FROM_DEVICE, NULL);
    expect(in, 0, 14000);
    assert_float_equal(((float *)bench.buffer->data)[3], 3, 0);
    expect(kernel, 14000, 20000);
    assert_float_equal(((float *)bench.buffer->data)[3], 6, 0);
    assert_float_equal(bench.host[3], 3, 0); /* not copied home yet */
    expect(out, 20000, 34000);
    for (int i = 0; i < FLOATS; i++)
        assert_float_equal(bench.host[i], 2 * i, 0);
    bench_close(&bench);
}

/* A kernel that is not ordered after the copy it needs computes with the present contents. */
static void missing_order(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, slow_link);
    for (int i = 0; i < FLOATS; i++)
        bench.host[i] = 1;
    struct yk_event *in = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    expect(launch(&bench, bench.scale, (struct part){ .queue = 1, .items = FLOATS }), 0, 6000);
    assert_true(isnan(*(float *)bench.buffer->data));
    expect(in, 0, 14000);
    assert_float_equal(*(float *)bench.buffer->data, 1, 0); /* the kernel's result is lost */
    bench_close(&bench);
}

static int64_t noisy_end(const char *text)
{
    struct bench bench;
    struct yk_event_times times;
    yoke_status outcome;
    bench_open(&bench, text);
    for (int i = 0; i < 9; i++)
        sim->event_close(copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL));
    struct yk_event *last = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    assert_int_equal(sim->wait(last), YOKE_OK);
    assert_int_equal(sim->poll(last, &outcome), 1);
    sim->event_times(last, &times);
    assert_int_equal(sim->now(), times.ended);
    sim->event_close(last);
    bench_close(&bench);
    return times.ended;
}

static void noise(void **state)
{
    (void)state;
    int64_t exact = noisy_end("sim:gpu:link=1e9:latency=10us");
    int64_t first = noisy_end("sim:gpu:link=1e9:latency=10us:noise=0.1:seed=1");
    assert_int_equal(exact, 140000);
    assert_int_equal(noisy_end("sim:gpu:link=1e9:latency=10us:noise=0.1:seed=1"), first);
    int64_t second = noisy_end("sim:gpu:link=1e9:latency=10us:noise=0.1:seed=2");
    assert_int_not_equal(first, second);
    assert_int_not_equal(first, exact);
    assert_true(first >= 126000 && first <= 154000 && second >= 126000 && second <= 154000);
}

/* Two devices of one description have independent noise. */
static void noise_of_each(void **state)
{
    struct bench bench;
    struct yk_event *events[2];
    struct yk_event_times times[2];
    (void)state;
    bench_open(&bench, "sim:gpu*2:bandwidth=1e9:noise=0.5");
    struct yk_buffer *other;
    assert_int_equal(sim->alloc(bench.devices[1], sizeof bench.host, &other), YOKE_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            sim->zero(bench.queue[i],
                      &(struct yk_buffer_range){ i ? other : bench.buffer, 0, sizeof bench.host },
                      &events[i]),
            YOKE_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sim->wait(events[i]), YOKE_OK);
        sim->event_times(events[i], &times[i]);
        sim->event_close(events[i]);
    }
    assert_int_not_equal(times[0].ended, times[1].ended);
    sim->free(bench.devices[1], other);
    bench_close(&bench);
}

struct log {
    int order[3], count;
};
struct note {
    struct log *log;
    int number;
};

static void write_down(void *context)
{
    struct note *note = context;
    assert_true(note->log->count < 3);
    note->log->order[note->log->count++] = note->number;
}

static void notifications(void **state)
{
    struct bench bench;
    struct log log = { .count = 0 };
    struct note notes[3] = { { &log, 0 }, { &log, 1 }, { &log, 2 } };
    struct yk_event *events[3];
    (void)state;
    bench_open(&bench, slow_link);
    events[0] = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    events[1] = launch(&bench, bench.scale, (struct part){ .queue = 1, .items = 10 });
    events[2] = launch(&bench, bench.scale, (struct part){ .queue = 2, .items = 10 });
    for (int i = 0; i < 3; i++)
        assert_int_equal(sim->notify(events[i], write_down, &notes[i]), YOKE_OK);
    sim->event_close(events[2]); /* closed: no notification */
    while (sim->advance(0))
        ;
    assert_int_equal(log.count, 2);
    assert_int_equal(log.order[0], 1);
    assert_int_equal(log.order[1], 0);
    sim->event_close(events[0]);
    sim->event_close(events[1]);
    bench_close(&bench);
}

/* Operations that end at the same instant complete in the order of issue. */
static void equal_ends(void **state)
{
    struct bench bench;
    struct log log = { .count = 0 };
    struct note notes[2] = { { &log, 0 }, { &log, 1 } };
    struct yk_event *events[2];
    (void)state;
    bench_open(&bench, slow_link);
    events[0] = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    events[1] = copy_after(&bench, 1, YK_COPY_FROM_DEVICE, NULL);
    for (int i = 0; i < 2; i++)
        assert_int_equal(sim->notify(events[i], write_down, &notes[i]), YOKE_OK);
    assert_int_equal(sim->advance(0), 1); /* both at once */
    assert_int_equal(log.count, 2);
    assert_int_equal(log.order[0], 0);
    assert_int_equal(log.order[1], 1);
    assert_int_equal(sim->advance(0), 0);
    for (int i = 0; i < 2; i++)
        sim->event_close(events[i]);
    bench_close(&bench);
}

/* Advances to a given time if nothing ends before it; a time in the past has no effect. */
static void a_given_time(void **state)
{
    struct bench bench;
    yoke_status outcome;
    (void)state;
    bench_open(&bench, slow_link);
    struct yk_event *event = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    assert_int_equal(sim->advance(5000), 1);
    assert_int_equal(sim->now(), 5000);
    assert_int_equal(sim->poll(event, &outcome), 0);
    assert_int_equal(sim->advance(20000), 1); /* the copy ends before */
    assert_int_equal(sim->now(), 14000);
    expect(event, 0, 14000);
    assert_int_equal(sim->advance(20000), 1);
    assert_int_equal(sim->now(), 20000);
    assert_int_equal(sim->advance(20000), 0);
    assert_int_equal(sim->advance(10), 0);
    assert_int_equal(sim->now(), 20000);
    event = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    assert_int_equal(sim->advance(20000), 1);
    expect(event, 20000, 34000);
    bench_close(&bench);
}

/* The event is closed early: the operation still takes its time and effect. */
static void closing_early(void **state)
{
    struct bench bench;
    int64_t outstanding = yk_alloc_outstanding();
    (void)state;
    bench_open(&bench, slow_link);
    bench.host[0] = 8;
    struct yk_event *event = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    sim->event_close(event);
    assert_int_equal(sim->now(), 0);
    assert_int_equal(sim->advance(0), 1);
    assert_int_equal(sim->now(), 14000);
    assert_float_equal(*(float *)bench.buffer->data, 8, 0);
    bench_close(&bench);
    assert_int_equal(yk_alloc_outstanding(), outstanding);
}

/* Copies of memory that is not pinned are slower, and one copy must not span parts that were pinned
 * separately. */
static void pinned_memory(void **state)
{
    static _Alignas(4096) float memory[3 * 1024];
    struct bench bench;
    int foreign;
    void *staging;
    (void)state;
    bench_open(&bench, "sim:gpu:link=4e9:latency=10us:pageable=1e9:pin=yes:staging=yes:"
                       "pinnable=8K");
    struct yk_copy copy = { .host = memory, .buffer = bench.buffer, .bytes = 4000 };
    struct yk_event *event;
    assert_int_equal(sim->copy(bench.queue[0], &copy, &event), YOKE_OK);
    expect(event, 0, 14000);
    assert_int_equal(sim->pin(bench.device, memory, 4096, &foreign), YOKE_OK);
    assert_int_equal(sim->copy(bench.queue[0], &copy, &event), YOKE_OK);
    expect(event, 14000, 25000);
    assert_int_equal(sim->host_alloc(bench.device, 4000, &staging), YOKE_OK);
    copy.host = staging;
    assert_int_equal(sim->copy(bench.queue[0], &copy, &event), YOKE_OK);
    expect(event, 25000, 36000);
    copy.host = memory + 100;
    assert_int_equal(sim->copy(bench.queue[0], &copy, &event), YOKE_EINVAL);
    assert_int_equal(sim->pin(bench.device, memory, 8192, &foreign), YOKE_EINVAL);
    assert_int_equal(foreign, 1);
    assert_int_equal(sim->pin(bench.device, memory + 1024, 8192, &foreign), YOKE_ENOMEM);
    assert_int_equal(foreign, 0);
    sim->unpin(bench.device, memory);
    sim->host_free(bench.device, staging);
    bench_close(&bench);
}

/* A kernel that writes to a missing page loses the device, like an illegal address. */
static void pages_on_demand(void **state)
{
    struct bench bench;
    yoke_status outcome = YOKE_OK;
    (void)state;
    bench_open(&bench, "sim:gpu:pages=1K");
    struct yk_copy copy = { .host = bench.host, .buffer = bench.buffer, .bytes = 2048 };
    assert_int_equal(sim->copy(bench.queue[0], &copy, NULL), YOKE_EINVAL);
    assert_int_equal(sim->commit(bench.device, bench.buffer, 0, 1025), YOKE_OK);
    assert_int_equal(sim->copy(bench.queue[0], &copy, NULL), YOKE_OK);
    struct yk_event *event = launch(&bench, bench.scale, (struct part){ .items = 512 });
    while (!sim->poll(event, &outcome))
        assert_true(sim->advance(0));
    assert_int_equal(outcome, YOKE_OK);
    sim->event_close(event);
    event = launch(&bench, bench.team, (struct part){ .items = 600 });
    while (!sim->poll(event, &outcome))
        assert_true(sim->advance(0));
    assert_int_equal(outcome, YOKE_EDEVICE);
    sim->event_close(event);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links),
        cmocka_unit_test(kernels),
        cmocka_unit_test(launches),
        cmocka_unit_test(no_results),
        cmocka_unit_test(within_and_zero),
        cmocka_unit_test(lanes),
        cmocka_unit_test(teams),
        cmocka_unit_test(contention),
        cmocka_unit_test(load),
        cmocka_unit_test(extents),
        cmocka_unit_test(effects),
        cmocka_unit_test(missing_order),
        cmocka_unit_test(noise),
        cmocka_unit_test(noise_of_each),
        cmocka_unit_test(notifications),
        cmocka_unit_test(equal_ends),
        cmocka_unit_test(a_given_time),
        cmocka_unit_test(closing_early),
        cmocka_unit_test(pinned_memory),
        cmocka_unit_test(pages_on_demand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
