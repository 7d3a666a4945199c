/* test_jobs.c - many jobs at once: what waits for what, tickets, cancel, deadline, progress.
 *
 * Kernels by hand, so that tests see when they run: a gate holds a job up for as long as wanted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <pthread.h>
#include <yoke/yoke.h>

#include "base/alloc.h"

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != YOKE_OK)                                                                     \
            fail_msg("%s: %s", #call, yoke_error_text());                                          \
    } while (0)
#define REFUSED(call, status, words)                                                               \
    do {                                                                                           \
        assert_int_equal((call), (status));                                                        \
        if (!strstr(yoke_error_text(), (words)))                                                   \
            fail_msg("'%s' should say '%s'", yoke_error_text(), (words));                          \
    } while (0)

static void nap(void)
{
    const struct timespec time = { .tv_nsec = 1000000 };
    nanosleep(&time, NULL);
}

/* --- kernels --- */

/* x[i] = x[i] * 3 + a, a step that shows in which order it was done. */
static void step(void *const *args, const yoke_chunk *chunk)
{
    const int64_t a = *(const int64_t *)args[0];
    int64_t *x = args[1], i;
    for (i = chunk->first; i < chunk->last; i++)
        x[i] = (int64_t)((uint64_t)x[i] * 3 + (uint64_t)a);
}

static atomic_int gate, inside, done_items;

static void held_up(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    atomic_fetch_add(&inside, 1);
    while (!atomic_load(&gate))
        nap();
    atomic_fetch_add(&done_items, (int)(chunk->last - chunk->first));
}

static void slow(void *const *args, const yoke_chunk *chunk)
{
    int64_t i;
    (void)args;
    for (i = chunk->first; i < chunk->last; i++)
        nap();
    atomic_fetch_add(&done_items, (int)(chunk->last - chunk->first));
}

static const yoke_param step_params[] = {
    { YOKE_PARAM_VALUE, "int64_t", "a", sizeof(int64_t), _Alignof(int64_t) },
    { YOKE_PARAM_INOUT, "int64_t", "x", sizeof(int64_t), _Alignof(int64_t) },
};
static const yoke_param read_params[] = {
    { YOKE_PARAM_IN, "int64_t", "x", sizeof(int64_t), _Alignof(int64_t) },
};
static const yoke_param write_params[] = {
    { YOKE_PARAM_INOUT, "int64_t", "x", sizeof(int64_t), _Alignof(int64_t) },
};

#define BY_HAND(kernel_name, function, parameters)                                                 \
    static const yoke_kernel kernel_name = { .struct_size = sizeof(yoke_kernel),                   \
                                             .kind = YOKE_KERNEL_NATIVE,                           \
                                             .name = #kernel_name,                                 \
                                             .file = __FILE__,                                     \
                                             .params = parameters,                                 \
                                             .param_count =                                        \
                                                 sizeof parameters / sizeof *parameters,           \
                                             .cpu.variant = { function } }
BY_HAND(stepping, step, step_params);
BY_HAND(reading, held_up, read_params);
BY_HAND(writing, held_up, write_params);
BY_HAND(slow_writing, slow, write_params);

/* --- a scene --- */

enum { ROWS = 1000 };

struct scene {
    yoke_runtime *runtime;
    yoke_array *array;
    int64_t rows[ROWS];
};

static void scene_open(struct scene *scene)
{
    yoke_config config = { .devices = "cpu", .threads = 4 };
    int i;
    for (i = 0; i < ROWS; i++)
        scene->rows[i] = i;
    OK(yoke_open(&config, &scene->runtime));
    OK(yoke_array_wrap(scene->runtime, scene->rows, ROWS, sizeof *scene->rows, &scene->array));
    atomic_store(&gate, 0);
    atomic_store(&inside, 0);
    atomic_store(&done_items, 0);
}

