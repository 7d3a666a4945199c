/* test_exchange.c - a device that can copy from another one only from now on: chunks that were
 * under way before rely on no copy, and are not undone. Copies are tested in test_peer.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "array/exchange.h"
#include "array/place.h"
#include "base/alloc.h"

static struct yk_places places;

static void open_place(const struct yk_device_desc *desc, int index)
{
    struct yk_device *device;
    assert_int_equal(desc->backend->open(desc, &device), YOKE_OK);
    assert_int_equal(yk_place_open(device, index + 1, &places.items[index]), YOKE_OK);
    yk_places_connect(&places, index);
}

static void a_chunk_from_before_the_connection(void **state)
{
    struct yk_device_list list = { 0 };
    struct yk_place *first = &places.items[0];
    const int64_t before = yk_alloc_outstanding();
    struct yk_reliance relies = { 0 };
    int i;
    (void)state;
    assert_int_equal(yk_devices_find("sim:gpu*2:peer=1e10", &list), YOKE_OK);
    assert_int_equal(list.count, 2);
    open_place(&list.items[0], 0);
    relies.oldest = yk_exchange_oldest(first);
    assert_int_equal(yk_exchange_outcome(first, &relies), YOKE_OK);
    open_place(&list.items[1], 1);
    assert_int_not_equal(atomic_load(&first->direct), 0);
    assert_int_equal(yk_exchange_outcome(first, &relies), YOKE_OK);
    assert_true(yk_exchange_oldest(first) >= relies.oldest);
    for (i = 0; i < 2; i++)
        yk_place_close(&places.items[i]);
    yk_device_list_close(&list);
    assert_int_equal(yk_alloc_outstanding(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_chunk_from_before_the_connection) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
