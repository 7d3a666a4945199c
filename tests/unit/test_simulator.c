/* test_simulator.c - timelines worked out by hand: the effect of threads, GPUs, waiting, load and
 * failures on time. Rates are 1e6 per second, so an item takes 1 us. */
#include <math.h>
#include <stdio.h>

#include "simulator_bench.h"

/* Compares times in us, to 1 ns. */
#define assert_us(measured, expected)                                                              \
    do {                                                                                           \
        double m = (measured), e = (expected);                                                     \
        if (!(fabs(m - e) <= 1e-3))                                                                \
            fail_msg("%.6f us, not %.6f", m, e);                                                   \
    } while (0)

/* Runs it with `partitioner`; returns us. */
static double run(struct simulator_bench *bench, const char *partitioner)
{
    bench->spec.partitioner = partitioner;
    return bench_run(bench);
}

/* The same on a separate machine with defaults. */
static double time_of(const char *machine, const char *partitioner, int64_t items)
{
    struct simulator_bench *bench = bench_open(machine, "regular", items);
    double us = run(bench, partitioner);
    bench_close(bench);
    return us;
}

static void one_core(void **state)
{
    struct simulator_bench *bench = bench_open("cores=1", "linear-up", 10);
    double us;
    (void)state;
    assert_us(run(bench, "dynamic:chunk=1"), 10);
    assert_us(bench->result.core_seconds * 1e6, 10);
    assert_us(bench->result.lost_seconds * 1e6, 0);
    assert_us(bench->result.ideal_seconds * 1e6, 10);
    bench->machine.cpu.hand = 1e-6; /* paid by each lane that gets work */
    us = run(bench, "dynamic:chunk=1");
    assert_us(us, 10 + (double)bench->result.chunks);
    bench_close(bench);
}

/* A lease of two pieces of 4, then a lease of one piece, while the other core has nothing. */
static void two_cores(void **state)
{
    struct simulator_bench *bench = bench_open("cores=2", "regular", 12);
    (void)state;
    assert_us(run(bench, "dynamic:chunk=4"), 8);
    assert_us(bench->result.lost_seconds * 1e6, 4);
    assert_us(bench->result.ideal_seconds * 1e6, 6);
    bench_close(bench);
}

/* With more threads than cores, threads take turns: all make progress, each more slowly. */
static void oversubscription(void **state)
{
    struct simulator_bench *bench = bench_open("cores=2", "regular", 12);
    (void)state;
    bench->spec.threads = 4; /* four pieces of 3, at half speed */
    assert_us(run(bench, "dynamic:chunk=3"), 6);
    bench->spec.threads = 3; /* three of 4, at two thirds */
    assert_us(run(bench, "dynamic:chunk=4"), 6);
    bench->spec.threads = 3; /* 3 for 4.5 us at two thirds; then one of 3 alone */
    assert_us(run(bench, "dynamic:chunk=3"), 7.5);
    bench_close(bench);
}

static const char gpu_line[] = "cores=1:poll=2us:wake=10us:switch=5us,"
                               "gpu:rate=1e6:fixed=2us:link=1e6:latency=1us:lanes=";

/* A chunk: 5 us upload, 6 us kernel, 5 us download. */
static double gpu_time(int lanes, enum yk_simulate_waiting waiting)
{
    char line[128];
    struct simulator_bench *bench;
    double us;
    snprintf(line, sizeof line, "%s%d", gpu_line, lanes);
    bench = bench_open(line, "regular", 8);
    bench->spec.bytes_in = bench->spec.bytes_out = 1;
    bench->spec.waiting = waiting;
    bench->spec.alone = 2;
    us = run(bench, "dynamic:chunk=4");
    assert_int_equal(bench->result.devices[1].chunks, 2);
    bench_close(bench);
    return us;
}