static void scene_close(struct scene *scene)
{
    OK(yoke_array_close(scene->array));
    OK(yoke_close(scene->runtime));
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static yoke_ticket *submit(struct scene *scene, const yoke_job *job)
{
    yoke_ticket *ticket;
    OK(yoke_submit(scene->runtime, job, &ticket));
    return ticket;
}

/* One chunk of the rows. */
static yoke_job job_on(struct scene *scene, const yoke_kernel *kernel, int64_t first, int64_t last)
{
    yoke_job job = { .kernel = kernel,
                     .range = { first, last, { 0, 0 } },
                     .partitioner = "dynamic:chunk=100000" };
    if (kernel == &reading)
        job.args[0] = (yoke_arg)yoke_in(scene->array);
    else
        job.args[0] = (yoke_arg)yoke_inout(scene->array);
    return job;
}

static yoke_ticket *submit_on(struct scene *scene, const yoke_kernel *kernel, int64_t first,
                              int64_t last)
{
    const yoke_job job = job_on(scene, kernel, first, last);
    return submit(scene, &job);
}

static void wait_inside(int count)
{
    int patience = 10000;
    while (atomic_load(&inside) < count && patience-- > 0)
        nap();
    assert_int_equal(atomic_load(&inside), count);
}

/* For a while nothing more comes in. */
static void stays_inside(int count)
{
    int i;
    for (i = 0; i < 30; i++)
        nap();
    assert_int_equal(atomic_load(&inside), count);
}

/* --- order --- */

static void readers_run_together_and_writers_wait(void **state)
{
    struct scene scene;
    yoke_ticket *tickets[3];
    int i;
    (void)state;
    scene_open(&scene);
    tickets[0] = submit_on(&scene, &reading, 0, ROWS);
    tickets[1] = submit_on(&scene, &reading, 0, ROWS);
    tickets[2] = submit_on(&scene, &writing, 0, ROWS);
    wait_inside(2);
    stays_inside(2);
    atomic_store(&gate, 1);
    for (i = 0; i < 3; i++)
        OK(yoke_wait(tickets[i], NULL));
    assert_int_equal(atomic_load(&inside), 3);
    scene_close(&scene);
}

static void jobs_on_other_rows_run_together(void **state)
{
    struct scene scene;
    yoke_ticket *tickets[4];
    int i;
    (void)state;
    scene_open(&scene);
    tickets[0] = submit_on(&scene, &writing, 0, 300);
    tickets[1] = submit_on(&scene, &writing, 300, 600);
    tickets[2] = submit_on(&scene, &reading, 600, ROWS);
    tickets[3] = submit_on(&scene, &writing, 299, 301); /* waits for the first two */
    wait_inside(3);
    stays_inside(3);
    atomic_store(&gate, 1);
    for (i = 0; i < 4; i++)
        OK(yoke_wait(tickets[i], NULL));
    scene_close(&scene);
}

static void after_is_waited_for(void **state)
{
    struct scene scene;
    yoke_ticket *first, *second;
    yoke_job job;
    (void)state;
    scene_open(&scene);
    first = submit_on(&scene, &writing, 0, 10);
    wait_inside(1);
    job = job_on(&scene, &writing, 500, 510);
    job.after = &first;
    job.after_count = 1;
    second = submit(&scene, &job);
    stays_inside(1);
    atomic_store(&gate, 1);
    OK(yoke_wait(second, NULL));
    OK(yoke_wait(first, NULL));
    assert_int_equal(atomic_load(&done_items), 20);
    scene_close(&scene);
}

/* Random jobs on random rows, from two threads with an array each, do what they would do one by
 * one. */
struct storm {
    struct scene *scene;
    yoke_array *array;
    int64_t rows[ROWS], expected[ROWS];
    unsigned seed;
};

static int64_t below(unsigned *seed, int64_t most)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (int64_t)(*seed >> 8) % most;
}

