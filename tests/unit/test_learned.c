/* test_learned.c - what is remembered of a device: a wrong speed does not last, a correct one does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "partition/learned.h"

static const struct yk_learned_job job = {
    .items = 1000, .told_ns = 10, .all_asked = 1, .forgives = 1
};

static struct yk_learned measured(double rate)
{
    const struct yk_split_outcome outcome = { .items = 100, .rate = rate, .fixed_ns = 5 };
    struct yk_learned learned;
    yk_learned_open(&learned);
    yk_learned_note(&learned, &outcome, &job);
    return learned;
}

static void note(struct yk_learned *learned, int64_t items, double rate)
{
    const struct yk_split_outcome outcome = {
        .items = items, .rate = rate, .fixed_ns = 5, .copied_bytes = 8 * items, .left_out = !items
    };
    yk_learned_note(learned, &outcome, &job);
}

static void nothing_is_known_at_first(void **state)
{
    struct yk_split_device told = { .fixed_ns = 10 };
    struct yk_learned learned;
    (void)state;
    yk_learned_open(&learned);
    yk_learned_tell(&learned, &told);
    assert_true(told.rate == 0 && told.fixed_ns == 10 && told.share == -1);
}

static void the_latest_speed_counts(void **state)
{
    struct yk_split_device told = { .fixed_ns = 10 };
    struct yk_learned learned = measured(2);
    (void)state;
    assert_false(learned.steady);
    note(&learned, 250, 4);
    assert_false(learned.steady);
    note(&learned, 250, 4.2);
    assert_true(learned.steady);
    yk_learned_tell(&learned, &told);
    assert_true(told.rate == 4.2 && told.share == 0.25 && learned.copied_bytes == 8);
    assert_true(told.fixed_ns == 5 && told.steady);
}

/* A device that failed has lost the results of a job that is all or nothing: no item, but a speed.
 */
static void lost_results_have_no_bytes(void **state)
{
    struct yk_learned learned;
    (void)state;
    yk_learned_open(&learned);
    note(&learned, 0, 4);
    assert_true(learned.rate == 4 && learned.copied_bytes == 0 && learned.grain == 0);
    note(&learned, 100, 4);
    note(&learned, 0, 4);
    assert_true(learned.copied_bytes == 8);
}

/* Copies of 8,000 bytes at 2 bytes a nanosecond take 4,000 ns; the job took 20,000. */
static void a_thread_brings_what_is_not_pinned(void **state)
{
    struct yk_split_outcome outcome = { .items = 1000, .rate = 0.05, .copied_bytes = 8000 };
    struct yk_learned learned;
    (void)state;
    yk_learned_open(&learned);
    assert_true(yk_learned_bringing(&learned, 2) == 1);
    outcome.copying = 0.01;
    yk_learned_note(&learned, &outcome, &job);
    assert_float_equal(yk_learned_bringing(&learned, 2), 0.05, 1e-9);
    outcome.copying = 0.5;
    yk_learned_note(&learned, &outcome, &job);
    assert_true(yk_learned_bringing(&learned, 2) == 1);
    outcome.copying = outcome.copied_bytes = 0;
    yk_learned_note(&learned, &outcome, &job);
    assert_true(yk_learned_bringing(&learned, 2) == 1);
}

/* Large chunks do not show the cost that small ones had, so that cost is forgotten slowly. */
static void dear_chunks_are_remembered(void **state)
{
    struct yk_split_outcome outcome = { .items = 100, .rate = 1, .spread = 4 };
    struct yk_learned_job beside = job;
    struct yk_learned learned;
    (void)state;
    yk_learned_open(&learned);
    yk_learned_note(&learned, &outcome, &job);
    assert_true(learned.spread == 4);
    outcome.spread = 1;
    yk_learned_note(&learned, &outcome, &job);
    assert_true(learned.spread == 1);
    outcome.spread = 9;
    yk_learned_note(&learned, &outcome, &job);
    assert_true(learned.spread == 9);
    beside.crowded = 1; /* times that include waits for other jobs are ignored */
    outcome.spread = 20;
    yk_learned_note(&learned, &outcome, &beside);
    assert_true(learned.spread == 9 && learned.crowded);
}

