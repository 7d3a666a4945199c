/* test_choice.c - which of two kernels a device continues with: always the faster one, for all
 * chunk sizes and whichever warms up first; and the cost of finding out is bounded. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "partition/choice.h"
#include "partition/trial.h"

enum { BOTH = 3 };

/* A device that does chunks one by one. A chunk takes fixed + items / rate; a kernel's first chunk
 * takes more. */
struct device {
    double rate[YK_FORMS], fixed_ns, warm_ns[YK_FORMS], noise;
    int64_t fill;
    int chunks[YK_FORMS];
    double spent_ns[YK_FORMS], first_ns[YK_FORMS]; /* of all chunks, and of the first one */
    int hit;                                       /* the chunk that is disturbed; 0: none */
    uint64_t seed;
};

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double time_of(struct device *device, int form, int64_t items)
{
    double ns = device->fixed_ns + (double)items / device->rate[form];
    ns *= 1 + device->noise * (2 * uniform(&device->seed) - 1);
    ns += device->hit > 0 && --device->hit == 0 ? 5e6 : 0;
    if (device->chunks[form]++ == 0)
        device->first_ns[form] = ns += device->warm_ns[form];
    device->spent_ns[form] += ns;
    return ns;
}

/* One job of a device: each chunk is `part` of the rest. Returns the number of chunks. */
static int job(struct yk_choice *choice, struct device *device, int64_t range, double part)
{
    int chunks = 0;
    yk_choice_begin(choice);
    for (int64_t left = range; left > 0; chunks++) {
        struct yk_choice_asked asked = {
            .ready = BOTH, .range = range, .fill = device->fill, .spare_ns = INFINITY
        };
        struct yk_choice_turn turn;
        struct yk_choice_chunk chunk;
        int64_t items = (int64_t)(part * (double)left);
        yk_choice_next(choice, &asked, &turn);
        items = items > device->fill ? items : device->fill;
        if (turn.most && items > turn.most)
            items = turn.most;
        items = items < left ? items : left;
        chunk = (struct yk_choice_chunk){ turn.form, turn.tries, items,
                                          time_of(device, turn.form, items), range };
        yk_choice_note(choice, &chunk);
        left -= items;
    }
    return chunks;
}

/* Every ratio of rates from a tenth to ten. */
static void the_faster_one_is_kept(void **state)
{
    static const double ratios[] = { 0.1, 0.5, 0.8, 0.9, 1.1, 1.25, 2, 10, 1000 };
    uint64_t seed = 7;
    (void)state;
    for (int r = 0; r < (int)(sizeof ratios / sizeof *ratios); r++)
        for (int round = 0; round < 300; round++) {
            struct device device = { .fill = 1 + (int64_t)(1000 * uniform(&seed)),
                                     .fixed_ns = 20000 * uniform(&seed),
                                     .warm_ns = { 4e9 * uniform(&seed), 4e7 * uniform(&seed) },
                                     .noise = 0.03,
                                     .seed = seed };
            const int64_t range = device.fill * (1 + (int64_t)(10000 * uniform(&seed)));
            const double part = uniform(&seed) < 0.3 ? 1 : uniform(&seed);
            struct yk_choice choice;
            int jobs = 0;
            device.rate[0] = pow(10, -3 + 3 * uniform(&seed));
            device.rate[1] = device.rate[0] * ratios[r];
            /* A chunk's fixed cost hides the cost of its items. */
            device.fixed_ns = fmin(device.fixed_ns, (double)device.fill / device.rate[0] / 20);
            device.fixed_ns = fmin(device.fixed_ns, (double)device.fill / device.rate[1] / 20);
            yk_choice_open(&choice);
            for (; jobs < 20 && !choice.settled; jobs++)
                job(&choice, &device, range, part);
            if (yk_choice_found(&choice) != (ratios[r] > 1))
                fail_msg("ratio %g, round %d: %d after %d jobs; %d and %d chunks, %d pairs",
                         ratios[r], round, choice.best, jobs, choice.chunks[0], choice.chunks[1],
                         choice.pairs);
        }
}

/* One job is enough to find the faster one. The first trial loses no more than the slower one's
 * first chunk and as much as the job takes; that chunk is a small part of the job. All jobs
 * together lose no more than the budget beside that. */
