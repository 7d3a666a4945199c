/* Tests of auto on machines in virtual time (dispatch_machine.h): 1 to 64 cores, 0 to 8 GPUs, a
 * hundred times slower to a hundred times faster, jobs of 10 us to 1 s; and devices that fail,
 * leave, join late or run out of memory, under every partitioner.
 *
 * Bounds are for regular loops of small items. "Ideal" is the time of all devices together if they
 * ended at the same instant, each paying its start once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "dispatch_machine.h"
#include "partition/balance.h"

enum { ITEMS = 1000000, RUNS = 4 };

/* Worst ratios over many machines, by length of the ideal time. */
struct worst {
    double of_ideal[RUNS], of_alone[RUNS];
    int machines;
};

static struct machine *open_machine(int64_t items)
{
    struct machine *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->unit = 1;
    m->last = items;
    m->seed = 20261121;
    m->partitioner = "auto";
    return m;
}

/* Equal cores, and GPUs `speed` times as fast as all the cores together. */
static struct machine *common_machine(int cores, int gpus, double speed, double cpu_ns)
{
    struct machine *m = open_machine(ITEMS);
    double item_ns = cpu_ns / ITEMS;
    int g;
    add_cores(m, cores, item_ns);
    m->models[0].noise = 0.02;
    for (g = 0; g < gpus; g++) {
        double fill = 20000 / (item_ns / speed); /* items in 20 us */
        add_gpu(m, item_ns / speed, (int64_t)fmin(262144, fmax(32, fill)))->noise = 0.02;
    }
    return m;
}

static void run_right(struct machine *m)
{
    int64_t wrong = run_machine(m);
    if (wrong)
        fail_msg("%s: %lld items wrong (-1: stuck, -2: books)", m->partitioner, (long long)wrong);
}

static void measure(struct machine *m, struct worst *worst)
{
    double ideal = ideal_ns(m), alone = best_alone_ns(m);
    int run;
    for (run = 0; run < RUNS; run++) {
        run_right(m);
        worst->of_ideal[run] = fmax(worst->of_ideal[run], m->seconds_ns / ideal);
        worst->of_alone[run] = fmax(worst->of_alone[run], m->seconds_ns / alone);
        learn(m);
    }
    worst->machines++;
}

enum { LONG, MIDDLE, SHORT, LENGTHS };
static const double least_ns[LENGTHS] = { [LONG] = 1e7, [MIDDLE] = 1e6, [SHORT] = 1e5 };

