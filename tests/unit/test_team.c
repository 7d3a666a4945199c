/* test_team.c - which devices work together: an experiment is made once it is cheap, and the faster
 * team stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "partition/team.h"
#include "partition/team_next.h"

enum { CPU = 1, GPU = 2, BOTH = 3, GPUS = 6, ALL = 7 };

static const struct yk_split_device devices[2] = {
    { .name = "cpu", .host_memory = 1, .lanes = 1, .rate = 0.09 },
    { .name = "gpu", .lanes = 2, .rate = 0.01, .make = 1 }
};
/* n-body: two GPUs that do nearly all of it, and cores */
static const struct yk_split_device three[3] = {
    { .name = "cpu", .host_memory = 1, .lanes = 32, .rate = 0.003 },
    { .name = "gpu0", .lanes = 4, .rate = 0.05, .make = 1 },
    { .name = "gpu1", .lanes = 4, .rate = 0.047, .make = 1 }
};

static uint32_t choose(const struct yk_team *team)
{
    return yk_team_choose(team, devices, 2);
}

static void did(struct yk_team *team, uint32_t asked, int64_t ns)
{
    yk_team_learn(team,
                  &(struct yk_team_job){ .asked = asked,
                                         .sole = asked & (asked - 1) ? -1 : yk_team_only(asked),
                                         .items = 10000,
                                         .ns = ns });
}

/* One of the devices that were asked did everything. */
static void did_all(struct yk_team *team, uint32_t asked, int sole, int64_t ns)
{
    yk_team_learn(team,
                  &(struct yk_team_job){ .asked = asked, .sole = sole, .items = 10000, .ns = ns });
}

static void all_begin_together(void **state)
{
    struct yk_team team = { 0 };
    (void)state;
    assert_int_equal(choose(&team), BOTH);
    assert_int_equal(yk_team_settled(&team, 2), BOTH);
    did(&team, BOTH, 10000);
    assert_int_equal(choose(&team), BOTH);
    assert_int_equal(yk_team_choose(&team, devices, 1), 1);
    assert_int_equal(yk_team_choose(&team, three, 3), ALL);
}

/* Three jobs together, two alone, then the faster team: here the best device alone. */
static void contention_is_found(void **state)
{
    struct yk_team team = { 0 };
    char text[160];
    int i;
    (void)state;
    for (i = 0; i < 3; i++)
        did(&team, BOTH, 10000);
    for (i = 0; i < 2; i++) {
        assert_int_equal(choose(&team), CPU);
        assert_int_equal(yk_team_settled(&team, 2), BOTH); /* no experiments */
        yk_team_explain(&team, CPU, text, sizeof text);
        assert_string_equal(text, "left out for once, to see what the others do without it "
                                  "(together they did 1000 items/us)");
        did(&team, CPU, 8000);
    }
    assert_int_equal(choose(&team), CPU);
    assert_int_equal(yk_team_settled(&team, 2), CPU);
    yk_team_explain(&team, CPU, text, sizeof text);
    assert_string_equal(text, "does not pay: without it 1250 items/us, with more devices 1000");
}

static void a_good_team_stays(void **state)
{
    struct yk_team team = { 0 };
    int i;
    (void)state;
    for (i = 0; i < 3; i++)
        did(&team, BOTH, 1000);
    for (i = 0; i < 2; i++) {
        assert_int_equal(choose(&team), CPU);
        did(&team, CPU, 1100);
    }
    for (i = 0; i < 50; i++) {
        assert_int_equal(choose(&team), BOTH);
        did(&team, BOTH, 1000);
    }
}

/* The cores contribute least: the job continues without them if that is faster, even if neither GPU
 * alone would be; two GPUs of one model are not separated. */
static void cores_are_left_out(void **state)
{
    struct yk_team team = { 0 };
    int i;
    (void)state;
    for (i = 0; i < 3; i++)
        did(&team, ALL, 94000);
    for (i = 0; i < 40; i++) {
        assert_int_equal(yk_team_choose(&team, three, 3), GPUS);
        did(&team, GPUS, 88000);
    }
}

