/* test_jobs.c - many jobs at once: order, and tickets. For random jobs see test_random_jobs.c. */
#include <stdlib.h>

#include "array/array.h"
#include "held_jobs.h"
#include "job/array_handle.h"
#include "job/order.h"

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

/* An empty range between the rows of others conflicts with no job. */
static void jobs_over_no_rows_conflict_with_nobody(void **state)
{
    struct scene scene;
    yoke_ticket *first, *empty;
    (void)state;
    scene_open(&scene);
    first = submit_on(&scene, &writing, 0, 300);
    empty = submit_on(&scene, &writing, 100, 100);
    wait_inside(1);
    OK(yoke_wait(empty, NULL)); /* while the gate is closed */
    OK(yoke_cancel(first));
    empty = submit_on(&scene, &writing, 100, 100);
    atomic_store(&gate, 1);
    OK(yoke_wait(empty, NULL)); /* it does not depend on the canceled job */
    REFUSED(yoke_wait(first, NULL), YOKE_ECANCELED, "canceled");
    write_again(&scene);
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

static int uses_of(const yoke_array *handle)
{
    const yoke_array *array = yk_array_of(handle, "uses_of");
    const struct yk_use *lists[] = { array->readers, array->writers, array->overwritten };
    int count = 0;
    for (int l = 0; l < 3; l++)
        for (; lists[l]; lists[l] = lists[l]->next)
            count++;
    return count;
}

/* The n-th of a queue of stencils. They read a row more at both ends than they write; every 50th
 * job writes an end instead. */
static yoke_job stencil(yoke_array *const array[2], int64_t n)
{
    const int64_t end = n / 50 % 2 * (ROWS - 1);
    if (n % 50 == 49)
        return (yoke_job){ .kernel = &stepping,
                           .range = { end, end + 1 },
                           .args = { yoke_value(n), yoke_inout(array[n % 2]) } };
    return (yoke_job){ .kernel = &smoothing,
                       .range = { 1, ROWS - 1 },
                       .args = { yoke_in_halo(array[n % 2], 1, 1), yoke_out(array[1 - n % 2]) } };
}

static void do_alone(int64_t rows[2][ROWS], int64_t n)
{
    const int64_t end = n / 50 % 2 * (ROWS - 1), *x = rows[n % 2];
    if (n % 50 == 49)
        rows[n % 2][end] = (int64_t)((uint64_t)x[end] * 3 + (uint64_t)n);
    else
        for (int i = 1; i < ROWS - 1; i++)
            rows[1 - n % 2][i] = (int64_t)((uint64_t)x[i - 1] * 3 + (uint64_t)x[i + 1]);
}

/* Otherwise each stencil would wait for all before it, and a queue would take a time quadratic in
 * its length. */
static void stencils_are_listed_once(void **state)
{
    enum { LONG = 2000 };
    static int64_t other[ROWS], expected[2][ROWS];
    struct scene scene;
    yoke_array *array[2];
    int64_t n;
    (void)state;
    scene_open(&scene);
    OK(yoke_array_wrap(scene.runtime, other, ROWS, sizeof *other, &array[1]));
    array[0] = scene.array;
    memcpy(expected[0], scene.rows, sizeof expected[0]);
    yoke_ticket *held = submit_on(&scene, &writing, 0, ROWS),
                **tickets = malloc(LONG * sizeof held);
    for (n = 0; n < LONG; n++) {
        const yoke_job job = stencil(array, n);
        tickets[n] = submit(&scene, &job);
        do_alone(expected, n);
    }
    assert_in_range(uses_of(array[0]), 2, 5);
    assert_in_range(uses_of(array[1]), 2, 5);
    atomic_store(&gate, 1);
    OK(yoke_wait(held, NULL));
    for (n = 0; n < LONG; n++)
        OK(yoke_wait(tickets[n], NULL));
    OK(yoke_array_close(array[1]));
    assert_memory_equal(scene.rows, expected[0], sizeof expected[0]);
    assert_memory_equal(other, expected[1], sizeof expected[1]);
    free(tickets);
    scene_close(&scene);
}

/* Two CPU devices, and a job that takes one core almost no time according to the forecast: only one
 * sleeping thread is woken, but chunks reserved for the other device must be announced there. */
static void a_job_that_seems_short_is_told_to_all(void **state)
{
    static const char *const partitioners[] = { NULL, "even", "dynamic:chunk=3", "guided" };
    static int64_t rows[ROWS];
    yoke_runtime *runtime;
    yoke_array *array;
    int n;
    (void)state;
    OK(yoke_open(&(yoke_config){ .devices = "cpu:2,cpu:1" }, &runtime));
    OK(yoke_array_wrap(runtime, rows, ROWS, sizeof *rows, &array));
    for (n = 0; n < 400; n++) {
        int64_t a = n;
        yoke_ticket *ticket;
        yoke_job job = { .kernel = &stepping,
                         .range = { 0, 200, { 0, 0 } },
                         .args = { yoke_value(a), yoke_inout(array) },
                         .partitioner = partitioners[n % 4] };
        if (n % 20 == 0)
            nap(); /* the threads fall asleep */
        OK(yoke_submit(runtime, &job, &ticket));
        OK(yoke_wait(ticket, NULL));
    }
    OK(yoke_array_close(array));
    OK(yoke_close(runtime));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_run_together_and_writers_wait),
        cmocka_unit_test(jobs_on_other_rows_run_together),
        cmocka_unit_test(jobs_over_no_rows_conflict_with_nobody),
        cmocka_unit_test(after_is_waited_for),
        cmocka_unit_test(a_long_chain_is_done_in_order),
        cmocka_unit_test(stencils_are_listed_once),
        cmocka_unit_test(a_job_that_seems_short_is_told_to_all),
        cmocka_unit_test(a_ticket_is_good_once),
        cmocka_unit_test(tickets_end_with_their_runtime),
        cmocka_unit_test(jobs_of_another_runtime_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
