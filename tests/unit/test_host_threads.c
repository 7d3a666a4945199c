/* Tests of nc-ht and c-ht: sequences worked out by hand from figs. 5 to 9 of Navarro et al. and the
 * choices in host_threads.h, decision by decision, and the loss if the figures are taken literally.
 *
 * Rates are such that all quotients are exact in binary. */
#include <stdio.h>

#include <yoke/status.h>

#include "simulator_bench.h"

enum { CPU, GPU, OTHER_GPU, WAIT = -1 };

enum what { ASKS, ANSWERS };
struct event {
    int64_t when;
    enum what what;
    int device, lane;
    /* ASKS: the expected chunk, or WAIT. ANSWERS: `first` items are done. */
    int64_t first, last;
    int beside; /* the chunk runs beside one of lane 0 of this GPU; 0: beside none */
};

struct play {
    struct yk_dispatch *dispatch;
    struct yk_chunk chunks[3][4];
    int64_t issued[3][4];
};

/* 3 threads; the last one drives the GPU (and the one before it the second GPU). */
static struct play open_play(const char *partitioner, int64_t items, int gpus)
{
    const struct yk_split_device devices[] = {
        { .name = "cpu", .lanes = 3, .host_memory = 1, .fill = 3, .share = -1 },
        { .name = "gpu0", .lanes = 2, .fill = 10, .share = -1, .hosts = 1, .host_lane = 2 },
        { .name = "gpu1", .lanes = 2, .fill = 10, .share = -1, .hosts = 1, .host_lane = 1 }
    };
    struct yk_split_spec spec = { .last = items,
                                  .unit = 1,
                                  .devices = devices,
                                  .device_count = 1 + gpus,
                                  .partitioner = partitioner };
    struct play play = { 0 };
    int d;
    assert_int_equal(yk_dispatch_open(&spec, &play.dispatch), YOKE_OK);
    for (d = 0; d <= gpus; d++)
        yk_dispatch_join(play.dispatch, d, 0);
    return play;
}

static void ask_and_compare(struct play *play, size_t at, const struct event *event)
{
    struct yk_chunk *chunk = &play->chunks[event->device][event->lane];
    int64_t wake_ns;
    uint32_t beside = event->beside ? play->chunks[event->beside][0].serial : 0;
    enum yk_verdict verdict = yk_dispatch_next(
        play->dispatch, &(struct yk_request){ event->device, event->lane, event->when }, chunk,
        &wake_ns);
    if (verdict != (event->first == WAIT ? YK_WAIT : YK_TAKE))
        fail_msg("event %d: verdict %d", (int)at, (int)verdict);
    if (verdict == YK_WAIT)
        return;
    if (chunk->first != event->first || chunk->last != event->last)
        fail_msg("event %d: [%d, %d) \"%s\"", (int)at, (int)chunk->first, (int)chunk->last,
                 chunk->reason);
    assert_int_equal(chunk->beside, beside);
    play->issued[event->device][event->lane] = event->when;
}

static void perform(struct play *play, const struct event *events, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        const struct event *event = &events[i];
        const struct yk_chunk_times times = { .issued = play->issued[event->device][event->lane],
                                              .ended = event->when };
        if (event->what == ASKS)
            ask_and_compare(play, i, event);
        else
            yk_dispatch_done(play->dispatch, &play->chunks[event->device][event->lane],
                             event->first, &times);
        assert_true(yk_dispatch_check(play->dispatch));
    }
}
#define PERFORM(play, events) perform(play, events, sizeof(events) / sizeof *(events))

static void nc_ht_follows_the_figures(void **state)
{
    static const struct event events[] = {
        { 0, ASKS, GPU, 0, 0, 100, 0 },   /* fig. 8 line 2: GS */
        { 0, ASKS, CPU, 0, 100, 150, 0 }, /* fig. 9 line 2: GS / nCores, and these are 2: */
        { 0, ASKS, CPU, 1, 150, 200, 0 },
        { 0, ASKS, CPU, 2, WAIT, 0, 0 }, /* the third thread drives the GPU */
        { 200, ANSWERS, GPU, 0, 100, 0, 0 },
        { 200, ASKS, GPU, 0, 200, 300, 0 }, /* no core has been measured yet: GS */
        { 400, ANSWERS, CPU, 0, 50, 0, 0 }, /* lambda_c 1/16, lambda_1 1/4: f = 4 */
        { 400, ASKS, CPU, 0, 300, 325, 0 }, /* min(100 / 4, 700 / (4 + 2)) */
        { 400, ANSWERS, CPU, 1, 50, 0, 0 }, /* lambda_c 3/32, f = 8/3 */
        { 400, ASKS, CPU, 1, 325, 362, 0 }, /* min(100 * 3/8, 675 / (8/3 + 2)) */
        { 400, ANSWERS, GPU, 0, 100, 0, 0 },
        { 400, ASKS, GPU, 0, 362, 462, 0 } /* lambda_1 3/8, f = 4: 25 < 538 / 2 */
    };
    struct play play = open_play("nc-ht:grains=100,threshold=1", 1000, 1);
    (void)state;
    PERFORM(&play, events);
    yk_dispatch_close(play.dispatch);
}

