/* test_recall.c - what was learned, saved and loaded in another process: nothing is lost, and
 * nothing unknown is invented. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "knowledge/record.h"
#include "partition/recall.h"

enum { DEVICES = 3, ITEMS = 1000 };
static const char *const names[] = { "cpu", "cuda:0", "cuda:1" };
/* Another process may find the devices in another order. */
static const char *const turned[] = { "cuda:1", "cpu", "cuda:0" };

struct mind {
    struct yk_learned devices[DEVICES];
    struct yk_team team;
    struct yk_cost costs[DEVICES];
    struct yk_stays stays;
};

static struct yk_remembered of(struct mind *mind, const char *const *known_as)
{
    return (struct yk_remembered){ known_as,    mind->devices, mind->costs,
                                   &mind->team, &mind->stays,  DEVICES };
}

static void forget(struct mind *mind)
{
    int d;
    *mind = (struct mind){ 0 };
    for (d = 0; d < DEVICES; d++)
        yk_learned_open(&mind->devices[d]);
}

/* Runs `jobs` jobs on the devices in `asked`, each at 4 ns per item. */
static void live(struct mind *mind, uint32_t asked, int jobs)
{
    while (jobs-- > 0) {
        const struct yk_team_job job = { .asked = asked, .tells = 1, .ns = 4 * ITEMS };
        int d;
        for (d = 0; d < DEVICES; d++) {
            const int in = asked >> d & 1;
            const struct yk_split_outcome did = { .items = in ? 100 * (d + 1) : 0,
                                                  .chunks = in,
                                                  .rate = in ? 0.5 * (d + 1) : 0,
                                                  .fixed_ns = 7,
                                                  .spread = 2,
                                                  .copied_bytes = 800 };
            yk_learned_note(&mind->devices[d], &did,
                            &(struct yk_learned_job){ .items = ITEMS, .all_asked = in });
        }
        yk_team_note(&mind->team, &job);
    }
}

static struct yk_lesson lesson_of(struct mind *mind, int *known)
{
    struct yk_lesson lesson = { .sizes = { .count = 1, .at = { ITEMS } } };
    struct yk_remembered from = of(mind, names);
    *known = yk_recall_teach(&from, &lesson);
    return lesson;
}

static void speeds_and_shares_come_back(void **state)
{
    struct mind mind, other;
    struct yk_lesson lesson;
    struct yk_remembered into;
    int known, d;
    static const int at[] = { 1, 2, 0 };
    (void)state;
    forget(&mind);
    forget(&other);
    live(&mind, 7, 2);
    lesson = lesson_of(&mind, &known);
    assert_true(known);
    into = of(&other, turned);
    yk_recall_learn(&lesson, &into);
    for (d = 0; d < DEVICES; d++) {
        const struct yk_learned *was = &mind.devices[d], *is = &other.devices[at[d]];
        assert_true(was->rate == 0.5 * (d + 1) && is->rate == was->rate);
        assert_true(is->share == was->share && is->fixed_ns == was->fixed_ns);
        assert_true(is->copied_bytes == was->copied_bytes && is->spread == was->spread);
        assert_true(is->grain == 100 * (d + 1) && is->steady == 1);
    }
}

/* The team is saved once it was compared with others, and loaded in the other process's order of
 * devices. */
static void a_settled_team_is_asked_at_once(void **state)
{
    const struct yk_split_device devices[DEVICES] = { { .rate = 1 }, { .rate = 1 }, { .rate = 1 } };
    const struct yk_team_asks asks = { .devices = devices, .count = DEVICES, .items = ITEMS };
    const struct yk_team_asks crowded = { devices, DEVICES, ITEMS, 1 };
    struct mind mind, other;
    struct yk_lesson lesson;
    struct yk_remembered into;
    int known;
    (void)state;
    forget(&mind);
    live(&mind, 7, 5);
    lesson = lesson_of(&mind, &known);
    assert_int_equal(lesson.team, 0);
    assert_float_equal(lesson.ns, 4 * ITEMS, 1e-6);
    yk_explore_narrow(&mind.team.explorer, 6);
    lesson = lesson_of(&mind, &known);
    assert_int_equal(lesson.team, 6);
    forget(&other);
    into = of(&other, turned);
    yk_recall_learn(&lesson, &into);
    assert_int_equal(yk_team_choose(&other.team, &asks), 5);
    assert_int_equal(yk_team_choose(&other.team, &crowded), 5);
}

