/* Tests of auto in the simulator: 1 to 64 cores, 0 to 8 GPUs, a hundred times slower to a hundred
 * times faster, jobs of 10 us to 1 s. test_simulator_any.c tests devices that fail, leave, join
 * late or run out of memory, under every partitioner.
 *
 * Bounds are for regular loops of small items. "Ideal" is the time of all devices together if they
 * ended at the same instant, each paying its start once. Ends of chunks are noticed at once, and
 * nothing is known beforehand but fills and starts. */
#include <math.h>
#include <stdio.h>

#include "simulator_bench.h"

enum { ITEMS = 1000000, RUNS = 4 };
#define CORES "cores=%d:rate=%.17g:poll=0:wake=0:switch=0"
#define GPU   "rate=%.17g:fixed=0:launch=10us:latency=0:link=0"

/* Worst ratios over many machines, by length of the ideal time. */
struct worst {
    double of_ideal[RUNS], of_alone[RUNS];
    int machines;
};

/* The machine from a format of its text. */
static struct simulator_bench *open_machine(int64_t items, const char *format, ...)
{
    char line[1000];
    va_list numbers;
    struct simulator_bench *bench;
    va_start(numbers, format);
    vsnprintf(line, sizeof line, format, numbers);
    va_end(numbers);
    bench = bench_open(line, "regular", items);
    bench->spec.know = bench_know;
    return bench;
}

/* Equal cores, and GPUs `speed` times as fast as all the cores together, which compute at once what
 * takes 20 us. */
static struct simulator_bench *common_machine(int cores, int gpus, double speed, double cpu_ns)
{
    const double rate = 1e9 * ITEMS / cpu_ns;
    struct simulator_bench *bench = open_machine(
        ITEMS, CORES ":noise=0.02,gpu*%d:" GPU ":fill=%.0f", cores, rate / cores,
        gpus > 0 ? gpus : 1, speed * rate, fmin(262144, fmax(32, floor(20e-6 * speed * rate))));
    bench->machine.gpu_count = gpus;
    return bench;
}

static double best_alone(const struct simulator_bench *bench)
{
    double best = INFINITY;
    for (int d = 0; d <= bench->machine.gpu_count; d++)
        best = fmin(best, bench_ideal(bench, d));
    return best;
}

static void measure(struct simulator_bench *bench, struct worst *worst)
{
    const double ideal = bench_ideal(bench, -1), alone = best_alone(bench);
    for (int run = 0; run < RUNS; run++) {
        const double us = bench_run(bench);
        worst->of_ideal[run] = fmax(worst->of_ideal[run], us / ideal);
        worst->of_alone[run] = fmax(worst->of_alone[run], us / alone);
        bench_learn(bench);
        bench->machine.cpu.seed++;
    }
    worst->machines++;
}

enum { LONG, MIDDLE, SHORT, LENGTHS };
static const double least_us[LENGTHS] = { [LONG] = 1e4, [MIDDLE] = 1e3, [SHORT] = 1e2 };

static void print_worst(const struct worst *worst, double least)
{
    print_message("%d machines, ideal >= %.0f us, of ideal: %.3f %.3f %.3f %.3f, of the best "
                  "alone: %.3f %.3f %.3f %.3f\n",
                  worst->machines, least, worst->of_ideal[0], worst->of_ideal[1],
                  worst->of_ideal[2], worst->of_ideal[3], worst->of_alone[0], worst->of_alone[1],
                  worst->of_alone[2], worst->of_alone[3]);
}

static void combine(struct worst *all, const struct worst *one)
{
    int run;
    for (run = 0; run < RUNS; run++) {
        all->of_ideal[run] = fmax(all->of_ideal[run], one->of_ideal[run]);
        all->of_alone[run] = fmax(all->of_alone[run], one->of_alone[run]);
    }
    all->machines += one->machines;
}

/* Of GPUs without stairs, which the ideal does not count. */
static void know_speeds(struct simulator_bench *bench)
{
    const struct yk_machine *machine = &bench->machine;
    for (int d = 0; d <= machine->gpu_count; d++) {
        yk_learned_open(&bench->learned[d]);
        bench->learned[d].rate =
            1e-9 * (d ? machine->gpus[d - 1].rate : (double)machine->cpu.cores * machine->cpu.rate);
    }
    for (int g = 0; g < machine->gpu_count; g++)
        machine->gpus[g].stair = 0;
    bench->spec.learned = bench->learned;
}

