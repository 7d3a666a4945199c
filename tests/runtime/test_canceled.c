/* test_canceled.c - when a cancel counts: either the job is canceled and its sums are unchanged, or
 * its results are stored and it is not canceled. And who can cancel it. */
#include "held_jobs.h"

#include <pthread.h>
#include <stdio.h>

#include "job/job.h"
#include "job/ticket.h"
#include "job_kernels.h"
#include "life/end.h"

enum { INDEXES = 1000, SUMS = 1000 };
static int32_t sums[SUMS];
static const int32_t rows = SUMS;

static yoke_job summing(yoke_array *array)
{
    memset(sums, 0, sizeof sums);
    return (yoke_job){ .kernel = &k_add_some,
                       .range = { 0, INDEXES },
                       .args = { yoke_value(rows), yoke_add_to(array) } };
}

static yoke_array *wrap_sums(yoke_runtime *runtime)
{
    yoke_array *array;
    OK(yoke_array_wrap(runtime, sums, SUMS, sizeof *sums, &array));
    return array;
}

/* --- while results are stored --- */

static yoke_runtime *storing;

/* Merges, and cancels the job when it does so for the array itself, not for two cores' copies. */
static void merge_and_cancel(void *into, const void *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        ((int32_t *)into)[i] += ((const int32_t *)from)[i];
    if (into == sums)
        yoke_cancel_all(storing);
}

static void a_cancel_is_too_late_when_results_are_stored(void **state)
{
    (void)state;
    OK(yoke_open(&(yoke_config){ .devices = "cpu", .threads = 2 }, &storing));
    yoke_array *array = wrap_sums(storing);
    yoke_job job = summing(array);
    job.args[1].merge = merge_and_cancel;
    OK(yoke_run(storing, &job, NULL));
    OK(yoke_array_acquire(array, YOKE_READ));
    for (int i = 0; i < SUMS; i++)
        assert_int_equal(sums[i], 1);
    OK(yoke_array_close(array));
    OK(yoke_close(storing));
}

/* --- while a device fails at the end --- */

static yoke_runtime *failing;
static int late;

/* Is told of the device's failure, with runtime.lock held. */
static void cancel_late(void *context, yoke_log_level level, const char *line)
{
    struct yk_job *job = failing ? failing->first_job : NULL;
    (void)context;
    (void)level;
    if (!job || !strstr(line, "gets no more work") || atomic_load(&job->phase) != YK_ENDING)
        return;
    late++;
    yk_job_cancel(job);
}

/* A GPU that fails when its sums are fetched makes the job run again; a cancel of that time
 * counts. */
static void a_cancel_counts_if_the_job_must_run_again(void **state)
{
    char devices[96];
    (void)state;
    late = 0;
    yoke_set_log(cancel_late, NULL, YOKE_LOG_WARN);
    for (int time_us = 2; time_us < 400; time_us += 2) {
        const int before = late;
        snprintf(devices, sizeof devices,
                 "sim:cpu:cores=1:rate=1e7,sim:gpu:rate=1e7:link=1e8:fail=%dus", time_us);
        OK(yoke_open(&(yoke_config){ .devices = devices }, &failing));
        yoke_array *array = wrap_sums(failing);
        const yoke_job job = summing(array);
        const yoke_status status = yoke_run(failing, &job, NULL);
        assert_int_equal(status, late > before ? YOKE_ECANCELED : YOKE_OK);
        OK(yoke_array_acquire(array, YOKE_READ));
        for (int i = 0; i < SUMS; i++)
            assert_int_equal(sums[i], status == YOKE_OK);
        OK(yoke_array_close(array));
        OK(yoke_close(failing));
        failing = NULL;
    }
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
    assert_true(late > 0);
}

/* --- while a thread waits --- */

static void *wait_for(void *ticket)
{
    return (void *)(intptr_t)yoke_wait(ticket, NULL);
}

static void another_thread_cancels_what_one_waits_for(void **state)
{
    struct scene scene;
    pthread_t waiter;
    void *status;
    (void)state;
    scene_open(&scene);
    yoke_job job = job_on(&scene, &writing, 0, ROWS);
    job.partitioner = "dynamic:chunk=1";
    yoke_ticket *ticket = submit(&scene, &job);
    struct yk_job *held = yk_ticket_hold(ticket, "test");
    wait_inside(4); /* one chunk per lane */
    pthread_create(&waiter, NULL, wait_for, ticket);
    while (!atomic_load(&held->life.awaited))
        nap();
    yk_job_release(held);
    REFUSED(yoke_wait(ticket, NULL), YOKE_EINVAL, "another thread waits for writing");
    OK(yoke_cancel(ticket));
    atomic_store(&gate, 1);
    pthread_join(waiter, &status);
    assert_int_equal((intptr_t)status, YOKE_ECANCELED);
    REFUSED(yoke_cancel(ticket), YOKE_EINVAL, "no job has this ticket");
    REFUSED(yoke_wait(ticket, NULL), YOKE_EINVAL, "no job has this ticket");
    write_again(&scene);
    scene_close(&scene);
}

static _Atomic(yoke_ticket *) reported;
static atomic_int cancel_status;

static int cancel_own(void *context, int64_t done, int64_t all)
{
    (void)context;
    while (!atomic_load(&reported)) /* until yoke_submit has returned */
        nap();
    if (done < all)
        atomic_store(&cancel_status, yoke_cancel(atomic_load(&reported)));
    return 0;
}

static void a_progress_callback_cancels_its_job(void **state)
{
    struct scene scene;
    (void)state;
    scene_open(&scene);
    atomic_store(&reported, NULL);
    atomic_store(&cancel_status, -1);
    yoke_job job = job_on(&scene, &slow_writing, 0, ROWS); /* 1 s on one lane */
    job.partitioner = "dynamic:chunk=8";
    job.progress = cancel_own;
    yoke_ticket *ticket = submit(&scene, &job);
    atomic_store(&reported, ticket);
    REFUSED(yoke_wait(ticket, NULL), YOKE_ECANCELED, "was canceled");
    assert_int_equal(atomic_load(&cancel_status), YOKE_OK);
    write_again(&scene);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cancel_is_too_late_when_results_are_stored),
        cmocka_unit_test(a_cancel_counts_if_the_job_must_run_again),
        cmocka_unit_test(another_thread_cancels_what_one_waits_for),
        cmocka_unit_test(a_progress_callback_cancels_its_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
