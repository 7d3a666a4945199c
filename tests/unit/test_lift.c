/* test_lift.c - copies to a device that cannot be issued. */
#include "places_bench.h"

/* A chunk that fails for lack of memory has not been settled yet when another chunk on the same
 * device looks for the same rows. No copy brings them, so it must not rely on one. */
static void test_nobody_relies_on_what_was_not_issued(void **state)
{
    struct yk_load failed = { 0 }, next = { 0 };
    struct yk_replica *replica;
    int row;
    (void)state;
    for (row = 0; row < ROWS; row++)
        host[0][row] = OLD;
    assert_int_equal(yk_replica_claim(array, &places.items[0], NULL, &replica), YOKE_OK);
    refused_copy = 1;
    assert_int_equal(yk_transfer_up(replica, rows(0, ROWS), &failed), YOKE_ENOMEM);
    assert_int_equal(yk_transfer_up(replica, rows(0, ROWS), &next), YOKE_OK);
    assert_int_equal(next.from_host, sizeof(int) * ROWS);
    yk_place_drain(&places.items[0]);
    yk_transfer_settle(replica, &failed, YOKE_ENOMEM);
    yk_transfer_settle(replica, &next, YOKE_OK);
    assert_int_equal(yk_array_missing(array, FIRST, rows(0, ROWS)), 0);
    assert_false(yk_coherence_flying(array->coherence, FIRST, rows(0, ROWS)));
    assert_int_equal(((const int *)replica->buffer->bytes)[ROWS - 1], OLD);
    yk_load_close(&failed);
    yk_load_close(&next);
    yk_replica_unclaim(replica, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nobody_relies_on_what_was_not_issued, open_all,
                                        close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
