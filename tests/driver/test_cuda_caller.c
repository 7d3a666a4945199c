/* test_cuda_caller.c - the thread that calls yoke_run drives several GPUs itself if they have their
 * rows or copy them without a thread, and leaves them to their host threads if these have to copy
 * many rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job_kernels.h"
#include "standin.h"

enum { GPUS = 2, ROWS = 1 << 20, JOBS = 8 };

struct scene {
    yoke_runtime *runtime;
    yoke_array *x, *y;
};

static void set(yoke_array *array, float (*value)(int64_t row))
{
    assert_int_equal(yoke_array_acquire(array, YOKE_WRITE), YOKE_OK);
    for (int64_t row = 0; row < ROWS; row++)
        ((float *)yoke_array_host(array))[row] = value ? value(row) : 0;
    assert_int_equal(yoke_array_release(array), YOKE_OK);
}

static float small(int64_t row)
{
    return (float)(row % 7);
}

static void open(yoke_waiting waiting, struct scene *out)
{
    const yoke_config config = { .devices = "cuda:0,cuda:1", .waiting = waiting };
    const yoke_array_spec spec = { .rows = ROWS, .element_size = sizeof(float) };
    assert_int_equal(yoke_open(&config, &out->runtime), YOKE_OK);
    assert_int_equal(yoke_ready(out->runtime), YOKE_OK);
    assert_int_equal(yoke_array_open(out->runtime, &spec, &out->x), YOKE_OK);
    assert_int_equal(yoke_array_open(out->runtime, &spec, &out->y), YOKE_OK);
    set(out->x, small);
    set(out->y, NULL);
}

static void close(struct scene *scene)
{
    yoke_array_close(scene->x);
    yoke_array_close(scene->y);
    yoke_close(scene->runtime);
}

static yoke_result *add_home(struct scene *scene, yoke_home home)
{
    const float a = 1;
    yoke_job job = { .kernel = &k_saxpy,
                     .range = { 0, ROWS },
                     .partitioner = "even",
                     .args = { yoke_value(a), yoke_in(scene->x), yoke_inout(scene->y) } };
    yoke_result *result;
    job.args[2].home = home;
    assert_int_equal(yoke_run(scene->runtime, &job, &result), YOKE_OK);
    return result;
}

static yoke_result *add(struct scene *scene)
{
    return add_home(scene, 0);
}

static void check(struct scene *scene, float times)
{
    assert_int_equal(yoke_array_acquire(scene->y, YOKE_READ), YOKE_OK);
    for (int64_t row = 0; row < ROWS; row++)
        assert_true(((float *)yoke_array_host(scene->y))[row] == times * small(row));
    assert_int_equal(yoke_array_release(scene->y), YOKE_OK);
}

/* Number of devices for which the calling thread waited. */
static int driven(const yoke_result *result)
{
    int count = 0;
    for (int d = 0; d < GPUS; d++)
        count += strstr(result->waits[d].reason, "the calling thread") != NULL;
    return count;
}

static void rows_that_stay(void **state)
{
    (void)state;
    for (yoke_waiting waiting = YOKE_WAIT_AUTO; waiting <= YOKE_WAIT_BLOCK; waiting++) {
        struct scene scene;
        open(waiting, &scene);
        int last = 0;
        for (int job = 0; job < JOBS; job++) {
            yoke_result *result = add(&scene);
            for (int d = 0; d < GPUS; d++)
                assert_int_equal(result->devices[d].items, ROWS / GPUS);
            last = driven(result);
            yoke_result_close(result);
        }
        /* A thread can be in only one driver's blocking wait. With YOKE_WAIT_AUTO it gets into one
         * if its forecasts are wrong. */
        if (waiting == YOKE_WAIT_AUTO)
            assert_true(last >= 1);
        else
            assert_int_equal(last, waiting == YOKE_WAIT_BLOCK ? 1 : GPUS);
        check(&scene, JOBS);
        close(&scene);
    }
}

/* A copy home is a job's last event, and may or may not wake a sleeping thread. */
static void rows_that_come_home(void **state)
{
    (void)state;
    for (yoke_waiting waiting = YOKE_WAIT_AUTO; waiting <= YOKE_WAIT_BLOCK; waiting++) {
        struct scene scene;
        open(waiting, &scene);
        for (int job = 1; job <= JOBS; job++) {
            yoke_result_close(add_home(&scene, YOKE_HOME_NOW));
            check(&scene, (float)job);
        }
        close(&scene);
    }
}

/* Returns the number of devices that the caller drove in the latest job. */
static int add_to_new_rows(struct scene *scene)
{
    set(scene->y, NULL);
    yoke_result *result = add(scene);
    const int count = driven(result);
    yoke_result_close(result);
    return count;
}

static void rows_that_threads_copy(void **state)
{
    const struct standin_failure refused = { 1, 2, STANDIN_FOR_GOOD, "cuMemHostRegister" };
    struct scene scene;
    (void)state;
    standin_fail(&refused);
    open(YOKE_WAIT_AUTO, &scene);
    for (int job = 0; job < JOBS; job++)
        assert_int_equal(add_to_new_rows(&scene), 0);
    check(&scene, 1);
    close(&scene);
    standin_fail(NULL);
}

/* A copy of pinned memory keeps no thread busy, which the caller learns if it sees the copies' time
 * (yk_learned_bringing): who drives depends on the machine's load, the results do not. */
