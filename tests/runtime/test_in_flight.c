/* test_in_flight.c - calls on arrays and runtimes while jobs are in flight, and impossible results
 * of rows callbacks: the call waits as defined, or returns a status and a message. */
#include <pthread.h>

#include "held_jobs.h"

/* --- calls during jobs --- */

static void *open_gate_later(void *unused)
{
    int i;
    for (i = 0; i < 20; i++)
        nap();
    atomic_store(&gate, 1);
    return unused;
}

static pthread_t later(void *(*run)(void *context), void *context)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run, context), 0);
    return thread;
}

/* Every call on the array waits for the job that writes it. */
static void acquire_waits_for_writers(void **state)
{
    static const yoke_access_mode modes[] = { YOKE_READ, YOKE_WRITE, YOKE_READ_WRITE };
    struct scene scene;
    size_t m;
    (void)state;
    for (m = 0; m < sizeof modes / sizeof *modes; m++) {
        pthread_t thread;
        scene_open(&scene);
        submit_on(&scene, &writing, 0, ROWS);
        wait_inside(1);
        thread = later(open_gate_later, NULL);
        OK(yoke_array_acquire(scene.array, modes[m]));
        assert_int_equal(atomic_load(&done_items), ROWS);
        OK(yoke_array_release(scene.array));
        pthread_join(thread, NULL);
        scene_close(&scene);
    }
}

static void closing_waits(void **state)
{
    struct scene scene;
    yoke_ticket *ticket;
    pthread_t thread;
    (void)state;
    scene_open(&scene);
    ticket = submit_on(&scene, &writing, 0, ROWS);
    submit_on(&scene, &reading, 5, 5); /* over no rows, but it uses the array */
    wait_inside(1);
    thread = later(open_gate_later, NULL);
    REFUSED(yoke_close(scene.runtime), YOKE_EBUSY, "close them first"); /* after the job */
    assert_int_equal(atomic_load(&done_items), ROWS);
    pthread_join(thread, NULL);
    atomic_store(&gate, 0);
    atomic_store(&inside, 0);
    submit_on(&scene, &writing, 0, ROWS);
    wait_inside(1);
    thread = later(open_gate_later, NULL);
    OK(yoke_array_close(scene.array));
    assert_int_equal(atomic_load(&done_items), 2 * ROWS);
    pthread_join(thread, NULL);
    OK(yoke_close(scene.runtime));
    REFUSED(yoke_wait(ticket, NULL), YOKE_EINVAL, "once");
}

/* --- two threads that acquire for writing --- */

struct other {
    yoke_array *array;
    yoke_access_mode mode;
    yoke_status status;
    char text[256];
};

static void *acquire_elsewhere(void *context)
{
    struct other *other = context;
    other->status = yoke_array_acquire(other->array, other->mode);
    strncpy(other->text, yoke_error_text(), sizeof other->text - 1);
    if (other->status == YOKE_OK)
        yoke_array_release(other->array);
    return NULL;
}

static void ask_elsewhere(struct other *other)
{
    pthread_join(later(acquire_elsewhere, other), NULL);
}

static void one_thread_writes_at_a_time(void **state)
{
    struct scene scene;
    struct other other;
    int mode;
    (void)state;
    scene_open(&scene);
    OK(yoke_array_acquire_rows(scene.array, YOKE_WRITE, 0, 10));
    for (mode = YOKE_READ; mode <= YOKE_READ_WRITE; mode++) {
        other = (struct other){ .array = scene.array, .mode = (yoke_access_mode)mode };
        ask_elsewhere(&other);
        assert_int_equal(other.status, YOKE_EBUSY);
        assert_non_null(strstr(other.text, "by another thread"));
    }
    OK(yoke_array_acquire_rows(scene.array, YOKE_READ_WRITE, 10, 20)); /* this thread may */
    OK(yoke_array_release(scene.array));
    other = (struct other){ .array = scene.array, .mode = YOKE_WRITE };
    ask_elsewhere(&other);
    assert_int_equal(other.status, YOKE_OK);
    scene_close(&scene);
}

