/* test_watchdog.c - devices that never end a kernel: simulated ones, and PoCL with a kernel that
 * waits for the program. The job and the runtime end normally without them. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "at_once.h"
#include "base/alloc.h"
#include "job_kernels.h"
#include "runtime/device.h"

#define OK(call) assert_int_equal(call, YOKE_OK)
enum { N = 6000, JOBS_MOST = 20000 };

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
};

static void scene_open(struct scene *scene, const char *devices, double watchdog)
{
    const yoke_config config = { .devices = devices,
                                 .partitioner = "dynamic:chunk=100",
                                 .watchdog = watchdog };
    memset(scene, 0, sizeof *scene);
    OK(yoke_open(&config, &scene->runtime));
    OK(yoke_array_wrap(scene->runtime, scene->values, N, sizeof *scene->values, &scene->array));
}

static yoke_status run_for(struct scene *scene, const int *gate, yoke_result **result)
{
    const int64_t address = (int64_t)(intptr_t)gate;
    yoke_job job = { .kernel = &k_gated,
                     .range = { 0, N },
                     .args = { yoke_value(address), yoke_inout_home(scene->array) } };
    yoke_status status;
    if (gate) /* the kernel does end at last, and its results must not come home then */
        job.args[1].home = YOKE_HOME_LATER;
    status = yoke_run(scene->runtime, &job, result);
    scene->adds += status == YOKE_OK;
    return status;
}

static yoke_status run(struct scene *scene, const int *gate)
{
    return run_for(scene, gate, NULL);
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

static void scene_close(struct scene *scene)
{
    yoke_array_close(scene->array);
    OK(yoke_close(scene->runtime));
}

/* Slow enough that both devices work longer than the time after which the GPU counts as stalled. */
#define CORES "sim:cpu:cores=2:rate=1e5,"
#define SLOW  ":rate=1e6"

static void a_stalled_device_is_taken_out(void **state)
{
    (void)state;
    for (int checked = 0; checked < 2; checked++) {
        struct scene scene;
        yk_check_devices = checked;
        scene_open(&scene, CORES "sim:gpu" SLOW ":stall=2ms", 0);
        OK(run(&scene, NULL));
        assert_true(is_lost(&scene, "sim:gpu"));
        assert_true(yoke_seconds(scene.runtime) > 10 && yoke_seconds(scene.runtime) < 25);
        check(&scene);
        OK(run(&scene, NULL)); /* by the cores */
        check(&scene);
        scene_close(&scene);
        assert_int_equal(yk_alloc_outstanding(), 0);
    }
    yk_check_devices = 0;
}

static void whenever_it_stalls(void **state)
{
    int lost = 0;
    (void)state;
    for (int at = 300; at < 1900; at += 43) {
        struct scene scene;
        char devices[128];
        yoke_status status;
        snprintf(devices, sizeof devices, CORES "sim:gpu*2" SLOW ",sim:gpux" SLOW ":stall=%dus",
                 at);
        scene_open(&scene, devices, 0);
        status = run(&scene, NULL);
        if (status != YOKE_OK) /* the first chunks cannot be judged */
            assert_int_equal(status, YOKE_EDEVICE);
        lost += is_lost(&scene, "sim:gpux") && status == YOKE_OK;
        if (status == YOKE_OK)
            check(&scene);
        scene_close(&scene);
        assert_int_equal(yk_alloc_outstanding(), 0);
    }
    assert_true(lost > 20);
}

/* A later job like it is watched from its first chunk on; a different one is not. */
static void what_earlier_jobs_measured_counts(void **state)
{
    struct scene scene;
    (void)state;
    scene_open(&scene, CORES "sim:gpu" SLOW ":stall=30ms", 0);
    while (!is_lost(&scene, "sim:gpu"))
        OK(run(&scene, NULL));
    assert_true(scene.adds > 2);
    check(&scene);
    scene_close(&scene);
    scene_open(&scene, CORES "sim:gpu" SLOW ":stall=1us", 0);
    assert_int_equal(run(&scene, NULL), YOKE_EDEVICE); /* the largest time of the clock */
    assert_non_null(strstr(yoke_error_text(), "nothing left to do"));
    scene_close(&scene);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void it_can_be_switched_off(void **state)
{
    struct scene scene;
    (void)state;
    scene_open(&scene, CORES "sim:gpu" SLOW ":stall=2ms", -1);
    assert_int_equal(run(&scene, NULL), YOKE_EDEVICE);
    assert_non_null(strstr(yoke_error_text(), "nothing left to do"));
    scene_close(&scene);
    setenv("YOKE_WATCHDOG", "0", 1);
    scene_open(&scene, CORES "sim:gpu" SLOW ":stall=2ms", 0);
    assert_int_equal(run(&scene, NULL), YOKE_EDEVICE);
    scene_close(&scene);
    unsetenv("YOKE_WATCHDOG");
}

static void other_factors_are_mistakes(void **state)
{
    static const double wrong[] = { 0.5, 1.99, INFINITY, NAN };
    yoke_runtime *runtime;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const yoke_config config = { .devices = "sim:cpu", .watchdog = wrong[i] };
        assert_int_equal(yoke_open(&config, &runtime), YOKE_EINVAL);
        assert_non_null(strstr(yoke_error_text(), "watchdog="));
    }
}

/* --- PoCL, with the default limit of ten seconds --- */

static int gate; /* 1: the kernel does not end */

static void say(void *context, yoke_log_level level, const char *line)
{
    char *text = context;
    (void)level;
    if (strstr(line, "no chunk of kernel"))
        snprintf(text, 512, "%s", line);
}

static int has_opencl(void)
{
    yoke_runtime *runtime;
    yoke_config config = { .devices = "opencl:0" };
    if (yoke_open(&config, &runtime) != YOKE_OK)
        return 0;
    OK(yoke_close(runtime));
    return 1;
}

/* Runs jobs until the last device has had some chunks. On a busy machine, or while its kernel is
 * being compiled, a job can be over before it has one. */
static void warm_up(struct scene *scene)
{
    int64_t chunks = 0;
    for (int job = 0; job < 30 || (chunks < 8 && job < JOBS_MOST); job++) {
        yoke_result *result;
        OK(run_for(scene, &gate, &result));
        chunks += result->devices[result->device_count - 1].chunks;
        yoke_result_close(result);
    }
    assert_true(chunks >= 8);
}

/* Threads that only wait for ten seconds, the kernel's among them, leave the processors to other
 * tests. */
static void step_back(void)
{
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *task = readdir(tasks); task; task = readdir(tasks))
        if (atoi(task->d_name) > 0)
            setpriority(PRIO_PROCESS, (id_t)atoi(task->d_name), 10);
    closedir(tasks);
}

