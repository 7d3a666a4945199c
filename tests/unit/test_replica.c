/* test_replica.c - what happens to rows while they are written back: somebody overwrites them at
 * the host, wants their replica, or writes them elsewhere. The model of coherence says what must
 * not (tests/model).
 *
 * The device is a stand-in with room for one replica. Its copies are made when they are waited for,
 * and before that they let the test act, so that each moment is met every time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array/array.h"
#include "base/alloc.h"
#include "platform/thread.h"

enum { ROWS = 16, FIRST = 1, SECOND = 2, OLD = 1, NEW = 2 };

/* --- the device --- */

struct yk_buffer {
    char bytes[64];
};
struct yk_event {
    struct yk_copy copy;
};

static int buffers[3], room; /* by place: how many there are, and how many there may be */
static void (*before_landing)(void);

static int number_of(const struct yk_device *device)
{
    return device->desc.lanes;
}

static yoke_status stand_in_alloc(struct yk_device *device, int64_t bytes, struct yk_buffer **out)
{
    assert_true(bytes <= (int64_t)sizeof(**out).bytes);
    if (buffers[number_of(device)] == room)
        return YOKE_ENOMEM;
    buffers[number_of(device)]++;
    *out = calloc(1, sizeof **out);
    return *out ? YOKE_OK : YOKE_ENOMEM;
}

static void stand_in_free(struct yk_device *device, struct yk_buffer *buffer)
{
    buffers[number_of(device)]--;
    free(buffer);
}

static yoke_status stand_in_queue_open(struct yk_device *device, struct yk_queue **out)
{
    *out = (struct yk_queue *)device;
    return YOKE_OK;
}

static void stand_in_queue_close(struct yk_queue *queue)
{
    (void)queue;
}

static yoke_status stand_in_copy(struct yk_queue *queue, const struct yk_copy *copy,
                                 struct yk_event **event)
{
    (void)queue;
    *event = calloc(1, sizeof **event);
    (*event)->copy = *copy;
    return YOKE_OK;
}

static yoke_status stand_in_wait(struct yk_event *event)
{
    const struct yk_copy *copy = &event->copy;
    char *there = copy->buffer->bytes + copy->offset;
    void (*act)(void) = before_landing;
    before_landing = NULL;
    if (act)
        act();
    memcpy(copy->host, there, (size_t)copy->bytes); /* all copies here go home */
    return YOKE_OK;
}

static void stand_in_event_close(struct yk_event *event)
{
    free(event);
}

static void stand_in_close(struct yk_device *device)
{
    (void)device;
}

static const struct yk_backend stand_in = { .name = "stand-in",
                                            .close = stand_in_close,
                                            .alloc = stand_in_alloc,
                                            .free = stand_in_free,
                                            .queue_open = stand_in_queue_open,
                                            .queue_close = stand_in_queue_close,
                                            .copy = stand_in_copy,
                                            .wait = stand_in_wait,
                                            .event_close = stand_in_event_close };

/* --- two such devices and two arrays --- */

static struct yk_places places;
static struct yk_device devices[3];
static int host[2][ROWS];
static yoke_array *array, *other;
static struct yk_thread thread;
static int started;

static struct yk_interval rows(int64_t first, int64_t last)
{
    return (struct yk_interval){ first, last };
}

static int open_all(void **state)
{
    yoke_array_spec spec = { .host = host[0], .rows = ROWS, .element_size = sizeof(int) };
    int number;
    (void)state;
    room = 1;
    started = 0;
    memset(host, 0, sizeof host);
    memset(&places, 0, sizeof places);
    assert_int_equal(yk_mutex_open(&places.evict_lock), YOKE_OK);
    for (number = FIRST; number <= SECOND; number++) {
        devices[number] = (struct yk_device){ .backend = &stand_in, .desc = { .lanes = number } };
        assert_int_equal(yk_place_open(&devices[number], number, &places.items[number - FIRST]),
                         YOKE_OK);
    }
    atomic_init(&places.count, 2);
    assert_int_equal(yk_array_open(&places, &spec, &array), YOKE_OK);
    spec.host = host[1];
    assert_int_equal(yk_array_open(&places, &spec, &other), YOKE_OK);
    atomic_store(&array->host_only, 0);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    yk_array_close(array);
    yk_array_close(other);
    yk_place_close(&places.items[0]);
    yk_place_close(&places.items[1]);
    yk_mutex_close(&places.evict_lock);
    assert_int_equal(buffers[FIRST] + buffers[SECOND], 0);
    return 0;
}

