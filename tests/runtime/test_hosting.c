/* test_hosting.c - threads that drive a GPU as lanes of the CPU: which threads these are, and the
 * chunks that they do beside the GPU's, also if that fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "job_kernels.h"
#include "life/host_lane.h"
#include "ok.h"
#include "runtime/device.h"
#include "walk.h"

enum { N = 6000, BINS = 7, JOBS = 40 };

static struct scene {
    uint32_t y[N], h[BINS];
    int32_t keys[N];
    float w[BINS];
    yoke_array *ay, *akeys, *ah, *aw;
} scene;

static yoke_status scene_open(yoke_runtime *rt)
{
    yoke_status status;
    int i;
    memset(&scene, 0, sizeof scene);
    for (i = 0; i < N; i++) {
        scene.y[i] = (uint32_t)i;
        scene.keys[i] = i;
    }
    status = yoke_array_wrap(rt, scene.y, N, 4, &scene.ay);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, scene.keys, N, 4, &scene.akeys);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, scene.h, BINS, 4, &scene.ah);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, scene.w, BINS, 4, &scene.aw);
    return status;
}

/* In place: a row that is done twice, or not at all, is wrong. */
static yoke_status spend(yoke_runtime *rt, yoke_home home, int32_t rounds, yoke_result **result)
{
    yoke_job job = { .kernel = &k_spend,
                     .range = { 0, N },
                     .args = { yoke_value(rounds), yoke_inout(scene.ay) } };
    job.args[1].home = home;
    return yoke_run(rt, &job, result);
}

static yoke_status count(yoke_runtime *rt)
{
    const int32_t bins = BINS;
    yoke_job job = { .kernel = &k_histogram,
                     .range = { 0, N },
                     .args = { yoke_value(bins), yoke_in(scene.akeys), yoke_add_to(scene.ah),
                               yoke_add_to(scene.aw) } };
    return yoke_run(rt, &job, NULL);
}

/* Checks the sum of rounds, and the counts. */
static void check(int64_t rounds, uint32_t counts)
{
    int64_t r;
    int i;
    for (i = 0; i < N; i++) {
        uint32_t s = (uint32_t)i;
        for (r = 0; r < rounds; r++)
            s = s * 1664525u + 1013904223u;
        if (scene.y[i] != s)
            fail_msg("y[%d] = %u, not %u", i, scene.y[i], s);
    }
    for (i = 0; i < BINS; i++)
        assert_int_equal(scene.h[i], counts * (uint32_t)(N / BINS + (i < N % BINS)));
}

static void scene_close(yoke_runtime *rt)
{
    yoke_array_close(scene.ay);
    yoke_array_close(scene.akeys);
    yoke_array_close(scene.ah);
    yoke_array_close(scene.aw);
    OK(yoke_close(rt));
}

/* --- which lanes --- */

struct plan {
    const char *partitioner;
    int cores, lanes[3];         /* of up to three GPUs; 0: no more */
    int hosts[3], host_lanes[3]; /* expected */
};

static const struct plan plans[] = {
    { "nc-ht", 8, { 4 }, { 1 }, { 7 } },
    { "c-ht", 8, { 4, 4 }, { 1, 1 }, { 7, 6 } },
    { "nc-ht:streams=2", 8, { 4, 1, 4 }, { 2, 1, 2 }, { 6, 5, 3 } },
    { "c-ht:streams=9", 16, { 4, 4 }, { 4, 4 }, { 12, 8 } },
    /* one lane of the CPU is left; first lanes of all GPUs come before any second lane */
    { "nc-ht:streams=4", 4, { 4, 4 }, { 2, 1 }, { 2, 1 } },
    { "nc-ht", 2, { 2, 2 }, { 1, 0 }, { 1, 0 } },
    { "c-ht", 1, { 4 }, { 0 }, { 0 } },
    { "auto", 8, { 4 }, { 0 }, { 0 } },
    { "dynamic:chunk=7", 8, { 4 }, { 0 }, { 0 } },
};

