/* test_explore.c - other teams are tried for a small part of all time, the better one stays, and
 * one that lost is left alone for long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "partition/explore.h"

enum { BOTH = 3, ONE = 1 };

/* Its parts alone take as long as the round. */
static struct yk_explore_offer offer_of(uint32_t team, double round_ns)
{
    return (struct yk_explore_offer){ .devices = team,
                                      .round_ns = round_ns,
                                      .parts_ns = round_ns,
                                      .least_ns = round_ns,
                                      .relief = 2,
                                      .move_ns = 50 };
}

static int offer_to(struct yk_explorer *explorer, const struct yk_explore_offer *offer)
{
    return yk_explore_pays(explorer, offer) &&
           yk_explore_try(explorer, offer->devices, offer->move_ns);
}

/* So many rounds; both take 100, one so much. What all took. */
static double run(struct yk_explorer *explorer, int rounds, double one_ns, double feared_ns)
{
    double all = 0;
    int i;
    if (!explorer->best)
        yk_explore_begin(explorer, BOTH);
    for (i = 0; i < rounds; i++) {
        uint32_t team = yk_explore_team(explorer);
        double ns;
        const struct yk_explore_offer offer = offer_of(team == ONE ? BOTH : ONE, feared_ns);
        if (!explorer->trying)
            offer_to(explorer, &offer);
        team = yk_explore_team(explorer) ? yk_explore_team(explorer) : BOTH;
        ns = team == ONE ? one_ns : 100 + i % 3;
        yk_explore_note(explorer, team, ns);
        all += ns;
    }
    return all;
}

static void the_better_one_stays(void **state)
{
    struct yk_explorer explorer = { 0 };
    (void)state;
    run(&explorer, 300, 60, 180);
    assert_int_equal(explorer.best, ONE);
    assert_true(yk_explore_ns(&explorer, ONE) < 61);
}

/* A trial that begins after one round of the present team, or after one that warmed the machine up,
 * is judged by the noise of all rounds. */
static void few_rounds_are_enough_to_lose(void **state)
{
    const struct yk_explore_offer offer = offer_of(ONE, 60);
    int warms, i;
    (void)state;
    for (warms = 0; warms < 2; warms++) {
        struct yk_explorer explorer = { 0 };
        yk_explore_begin(&explorer, BOTH);
        yk_explore_wait(&explorer, 10000);
        if (warms)
            yk_explore_note(&explorer, BOTH, 600);
        yk_explore_note(&explorer, BOTH, 100);
        assert_int_equal(offer_to(&explorer, &offer), 1);
        for (i = 0; i < 5; i++)
            yk_explore_note(&explorer, ONE, 60 + i % 3);
        assert_int_equal(explorer.best, ONE);
    }
}

static void trials_cost_little(void **state)
{
    struct yk_explorer explorer = { 0 };
    double all;
    (void)state;
    all = run(&explorer, 2000, 190, 190);
    assert_int_equal(explorer.best, BOTH);
    assert_true(explorer.spent_ns > 0 && explorer.spent_ns < 0.035 * all);
    assert_true(all < 1.03 * 101 * 2000);
}

static void nothing_is_tried_too_early(void **state)
{
    struct yk_explorer explorer = { 0 };
    (void)state;
    run(&explorer, 50, 190, 190); /* 410 at stake; 3 % of 5000 are there */
    assert_int_equal(yk_explore_team(&explorer), BOTH);
    assert_true(explorer.spent_ns == 0);
}

/* One is slower, until both have slowed down. */
static void a_change_opens_all_again(void **state)
{
    struct yk_explorer explorer = { 0 };
    int i;
    (void)state;
    run(&explorer, 30, 190, 110);
    assert_int_equal(explorer.best, BOTH);
    assert_int_equal(yk_explore_try(&explorer, ONE, 50), 0); /* it has lost */
    for (i = 0; i < 10; i++)
        yk_explore_note(&explorer, BOTH, 300);
    assert_int_equal(yk_explore_try(&explorer, ONE, 50), 1);
}