static void finding_out_is_bounded(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        const int slow = round % 2;
        const double ratio = pow(10, 4 * uniform(&seed)), job_ns = 4e7;
        struct device device = { .fill = 1, .seed = seed };
        struct yk_choice choice;
        double lost_ns, all_ns;
        device.rate[slow] = 1e-3;
        device.rate[1 - slow] = 1e-3 * ratio;
        yk_choice_open(&choice);
        job(&choice, &device, (int64_t)(job_ns * 1e-3 * ratio), 0.3);
        assert_true(choice.best == (ratio > 1.03 ? 1 - slow : choice.best));
        assert_true(choice.settled || ratio < 1.3 || ratio > 10);
        if (choice.best == slow)
            continue;
        assert_true(device.first_ns[slow] < 0.01 * ratio * job_ns);
        lost_ns = (device.spent_ns[slow] - device.first_ns[slow]) * (1 - 1 / ratio);
        assert_true(lost_ns <= job_ns + device.first_ns[slow]);
        for (int jobs = 0; jobs < 100; jobs++)
            job(&choice, &device, (int64_t)(job_ns * 1e-3 * ratio), 0.3);
        all_ns = device.spent_ns[0] + device.spent_ns[1];
        lost_ns = (device.spent_ns[slow] - device.first_ns[slow]) * (1 - 1 / ratio);
        assert_true(lost_ns <= YK_TRIAL_BUDGET * all_ns + 6 * device.first_ns[slow]);
    }
}

/* Jobs of one chunk: the kernel, then the alternative, and so on until both have been measured. */
static void jobs_of_one_chunk(void **state)
{
    struct device device = { .rate = { 1, 3 }, .fill = 1 << 20 };
    struct yk_choice choice;
    double lost_ns;
    int jobs, first;
    (void)state;
    yk_choice_open(&choice);
    assert_int_equal(job(&choice, &device, 1 << 20, 1), 1);
    assert_int_equal(device.chunks[0], 1);
    assert_false(yk_choice_knows_both(&choice));
    job(&choice, &device, 1 << 20, 1);
    assert_int_equal(device.chunks[1], 1);
    assert_true(yk_choice_knows_both(&choice));
    assert_int_equal(choice.best, 1); /* the best so far */
    for (jobs = 2; !choice.settled; jobs++)
        job(&choice, &device, 1 << 20, 1);
    assert_in_range(jobs, 4, 12);
    assert_int_equal(choice.best, 1);
    first = device.chunks[0];
    for (jobs = 0; jobs < 500; jobs++)
        job(&choice, &device, 1 << 20, 1);
    lost_ns = (device.chunks[0] - first) * (1 << 20) * (1 - 1 / 3.);
    assert_true(lost_ns <= YK_TRIAL_BUDGET * (device.spent_ns[0] + device.spent_ns[1]));
}

/* The slower one is tried again, more and more rarely. */
static void another_trial_is_seldom(void **state)
{
    struct device device = { .rate = { 1, 0.1 }, .fill = 1000 };
    struct yk_choice choice;
    double first, all;
    (void)state;
    yk_choice_open(&choice);
    job(&choice, &device, 100000000, 0.2);
    assert_true(choice.settled && choice.best == 0);
    first = device.spent_ns[1];
    for (int jobs = 0; jobs < 3000; jobs++)
        job(&choice, &device, 100000000, 0.2);
    all = device.spent_ns[0] + device.spent_ns[1];
    assert_true(device.spent_ns[1] > first); /* it was tried again, */
    assert_true(device.spent_ns[1] < first + 0.01 * all);
}

/* The slower kernel becomes faster, say because data changed. The next trial finds it. */
static void a_change_is_found(void **state)
{
    struct device device = { .rate = { 1, 0.5 }, .fill = 1000 };
    struct yk_choice choice;
    int jobs;
    (void)state;
    yk_choice_open(&choice);
    job(&choice, &device, 100000000, 0.2);
    assert_int_equal(choice.best, 0);
    device.rate[1] = 2;
    for (jobs = 0; jobs < 100 && choice.best == 0; jobs++)
        job(&choice, &device, 100000000, 0.2);
    assert_in_range(jobs, 1, 40);
}

/* A kernel that is only slightly faster changes nothing. */
static void a_draw_stays_with_the_first(void **state)
{
    struct device device = { .rate = { 1, 1.01 }, .fill = 1000 };
    struct yk_choice choice;
    (void)state;
    yk_choice_open(&choice);
    for (int jobs = 0; jobs < 9; jobs++)
        job(&choice, &device, 100000000, 0.2);
    assert_true(choice.settled && choice.best == 0);
}

/* While one is not ready (being compiled, or failed), the other does everything, at any length, and
 * neither is judged by it. */