/* A kernel at the place has written OLD to these rows, and its job is over. */
static void write_there(int number, struct yk_interval of)
{
    struct yk_replica *replica;
    int64_t row;
    assert_int_equal(yk_replica_hold(array, &places.items[number - FIRST], &replica), YOKE_OK);
    for (row = of.first; row < of.last; row++)
        ((int *)replica->buffer->bytes)[row] = OLD;
    assert_int_equal(yk_transfer_written(array, number, of), YOKE_OK);
    yk_replica_release(replica);
}

/* Lets somebody else act while a copy is under way, who has time enough unless he waits for it. */
static void meanwhile(void (*run)(void *context))
{
    const struct timespec enough = { .tv_nsec = 50000000 };
    struct yk_thread_spec spec = { .name = "meanwhile", .cpu = -1, .run = run };
    assert_int_equal(yk_thread_open(&spec, &thread), YOKE_OK);
    started = 1;
    nanosleep(&enough, NULL);
}

static void evict_for_other(void)
{
    struct yk_replica *replica;
    assert_int_equal(yk_replica_hold(other, &places.items[0], &replica), YOKE_OK);
    yk_replica_release(replica);
    assert_true(started);
    yk_thread_join(&thread);
}

static void overwrite(void *context)
{
    int row;
    (void)context;
    if (yk_transfer_written(array, YK_HOST, rows(0, ROWS)) == YOKE_OK)
        for (row = 0; row < ROWS; row++)
            host[0][row] = NEW;
}

static void meanwhile_overwrite(void)
{
    meanwhile(overwrite);
}

/* The program acquires rows for writing while their old version is on its way home. */
static void test_overwritten_at_host(void **state)
{
    int row;
    (void)state;
    write_there(FIRST, rows(0, ROWS));
    before_landing = meanwhile_overwrite;
    evict_for_other();
    for (row = 0; row < ROWS; row++)
        assert_int_equal(host[0][row], NEW);
}

static struct yk_replica *held;

static void hold(void *context)
{
    (void)context;
    if (yk_replica_hold(array, &places.items[0], &held) != YOKE_OK)
        held = NULL;
}

static void meanwhile_hold(void)
{
    room = 2; /* for the one who waits */
    meanwhile(hold);
}

/* A job wants the replica that is being evicted: it gets one, with memory, and keeps it. */
static void test_held_while_evicted(void **state)
{
    int row;
    (void)state;
    write_there(FIRST, rows(0, ROWS));
    before_landing = meanwhile_hold;
    evict_for_other();
    assert_non_null(held);
    assert_non_null(held->buffer);
    assert_int_equal(held->users, 1);
    yk_replica_release(held);
    for (row = 0; row < ROWS; row++)
        assert_int_equal(host[0][row], OLD);
    assert_int_equal(yk_array_missing(array, YK_HOST, rows(0, ROWS)), 0);
}

static void write_at_first(void)
{
    write_there(FIRST, rows(2, ROWS));
}

/* Rows of two devices are fetched; those of the second are written by the first meanwhile. */
static void test_source_changes(void **state)
{
    (void)state;
    write_there(FIRST, rows(0, 2));
    write_there(SECOND, rows(2, ROWS));
    before_landing = write_at_first;
    assert_int_equal(yk_transfer_home(array, rows(0, ROWS)), YOKE_OK);
    assert_int_equal(yk_array_missing(array, YK_HOST, rows(0, ROWS)), 0);
    assert_int_equal(yk_array_missing(array, SECOND, rows(0, ROWS)), ROWS);
}

/* Another device has written the rows, changes them in place for the next job, and sends that home
 * as soon as it is done. */
static void send_home(void *context)
{
    int row;
    (void)context;
    if (yk_transfer_written(array, SECOND, rows(0, ROWS)) != YOKE_OK)
        return;
    yk_transfer_await_landing(array, rows(0, ROWS));
    for (row = 0; row < ROWS; row++)
        host[0][row] = NEW;
    if (yk_transfer_written_home(array, SECOND, rows(0, ROWS)) != YOKE_OK)
        host[0][0] = OLD;
}

static void meanwhile_send_home(void)
{
    meanwhile(send_home);
}