static void nc_ht_takes_a_gpu_out_at_the_end(void **state)
{
    static const struct event events[] = {
        { 0, ASKS, GPU, 0, 0, 100, 0 },
        { 0, ASKS, CPU, 0, 100, 150, 0 },
        { 0, ASKS, CPU, 1, 150, 200, 0 },
        { 400, ANSWERS, CPU, 0, 50, 0, 0 },
        { 400, ANSWERS, GPU, 0, 100, 0, 0 }, /* f = 2, and not 100 / 2 < (50 - 100) / 2 */
        { 400, ASKS, GPU, 0, WAIT, 0, 0 },
        { 400, ASKS, CPU, 2, 200, 216, 0 }, /* its thread acts as a core now: 50 / 3 */
        { 400, ASKS, CPU, 0, 216, 227, 0 }, /* 34 / 3 */
        { 800, ANSWERS, CPU, 2, 16, 0, 0 },
        { 800, ASKS, CPU, 2, 227, 234, 0 }, /* 23 / 3 */
        { 800, ASKS, GPU, 0, WAIT, 0, 0 }
    };
    struct play play = open_play("nc-ht:grains=100,threshold=1", 250, 1);
    (void)state;
    PERFORM(&play, events);
    yk_dispatch_close(play.dispatch);
}

static void nc_ht_weighs_two_gpus(void **state)
{
    static const struct event events[] = {
        { 0, ASKS, GPU, 0, 0, 128, 0 },
        { 0, ASKS, OTHER_GPU, 0, 128, 192, 0 },
        { 0, ASKS, CPU, 0, 192, 320, 0 }, /* one core: max GS / 1 */
        { 0, ASKS, CPU, 1, WAIT, 0, 0 },
        { 128, ANSWERS, GPU, 0, 128, 0, 0 },
        { 128, ANSWERS, OTHER_GPU, 0, 64, 0, 0 },
        { 1024, ANSWERS, CPU, 0, 128, 0, 0 }, /* lambda 1/2, 1/4, 1/16: f 8 and 4 */
        { 1024, ASKS, CPU, 0, 320, 336, 0 },  /* max(128 / 8, 64 / 4), below 680 / 13 */
        { 1024, ASKS, GPU, 0, 336, 464, 0 },  /* 128 / 8 < (664 - 128) / (4 + 1) */
        { 1024, ASKS, OTHER_GPU, 0, 464, 528, 0 },
        /* f 12 and 6 (lambda 3/4, 3/8) */
        { 1152, ANSWERS, GPU, 0, 128, 0, 0 },
        { 1152, ANSWERS, OTHER_GPU, 0, 64, 0, 0 },
        { 1152, ASKS, GPU, 0, 528, 656, 0 }
    };
    struct play play = open_play("nc-ht:grains=128/64,threshold=1", 1000, 2);
    (void)state;
    PERFORM(&play, events);
    yk_dispatch_close(play.dispatch);
}

static void two_streams_are_two_resources(void **state)
{
    static const struct event events[] = {
        { 0, ASKS, GPU, 0, 0, 100, 0 },
        { 0, ASKS, GPU, 1, 100, 200, 0 },
        { 0, ASKS, CPU, 0, 200, 250, 0 }, /* only lane 2 is counted as a driver: 100 / 2 */
        { 400, ANSWERS, GPU, 0, 100, 0, 0 },
        { 400, ANSWERS, CPU, 0, 50, 0, 0 }, /* f = 2 of each stream */
        { 400, ASKS, CPU, 0, 250, 300, 0 }, /* min(100 / 2, 750 / (2 + 2 + 2)) */
        { 400, ASKS, GPU, 0, 300, 400, 0 }  /* 50 < (700 - 100) / (2 + 2) */
    };
    struct play play = open_play("nc-ht:grains=100,threshold=1,streams=2", 1000, 1);
    (void)state;
    PERFORM(&play, events);
    yk_dispatch_close(play.dispatch);
}