static void one_that_is_not_ready(void **state)
{
    struct yk_choice_asked asked = { .ready = 2, .range = 1000, .fill = 1, .spare_ns = INFINITY };
    const struct yk_choice_chunk chunk = { 1, 0, 1000, 1e9 };
    struct yk_choice choice;
    struct yk_choice_turn turn;
    (void)state;
    yk_choice_open(&choice);
    yk_choice_next(&choice, &asked, &turn);
    assert_true(turn.form == 1 && !turn.tries && turn.most == 0);
    yk_choice_note(&choice, &chunk);
    assert_true(choice.best == 1 && !choice.settled && !yk_choice_knows_both(&choice));
    asked.ready = BOTH;
    yk_choice_next(&choice, &asked, &turn);
    assert_true(turn.tries && turn.most > 0 && turn.most < 10);
    asked.ready = 1;
    yk_choice_next(&choice, &asked, &turn);
    assert_true(turn.form == 0 && !turn.tries);
}

/* Cores have several chunks in progress: a kernel that was never measured gets no second chunk
 * meanwhile. */
static void chunks_that_are_out(void **state)
{
    struct yk_choice_asked asked = {
        .ready = BOTH, .range = 25600, .fill = 10, .spare_ns = INFINITY
    };
    struct yk_choice choice;
    struct yk_choice_turn turn;
    (void)state;
    yk_choice_open(&choice);
    yk_choice_next(&choice, &asked, &turn);
    assert_true(turn.form == 0 && turn.tries && turn.most >= 10 && turn.most < 256);
    asked.out[0] = 1;
    yk_choice_next(&choice, &asked, &turn);
    assert_true(turn.form == 1 && turn.tries);
    asked.out[1] = 1;
    yk_choice_next(&choice, &asked, &turn);
    assert_true(turn.form == 0 && turn.tries && turn.most >= 10 && turn.most < 256);
    yk_choice_note(&choice, &(struct yk_choice_chunk){ 0, 1, 0, 5 }); /* no item of it was done */
    assert_int_equal(choice.best, -1);
}

/* The program or the machine is disturbed during one chunk. */
static void one_moment_does_not_decide(void **state)
{
    (void)state;
    for (int hit = 1; hit < 30; hit++)
        for (int worse = 0; worse < YK_FORMS; worse++) {
            struct device device = { .rate = { 1, 1 }, .fill = 1000, .hit = hit };
            struct yk_choice choice;
            device.rate[worse] = 0.7;
            yk_choice_open(&choice);
            for (int jobs = 0; jobs < 9 && !choice.settled; jobs++)
                job(&choice, &device, 1 << 30, 0.3);
            assert_true(choice.settled && choice.best != worse);
        }
}

/* Cores need 23 ms for their smallest piece, perhaps three times as long with the other kernel.
 * They try nothing in a job of 9 ms, but they do in a job of 1 s. A trial that short jobs put off
 * for ever runs when the budget allows it. */
static void a_short_job_of_several(void **state)
{
    const double least_ns = 23e6, brief_ns = 9e6, lasting_ns = 1e9;
    struct yk_choice_asked asked = { .ready = BOTH, .range = 10000000, .fill = 1 };
    struct yk_choice choice;
    struct yk_choice_turn turn;
    int first;
    (void)state;
    yk_choice_open(&choice);
    yk_choice_note(&choice, &(struct yk_choice_chunk){ 0, YK_TRIES_CHUNK, 50000, 23e6, 10000000 });
    assert_true(yk_choice_spare_ns(&choice, least_ns, brief_ns) == 0);
    yk_choice_next(&choice, &asked, &turn);
    assert_true(turn.form == 0 && turn.tries == YK_TRIES_NOTHING && turn.most == 0);
    assert_int_equal(yk_choice_wants(&choice, 0, &first), 1);
    assert_int_equal(yk_choice_wants(&choice, INFINITY, &first), BOTH);
    assert_true(yk_choice_spare_ns(&choice, least_ns, lasting_ns) > 23e6);
    asked.spare_ns = 1e6; /* a limit of a chunk's length */
    yk_choice_next(&choice, &asked, &turn);
    assert_true(turn.tries == YK_TRIES_CHUNK && turn.most > 2000 && turn.most < 2500);
    for (int jobs = 0; jobs < 300; jobs++)
        yk_choice_note(&choice, &(struct yk_choice_chunk){ 0, YK_TRIES_NOTHING, 50000, 23e6, 1 });
    assert_true(yk_choice_spare_ns(&choice, least_ns, brief_ns) > 0);
}

