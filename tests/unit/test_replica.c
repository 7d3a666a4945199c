/* test_replica.c - rows that are being written back while another thread overwrites them on the
 * host, needs their replica, or writes them elsewhere. The model of coherence says what must not
 * happen (tests/model). */
#include "base/alloc.h"
#include "places_bench.h"

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

/* The program acquires rows for writing while their old version is being copied home. */
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
    if (yk_replica_claim(array, &places.items[0], NULL, &held) != YOKE_OK)
        held = NULL;
}

static void meanwhile_hold(void)
{
    room = 2; /* for the waiting thread */
    meanwhile(hold);
}

/* A job needs the replica that is being evicted: it gets one, with memory, and keeps it. */
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
    yk_replica_unclaim(held, NULL);
    for (row = 0; row < ROWS; row++)
        assert_int_equal(host[0][row], OLD);
    assert_int_equal(yk_array_missing(array, YK_HOST, rows(0, ROWS)), 0);
}

static void write_last_at_first(void)
{
    write_there(FIRST, rows(ROWS - 1, ROWS));
}

/* More parts of two devices are fetched than come at the same time; meanwhile the first device
 * writes a part of the second that is not on its way yet. */
static void test_source_changes(void **state)
{
    int row;
    (void)state;
    for (row = 0; row < ROWS; row++)
        write_there(row % 2 ? SECOND : FIRST, rows(row, row + 1));
    before_landing = write_last_at_first;
    assert_int_equal(yk_transfer_home(array, rows(0, ROWS)), YOKE_OK);
    assert_int_equal(yk_array_missing(array, YK_HOST, rows(0, ROWS)), 0);
    assert_int_equal(yk_array_missing(array, SECOND, rows(ROWS - 1, ROWS)), 1);
}

/* Another device has written the rows, changes them in place for the next job, and sends them home
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

/* Its results are home when the device is given up: they count. */
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

/* A core may continue without a check only if the host has all rows. */
static void test_ready_for_cores(void **state)
{
    (void)state;
    write_there(FIRST, rows(1, ROWS));
    assert_true(yk_transfer_is_ready(array, rows(0, 1), YK_HOST_WRITES));
    assert_false(yk_transfer_is_ready(array, rows(0, 2), YK_HOST_READS));
    assert_false(yk_transfer_is_ready(array, rows(0, 2), YK_HOST_WRITES));
    assert_int_equal(yk_array_missing(array, FIRST, rows(1, ROWS)), 0); /* nothing is changed */
    /* A copy home is in progress beside the rows, or over them. */
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

/* If no copy is in progress there is no wait, for any rows. */
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

/* There is no memory to record that a row has come home: it counts as not copied, and no copy as in
 * progress. Single rows fill the coherence map up to its last run. */
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

/* The place's sum is that of its list: arrays that are there and have no users. */
static void idle_is(int64_t bytes)
{
    const struct yk_place *place = &places.items[0];
    int64_t sum = 0;
    for (const struct yk_replica *replica = place->oldest; replica; replica = replica->newer)
        sum += replica->users ? 0 : yk_array_bytes(replica->array);
    assert_int_equal(sum, bytes);
    assert_int_equal(place->idle_bytes, bytes);
    assert_null(place->by_rows);
}

static void test_idle_bytes_are_counted(void **state)
{
    const int64_t bytes = yk_array_bytes(array);
    struct yk_place *place = &places.items[0];
    struct yk_replica *one, *two, *there;
    (void)state;
    room = 2;
    idle_is(0);
    assert_int_equal(yk_replica_claim(array, place, NULL, &one), YOKE_OK);
    assert_int_equal(yk_replica_claim(array, place, NULL, &two), YOKE_OK);
    idle_is(0);
    yk_replica_unclaim(one, NULL);
    idle_is(0);
    yk_replica_unclaim(two, NULL);
    idle_is(bytes);
    room = 1; /* the idle array leaves, and comes back */
    assert_int_equal(yk_replica_claim(other, place, NULL, &there), YOKE_OK);
    idle_is(0);
    yk_replica_unclaim(there, NULL);
    idle_is(yk_array_bytes(other));
    room = 2;
    assert_int_equal(yk_replica_claim(array, place, NULL, &one), YOKE_OK);
    idle_is(yk_array_bytes(other));
    yk_replica_unclaim(one, NULL);
    idle_is(bytes + yk_array_bytes(other));
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
        cmocka_unit_test_setup_teardown(test_idle_bytes_are_counted, open_all, close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
