/* test_variant_trial.c - rounds of simulated variants: the fastest is found in spite of interrupts,
 * cost that changes along the range, and pieces too short for a clock; if variants are equal,
 * nothing changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/variant_trial.h"

struct machine {
    double ns_each[YOKE_CPU_VARIANTS]; /* of an item at the begin of the range */
    double rise;                       /* of the cost, per million items */
    int64_t clock_ns;                  /* added to each piece's time */
    int interrupted; /* every this many rounds one piece is delayed by 4 ms; 0: never */
};

static int64_t piece_ns(const struct machine *machine, int v, int64_t first, int64_t items)
{
    const double middle = (double)first + 0.5 * (double)items;
    return machine->clock_ns +
           (int64_t)((1 + machine->rise * middle / 1e6) * machine->ns_each[v] * (double)items);
}

/* Runs chunks of `items` items until the trial ends; returns the number of chunks. */
static int run_trial(struct yk_variant_trial *trial, const struct machine *machine, int64_t items,
                     int64_t *piece)
{
    int rounds = 0, chunks;
    for (chunks = 1;; chunks++) {
        int64_t first = 0;
        assert_true(chunks < 1000);
        while ((*piece = yk_variant_trial_piece(trial, items)) > 0 &&
               first + 2 * trial->count * *piece <= items) {
            int64_t ns[YOKE_CPU_VARIANTS] = { 0 };
            assert_int_equal(*piece % trial->unit, 0);
            for (int p = 0; p < 2 * trial->count; p++, first += *piece) {
                const int v = p < trial->count ? p : 2 * trial->count - 1 - p;
                ns[v] += piece_ns(machine, v, first, *piece);
            }
            rounds++;
            if (machine->interrupted && rounds % machine->interrupted == 0)
                ns[rounds % trial->count] += 4000000;
            if (yk_variant_trial_note(trial, ns, *piece))
                return chunks;
        }
    }
}

static int best_of(const struct machine *machine, int count, int64_t unit, int64_t items)
{
    struct yk_variant_trial trial;
    int64_t piece;
    yk_variant_trial_open(&trial, count, unit);
    run_trial(&trial, machine, items, &piece);
    return yk_variant_trial_best(&trial);
}

static void the_fastest_is_found(void **state)
{
    (void)state;
    for (int fastest = 0; fastest < 3; fastest++) {
        struct machine machine = { { 1.2, 1.2, 1.2 }, 0, 30, 0 };
        machine.ns_each[fastest] = 1;
        assert_int_equal(best_of(&machine, 3, 1, 1000000), fastest);
        assert_int_equal(best_of(&machine, 3, 64, 100000), fastest);
    }
    const struct machine two = { { 1, 3, 0 }, 0, 30, 0 };
    assert_int_equal(best_of(&two, 2, 0, 1000000), 0);
}

static void the_widest_stays_beside_equals(void **state)
{
    const struct machine machine = { { 1, 0.98, 1.03 }, 0, 30, 0 };
    (void)state;
    assert_int_equal(best_of(&machine, 3, 1, 1000000), 2);
}

static void interrupts_do_not_decide(void **state)
{
    (void)state;
    for (int fastest = 0; fastest < 3; fastest++) {
        struct machine machine = { { 1.3, 1.3, 1.3 }, 0, 30, 5 };
        machine.ns_each[fastest] = 1;
        assert_int_equal(best_of(&machine, 3, 1, 1000000), fastest);
    }
}

/* In a fixed order the first variant would seem fastest. */
static void cost_that_rises_decides_nothing(void **state)
{
    const struct machine machine = { { 1, 1, 1 }, 100, 0, 0 };
    (void)state;
    assert_int_equal(best_of(&machine, 3, 1, 200000), 2);
}

/* Pieces grow until they take long enough, and are then the same in every chunk. */
static void pieces_take_microseconds(void **state)
{
    static const double each[] = { 0.3, 20, 3000, 1e6 };
    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct machine machine = { { 2 * each[i], each[i], each[i] }, 0, 30, 0 };
        struct yk_variant_trial trial;
        int64_t piece;
        yk_variant_trial_open(&trial, 3, 1);
        run_trial(&trial, &machine, 10000000, &piece);
        const int64_t ns = piece_ns(&machine, 2, 0, piece);
        assert_true(piece == 1 || (ns > 2000 && ns < 50000));
        assert_true(yk_variant_trial_again(&trial, piece) == INT64_MAX);
    }
}

/* Chunks of 200 ns are compared as they are; much larger ones start a new comparison. */
static void short_chunks_are_provisional(void **state)
{
    const struct machine machine = { { 1, 1, 5 }, 0, 30, 0 };
    struct yk_variant_trial trial;
    int64_t piece;
    (void)state;
    yk_variant_trial_open(&trial, 3, 8);
    assert_int_equal(yk_variant_trial_piece(&trial, 47), 0);
    const int chunks = run_trial(&trial, &machine, 100, &piece);
    assert_true(chunks >= YK_TRIAL_ROUNDS);
    assert_int_not_equal(yk_variant_trial_best(&trial), 2);
    const int64_t again = yk_variant_trial_again(&trial, piece);
    assert_true(again > 100 && again <= 1600);
    run_trial(&trial, &machine, 1000000, &piece);
    assert_int_not_equal(yk_variant_trial_best(&trial), 2);
    assert_true(yk_variant_trial_again(&trial, piece) == INT64_MAX);
}

/* Pieces of kernels that reduce are whole blocks, so larger than requested. */
static void pieces_of_whole_blocks_grow(void **state)
{
    static const int64_t brief[] = { 10, 10, 10 };
    struct yk_variant_trial trial;
    int64_t piece = 0;
    (void)state;
    yk_variant_trial_open(&trial, 3, 1);
    for (int turn = 0; turn < 8; turn++) {
        piece = (yk_variant_trial_piece(&trial, 1 << 20) + 3) / 4 * 4;
        assert_int_equal(yk_variant_trial_note(&trial, brief, piece), 0);
    }
    assert_true(piece > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_is_found),
        cmocka_unit_test(the_widest_stays_beside_equals),
        cmocka_unit_test(interrupts_do_not_decide),
        cmocka_unit_test(cost_that_rises_decides_nothing),
        cmocka_unit_test(pieces_take_microseconds),
        cmocka_unit_test(short_chunks_are_provisional),
        cmocka_unit_test(pieces_of_whole_blocks_grow),
    };
    return cmocka_run_group_tests_name("variant trial", tests, NULL, NULL);
}