/* From job to job a chunk's cost stays at most what was told, and at least half of it. */
static void a_chunks_cost_stays_within_what_was_told(void **state)
{
    struct yk_split_outcome outcome = { .items = 100, .rate = 1, .fixed_ns = 40 };
    struct yk_split_device told = { .fixed_ns = 10 };
    struct yk_learned learned;
    (void)state;
    yk_learned_open(&learned);
    yk_learned_note(&learned, &outcome, &job);
    assert_true(learned.fixed_ns == 10);
    outcome.fixed_ns = 1;
    yk_learned_note(&learned, &outcome, &job);
    yk_learned_tell(&learned, &told);
    assert_true(told.fixed_ns == 5);
}

/* After one job without it, then two, then four, and so on. */
static void who_gets_nothing_is_measured_again(void **state)
{
    struct yk_learned learned = measured(1);
    int waits[9], w, jobs;
    (void)state;
    for (w = 0; w < 9; w++) {
        for (jobs = 0; learned.rate > 0; jobs++)
            note(&learned, 0, 0);
        waits[w] = jobs;
        note(&learned, 10, 1); /* a small chunk shows that it is still slow */
    }
    assert_int_equal(waits[0], 1);
    assert_int_equal(waits[1], 2);
    assert_int_equal(waits[2], 4);
    assert_int_equal(waits[7], 128);
    assert_int_equal(waits[8], 256);
    /* a device that takes part has its full speed again */
    note(&learned, 500, 2);
    note(&learned, 0, 0);
    assert_true(learned.rate == 0);
}

static void others_keep_their_speed(void **state)
{
    const struct yk_split_outcome none = { .left_out = 1 }, late = { .left_out = 0 };
    struct yk_learned learned = measured(1);
    struct yk_learned_job not_asked = job, cores = job;
    (void)state;
    not_asked.all_asked = 0;
    yk_learned_note(&learned, &none, &not_asked);
    assert_true(learned.rate == 1 && learned.share == 0.1);
    yk_learned_note(&learned, &late, &job); /* it came when nothing was left */
    assert_true(learned.rate == 1 && learned.share == 0);
    cores.forgives = 0;
    yk_learned_note(&learned, &none, &cores);
    assert_true(learned.rate == 1 && learned.share == 0);
}

/* A device's share of 1000 items in a job in which its chunks waited behind another job's. */
static struct yk_learned waited(double rate, int64_t items)
{
    const struct yk_split_outcome outcome = { .items = items, .rate = rate, .waited = 1 };
    struct yk_learned learned;
    yk_learned_open(&learned);
    yk_learned_note(&learned, &outcome, &job);
    return learned;
}

static void tell_two(const struct yk_learned *learned, const int *makes,
                     struct yk_split_device *out)
{
    out[0] = (struct yk_split_device){ .share = -1, .make = makes[0] };
    out[1] = (struct yk_split_device){ .share = -1, .make = makes[1] };
    yk_learned_tell(&learned[0], &out[0]);
    yk_learned_tell(&learned[1], &out[1]);
    yk_learned_level(out, 2);
}

/* Of two equal devices, the one with fewer items seemed slower, because both waited. */
static void those_that_are_alike_and_waited_are_level(void **state)
{
    static const int alike[] = { 2, 2 }, unlike[] = { 0, 0 };
    struct yk_learned learned[] = { waited(1, 200), waited(3, 800) };
    struct yk_split_device told[2];
    (void)state;
    tell_two(learned, alike, told);
    assert_true(told[0].rate == 2 && told[1].rate == 2);
    assert_true(told[0].share == 0.5 && told[1].share == 0.5);
    tell_two(learned, unlike, told);
    assert_true(told[0].rate == 1 && told[1].rate == 3 && told[0].share == 0.2);
    /* The same if other jobs ran beside this one. */
    learned[1].waited = learned[0].waited = 0;
    learned[1].crowded = learned[0].crowded = 1;
    tell_two(learned, alike, told);
    assert_true(told[0].rate == 2 && told[1].share == 0.5);
    /* A device that did all may be best by itself. */
    learned[0].share = 0;
    learned[1].share = 1;
    tell_two(learned, alike, told);
    assert_true(told[0].rate == 2 && told[0].share == 0 && told[1].share == 1);
    /* A device that did not wait, or is unknown, keeps its speed. */
    learned[0] = waited(1, 200);
    learned[1] = measured(3);
    tell_two(learned, alike, told);
    assert_true(told[0].rate == 1 && told[1].rate == 3);
    yk_learned_open(&learned[1]);
    tell_two(learned, alike, told);
    assert_true(told[0].rate == 1 && told[1].rate == 0 && told[1].share == -1);
}

