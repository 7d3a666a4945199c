/* test_cuda_hangs.c - a driver call never returns: another thread notices, the device is taken out,
 * its rows are done elsewhere, and the calling thread continues. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "at_once.h"
#include "job_kernels.h"
#include "standin.h"

#define OK(call) assert_int_equal(call, YOKE_OK)
enum { N = 6000 };

extern const yoke_kernel k_gated;

/* Objects of such a device are leaked on purpose. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

struct scene {
    yoke_runtime *runtime;
    yoke_array *array;
    int32_t values[N];
    int32_t adds; /* number of times that the index was added to each element */
    int queues;   /* 1: another job is submitted before each job that is run */
};

static yoke_status run(struct scene *scene)
{
    const int64_t none = 0;
    yoke_job job = { .kernel = &k_gated,
                     .range = { 0, N },
                     .args = { yoke_value(none), yoke_inout(scene->array) } };
    yoke_status submitted, status;
    yoke_ticket *ticket = NULL;
    if (scene->queues && yoke_submit(scene->runtime, &job, &ticket) != YOKE_OK)
        fail_msg("%s", yoke_error_text());
    status = yoke_run(scene->runtime, &job, NULL);
    scene->adds += status == YOKE_OK;
    if (!ticket)
        return status;
    submitted = yoke_wait(ticket, NULL);
    scene->adds += submitted == YOKE_OK;
    return submitted == YOKE_OK ? status : submitted; /* the second was canceled with the first */
}

static void check(struct scene *scene)
{
    OK(yoke_array_acquire(scene->array, YOKE_READ));
    for (int i = 0; i < N; i++)
        if (scene->values[i] != scene->adds * i)
            fail_msg("element %d is %d and should be %d", i, scene->values[i], scene->adds * i);
    OK(yoke_array_release(scene->array));
}

static int is_lost(const struct scene *scene, const char *name)
{
    yoke_device device;
    for (int d = 0; d < yoke_device_count(scene->runtime); d++)
        if (yoke_device_get(scene->runtime, d, &device) == YOKE_OK &&
            strcmp(device.name, name) == 0)
            return device.lost;
    fail_msg("there is no %s", name);
    return 0;
}

static void say(void *context, yoke_log_level level, const char *line)
{
    char *text = context;
    (void)level;
    if (strstr(line, "did not return"))
        snprintf(text, 512, "%s", line);
}

static void hangs(const char *devices, const char *function, yoke_waiting waiting, int queues)
{
    const yoke_config config = { .devices = devices,
                                 .partitioner = "dynamic:chunk=100",
                                 .waiting = waiting };
    const struct standin_failure failure = { 3, 999, STANDIN_HANGS, function };
    const long before = standin_calls_of("cuLaunchKernel");
    const int alone = !strchr(devices, ',');
    struct scene scene = { .queues = queues };
    char line[512] = "";
    yoke_status status;
    OK(yoke_open(&config, &scene.runtime));
    OK(yoke_array_wrap(scene.runtime, scene.values, N, sizeof *scene.values, &scene.array));
    alarm(250);
    while (standin_calls_of("cuLaunchKernel") < before + 8) /* three have to be measured */
        OK(run(&scene));
    check(&scene); /* brings the rows home: rows that only the device has would be lost with it */
    yoke_set_log(say, line, YOKE_LOG_WARN);
    standin_fail(&failure);
    do { /* repeats until the device makes the call */
        status = run(&scene);
        if (!standin_failed())
            check(&scene);
    } while (!standin_failed());
    alarm(0);
    yoke_set_log(NULL, NULL, YOKE_LOG_WARN);
    assert_true(is_lost(&scene, "cuda:0"));
    assert_non_null(strstr(line, "cuda:0: a call of its driver did not return for "));
    assert_non_null(strstr(line, "YOKE_WATCHDOG"));
    if (alone) {
        assert_int_equal(status, YOKE_EDEVICE);
        assert_int_equal(run(&scene), YOKE_EDEVICE);
    } else if (status != YOKE_ELOST) { /* rows that only the device had */
        OK(status);
    }
    yoke_array_close(scene.array);
    OK(yoke_close(scene.runtime));
}

static void in_a_launch(void **state)
{
    (void)state;
    hangs("cpu:1,cuda:0:lanes=1", "cuLaunchKernel", YOKE_WAIT_AUTO, 0);
}

static void in_a_copy(void **state)
{
    (void)state;
    hangs("cpu:1,cuda:0:lanes=1", "cuMemcpyHtoDAsync", YOKE_WAIT_AUTO, 0);
}

static void in_a_look(void **state)
{
    (void)state;
    hangs("cpu:1,cuda:0:lanes=1", "cuEventQuery", YOKE_WAIT_YIELD, 0);
}

/* The program's thread is in the call; a host thread watches over it. */
static void in_the_callers_launch(void **state)
{
    (void)state;
    hangs("cuda:0:lanes=1", "cuLaunchKernel", YOKE_WAIT_AUTO, 0);
}

/* The program's thread steps the device of jobs that it has submitted (work/takeover.c). */
static void in_the_waiters_launch(void **state)
{
    (void)state;
    hangs("cuda:0:lanes=1", "cuLaunchKernel", YOKE_WAIT_AUTO, 1);
}

/* All at once, because each waits ten seconds for a call that does not return. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_launch),
        cmocka_unit_test(in_a_copy),
        cmocka_unit_test(in_a_look),
        cmocka_unit_test(in_the_callers_launch),
        cmocka_unit_test(in_the_waiters_launch),
    };
    enum { TESTS = sizeof tests / sizeof *tests };
    pid_t children[TESTS];
    at_once_begin(tests, TESTS, _exit, children);
    return at_once_failed(children, TESTS);
}