static void lanes_overlap(void **state)
{
    (void)state;
    /* one after another, the end of each noticed late */
    assert_us(gpu_time(1, YK_SIMULATE_SPIN), 2 * (16 + 2));
    assert_us(gpu_time(1, YK_SIMULATE_BLOCK), 2 * (16 + 15));
    assert_us(gpu_time(1, YK_SIMULATE_YIELD), 2 * (16 + 2)); /* there is a free core */
    /* the second uploads while the first computes, and computes while the first downloads:
     * in 5..10, kernel 11..17, out 17..22 */
    assert_us(gpu_time(2, YK_SIMULATE_SPIN), 22 + 2);
    assert_us(gpu_time(2, YK_SIMULATE_BLOCK), 22 + 15);
}

/* Half of the items each, 1 us per item on both. */
static double shared_time(const char *machine, enum yk_simulate_waiting waiting)
{
    struct simulator_bench *bench = bench_open(machine, "regular", 20);
    double us;
    bench->spec.waiting = waiting;
    us = run(bench, "static:shares=0.5/0.5");
    bench_close(bench);
    return us;
}

static void waiting(void **state)
{
    const char *machine = "cores=1:poll=0:wake=15us:switch=3us,gpu:rate=1e6:fixed=0:lanes=1";
    (void)state;
    /* the host thread takes half of the core for 10 us: then 5 us of work are left */
    assert_us(shared_time(machine, YK_SIMULATE_SPIN), 15);
    /* the core is free, the GPU's end is noticed 18 us late */
    assert_us(shared_time(machine, YK_SIMULATE_BLOCK), 28);
    /* it gets the core one switch after the end: until then the core was busy */
    assert_us(shared_time(machine, YK_SIMULATE_YIELD), 13);
}

static void a_device_fails(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=1,gpu:rate=1e6:fixed=0:lanes=1:fail=5us", "regular", 20);
    (void)state;
    assert_us(run(bench, "static:shares=0.5/0.5"), 20);
    assert_int_equal(bench->result.devices[1].items, 0);
    assert_string_equal(bench->result.devices[1].reason, "it failed");
    bench_close(bench);
    /* earlier work counts: chunks of 2, the third is lost at 5 us; 16 items for the core */
    bench =
        bench_open("cores=1:wake=0:switch=0,gpu:rate=1e6:fixed=0:lanes=1:fail=5us", "regular", 20);
    assert_us(run(bench, "dynamic:chunk=2"), 16);
    assert_int_equal(bench->result.devices[1].items, 4);
    bench_close(bench);
}

static void no_device_is_left(void **state)
{
    struct simulator_bench *bench = bench_open("cores=1,gpu:fail=5us", "regular", 20000);
    (void)state;
    bench->spec.alone = 2;
    assert_int_equal(yk_simulate(&bench->spec, &bench->result), YOKE_OK);
    assert_string_equal(bench->result.verdict, "no device is left that could do the rest");
    bench_close(bench);
}

static void it_joins_later(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=1:wake=0:switch=0,gpu:rate=4e6:fixed=0:lanes=1:join=10us", "regular", 30);
    (void)state;
    /* 10 items by the core alone; then 20 at 5 items per us */
    assert_us(run(bench, "dynamic:chunk=1"), 14);
    assert_int_equal(bench->result.devices[1].items, 16);
    bench_close(bench);
}

/* The third of its chunks of 2 is out when it leaves, and counts. */
static void it_leaves(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=1:wake=0:switch=0,gpu:rate=1e6:fixed=0:lanes=1:leave=5us", "regular", 20);
    (void)state;
    assert_us(run(bench, "dynamic:chunk=2"), 14);
    assert_int_equal(bench->result.devices[1].items, 6);
    assert_string_equal(bench->result.devices[1].reason, "it left");
    bench_close(bench);
}

/* Their second chunk of 2 is lost; a thread that drives the GPU goes on with that. */
static void the_cores_fail(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=1:wake=0:switch=0:fail=3us,gpu:rate=1e6:fixed=0:lanes=1", "regular", 20);
    (void)state;
    assert_us(run(bench, "dynamic:chunk=2"), 18);
    assert_int_equal(bench->result.devices[0].items, 2);
    assert_string_equal(bench->result.devices[0].reason, "it failed");
    bench->spec.threads = 1;
    run(bench, "nc-ht:grains=2");
    assert_int_equal(bench->result.devices[0].items, 0);
    run(bench, "c-ht:grains=8,threshold=1");
    assert_int_equal(bench->result.devices[1].items, 20);
    bench_close(bench);
}