static void rows_that_are_pinned(void **state)
{
    struct scene scene;
    (void)state;
    open(YOKE_WAIT_AUTO, &scene);
    for (int job = 0; job < 4 * JOBS; job++)
        (void)add_to_new_rows(&scene);
    check(&scene, 1);
    close(&scene);
}

/* Each GPU reads the whole of what all wrote. The other GPU's part does not pass the host, so no
 * thread copies it. */
static void rows_that_other_gpus_have(void **state)
{
    const int64_t rows = ROWS;
    int last = 0;
    struct scene scene;
    yoke_array *made;
    const yoke_array_spec spec = { .rows = ROWS, .element_size = sizeof(int32_t) };
    (void)state;
    open(YOKE_WAIT_YIELD, &scene);
    assert_int_equal(yoke_array_open(scene.runtime, &spec, &made), YOKE_OK);
    for (int job = 0; job < JOBS; job++) {
        const int32_t offset = job;
        const yoke_job write = { .kernel = &k_index,
                                 .range = { 0, ROWS },
                                 .partitioner = "even",
                                 .args = { yoke_value(offset), yoke_out(scene.x) } };
        const yoke_job read = { .kernel = &k_shares,
                                .range = { 0, ROWS },
                                .partitioner = "even",
                                .args = { yoke_value(rows), yoke_in_whole(scene.x),
                                          yoke_inout(scene.y), yoke_out(made) } };
        yoke_result *result;
        assert_int_equal(yoke_run(scene.runtime, &write, NULL), YOKE_OK);
        assert_int_equal(yoke_run(scene.runtime, &read, &result), YOKE_OK);
        assert_true(result->traffic.between_devices > 0);
        last = driven(result);
        yoke_result_close(result);
    }
    assert_int_equal(last, GPUS);
    assert_int_equal(yoke_array_acquire(scene.y, YOKE_READ), YOKE_OK);
    for (int64_t row = 0; row < ROWS; row++)
        assert_int_equal(((int32_t *)yoke_array_host(scene.y))[row],
                         JOBS * ((7 * row + 1) % ROWS) + JOBS * (JOBS - 1) / 2);
    assert_int_equal(yoke_array_release(scene.y), YOKE_OK);
    assert_int_equal(yoke_array_close(made), YOKE_OK);
    close(&scene);
}

/* The other device does the chunk of the failed one, whichever thread drives it. */
static void a_device_that_fails(void **state)
{
    const struct standin_failure failures[] = {
        { 2, 719, STANDIN_FOR_GOOD, "cuLaunchKernel" },
        { 1, 719, STANDIN_FOR_GOOD, "cuLaunchKernel" },
        { 2, 719, STANDIN_LATER, NULL },
    };
    (void)state;
    for (size_t k = 0; k < sizeof failures / sizeof *failures; k++) {
        struct scene scene;
        open(YOKE_WAIT_AUTO, &scene);
        for (int job = 0; job < JOBS; job++) {
            const int32_t offset = 100 * job;
            const yoke_job spec = { .kernel = &k_index,
                                    .range = { 0, ROWS },
                                    .partitioner = "even",
                                    .args = { yoke_value(offset), yoke_out(scene.y) } };
            if (job == JOBS - 1)
                standin_fail(&failures[k]);
            assert_int_equal(yoke_run(scene.runtime, &spec, NULL), YOKE_OK);
        }
        assert_true(standin_failed());
        standin_fail(NULL);
        assert_int_equal(yoke_array_acquire(scene.y, YOKE_READ), YOKE_OK);
        for (int64_t row = 0; row < ROWS; row++)
            assert_int_equal(((int32_t *)yoke_array_host(scene.y))[row], row + 100 * (JOBS - 1));
        assert_int_equal(yoke_array_release(scene.y), YOKE_OK);
        close(&scene);
    }
}

/* A short job waits for others, and has a part for each device: when it begins, each is woken.
 * (Only cores were, as if these could do all of it.) */
static void a_job_in_fixed_parts_that_waits(void **state)
{
    enum { FEW = 1000, ROUNDS = 200, AHEAD = 3 };
    static int32_t rows[FEW];
    yoke_runtime *runtime;
    yoke_array *array;
    (void)state;
    assert_int_equal(
        yoke_open(&(yoke_config){ .devices = "cpu:1,cuda:0", .knowledge = "off" }, &runtime),
        YOKE_OK);
    assert_int_equal(yoke_array_wrap(runtime, rows, FEW, sizeof *rows, &array), YOKE_OK);
    for (int round = 0; round < ROUNDS; round++) {
        yoke_job job = { .kernel = &k_index,
                         .range = { 0, FEW },
                         .args = { yoke_value((int32_t)round), yoke_out(array) } };
        for (int k = 0; k < AHEAD; k++)
            assert_int_equal(yoke_submit(runtime, &job, NULL), YOKE_OK);
        job.partitioner = "static";
        assert_int_equal(yoke_run(runtime, &job, NULL), YOKE_OK);
    }
    assert_int_equal(yoke_array_close(array), YOKE_OK);
    for (int row = 0; row < FEW; row++)
        assert_int_equal(rows[row], row + ROUNDS - 1);
    assert_int_equal(yoke_close(runtime), YOKE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_stay),
        cmocka_unit_test(rows_that_come_home),
        cmocka_unit_test(rows_that_threads_copy),
        cmocka_unit_test(rows_that_are_pinned),
        cmocka_unit_test(rows_that_other_gpus_have),
        cmocka_unit_test(a_device_that_fails),
        cmocka_unit_test(a_job_in_fixed_parts_that_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