/* In the other order, and for the team in which they were found. */
static void lines_come_back(void **state)
{
    struct mind mind, other;
    struct yk_lesson lesson;
    struct yk_remembered into;
    struct yk_fitted fitted;
    int known, d;
    static const int at[] = { 1, 2, 0 };
    (void)state;
    forget(&mind);
    forget(&other);
    live(&mind, 7, 2);
    for (d = 0; d < DEVICES; d++)
        yk_fit_add(&mind.devices[d].fit, &(struct yk_fit_sample){ 100, 100.0 * (d + 3), d + 2, 7 });
    lesson = lesson_of(&mind, &known);
    into = of(&other, turned);
    yk_recall_learn(&lesson, &into);
    for (d = 0; d < DEVICES; d++) {
        yk_fit_line(&other.devices[at[d]].fit, &(struct yk_fit_asked){ .team = 7 }, &fitted);
        assert_float_equal(fitted.line.item_ns, d + 2, 1e-9);
        assert_float_equal(fitted.line.fixed_ns, 100, 1e-6);
        assert_int_equal(fitted.team, 7);
    }
}

/* In the other order; nothing of other sizes. */
static void costs_and_their_team_come_back(void **state)
{
    static const int at[] = { 1, 2, 0 };
    struct mind mind, other;
    struct yk_lesson lesson;
    struct yk_remembered into;
    int known, d;
    (void)state;
    forget(&mind);
    forget(&other);
    live(&mind, 7, 2);
    for (d = 0; d < 2; d++)
        yk_cost_recall(&mind.costs[d], &(struct yk_kept_cost){ d + 1, 500, 0.02, 0.05 });
    lesson = lesson_of(&mind, &known);
    assert_int_equal(lesson.devices[0].stays, 0);
    mind.stays = (struct yk_stays){ 2, 0 };
    lesson = lesson_of(&mind, &known);
    assert_int_equal(lesson.devices[0].stays, 2);
    assert_int_equal(lesson.devices[1].stays, 3);
    into = of(&other, turned);
    yk_recall_learn(&lesson, &into);
    assert_true(other.stays.devices == 4 && !other.stays.tried);
    mind.stays.tried = 1;
    lesson = lesson_of(&mind, &known);
    assert_int_equal(lesson.devices[1].stays, 1);
    assert_null(yk_lesson_wrong(&lesson));
    into = of(&other, turned);
    yk_recall_learn(&lesson, &into);
    for (d = 0; d < 2; d++) {
        assert_true(other.costs[at[d]].item_ns == d + 1);
        assert_true(other.costs[at[d]].fixed_ns == 500);
    }
    assert_int_equal(yk_cost_is_known(&other.costs[0]), 0);
    assert_true(other.stays.devices == 4 && other.stays.tried);
    forget(&other);
    lesson.origin = YK_ORIGIN_DERIVED;
    yk_recall_learn(&lesson, &into);
    assert_int_equal(yk_cost_is_known(&other.costs[1]), 0);
    assert_true(other.stays.devices == 0 && !other.stays.tried);
}

/* Memory is placed differently in each process: if it takes a tenth longer, one job corrects nearly
 * all of it. */
static void this_process_counts_more(void **state)
{
    struct mind mind, other;
    struct yk_lesson lesson;
    struct yk_remembered into;
    struct yk_fitted fitted;
    int known;
    (void)state;
    forget(&mind);
    forget(&other);
    live(&mind, 7, 2);
    yk_fit_add(&mind.devices[0].fit, &(struct yk_fit_sample){ 100, 1000, 10, 7 });
    lesson = lesson_of(&mind, &known);
    into = of(&other, turned);
    yk_recall_learn(&lesson, &into);
    yk_fit_add(&other.devices[1].fit,
               &(struct yk_fit_sample){ other.devices[1].fit.cells[0].items,
                                        1.1 * other.devices[1].fit.cells[0].ns.mean, 11, 7 });
    yk_fit_line(&other.devices[1].fit, &(struct yk_fit_asked){ .team = 7 }, &fitted);
    assert_in_range(
        (int64_t)(1000 * yk_line_ns(&fitted.line, other.devices[1].fit.cells[0].items) /
                  (1.1 * yk_line_ns(&lesson.devices[0].line, other.devices[1].fit.cells[0].items))),
        980, 1000);
}

/* Lines of devices alone hold for every team, in the other order too, and are not taught again as
 * lines beside each other; one measured job beside the others replaces them. */
