/* test_canceled.c - when a cancel counts: either the job is canceled and its sums are unchanged, or
 * its results are stored and it is not canceled. */
#include "held_jobs.h"

#include <stdio.h>

#include "job/job.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cancel_is_too_late_when_results_are_stored),
        cmocka_unit_test(a_cancel_counts_if_the_job_must_run_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