static void print_worst(const struct worst *worst, double least)
{
    print_message("%d machines, ideal >= %.0f us, of ideal: %.3f %.3f %.3f %.3f, of the best "
                  "alone: %.3f %.3f %.3f %.3f\n",
                  worst->machines, least / 1e3, worst->of_ideal[0], worst->of_ideal[1],
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

/* One machine counts for every length up to its ideal time. */
static void measure_one(struct machine *m, int known, struct worst *worst)
{
    struct worst one = { .machines = 0 };
    double ideal = ideal_ns(m);
    int d, length;
    for (d = 0; known && d < m->count; d++)
        m->models[d].known.rate = 1 / m->models[d].item_ns;
    if (ideal >= least_ns[SHORT])
        measure(m, &one);
    for (length = 0; length < LENGTHS; length++)
        if (ideal >= least_ns[length])
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
                    struct machine *m = common_machine(cores[c], gpus, speeds[s], cpu_ns);
                    measure_one(m, known, worst);
                    free(m);
                }
    for (length = 0; length < LENGTHS; length++)
        print_worst(&worst[length], least_ns[length]);
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
    assert_true(worst[MIDDLE].of_alone[0] <= 1.05);
    assert_true(worst[MIDDLE].of_ideal[0] <= 1.10);
    for (run = 1; run < RUNS; run++) {
        assert_true(worst[MIDDLE].of_ideal[run] <= 1.05);
        assert_true(worst[MIDDLE].of_alone[run] <= 1.03);
    }
    /* Short jobs: a GPU's start may take longer than the job. */
    assert_true(worst[SHORT].of_alone[1] <= 1.15);
    /* A device that was left out is tried once more (partition/learned.h). */
    assert_true(worst[SHORT].of_alone[2] <= 1.10);
    assert_true(worst[SHORT].of_alone[3] <= 1.06);
}

static void a_cpu_alone_loses_nothing(void **state)
{
    static const int cores[] = { 1, 2, 3, 8, 64 };
    size_t c;
    (void)state;
    for (c = 0; c < sizeof cores / sizeof *cores; c++) {
        struct machine *m = open_machine(ITEMS);
        int run;
        add_cores(m, cores[c], 10); /* 10 ms */
        for (run = 0; run < 3; run++) {
            run_right(m);
            assert_true(m->seconds_ns <= 1.01 * ideal_ns(m));
            assert_true(m->got <= 16); /* leases: the lock is taken at most 16 times */
            learn(m);
        }
        free(m);
    }
}

/* Cores whose kernel does 32 items in the time of one, beside a GPU 16 times as fast as all of
 * them. Pieces of 20 us would be part of a vector: cores would look slower, get less, in smaller
 * pieces, and so on until they did nothing useful (observed with Barnes-Hut). */
static void cores_keep_their_vectors_full(void **state)
{
    struct machine *m = open_machine(1048576);
    int run;
    (void)state;
    add_cores(m, 16, 162); /* a piece of 32: 83 us */
    m->models[0].known.lane_fill = 32;
    m->models[0].noise = 0.3;
    add_gpu(m, 10.2, 270336)->copy_ns = 0.6;
    m->models[1].known.copy_item_ns = 0.6;
    m->models[1].known.busier_part = 0.5;
    for (run = 0; run < 20; run++) {
        run_right(m);
        if (run >= 2 && m->seconds_ns > 1.05 * ideal_ns(m))
            fail_msg("run %d: %.3f of the ideal", run, m->seconds_ns / ideal_ns(m));
        learn(m);
    }
    assert_true(m->outcomes[0].items > 40000);
    free(m);
}

/* Fifty equal jobs: all devices end together, and rows no longer move between devices. */
static void iterations_converge_and_stay(void **state)
{
    struct machine *m = open_machine(20000);
    double items[3] = { 0 }, moved = 0;
    int run, d;
    (void)state;
    add_cores(m, 16, 120); /* 2.4 ms */
    add_gpu(m, 60, 500);
    add_gpu(m, 40, 500);
    for (d = 0; d < m->count; d++)
        m->models[d].noise = 0.01;
    for (run = 0; run < 50; run++) {
        run_right(m);
        for (d = 0; d < m->count; d++) {
            if (run >= 4 && m->end_ns[d] - 1e9 < 0.95 * m->seconds_ns)
                fail_msg("run %d: device %d ends early", run, d);
            if (run >= 4)
                moved += fabs((double)m->outcomes[d].items - items[d]) / 2;
            items[d] = (double)m->outcomes[d].items;
        }
        learn(m);
    }
    print_message("%.1f of 20000 rows change their device in a run\n", moved / 46);
    assert_true(moved / 46 < 40);
    assert_true(m->seconds_ns <= 1.04 * ideal_ns(m));
    free(m);
}

/* Cores must not get chunks that last longer than a far faster GPU needs for all its work. */
static void slow_cores_hold_nobody_up(void **state)
{
    int gpus;
    (void)state;
    for (gpus = 1; gpus <= 2; gpus++) {
        struct machine *m = common_machine(64, gpus, 100, 1e8);
        run_right(m);
        print_message("%d GPUs: %.3f of the best alone\n", gpus, m->seconds_ns / best_alone_ns(m));
        assert_true(m->seconds_ns <= 1.12 * best_alone_ns(m));
        free(m);
    }
}

/* A GPU whose time rises in steps (whole waves of threads), and one whose copies dominate. */
static void staircases_and_copies(void **state)
{
    struct machine *m = open_machine(ITEMS);
    struct model *gpu;
    int run;
    (void)state;
    add_cores(m, 16, 50);
    gpu = add_gpu(m, 5, 30000);
    gpu->staircase = 1;
    gpu = add_gpu(m, 5, 3000);
    gpu->copy_ns = 20;
    for (run = 0; run < 4; run++) {
        run_right(m);
        learn(m);
    }
    assert_true(m->seconds_ns <= 1.10 * ideal_ns(m));
    free(m);
}

/* The first chunk takes 50 ms more (loading code): the device is not dropped for that. */
static void a_cold_start_is_forgiven(void **state)
{
    struct machine *m = open_machine(ITEMS);
    int run;
    (void)state;
    add_cores(m, 16, 10);
    add_gpu(m, 1, 20000)->cold_ns = 50e6;
    for (run = 0; run < 4; run++) {
        m->models[1].cold_ns = run == 0 ? 50e6 : 0;
        run_right(m);
        learn(m);
    }
    assert_true(m->seconds_ns <= 1.05 * ideal_ns(m));
    free(m);
}

static void what_does_not_pay_is_left_out_and_told(void **state)
{
    struct machine *m = open_machine(1000);
    int run;
    (void)state;
    add_cores(m, 4, 100); /* 100 us */
    add_gpu(m, 100, 10);
    m->models[1].fixed_ns = m->models[1].known.fixed_ns = 500000;
    for (run = 0; run < 3; run++) {
        run_right(m);
        assert_int_equal(m->outcomes[1].chunks, 0);
        assert_non_null(
            strstr(m->reasons[1], "left out: its next chunk would have taken 500 us or more"));
        assert_non_null(strstr(m->reasons[0], "did 100.0 %"));
        learn(m);
    }
    /* Low fixed cost, but one fill takes longer than the cores take for everything. */
    m->models[1].fixed_ns = m->models[1].known.fixed_ns = 1000;
    m->models[1].item_ns = 1e6;
    m->models[1].known.rate = 1e-6;
    run_right(m);
    assert_int_equal(m->outcomes[1].chunks, 0);
    assert_non_null(
        strstr(m->reasons[1], "left out: its next chunk would have taken 1.001 ms or more"));
    free(m);
}

/* A dropped device can still work when the others are gone. */
static void the_last_device_does_the_rest(void **state)
{
    struct machine *m = open_machine(1000);
    (void)state;
    add_cores(m, 4, 100);
    add_gpu(m, 100, 10);
    m->models[1].fixed_ns = m->models[1].known.fixed_ns = 500000;
    m->models[0].fail_ns = at_ns(50000);
    run_right(m);
    assert_true(m->outcomes[1].items > 0);
    assert_string_equal(m->reasons[0], "it was unplugged");
    free(m);
}

/* --- hand-computed balances and late GPUs --- */

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
    assert_int_equal(wake_ns, 51000);
    while (yk_dispatch_next(dispatch, &(struct yk_request){ 0, 3, now }, &chunk, &wake_ns) ==
           YK_WAIT) {
        assert_true(wake_ns > now);
        now = wake_ns;
    }
    assert_true(now > 5000000 && now < 20000000);
    yk_dispatch_close(dispatch);
}

