/* test_simulator_any.c - random machines, profiles and settings with all partitioners: every item
 * counts exactly once, no lane does two things at a time, every job ends, and never before the
 * ideal time. */
#include <math.h>
#include <stdio.h>

#include "machine/random.h"
#include "partition/partitioner.h"
#include "simulator_bench.h"

static uint64_t seed;

static double real(double least, double most)
{
    return least + (most - least) * yk_random_next(&seed);
}

static int whole(int least, int most)
{
    return least + (int)(yk_random_next(&seed) * (most - least + 1));
}

/* A random factor from 1 / most to most. */
static double factor(double most)
{
    return exp(real(-log(most), log(most)));
}

static int once_in(int times)
{
    return whole(1, times) == 1;
}

static void add(char *line, size_t size, const char *format, double value)
{
    size_t length = strlen(line);
    snprintf(line + length, size - length, format, value);
}

static void add_gpu(char *line, size_t size)
{
    add(line, size, ",gpu*%.0f", whole(1, 3));
    add(line, size, ":f=%.6f", factor(100));
    add(line, size, ":fixed=%.9f", once_in(3) ? 0 : real(0, 1e-4));
    add(line, size, ":lanes=%.0f", whole(1, 4));
    add(line, size, ":launch=%.9f", once_in(2) ? 0 : real(0, 1e-4));
    if (once_in(2))
        add(line, size, ":fill=%.0f", whole(1, 500));
    if (once_in(3))
        add(line, size, ":link=%.0f", factor(1000) * 1e8);
    if (once_in(5))
        add(line, size, ":mem=%.0f", whole(0, 20000));
    if (once_in(5))
        add(line, size, ":join=%.9f", real(0, 0.002));
    if (once_in(5))
        add(line, size, ":fail=%.9f", real(0, 0.01));
    if (once_in(5))
        add(line, size, ":load=0.001-0.002*%.6f", factor(10));
    if (once_in(5))
        add(line, size, ":told=no:latency=%.9f", real(0, 1e-4));
}

static void draw_machine(char *line, size_t size)
{
    int kinds = whole(0, 3);
    *line = '\0';
    add(line, size, "cores=%.0f", once_in(4) ? 1 : whole(1, 16));
    if (once_in(2))
        add(line, size, ":noise=%.6f", real(0, 0.5));
    if (once_in(4))
        add(line, size, ":contention=%.6f", real(0, 1));
    if (once_in(4))
        add(line, size, ":hand=%.9f", real(0, 1e-5));
    if (once_in(4))
        add(line, size, ":load=0.0005-0.003*%.6f+0.002-*1.5", factor(10));
    if (once_in(4))
        add(line, size, ":wake=%.9f:poll=0:switch=0", once_in(2) ? 0 : real(0, 1e-3));
    while (kinds-- > 0)
        add_gpu(line, size);
}

static const char *draw_profile(void)
{
    static const char *const profiles[] = { "regular",       "linear-up", "linear-down",
                                            "random:seed=5", "clustered", "clustered:dear=1000" };
    return profiles[whole(0, 5)];
}

static const char *draw_partitioner(void)
{
    static const char *const partitioners[] = { "auto",
                                                "auto",
                                                "even",
                                                "dynamic",
                                                "dynamic:chunk=3",
                                                "guided",
                                                "guided:k=1,threshold=1",
                                                "nc-ht",
                                                "nc-ht:streams=2,threshold=7",
                                                "c-ht",
                                                "c-ht:streams=3,alpha=0.9",
                                                "c-ht:threshold=5",
                                                "demand",
                                                "demand:dd=7,window=1,model=peak",
                                                "demand:dd=1k,window=9,model=measured" };
    return partitioners[whole(0, (int)(sizeof partitioners / sizeof *partitioners) - 1)];
}

static int hosts(const struct simulator_bench *bench)
{
    int64_t streams;
    assert_int_equal(yk_partitioner_streams(bench->spec.partitioner, &streams), YOKE_OK);
    return (int)streams * bench->machine.gpu_count;
}

/* Two runs, the second with what the first learned. */
static void run_twice(struct simulator_bench *bench)
{
    struct yk_learned learned[bench_devices_max];
    for (int run = 0; run < 2; run++) {
        bench_run(bench);
        /* noise and speed-ups may beat the ideal */
        if (bench->machine.cpu.noise == 0)
            assert_true(bench->result.seconds >= 0.999999 * bench->result.ideal_seconds);
        assert_true(bench->result.lost_seconds >= -1e-9 || bench->machine.cpu.noise > 0 ||
                    bench->machine.cpu.loads.count > 0);
        for (int d = 0; d < bench->result.device_count; d++) {
            learned[d] = bench->result.devices[d].learned;
            assert_true(learned[d].rate >= 0 && isfinite(learned[d].rate));
        }
        bench->spec.learned = learned;
    }
    bench->spec.learned = NULL;
}

static void any_machine(void **state)
{
    enum { count = 1500 };
    char line[1024];
    (void)state;
    for (int i = 0; i < count; i++) {
        seed = (uint64_t)i;
        draw_machine(line, sizeof line);
        int64_t items = (int64_t)(50 * factor(50));
        const char *profile = draw_profile(), *partitioner = draw_partitioner();
        struct simulator_bench *bench = bench_open(line, profile, items);
        bench->spec.partitioner = partitioner;
        bench->spec.waiting = (enum yk_simulate_waiting)whole(0, 3);
        bench->spec.unit = once_in(3) ? whole(1, 9) : 0;
        bench->spec.bytes_in = once_in(2) ? 0 : real(0, 100);
        bench->spec.bytes_out = once_in(2) ? 0 : real(0, 100);
        bench->spec.core_seconds = once_in(2) ? 0 : factor(100) * 1e-6;
        if (once_in(3))
            bench->spec.threads = hosts(bench) + whole(1, 20);
        bench->spec.most_events = 2000000;
        if (getenv("SHOW"))
            print_message("%d: %s, %d items %s, %s, wait %d\n", i, line, (int)items, profile,
                          partitioner, (int)bench->spec.waiting);
        run_twice(bench);
        bench_close(bench);
    }
    print_message("%d machines\n", (int)count);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

/* Many devices and chunks: the cost is bounded by the number of events, not by the clock. */
static void a_thousand_devices(void **state)
{
    struct yk_machine machine;
    struct yk_profile profile;
    struct yk_profile_spec regular = { .kind = YK_PROFILE_REGULAR, .items = 20000000 };
    struct yk_simulate_result result;
    (void)state;
    assert_int_equal(yk_machine_parse("cores=64,gpu*1000:f=5", YK_MACHINE_JOB, &machine), YOKE_OK);
    assert_int_equal(yk_profile_open(&regular, &profile), YOKE_OK);
    struct yk_simulate_spec spec = { .machine = &machine,
                                     .profile = &profile,
                                     .partitioner = "dynamic:chunk=100",
                                     .waiting = YK_SIMULATE_BLOCK };
    assert_int_equal(yk_simulate(&spec, &result), YOKE_OK);
    assert_string_equal(result.verdict, "");
    assert_true(result.chunks > 190000);
    assert_true(result.events < 2 * result.chunks + 20000);
    assert_true(result.calls < 2 * result.chunks + 20000);
    yk_simulate_close(&result);
    yk_profile_close(&profile);
    yk_machine_close(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_machine),
        cmocka_unit_test(a_thousand_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
