/* test_apps.c - every application of the list, small, from open to close: on each kind of machine,
 * twice on the same data, with results that its own check accepts; and the check refuses results
 * that were not computed. Wrong options and lack of memory end in a message, not in a crash or a
 * leak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocations.h"
#include "app_machine.h"
#include "driver.h"
#include "under_sanitizer.h"

static const char *const machines[] = {
    "cpu", "cpu:1", "sim:cpu:cores=2,sim:gpu", "cpu:1,opencl:0:units=1", "opencl:0",
};
enum { MACHINES = sizeof machines / sizeof *machines };

/* Option values to test besides the defaults, and a size that is no multiple of any unit. */
struct variant {
    const char *app;
    int64_t size[3];
    const char *values[APP_OPTIONS_MAX]; /* NULL: the default */
    enum app_kernel kernel;
};
static const struct variant variants[] = {
    { "saxpy", { 1 }, { 0 } },
    { "saxpy", { 100003 }, { 0 } },
    { "mxv", { 1 }, { 0 } },
    { "mxv", { 2003 }, { "0" } },
    { "mxv", { 2003 }, { "8" } },
    { "mxv", { 2003 }, { "22" } },
    { "nbody", { 1 }, { 0 } },
    { "nbody", { 1601 }, { 0 } },
    { "nbody", { 777 }, { "4" } },
    { "denoise", { 33, 29, 17 }, { "5" } },
    { "barnes-hut", { 1 }, { 0 } },
    { "barnes-hut", { 2503 }, { 0 } },
    { "barnes-hut", { 777 }, { "4", "0.02", "0", "0.1", "0", "32", "alone" } },
    { "barnes-hut", { 1002 }, { "3", "0.01", "0.9", "0.05", "0", "32", "together" } },
    { "barnes-hut", { 1 }, { "1", "0.01", "0.5", "0.05", "1" } },
    { "barnes-hut", { 777 }, { "2", "0.01", "0.3", "0.05", "20", "32", "alone" } },
    { "barnes-hut", { 1002 }, { "2", "0.01", "0.9", "0.05", "41", "32", "together" } },
    { "barnes-hut", { 1 }, { 0 }, APP_KERNEL_STEP },
    { "barnes-hut", { 2503 }, { 0 }, APP_KERNEL_STEP },
    { "barnes-hut", { 777 }, { "2", "0.01", "0", "0.1", "40", "1" }, APP_KERNEL_STEP },
    { "barnes-hut", { 1 }, { "1", "0.01", "0.5", "0.05", "0", "32", "apart" }, APP_KERNEL_STEP },
    { "barnes-hut", { 2503 }, { "1", "0.01", "0.5", "0.05", "0", "32", "apart" }, APP_KERNEL_STEP },
    { "barnes-hut", { 777 }, { "3", "0.01", "0.9", "1e-6", "80", "32", "apart" }, APP_KERNEL_STEP },
    { "mm", { 1, 1, 1 }, { 0 } },
    { "mm", { 203, 97, 150 }, { 0 } },
    { "mm", { 203, 97, 150 }, { "single" } },
    { "mm", { 203, 97, 150 }, { "double", "none" } },
    { "mm", { 35, 66, 301 }, { "single", "none" } },
    { "mm", { 50, 33, 20 }, { "single", "none" } },
    { "mm", { 203, 97, 150 }, { "double", "auto", "4" } },
    { "mm", { 35, 66, 301 }, { "single", "none", "2" } },
    { "mm", { 35, 66, 301 }, { "double", "none", "16", "3" } },
    { "mm", { 35, 66, 3 }, { "double", "none", "2", "4" } },
    { "photons", { 1 }, { 0 } },
    { "photons", { 3001 }, { "1", "50000" } },
    { "path", { 3 }, { "1", "32", "3", "1", "1", "auto", "37", "31x17", "blocks" } },
    { "path", { 5 }, { "2", "9", "1", "3", "1", "0.3", "60", "9x23", "blocks" }, APP_KERNEL_STEP },
    { "path", { 4 }, { "0", "4", "4", "2", "1", "1", "37", "16x16", "blocks" } },
    { "spmv", { 1 }, { 0 } },
    { "spmv", { 7001 }, { "single" } },
    { "spmv", { 5003 }, { "double", "skewed", "product", "1", "ramp" } },
    { "spmv", { 5003 }, { "single", "skewed", "product", "1", "ones", "rows" } },
    { "spmv", { 6001 }, { "double", "skewed", "power", "5" } },
    { "spmv", { 5001 }, { "double", "stencil", "cg", "7" } },
    { "spmv", { 1 }, { "single", "stencil", "cg", "3" } },
    { "spmv",
      { 5003 },
      { "double", "skewed", "product", "3", "random", "work", "laplacian", "90", "0", "1" } },
};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* --- one application on one machine --- */

