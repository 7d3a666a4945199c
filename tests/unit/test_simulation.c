/* test_simulation.c - the simulator's public interface: runs that learn, single devices, timelines,
 * misuse, and no memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <yoke/simulate.h>

#include <cmocka.h>

#include "base/alloc.h"

static yoke_simulated *simulate(const yoke_simulation *simulation)
{
    yoke_simulated *out = NULL;
    if (yoke_simulate(simulation, &out) != YOKE_OK)
        fail_msg("%s", yoke_error_text());
    return out;
}

static void several_runs(void **state)
{
    yoke_simulation asked = { .machine = "cores=4:noise=0.05,gpu*2:f=6:fixed=20us",
                              .profile = "linear-down:spread=0.8",
                              .items = 200000,
                              .bytes_in = 8,
                              .bytes_out = 4,
                              .runs = 3 };
    yoke_simulated *one = simulate(&asked), *same = simulate(&asked);
    int64_t items = 0, on_gpus = 0;
    int d;
    (void)state;
    assert_int_equal(one->run_count, 3);
    assert_memory_equal(one->runs, same->runs, 3 * sizeof *one->runs);
    assert_true(one->runs[0] != one->runs[1]); /* noise of its own */
    assert_true(one->runs[2] > 0.94 * one->ideal_seconds);
    assert_string_equal(one->partitioner, "auto");
    assert_true(one->cores == 4 && one->threads == 4 && one->seed == 1);
    assert_int_equal(one->device_count, 3);
    assert_string_equal(one->devices[0].name, "cpu");
    assert_string_equal(one->devices[2].name, "gpu1");
    for (d = 0; d < 3; d++) {
        items += one->devices[d].items;
        on_gpus += d > 0 ? one->devices[d].items : 0;
        assert_true(isnan(one->devices[d].alone_seconds));
        assert_true(one->devices[d].reason[0] != 0);
    }
    assert_int_equal(items, 200000);
    assert_int_equal(one->to_devices, 8 * on_gpus);
    assert_int_equal(one->from_devices, 4 * on_gpus);
    assert_true(fabs(one->core_seconds + one->lost_seconds - 4 * one->runs[2]) < 1e-9);
    yoke_simulated_close(one);
    asked.seed = 5;
    one = simulate(&asked);
    assert_true(one->runs[0] != same->runs[0] && one->seed == 5);
    yoke_simulated_close(one);
    yoke_simulated_close(same);
    yoke_simulated_close(NULL);
}

static void each_alone(void **state)
{
    yoke_simulation asked = { .machine = "cores=4,gpu:f=6:fixed=0,gpu:f=1:fail=1us",
                              .items = 100000,
                              .partitioner = "guided",
                              .alone = 1 };
    yoke_simulated *out = simulate(&asked);
    (void)state;
    assert_true(fabs(out->devices[0].alone_seconds - 0.025) < 1e-4);
    assert_true(fabs(out->devices[1].alone_seconds - 1.0 / 60) < 1e-3);
    assert_true(isnan(out->devices[2].alone_seconds)); /* it fails before */
    yoke_simulated_close(out);
}

static void recorded_costs(void **state)
{
    const double costs[] = { 1, 3 };
    yoke_simulation asked = { .machine = "cores=1",
                              .profile = "recorded",
                              .items = 1000,
                              .costs = costs,
                              .cost_count = 2,
                              .core_seconds = 1e-3 };
    yoke_simulated *out = simulate(&asked);
    (void)state;
    assert_true(fabs(out->runs[0] - 1) < 1e-9);
    yoke_simulated_close(out);
}

