/* test_coherence_random.c - a million random steps of the coherence core against the brute-force
 * model: writes, copies that begin and end in any order, copies that fail or are overtaken, drops,
 * places that fail, calls that must be refused; and fewer steps in which every allocation fails
 * once.
 *
 * Each run draws new histories. A failure prints the seed; a seed given as the argument is played
 * first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "coherence_history.h"

/* Most histories have few rows, because all rows are compared after each step. */
enum { HISTORY_BYTES = 700, FAILING_HISTORIES = 60, ROWS_BYTE = 3, FEW_ROWS = 36, MANY_EVERY = 8 };
#if defined(__OPTIMIZE__) && !defined(YK_CHECKED)
enum { STEPS = 1000000 };
#else
enum { STEPS = 20000 };
#endif

static uint64_t seed;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed >> 16;
}

static void play(enum history_memory memory, struct history_counts *counts)
{
    uint8_t bytes[HISTORY_BYTES];
    int64_t held = yk_alloc_outstanding();
    uint64_t begun_with = seed;
    int i;
    for (i = 0; i < HISTORY_BYTES; i++)
        bytes[i] = (uint8_t)next_random();
    if (next_random() % MANY_EVERY)
        bytes[ROWS_BYTE] %= FEW_ROWS + 1;
    if (coherence_history_play(bytes, sizeof bytes, memory, counts))
        fail_msg("a history from seed %llu", (unsigned long long)begun_with);
    assert_int_equal(yk_alloc_outstanding(), held);
}

static void print_counts(const struct history_counts *counts)
{
    print_message(
        "%ld steps agree: %ld copies, %ld refused calls, %ld failed allocations, %ld rows "
        "lost, %ld kept, %ld overtaken arrivals\n",
        counts->steps, counts->copies, counts->refused, counts->allocation_failures,
        counts->lost_rows, counts->kept_rows, counts->overtaken_ends);
}

/* Also tests that the histories reach the cases they are for. */
static void test_steps(void **state)
{
    struct history_counts counts = { 0 };
    (void)state;
    while (counts.steps < STEPS)
        play(HISTORY_MEMORY_ENOUGH, &counts);
    print_counts(&counts);
    assert_true(counts.copies > STEPS / 5 && counts.refused > STEPS / 50);
    assert_true(counts.lost_rows > 0 && counts.kept_rows > 0 && counts.overtaken_ends > 0);
}

static void test_steps_without_memory(void **state)
{
    struct history_counts counts = { 0 };
    int history;
    (void)state;
    for (history = 0; history < FAILING_HISTORIES; history++)
        play(HISTORY_MEMORY_FAILS, &counts);
    print_counts(&counts);
    assert_true(counts.steps > 2500 && counts.copies > 500 && counts.allocation_failures > 1000);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_steps_without_memory),
    };
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 2654435761u | 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