static void lines_alone_hold_until_more_is_measured(void **state)
{
    struct yk_lesson alone = { .sizes = { .count = 1, .at = { ITEMS } }, .device_count = DEVICES };
    struct mind mind;
    struct yk_lesson lesson;
    struct yk_remembered into;
    struct yk_fitted fitted;
    int known, d;
    static const int at[] = { 1, 2, 0 };
    (void)state;
    forget(&mind);
    for (d = 0; d < DEVICES; d++) {
        alone.devices[d] = (struct yk_lesson_device){ .share = -1, .line = { d + 2, 100 } };
        strcpy(alone.devices[d].name, names[d]);
    }
    into = of(&mind, turned);
    yk_recall_learn_alone(&alone, &into);
    assert_true(yk_learned_suffices(mind.devices, DEVICES));
    for (d = 0; d < DEVICES; d++) {
        yk_fit_line(&mind.devices[at[d]].fit, &(struct yk_fit_asked){ .team = 7 }, &fitted);
        assert_float_equal(fitted.line.item_ns, d + 2, 1e-9);
        assert_float_equal(fitted.line.fixed_ns, 100, 1e-6);
        assert_int_equal(fitted.team, 1 << at[d]);
        assert_true(mind.devices[at[d]].tuned);
    }
    live(&mind, 7, 1);
    lesson = lesson_of(&mind, &known);
    assert_true(known && lesson.devices[0].rate > 0 && lesson.devices[0].line.item_ns == 0);
    yk_learned_note(
        &mind.devices[0],
        &(struct yk_split_outcome){ .items = 100, .chunks = 1, .item_ns = 9, .ended_ns = 1000 },
        &(struct yk_learned_job){ .items = ITEMS, .tells_lines = 1, .workers = 7 });
    lesson = lesson_of(&mind, &known);
    assert_float_equal(lesson.devices[0].line.item_ns, 9, 1e-9);
    assert_true(lesson.devices[1].line.item_ns == 0);
}

static void strangers_are_not_taken_for_others(void **state)
{
    static const char *const strangers[] = { "cpu", "opencl:0", "opencl:1" };
    struct mind mind, other;
    struct yk_lesson lesson;
    struct yk_remembered into;
    int known;
    (void)state;
    forget(&mind);
    forget(&other);
    live(&mind, 7, 2);
    yk_explore_narrow(&mind.team.explorer, 6);
    lesson = lesson_of(&mind, &known);
    into = of(&other, strangers);
    yk_recall_learn(&lesson, &into);
    assert_true(other.devices[0].rate == 0.5);
    assert_true(other.devices[1].rate == 0 && other.devices[1].share == -1);
    assert_int_equal(other.team.all, 0);
}

static void who_knows_nothing_teaches_nothing(void **state)
{
    struct mind mind;
    struct yk_lesson lesson;
    int known;
    (void)state;
    forget(&mind);
    lesson = lesson_of(&mind, &known);
    assert_int_equal(known, 0);
    assert_int_equal(lesson.team, 0);
}

/* After a load of derived values, only devices that have worked since are saved; otherwise new
 * values would be derived from derived ones. */
static void what_was_derived_is_not_told(void **state)
{
    struct mind mind, other;
    struct yk_lesson lesson;
    struct yk_remembered into;
    int known, d;
    (void)state;
    forget(&mind);
    forget(&other);
    live(&mind, 7, 2);
    lesson = lesson_of(&mind, &known);
    lesson.origin = YK_ORIGIN_DERIVED;
    into = of(&other, names);
    yk_recall_learn(&lesson, &into);
    lesson = lesson_of(&other, &known);
    assert_int_equal(known, 0);
    live(&other, 2, 1);
    lesson = lesson_of(&other, &known);
    assert_int_equal(known, 1);
    for (d = 0; d < DEVICES; d++) {
        assert_string_equal(lesson.devices[d].name, names[d]);
        assert_float_equal(lesson.devices[d].rate, d == 1 ? 1 : 0, 0);
        assert_int_equal(lesson.devices[d].line.item_ns > 0, 0);
    }
    assert_null(yk_lesson_wrong(&lesson));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speeds_and_shares_come_back),
        cmocka_unit_test(what_was_derived_is_not_told),
        cmocka_unit_test(a_settled_team_is_asked_at_once),
        cmocka_unit_test(lines_come_back),
        cmocka_unit_test(costs_and_their_team_come_back),
        cmocka_unit_test(this_process_counts_more),
        cmocka_unit_test(lines_alone_hold_until_more_is_measured),
        cmocka_unit_test(strangers_are_not_taken_for_others),
        cmocka_unit_test(who_knows_nothing_teaches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