static void quotas_by_hand(void **state)
{
    struct yk_taker loads[3] = { { .item = 1 }, { .item = 3 }, { .item = 1, .ready = 500 } };
    (void)state;
    /* T + T / 3 = 400 */
    assert_float_equal(yk_balance(loads, 3, 400), 300, 1e-9);
    assert_float_equal(loads[0].items, 300, 1e-9);
    assert_float_equal(loads[1].items, 100, 1e-9);
    assert_float_equal(loads[2].items, 0, 0);
    /* the third one joins: T + T / 3 + T - 500 = 1833.3 */
    assert_float_equal(yk_balance(loads, 3, 5500.0 / 3), 1000, 1e-9);
    assert_float_equal(loads[2].items, 500, 1e-9);
    /* its smallest part takes too long */
    loads[2].least = 501;
    assert_float_equal(yk_balance(loads, 3, 5500.0 / 3), 1375, 1e-9);
    loads[0].item = loads[1].item = loads[2].item = 0;
    assert_true(isinf(yk_balance(loads, 3, 1)));
}

static void quotas_by_force(void **state)
{
    unsigned seed = 7;
    int round, d;
    (void)state;
    for (round = 0; round < 2000; round++) {
        struct yk_taker loads[6];
        double items = 1 + machine_random(&seed) % 100000, total = 0, end;
        for (d = 0; d < 6; d++)
            loads[d] = (struct yk_taker){ .item = (machine_random(&seed) % 100) / 7.0,
                                          .ready = machine_random(&seed) % 3000,
                                          .fixed = machine_random(&seed) % 1000 };
        end = yk_balance(loads, 6, items);
        for (d = 0; d < 6; d++) {
            const struct yk_taker *load = &loads[d];
            double start = load->ready + load->fixed;
            total += load->items;
            assert_true(load->items >= 0);
            if (load->items > 0)
                assert_float_equal(start + load->item * load->items, end, 1e-6 * end);
            else
                assert_true(load->item <= 0 || start >= end * (1 - 1e-9));
        }
        assert_true(isinf(end) || fabs(total - items) < 1e-6 * items);
    }
}