/* A round as long as a thousand is the last of its trial. */
static void a_disaster_ends_at_once(void **state)
{
    struct yk_explorer explorer = { 0 };
    (void)state;
    run(&explorer, 20, 190, 1e9);
    assert_int_equal(yk_explore_try(&explorer, ONE, 50), 1);
    yk_explore_note(&explorer, ONE, 1e5);
    assert_int_equal(yk_explore_team(&explorer), BOTH);
    assert_int_equal(yk_explore_try(&explorer, ONE, 50), 0);
}

/* No round of the best team has told anything yet, so there is nothing to compare with. */
static void a_team_without_times_is_replaced(void **state)
{
    struct yk_explorer explorer = { 0 };
    int i;
    (void)state;
    yk_explore_begin(&explorer, BOTH);
    yk_explore_wait(&explorer, 1e4);
    assert_int_equal(yk_explore_try(&explorer, ONE, 50), 1);
    for (i = 0; i < 4; i++)
        yk_explore_note(&explorer, ONE, 60);
    assert_int_equal(yk_explore_team(&explorer), ONE);
    assert_true(explorer.spent_ns == 0);
}

/* Pinning its memory takes as long as a hundred rounds, once. That is charged to the budget, and
 * the team is judged by its rounds; if none of them tells anything, the trial ends. */
static void what_is_paid_once_ends_no_trial(void **state)
{
    int readies, i;
    (void)state;
    for (readies = 1; readies < 20; readies += 18) {
        struct yk_explorer explorer = { 0 };
        run(&explorer, 20, 190, 1e9);
        assert_int_equal(yk_explore_try(&explorer, ONE, 50), 1);
        for (i = 0; i < readies; i++)
            yk_explore_wait(&explorer, 1e4);
        assert_true(explorer.spent_ns > 0.9e4);
        for (i = 0; i < 5 && yk_explore_team(&explorer) == ONE; i++)
            yk_explore_note(&explorer, ONE, 60 + i % 3);
        assert_int_equal(explorer.best, readies == 1 ? ONE : BOTH);
        assert_int_equal(explorer.trying, 0);
    }
}

/* It would have to be faster than without anything that slows it. */
static void what_cannot_win_is_not_tried(void **state)
{
    struct yk_explorer explorer = { 0 };
    struct yk_explore_offer offer = offer_of(ONE, 150);
    (void)state;
    run(&explorer, 2000, 190, 1e9);
    offer.relief = 1.4;
    assert_int_equal(offer_to(&explorer, &offer), 0);
    offer.relief = 1.6;
    assert_int_equal(offer_to(&explorer, &offer), 1);
}

/* What all rounds so far might have saved pays for a trial, whatever the budget is. */
static void regret_pays_for_a_trial(void **state)
{
    struct yk_explorer explorer = { 0 };
    struct yk_explore_offer offer = { ONE, 100, 50, 50, 1, 1000 };
    (void)state;
    run(&explorer, 18, 190, 1e9);
    assert_int_equal(offer_to(&explorer, &offer), 0);
    run(&explorer, 4, 190, 1e9);
    assert_true(yk_explore_budget(&explorer) < 100);
    assert_int_equal(offer_to(&explorer, &offer), 1);
}

/* Its predicted time is longer, but so uncertain that some improvement may be expected. */
static void what_is_uncertain_may_be_better(void **state)
{
    struct yk_explorer explorer = { 0 };
    struct yk_explore_offer offer = { ONE, 150, 150, 150, 1, 0 };
    (void)state;
    run(&explorer, 40, 190, 1e9);
    assert_int_equal(offer_to(&explorer, &offer), 0);
    offer.least_ns = 50;
    assert_int_equal(offer_to(&explorer, &offer), 1);
}

/* Teams that should take half of the time each, and take three times as long. All trials together
 * lose no more than one of them might have saved. */