static void *storm_run(void *given)
{
    enum { JOBS = 2000, KEPT = 50 };
    struct storm *storm = given;
    yoke_ticket *kept[KEPT] = { NULL };
    int n, k, i;
    for (n = 0; n < JOBS; n++) {
        int64_t first = below(&storm->seed, ROWS), a = below(&storm->seed, 1000);
        int64_t last = first + below(&storm->seed, ROWS - first + 1);
        yoke_job job = { .kernel = &stepping,
                         .range = { first, last, { 0, 0 } },
                         .args = { yoke_value(a), yoke_inout(storm->array) },
                         .partitioner = n % 3 ? NULL : "dynamic:chunk=64" };
        k = n % KEPT;
        if (kept[k])
            OK(yoke_wait(kept[k], NULL));
        if (n % 7 == 0 && kept[(n + 1) % KEPT]) {
            job.after = &kept[(n + 1) % KEPT];
            job.after_count = 1;
        }
        OK(yoke_submit(storm->scene->runtime, &job, &kept[k]));
        for (i = (int)first; i < last; i++)
            storm->expected[i] = (int64_t)((uint64_t)storm->expected[i] * 3 + (uint64_t)a);
    }
    for (k = 0; k < KEPT; k++)
        OK(yoke_wait(kept[k], NULL));
    return NULL;
}

static void any_order_that_is_allowed_is_right(void **state)
{
    static struct storm storms[2];
    struct scene scene;
    pthread_t threads[2];
    int t;
    (void)state;
    scene_open(&scene);
    for (t = 0; t < 2; t++) {
        storms[t] = (struct storm){ .scene = &scene, .seed = 20261122u + (unsigned)t };
        OK(yoke_array_wrap(scene.runtime, storms[t].rows, ROWS, sizeof(int64_t), &storms[t].array));
        assert_int_equal(pthread_create(&threads[t], NULL, storm_run, &storms[t]), 0);
    }
    for (t = 0; t < 2; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        OK(yoke_array_close(storms[t].array));
        assert_memory_equal(storms[t].rows, storms[t].expected, sizeof storms[t].rows);
    }
    scene_close(&scene);
}

static void a_long_chain_is_done_in_order(void **state)
{
    enum { LONG = 20000 };
    yoke_ticket **tickets = malloc(LONG * sizeof *tickets);
    struct scene scene;
    uint64_t expected = 0;
    int64_t n;
    (void)state;
    scene_open(&scene);
    for (n = 0; n < LONG; n++) {
        yoke_job job = { .kernel = &stepping,
                         .range = { 0, 1, { 0, 0 } },
                         .args = { yoke_value(n), yoke_inout(scene.array) } };
        tickets[n] = submit(&scene, &job);
        expected = expected * 3 + (uint64_t)n;
    }
    OK(yoke_wait_all(scene.runtime));
    assert_int_equal(scene.rows[0], (int64_t)expected);
    for (n = 0; n < LONG; n++)
        OK(yoke_wait(tickets[n], NULL));
    free(tickets);
    scene_close(&scene);
}

/* --- tickets --- */

static void a_ticket_is_good_once(void **state)
{
    struct scene scene;
    yoke_ticket *ticket, *other;
    yoke_job job;
    (void)state;
    scene_open(&scene);
    atomic_store(&gate, 1);
    ticket = submit_on(&scene, &writing, 0, 10);
    OK(yoke_wait(ticket, NULL));
    REFUSED(yoke_wait(ticket, NULL), YOKE_EINVAL, "once");
    REFUSED(yoke_cancel(ticket), YOKE_EINVAL, "once");
    other = submit_on(&scene, &writing, 0, 10); /* may have the same slot */
    REFUSED(yoke_wait(ticket, NULL), YOKE_EINVAL, "once");
    job = job_on(&scene, &writing, 0, 10);
    job.after = &ticket;
    job.after_count = 1;
    REFUSED(yoke_submit(scene.runtime, &job, &ticket), YOKE_EINVAL, "after");
    job.after_count = -1;
    REFUSED(yoke_submit(scene.runtime, &job, &ticket), YOKE_EINVAL, "after");
    OK(yoke_wait(other, NULL));
    REFUSED(yoke_wait((yoke_ticket *)(uintptr_t)12345, NULL), YOKE_EINVAL, "once");
    scene_close(&scene);
}

