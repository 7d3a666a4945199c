/* test_cuda_exit.c - a program ends while threads of the default runtime are inside a driver: none
 * is any more when the driver's own exit handlers run.
 *
 * The driver stands still in a call until a while after main has begun to return.
 */
#include <pthread.h>
#include <yoke/yoke.h>

#include "job/builds.h"
#include "platform/clock.h"
#include "scenes.h"
#include "standin.h"

extern const yoke_kernel f_dot;

enum { ITEMS = 1000 };
enum { A_WHILE_NS = 300000000 };

static const char building[] = "cuModuleLoadData", loading[] = "cuInit";

/* Installed last, as by a driver that compiles for the first time: it runs before yoke's. */
static void driver_goes(void)
{
    const long calls = standin_calls();
    must(standin_held_calls() == 0);
    yk_clock_sleep_ns(A_WHILE_NS / 4); /* for those that come too late */
    must(standin_calls() == calls);
}

static void *let_go(void *call)
{
    yk_clock_sleep_ns(A_WHILE_NS);
    standin_hold(call, 0);
    return NULL;
}

static void let_go_after_main(const char *call)
{
    pthread_t thread;
    must(atexit(driver_goes) == 0);
    must(pthread_create(&thread, NULL, let_go, (void *)call) == 0);
    must(pthread_detach(thread) == 0);
}

static yoke_runtime *used; /* NULL: the default runtime */

/* The core does it all; the GPU has two kernels to build, for the job and for its sum. */
static void add_up(void)
{
    float x[ITEMS];
    double sum = 0;
    for (int i = 0; i < ITEMS; i++)
        x[i] = 1;
    must(yoke_for(used, &f_dot, ITEMS, x, x, yoke_whole(&sum, 1)) == YOKE_OK);
    must(sum == ITEMS);
}

static void add_up_until_held(void)
{
    do { /* a job may be over before the GPU's thread has heard of it */
        add_up();
        yk_clock_sleep_ns(100000);
    } while (standin_held_calls() == 0);
}

static void hold_a_build(void)
{
    must(setenv("YOKE_DEVICES", "cpu:1,cuda:0", 1) == 0);
    must(yoke_default() != NULL);
    standin_hold(building, 1);
    add_up_until_held();
}

/* --- scenes, each in a process of its own --- */

static void while_building(void)
{
    hold_a_build();
    let_go_after_main(building);
}

/* The program forgets to close its runtime. */
static void while_building_for_an_open_runtime(void)
{
    must(yoke_open(&(yoke_config){ .devices = "cpu:1,cuda:0" }, &used) == YOKE_OK);
    standin_hold(building, 1);
    add_up_until_held();
    let_go_after_main(building);
}

static void *open_default(void *unused)
{
    must(setenv("YOKE_DEVICES", "cpu:1,cuda:0", 1) == 0);
    must(yoke_default() != NULL);
    return unused;
}

static void opened_by_another_thread(void)
{
    pthread_t thread;
    must(pthread_create(&thread, NULL, open_default, NULL) == 0);
    must(pthread_join(thread, NULL) == 0);
    while_building();
}

static void while_loading(void)
{
    must(setenv("YOKE_LOAD", "open", 1) == 0);
    standin_hold(loading, 1);
    add_up_until_held();
    let_go_after_main(loading);
}

/* What is left of the time, once it is set, is exit's too. */
static void build_never_ends(void)
{
    hold_a_build();
    yk_builds_end(A_WHILE_NS);
    must(standin_held_calls() == 1);
    alarm(10);
}

static void child_while_building(void)
{
    int status;
    hold_a_build();
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        alarm(5);
        yk_builds_end(INT64_MAX / 2); /* of which there is none here */
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child && status == 0);
    standin_hold(building, 0);
}

static const struct scene scenes[] = {
    { "while_building", while_building },
    { "while_building_for_an_open_runtime", while_building_for_an_open_runtime },
    { "opened_by_another_thread", opened_by_another_thread },
    { "while_loading", while_loading },
    { "build_never_ends", build_never_ends },
    { "child_while_building", child_while_building },
    { NULL, NULL },
};

/* --- the tests --- */

static void builds_are_waited_for(void **state)
{
    (void)state;
    play("while_building", "");
}

static void also_for_open_runtimes(void **state)
{
    (void)state;
    play("while_building_for_an_open_runtime", "");
}

static void whoever_opened_it(void **state)
{
    (void)state;
    play("opened_by_another_thread", "");
}

static void loads_are_waited_for(void **state)
{
    (void)state;
    play("while_loading", "");
}

static void but_not_for_ever(void **state)
{
    (void)state;
    play("build_never_ends", "");
}

static void children_do_not_wait(void **state)
{
    (void)state;
    play("child_while_building", "");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_are_waited_for), cmocka_unit_test(also_for_open_runtimes),
        cmocka_unit_test(whoever_opened_it),     cmocka_unit_test(loads_are_waited_for),
        cmocka_unit_test(but_not_for_ever),      cmocka_unit_test(children_do_not_wait),
    };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    if (argc == 3)
        return play_here(scenes, argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
