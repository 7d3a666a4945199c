/* test_cuda_strips.c - cores that have begun rows far too slow for them give these back: the GPU
 * does them, and the job does not wait. Rows that are changed in place are never given back. A job
 * whose time is up ends between two strips of a row.
 *
 * A row takes a core 4 s or more, so that no test sees one end on a slow machine.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <pthread.h>
#include <yoke/kernel_type.h>
#include <yoke/yoke.h>

#include "standin.h"

extern const yoke_kernel twice, twice_in_place;

enum { ROWS = 64, COLUMNS = 4096, CORES = 2 };

static float a[ROWS * COLUMNS], b[ROWS * COLUMNS];
static atomic_long columns_by_cores, rows_in_strips;

static void pause_ms(int64_t ms)
{
    const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
    nanosleep(&time, NULL);
}

/* A column takes 1 ms, as far as the cores can tell, until the GPU fails. */
static void slow_row(void *const *args, const yoke_chunk *chunk)
{
    const float *from = args[0];
    float *to = args[1];
    for (int64_t i = chunk->first; i < chunk->last; i++) {
        if (!standin_failed())
            pause_ms(chunk->second.last - chunk->second.first);
        for (int64_t j = chunk->second.first; j < chunk->second.last; j++)
            to[i * COLUMNS + j] = 2 * from[i * COLUMNS + j];
        atomic_fetch_add(&columns_by_cores, chunk->second.last - chunk->second.first);
    }
}

/* Rows take 20 ms, so a test can wait for their end. */
static void slow_row_in_place(void *const *args, const yoke_chunk *chunk)
{
    float *at = args[0];
    for (int64_t i = chunk->first; i < chunk->last; i++) {
        atomic_fetch_add(&rows_in_strips, chunk->second.last - chunk->second.first < COLUMNS);
        pause_ms(20);
        for (int64_t j = 0; j < COLUMNS; j++)
            at[i * COLUMNS + j] *= 2;
        atomic_fetch_add(&columns_by_cores, COLUMNS);
    }
}

static yoke_kernel slow_on_cores(const yoke_kernel *kernel, yoke_cpu_fn *function)
{
    yoke_kernel slow = *kernel;
    memset(&slow.cpu, 0, sizeof slow.cpu);
    slow.cpu.variant[0] = function;
    return slow;
}

static void fill(void)
{
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        a[i] = (float)(i % 1021);
        b[i] = -1;
    }
    atomic_store(&columns_by_cores, 0);
}

static void assert_doubled(const float *out)
{
    for (int i = 0; i < ROWS * COLUMNS; i++)
        if (out[i] != 2 * (float)(i % 1021))
            fail_msg("element %d is %g", i, (double)out[i]);
}

static void ok(yoke_status status)
{
    if (status != YOKE_OK)
        fail_msg("%s", yoke_error_text());
}

struct scene {
    yoke_runtime *runtime;
    yoke_array *a, *b;
};

static yoke_array *open_rows(yoke_runtime *runtime, float *host)
{
    yoke_array *array;
    ok(yoke_array_open(
        runtime,
        &(yoke_array_spec){
            .host = host, .rows = ROWS, .row_elements = COLUMNS, .element_size = sizeof *host },
        &array));
    return array;
}

static struct scene open_scene(const char *devices)
{
    struct scene scene;
    fill();
    ok(yoke_open(&(yoke_config){ .devices = devices, .threads = CORES }, &scene.runtime));
    scene.a = open_rows(scene.runtime, a);
    scene.b = open_rows(scene.runtime, b);
    return scene;
}

static void close_scene(struct scene scene)
{
    ok(yoke_array_close(scene.a));
    ok(yoke_array_close(scene.b));
    ok(yoke_close(scene.runtime));
}

/* Runs the job once. Returns the number of rows by the cores. */
static int64_t rows_by_cores(const struct scene *scene, const yoke_job *job)
{
    yoke_result *result = NULL;
    ok(yoke_run(scene->runtime, job, &result));
    const int64_t rows = result->devices[0].items;
    assert_int_equal(rows + result->devices[1].items, ROWS);
    if (rows == 0 && atomic_load(&columns_by_cores) > 0)
        assert_non_null(strstr(result->devices[0].reason, "gave back"));
    yoke_result_close(result);
    return rows;
}

static void refill(const struct scene *scene)
{
    ok(yoke_array_acquire(scene->a, YOKE_WRITE));
    ok(yoke_array_acquire(scene->b, YOKE_WRITE));
    fill();
    ok(yoke_array_release(scene->a));
    ok(yoke_array_release(scene->b));
}

/* Cores begin rows in the first job. In later ones they may again, as long as little is known. */
static void gives_back_with(const char *partitioner)
{
    const yoke_kernel slow = slow_on_cores(&twice, slow_row);
    const struct scene scene = open_scene("cpu,cuda:0");
    const yoke_job job = { .kernel = &slow,
                           .range = { 0, ROWS, { COLUMNS } },
                           .args = { yoke_in(scene.a), yoke_out(scene.b) },
                           .partitioner = partitioner };
    for (int turn = 0; turn < 4; turn++) {
        refill(&scene);
        assert_int_equal(rows_by_cores(&scene, &job), 0);
        assert_true(turn > 0 || atomic_load(&columns_by_cores) > 0);
        assert_true(atomic_load(&columns_by_cores) < CORES * COLUMNS);
        ok(yoke_array_acquire(scene.b, YOKE_READ));
        assert_doubled(b);
    }
    close_scene(scene);
}