/* --- rows functions --- */

/* The result for the range that starts at `from`; all other ranges get the correct one. */
struct said {
    int64_t from, last;
    yoke_rows rows;
};

static yoke_rows say(const void *context, yoke_rows range)
{
    const struct said *said = context;
    if (range.first == said->from && (said->last == 0 || range.last == said->last))
        return said->rows;
    return range;
}

static void refuse_rows(struct scene *scene, const yoke_kernel *kernel, const struct said *said,
                        const char *words)
{
    yoke_job job = job_on(scene, kernel, 0, 100);
    job.args[0].shape = YOKE_CUSTOM;
    job.args[0].rows = say;
    job.args[0].rows_context = said;
    job.partitioner = "dynamic:chunk=10";
    REFUSED(yoke_run(scene->runtime, &job, NULL), YOKE_EINVAL, words);
}

static void rows_functions_that_cannot_be(void **state)
{
    struct scene scene;
    (void)state;
    scene_open(&scene);
    atomic_store(&gate, 1);
    refuse_rows(&scene, &reading, &(struct said){ 0, 100, { -1, 100 } }, "[0, 1000)");
    refuse_rows(&scene, &reading, &(struct said){ 0, 100, { 0, ROWS + 1 } }, "[0, 1000)");
    refuse_rows(&scene, &reading, &(struct said){ 0, 100, { 7, 3 } }, "[7, 3)");
    refuse_rows(&scene, &reading, &(struct said){ 0, 50, { 40, 101 } }, "a part of [0, 100)");
    refuse_rows(&scene, &writing, &(struct said){ 0, 50, { 0, 51 } }, "one index only");
    assert_int_equal(atomic_load(&inside), 0);
    /* An error that only a chunk shows ends the job. */
    refuse_rows(&scene, &reading, &(struct said){ 30, 40, { 90, 110 } }, "not among the rows");
    scene_close(&scene);
}

/* Correct for halves; their parts write at the opposite end. */
static yoke_rows say_mirrored(const void *context, yoke_rows range)
{
    (void)context;
    return range.last - range.first >= 50 ? range
                                          : (yoke_rows){ 100 - range.last, 100 - range.first };
}

/* For a CPU device the callback is called once for the rows that all pieces of a lease write. */
static void pieces_write_what_all_of_them_do(void **state)
{
    struct scene scene;
    yoke_job job;
    (void)state;
    scene_open(&scene);
    atomic_store(&gate, 1);
    job = job_on(&scene, &writing, 0, 100);
    job.args[0].shape = YOKE_CUSTOM;
    job.args[0].rows = say_mirrored;
    job.partitioner = "demand:dd=2"; /* two leases of 50 */
    REFUSED(yoke_run(scene.runtime, &job, NULL), YOKE_EINVAL, "50) of indexes [0, 50)");
    write_again(&scene);
    scene_close(&scene);
}

static void no_rows_are_fine(void **state)
{
    struct scene scene;
    const struct said nothing = { 50, 0, { 3, 3 } };
    yoke_job job;
    (void)state;
    scene_open(&scene);
    atomic_store(&gate, 1);
    job = job_on(&scene, &reading, 0, 100);
    job.args[0].shape = YOKE_CUSTOM;
    job.args[0].rows = say;
    job.args[0].rows_context = &nothing;
    job.partitioner = "dynamic:chunk=50";
    OK(yoke_run(scene.runtime, &job, NULL));
    assert_int_equal(atomic_load(&done_items), 100);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acquire_waits_for_writers),
        cmocka_unit_test(closing_waits),
        cmocka_unit_test(one_thread_writes_at_a_time),
        cmocka_unit_test(rows_functions_that_cannot_be),
        cmocka_unit_test(pieces_write_what_all_of_them_do),
        cmocka_unit_test(no_rows_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
