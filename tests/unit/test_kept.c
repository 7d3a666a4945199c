/* test_kept.c - cores that are kept free for threads that drive GPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "partition/kept_cores.h"

/* One core per GPU if the cores do little: at most 2 % of all work. */
static void as_far_as_cores_can_be_spared(void **state)
{
    (void)state;
    assert_int_equal(yk_kept_cores(64, 0.05, 4), 4);
    assert_int_equal(yk_kept_cores(64, 0.4, 4), 3);
    assert_int_equal(yk_kept_cores(64, 1, 4), 1);
    assert_int_equal(yk_kept_cores(16, 0.12, 1), 1);
    assert_int_equal(yk_kept_cores(16, 0.5, 1), 0);
    assert_int_equal(yk_kept_cores(64, 0.05, 0), 0);
}

static void the_last_core_works(void **state)
{
    (void)state;
    assert_int_equal(yk_kept_cores(2, 0.001, 4), 1);
    assert_int_equal(yk_kept_cores(1, 0, 1), 0);
    assert_int_equal(yk_kept_cores(4, 0, 1), 1);
}

/* Kept cores are given first, one per GPU. */
static void each_thread_has_its_core(void **state)
{
    (void)state;
    assert_int_equal(yk_kept_core(64, 64, 0), 63);
    assert_int_equal(yk_kept_core(64, 64, 3), 60);
    assert_int_equal(yk_kept_core(8, 64, 1), 6);
    assert_int_equal(yk_kept_core(8, 8, 2), -1);
    assert_int_equal(yk_kept_core(2, 2, 0), -1);
    assert_int_equal(yk_kept_core(20, 16, 0), -1); /* more threads than cores */
}

/* The cores' part of the work is unknown. */
static void before_the_first_job(void **state)
{
    (void)state;
    assert_int_equal(yk_kept_cores(64, -1, 4), 4);
    assert_int_equal(yk_kept_cores(16, -1, 4), 1);
    assert_int_equal(yk_kept_cores(8, -1, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_far_as_cores_can_be_spared),
        cmocka_unit_test(the_last_core_works),
        cmocka_unit_test(before_the_first_job),
        cmocka_unit_test(each_thread_has_its_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