static void the_cores_join_later(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=1:wake=0:switch=0:join=10us,gpu:rate=1e6:fixed=0:lanes=1", "regular", 30);
    (void)state;
    assert_us(run(bench, "dynamic:chunk=1"), 20);
    assert_int_equal(bench->result.devices[0].items, 10);
    assert_us(bench->result.ideal_seconds * 1e6, 20);
    bench->spec.without = 1;
    assert_us(run(bench, "dynamic:chunk=1"), 30);
    assert_string_equal(bench->result.devices[0].reason, "left out");
    bench_close(bench);
}

/* As in a_device_fails, but its two earlier chunks are lost as well. */
static void all_or_nothing(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=1:wake=0:switch=0,gpu:rate=1e6:fixed=0:lanes=1:fail=5us", "regular", 20);
    (void)state;
    bench->spec.all_or_nothing = 1;
    assert_us(run(bench, "dynamic:chunk=2"), 20);
    assert_int_equal(bench->result.devices[1].items, 0);
    bench_close(bench);
}

/* Ten items from -7 on, each more expensive than the one before. */
static void a_range_begins_anywhere(void **state)
{
    struct simulator_bench *bench = bench_open("cores=1,gpu:lanes=1", "linear-up", 10);
    double us = run(bench, "dynamic:chunk=3");
    (void)state;
    bench->spec.first = -7;
    assert_us(run(bench, "dynamic:chunk=3"), us);
    bench_close(bench);
}

static void vectors(void **state)
{
    (void)state;
    assert_us(time_of("cores=1:fill=8", "dynamic:chunk=20", 20), 24);
    assert_us(time_of("cores=1:fill=8", "dynamic:chunk=16", 32), 32);
}

static void limit_to_five(void *context, int device, struct yk_split_device *known)
{
    (void)context;
    known->limit = device == 1 ? 5 : 0;
}

static void what_is_known_can_be_changed(void **state)
{
    struct simulator_bench *bench = bench_open("cores=1,gpu:f=100:lanes=1", "regular", 1000);
    (void)state;
    bench->spec.know = limit_to_five;
    bench_run(bench);
    assert_in_range(bench->result.devices[1].items, 1, 5 * bench->result.devices[1].chunks);
    bench_close(bench);
}

static void load(void **state)
{
    (void)state;
    /* 2 us, 2 of work in 4 us, 6 us */
    assert_us(time_of("cores=1:load=2us-6us*2", "dynamic:chunk=10", 10), 12);
    assert_us(time_of("cores=1:load=2us-*2", "dynamic:chunk=10", 10), 18);
    assert_us(time_of("cores=1:load=2us-6us*2+8us-9us*0.5", "dynamic:chunk=10", 10), 11);
    /* applies to a GPU's kernel too */
    assert_us(shared_time("cores=1:wake=0:switch=0,gpu:rate=1e6:fixed=0:load=0s-4us*4",
                          YK_SIMULATE_BLOCK),
              13);
}

static void contention(void **state)
{
    const char *alike = "cores=1:contention=0.5:wake=0:switch=0,gpu:rate=1e6:fixed=0:lanes=1";
    const char *slower = "cores=1:contention=0.5:wake=0:switch=0,gpu:f=0.5:fixed=0:lanes=1";
    (void)state;
    assert_us(shared_time(alike, YK_SIMULATE_BLOCK), 15);
    /* both until 15 us; by then the GPU has done half of its 20 us and is alone */
    assert_us(shared_time(slower, YK_SIMULATE_BLOCK), 25);
}

