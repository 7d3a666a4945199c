/* test_endings.c - jobs that end before they are done: canceled, overdue, stopped by the progress
 * callback, or for lack of memory. */
#include "held_jobs.h"

#include <pthread.h>

#include "base/alloc.h"
#include "job_kernels.h"
#include "under_sanitizer.h"

/* --- jobs that are stopped --- */

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
    wait_inside(4); /* one chunk per lane */
    OK(yoke_cancel(first));
    OK(yoke_cancel(first)); /* a second time has no effect */
    atomic_store(&gate, 1);
    REFUSED(yoke_wait(reader, NULL), YOKE_ECANCELED, "needs writing");
    REFUSED(yoke_wait(first, NULL), YOKE_ECANCELED, "was canceled");
    assert_int_equal(atomic_load(&done_items), 4);
    /* four rows are new, the others old, and it is unknown which */
    assert_int_equal(yoke_array_acquire(scene.array, YOKE_READ), YOKE_ELOST);
    REFUSED(yoke_wait(submit_on(&scene, &reading, 5, 6), NULL), YOKE_ELOST, "lost");
    OK(yoke_array_acquire_rows(scene.array, YOKE_WRITE, 0, 10));
    OK(yoke_array_release(scene.array));
    independent = submit_on(&scene, &writing, 0, 10); /* the array is usable again */
    OK(yoke_wait(independent, NULL));
    OK(yoke_array_acquire_rows(scene.array, YOKE_READ, 0, 10)); /* written again */
    assert_int_equal(yoke_array_acquire_rows(scene.array, YOKE_READ, 0, 11), YOKE_ELOST);
    write_again(&scene);
    OK(yoke_array_acquire(scene.array, YOKE_READ));
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
    OK(yoke_array_acquire(scene.array, YOKE_READ)); /* it had not begun anything */
    scene_close(&scene);
}

/* More jobs than are held at once, of all kinds: running, waiting for each other, and one in
 * yoke_run. */
static void all_jobs_of_a_runtime_can_be_canceled(void **state)
{
    enum { JOBS = 50 };
    struct scene scene;
    yoke_ticket *tickets[JOBS], *after;
    int i;
    (void)state;
    scene_open(&scene);
    yoke_job job = job_on(&scene, &writing, 0, ROWS);
    job.partitioner = "dynamic:chunk=1";
    OK(yoke_cancel_all(scene.runtime)); /* there is none */
    for (i = 0; i < JOBS; i++)
        tickets[i] = submit(&scene, &job);
    wait_inside(4); /* one chunk per lane */
    OK(yoke_cancel_all(scene.runtime));
    atomic_store(&gate, 1);
    for (i = 0; i < JOBS; i++)
        REFUSED(yoke_wait(tickets[i], NULL), YOKE_ECANCELED, "writing");
    assert_int_equal(atomic_load(&done_items), 4);
    write_again(&scene);
    after = submit_on(&scene, &writing, 0, 10); /* later jobs are not canceled */
    OK(yoke_wait(after, NULL));
    REFUSED(yoke_cancel_all(NULL), YOKE_EINVAL, "NULL");
    scene_close(&scene);
}

static void *cancel_all(void *runtime)
{
    while (!atomic_load(&inside))
        nap();
    yoke_cancel_all(runtime); /* the run's status shows whether it worked */
    atomic_store(&gate, 1);
    return NULL;
}

static void a_running_call_can_be_canceled_by_another_thread(void **state)
{
    struct scene scene;
    pthread_t other;
    (void)state;
    scene_open(&scene);
    yoke_job job = job_on(&scene, &writing, 0, ROWS);
    job.partitioner = "dynamic:chunk=1";
    pthread_create(&other, NULL, cancel_all, scene.runtime);
    REFUSED(yoke_run(scene.runtime, &job, NULL), YOKE_ECANCELED, "was canceled");
    pthread_join(other, NULL);
    assert_true(atomic_load(&done_items) < ROWS);
    write_again(&scene);
    scene_close(&scene);
}

static void a_deadline_ends_a_job(void **state)
{
    struct scene scene;
    yoke_job job;
    (void)state;
    scene_open(&scene);
    job = job_on(&scene, &slow_writing, 0, ROWS); /* 1 s on one lane */
    job.partitioner = "dynamic:chunk=1";
    job.deadline_seconds = 0.02;
    REFUSED(yoke_run(scene.runtime, &job, NULL), YOKE_ETIMEDOUT, "deadline");
    assert_true(atomic_load(&done_items) > 0);
    assert_true(atomic_load(&done_items) < ROWS);
    write_again(&scene);
    job.deadline_seconds = 1000;
    atomic_store(&done_items, 0);
    job.range.last = 8;
    OK(yoke_run(scene.runtime, &job, NULL));
    assert_int_equal(atomic_load(&done_items), 8);
    scene_close(&scene);
}