/* Its kernel has ended at last: a later runtime of this process has the device again. */
static void works_again(const yoke_config *config)
{
    struct scene scene = { 0 };
    OK(yoke_open(config, &scene.runtime));
    OK(yoke_array_wrap(scene.runtime, scene.values, N, sizeof *scene.values, &scene.array));
    warm_up(&scene);
    check(&scene);
    assert_false(is_lost(&scene, "opencl:0"));
    scene_close(&scene);
}

static void a_kernel_without_end(const char *devices, yoke_waiting waiting)
{
    yoke_config config = { .devices = devices,
                           .partitioner = "dynamic:chunk=100",
                           .waiting = waiting };
    const int alone = !strchr(devices, ',');
    struct scene scene = { 0 };
    char line[512] = "";
    yoke_status status;
    OK(yoke_open(&config, &scene.runtime));
    OK(yoke_array_wrap(scene.runtime, scene.values, N, sizeof *scene.values, &scene.array));
    warm_up(&scene);
    check(&scene); /* brings the rows home: rows that only the device has would be lost with it */
    yoke_set_log(say, line, YOKE_LOG_WARN);
    __atomic_store_n(&gate, 1, __ATOMIC_SEQ_CST);
    alarm(280);
    step_back();
    int jobs = 0;
    do {
        status = run(&scene, &gate);
    } while (status == YOKE_OK && !is_lost(&scene, "opencl:0") && ++jobs < JOBS_MOST);
    assert_int_equal(status, alone ? YOKE_EDEVICE : YOKE_OK);
    assert_true(is_lost(&scene, "opencl:0"));
    assert_non_null(strstr(line, "k_gated"));
    assert_non_null(strstr(line, "YOKE_WATCHDOG"));
    if (!alone) {
        check(&scene);
        OK(run(&scene, NULL));
        check(&scene);
    }
    scene_close(&scene); /* while the kernel still runs */
    alarm(0);
    yoke_set_log(NULL, NULL, YOKE_LOG_WARN);
    __atomic_store_n(&gate, 0, __ATOMIC_SEQ_CST);
    sleep(1); /* late callbacks must find valid memory */
    works_again(&config);
}

static void a_host_thread_gives_up(void **state)
{
    (void)state;
    if (!has_opencl())
        skip();
    a_kernel_without_end("cpu:1,opencl:0", YOKE_WAIT_AUTO);
}

static void the_caller_gives_up(void **state)
{
    (void)state;
    if (!has_opencl())
        skip();
    a_kernel_without_end("opencl:0", YOKE_WAIT_BLOCK);
}

static void who_polls_gives_up(void **state)
{
    (void)state;
    if (!has_opencl())
        skip();
    a_kernel_without_end("cpu:1,opencl:0", YOKE_WAIT_YIELD);
}

/* Those of PoCL all at once, because each waits ten seconds for a kernel that does not end. */
int main(void)
{
    const struct CMUnitTest simulated[] = {
        cmocka_unit_test(a_stalled_device_is_taken_out),
        cmocka_unit_test(whenever_it_stalls),
        cmocka_unit_test(what_earlier_jobs_measured_counts),
        cmocka_unit_test(it_can_be_switched_off),
        cmocka_unit_test(other_factors_are_mistakes),
    };
    const struct CMUnitTest endless[] = {
        cmocka_unit_test(a_host_thread_gives_up),
        cmocka_unit_test(the_caller_gives_up),
        cmocka_unit_test(who_polls_gives_up),
    };
    enum { ENDLESS = sizeof endless / sizeof *endless };
    pid_t children[ENDLESS];
    int failed;
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 1); /* an endless kernel keeps one core busy, not all */
    at_once_begin(endless, ENDLESS, _exit, children);
    failed = cmocka_run_group_tests(simulated, NULL, NULL);
    return failed + at_once_failed(children, ENDLESS);
}