static void regret_pays_once_for_all_trials(void **state)
{
    struct yk_explorer explorer = { 0 };
    double all = 0;
    int i;
    (void)state;
    yk_explore_begin(&explorer, 0xff);
    for (i = 0; i < 50; i++) {
        const uint32_t team = explorer.trying ? explorer.trying : 0xff;
        const double ns = team == 0xff ? 100 : 300;
        const struct yk_explore_offer offer = { 1u << i % 8, 100, 50, 50, 1, 0 };
        yk_explore_note(&explorer, team, ns);
        all += ns;
        if (!explorer.trying)
            offer_to(&explorer, &offer);
    }
    assert_true(explorer.spent_ns > 0.03 * all);
    assert_true(explorer.spent_ns <= 0.5 * all); /* with each trial paid anew: 0.66 */
}

/* Nothing is offered until all rounds have grown fourfold, unless rounds become slower. */
static void what_an_earlier_process_tried_is_not_tried(void **state)
{
    struct yk_explorer explorer = { 0 };
    (void)state;
    yk_explore_recall(&explorer, BOTH, 100);
    assert_int_equal(yk_explore_settled(&explorer), BOTH);
    assert_int_equal(yk_explore_has_tried(&explorer), 1);
    run(&explorer, 299, 60, 110);
    assert_int_equal(explorer.best, BOTH);
    assert_true(explorer.spent_ns == 0);
    run(&explorer, 10, 60, 110);
    assert_int_equal(explorer.best, ONE);
    explorer = (struct yk_explorer){ 0 };
    yk_explore_recall(&explorer, BOTH, 100);
    run(&explorer, 10, 60, 110);
    assert_int_equal(explorer.best, BOTH);
    for (int i = 0; i < 10; i++)
        yk_explore_note(&explorer, BOTH, 300);
    assert_true(explorer.rests == 0);
}

/* A team is settled after some rounds, but only a trial compares it with others. */
static void trials_tell_more_than_rounds(void **state)
{
    struct yk_explorer explorer = { 0 };
    (void)state;
    run(&explorer, 2, 190, 190);
    assert_int_equal(yk_explore_settled(&explorer), 0);
    run(&explorer, 8, 190, 190);
    assert_int_equal(yk_explore_settled(&explorer), BOTH);
    assert_int_equal(yk_explore_has_tried(&explorer), 0);
    run(&explorer, 290, 190, 110);
    assert_int_equal(yk_explore_settled(&explorer), BOTH);
    assert_int_equal(yk_explore_has_tried(&explorer), 1);
}

/* Two rounds are enough where one team is far slower than the other. */
static void clear_trials_end_early(void **state)
{
    struct yk_explorer explorer = { 0 };
    (void)state;
    run(&explorer, 20, 190, 1e9);
    assert_int_equal(yk_explore_try(&explorer, ONE, 0), 1);
    yk_explore_note(&explorer, ONE, 190);
    assert_int_equal(yk_explore_team(&explorer), ONE);
    yk_explore_note(&explorer, ONE, 191);
    assert_int_equal(yk_explore_team(&explorer), BOTH);
}

/* The machine became twice as fast when the trial began, so the slower team won. The other one is
 * tried again as soon as the budget allows that. */
static void luck_does_not_last(void **state)
{
    struct yk_explorer explorer = { 0 };
    int i;
    (void)state;
    run(&explorer, 100, 60, 1e9);
    assert_int_equal(yk_explore_try(&explorer, ONE, 0), 1);
    for (i = 0; i < 4; i++)
        yk_explore_note(&explorer, ONE, 60);
    assert_int_equal(explorer.best, ONE);
    for (i = 0; i < 20; i++) {
        const uint32_t team = yk_explore_team(&explorer);
        const struct yk_explore_offer offer = offer_of(BOTH, 60);
        yk_explore_note(&explorer, team, team == ONE ? 60 : 50);
        if (!explorer.trying)
            offer_to(&explorer, &offer);
    }
    assert_int_equal(explorer.best, BOTH);
}