/* --- failures --- */

static void add_some_gpus(struct machine *m, int count, double item_ns, unsigned *seed)
{
    while (count-- > 0) {
        struct model *gpu =
            add_gpu(m, item_ns * exp(10 * fraction(seed) - 5), 1 + machine_random(seed) % 5000);
        gpu->staircase = machine_random(seed) % 2;
        gpu->copy_ns = machine_random(seed) % 3 ? 0 : 0.7 * gpu->item_ns;
        draw_limits(m, gpu, seed);
    }
}

static void let_mishaps_happen(struct machine *m, unsigned *seed)
{
    double length = 2 * ideal_ns(m);
    int survivor = (int)(machine_random(seed) % (unsigned)m->count), d;
    for (d = 0; d < m->count; d++) {
        struct model *model = &m->models[d];
        draw_mishap(model, d != survivor, length, seed);
        if (machine_random(seed) % 2)
            model->known.share = fraction(seed);
    }
}

static void nothing_is_lost_or_done_twice(void **state)
{
    static const char *const names[] = { "auto",   "even",  "static", "dynamic",
                                         "guided", "nc-ht", "c-ht",   "demand" };
    int64_t before = yk_alloc_outstanding();
    unsigned round;
    size_t i;
    (void)state;
    for (round = 1; round <= 1500; round++) {
        unsigned seed = round * 2654435761u | 1;
        struct machine *m = open_machine(0);
        double item_ns;
        int gpus;
        m->seed = seed;
        m->first = (int64_t)(machine_random(&seed) % 1000) - 500;
        m->last = m->first + machine_random(&seed) % (machine_random(&seed) % 4 ? 20000 : 5);
        m->unit = machine_random(&seed) % 3 ? 1 : 1 + machine_random(&seed) % 50;
        m->all_or_nothing = machine_random(&seed) % 3 == 0;
        item_ns = exp(12 * fraction(&seed));
        gpus = (int)(machine_random(&seed) % 6);
        if (gpus == 0 || machine_random(&seed) % 4)
            add_cores(m, 1 + (int)(machine_random(&seed) % 16), item_ns);
        add_some_gpus(m, gpus, item_ns, &seed);
        let_mishaps_happen(m, &seed);
        for (i = 0; i < sizeof names / sizeof *names; i++) {
            m->partitioner = names[i];
            if (run_machine(m))
                fail_msg("round %u under %s", round, names[i]);
        }
        assert_int_equal(yk_alloc_outstanding(), before);
        free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_that_is_known_is_expected),
        cmocka_unit_test(quotas_by_hand),
        cmocka_unit_test(quotas_by_force),
        cmocka_unit_test(known_speeds_reach_the_ideal),
        cmocka_unit_test(unknown_speeds_are_learned),
        cmocka_unit_test(a_cpu_alone_loses_nothing),
        cmocka_unit_test(cores_keep_their_vectors_full),
        cmocka_unit_test(iterations_converge_and_stay),
        cmocka_unit_test(slow_cores_hold_nobody_up),
        cmocka_unit_test(staircases_and_copies),
        cmocka_unit_test(a_cold_start_is_forgiven),
        cmocka_unit_test(what_does_not_pay_is_left_out_and_told),
        cmocka_unit_test(the_last_device_does_the_rest),
        cmocka_unit_test(nothing_is_lost_or_done_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