static char *read_file(const char *path, char *text, size_t size)
{
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    text[fread(text, 1, size - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

static void a_timeline(void **state)
{
    static char text[1 << 20];
    char path[64];
    yoke_simulation asked = { .machine = "cores=2,gpu:f=6",
                              .items = 20000,
                              .bytes_in = 8,
                              .bytes_out = 4,
                              .runs = 2,
                              .trace = path };
    yoke_simulated *with, *without;
    (void)state;
    snprintf(path, sizeof path, "/tmp/yoke-simulation-%d.json", (int)getpid());
    with = simulate(&asked);
    read_file(path, text, sizeof text);
    assert_non_null(strstr(text, "\"name\":\"core 1\""));
    assert_non_null(strstr(text, "\"name\":\"queue 1\""));
    assert_non_null(strstr(text, "\"cat\":\"copy in\""));
    assert_non_null(strstr(text, "\"cat\":\"copy out\""));
    assert_non_null(strstr(text, "\"name\":\"regular\",\"cat\":\"chunk\""));
    assert_non_null(strstr(text, "\"overwritten\":0"));
    remove(path);
    asked.trace = NULL;
    without = simulate(&asked);
    assert_memory_equal(with->runs, without->runs, 2 * sizeof *with->runs);
    yoke_simulated_close(with);
    yoke_simulated_close(without);
    asked.trace = "/nonexistent/t.json";
    assert_int_equal(yoke_simulate(&asked, &with), YOKE_EIO);
    asked.trace = "t.txt";
    assert_int_equal(yoke_simulate(&asked, &with), YOKE_EINVAL);
}

static void mistakes(void **state)
{
    const yoke_simulation usual = { .machine = "cores=2,gpu", .items = 1000 };
    yoke_simulation asked;
    yoke_simulated *out = NULL;
    int64_t before = yk_alloc_outstanding();
    (void)state;
#define assert_refused(field, value, text)                                                         \
    do {                                                                                           \
        asked = usual;                                                                             \
        asked.field = (value);                                                                     \
        assert_int_equal(yoke_simulate(&asked, &out), YOKE_EINVAL);                                \
        if (!strstr(yoke_error_text(), text))                                                      \
            fail_msg("%s", yoke_error_text());                                                     \
    } while (0)
    assert_refused(machine, NULL, "machine");
    assert_refused(machine, "cores=x", "character 1");
    assert_refused(profile, "exponential", "there is no cost profile");
    assert_refused(profile, "recorded", "costs");
    assert_refused(items, 0, "0 items");
    assert_refused(unit, -1, "unit");
    assert_refused(runs, -1, "runs");
    assert_refused(threads, -1, "threads");
    assert_refused(waiting, (yoke_waiting)7, "waiting");
    assert_refused(partitioner, "fair", "there is no partitioner");
    assert_int_equal(yoke_simulate(NULL, &out), YOKE_EINVAL);
    assert_int_equal(yoke_simulate(&usual, NULL), YOKE_EINVAL);
    assert_null(out);
    assert_int_equal(yk_alloc_outstanding(), before);
}

static void no_memory(void **state)
{
    char path[64];
    yoke_simulation asked = { .machine = "cores=2,gpu*2:f=6:lanes=1",
                              .profile = "clustered",
                              .items = 5000,
                              .partitioner = "guided",
                              .runs = 2,
                              .alone = 1,
                              .trace = path };
    int64_t before = yk_alloc_outstanding(), nth;
    (void)state;
    snprintf(path, sizeof path, "/tmp/yoke-simulation-%d.html", (int)getpid());
    for (nth = 1;; nth++) {
        yoke_simulated *out = NULL;
        yk_alloc_fail_at(nth);
        yoke_status status = yoke_simulate(&asked, &out);
        assert_true(status == YOKE_OK || (status == YOKE_ENOMEM && !out));
        yoke_simulated_close(out);
        assert_int_equal(yk_alloc_outstanding(), before);
        if (!yk_alloc_failed())
            break;
    }
    yk_alloc_fail_at(0);
    print_message("%d allocations failed in turn\n", (int)nth - 1);
    remove(path);
}

static void profiles_have_names(void **state)
{
    int i = 0;
    (void)state;
    while (yoke_profile_name(i))
        i++;
    assert_int_equal(i, 6);
    assert_string_equal(yoke_profile_name(0), "regular");
    assert_null(yoke_profile_name(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_runs),
        cmocka_unit_test(each_alone),
        cmocka_unit_test(recorded_costs),
        cmocka_unit_test(a_timeline),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(profiles_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