/* One machine counts for every length up to its ideal time. */
static void measure_one(struct simulator_bench *bench, int known, struct worst *worst)
{
    struct worst one = { .machines = 0 };
    const double ideal = bench_ideal(bench, -1);
    if (known)
        know_speeds(bench);
    if (ideal >= least_us[SHORT])
        measure(bench, &one);
    for (int length = 0; length < LENGTHS; length++)
        if (ideal >= least_us[length])
            combine(&worst[length], &one);
}

/* With or without known speeds. */
static void measure_all(int known, struct worst *worst)
{
    static const double speeds[] = { 0.01, 0.1, 0.3, 1, 3, 10, 44, 100 };
    static const int cores[] = { 1, 2, 16, 64 };
    size_t c, s;
    double cpu_ns;
    int gpus, length;
    memset(worst, 0, LENGTHS * sizeof *worst);
    for (c = 0; c < 4; c++)
        for (gpus = 0; gpus <= 8; gpus = gpus ? 2 * gpus : 1)
            for (s = 0; s < (gpus ? 8 : 1); s++)
                for (cpu_ns = 1e4; cpu_ns < 2e9; cpu_ns *= 10) {
                    struct simulator_bench *bench =
                        common_machine(cores[c], gpus, speeds[s], cpu_ns);
                    measure_one(bench, known, worst);
                    bench_close(bench);
                }
    for (length = 0; length < LENGTHS; length++)
        print_worst(&worst[length], least_us[length]);
}

static void known_speeds_reach_the_ideal(void **state)
{
    struct worst worst[LENGTHS];
    int run;
    (void)state;
    measure_all(1, worst);
    assert_true(worst[MIDDLE].machines > 300);
    for (run = 0; run < RUNS; run++)
        assert_true(worst[MIDDLE].of_ideal[run] <= 1.03);
}

static void unknown_speeds_are_learned(void **state)
{
    struct worst worst[LENGTHS];
    int run;
    (void)state;
    measure_all(0, worst);
    assert_true(worst[LONG].of_alone[0] <= 1.02);
    assert_true(worst[LONG].of_ideal[0] <= 1.02);
    assert_true(worst[MIDDLE].of_alone[0] <= 1.03);
    assert_true(worst[MIDDLE].of_ideal[0] <= 1.10);
    for (run = 1; run < RUNS; run++) {
        assert_true(worst[MIDDLE].of_ideal[run] <= 1.05);
        assert_true(worst[MIDDLE].of_alone[run] <= 1.03);
    }
    /* Short jobs: a GPU's start may take longer than the job. */
    assert_true(worst[SHORT].of_alone[1] <= 1.10);
    /* A device that was left out is tried once more (partition/learned.h). */
    assert_true(worst[SHORT].of_alone[2] <= 1.06);
    assert_true(worst[SHORT].of_alone[3] <= 1.06);
}

static void a_cpu_alone_loses_nothing(void **state)
{
    static const int cores[] = { 1, 2, 3, 8, 64 };
    (void)state;
    for (size_t c = 0; c < sizeof cores / sizeof *cores; c++) {
        struct simulator_bench *bench = open_machine(ITEMS, CORES, cores[c], 1e8 / cores[c]);
        for (int run = 0; run < 3; run++) { /* 10 ms */
            assert_true(bench_run(bench) <= 1.01 * bench_ideal(bench, -1));
            assert_true(bench->result.chunks <=
                        16); /* leases: the lock is taken 16 times at most */
            bench_learn(bench);
        }
        bench_close(bench);
    }
}

/* Each core gets an item at once, although nothing is known of them. */
static void many_cores_share_few_items(void **state)
{
    struct simulator_bench *bench = open_machine(256, CORES, 64, 1e3);
    (void)state;
    assert_true(bench_run(bench) <= 1.01 * bench_ideal(bench, -1)); /* 4 ms */
    bench_close(bench);
}

/* Cores whose kernel does 32 items in the time of one, beside a GPU 16 times as fast as all of
 * them. Pieces of 20 us would be part of a vector: cores would look slower, get less, in smaller
 * pieces, and so on until they did nothing useful (observed with Barnes-Hut). */