/* The rest did all of its rounds: it is the best team, with the same times. */
static void idle_devices_leave(void **state)
{
    struct yk_explorer explorer = { 0 };
    (void)state;
    run(&explorer, 20, 190, 1e9);
    yk_explore_narrow(&explorer, ONE);
    assert_int_equal(yk_explore_team(&explorer), ONE);
    assert_true(yk_explore_ns(&explorer, ONE) == yk_explore_ns(&explorer, BOTH));
    assert_int_equal(yk_explore_try(&explorer, BOTH, 0), 0);
}

/* The best team has the last place of a full table, which then is its successor's. */
static void a_full_table_keeps_times(void **state)
{
    struct yk_explorer explorer = { 0 };
    uint32_t team;
    (void)state;
    for (team = 1; team < YK_EXPLORE_TEAMS; team++)
        explorer.team[team - 1].devices = team;
    yk_explore_begin(&explorer, 0x300);
    yk_explore_note(&explorer, 0x300, 100);
    yk_explore_narrow(&explorer, 0x200);
    assert_true(yk_explore_ns(&explorer, 0x200) == 100);
    assert_int_equal(yk_explore_team(&explorer), 0x200);
}

static void nonsense_is_not_noted(void **state)
{
    struct yk_explorer explorer = { 0 };
    (void)state;
    yk_explore_note(&explorer, 0, 100);
    yk_explore_note(&explorer, BOTH, -1);
    yk_explore_note(&explorer, BOTH, 0);
    assert_int_equal(yk_explore_team(&explorer), 0);
    assert_int_equal(offer_to(&explorer, &(struct yk_explore_offer){ ONE, 1, 1, 1, 1, 0 }), 0);
}

static void says(const struct yk_explorer *explorer, uint32_t asked, const char *words)
{
    char text[160];
    yk_explore_explain(explorer, &(struct yk_left_out){ asked, 1 }, text, sizeof text);
    assert_non_null(strstr(text, words));
}

/* Of the second device, which has no part. */
static void says_why_a_device_has_no_part(void **state)
{
    struct yk_explorer explorer = { 0 };
    (void)state;
    says(&explorer, ONE, "by what is known of the devices");
    yk_explore_begin(&explorer, ONE);
    yk_explore_note(&explorer, ONE, 100e3);
    says(&explorer, ONE, "by what is known of the devices");
    explorer.team[1] = (struct yk_tried_team){ .devices = BOTH, .rounds = 1, .ns = { 150e3 } };
    says(&explorer, ONE, "take 100 us without it, 150 us with it");
    explorer.best = BOTH;
    says(&explorer, ONE, "left out for a trial: with the best devices so far");
    says(&explorer, ONE, "took 150 us");
}

/* A team that lost narrowly is tried again, whatever the budget is, if the best team takes three
 * times as long with other bounds: its own time is known. */
static void what_was_measured_is_regretted(void **state)
{
    struct yk_explorer explorer = { 0 };
    struct yk_explore_offer offer = offer_of(ONE, 60);
    int i;
    (void)state;
    yk_explore_begin(&explorer, BOTH);
    for (i = 0; i < 30; i++)
        yk_explore_note(&explorer, BOTH, 100);
    assert_int_equal(offer_to(&explorer, &offer), 1);
    for (i = 0; explorer.trying && i < 10; i++)
        yk_explore_note(&explorer, ONE, 101);
    assert_int_equal(explorer.best, BOTH);
    yk_explore_recut(&explorer, BOTH);
    for (i = 0; i < 10; i++)
        yk_explore_note(&explorer, BOTH, 300);
    offer.parts_ns = offer.least_ns = offer.round_ns = 299;
    offer.move_ns = 1000;
    assert_true(yk_explore_budget(&explorer) < 1000);
    assert_int_equal(offer_to(&explorer, &offer), 1);
}

/* More teams are offered and tried than the table has places. The best one, in the last place of a
 * full table, keeps its times, and so does the one on trial. */