/* --- parts of whole jobs --- */

/* A job of `workers` in which this device, bit 1, has its outcome. */
static struct yk_learned_job whole(uint32_t workers)
{
    return (struct yk_learned_job){ .items = 1000,
                                    .all_asked = 1,
                                    .begun_ns = 500,
                                    .ended_ns = 2600,
                                    .latest_ns = 2500,
                                    .tells_lines = 1,
                                    .workers = workers };
}

static const struct yk_split_outcome part = {
    .items = 100, .chunks = 4, .rate = 0.05, .item_ns = 10, .ended_ns = 1500
};

static void part_of_a_whole_job_is_a_sample(void **state)
{
    struct yk_split_device told = { .host_memory = 1 };
    struct yk_learned learned;
    struct yk_learned_job ran = whole(1);
    (void)state;
    yk_learned_open(&learned);
    yk_learned_note(&learned, &part, &ran);
    assert_int_equal(learned.fit.count, 1);
    yk_learned_tell(&learned, &told);
    yk_learned_lines(&learned, &told, 1);
    /* 1500 - 500 for 100 items at 10 ns, and the 100 ns after the last chunk */
    assert_float_equal(told.line.item_ns, 10, 1e-9);
    assert_float_equal(told.line.fixed_ns, 100, 1e-9);
    assert_ptr_equal(told.fit, &learned.fit);
    assert_int_equal(told.guessed, 0);
}

static void what_says_nothing_is_no_sample(void **state)
{
    struct yk_learned_job ran[5];
    (void)state;
    for (int i = 0; i < 5; i++)
        ran[i] = whole(1);
    ran[0].crowded = 1;
    ran[1].tells_lines = 0;
    ran[2].untold = 1;
    ran[3].begun_ns = 1500; /* no time at all, */
    ran[3].latest_ns = ran[3].ended_ns;
    ran[4].begun_ns = 9000; /* or a negative time */
    for (int i = 0; i < 5; i++) {
        struct yk_learned learned;
        yk_learned_open(&learned);
        yk_learned_note(&learned, &part, &ran[i]);
        assert_int_equal(learned.fit.count, 0);
    }
}

static void did_tells_who_worked_until_when(void **state)
{
    const struct yk_split_outcome nothing = { .items = 0, .ended_ns = 9 };
    struct yk_learned known = measured(2), unknown;
    struct yk_learned_job ran = { 0 };
    (void)state;
    yk_learned_open(&unknown);
    yk_learned_did(&ran, 0, &known, &part);
    yk_learned_did(&ran, 1, &unknown, &nothing);
    assert_int_equal(ran.workers, 1);
    assert_int_equal(ran.untold, 0);
    assert_int_equal(ran.latest_ns, 1500);
    yk_learned_did(&ran, 2, &unknown, &part);
    assert_int_equal(ran.workers, 5);
    assert_int_equal(ran.untold, 1);
}

/* Other chunks have other costs. */
static void what_auto_taught_counts_less_once_lines_split(void **state)
{
    struct yk_split_device told = { .host_memory = 1 };
    struct yk_split_outcome dearer = part;
    struct yk_learned learned;
    struct yk_learned_job ran = whole(1);
    (void)state;
    yk_learned_open(&learned);
    for (int i = 0; i < 5; i++)
        yk_learned_note(&learned, &part, &ran);
    ran.by_lines = 1;
    dearer.ended_ns += 100;
    yk_learned_note(&learned, &dearer, &ran);
    yk_learned_lines(&learned, &told, 1);
    assert_true(yk_line_ns(&told.line, 100) > 1160 && yk_line_ns(&told.line, 100) < 1200);
}

static void enough_for_who_splits_by_lines(void **state)
{
    struct yk_learned learned[2];
    struct yk_learned_job ran = whole(1);
    (void)state;
    yk_learned_open(&learned[0]);
    yk_learned_open(&learned[1]);
    assert_false(yk_learned_suffices(learned, 2));
    yk_learned_note(&learned[0], &part, &ran);
    assert_true(yk_learned_suffices(learned, 1));
    assert_false(yk_learned_suffices(learned, 2));
    learned[1].rate = 3;
    assert_true(yk_learned_suffices(learned, 2));
    learned[1].rate = 0;
    for (int i = 0; i < 3; i++)
        yk_learned_note(&learned[0], &part, &ran);
    assert_true(yk_learned_suffices(learned, 2));
}