static void c_ht_follows_the_figures(void **state)
{
    static const struct event events[] = {
        { 0, ASKS, CPU, 2, WAIT, 0, 0 },  /* it drives the GPU, which has no chunk yet */
        { 0, ASKS, GPU, 0, 0, 100, 0 },   /* fig. 7(a) line 12 */
        { 0, ASKS, CPU, 2, 100, 133, 1 }, /* line 13: all 3 threads do CPU work */
        { 0, ASKS, CPU, 0, 133, 166, 0 },
        { 0, ASKS, CPU, 1, 166, 199, 0 },
        /* fig. 7(b): the GPU is done when the host thread has done 16 items; 17 become spare */
        { 256, ANSWERS, CPU, 2, 16, 0, 0 },
        { 256, ANSWERS, GPU, 0, 100, 0, 0 },
        { 256, ASKS, GPU, 0, 199, 299, 0 }, /* f = 6.25; r is 801 without the spare ones */
        { 256, ASKS, CPU, 2, 299, 315, 1 }, /* 100 / 6.25, from r, not from the spare queue */
        { 264, ANSWERS, CPU, 0, 33, 0, 0 },
        { 264, ASKS, CPU, 0, 116, 133, 0 }, /* the spare queue comes first */
        { 264, ASKS, CPU, 2, WAIT, 0, 0 }   /* one chunk beside each of the GPU's */
    };
    struct play play = open_play("c-ht:grains=100,threshold=5", 1000, 1);
    (void)state;
    PERFORM(&play, events);
    assert_int_equal(play.chunks[CPU][2].piece, 5);
    yk_dispatch_close(play.dispatch);
}

static void c_ht_without_a_gpu_chunk_gives_none_beside_it(void **state)
{
    static const struct event events[] = {
        { 0, ASKS, GPU, 0, 0, 100, 0 },
        { 0, ASKS, CPU, 2, 100, 133, 1 },
        { 0, ASKS, CPU, 0, 133, 166, 0 },
        { 400, ANSWERS, CPU, 2, 25, 0, 0 },
        { 400, ANSWERS, GPU, 0, 100, 0, 0 }, /* f = 4: not 25 < (34 - 100) / 3 */
        { 400, ASKS, GPU, 0, WAIT, 0, 0 },
        { 400, ASKS, CPU, 2, 125, 133, 0 }, /* a core like the others: the spare queue, */
        { 400, ASKS, CPU, 1, 166, 177, 0 }  /* then 34 / 3 */
    };
    struct play play = open_play("c-ht:grains=100,threshold=5", 200, 1);
    (void)state;
    PERFORM(&play, events);
    yk_dispatch_close(play.dispatch);
}

static void a_lost_gpu_gives_its_thread_and_its_items_back(void **state)
{
    static const struct event before[] = { { 0, ASKS, GPU, 0, 0, 100, 0 },
                                           { 0, ASKS, CPU, 2, 100, 133, 1 },
                                           { 0, ASKS, CPU, 0, 133, 166, 0 } };
    static const struct event after[] = { { 10, ANSWERS, CPU, 2, 5, 0, 0 },
                                          { 10, ASKS, CPU, 2, 0, 100, 0 },
                                          { 10, ASKS, CPU, 1, 105, 133, 0 } };
    struct play play = open_play("c-ht:grains=100,threshold=5", 1000, 1);
    (void)state;
    PERFORM(&play, before);
    assert_int_equal(yk_dispatch_out(play.dispatch), 3);
    yk_dispatch_failed(play.dispatch, GPU, "it was unplugged");
    assert_int_equal(yk_dispatch_out(play.dispatch), 2); /* the GPU's chunk has been reported */
    PERFORM(&play, after);
    yk_dispatch_close(play.dispatch);
}

/* Threads that see at once that their GPU is done. */
#define HOSTS(cores) "cores=" cores ":poll=0:wake=0:switch=0"

static double run(struct simulator_bench *bench, const char *partitioner)
{
    bench->spec.know = bench_know;
    bench->spec.partitioner = partitioner;
    return bench_run(bench);
}

/* Fig. 9 taken literally: every core's first chunk except the first core's is min(max over nothing,
 * r / nCores), so the job cannot end before a core has done that. */
