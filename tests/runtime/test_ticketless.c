/* test_ticketless.c - jobs without a ticket: loops that are submitted with one call each, in order,
 * in any number; what is said of those that fail. */
#include <pthread.h>
#include <stdio.h>

#include "for_kernels.h"
#include "held_jobs.h"
#include "job/runtime.h"
#include "pipeline_kernels.h"

extern const yoke_kernel f_saxpy, f_number;

enum { LIST_MOST = 256 }; /* work/ticketless.c */

/* --- loops in one call each --- */

enum { N = 3000, STEPS = 1500 };

static yoke_array *wrap(yoke_runtime *rt, uint32_t *memory)
{
    yoke_array *array;
    OK(yoke_array_wrap(rt, memory, N, sizeof *memory, &array));
    return array;
}

static void step_by_hand(const uint32_t *x, uint32_t *y)
{
    for (int i = 0; i < N; i++)
        y[i] = 3 * x[i] + (i > 0 ? x[i - 1] : 0) + (i + 1 < N ? 5 * x[i + 1] : 0);
    for (int i = 0; i < N; i++)
        y[i] = y[i] * 7 + x[i];
}

/* More loops than the list has room for. Each needs rows of the one before, and neighbours. */
static void steps_run_in_order(const char *devices)
{
    static uint32_t memory[2][N], expected[2][N];
    yoke_runtime *const rt = open_runtime(devices);
    yoke_array *x[2];
    int64_t total = 0, sum = 0;
    for (int i = 0; i < N; i++)
        memory[0][i] = expected[0][i] = (uint32_t)i;
    for (int k = 0; k < 2; k++)
        x[k] = wrap(rt, memory[k]);
    for (int step = 0; step < STEPS; step++) {
        yoke_array *const from = x[step % 2], *const to = x[1 - step % 2];
        OK(yoke_submit_for(rt, &q_near, N, (int64_t)N, yoke_halo(from, 1, 1), to));
        OK(yoke_submit_for(rt, &q_add, N, 7u, from, to));
        assert_true(rt->ticketless.count <= LIST_MOST);
        step_by_hand(expected[step % 2], expected[1 - step % 2]);
    }
    OK(yoke_submit_for(rt, &q_sum, N, x[0], &total));
    OK(yoke_wait_all(rt));
    assert_int_equal(rt->ticketless.count, 0);
    for (int i = 0; i < N; i++)
        sum += expected[0][i];
    assert_true(total == sum);
    for (int k = 0; k < 2; k++) {
        OK(yoke_array_close(x[k]));
        assert_memory_equal(memory[k], expected[k], sizeof memory[k]);
    }
    OK(yoke_close(rt));
}
static void steps_run_in_order_on_cores(void **state)
{
    (void)state;
    steps_run_in_order("cpu:2");
}
static void steps_run_in_order_on_gpus(void **state)
{
    (void)state;
    steps_run_in_order("sim:cpu:cores=2,sim:gpu*2:peer=50e9");
}

/* The default runtime, and three dimensions. */
static void loops_need_no_runtime(void **state)
{
    static int32_t to[3 * 4 * 5];
    yoke_array *numbers;
    (void)state;
    OK(yoke_array_open(
        yoke_default(),
        &(yoke_array_spec){ .host = to, .rows = 3, .row_elements = 20, .element_size = sizeof *to },
        &numbers));
    OK(yoke_submit_for3(NULL, &f_number, 3, 4, 5, numbers));
    OK(yoke_wait_all(NULL));
    OK(yoke_array_close(numbers));
    assert_int_equal(to[59], 234);
    OK(yoke_close(yoke_default()));
}

static void memory_behind_pointers_is_refused(void **state)
{
    static float x[N], y[N];
    yoke_runtime *const rt = open_runtime("cpu:1");
    yoke_array *array;
    (void)state;
    OK(yoke_array_wrap(rt, x, N, sizeof *x, &array));
    REFUSED(yoke_submit_for(rt, &f_saxpy, N, 1.0f, array, y), YOKE_EINVAL,
            "kernel f_saxpy, argument 3 (y): a pointer is given, whose memory would have to stay");
    REFUSED(yoke_submit_for(rt, &f_saxpy, N, 1.0, array, array), YOKE_EINVAL, "convert it");
    REFUSED(yoke_submit_for2(rt, &f_saxpy, N, N, 1.0f, array, array), YOKE_EINVAL, "yoke_for");
    REFUSED(yoke_loop_submit(rt, NULL), YOKE_EINVAL, "the loop is NULL");
    REFUSED(yoke_submit(rt, NULL, NULL), YOKE_EINVAL, "job is NULL");
    REFUSED(yoke_submit(NULL, NULL, NULL), YOKE_EINVAL, "runtime is NULL");
    OK(yoke_wait_all(rt));
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
}

/* --- failures --- */