static struct app_spec spec_of(const struct variant *variant, const struct app *app)
{
    struct app_spec spec = { .seed = 42, .kernel = variant->kernel };
    int k;
    memcpy(spec.size, variant->size, sizeof spec.size);
    for (k = 0; app->options && app->options[k].name; k++)
        spec.values[k] = variant->values[k] ? variant->values[k] : app->options[k].initial;
    return spec;
}

/* Where memory comes from, and which allocation fails, does not depend on how much is computed. */
static struct app_spec small_spec_of(const struct variant *variant, const struct app *app)
{
    enum { ITEMS_MOST = 401 };
    struct app_spec spec = spec_of(variant, app);
    if (app->size_count == 3)
        memcpy(spec.size, (int64_t[]){ 9, 8, 7 }, sizeof spec.size);
    else if (spec.size[0] > ITEMS_MOST)
        spec.size[0] = ITEMS_MOST;
    return spec;
}

#define OK(call, where)                                                                            \
    do {                                                                                           \
        if ((call) != YOKE_OK)                                                                     \
            fail_msg("%s: %s: %s", where, #call, app_error_text());                                \
    } while (0)

/* Twice on the same data, the second time split evenly so that each device has a part. */
static void run_on(const struct app *app, void *state, yoke_runtime *rt)
{
    static const char *const partitioners[] = { NULL, "even" };
    const struct measure_watch watch = { 0 };
    yoke_device device;
    char where[128];
    int p;
    OK(yoke_device_get(rt, 0, &device), app->name);
    snprintf(where, sizeof where, "%s of %lld on %s", app->name, (long long)app->items(state),
             device.name);
    OK(app->attach(state, rt), where);
    for (p = 0; p < 2; p++) {
        struct app_run run = {
            .runtime = rt, .partitioner = partitioners[p], .watch = &watch, .what = "test"
        };
        char note[APP_NOTE_MAX] = "";
        OK(app->reset(state), where);
        if (app->verify(state, note) != YOKE_EINVAL)
            fail_msg("%s: what was not computed is right: %s", where, note);
        OK(app->run(state, &run), where);
        OK(app->verify(state, note), where);
        assert_true(strlen(note) > 0);
        assert_true(run.tally.device_count > 0);
        app_tally_clear(&run.tally);
    }
    OK(app->detach(state), where);
}

static void right_everywhere(void **unused)
{
    int v, m;
    (void)unused;
    for (v = 0; v < VARIANTS; v++) {
        const struct app *app = app_find(variants[v].app);
        struct app_spec spec;
        void *state;
        if (!app)
            continue;
        spec = spec_of(&variants[v], app);
        OK(app->open(&spec, &state), app->name);
        assert_memory_equal(spec.size, variants[v].size, sizeof spec.size);
        assert_true(app->items(state) > 0);
        /* Every second machine under the address sanitizer, other ones for the next variant. */
        for (m = RUNNING_UNDER_ASAN ? v % 2 : 0; m < MACHINES; m += 1 + RUNNING_UNDER_ASAN) {
            yoke_runtime *rt = app_machine_open(machines[m]);
            if (!rt)
                continue;
            run_on(app, state, rt);
            OK(yoke_close(rt), machines[m]);
        }
        app->close(state);
    }
    assert_int_equal(allocations_live, 0);
}

/* Data in memory of one runtime, on which two runtimes work in turn, as baselines and sweeps do. */
static void right_in_memory_of_a_runtime(void **unused)
{
    int64_t live_in[2];
    int v, kind;
    (void)unused;
    for (v = 0; v < VARIANTS; v++) {
        for (kind = APP_MEMORY_PINNED; kind <= APP_MEMORY_PAGEABLE; kind++) {
            const struct app *app = app_find(variants[v].app);
            yoke_runtime *owner = app_machine_open("sim:cpu,sim:gpu"),
                         *guest = app_machine_open("cpu");
            struct app_spec spec = small_spec_of(&variants[v], app);
            void *state;
            spec.memory = (struct app_memory){ (enum app_memory_kind)kind, owner };
            OK(app->open(&spec, &state), app->name);
            live_in[kind] = allocations_live;
            run_on(app, state, owner);
            run_on(app, state, guest);
            run_on(app, state, owner);
            OK(yoke_close(guest), app->name);
            app->close(state);
            OK(yoke_close(owner), app->name);
            assert_int_equal(allocations_live, 0);
        }
        /* Pageable memory is the C library's. */
        assert_true(live_in[APP_MEMORY_PINNED] < live_in[APP_MEMORY_PAGEABLE]);
    }
}

static void the_list_is_whole(void **unused)
{
    int a, v;
    (void)unused;
    for (a = 0; apps[a]; a++) {
        const struct app *app = apps[a];
        int tried = 0;
        for (v = 0; v < VARIANTS; v++)
            tried += strcmp(variants[v].app, app->name) == 0;
        assert_true(tried > 0);
        assert_ptr_equal(app_find(app->name), app);
        assert_true(app->size_count == 1 || app->size_count == 3);
        assert_true(app->summary && app->size_words && app->open && app->close && app->attach &&
                    app->detach && app->reset && app->run && app->verify && app->items);
        app->close(NULL);
    }
    assert_null(app_find("saxp"));
    assert_null(app_find(""));
}

/* y = a x + y again on its own result: wrong in every element, and the message says which. */
static void a_wrong_result_is_named(void **unused)
{
    const struct app *app = app_find("saxpy");
    const struct measure_watch watch = { 0 };
    yoke_runtime *rt = app_machine_open("cpu:1");
    struct app_run run = { .runtime = rt, .watch = &watch, .what = "test" };
    struct app_spec spec = { .size = { 1000 }, .seed = 2 };
    char note[APP_NOTE_MAX];
    void *state;
    (void)unused;
    OK(app->open(&spec, &state), "saxpy");
    OK(app->attach(state, rt), "saxpy");
    OK(app->reset(state), "saxpy");
    OK(app->run(state, &run), "saxpy");
    OK(app->verify(state, note), "saxpy");
    OK(app->run(state, &run), "saxpy");
    assert_int_equal(app->verify(state, note), YOKE_EINVAL);
    assert_non_null(strstr(app_error_text(), "y[0] is "));
    OK(app->detach(state), "saxpy");
    app_tally_clear(&run.tally);
    app->close(state);
    OK(yoke_close(rt), "cpu:1");
}

static void refused(const char *name, int64_t size, const char *value, const char *words)
{
    const struct app *app = app_find(name);
    struct variant variant = { name, { size }, { value } };
    struct app_spec spec = spec_of(&variant, app);
    void *state = &spec;
    yoke_status status = app->open(&spec, &state);
    if (status == YOKE_OK)
        fail_msg("%s %lld %s was taken", name, (long long)size, value ? value : "");
    assert_ptr_equal(state, &spec); /* outputs only on success */
    if (!strstr(app_error_text(), words))
        fail_msg("%s %lld %s: %s", name, (long long)size, value ? value : "", app_error_text());
}

static void wrong_words_are_refused(void **unused)
{
    (void)unused;
    refused("saxpy", -1, NULL, "--size");
    refused("mxv", -7, NULL, "--size");
    refused("nbody", INT64_MIN, NULL, "--size");
    refused("saxpy", INT64_MAX, NULL, "--size");
    refused("saxpy", INT64_MAX / 8, NULL, "--size");
    refused("mxv", INT64_MAX, NULL, "--size");
    refused("mxv", INT64_MAX / 8000, NULL, "--size");
    refused("nbody", INT64_MAX / 16, NULL, "--size");
    refused("mxv", 10, "7", "--flops 7");
    refused("mxv", 10, "-2", "--flops -2");
    refused("mxv", 10, "8x", "--flops 8x");
    refused("mxv", 10, "", "--flops");
    refused("mxv", 10, "100000000000000000000", "--flops");
    refused("nbody", 10, "0", "--steps 0");
    refused("nbody", 10, "many", "--steps many");
    refused("nbody", 10, "2.5", "--steps 2.5");
    refused("barnes-hut", 10, "0", "--steps 0");
    refused("barnes-hut", -1, NULL, "--size");
    refused("barnes-hut", INT64_MAX, NULL, "--size");
    refused("barnes-hut", (1 << 29) + 1, NULL, "--size");
    refused("photons", -1, NULL, "--size");
    refused("photons", ((int64_t)1 << 32) + 1, NULL, "--size");
    refused("photons", 10, "0", "--run 0");
    refused("photons", 10, "2", "--run 2 chooses a run of a file");
    refused("mm", -1, NULL, "--size");
    refused("mm", INT64_MAX, NULL, "--size");
    refused("mm", 1LL << 31, NULL, "--size");
    refused("mm", (1LL << 31) - 1, NULL, "--size");
    refused("mm", 10, "half", "--type half");
    refused("mm", 10, "", "--type");
    refused("spmv", -1, NULL, "--size");
    refused("spmv", INT64_MAX, NULL, "--size");
    refused("spmv", 10, "half", "--type half");
    assert_int_equal(allocations_live, 0);
}

/* Each allocation fails in turn, from open to verify. */
static void memory_runs_out(void **unused)
{
    int v;
    (void)unused;
    for (v = 0; v < VARIANTS; v++) {
        const struct app *app = app_find(variants[v].app);
        int64_t nth;
        int failed = 1;
        for (nth = 1; app && failed; nth++) {
            const struct measure_watch watch = { 0 };
            yoke_runtime *rt = app_machine_open("sim:cpu:cores=2");
            struct app_run run = { .runtime = rt, .watch = &watch, .what = "test" };
            struct app_spec spec = small_spec_of(&variants[v], app);
            char note[APP_NOTE_MAX];
            void *state = NULL;
            yoke_status status;
            allocations_fail_in = nth;
            status = app->open(&spec, &state);
            if (status == YOKE_OK && (status = app->attach(state, rt)) == YOKE_OK) {
                status = app->reset(state);
                if (status == YOKE_OK)
                    status = app->run(state, &run);
                if (status == YOKE_OK)
                    status = app->verify(state, note);
                OK(app->detach(state), app->name);
            }
            failed = allocations_fail_in == 0;
            allocations_fail_in = 0;
            assert_int_equal(status, failed ? YOKE_ENOMEM : YOKE_OK);
            if (failed)
                assert_non_null(strstr(app_error_text(), "memory"));
            app->close(state);
            app_tally_clear(&run.tally);
            OK(yoke_close(rt), app->name);
            assert_int_equal(allocations_live, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_whole),
        cmocka_unit_test(right_everywhere),
        cmocka_unit_test(right_in_memory_of_a_runtime),
        cmocka_unit_test(a_wrong_result_is_named),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