static void literally_a_core_would_get_most_of_the_range(void **state)
{
    static const struct {
        int cores, gpus;
        double f;
    } machines[] = { { 8, 1, 7.5 }, { 8, 4, 7.5 }, { 32, 1, 7.5 }, { 8, 4, 3.5 }, { 32, 1, 3.5 } };
    const int64_t items = 80000;
    size_t i;
    (void)state;
    for (i = 0; i < sizeof machines / sizeof *machines; i++) {
        const double cores = machines[i].cores, gpus = machines[i].gpus;
        double ideal, literal, us;
        struct simulator_bench *bench;
        char line[200];
        snprintf(line, sizeof line, HOSTS("%d") ",gpu*%d:f=%g:fixed=0", machines[i].cores,
                 machines[i].gpus, machines[i].f);
        bench = bench_open(line, "regular", items); /* an item takes a core 1 us */
        bench->spec.threads = machines[i].cores;
        us = run(bench, "nc-ht:grains=200");
        ideal = (double)items / (cores - gpus + gpus * machines[i].f);
        literal = ((double)items - 200 * gpus) / cores;
        if (us > 1.03 * ideal)
            fail_msg("%g cores, %g GPUs: %.3f of ideal", cores, gpus, us / ideal);
        assert_true(literal > 1.05 * us);
        print_message("(%g,%g) f=%.1f: %.1f %% over ideal, literally at least %.1f %%\n", cores,
                      gpus, machines[i].f, 100 * (us / ideal - 1), 100 * (literal / ideal - 1));
        bench_close(bench);
    }
}

/* A GPU without any core: it has threads of its own. */
static void drive_a_gpu_alone(const char *partitioner)
{
    const struct yk_split_device gpu = { .name = "gpu", .lanes = 2, .fill = 1, .share = -1 };
    const struct yk_split_spec spec = {
        .last = 1000, .unit = 1, .devices = &gpu, .device_count = 1, .partitioner = partitioner
    };
    const struct yk_chunk_times times = { .issued = 1, .ended = 100 };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    int64_t wake_ns;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    while (yk_dispatch_left(dispatch) > 0) {
        assert_int_equal(
            yk_dispatch_next(dispatch, &(struct yk_request){ 0, 0, 0 }, &chunk, &wake_ns), YK_TAKE);
        yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
        assert_true(yk_dispatch_check(dispatch));
    }
    yk_dispatch_close(dispatch);
}

/* One GPU, and one thread, which drives it: fig. 8 line 5 divides by 0. */
static void nobody_else_is_there(void **state)
{
    static const char *const partitioners[] = { "nc-ht:grains=64", "c-ht:grains=64,threshold=3",
                                                "nc-ht", "c-ht" };
    size_t i;
    (void)state;
    for (i = 0; i < 4; i++) {
        struct simulator_bench *bench = bench_open(HOSTS("1") ",gpu:f=10", "regular", 1000);
        bench->spec.threads = 1;
        run(bench, partitioners[i]);
        bench->spec.without = 1;
        run(bench, partitioners[i]);
        bench_close(bench);
        bench = bench_open(HOSTS("4"), "regular", 1000);
        run(bench, partitioners[i]);
        bench_close(bench);
        drive_a_gpu_alone(partitioners[i]);
    }
}

/* A chunk has a fixed cost of 1,000 items, so a grain of 10 would be a hundred times too small. */
static void a_grain_that_is_not_given_is_found(void **state)
{
    struct simulator_bench *bench = bench_open(
        HOSTS("4") ":rate=1e7,gpu:rate=1e8:fixed=0:launch=10us:fill=10", "regular", 1000000);
    const struct yk_simulate_device *gpu;
    (void)state;
    run(bench, "nc-ht");
    gpu = &bench->result.devices[1];
    assert_non_null(strstr(gpu->reason, "(found)"));
    print_message("%s\n", gpu->reason);
    assert_true(gpu->items / gpu->chunks > 1000);
    assert_true(gpu->items > 500000);
    bench_close(bench);
}

static void measured_times_may_be_absurd(void **state)
{
    static const int64_t ends[] = { 0, 0, -5, INT64_MAX / 2, 1, 1 };
    size_t i;
    int kind;
    (void)state;
    for (kind = 0; kind < 2; kind++) {
        struct play play = open_play(kind ? "c-ht:grains=10" : "nc-ht", 10000, 1);
        int64_t wake_ns, turns = 0;
        struct yk_chunk chunk;
        for (i = 0; yk_dispatch_left(play.dispatch) > 0; i++) {
            const struct yk_chunk_times times = { .issued = 0, .ended = ends[i % 6] };
            int device = (int)(i % 2), lane = device ? 0 : (int)(i / 2 % 3);
            assert_true(turns++ < 100000);
            if (yk_dispatch_next(play.dispatch, &(struct yk_request){ device, lane, 0 }, &chunk,
                                 &wake_ns) != YK_TAKE)
                continue;
            assert_true(chunk.first < chunk.last);
            yk_dispatch_done(play.dispatch, &chunk, chunk.last - chunk.first, &times);
        }
        yk_dispatch_close(play.dispatch);
    }
}