static void stairs(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=1:wake=0:switch=0,gpu:rate=1e6:fixed=1us:fill=8:lanes=1", "regular", 20);
    (void)state;
    bench->spec.alone = 2;
    assert_us(run(bench, "dynamic:chunk=4"), 5 * (1 + 8));
    assert_us(run(bench, "dynamic:chunk=8"), 3 * (1 + 8));
    bench->machine.gpus[0].stair = 0;
    assert_us(run(bench, "dynamic:chunk=4"), 5 * (1 + 4));
    /* a launch is hidden behind another lane's kernel, a fixed cost is not */
    bench->machine.gpus[0].lanes = 2;
    bench->machine.gpus[0].launch = 3e-6;
    assert_us(run(bench, "dynamic:chunk=4"), 3 + 5 * (1 + 4));
    bench_close(bench);
}

static void noise_is_the_seeds(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=3:noise=0.1,gpu*2:f=3", "random:spread=0.5", 5000);
    double first = bench_run(bench), second = bench_run(bench);
    (void)state;
    assert_memory_equal(&first, &second, sizeof first);
    bench->machine.cpu.seed = 2;
    assert_true(bench_run(bench) != first);
    bench_close(bench);
    bench = bench_open("cores=1:noise=0.1", "regular", 1000);
    first = run(bench, "dynamic:chunk=1000");
    assert_true(first > 900 && first < 1100 && first != 1000);
    bench_close(bench);
}

/* A chunk that does not fit is returned, and half of it is tried; if not even a unit fits, the
 * device's part ends. */
static void memory(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=1,gpu:rate=1e6:mem=100:lanes=1", "regular", 1000);
    (void)state;
    bench->spec.bytes_in = 8;
    bench->spec.bytes_out = 2;
    run(bench, "even");
    assert_int_equal(bench->result.devices[1].items / bench->result.devices[1].chunks, 7);
    bench->spec.unit = 11;
    run(bench, "even");
    assert_int_equal(bench->result.devices[1].items, 0);
    assert_non_null(strstr(bench->result.devices[1].reason, "memory"));
    bench_close(bench);
}

static void what_is_learned(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=4,gpu:f=8:fixed=20us:link=4e9", "regular", 100000);
    struct yk_learned learned[2];
    double first, second;
    (void)state;
    bench->spec.bytes_in = 4;
    first = bench_run(bench);
    bench_take_learned(bench, learned);
    assert_true(fabs(learned[0].rate * 1e3 - 4) < 0.1);
    assert_true(learned[1].rate * 1e3 > 6 && learned[1].rate * 1e3 < 8.1);
    assert_true(learned[1].fixed_ns <= 20e3 && learned[1].copied_bytes == 4);
    assert_true(fabs(learned[0].share + learned[1].share - 1) < 1e-9);
    bench->spec.learned = learned;
    second = bench_run(bench);
    assert_true(second <= first);
    /* values that the run does not teach stay */
    bench->spec.alone = 1;
    bench_run(bench);
    assert_true(bench->result.devices[1].learned.rate == learned[1].rate);
    assert_true(bench->result.devices[1].learned.share == learned[1].share);
    bench_close(bench);
}

/* Each chunk of this GPU costs 20 us that nothing hides. The better its speed is known, the fewer
 * chunks it gets, from the first run on, in which its first chunk is half of all; but not if some
 * items are nine times as expensive as others. */
static void a_steady_device_gets_few_chunks(void **state)
{
    static const char *const machine = "cores=16:rate=351e3,gpu:f=273:fixed=20us:lanes=4";
    struct simulator_bench *regular = bench_open(machine, "regular", 1 << 20),
                           *clustered = bench_open(machine, "clustered:dear=9", 1 << 20);
    double first = bench_run(regular), later = bench_rerun(regular, 5), ideal;
    (void)state;
    ideal = regular->result.ideal_seconds * 1e6;
    assert_true(first < 1.1 * ideal && later < 1.03 * ideal); /* its peak promises most of it */
    assert_true(regular->result.devices[1].chunks <= 20);
    assert_true(regular->result.devices[1].learned.spread < 1.1);
    bench_rerun(clustered, 5);
    assert_true(clustered->result.devices[0].learned.spread > 3);
    assert_true(clustered->result.devices[1].chunks > 25);
    bench_close(regular);
    bench_close(clustered);
}