static void cores_keep_their_vectors_full(void **state)
{
    /* a piece of 32: 83 us */
    struct simulator_bench *bench = open_machine(
        1048576, CORES ":fill=32:noise=0.3,gpu:" GPU ":stair=no:fill=270336:noise=1e-9", 16,
        1e9 / (16 * 162), 1e9 / 10.2);
    (void)state;
    bench->spec.bytes_in = bench->spec.bytes_out = 1;
    bench->machine.gpus[0].link = 1e9 / 0.3;
    for (int run = 0; run < 20; run++) {
        const double part = bench_run(bench) / bench_ideal(bench, -1);
        if (run >= 2 && part > 1.05)
            fail_msg("run %d: %.3f of the ideal", run, part);
        bench_learn(bench);
        bench->machine.cpu.seed++;
    }
    assert_true(bench->result.devices[0].items > 40000);
    bench_close(bench);
}

/* Fifty equal jobs: all devices end together, and rows no longer move between devices. */
static void iterations_converge_and_stay(void **state)
{
    struct simulator_bench *bench = open_machine(
        20000, CORES ":noise=0.01,gpuA:" GPU ":stair=no:fill=500,gpuB:" GPU ":stair=no:fill=500",
        16, 1e9 / (16 * 120), 1e9 / 60, 1e9 / 40);
    double items[3] = { 0 }, moved = 0, us = 0;
    (void)state;
    for (int run = 0; run < 50; run++) { /* 2.4 ms by the cores alone */
        us = bench_run(bench);
        for (int d = 0; d < 3; d++) {
            if (run >= 4 && bench->device_done[d] < 0.95 * us)
                fail_msg("run %d: device %d ends early", run, d);
            if (run >= 4)
                moved += fabs((double)bench->result.devices[d].items - items[d]) / 2;
            items[d] = (double)bench->result.devices[d].items;
        }
        bench_learn(bench);
        bench->machine.cpu.seed++;
    }
    print_message("%.1f of 20000 rows change their device in a run\n", moved / 46);
    assert_true(moved / 46 < 10);
    assert_true(us <= 1.04 * bench_ideal(bench, -1));
    bench_close(bench);
}

/* Cores must not get chunks that last longer than a far faster GPU needs for all its work. */
static void slow_cores_hold_nobody_up(void **state)
{
    (void)state;
    for (int gpus = 1; gpus <= 2; gpus++) {
        struct simulator_bench *bench = common_machine(64, gpus, 100, 1e8);
        const double part = bench_run(bench) / best_alone(bench);
        print_message("%d GPUs: %.3f of the best alone\n", gpus, part);
        assert_true(part <= 1.12);
        bench_close(bench);
    }
}

/* A GPU whose time rises in steps (whole waves of threads), and one whose copies dominate. */
static void staircases_and_copies(void **state)
{
    struct simulator_bench *bench =
        open_machine(ITEMS, CORES ",gpuA:" GPU ":fill=30000,gpuB:" GPU ":stair=no:fill=3000", 16,
                     1e9 / (16 * 50), 1e9 / 5, 1e9 / 5);
    (void)state;
    bench->spec.bytes_in = 1;
    bench->machine.gpus[1].link = 1e9 / 20;
    assert_true(bench_rerun(bench, 4) <= 1.10 * bench_ideal(bench, -1));
    bench_close(bench);
}

/* Copies to a GPU that take a quarter, and a half, of the kernel's time, of 5 ms: they overlap with
 * it once its speed is known, although it does the whole job. */
static void copies_of_a_gpu_alone_overlap(void **state)
{
    static const double parts[] = { 0.25, 0.45 };
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct simulator_bench *bench = open_machine(ITEMS, CORES ",gpu:" GPU ":stair=no:fill=1000",
                                                     1, ITEMS / 5., ITEMS / 5e-3);
        bench->spec.bytes_in = 1;
        bench->machine.gpus[0].link = ITEMS / 5e-3 / parts[i];
        for (int run = 0; run < 6; run++) {
            const double us = bench_run(bench);
            if (us > 1.1 * 5e3)
                fail_msg("run %d with copies of %g: %.0f us", run, parts[i], us);
            bench_learn(bench);
        }
        bench_close(bench);
    }
}