static void which_lanes_stand_for_threads(void **state)
{
    size_t p;
    int g;
    (void)state;
    for (p = 0; p < sizeof plans / sizeof *plans; p++) {
        const struct plan *plan = &plans[p];
        char name[32];
        struct yk_split_device known[4] = { { .host_memory = 1, .lanes = plan->cores } };
        struct yk_job_device devices[4] = { { 0 } };
        struct yk_job job = { .split.partitioner = name, .devices = devices, .lanes.hosting = -1 };
        snprintf(name, sizeof name, "%s", plan->partitioner);
        for (g = 0; g < 3 && plan->lanes[g]; g++)
            known[g + 1].lanes = plan->lanes[g];
        job.device_count = g + 1;
        OK(yk_host_lanes_plan(&job, known, job.device_count));
        assert_int_equal(known[0].hosts, 0);
        for (g = 0; g < job.device_count - 1; g++) {
            if (known[g + 1].hosts != plan->hosts[g] ||
                known[g + 1].host_lane != plan->host_lanes[g])
                fail_msg("plan %d, GPU %d: %d hosts from lane %d", (int)p, g, known[g + 1].hosts,
                         known[g + 1].host_lane);
            assert_int_equal(devices[g + 1].hosts, plan->hosts[g]);
            assert_int_equal(devices[g + 1].host_lane, plan->host_lanes[g]);
        }
    }
}

static void wrong_settings_are_told(void **state)
{
    struct yk_split_device known[1] = { { .host_memory = 1, .lanes = 2 } };
    char name[] = "nc-ht:streams=many";
    struct yk_job job = { .split.partitioner = name, .lanes.hosting = -1 };
    (void)state;
    assert_int_equal(yk_host_lanes_plan(&job, known, 1), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "many"));
}

/* --- chunks beside a GPU's, in virtual time --- */

/* Number of decisions with this reason (NULL: any) for a lane (-1: any) of the CPU. */
static int decisions(const yoke_result *result, int lane, const char *reason)
{
    int64_t i;
    int found = 0;
    for (i = 0; i < result->decision_count; i++) {
        const yoke_decision *d = &result->decisions[i];
        found += d->device == 0 && (lane < 0 || d->lane == lane) &&
                 (!reason || strcmp(d->reason, reason) == 0);
    }
    return found;
}

static double simulated_seconds(const char *partitioner, yoke_result **result)
{
    yoke_config config = { .devices = "sim:cpu:cores=2:rate=1e5:fixed=0,sim:gpu:rate=1e6:fill=1",
                           .partitioner = partitioner };
    yoke_runtime *rt;
    double seconds;
    OK(yoke_open(&config, &rt));
    OK(scene_open(rt));
    OK(spend(rt, YOKE_HOME_LATER, 1, result));
    seconds = (*result)->seconds;
    scene_close(rt);
    check(1, 0);
    return seconds;
}

/* One of two cores drives the GPU. Each has a tenth of the GPU's speed, so it is worth 1 in 12. */
static void who_works_meanwhile_gets_more_done(void **state)
{
    yoke_result *alone, *along;
    double idle = simulated_seconds("nc-ht:grains=600,threshold=4", &alone);
    double work = simulated_seconds("c-ht:grains=600,threshold=4", &along);
    (void)state;
    print_message("%.3f ms when it does nothing, %.3f ms when it works\n", 1e3 * idle, 1e3 * work);
    assert_true(work < idle * (11.5 / 12));
    assert_true(work > idle * (10.0 / 12)); /* the gain is limited: its pieces take time */
    assert_true(decisions(along, 1, "core's part") > 3);
    assert_true(decisions(along, -1, "spare") > 0);
    assert_int_equal(decisions(alone, -1, "spare"), 0);
    yoke_result_close(alone);
    yoke_result_close(along);
}

/* The GPU's chunks and those beside them take about 1 ms, a piece 0.1 ms; the GPU fails in the
 * middle of its fifth chunk. */
static void what_is_beside_a_chunk_that_is_lost_comes_back(void **state)
{
    yoke_config config = {
        .devices = "sim:cpu:cores=3:rate=1e5:fixed=0,sim:gpu:rate=2e5:fill=1:fail=0.0045",
        .partitioner = "c-ht:grains=200,threshold=10"
    };
    yoke_runtime *rt;
    yoke_result *result;
    int64_t i;
    int spare = 0;
    (void)state;
    OK(yoke_open(&config, &rt));
    OK(scene_open(rt));
    OK(spend(rt, YOKE_HOME_NOW, 3, &result));
    assert_int_equal(result->devices[1].items, 4 * 200);
    assert_int_equal(result->devices[0].items, N - 4 * 200);
    for (i = 0; i < result->decision_count; i++) {
        const yoke_decision *d = &result->decisions[i];
        spare += strcmp(d->reason, "spare") == 0 && d->seconds > 0.0045 && d->seconds < 0.0047;
    }
    assert_int_equal(spare, 1);
    yoke_result_close(result);
    OK(count(rt));
    scene_close(rt);
    check(3, 1);
}

