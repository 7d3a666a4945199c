/* test_evict.c - rows that are evicted from a device while another thread reads them there. */
#include "places_bench.h"

/* The second device has copied the rows of the first; the host does not have them. */
static void copy_to_second(void)
{
    struct yk_replica *replica;
    write_there(FIRST, rows(0, ROWS));
    assert_int_equal(yk_replica_claim(array, &places.items[1], NULL, &replica), YOKE_OK);
    memcpy(replica->buffer->bytes, array->replicas[FIRST]->buffer->bytes, sizeof(int) * ROWS);
    assert_int_equal(yk_coherence_copy_begun(array->coherence, SECOND, FIRST, rows(0, ROWS)),
                     YOKE_OK);
    assert_int_equal(yk_coherence_copy_done(array->coherence, SECOND, rows(0, ROWS)), YOKE_OK);
    yk_replica_unclaim(replica, NULL);
}

static void evict_at_first(void *context)
{
    struct yk_replica *replica;
    (void)context;
    if (yk_replica_claim(other, &places.items[0], NULL, &replica) == YOKE_OK)
        yk_replica_unclaim(replica, NULL);
}

static int there_then;

static void meanwhile_evict(void)
{
    meanwhile(evict_at_first);
    there_then = array->replicas[FIRST]->buffer != NULL;
}

/* Rows that another device also has need not be written back. But they are being read for the host,
 * which must not get what is in their memory afterwards. */
static void test_left_while_copied_home(void **state)
{
    int row;
    (void)state;
    copy_to_second();
    before_landing = meanwhile_evict;
    assert_int_equal(yk_transfer_home(array, rows(0, ROWS)), YOKE_OK);
    assert_true(started);
    yk_thread_join(&thread);
    assert_true(there_then);
    for (row = 0; row < ROWS; row++)
        assert_int_equal(host[0][row], OLD);
    assert_int_equal(yk_array_missing(array, YK_HOST, rows(0, ROWS)), 0);
    assert_int_equal(yk_array_missing(array, FIRST, rows(0, ROWS)), ROWS);
    assert_int_equal(yk_array_missing(array, SECOND, rows(0, ROWS)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_left_while_copied_home, open_all, close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