static void wrong_words_are_named(void **state)
{
    static const struct {
        const char *partitioner, *text;
    } cases[] = { { "nc-ht:alpha=0", "alpha is 0" },
                  { "c-ht:alpha=1.5", "alpha is 1.5" },
                  { "nc-ht:alpha=-1", "alpha is -1" },
                  { "nc-ht:grains=0", "grain 0 is too small" },
                  { "nc-ht:grains=-4", "too small" },
                  { "nc-ht:grains=x", "not a number" },
                  { "nc-ht:grains=1/", "missing" },
                  { "c-ht:grains=1/2/3", "3 grains for 1 GPU;" },
                  { "nc-ht:threshold=-1", "threshold is -1" },
                  { "nc-ht:streams=0", "streams is 0" },
                  { "nc-ht:nonsense=1", "nonsense" } };
    const struct yk_split_device devices[] = {
        { .name = "cpu", .lanes = 3, .host_memory = 1, .fill = 3, .share = -1 },
        { .name = "gpu0", .lanes = 2, .fill = 10, .share = -1 }
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_split_spec spec = { .last = 100,
                                      .unit = 1,
                                      .devices = devices,
                                      .device_count = 2,
                                      .partitioner = cases[i].partitioner };
        struct yk_dispatch *dispatch;
        assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_EINVAL);
        if (!strstr(yoke_error_text(), cases[i].text))
            fail_msg("%s: %s", cases[i].partitioner, yoke_error_text());
    }
}

static void grains_larger_than_the_range_are_the_range(void **state)
{
    struct simulator_bench *bench = bench_open(HOSTS("2") ",gpu:f=2", "regular", 100);
    (void)state;
    run(bench, "nc-ht:grains=1e30");
    bench_close(bench);
}

static void memory_runs_out_at_every_allocation(void **state)
{
    const struct yk_split_device devices[] = {
        { .name = "cpu", .lanes = 3, .host_memory = 1, .fill = 3, .share = -1 },
        { .name = "gpu0", .lanes = 2, .fill = 10, .share = -1 }
    };
    const struct yk_split_spec spec = { .last = 100,
                                        .unit = 1,
                                        .devices = devices,
                                        .device_count = 2,
                                        .partitioner = "c-ht:grains=5" };
    int64_t before = yk_alloc_outstanding(), nth;
    struct yk_dispatch *dispatch;
    yoke_status status = YOKE_ENOMEM;
    (void)state;
    for (nth = 1; status != YOKE_OK; nth++) {
        yk_alloc_fail_at(nth);
        status = yk_dispatch_open(&spec, &dispatch);
        yk_alloc_fail_at(0);
        if (status == YOKE_OK)
            yk_dispatch_close(dispatch);
        else
            assert_int_equal(status, YOKE_ENOMEM);
        assert_int_equal(yk_alloc_outstanding(), before);
    }
    assert_true(nth > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nc_ht_follows_the_figures),
        cmocka_unit_test(nc_ht_takes_a_gpu_out_at_the_end),
        cmocka_unit_test(nc_ht_weighs_two_gpus),
        cmocka_unit_test(two_streams_are_two_resources),
        cmocka_unit_test(c_ht_follows_the_figures),
        cmocka_unit_test(c_ht_without_a_gpu_chunk_gives_none_beside_it),
        cmocka_unit_test(a_lost_gpu_gives_its_thread_and_its_items_back),
        cmocka_unit_test(literally_a_core_would_get_most_of_the_range),
        cmocka_unit_test(nobody_else_is_there),
        cmocka_unit_test(a_grain_that_is_not_given_is_found),
        cmocka_unit_test(measured_times_may_be_absurd),
        cmocka_unit_test(wrong_words_are_named),
        cmocka_unit_test(grains_larger_than_the_range_are_the_range),
        cmocka_unit_test(memory_runs_out_at_every_allocation),
    };
    return cmocka_run_group_tests_name("host threads", tests, NULL, NULL);
}