/* Or without the GPUs, if these only copy and the cores do the work. */
static void gpus_are_left_out(void **state)
{
    struct yk_split_device copying[3] = { three[0], three[1], three[2] };
    struct yk_team team = { 0 };
    int i;
    (void)state;
    copying[0].rate = 0.12; /* GPUs: 45 % */
    for (i = 0; i < 3; i++)
        did(&team, ALL, 45000);
    assert_int_equal(yk_team_choose(&team, copying, 3), ALL); /* too much would be lost */
    copying[1].copy_item_ns = 15;
    for (i = 0; i < 40; i++) {
        assert_int_equal(yk_team_choose(&team, copying, 3), CPU);
        did(&team, CPU, 20000);
    }
}

/* While the full team gets faster from job to job, no device is judged; but not for ever. */
static void gains_are_waited_for(void **state)
{
    struct yk_team team = { 0 };
    int64_t ns = 40000;
    int i;
    (void)state;
    for (i = 0; i < 5; i++, ns = ns * 8 / 10) {
        assert_int_equal(choose(&team), BOTH);
        did(&team, BOTH, ns);
    }
    for (i = 0; i < 2; i++) {
        assert_int_equal(choose(&team), BOTH);
        did(&team, BOTH, ns * 10 / 8);
    }
    assert_int_equal(choose(&team), CPU);
    team = (struct yk_team){ 0 };
    for (i = 0, ns = 1 << 20; i < 20 && choose(&team) == BOTH; i++, ns = ns * 8 / 10)
        did(&team, BOTH, ns);
    assert_true(i < 12);
}

/* Two fast jobs by chance, of a team that is slower afterwards, do not remove a device. */
static void promises_have_to_be_kept(void **state)
{
    struct yk_team team = { 0 };
    int i, together = 0, alone = 0;
    (void)state;
    for (i = 0; i < 50; i++) {
        uint32_t asked = choose(&team);
        together += asked == BOTH;
        alone += asked == CPU;
        did(&team, asked, asked == CPU && alone <= 2 ? 9000 : asked == CPU ? 10500 : 10000);
    }
    assert_true(together >= 40);
}

/* A device that makes jobs no faster is left out; if it makes them 0.5 % faster it stays. */
static void who_gains_nothing_is_left_out(void **state)
{
    struct yk_team team = { 0 };
    int i;
    (void)state;
    for (i = 0; i < 20; i++)
        did(&team, choose(&team), 10000);
    assert_int_equal(choose(&team), CPU);
    team = (struct yk_team){ 0 };
    for (i = 0; i < 20; i++)
        did(&team, choose(&team), choose(&team) == CPU ? 10050 : 10000);
    assert_int_equal(choose(&team), BOTH);
}

/* saxpy on 64 cores and four H200s: one fast job of all devices by chance does not decide whether
 * the cores alone are faster. */
static void a_lucky_gain_does_not_count(void **state)
{
    static const int64_t all_us[] = { 11020, 9150, 10170, 9970, 10080, 10070, 9590, 10920 };
    static const int64_t cores_us[] = { 8970, 9780, 9450, 9310, 9210 };
    struct yk_team team = { 0 };
    int i, together = 0, alone = 0;
    (void)state;
    for (i = 0; i < 60; i++) {
        uint32_t asked = choose(&team);
        did(&team, asked, asked == CPU ? cores_us[alone++ % 5] : all_us[together++ % 8]);
    }
    assert_true(alone >= 50);
}

/* All devices are asked again now and then, at longer intervals each time that this was in vain. */
static void looks_become_rare(void **state)
{
    struct yk_team team = { 0 };
    int i, early = 0, late = 0;
    (void)state;
    for (i = 0; i < 4000; i++) {
        uint32_t asked = yk_team_choose(&team, three, 3);
        early += i > 10 && i <= 1000 && asked == ALL;
        late += i > 3000 && asked == ALL;
        did(&team, asked, asked == ALL ? 120000 : 88000);
    }
    assert_in_range(early, 3, 4);
    assert_in_range(late, 1, 2);
}

