/* test_simulator_any.c - random machines, profiles, knowledge and mishaps with all partitioners:
 * every item counts exactly once, no lane does two things at a time, every job ends, and never
 * before the ideal time. Devices join late, leave, fail and run out of memory; one of them stays.
 */
#include <stdio.h>

#include "draw.h"
#include "partition/partitioner.h"
#include "simulator_bench.h"

static void add(char *line, size_t size, const char *format, double value)
{
    size_t length = strlen(line);
    snprintf(line + length, size - length, format, value);
}

static void add_gpu(char *line, size_t size)
{
    add(line, size, ",gpu*%.0f", draw_whole(1, 3));
    add(line, size, ":f=%.6f", draw_factor(1000));
    add(line, size, ":fixed=%.9f", draw_once_in(3) ? 0 : draw_real(0, 1e-4));
    add(line, size, ":lanes=%.0f", draw_whole(1, 4));
    add(line, size, ":launch=%.9f", draw_once_in(2) ? 0 : draw_real(0, 1e-4));
    if (draw_once_in(2))
        add(line, size, ":fill=%.0f", draw_whole(1, draw_once_in(2) ? 500 : 5000));
    if (draw_once_in(2))
        add(line, size, ":stair=no", 0);
    if (draw_once_in(3))
        add(line, size, ":link=%.0f", draw_factor(1000) * 1e8);
    if (draw_once_in(5))
        add(line, size, ":load=0.001-0.002*%.6f", draw_factor(10));
    if (draw_once_in(5))
        add(line, size, ":told=no:latency=%.9f", draw_real(0, 1e-4));
    if (draw_once_in(5))
        add(line, size, ":mem=%.0f", draw_whole(0, 20000));
}

static void draw_cores(char *line, size_t size)
{
    add(line, size, "cores=%.0f", draw_once_in(4) ? 1 : draw_whole(1, 16));
    if (draw_once_in(2))
        add(line, size, ":noise=%.6f", draw_real(0, 0.5));
    if (draw_once_in(4))
        add(line, size, ":contention=%.6f", draw_real(0, 1));
    if (draw_once_in(4))
        add(line, size, ":hand=%.9f", draw_real(0, 1e-5));
    if (draw_once_in(4))
        add(line, size, ":load=0.0005-0.003*%.6f+0.002-*1.5", draw_factor(10));
    if (draw_once_in(4))
        add(line, size, ":wake=%.9f:poll=0:switch=0", draw_once_in(2) ? 0 : draw_real(0, 1e-3));
    if (draw_once_in(4))
        add(line, size, ":fill=%.0f", draw_whole(1, 64));
}

static void draw_machine(char *line, size_t size)
{
    int kinds = draw_whole(0, 3);
    *line = '\0';
    draw_cores(line, size);
    while (kinds-- > 0)
        add_gpu(line, size);
}

/* All devices but one may come late, fail or leave, within twice the ideal time. */
static void draw_mishaps(struct simulator_bench *bench)
{
    const double seconds = 2e-6 * bench_ideal(bench, -1);
    const int stays = draw_whole(0, bench->machine.gpu_count);
    for (int d = 0; d <= bench->machine.gpu_count; d++) {
        struct yk_machine_device *device = d ? &bench->machine.gpus[d - 1] : &bench->machine.cpu;
        if (draw_once_in(3))
            device->join = draw_real(0, seconds);
        if (d == stays)
            device->memory = 0;
        else if (draw_once_in(3))
            device->fail = draw_real(0, seconds);
        else if (draw_once_in(4))
            device->leave = draw_real(0, seconds);
    }
    bench->spec.without = stays > 0 && draw_once_in(4) ? 1 : 0;
}

static const char *draw_profile(void)
{
    static const char *const profiles[] = { "regular",       "linear-up", "linear-down",
                                            "random:seed=5", "clustered", "clustered:dear=1000" };
    return profiles[draw_whole(0, 5)];
}

/* What is known beforehand is mostly wrong. */
static void draw_told(struct simulator_bench *bench)
{
    for (int d = 0; d <= bench->machine.gpu_count; d++) {
        struct bench_told *told = &bench->told[d];
        *told = (struct bench_told){ 0 };
        if (draw_once_in(2))
            told->rate = 1e-3 * draw_factor(100);
        if (draw_once_in(2))
            told->share = draw_real(0, 1);
        if (!draw_once_in(4))
            told->peak = exp(draw_real(0, 20));
        if (draw_once_in(6))
            told->limit = draw_whole(1, 500);
    }
    bench->spec.know = bench_know;
}

static void draw_job(struct simulator_bench *bench)
{
    struct yk_simulate_spec *spec = &bench->spec;
    spec->waiting = (enum yk_simulate_waiting)draw_whole(0, 3);
    spec->first = draw_whole(-500, 500);
    spec->unit = draw_once_in(3) ? draw_whole(1, 50) : 0;
    spec->all_or_nothing = draw_once_in(3);
    spec->bytes_in = draw_once_in(2) ? 0 : draw_real(0, 100);
    spec->bytes_out = draw_once_in(2) ? 0 : draw_real(0, 100);
    spec->core_seconds = draw_once_in(2) ? 0 : draw_factor(100) * 1e-6;
    spec->most_events = 2000000;
    if (draw_once_in(2))
        draw_told(bench);
}