static void tickets_end_with_their_runtime(void **state)
{
    struct scene scene;
    yoke_ticket *ticket;
    (void)state;
    scene_open(&scene);
    atomic_store(&gate, 1);
    ticket = submit_on(&scene, &writing, 0, 10);
    scene_close(&scene);
    REFUSED(yoke_wait(ticket, NULL), YOKE_EINVAL, "once");
}

static void jobs_of_another_runtime_are_refused(void **state)
{
    struct scene scene, strange;
    yoke_ticket *ticket, *none;
    yoke_job job;
    (void)state;
    scene_open(&scene);
    yoke_config config = { .devices = "cpu:1" };
    OK(yoke_open(&config, &strange.runtime));
    atomic_store(&gate, 1);
    ticket = submit_on(&scene, &writing, 0, 10);
    job = (yoke_job){ .kernel = &stepping, .after = &ticket, .after_count = 1 };
    int64_t a = 0;
    OK(yoke_array_wrap(strange.runtime, strange.rows, ROWS, sizeof(int64_t), &strange.array));
    job.args[0] = (yoke_arg)yoke_value(a);
    job.args[1] = (yoke_arg)yoke_inout(strange.array);
    REFUSED(yoke_submit(strange.runtime, &job, &none), YOKE_EINVAL, "another runtime");
    OK(yoke_array_close(strange.array));
    OK(yoke_close(strange.runtime));
    OK(yoke_wait(ticket, NULL));
    scene_close(&scene);
}

/* --- ends before the end --- */

static void cancel_stops_a_job_and_who_needs_it(void **state)
{
    struct scene scene;
    yoke_ticket *first, *reader, *independent;
    (void)state;
    scene_open(&scene);
    yoke_job job = job_on(&scene, &writing, 0, ROWS);
    job.partitioner = "dynamic:chunk=1";
    first = submit(&scene, &job);
    reader = submit_on(&scene, &reading, 0, 10);
    wait_inside(4); /* a chunk a lane */
    OK(yoke_cancel(first));
    OK(yoke_cancel(first)); /* once more does no harm */
    atomic_store(&gate, 1);
    REFUSED(yoke_wait(reader, NULL), YOKE_ECANCELED, "needs writing");
    REFUSED(yoke_wait(first, NULL), YOKE_ECANCELED, "was canceled");
    assert_int_equal(atomic_load(&done_items), 4);
    independent = submit_on(&scene, &writing, 0, 10); /* the array is free again */
    OK(yoke_wait(independent, NULL));
    scene_close(&scene);
}

static void a_job_that_waits_can_be_canceled(void **state)
{
    struct scene scene;
    yoke_ticket *first, *second, *third;
    (void)state;
    scene_open(&scene);
    first = submit_on(&scene, &writing, 0, 10);
    second = submit_on(&scene, &writing, 0, 10);
    wait_inside(1);
    OK(yoke_cancel(second));
    third = submit_on(&scene, &writing, 500, 510); /* independent of both */
    atomic_store(&gate, 1);
    OK(yoke_wait(first, NULL));
    REFUSED(yoke_wait(second, NULL), YOKE_ECANCELED, "was canceled");
    OK(yoke_wait(third, NULL));
    assert_int_equal(atomic_load(&done_items), 20);
    scene_close(&scene);
}

static void a_deadline_ends_a_job(void **state)
{
    struct scene scene;
    yoke_job job;
    (void)state;
    scene_open(&scene);
    job = job_on(&scene, &slow_writing, 0, ROWS); /* a second by one lane */
    job.partitioner = "dynamic:chunk=1";
    job.deadline_seconds = 0.02;
    REFUSED(yoke_run(scene.runtime, &job, NULL), YOKE_ETIMEDOUT, "deadline");
    assert_true(atomic_load(&done_items) > 0);
    assert_true(atomic_load(&done_items) < ROWS);
    job.deadline_seconds = 1000;
    atomic_store(&done_items, 0);
    job.range.last = 8;
    OK(yoke_run(scene.runtime, &job, NULL));
    assert_int_equal(atomic_load(&done_items), 8);
    scene_close(&scene);
}

