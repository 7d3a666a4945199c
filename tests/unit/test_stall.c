/* test_stall.c - when a chunk is considered endless, and when not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/stall.h"

static const int64_t second = 1000000000;

/* Looks at each requested time from `now` on; returns the time at which the chunk is endless, or -1
 * if it never is. */
static int64_t watch(struct yk_stall *stall, int64_t now)
{
    int64_t again = 0;
    while (!yk_stall_look(stall, now, &again)) {
        if (!again)
            return -1;
        assert_true(again > now);
        now = again;
    }
    return now;
}

static void nothing_is_told_before_three_chunks(void **state)
{
    struct yk_pace pace = { 0 };
    const struct yk_stall_chunk chunk = { .items = 10, .factor = 100 };
    (void)state;
    for (int measured = 0; measured < 3; measured++) {
        assert_true(yk_stall_allows(&pace, &chunk) == 0);
        yk_pace_note(&pace, 10, 1000);
    }
    assert_true(yk_stall_allows(&pace, &chunk) == YK_STALL_LEAST_NS);
    yk_pace_note(&pace, 0, 1000); /* no chunk */
    assert_int_equal(pace.chunks, 3);
}

static void the_longest_expectation_counts(void **state)
{
    struct yk_pace pace = { 0 };
    struct yk_stall_chunk chunk = { .items = 10, .factor = 100 };
    (void)state;
    yk_pace_note(&pace, 10, 2 * second);
    yk_pace_note(&pace, 1, second); /* the most expensive item */
    yk_pace_note(&pace, 100, second);
    assert_true(yk_stall_allows(&pace, &chunk) == 100 * 10.0 * (double)second);
    chunk.items = 1;
    assert_true(yk_stall_allows(&pace, &chunk) == 100 * 2.0 * (double)second);
    chunk.expected_ns = 50.0 * (double)second;
    assert_true(yk_stall_allows(&pace, &chunk) == 100 * 50.0 * (double)second);
    chunk.factor = 2;
    assert_true(yk_stall_allows(&pace, &chunk) == 2 * 50.0 * (double)second);
    chunk.bytes = 4000000; /* at 4 MB/s one second more */
    assert_true(yk_stall_allows(&pace, &chunk) == 2 * 50.0 * (double)second + (double)second);
    chunk.factor = 0;
    assert_true(yk_stall_allows(&pace, &chunk) == 0);
}

static void chunks_wait_for_each_other(void **state)
{
    struct yk_stall stall = { 0 };
    int64_t again;
    (void)state;
    assert_int_equal(watch(&stall, 0), -1); /* no chunk is in progress */
    yk_stall_begin(&stall, 10e9, 5);
    yk_stall_begin(&stall, 20e9, 7 * second);
    assert_int_equal(watch(&stall, 7 * second),
                     36 * second); /* 6 of the first 7 s were not observed */
    yk_stall_end(&stall, 10e9, 36 * second);
    assert_int_equal(watch(&stall, 36 * second), 56 * second);
    yk_stall_begin(&stall, 0, 57 * second); /* no limit; the other one is behind it */
    assert_int_equal(watch(&stall, 57 * second), -1);
    assert_int_equal(yk_stall_look(&stall, 5000 * second, &again), 0);
    yk_stall_end(&stall, 0, 5000 * second);
    assert_int_equal(watch(&stall, 5000 * second), 5020 * second);
    yk_stall_end(&stall, 20e9, 5020 * second);
    assert_int_equal(watch(&stall, 5020 * second), -1);
    assert_int_equal(stall.count, 0);
    assert_int_equal(stall.untold, 0);
}

/* It is unknown whether the program or the machine was suspended, so the time between two looks
 * counts as at most one second. */
static void a_process_that_slept_finds_nothing(void **state)
{
    struct yk_stall stall = { 0 };
    int64_t again, now = 0;
    (void)state;
    yk_stall_begin(&stall, 10e9, now);
    for (int look = 0; look < 9; look++) {
        now += 3600 * second;
        assert_int_equal(yk_stall_look(&stall, now, &again), 0);
        assert_int_equal(again, now + second);
    }
    assert_int_equal(yk_stall_look(&stall, now - second, &again), 0); /* clocks of two threads */
    assert_int_equal(yk_stall_look(&stall, now + second, &again), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_told_before_three_chunks),
        cmocka_unit_test(the_longest_expectation_counts),
        cmocka_unit_test(chunks_wait_for_each_other),
        cmocka_unit_test(a_process_that_slept_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