static void the_best_team_keeps_its_place(void **state)
{
    struct yk_explorer explorer = { 0 };
    double times = 0;
    uint32_t team;
    int rounds;
    (void)state;
    for (team = 1; team < YK_EXPLORE_TEAMS; team++)
        explorer.team[team - 1].devices = 0x100 + team;
    yk_explore_begin(&explorer, 1);
    for (rounds = 0; rounds < 10; rounds++)
        yk_explore_note(&explorer, 1, 100);
    for (team = 2; team < 4 * YK_EXPLORE_TEAMS; team++) {
        const struct yk_explore_offer offer = offer_of(team, 60);
        assert_int_equal(offer_to(&explorer, &offer), 1);
        for (rounds = 0; explorer.trying && rounds < 10; rounds++) {
            yk_explore_note(&explorer, team, 150);
            times += yk_explore_ns(&explorer, team);
        }
        assert_int_equal(explorer.best, 1);
        assert_float_equal(yk_explore_ns(&explorer, 1), 100, 0);
        for (rounds = 0; rounds < 100; rounds++)
            yk_explore_note(&explorer, 1, 100);
    }
    assert_true(times > 0);
}

/* The team's first rounds are slower, because they are cold: two H200s with jobs of 60 us. */
static double warming_up(int rounds)
{
    static const double first[] = { 231, 91.5, 80, 76, 70, 66 };
    return rounds < 6 ? first[rounds] : 60 + rounds % 3;
}

/* Both devices take 61 when they are warm, one takes 67. Moving the rows takes 290. */
static void a_cold_team_is_not_taken_for_slow(void **state)
{
    struct yk_explorer explorer = { 0 };
    int both = 0, i;
    (void)state;
    yk_explore_begin(&explorer, BOTH);
    yk_explore_wait(&explorer, 2431);
    yk_explore_wait(&explorer, 456);
    for (i = 0; i < 60; i++) {
        const uint32_t before = yk_explore_team(&explorer);
        const int is_one = before == ONE;
        struct yk_explore_offer offer = offer_of(is_one ? BOTH : ONE, is_one ? 59 : 70);
        uint32_t team;
        double ns;
        offer.move_ns = 290;
        offer_to(&explorer, &offer);
        team = yk_explore_team(&explorer);
        ns = team == BOTH ? warming_up(both++) : 67;
        yk_explore_note(&explorer, team, ns + (team == before ? 0 : 290));
    }
    assert_int_equal(explorer.best, BOTH);
    assert_true(both > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_why_a_device_has_no_part),
        cmocka_unit_test(few_rounds_are_enough_to_lose),
        cmocka_unit_test(the_better_one_stays),
        cmocka_unit_test(trials_cost_little),
        cmocka_unit_test(nothing_is_tried_too_early),
        cmocka_unit_test(a_change_opens_all_again),
        cmocka_unit_test(a_disaster_ends_at_once),
        cmocka_unit_test(a_team_without_times_is_replaced),
        cmocka_unit_test(what_is_paid_once_ends_no_trial),
        cmocka_unit_test(clear_trials_end_early),
        cmocka_unit_test(luck_does_not_last),
        cmocka_unit_test(idle_devices_leave),
        cmocka_unit_test(a_full_table_keeps_times),
        cmocka_unit_test(the_best_team_keeps_its_place),
        cmocka_unit_test(what_was_measured_is_regretted),
        cmocka_unit_test(nonsense_is_not_noted),
        cmocka_unit_test(what_cannot_win_is_not_tried),
        cmocka_unit_test(regret_pays_for_a_trial),
        cmocka_unit_test(regret_pays_once_for_all_trials),
        cmocka_unit_test(what_is_uncertain_may_be_better),
        cmocka_unit_test(what_an_earlier_process_tried_is_not_tried),
        cmocka_unit_test(trials_tell_more_than_rounds),
        cmocka_unit_test(a_cold_team_is_not_taken_for_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