static void the_gpu_does_what_cores_began(void **state)
{
    (void)state;
    gives_back_with("auto");
    gives_back_with("alone");
}

/* Columns at both edges are not the job's: those of a row that was given back are kept, too. */
static void parts_of_rows_are_given_back(void **state)
{
    const yoke_kernel slow = slow_on_cores(&twice, slow_row);
    const struct scene scene = open_scene("cpu,cuda:0");
    const yoke_job job = { .kernel = &slow,
                           .range = { 0, ROWS, { COLUMNS }, { 5, COLUMNS - 3 } },
                           .args = { yoke_in(scene.a), yoke_out(scene.b) } };
    (void)state;
    assert_int_equal(rows_by_cores(&scene, &job), 0);
    assert_true(atomic_load(&columns_by_cores) > 0);
    ok(yoke_array_acquire(scene.b, YOKE_READ_WRITE));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            if (j < 5 || j >= COLUMNS - 3) {
                assert_float_equal(b[i * COLUMNS + j], -1, 0);
                b[i * COLUMNS + j] = 2 * a[i * COLUMNS + j];
            }
    assert_doubled(b);
    ok(yoke_array_release(scene.b));
    close_scene(scene);
}

static void rows_changed_in_place_are_finished(void **state)
{
    const yoke_kernel slow = slow_on_cores(&twice_in_place, slow_row_in_place);
    const struct scene scene = open_scene("cpu,cuda:0");
    const yoke_job job = { .kernel = &slow,
                           .range = { 0, ROWS, { COLUMNS } },
                           .args = { yoke_inout(scene.a) } };
    (void)state;
    const int64_t rows = rows_by_cores(&scene, &job);
    assert_int_equal(rows * COLUMNS, atomic_load(&columns_by_cores));
    assert_int_equal(atomic_load(&rows_in_strips), 0);
    ok(yoke_array_acquire(scene.a, YOKE_READ));
    assert_doubled(a);
    close_scene(scene);
}

static void *let_go_later(void *unused)
{
    (void)unused;
    pause_ms(200);
    standin_hold("cuLaunchKernel", 0);
    return NULL;
}

/* Cores are within a row when the time is up. */
static void a_late_job_ends_within_a_row(void **state)
{
    const yoke_kernel slow = slow_on_cores(&twice, slow_row);
    struct scene scene = open_scene("cpu,cuda:0");
    const yoke_job job = { .size = sizeof job,
                           .kernel = &slow,
                           .range = { 0, ROWS, { COLUMNS } },
                           .args = { yoke_in(scene.a), yoke_out(scene.b) },
                           .deadline_seconds = 0.05 };
    pthread_t thread;
    (void)state;
    standin_hold("cuLaunchKernel", 1);
    assert_int_equal(pthread_create(&thread, NULL, let_go_later, NULL), 0);
    assert_int_equal(yoke_run(scene.runtime, &job, NULL), YOKE_ETIMEDOUT);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(atomic_load(&columns_by_cores) < CORES * COLUMNS);
    assert_int_equal(yoke_array_close(scene.b), YOKE_ELOST);
    scene.b = NULL;
    close_scene(scene);
}

/* Runs a job in a new scene. Returns the number of its launches. */
static long launches_of(const yoke_kernel *kernel)
{
    const struct scene scene = open_scene("cpu,cuda:0");
    yoke_job job = { .kernel = kernel,
                     .range = { 0, ROWS, { COLUMNS } },
                     .args = { yoke_in(scene.a), yoke_out(scene.b) } };
    job.args[1].home = YOKE_HOME_NOW; /* or else the GPU's rows are lost with it */
    const long before = standin_calls_of("cuLaunchKernel");
    rows_by_cores(&scene, &job);
    const long launches = standin_calls_of("cuLaunchKernel") - before;
    standin_fail(NULL);
    ok(yoke_array_acquire(scene.b, YOKE_READ));
    assert_doubled(b);
    close_scene(scene);
    return launches;
}

/* The GPU fails with its last launch, of what the cores gave back: they do it after all. */
static void a_gpu_that_fails_gives_rows_to_the_cores(void **state)
{
    const yoke_kernel slow = slow_on_cores(&twice, slow_row);
    (void)state;
    const struct standin_failure failure = { .nth = launches_of(&slow),
                                             .code = 719,
                                             .kind = STANDIN_FOR_GOOD,
                                             .function = "cuLaunchKernel" };
    standin_fail(&failure);
    launches_of(&slow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gpu_does_what_cores_began),
        cmocka_unit_test(parts_of_rows_are_given_back),
        cmocka_unit_test(rows_changed_in_place_are_finished),
        cmocka_unit_test(a_late_job_ends_within_a_row),
        cmocka_unit_test(a_gpu_that_fails_gives_rows_to_the_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