static void test_results_sent_home(void **state)
{
    int row;
    (void)state;
    write_there(FIRST, rows(0, ROWS));
    before_landing = meanwhile_send_home;
    evict_for_other();
    for (row = 0; row < ROWS; row++)
        assert_int_equal(host[0][row], NEW);
    assert_int_equal(yk_array_missing(array, YK_HOST, rows(0, ROWS)), 0);
}

/* Its results are home when the device is written off: they count. */
static void test_results_survive_their_device(void **state)
{
    int64_t lost;
    (void)state;
    assert_int_equal(yk_transfer_written_home(array, FIRST, rows(0, 2)), YOKE_OK);
    yk_transfer_place_failed(array, FIRST, &lost);
    assert_int_equal(lost, 0);
    assert_int_equal(yk_transfer_written_home(array, FIRST, rows(2, ROWS)), YOKE_OK);
    assert_int_equal(yk_array_missing(array, YK_HOST, rows(0, ROWS)), 0);
}

static int ready_then;

static void ask_then(void)
{
    ready_then = yk_transfer_is_ready(array, rows(0, 1), YK_HOST_WRITES);
}

/* A core may go on without another word only where the host has everything. */
static void test_ready_for_cores(void **state)
{
    (void)state;
    write_there(FIRST, rows(1, ROWS));
    assert_true(yk_transfer_is_ready(array, rows(0, 1), YK_HOST_WRITES));
    assert_false(yk_transfer_is_ready(array, rows(0, 2), YK_HOST_READS));
    assert_false(yk_transfer_is_ready(array, rows(0, 2), YK_HOST_WRITES));
    assert_int_equal(yk_array_missing(array, FIRST, rows(1, ROWS)), 0); /* nothing is changed */
    /* A copy home is under way beside it, or over it. */
    ready_then = -1;
    before_landing = ask_then;
    assert_int_equal(yk_transfer_home(array, rows(1, 3)), YOKE_OK);
    assert_int_equal(ready_then, 1);
    assert_int_equal(yk_transfer_written(array, FIRST, rows(0, ROWS)), YOKE_OK);
    ready_then = -1;
    before_landing = ask_then;
    assert_int_equal(yk_transfer_home(array, rows(0, ROWS)), YOKE_OK);
    assert_int_equal(ready_then, 0);
    assert_true(yk_transfer_is_ready(array, rows(0, ROWS), YK_HOST_READS));
    assert_int_equal(yk_array_missing(array, FIRST, rows(0, ROWS)), 0);
    assert_true(yk_transfer_is_ready(array, rows(0, 2), YK_HOST_WRITES));
    assert_int_equal(yk_array_missing(array, FIRST, rows(0, ROWS)), 2);
    atomic_store(&array->spoiled, 1);
    assert_false(yk_transfer_is_ready(array, rows(0, ROWS), YK_HOST_READS));
}

/* Where nothing is under way nobody waits, whatever rows are called. */
static void test_nothing_lands(void **state)
{
    yoke_array_spec spec = {
        .host = host[1], .rows = ROWS, .first_row = -2, .element_size = sizeof(int)
    };
    yoke_array *before_zero;
    (void)state;
    assert_int_equal(yk_array_open(&places, &spec, &before_zero), YOKE_OK);
    atomic_store(&before_zero->host_only, 0);
    assert_int_equal(yk_transfer_written(before_zero, YK_HOST, rows(-2, 2)), YOKE_OK);
    yk_array_close(before_zero);
}

static void lack_memory(void)
{
    yk_alloc_fail_at(1);
}

/* There is no memory to note that a row has come home: it counts as not come, and nothing as still
 * on its way. Single rows fill the map of who has them up to its last run. */
static void test_arrival_not_noted(void **state)
{
    int row;
    (void)state;
    for (row = 1; row < ROWS - 2; row += 2)
        write_there(FIRST, rows(row, row + 1));
    before_landing = lack_memory;
    assert_int_equal(yk_transfer_home(array, rows(1, 2)), YOKE_ENOMEM);
    assert_true(yk_alloc_failed());
    assert_false(yk_coherence_flying(array->coherence, YK_HOST, rows(0, ROWS)));
    assert_int_equal(yk_transfer_home(array, rows(0, ROWS)), YOKE_OK);
    assert_int_equal(yk_array_missing(array, YK_HOST, rows(0, ROWS)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_overwritten_at_host, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_held_while_evicted, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_source_changes, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_results_sent_home, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_results_survive_their_device, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_ready_for_cores, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_nothing_lands, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_arrival_not_noted, open_all, close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