struct watched {
    int64_t latest;
    int calls, stop_after, stop_at_end, wrong;
};

static int watch(void *context, int64_t done, int64_t all)
{
    struct watched *watched = context; /* no assertions: it may be a worker's thread */
    watched->wrong |= done <= watched->latest || done > all;
    watched->latest = done;
    return ++watched->calls == watched->stop_after || (watched->stop_at_end && done == all);
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
        assert_true(watched.calls >= 3); /* every 0.25 s */
        watched = (struct watched){ .stop_after = 2 };
        REFUSED(yoke_run(scene.runtime, &job, NULL), YOKE_ECANCELED, "progress");
        assert_int_equal(watched.calls, 2);
        write_again(&scene);
        watched = (struct watched){ .stop_at_end = 1 }; /* too late: all is done */
        OK(yoke_run(scene.runtime, &job, NULL));
    }
    scene_close(&scene);
}

/* --- memory that runs out --- */

/* A job that fails before it starts, and one that is not done because it needs it: a program that
 * does not look at their outcomes must not get old rows. Then the arrays are usable again. */
static void rows_of_jobs_that_cannot_start_are_lost(void **state)
{
    enum { N = 20000 }; /* 160 kB, more than the device has */
    static pair_t pairs[3][N];
    yoke_array *arrays[3];
    const int64_t n = N;
    yoke_runtime *rt = open_runtime("sim:gpu:mem=100K");
    yoke_ticket *first, *second, *third;
    int a;
    (void)state;
    for (a = 0; a < 3; a++)
        OK(yoke_array_wrap(rt, pairs[a], N, sizeof(pair_t), &arrays[a]));
    yoke_job gather = { .kernel = &k_gather,
                        .range = { 10, N },
                        .args = { yoke_value(n), yoke_in_whole(arrays[0]), yoke_out(arrays[1]) } };
    yoke_job scale = gather;
    scale.args[1] = (yoke_arg)yoke_in_whole(arrays[1]);
    scale.args[2] = (yoke_arg)yoke_out(arrays[2]);
    OK(yoke_submit(rt, &gather, &first));
    OK(yoke_submit(rt, &scale, &second));
    scale.args[1] = (yoke_arg)yoke_in_whole(arrays[2]);
    scale.args[2] = (yoke_arg)yoke_out(arrays[0]);
    OK(yoke_submit(rt, &scale, &third));
    for (a = 0; a < 3; a++) {
        assert_int_equal(yoke_array_acquire(arrays[a], YOKE_READ), YOKE_ELOST);
        OK(yoke_array_acquire_rows(arrays[a], YOKE_READ, 0, 10)); /* it does not write these */
        OK(yoke_array_acquire(arrays[a], YOKE_WRITE));
        OK(yoke_array_release(arrays[a]));
    }
    REFUSED(yoke_wait(first, NULL), YOKE_ENOMEM, "no device is left");
    REFUSED(yoke_wait(second, NULL), YOKE_ECANCELED, "needs");
    REFUSED(yoke_wait(third, NULL), YOKE_ECANCELED, "no device is left");
    assert_null(strstr(strstr(yoke_error_text(), "which failed") + 1, "which failed"));
    scale.range.first = N + 1;
    REFUSED(yoke_run(rt, &scale, NULL), YOKE_EINVAL, "range"); /* a refused job loses nothing */
    for (a = 0; a < 3; a++)
        OK(yoke_array_close(arrays[a]));
    OK(yoke_close(rt));
}

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
    for (nth = 1; failed; nth += WALK_STRIDE) {
        int64_t before = yk_alloc_outstanding();
        yk_alloc_fail_at(nth);
        few_jobs(&scene);
        failed = yk_alloc_failed();
        yk_alloc_fail_at(0);
        OK(yoke_wait_all(scene.runtime));
        write_again(&scene);
        assert_true(yk_alloc_outstanding() <= before + 64); /* learned data are kept */
        OK(few_jobs(&scene));
    }
    assert_true(nth > 10);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancel_stops_a_job_and_who_needs_it),
        cmocka_unit_test(a_job_that_waits_can_be_canceled),
        cmocka_unit_test(all_jobs_of_a_runtime_can_be_canceled),
        cmocka_unit_test(a_running_call_can_be_canceled_by_another_thread),
        cmocka_unit_test(a_deadline_ends_a_job),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(rows_of_jobs_that_cannot_start_are_lost),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