static const char *walked; /* the partitioner */

static yoke_status program(const char *devices)
{
    yoke_runtime *rt;
    yoke_status status =
        yoke_open(&(yoke_config){ .devices = devices, .partitioner = walked }, &rt);
    if (status != YOKE_OK)
        return status;
    status = scene_open(rt);
    if (status == YOKE_OK)
        status = spend(rt, YOKE_HOME_LATER, 2, NULL);
    if (status == YOKE_OK)
        status = count(rt);
    if (status == YOKE_OK)
        status = yoke_array_acquire(scene.ay, YOKE_READ);
    if (status == YOKE_OK)
        status = yoke_array_acquire(scene.ah, YOKE_READ);
    if (status == YOKE_OK)
        check(2, 1);
    scene_close(rt);
    return status;
}

static const char *const hosting[] = { "nc-ht:grains=500", "c-ht:grains=500,threshold=20",
                                       "c-ht:streams=2,grains=300,threshold=15" };
enum { HOSTING = sizeof hosting / sizeof *hosting };

/* The GPU dies at ever later moments. */
static void gpus_that_die(void **state)
{
    int p, after, made_good = 0;
    (void)state;
    for (p = 0; p < HOSTING; p++)
        for (after = 1; after < 50; after++) {
            char devices[128];
            yoke_status status;
            walked = hosting[p];
            snprintf(devices, sizeof devices,
                     "sim:cpu:cores=3,sim:gpu:fill=16,sim:gpu:fill=16:fail_after=%d", after);
            status = program(devices);
            if (status != YOKE_OK && status != YOKE_ELOST && status != YOKE_EDEVICE)
                fail_msg("%s: %s: %s", devices, yoke_status_text(status), yoke_error_text());
            made_good += status == YOKE_OK;
        }
    print_message("%d of %d deaths made good\n", made_good, 49 * HOSTING);
    assert_true(made_good > 49 * HOSTING / 3);
}

static void whatever_fails(void **state)
{
    static const char machine[] = "sim:cpu:cores=3,sim:gpu*2:fill=16";
    const unsigned allowed = 1u << YOKE_OK | 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE;
    int64_t went_well;
    int p;
    (void)state;
    yk_check_devices = 1;
    for (p = 0; p < HOSTING; p++) {
        walked = hosting[p];
        OK(program(machine));
        assert_true(walk_allocations(program, machine, allowed) > 50);
        assert_true(walk_calls(program, machine, YOKE_EDEVICE, &went_well) > 50);
        assert_true(walk_calls(program, machine, YOKE_ENOMEM, &went_well) > 50);
    }
}

/* --- and in real time --- */

static void beside_a_real_device(void **state)
{
    int p, j;
    (void)state;
    for (p = 0; p < HOSTING; p++) {
        yoke_config config = { .devices = "cpu:2,opencl:0:units=1",
                               .partitioner = hosting[p],
                               .threads = 3 };
        yoke_result *result;
        yoke_runtime *rt;
        int beside = 0;
        if (yoke_open(&config, &rt) == YOKE_ENODEV) {
            print_message("%s: %s\n", config.devices, yoke_error_text());
            skip();
        }
        OK(scene_open(rt));
        for (j = 0; j < JOBS; j++) {
            OK(spend(rt, YOKE_HOME_LATER, 300, &result));
            beside += decisions(result, 2, "core's part");
            yoke_result_close(result);
            OK(count(rt));
        }
        scene_close(rt);
        check(300 * JOBS, JOBS);
        print_message("%s: the thread that drives the GPU got %d chunks\n", hosting[p], beside);
        assert_true(p == 0 || beside > 0);
    }
}

static int nothing_left(void **state)
{
    (void)state;
    return yk_alloc_outstanding() == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(which_lanes_stand_for_threads, nothing_left),
        cmocka_unit_test_teardown(wrong_settings_are_told, nothing_left),
        cmocka_unit_test_teardown(who_works_meanwhile_gets_more_done, nothing_left),
        cmocka_unit_test_teardown(what_is_beside_a_chunk_that_is_lost_comes_back, nothing_left),
        cmocka_unit_test_teardown(gpus_that_die, nothing_left),
        cmocka_unit_test_teardown(whatever_fails, nothing_left),
        cmocka_unit_test_teardown(beside_a_real_device, nothing_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