/* The first chunk takes 50 ms more (loading code): the device is not dropped for that. */
static void a_cold_start_is_forgiven(void **state)
{
    struct simulator_bench *bench = open_machine(
        ITEMS, CORES ",gpu:" GPU ":stair=no:fill=20000:load=0s-50ms*1e6", 16, 1e8 / 16, 1e9);
    (void)state;
    assert_true(bench_run(bench) > 50000);
    bench_learn(bench);
    bench->machine.gpus[0].loads.count = 0;
    assert_true(bench_rerun(bench, 3) <= 1.05 * bench_ideal(bench, -1));
    bench_close(bench);
}

static void what_does_not_pay_is_left_out_and_told(void **state)
{
    struct simulator_bench *bench =
        open_machine(1000, CORES ",gpu:" GPU ":stair=no:fill=10", 4, 1e7 / 4, 1e7);
    const struct yk_simulate_device *devices;
    (void)state;
    bench->machine.gpus[0].launch = 500e-6; /* the cores take 100 us */
    for (int run = 0; run < 3; run++) {
        bench_run(bench);
        devices = bench->result.devices;
        assert_int_equal(devices[1].chunks, 0);
        assert_non_null(
            strstr(devices[1].reason, "left out: its next chunk would have taken 500 us or more"));
        assert_non_null(strstr(devices[0].reason, "did 100.0 %"));
        bench_learn(bench);
    }
    /* Low fixed cost, but one fill takes longer than the cores take for everything. */
    bench->machine.gpus[0].launch = 1e-6;
    bench->machine.gpus[0].rate = 1e3;
    bench->learned[1].rate = 1e-6;
    bench_run(bench);
    devices = bench->result.devices;
    assert_int_equal(devices[1].chunks, 0);
    assert_non_null(
        strstr(devices[1].reason, "left out: its next chunk would have taken 1.001 ms or more"));
    bench_close(bench);
}

/* A dropped device can still work when the others are gone. */
static void the_last_device_does_the_rest(void **state)
{
    struct simulator_bench *bench =
        open_machine(1000, CORES ":fail=50us,gpu:" GPU ":stair=no:fill=10", 4, 1e7 / 4, 1e7);
    (void)state;
    bench->machine.gpus[0].launch = 500e-6;
    bench_run(bench);
    assert_true(bench->result.devices[1].items > 0);
    assert_string_equal(bench->result.devices[0].reason, "it failed");
    bench_close(bench);
}

/* A GPU that did all of the last job joins some time after the next one has begun. Cores whose
 * smallest part, 10 ms, takes far longer than the whole job (0.5 ms) must not begin; unless the GPU
 * is so late that they would be done first. */
static void a_gpu_that_is_known_is_expected(void **state)
{
    const struct yk_split_device devices[] = {
        { .name = "cpu", .lanes = 16, .host_memory = 1, .fill = 16, .rate = 4e-4, .share = 0 },
        { .name = "gpu", .lanes = 2, .fill = 8192, .rate = 3.5e-2, .fixed_ns = 15000, .share = 1 }
    };
    const struct yk_split_spec spec = {
        .last = 16384, .unit = 256, .devices = devices, .device_count = 2
    };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    int64_t now = 1000, wake_ns;
    (void)state;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, now);
    assert_int_equal(
        yk_dispatch_next(dispatch, &(struct yk_request){ 0, 3, now }, &chunk, &wake_ns), YK_WAIT);
    assert_int_equal(wake_ns, now + 2 * YK_WAKE_NS);
    while (yk_dispatch_next(dispatch, &(struct yk_request){ 0, 3, now }, &chunk, &wake_ns) ==
           YK_WAIT) {
        assert_true(wake_ns > now);
        now = wake_ns;
    }
    assert_true(now > 5000000 && now < 20000000);
    yk_dispatch_close(dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_that_is_known_is_expected),
        cmocka_unit_test(known_speeds_reach_the_ideal),
        cmocka_unit_test(unknown_speeds_are_learned),
        cmocka_unit_test(a_cpu_alone_loses_nothing),
        cmocka_unit_test(many_cores_share_few_items),
        cmocka_unit_test(cores_keep_their_vectors_full),
        cmocka_unit_test(iterations_converge_and_stay),
        cmocka_unit_test(slow_cores_hold_nobody_up),
        cmocka_unit_test(staircases_and_copies),
        cmocka_unit_test(copies_of_a_gpu_alone_overlap),
        cmocka_unit_test(a_cold_start_is_forgiven),
        cmocka_unit_test(what_does_not_pay_is_left_out_and_told),
        cmocka_unit_test(the_last_device_does_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
