/* test_team.c - who works together: the experiment is made once it is cheap, and the faster team
 * stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "partition/team.h"

static struct yk_split_device devices[2] = { { .name = "cpu", .lanes = 1, .rate = 0.9 },
                                             { .name = "gpu", .lanes = 2, .rate = 0.1 } };

static int choose(const struct yk_team *team)
{
    return yk_team_choose(team, devices, 2);
}

static void all_begin_together(void **state)
{
    struct yk_team team = { 0 };
    (void)state;
    assert_int_equal(choose(&team), -1);
    yk_team_learn(&team, -1, 1000, 1000);
    assert_int_equal(choose(&team), -1);
    assert_int_equal(yk_team_choose(&team, devices, 1), -1);
}

/* Two jobs together, two alone, then the faster: here the best device by itself. */
static void contention_is_found(void **state)
{
    struct yk_team team = { 0 };
    char text[160];
    int i;
    (void)state;
    for (i = 0; i < 2; i++)
        yk_team_learn(&team, -1, 1000, 1000);
    for (i = 0; i < 2; i++) {
        assert_int_equal(choose(&team), 0);
        yk_team_explain(&team, "cpu", text, sizeof text);
        assert_non_null(strstr(text, "left out for once"));
        yk_team_learn(&team, 0, 1000, 800);
    }
    assert_int_equal(choose(&team), 0);
    yk_team_explain(&team, "cpu", text, sizeof text);
    assert_string_equal(text, "does not pay: cpu alone does 1250 items/us, all together 1000");
}

static void a_good_team_stays(void **state)
{
    struct yk_team team = { 0 };
    int i;
    (void)state;
    for (i = 0; i < 2; i++)
        yk_team_learn(&team, -1, 1000, 1000);
    for (i = 0; i < 2; i++)
        yk_team_learn(&team, choose(&team), 1000, 1100);
    for (i = 0; i < 50; i++) {
        assert_int_equal(choose(&team), -1);
        yk_team_learn(&team, -1, 1000, 1000);
    }
}

/* As long as all together get faster from job to job, nobody is judged; but not for ever. */
static void gains_are_waited_for(void **state)
{
    struct yk_team team = { 0 };
    int64_t ns = 4000;
    int i;
    (void)state;
    for (i = 0; i < 5; i++, ns = ns * 8 / 10) {
        assert_int_equal(choose(&team), -1);
        yk_team_learn(&team, -1, 1000, ns);
    }
    assert_int_equal(choose(&team), -1);
    yk_team_learn(&team, -1, 1000, ns * 10 / 8);
    assert_int_equal(choose(&team), 0);
    team = (struct yk_team){ 0 };
    for (i = 0, ns = 1 << 20; i < 20 && choose(&team) < 0; i++, ns = ns * 8 / 10)
        yk_team_learn(&team, -1, 1000, ns);
    assert_true(i < 10);
}

/* Noise does not send anybody home. */
static void alone_has_to_be_clearly_better(void **state)
{
    struct yk_team team = { 0 };
    int i;
    (void)state;
    for (i = 0; i < 2; i++)
        yk_team_learn(&team, -1, 10000, 10000);
    for (i = 0; i < 2; i++)
        yk_team_learn(&team, choose(&team), 10000, 9950);
    assert_int_equal(choose(&team), -1);
}

/* Where the others do much of the work the experiment would cost too much. */
static void no_dear_experiments(void **state)
{
    struct yk_split_device equal[2] = { { .rate = 0.6 }, { .rate = 0.4 } };
    struct yk_team team = { .together_jobs = 5, .together_rate = 1 };
    (void)state;
    assert_int_equal(yk_team_choose(&team, equal, 2), -1);
}

/* The machine changes: the other team is tried again after a while, and wins. */
static void it_looks_again(void **state)
{
    struct yk_team team = { 0 };
    int i, together = 0;
    (void)state;
    for (i = 0; i < 400; i++) {
        int alone = choose(&team);
        int64_t ns = alone < 0 ? (i < 50 ? 2000 : 500) : 1000;
        together += alone < 0 && i >= 350;
        yk_team_learn(&team, alone, 1000, ns);
    }
    assert_true(together >= 45);
}

/* Asked together, one did all of it, twice: nobody else is called any more, but for the look again,
 * in which all are asked. */
static void who_did_all_is_left_to_it(void **state)
{
    struct yk_team team = { 0 };
    char text[160];
    int i, asked = 0;
    (void)state;
    yk_team_learn(&team, -1, 1000, 2000); /* once others had something, too */
    for (i = 0; i < 2; i++) {
        assert_int_equal(choose(&team), -1);
        yk_team_learn(&team, 1, 1000, 1000);
    }
    assert_int_equal(choose(&team), 1);
    yk_team_explain(&team, "gpu", text, sizeof text);
    assert_string_equal(text, "not asked: gpu did all of such jobs by itself, at 1000 items/us");
    for (i = 0; i < 300; i++) {
        asked += choose(&team) < 0;
        yk_team_learn(&team, 1, 1000, 1000);
    }
    assert_in_range(asked, 2, 4);
}

/* Where the others did get something in that look, the faster team is found as ever. */
static void who_did_all_can_lose_it(void **state)
{
    struct yk_team team = { .alone = 1, .alone_jobs = 2, .alone_rate = 1 };
    int i, together = 0;
    (void)state;
    for (i = 0; i < 300; i++) {
        int alone = choose(&team);
        together += alone < 0;
        yk_team_learn(&team, alone, 1000, alone < 0 ? 500 : 1000);
    }
    assert_true(together >= 190);
}

static void nonsense_teaches_nothing(void **state)
{
    struct yk_team team = { 0 };
    (void)state;
    yk_team_learn(&team, -1, 0, 1000);
    yk_team_learn(&team, -1, 1000, 0);
    yk_team_learn(&team, 0, 1000, -5);
    assert_int_equal(team.together_jobs + team.alone_jobs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_begin_together),
        cmocka_unit_test(contention_is_found),
        cmocka_unit_test(a_good_team_stays),
        cmocka_unit_test(no_dear_experiments),
        cmocka_unit_test(it_looks_again),
        cmocka_unit_test(who_did_all_is_left_to_it),
        cmocka_unit_test(who_did_all_can_lose_it),
        cmocka_unit_test(gains_are_waited_for),
        cmocka_unit_test(alone_has_to_be_clearly_better),
        cmocka_unit_test(nonsense_teaches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