/* In a row; jobs that `auto` splits do not count. */
static void jobs_without_it_are_counted(void **state)
{
    const struct yk_split_outcome nothing = { .items = 0 };
    struct yk_split_device told = { 0 };
    struct yk_learned learned;
    struct yk_learned_job ran = whole(1);
    (void)state;
    yk_learned_open(&learned);
    yk_learned_note(&learned, &nothing, &ran);
    ran.by_lines = 1;
    for (int i = 0; i < 3; i++)
        yk_learned_note(&learned, &nothing, &ran);
    yk_learned_tell(&learned, &told);
    assert_int_equal(told.passed_over, 3);
    yk_learned_note(&learned, &part, &ran);
    yk_learned_tell(&learned, &told);
    assert_int_equal(told.passed_over, 0);
}

/* A device that was offered work twice and got nothing no longer blocks the others; but jobs do not
 * count in which something else was done, or for which it was not ready. */
static void who_got_nothing_is_not_waited_for(void **state)
{
    const struct yk_split_outcome nothing = { .items = 0 };
    struct yk_learned learned[2];
    struct yk_learned_job ran = whole(1), made_ready = whole(1), without = whole(1);
    (void)state;
    made_ready.tells_lines = 0;
    without.all_asked = 0;
    yk_learned_open(&learned[0]);
    yk_learned_open(&learned[1]);
    yk_learned_note(&learned[0], &part, &ran);
    yk_learned_note(&learned[1], &nothing, &made_ready);
    assert_false(yk_learned_suffices(learned, 2));
    yk_learned_note(&learned[1], &nothing, &made_ready);
    yk_learned_note(&learned[1], &nothing, &without);
    assert_false(yk_learned_suffices(learned, 2));
    yk_learned_note(&learned[1], &nothing, &ran);
    assert_true(yk_learned_suffices(learned, 2));
}

/* If a job was new to one of its devices, its times are not used. The next job's would be, but a
 * very slow device has no part in it. */
static void speeds_do_where_no_time_tells(void **state)
{
    struct yk_learned learned[2];
    struct yk_learned_job ran = whole(1);
    (void)state;
    ran.untold = 1;
    for (int d = 0; d < 2; d++) {
        yk_learned_open(&learned[d]);
        yk_learned_note(&learned[d], &part, &ran);
    }
    assert_false(yk_learned_suffices(learned, 2));
    yk_learned_note(&learned[0], &part, &ran);
    assert_false(yk_learned_suffices(learned, 2));
    yk_learned_note(&learned[1], &part, &ran);
    assert_true(yk_learned_suffices(learned, 2));
    assert_int_equal(learned[0].fit.count, 0);
}

static void a_line_is_guessed_from_peaks(void **state)
{
    struct yk_split_device told[3] = { { .host_memory = 1, .peak = 1 },
                                       { .peak = 10, .fixed_ns = 7 },
                                       { .fixed_ns = 7 } };
    struct yk_learned learned[3];
    struct yk_learned_job ran = whole(1);
    (void)state;
    for (int d = 0; d < 3; d++)
        yk_learned_open(&learned[d]);
    yk_learned_note(&learned[0], &part, &ran);
    yk_learned_lines(learned, told, 3);
    assert_float_equal(told[1].line.item_ns, 2, 1e-9); /* peak ratio 10: a tenth, and twice that */
    assert_float_equal(told[1].line.fixed_ns, 7, 1e-9);
    assert_true(told[1].guessed && !told[0].guessed);
    assert_float_equal(told[2].line.item_ns, 0, 0); /* its peak is unknown */
}

/* Two devices with parts of 1,000 ns by their lines; the third job was disturbed, the others say
 * nothing. */