struct watched {
    int64_t latest;
    int calls, stop_after, wrong;
};

static int watch(void *context, int64_t done, int64_t all)
{
    struct watched *watched = context; /* no assertions: it may be a worker's thread */
    watched->wrong |= done <= watched->latest || done > all;
    watched->latest = done;
    return ++watched->calls == watched->stop_after;
}

static void progress_is_told(void **state)
{
    static const char *const partitioners[] = { NULL, "dynamic:chunk=8" };
    struct scene scene;
    int p;
    (void)state;
    scene_open(&scene);
    for (p = 0; p < 2; p++) {
        struct watched watched = { 0 };
        yoke_job job = job_on(&scene, &slow_writing, 0, ROWS);
        job.partitioner = partitioners[p];
        job.progress = watch;
        job.progress_context = &watched;
        OK(yoke_run(scene.runtime, &job, NULL));
        assert_int_equal(watched.latest, ROWS);
        assert_false(watched.wrong);
        assert_true(watched.calls >= 3); /* of 0.25 s */
        watched = (struct watched){ .stop_after = 2 };
        REFUSED(yoke_run(scene.runtime, &job, NULL), YOKE_ECANCELED, "progress");
        assert_int_equal(watched.calls, 2);
    }
    scene_close(&scene);
}

/* --- memory that runs out --- */

static yoke_status few_jobs(struct scene *scene)
{
    yoke_ticket *tickets[6];
    yoke_status status = YOKE_OK, waited;
    int n, count = 0;
    for (n = 0; n < 6 && status == YOKE_OK; n++) {
        int64_t a = n;
        yoke_job job = { .kernel = &stepping,
                         .range = { 100 * (n % 2), 300, { 0, 0 } },
                         .args = { yoke_value(a), yoke_inout(scene->array) },
                         .after = count > 2 ? tickets : NULL,
                         .after_count = count > 2 ? count : 0 };
        status = yoke_submit(scene->runtime, &job, &tickets[count]);
        count += status == YOKE_OK;
    }
    for (n = 0; n < count; n++) {
        waited = yoke_wait(tickets[n], NULL);
        status = status != YOKE_OK ? status : waited;
    }
    return status;
}

static void any_allocation_may_fail(void **state)
{
    struct scene scene;
    int64_t nth;
    int failed = 1;
    (void)state;
    scene_open(&scene);
    OK(few_jobs(&scene));
    for (nth = 1; failed; nth++) {
        int64_t before = yk_alloc_outstanding();
        yk_alloc_fail_at(nth);
        few_jobs(&scene);
        failed = yk_alloc_failed();
        yk_alloc_fail_at(0);
        OK(yoke_wait_all(scene.runtime));
        assert_true(yk_alloc_outstanding() <= before + 64); /* what is learned is kept */
        OK(few_jobs(&scene));
    }
    assert_true(nth > 10);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_run_together_and_writers_wait),
        cmocka_unit_test(jobs_on_other_rows_run_together),
        cmocka_unit_test(after_is_waited_for),
        cmocka_unit_test(any_order_that_is_allowed_is_right),
        cmocka_unit_test(a_long_chain_is_done_in_order),
        cmocka_unit_test(a_ticket_is_good_once),
        cmocka_unit_test(tickets_end_with_their_runtime),
        cmocka_unit_test(jobs_of_another_runtime_are_refused),
        cmocka_unit_test(cancel_stops_a_job_and_who_needs_it),
        cmocka_unit_test(a_job_that_waits_can_be_canceled),
        cmocka_unit_test(a_deadline_ends_a_job),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