/* A device with a rate a million times too low gets nothing, and is later measured again. */
static void what_is_wrong_is_forgotten(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=4,gpu:f=40:fixed=20us:link=4e9", "regular", 1000000);
    struct yk_learned learned[2];
    int run;
    (void)state;
    bench->spec.bytes_in = 4;
    bench_run(bench);
    bench_take_learned(bench, learned);
    learned[1].rate *= 1e-6;
    learned[1].share = 0;
    learned[0].share = 1;
    bench->spec.learned = learned;
    bench_run(bench);
    assert_int_equal(bench->result.devices[1].items, 0);
    for (run = 0; run < 2; run++) {
        bench_take_learned(bench, learned);
        bench_run(bench);
    }
    assert_true(bench->result.devices[1].items > 700000);
    bench_close(bench);
}

/* Host threads among the threads of the cores: how many threads there are, and which hold a core.
 */
static void threads_that_drive(void **state)
{
    struct simulator_bench *bench = bench_open("cores=4,gpu*2:f=8:lanes=3", "regular", 400000);
    double spun, slept, worked;
    (void)state;
    bench->spec.waiting = YK_SIMULATE_SPIN;
    spun = run(bench, "nc-ht:grains=4000");
    assert_int_equal(bench->result.threads, 4);
    assert_int_equal(bench->result.devices[1].lanes, 1);
    worked = bench->result.core_seconds;
    /* two of four cores spin nearly all the time */
    assert_true(bench->result.spin_seconds > 0.45 * 4 * bench->result.seconds);
    bench->spec.waiting = YK_SIMULATE_BLOCK;
    slept = run(bench, "nc-ht:grains=4000");
    assert_int_equal(bench->result.threads, 6);
    assert_true(bench->result.spin_seconds == 0);
    assert_true(slept < spun && bench->result.core_seconds > 1.5 * worked);
    run(bench, "nc-ht:grains=4000,streams=2");
    assert_int_equal(bench->result.threads, 8);
    assert_int_equal(bench->result.devices[2].lanes, 2);
    run(bench, "c-ht:grains=4000");
    assert_int_equal(bench->result.threads, 4);
    assert_true(bench->result.core_seconds > 1.5 * worked);
    bench_close(bench);
}

struct watcher {
    int64_t kernel_end, noticed_late, beside;
    struct simulator_bench *bench;
};

static void watch(void *context, const struct yk_simulate_span *span)
{
    struct watcher *watcher = context;
    if (span->device == 1 && span->kind == YK_SIMULATE_CHUNK)
        watcher->kernel_end = span->end_ns;
    if (span->device == 1 && span->kind == YK_SIMULATE_DONE &&
        span->end_ns - watcher->kernel_end > watcher->noticed_late)
        watcher->noticed_late = span->end_ns - watcher->kernel_end;
    if (span->device == 0 && span->lane == 1 && span->kind == YK_SIMULATE_CHUNK)
        watcher->beside++;
    bench_span(watcher->bench, span);
}

/* In c-ht the GPU's thread works meanwhile, in pieces of 3 us with a poll of 1 us after each. So an
 * end is noticed 4 us late, or, if no work was left, when the thread has been woken. */
static void a_thread_works_beside(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=2:poll=1us:wake=2us:switch=1us,gpu:f=4:fixed=0", "regular", 4000);
    struct watcher watcher = { .bench = bench };
    (void)state;
    bench->spec.span = watch;
    bench->spec.context = &watcher;
    run(bench, "c-ht:grains=200,threshold=3");
    assert_true(watcher.beside > 100);
    assert_in_range(watcher.noticed_late, 1, 4000);
    bench_close(bench);
}