/* demand with a capability for each device, if its model wants that. */
static const char *draw_demand(const struct simulator_bench *bench)
{
    static const char *const models[] = { "learned", "measured", "peak", "given" };
    static char name[1000];
    const int model = draw_whole(0, 3);
    snprintf(name, sizeof name, "demand:dd=%d,window=%d,model=%s", draw_whole(1, 300),
             draw_whole(1, 9), models[model]);
    for (int d = 0; model == 3 && d <= bench->machine.gpu_count; d++)
        add(name, sizeof name, d ? "/%.3g" : ",capability=%.3g", draw_factor(150));
    return name;
}

static int hosts(const struct simulator_bench *bench)
{
    int64_t streams;
    assert_int_equal(yk_partitioner_streams(bench->spec.partitioner, &streams), YOKE_OK);
    return (int)streams * bench->machine.gpu_count;
}

/* The time is at least the ideal one. Noise, speed-ups and items under way when a device leaves may
 * beat that. */
static void check_time(const struct simulator_bench *bench)
{
    const struct yk_simulate_result *result = &bench->result;
    int exact = bench->machine.cpu.noise == 0 && bench->machine.cpu.leave == 0;
    for (int g = 0; g < bench->machine.gpu_count; g++)
        exact &= bench->machine.gpus[g].leave == 0;
    if (exact)
        assert_true(result->seconds >= 0.999999 * result->ideal_seconds);
    assert_true(result->lost_seconds >= -1e-9 || bench->machine.cpu.noise > 0 ||
                bench->machine.cpu.loads.count > 0);
}

/* Two runs, the second with what the first learned. */
static void run_twice(struct simulator_bench *bench)
{
    for (int run = 0; run < 2; run++) {
        bench_run(bench);
        check_time(bench);
        bench_learn(bench);
        for (int d = 0; d < bench->result.device_count; d++)
            assert_true(bench->learned[d].rate >= 0 && isfinite(bench->learned[d].rate));
    }
    bench_forget(bench);
}

/* Under each partitioner with its defaults, or with other settings. */
static void run_all(struct simulator_bench *bench)
{
    const char *partitioners[][3] = {
        { "auto" },
        { "even" },
        { "static" },
        { "dynamic", "dynamic:chunk=3" },
        { "guided", "guided:k=1,threshold=1" },
        { "nc-ht", "nc-ht:streams=2,threshold=7" },
        { "c-ht", "c-ht:streams=3,alpha=0.9", "c-ht:threshold=5" },
        { "demand", "demand:dd=1k,window=9,model=measured" },
        { draw_demand(bench) },
    };
    for (size_t p = 0; p < sizeof partitioners / sizeof *partitioners; p++) {
        const char *other = partitioners[p][draw_whole(0, 2)];
        bench->spec.partitioner = other ? other : partitioners[p][0];
        bench->spec.threads = draw_once_in(3) ? hosts(bench) + draw_whole(1, 20) : 0;
        run_twice(bench);
    }
}

static void any_machine(void **state)
{
    enum { count = 1500 };
    char line[2000];
    (void)state;
    for (int i = 0; i < count; i++) {
        draw_seed = (uint64_t)i;
        draw_machine(line, sizeof line);
        const int items = draw_once_in(4) ? draw_whole(1, 5) : (int)(300 * draw_factor(60));
        const char *profile = draw_profile();
        struct simulator_bench *bench = bench_open(line, profile, items);
        draw_job(bench);
        if (!draw_once_in(4))
            draw_mishaps(bench);
        if (getenv("SHOW"))
            print_message("%d: %s, %d items %s, wait %d\n", i, line, items, profile,
                          (int)bench->spec.waiting);
        run_all(bench);
        bench_close(bench);
    }
    print_message("%d machines\n", (int)count);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void an_empty_range_is_over(void **state)
{
    static const char *const names[] = { "auto",   "even",  "static", "dynamic",
                                         "guided", "nc-ht", "c-ht",   "demand" };
    const struct yk_split_device devices[] = {
        { .name = "cpu", .lanes = 3, .host_memory = 1, .fill = 3, .share = -1 },
        { .name = "gpu", .lanes = 2, .fill = 10, .share = -1 }
    };
    struct yk_split_spec spec = {
        .first = 7, .last = 7, .unit = 2, .devices = devices, .device_count = 2
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct yk_dispatch *dispatch;
        struct yk_chunk chunk;
        int64_t wake_ns;
        spec.partitioner = names[i];
        assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
        for (int d = 0; d < 2; d++) {
            yk_dispatch_join(dispatch, d, 0);
            assert_int_equal(
                yk_dispatch_next(dispatch, &(struct yk_request){ d, 0, 1 }, &chunk, &wake_ns),
                YK_FINISHED);
        }
        assert_true(yk_dispatch_check(dispatch));
        yk_dispatch_close(dispatch);
    }
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
        cmocka_unit_test(an_empty_range_is_over),
        cmocka_unit_test(a_thousand_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
