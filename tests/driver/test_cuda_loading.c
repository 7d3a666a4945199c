/* test_cuda_loading.c - what a program does while GPU drivers are still being loaded: results name
 * their devices, and runtimes close and open, without waiting for that.
 *
 * The driver stands still in a call of the loading thread as long as the test says. What waited for
 * it would wait for ever: the alarm ends the test.
 */
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "job_kernels.h"
#include "ok.h"
#include "platform/clock.h"
#include "runtime/loader.h"
#include "scenes.h"
#include "standin.h"
#include "under_sanitizer.h"

enum { ITEMS = 1000 };

static void let_go(void)
{
    standin_hold("cuInit", 0);
    standin_hold("cuCtxCreate", 0);
}

static const char *held_call;

static yoke_runtime *open_while_held(void)
{
    yoke_runtime *runtime;
    standin_hold(held_call, 1);
    must(yoke_open(NULL, &runtime) == YOKE_OK);
    while (standin_held_calls() == 0)
        yk_clock_sleep_ns(100000);
    return runtime;
}

static void run_a_job(yoke_runtime *runtime)
{
    float x[ITEMS], y[ITEMS];
    yoke_result *result;
    yoke_array *arrays[2];
    yoke_device device;
    const float a = 2;
    for (int i = 0; i < ITEMS; i++)
        x[i] = y[i] = (float)i;
    must(yoke_array_wrap(runtime, x, ITEMS, sizeof *x, &arrays[0]) == YOKE_OK);
    must(yoke_array_wrap(runtime, y, ITEMS, sizeof *y, &arrays[1]) == YOKE_OK);
    yoke_job job = { .kernel = &k_saxpy,
                     .range = { 0, ITEMS },
                     .args = { yoke_value(a), yoke_in(arrays[0]), yoke_inout(arrays[1]) } };
    must(yoke_run(runtime, &job, &result) == YOKE_OK);
    must(yoke_device_get(runtime, result->devices[0].device, &device) == YOKE_OK);
    must(strcmp(device.backend, "cpu") == 0);
    yoke_result_close(result);
    must(yoke_array_close(arrays[0]) == YOKE_OK && yoke_array_close(arrays[1]) == YOKE_OK);
    for (int i = 0; i < ITEMS; i++)
        must(y[i] == 3 * (float)i);
}

static void name_a_device(void)
{
    yoke_runtime *runtime = open_while_held();
    run_a_job(runtime);
    let_go();
    must(yoke_device_count(runtime) == 3);
    must(yoke_close(runtime) == YOKE_OK);
}

static void close_at_once(void)
{
    yoke_runtime *runtime = open_while_held();
    must(yoke_close(runtime) == YOKE_OK);
    must(yk_loaders_left() == 1);
    let_go();
}

/* And a device that was half open is closed again by the thread that opened it. */
static void close_and_wait(void)
{
    close_at_once();
    while (yk_loaders_left())
        yk_clock_sleep_ns(100000);
    must(standin_outstanding() == 0);
}

static void open_again(void)
{
    yoke_runtime *first = open_while_held(), *second, *third;
    must(yoke_close(first) == YOKE_OK);
    for (int times = 0; times < 50; times++) { /* no thread for each of them */
        must(yoke_open(NULL, &second) == YOKE_OK);
        must(yk_loaders_left() == 0);
        must(yoke_close(second) == YOKE_OK);
        must(yk_loaders_left() == 1);
    }
    must(yoke_open(NULL, &second) == YOKE_OK);
    must(yoke_open(NULL, &third) == YOKE_OK);
    run_a_job(second);
    let_go();
    must(yoke_device_count(second) == 3 && yoke_device_count(third) == 3);
    must(yoke_close(third) == YOKE_OK && yoke_close(second) == YOKE_OK);
    must(yk_loaders_left() == 0 && standin_outstanding() == 0);
}

static void default_runtime(void)
{
    float x[ITEMS] = { 0 }, y[ITEMS] = { 0 };
    standin_hold(held_call, 1);
    must(yoke_for(NULL, &k_saxpy, ITEMS, 2.0f, x, y) == YOKE_OK);
    while (standin_held_calls() == 0)
        yk_clock_sleep_ns(100000);
    let_go(); /* exit ends what is begun, whenever that is */
}

static void fork_in_between(void)
{
    int status;
    yoke_runtime *runtime = open_while_held(), *own;
    must(yoke_close(runtime) == YOKE_OK);
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        alarm(60);
        must(yk_loaders_left() == 0); /* there is no such thread */
        if (CHILDREN_MAY_START_THREADS) {
            must(yoke_open(NULL, &own) == YOKE_OK);
            must(yoke_device_count(own) == 1 && yoke_close(own) == YOKE_OK);
        }
        execl("/bin/true", "true", (char *)NULL); /* leak checkers would count the parent's */
        _exit(127);
    }
    must(waitpid(child, &status, 0) == child && status == 0);
    let_go();
}

static void open_without(void)
{
    for (int nth = 1;; nth++) {
        yoke_runtime *runtime = NULL;
        yk_alloc_fail_at(nth);
        yoke_status status = yoke_open(NULL, &runtime);
        yk_alloc_fail_at(0);
        must(status == YOKE_OK || status == YOKE_ENOMEM);
        if (status == YOKE_OK) {
            must(yoke_close(runtime) == YOKE_OK);
            if (nth > 200)
                break;
        }
    }
    while (yk_loaders_left())
        yk_clock_sleep_ns(100000);
    must(standin_outstanding() == 0);
}

/* --- the tests --- */

static const struct scene scenes[] = {
    { "name_a_device", name_a_device },     { "close_at_once", close_at_once },
    { "close_and_wait", close_and_wait },   { "open_again", open_again },
    { "default_runtime", default_runtime }, { "fork_in_between", fork_in_between },
    { "open_without", open_without },       { NULL, NULL },
};

static void results_name_their_devices(void **state)
{
    (void)state;
    play("name_a_device", "cuInit");
}

static void closing_leaves_the_load_behind(void **state)
{
    (void)state;
    play("close_at_once", "cuInit");
    play("close_at_once", "cuCtxCreate");
    play("close_and_wait", "cuInit");
    play("close_and_wait", "cuCtxCreate");
}

static void the_next_runtime_takes_it_over(void **state)
{
    (void)state;
    play("open_again", "cuInit");
    play("open_again", "cuCtxCreate");
}

static void exit_ends_the_default_runtimes_load(void **state)
{
    (void)state;
    play("default_runtime", "cuInit");
    play("default_runtime", "cuCtxCreate");
}

static void children_know_nothing_of_it(void **state)
{
    (void)state;
    play("fork_in_between", "cuInit");
}

static void without_memory(void **state)
{
    (void)state;
    play("open_without", "");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_name_their_devices),
        cmocka_unit_test(closing_leaves_the_load_behind),
        cmocka_unit_test(the_next_runtime_takes_it_over),
        cmocka_unit_test(exit_ends_the_default_runtimes_load),
        cmocka_unit_test(children_know_nothing_of_it),
        cmocka_unit_test(without_memory),
    };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    must(setenv("YOKE_LOAD", "open", 1) == 0);
    if (argc == 3) {
        held_call = argv[2];
        return play_here(scenes, argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