static void mistakes(void **state)
{
    struct simulator_bench *bench = bench_open("cores=2,gpu*3", "regular", 100);
    struct yk_simulate_spec usual = bench->spec;
    struct yk_simulate_result out;
    (void)state;
#define assert_refused(text)                                                                       \
    do {                                                                                           \
        assert_int_equal(yk_simulate(&bench->spec, &out), YOKE_EINVAL);                            \
        if (!strstr(yoke_error_text(), text))                                                      \
            fail_msg("%s", yoke_error_text());                                                     \
        bench->spec = usual;                                                                       \
    } while (0)
    bench->spec.machine = NULL;
    assert_refused("machine");
    bench->spec.threads = -1;
    assert_refused("threads");
    bench->spec.threads = 1000000;
    assert_refused("threads");
    bench->spec.partitioner = "nc-ht";
    bench->spec.threads = 2;
    assert_refused("too few");
    bench->spec.partitioner = "c-ht:streams=1000";
    assert_refused("streams");
    bench->spec.partitioner = "none";
    assert_refused("there is no partitioner");
    bench->spec.partitioner = "dynamic:chunk=-1";
    assert_refused("chunk");
    bench->spec.bytes_in = NAN;
    assert_refused("bytes");
    bench->spec.core_seconds = -1;
    assert_refused("cost");
    bench->machine.gpus[1].f = 0;
    bench->machine.gpus[1].rate = 0;
    assert_refused("gpu1: f=0");
    bench->machine.gpus[1].f = 1;
    bench->spec.most_events = 3;
    bench->spec.partitioner = "dynamic:chunk=1";
    assert_int_equal(yk_simulate(&bench->spec, &out), YOKE_OK);
    assert_string_equal(out.verdict, "given up: too many events");
    yk_simulate_close(&out);
    bench_close(bench);
}

/* Each allocation fails in turn: the run returns an error, or continues without the record of
 * decisions. */
static void out_of_memory(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=2,gpu*2:fail=1ms:lanes=2", "random:spread=0.5", 3000);
    static const char *const partitioners[] = { "auto", "guided", "nc-ht", "c-ht", "demand" };
    int64_t before = yk_alloc_outstanding();
    size_t p;
    (void)state;
    bench->spec.span = NULL;
    for (p = 0; p < sizeof partitioners / sizeof *partitioners; p++) {
        int64_t nth;
        bench->spec.partitioner = partitioners[p];
        for (nth = 1;; nth++) {
            struct yk_simulate_result out;
            yoke_status status;
            yk_alloc_fail_at(nth);
            status = yk_simulate(&bench->spec, &out);
            if (status == YOKE_OK)
                yk_simulate_close(&out);
            else
                assert_int_equal(status, YOKE_ENOMEM);
            assert_int_equal(yk_alloc_outstanding(), before);
            if (!yk_alloc_failed())
                break;
        }
        yk_alloc_fail_at(0);
        assert_true(nth > 10);
    }
    bench_close(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_core),
        cmocka_unit_test(two_cores),
        cmocka_unit_test(oversubscription),
        cmocka_unit_test(lanes_overlap),
        cmocka_unit_test(waiting),
        cmocka_unit_test(a_device_fails),
        cmocka_unit_test(no_device_is_left),
        cmocka_unit_test(it_joins_later),
        cmocka_unit_test(it_leaves),
        cmocka_unit_test(the_cores_fail),
        cmocka_unit_test(the_cores_join_later),
        cmocka_unit_test(all_or_nothing),
        cmocka_unit_test(a_range_begins_anywhere),
        cmocka_unit_test(vectors),
        cmocka_unit_test(what_is_known_can_be_changed),
        cmocka_unit_test(load),
        cmocka_unit_test(contention),
        cmocka_unit_test(stairs),
        cmocka_unit_test(noise_is_the_seeds),
        cmocka_unit_test(memory),
        cmocka_unit_test(what_is_learned),
        cmocka_unit_test(a_steady_device_gets_few_chunks),
        cmocka_unit_test(what_is_wrong_is_forgotten),
        cmocka_unit_test(threads_that_drive),
        cmocka_unit_test(a_thread_works_beside),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