/* A team that is sometimes fast but usually slow (one of its GPUs gets a core late) loses to one
 * that is always as fast as the first one's best. */
static void what_is_usual_counts(void **state)
{
    static const int64_t all_ns[] = { 93000, 88500, 98000, 97000 };
    struct yk_team team = { 0 };
    int i, without = 0;
    (void)state;
    for (i = 0; i < 250; i++) {
        uint32_t asked = yk_team_choose(&team, three, 3);
        without += i >= 150 && asked == GPUS;
        did(&team, asked, asked == ALL ? all_ns[i % 4] : 88000 + i % 3 * 100);
    }
    assert_true(without >= 90);
}

/* The machine changes: all devices are asked again after a while, and win. */
static void it_looks_again(void **state)
{
    struct yk_team team = { 0 };
    int i, together = 0;
    (void)state;
    for (i = 0; i < 400; i++) {
        uint32_t asked = choose(&team);
        int64_t ns = asked == BOTH ? (i < 50 ? 2000 : 500) : 1000;
        together += asked == BOTH && i >= 350;
        did(&team, asked, ns);
    }
    assert_true(together >= 45);
}

/* If one device did all of two jobs for which all were asked, only it is asked from then on, except
 * in the periodic check, in which all are asked. */
static void who_did_all_is_left_to_it(void **state)
{
    struct yk_team team = { 0 };
    char text[160];
    int i, asked = 0;
    (void)state;
    did(&team, BOTH, 20000); /* once the others had work, too */
    for (i = 0; i < 2; i++) {
        assert_int_equal(choose(&team), BOTH);
        did_all(&team, BOTH, 1, 10000);
    }
    assert_int_equal(choose(&team), GPU);
    yk_team_explain(&team, GPU, text, sizeof text);
    assert_string_equal(text,
                        "not asked: others did all of such jobs by themselves, at 1000 items/us");
    for (i = 0; i < 300; i++) {
        asked += choose(&team) == BOTH;
        did_all(&team, choose(&team), 1, 10000);
    }
    assert_in_range(asked, 2, 6);
}

/* If the others get work in that check, the faster team is found as usual. */
static void who_did_all_can_lose_it(void **state)
{
    struct yk_team team = { 0 };
    int i, together = 0;
    (void)state;
    for (i = 0; i < 2; i++)
        did_all(&team, BOTH, 1, 10000);
    for (i = 0; i < 300; i++) {
        uint32_t asked = choose(&team);
        together += asked == BOTH;
        did(&team, asked, asked == BOTH ? 5000 : 10000);
    }
    assert_true(together >= 190);
}

/* In a job beside others. */
static void idle(struct yk_team *team, uint32_t asked, uint32_t cores)
{
    yk_team_note_idle(
        team, &(struct yk_team_job){ .asked = asked, .crowded = 1, .sole = -1, .idle = cores });
}

/* The record derived from the amount of work of each device. */
static void deeds_are_noted(void **state)
{
    struct yk_team_job job = { .asked = BOTH, .sole = -1, .items = 100 };
    (void)state;
    yk_team_did(&job, 0, 1, 40);
    yk_team_did(&job, 1, 0, 60);
    assert_int_equal(job.sole, -1);
    assert_int_equal(job.idle, 0);
    yk_team_did(&job, 0, 0, 0); /* their speed was unknown */
    assert_int_equal(job.idle, 0);
    yk_team_did(&job, 0, 1, 0);
    yk_team_did(&job, 1, 0, 100);
    yk_team_did(&job, 2, 1, 0); /* was not asked */
    assert_int_equal(job.idle, CPU);
    assert_int_equal(job.sole, 1);
}

/* Cores that get nothing are not asked, also beside other jobs, until a check finds that they would
 * get work. */