static int refuse(void *context, int64_t done, int64_t all)
{
    (void)context;
    (void)done;
    (void)all;
    return 1;
}

static yoke_job refused(struct scene *scene, const char *name)
{
    yoke_job job = job_on(scene, &slow_writing, 0, ROWS);
    job.partitioner = "dynamic:chunk=8"; /* asked before all is done */
    job.progress = refuse;
    job.name = name;
    return job;
}

/* The first failure is told, once; what the job should have written is lost. */
static void a_failure_is_told_once(void **state)
{
    struct scene scene;
    yoke_job first, second;
    (void)state;
    scene_open(&scene);
    first = refused(&scene, "first");
    second = refused(&scene, "second");
    OK(yoke_submit(scene.runtime, &first, NULL));
    OK(yoke_submit(scene.runtime, &second, NULL));
    REFUSED(yoke_wait_all(scene.runtime), YOKE_ECANCELED, "first");
    OK(yoke_wait_all(scene.runtime));
    assert_int_equal(yoke_array_acquire(scene.array, YOKE_READ), YOKE_ELOST);
    write_again(&scene);
    scene_close(&scene);
}

static char warned[300];
static void listen(void *context, yoke_log_level level, const char *line)
{
    (void)context;
    (void)level;
    snprintf(warned, sizeof warned, "%s", line);
}

static void a_failure_that_is_not_asked_for_is_warned_of(void **state)
{
    struct scene scene;
    yoke_job job;
    (void)state;
    scene_open(&scene);
    job = refused(&scene, "forgotten");
    OK(yoke_submit(scene.runtime, &job, NULL));
    write_again(&scene);
    yoke_set_log(listen, NULL, YOKE_LOG_WARN);
    scene_close(&scene);
    yoke_set_log(NULL, NULL, YOKE_LOG_WARN);
    assert_non_null(strstr(warned, "a job without a ticket failed: forgotten"));
}

/* Jobs that are over leave the list although the first one is not, and if there are too few of
 * them a submit waits. */
static void a_full_list_makes_room(void **state)
{
    struct scene scene;
    yoke_job job;
    int64_t n;
    (void)state;
    scene_open(&scene);
    job = job_on(&scene, &writing, 0, 1);
    OK(yoke_submit(scene.runtime, &job, NULL)); /* stays at the gate */
    wait_inside(1);
    for (n = 0; n < 5 * LIST_MOST; n++) {
        job = (yoke_job){ .kernel = &stepping,
                          .range = { 500, 501, { 0, 0 } },
                          .args = { yoke_value(n), yoke_inout(scene.array) } };
        OK(yoke_submit(scene.runtime, &job, NULL));
        assert_true(scene.runtime->ticketless.count <= LIST_MOST);
    }
    atomic_store(&gate, 1);
    OK(yoke_wait_all(scene.runtime));
    scene_close(&scene);
}

/* --- threads --- */

enum { THREADS = 4, EACH = 1000 };

struct submitter {
    pthread_t thread;
    yoke_runtime *rt;
    yoke_array *x, *y;
    yoke_status status;
};

static void *submit_many(void *context)
{
    struct submitter *const self = context;
    for (int k = 0; k < EACH && self->status == YOKE_OK; k++) {
        self->status = yoke_submit_for(self->rt, &q_add, N, 1u, self->x, self->y);
        if (k % 300 == 299 && self->status == YOKE_OK)
            self->status = yoke_wait_all(self->rt);
    }
    return NULL;
}

static void threads_submit_side_by_side(void **state)
{
    static uint32_t ones[N], sums[THREADS][N];
    struct submitter submitters[THREADS];
    yoke_runtime *const rt = open_runtime("cpu:2");
    yoke_array *x;
    (void)state;
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    x = wrap(rt, ones);
    for (int t = 0; t < THREADS; t++) {
        submitters[t] = (struct submitter){ .rt = rt, .x = x, .y = wrap(rt, sums[t]) };
        assert_int_equal(pthread_create(&submitters[t].thread, NULL, submit_many, &submitters[t]),
                         0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(submitters[t].thread, NULL);
        assert_int_equal(submitters[t].status, YOKE_OK);
        OK(yoke_array_close(submitters[t].y));
        for (int i = 0; i < N; i++)
            assert_true(sums[t][i] == EACH);
    }
    OK(yoke_array_close(x));
    OK(yoke_close(rt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_run_in_order_on_cores),
        cmocka_unit_test(steps_run_in_order_on_gpus),
        cmocka_unit_test(loops_need_no_runtime),
        cmocka_unit_test(memory_behind_pointers_is_refused),
        cmocka_unit_test(a_failure_is_told_once),
        cmocka_unit_test(a_failure_that_is_not_asked_for_is_warned_of),
        cmocka_unit_test(a_full_list_makes_room),
        cmocka_unit_test(threads_submit_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