static void jobs_are_late(void **state)
{
    static const int64_t took[] = { 1030, 1190, 1600, 1020, 1040 };
    static const double typical[] = { 0, 1.03, 1.11, 1.11, 1.03, 1.035 };
    struct yk_late late = { 0 };
    (void)state;
    for (int j = 0; j <= 5; j++) {
        assert_float_equal(yk_late_typical(&late), typical[j], 1e-9);
        for (int which = 0; which < 4 && j < 5; which++) {
            struct yk_learned_job ran = whole(0);
            ran.by_lines = which != 1;
            ran.crowded = which == 2;
            ran.tells_lines = which != 3;
            for (int d = 0; d < 2; d++) {
                const int64_t items = d ? 400 : 1200;
                const struct yk_split_outcome did = { .items = items, .chunks = 1 };
                struct yk_learned learned = { .rate = 1 };
                yk_fit_add(&learned.fit, &(struct yk_fit_sample){ .items = (double)items,
                                                                  .ns = 1000,
                                                                  .item_ns = 1000.0 / (double)items,
                                                                  .team = 3 });
                yk_learned_did(&ran, d, &learned, &did);
                yk_learned_sum_up(&ran, d, &learned, &did);
            }
            ran.ended_ns = ran.begun_ns + took[j];
            yk_late_note(&late, &ran);
        }
    }
    assert_int_equal(late.jobs, 4);
}

/* According to the present lines one device had a part of 1,150 ns, the other of 1,000: a job time
 * of 1,173 ns is 2 % late. A part that is only 2 % too large does not count as uneven. */
static void uneven_parts_are_not_late(void **state)
{
    static const int64_t part_ns[] = { 1150, 1020 }, took[] = { 1173, 1050 };
    static const double expected[] = { 1.02, 1050 / 1010.0 };
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct yk_late late = { 0 };
        struct yk_learned_job ran = whole(3);
        ran.by_lines = 1;
        ran.ended_ns = ran.begun_ns + took[which];
        for (int d = 0; d < 2; d++) {
            const struct yk_split_outcome did = { .items = 100, .chunks = 1 };
            struct yk_learned learned = { 0 };
            yk_fit_add(&learned.fit, &(struct yk_fit_sample){ .items = 100,
                                                              .ns = d ? 1000 : part_ns[which],
                                                              .item_ns = 9,
                                                              .team = 3 });
            yk_learned_sum_up(&ran, d, &learned, &did);
        }
        yk_late_note(&late, &ran);
        assert_float_equal(yk_late_typical(&late), expected[which], 1e-9);
    }
}

/* Lateness is measured against the lines after they were corrected: the job that shows that they
 * were wrong is no later than others. */
static void lines_that_were_wrong_are_not_late(void **state)
{
    struct yk_learned learned;
    struct yk_late late = { 0 };
    (void)state;
    yk_learned_open(&learned);
    for (int j = 0; j < 6; j++) {
        const int64_t ns = j < 3 ? 1000 : 1150;
        const struct yk_split_outcome did = {
            .items = 100, .chunks = 1, .rate = 0.1, .item_ns = 10, .ended_ns = 5000 + ns
        };
        struct yk_learned_job ran = whole(0);
        ran.by_lines = 1;
        ran.begun_ns = 5000;
        ran.ended_ns = 5000 + ns;
        learned.rate = 0.1;
        yk_learned_did(&ran, 0, &learned, &did);
        yk_learned_note(&learned, &did, &ran);
        yk_learned_sum_up(&ran, 0, &learned, &did);
        yk_late_note(&late, &ran);
    }
    assert_int_equal(late.jobs, 6);
    assert_in_range((int64_t)(1000 * yk_late_typical(&late)), 1000, 1080);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_at_first),
        cmocka_unit_test(the_latest_speed_counts),
        cmocka_unit_test(those_that_are_alike_and_waited_are_level),
        cmocka_unit_test(lost_results_have_no_bytes),
        cmocka_unit_test(a_thread_brings_what_is_not_pinned),
        cmocka_unit_test(dear_chunks_are_remembered),
        cmocka_unit_test(a_chunks_cost_stays_within_what_was_told),
        cmocka_unit_test(who_gets_nothing_is_measured_again),
        cmocka_unit_test(others_keep_their_speed),
        cmocka_unit_test(part_of_a_whole_job_is_a_sample),
        cmocka_unit_test(what_says_nothing_is_no_sample),
        cmocka_unit_test(did_tells_who_worked_until_when),
        cmocka_unit_test(what_auto_taught_counts_less_once_lines_split),
        cmocka_unit_test(enough_for_who_splits_by_lines),
        cmocka_unit_test(jobs_without_it_are_counted),
        cmocka_unit_test(who_got_nothing_is_not_waited_for),
        cmocka_unit_test(speeds_do_where_no_time_tells),
        cmocka_unit_test(a_line_is_guessed_from_peaks),
        cmocka_unit_test(jobs_are_late),
        cmocka_unit_test(lines_that_were_wrong_are_not_late),
        cmocka_unit_test(uneven_parts_are_not_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