static void idle_cores_are_not_asked(void **state)
{
    struct yk_team team = { 0 };
    int i;
    (void)state;
    for (i = 0; i < 2; i++) {
        assert_int_equal(yk_team_settled(&team, 3), ALL);
        idle(&team, ALL, CPU);
    }
    for (i = 0; i < 97; i++) {
        assert_int_equal(yk_team_settled(&team, 3), ALL & ~CPU);
        idle(&team, ALL & ~CPU, 0);
    }
    assert_int_equal(yk_team_settled(&team, 3), ALL);
    idle(&team, ALL, CPU);
    assert_int_equal(yk_team_settled(&team, 3), ALL & ~CPU);
    for (i = 0; i < 99; i++)
        idle(&team, ALL & ~CPU, 0);
    assert_int_equal(yk_team_settled(&team, 3), ALL);
    idle(&team, ALL, 0);
    assert_int_equal(yk_team_settled(&team, 3), ALL);
    /* sometimes they get a part */
    for (i = 0; i < 20; i++)
        idle(&team, ALL, i % 2 ? CPU : 0);
    assert_int_equal(yk_team_settled(&team, 3), ALL);
    /* a team cannot be empty */
    idle(&team, CPU, CPU);
    idle(&team, CPU, CPU);
    assert_int_equal(yk_team_settled(&team, 3), ALL);
}

static void nonsense_teaches_nothing(void **state)
{
    struct yk_team team = { 0 };
    (void)state;
    did(&team, BOTH, 0);
    did(&team, CPU, -5);
    yk_team_learn(&team, &(struct yk_team_job){ .asked = BOTH, .sole = -1, .ns = 1000 });
    assert_int_equal(team.best.jobs + team.tried.jobs, 0);
}

/* A loop of jobs of 1 us has this many jobs in an hour. */
static void jobs_without_end(void **state)
{
    struct yk_team team = { 0 };
    int j;
    (void)state;
    did(&team, BOTH, 10000);
    team.best.jobs = (1 << 30) - 3;
    team.best.since = 7;
    for (j = 0; j < 10; j++)
        did(&team, BOTH, 10000 + 10 * j);
    assert_in_range(team.best.jobs, YK_TEAM_RECENT, 1 << 30);
    assert_in_range(team.best.since, 0, team.best.jobs);
    assert_float_equal(yk_team_typical_ns(&team.best), 1.007, 1e-9); /* the median of the latest */
}

/* Jobs that took long because rows stayed on a device are not counted, but not for ever. */
static void rows_that_stay_are_excused(void **state)
{
    struct yk_team team = { 0 };
    const struct yk_team_job job = { .asked = BOTH, .sole = -1, .items = 10000, .ns = 10000 };
    int j;
    (void)state;
    assert_true(yk_team_counts(&team, &job, 0));
    assert_true(yk_team_counts(&team, &job, -3000));
    assert_true(yk_team_counts(&team, &job, 400));
    for (j = 0; j < 4; j++)
        assert_false(yk_team_counts(&team, &job, 6000));
    assert_true(yk_team_counts(&team, &job, 6000));
    assert_false(yk_team_counts(&team, &job, 6000)); /* the count of excuses starts again */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_begin_together),
        cmocka_unit_test(contention_is_found),
        cmocka_unit_test(a_good_team_stays),
        cmocka_unit_test(cores_are_left_out),
        cmocka_unit_test(gpus_are_left_out),
        cmocka_unit_test(looks_become_rare),
        cmocka_unit_test(what_is_usual_counts),
        cmocka_unit_test(it_looks_again),
        cmocka_unit_test(who_did_all_is_left_to_it),
        cmocka_unit_test(who_did_all_can_lose_it),
        cmocka_unit_test(gains_are_waited_for),
        cmocka_unit_test(a_lucky_gain_does_not_count),
        cmocka_unit_test(promises_have_to_be_kept),
        cmocka_unit_test(who_gains_nothing_is_left_out),
        cmocka_unit_test(deeds_are_noted),
        cmocka_unit_test(idle_cores_are_not_asked),
        cmocka_unit_test(nonsense_teaches_nothing),
        cmocka_unit_test(rows_that_stay_are_excused),
        cmocka_unit_test(jobs_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