static void sentences(void **state)
{
    static const char *const names[] = { "plain", "steps" };
    struct device device = { .rate = { 1, 4 }, .fill = 1000 };
    struct yk_choice choice;
    char text[160];
    (void)state;
    yk_choice_open(&choice);
    yk_choice_explain(&choice, names, text, sizeof text);
    assert_string_equal(text, "");
    job(&choice, &device, 1000, 1);
    yk_choice_explain(&choice, names, text, sizeof text);
    assert_string_equal(text, "plain so far; steps has not been measured");
    job(&choice, &device, 1000, 1);
    yk_choice_explain(&choice, names, text, sizeof text);
    assert_string_equal(text, "steps so far; plain has not been measured for long enough");
    job(&choice, &device, 1000000000, 0.5);
    yk_choice_explain(&choice, names, text, sizeof text);
    assert_string_equal(text, "steps, measured at 4000 items/us; plain did 1000");
}

/* For a long time nothing is tried, then there is a trial as usual; results of this process have
 * more weight. */
static void another_process_found_it(void **state)
{
    static const char *const names[] = { "plain", "steps" };
    struct device device = { .rate = { 1, 4 }, .fill = 1000 };
    struct yk_choice choice;
    char text[160];
    (void)state;
    yk_choice_open(&choice);
    assert_int_equal(yk_choice_found(&choice), -1);
    yk_choice_recall(&choice, 0);
    assert_true(yk_choice_knows_both(&choice));
    assert_int_equal(yk_choice_found(&choice), 0);
    for (int j = 0; j < 90; j++) /* each of 0.1 s */
        job(&choice, &device, 100000000, 0.5);
    assert_float_equal(device.spent_ns[1], 0, 0);
    yk_choice_explain(&choice, names, text, sizeof text);
    assert_string_equal(
        text, "plain, as an earlier process found; steps has not been measured in this one");
    for (int j = 0; j < 30; j++)
        job(&choice, &device, 100000000, 0.5);
    assert_int_equal(yk_choice_found(&choice), 1);
    yk_choice_recall(&choice, 0);
    assert_int_equal(yk_choice_found(&choice), 1);
    yk_choice_explain(&choice, names, text, sizeof text);
    assert_string_equal(text, "steps, measured at 4000 items/us; plain did 1000");
}

/* The first chunks of a trial do not change what was found; the end of the trial does. */
static void a_trial_is_no_finding(void **state)
{
    static const char *const names[] = { "plain", "steps" };
    const struct yk_choice_asked asked = {
        .ready = 3, .range = 100000000, .fill = 1000, .spare_ns = INFINITY
    };
    struct device device = { .rate = { 1, 4 }, .fill = 1000 };
    struct yk_choice choice;
    struct yk_choice_turn turn;
    char text[160];
    (void)state;
    yk_choice_open(&choice);
    yk_choice_recall(&choice, 0);
    while (choice.settled) {
        yk_choice_note(&choice,
                       &(struct yk_choice_chunk){ 0, YK_TRIES_NOTHING, 100000000, 1e8, 100000000 });
        yk_choice_begin(&choice);
    }
    for (int i = 0; i < 2; i++) {
        yk_choice_next(&choice, &asked, &turn);
        yk_choice_note(&choice, &(struct yk_choice_chunk){ turn.form, turn.tries, turn.most,
                                                           time_of(&device, turn.form, turn.most),
                                                           100000000 });
        assert_int_equal(yk_choice_found(&choice), 0);
    }
    yk_choice_explain(&choice, names, text, sizeof text);
    assert_non_null(strstr(text, "plain, as an earlier process found"));
    job(&choice, &device, 100000000, 0.2);
    assert_int_equal(yk_choice_found(&choice), 1);
    yk_choice_explain(&choice, names, text, sizeof text);
    assert_null(strstr(text, "earlier process"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_faster_one_is_kept),
        cmocka_unit_test(finding_out_is_bounded),
        cmocka_unit_test(jobs_of_one_chunk),
        cmocka_unit_test(another_trial_is_seldom),
        cmocka_unit_test(a_change_is_found),
        cmocka_unit_test(a_draw_stays_with_the_first),
        cmocka_unit_test(one_that_is_not_ready),
        cmocka_unit_test(chunks_that_are_out),
        cmocka_unit_test(one_moment_does_not_decide),
        cmocka_unit_test(a_short_job_of_several),
        cmocka_unit_test(sentences),
        cmocka_unit_test(another_process_found_it),
        cmocka_unit_test(a_trial_is_no_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
