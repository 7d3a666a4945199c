/* test_lessons.c - yoke/knowledge.h: lessons in their public form make the round trip without loss;
 * impossible ones are refused, known ones stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <yoke/knowledge.h>

#include "base/alloc.h"
#include "lessons.h"

static struct place place;
static yoke_knowledge *knowledge;

static int open_all(void **state)
{
    (void)state;
    open_place(&place);
    return yoke_knowledge_open(place.path, &knowledge) != YOKE_OK;
}

static int close_all(void **state)
{
    (void)state;
    yoke_knowledge_close(knowledge);
    close_place(&place);
    return yk_alloc_outstanding() != 0;
}

static int is_whole(const char *figure)
{
    return !strcmp(figure, "steady") || !strcmp(figure, "form") || !strcmp(figure, "stays");
}

static yoke_lesson made_up(void)
{
    yoke_lesson lesson = { .machine = UINT64_MAX,
                           .machine_text = "a machine",
                           .subject = 7,
                           .name = "saxpy",
                           .subject_text = "a subject",
                           .partitioner = "guided:k=3",
                           .size_count = 2,
                           .sizes = { 1000, 1.5 },
                           .origin = "adjusted",
                           .confirmed = 3,
                           .seen = 1000,
                           .ns = 12.5,
                           .team = 2,
                           .device_count = 2,
                           .devices = { { .name = "cpu" }, { .name = "cuda:0" } } };
    for (int d = 0; d < 2; d++)
        for (int i = 0; yoke_figure_name(i); i++)
            lesson.devices[d].figures[i] = is_whole(yoke_figure_name(i)) ? d : 0.25 * d;
    return lesson;
}

struct found {
    int count;
    yoke_lesson lesson;
    char device[64];
};

static int find_one(void *context, const yoke_lesson *lesson)
{
    struct found *found = context;
    found->count++;
    found->lesson = *lesson;
    snprintf(found->device, sizeof found->device, "%s", lesson->devices[1].name);
    assert_string_equal(lesson->machine_text, "a machine");
    assert_string_equal(lesson->name, "saxpy");
    assert_string_equal(lesson->subject_text, "a subject");
    assert_string_equal(lesson->partitioner, "guided:k=3");
    return 1;
}

static void test_round(void **state)
{
    (void)state;
    yoke_lesson lesson = made_up();
    struct found found = { 0 };
    int added = 0;
    assert_int_equal(yoke_knowledge_add(knowledge, &lesson, &added), YOKE_OK);
    assert_int_equal(added, 1);
    assert_int_equal(yoke_knowledge_each(knowledge, NULL, find_one, &found), YOKE_OK);
    assert_int_equal(found.count, 1);
    assert_true(found.lesson.machine == UINT64_MAX && found.lesson.subject == 7);
    assert_int_equal(found.lesson.size_count, 2);
    assert_memory_equal(found.lesson.sizes, lesson.sizes, 2 * sizeof *lesson.sizes);
    assert_string_equal(found.lesson.origin, "adjusted");
    assert_int_equal(found.lesson.confirmed, 3);
    assert_int_equal(found.lesson.seen, 1000);
    assert_true(found.lesson.ns == 12.5);
    assert_int_equal(found.lesson.team, 2);
    assert_int_equal(found.lesson.device_count, 2);
    assert_string_equal(found.device, "cuda:0");
    for (int d = 0; d < 2; d++)
        assert_memory_equal(found.lesson.devices[d].figures, lesson.devices[d].figures,
                            sizeof lesson.devices[d].figures);
    assert_string_equal(yoke_knowledge_path(knowledge), place.path);
    assert_true(yoke_knowledge_bytes(knowledge) > 0);
}

static void test_known_already(void **state)
{
    (void)state;
    yoke_lesson lesson = made_up();
    struct found found = { 0 };
    int added = 0;
    assert_int_equal(yoke_knowledge_add(knowledge, &lesson, &added), YOKE_OK);
    lesson.ns = 99;
    assert_int_equal(yoke_knowledge_add(knowledge, &lesson, &added), YOKE_OK);
    assert_int_equal(added, 0);
    lesson.seen--;
    assert_int_equal(yoke_knowledge_add(knowledge, &lesson, &added), YOKE_OK);
    assert_int_equal(added, 0);
    lesson.seen += 2;
    lesson.confirmed = 5;
    assert_int_equal(yoke_knowledge_add(knowledge, &lesson, &added), YOKE_OK);
    assert_int_equal(added, 2);
    yoke_knowledge_each(knowledge, NULL, find_one, &found);
    assert_int_equal(found.lesson.confirmed, 5);
    assert_true(found.lesson.ns == 99);
}

/* Invalidates it in the nth way; 0: there is no such way. */
static int spoil(yoke_lesson *lesson, int way)
{
    static char long_name[100];
    memset(long_name, 'x', sizeof long_name - 1);
    switch (way) {
    case 0:
        lesson->origin = "guessed";
        break;
    case 1:
        lesson->origin = NULL;
        break;
    case 2:
        lesson->size_count = YOKE_SIZES_MAX + 1;
        break;
    case 3:
        lesson->size_count = -1;
        break;
    case 4:
        lesson->sizes[1] = (double)INFINITY;
        break;
    case 5:
        lesson->device_count = 0;
        break;
    case 6:
        lesson->device_count = YOKE_LESSON_DEVICES_MAX + 1;
        break;
    case 7:
        lesson->device_count = -1;
        break;
    case 8:
        lesson->team = 4;
        break;
    case 9:
        lesson->devices[0].name = "cuda:0";
        break;
    case 10:
        lesson->devices[0].name = NULL;
        break;
    case 11:
        lesson->devices[0].name = long_name;
        break;
    case 12:
        lesson->confirmed = -1;
        break;
    case 13:
        lesson->ns = (double)NAN;
        break;
    default: {
        int figure = way - 14;
        if (!yoke_figure_name(figure / 3))
            return 0;
        lesson->devices[1].figures[figure / 3] = figure % 3 == 0   ? -2
                                                 : figure % 3 == 1 ? (double)NAN
                                                                   : (double)INFINITY;
    }
    }
    return 1;
}

static void test_refused(void **state)
{
    (void)state;
    struct found found = { 0 };
    int added = 7;
    for (int way = 0;; way++) {
        yoke_lesson lesson = made_up();
        if (!spoil(&lesson, way))
            break;
        assert_int_equal(yoke_knowledge_add(knowledge, &lesson, &added), YOKE_EINVAL);
        assert_int_equal(added, 7);
        assert_non_null(strstr(yoke_error_text(), "saxpy: a lesson "));
    }
    yoke_knowledge_each(knowledge, NULL, find_one, &found);
    assert_int_equal(found.count, 0);
}

static void test_forget(void **state)
{
    (void)state;
    yoke_lesson lesson = made_up();
    int64_t count = -1;
    int added;
    yoke_knowledge_add(knowledge, &lesson, &added);
    lesson.seen = 5;
    lesson.sizes[0] = 5;
    yoke_knowledge_add(knowledge, &lesson, &added);
    assert_int_equal(
        yoke_knowledge_forget(knowledge, &(yoke_lesson_filter){ .seen_before = 6 }, &count),
        YOKE_OK);
    assert_int_equal(count, 1);
    assert_int_equal(yoke_knowledge_forget(knowledge, NULL, &count), YOKE_OK);
    assert_int_equal(count, 1);
}

static void test_mistakes(void **state)
{
    (void)state;
    yoke_lesson lesson = made_up();
    yoke_knowledge *none = NULL;
    int64_t count;
    int added;
    assert_int_equal(yoke_knowledge_open(place.path, NULL), YOKE_EINVAL);
    assert_int_equal(yoke_knowledge_open("off", &none), YOKE_EIO);
    assert_non_null(strstr(yoke_error_text(), "switched off"));
    assert_int_equal(yoke_knowledge_open(place.folder, &none), YOKE_EIO);
    assert_null(none);
    assert_int_equal(yoke_knowledge_each(NULL, NULL, find_one, NULL), YOKE_EINVAL);
    assert_int_equal(yoke_knowledge_each(knowledge, NULL, NULL, NULL), YOKE_EINVAL);
    assert_int_equal(yoke_knowledge_add(NULL, &lesson, &added), YOKE_EINVAL);
    assert_int_equal(yoke_knowledge_add(knowledge, NULL, &added), YOKE_EINVAL);
    assert_int_equal(yoke_knowledge_add(knowledge, &lesson, NULL), YOKE_EINVAL);
    assert_int_equal(yoke_knowledge_forget(NULL, NULL, &count), YOKE_EINVAL);
    assert_int_equal(yoke_knowledge_forget(knowledge, NULL, NULL), YOKE_EINVAL);
    assert_string_equal(yoke_knowledge_path(NULL), "");
    yoke_knowledge_close(NULL);
}

static void test_figures(void **state)
{
    (void)state;
    int count = 0;
    for (; yoke_figure_name(count); count++)
        assert_non_null(yoke_figure_summary(count));
    assert_in_range(count, 8, YOKE_FIGURES_MAX);
    assert_null(yoke_figure_summary(count));
    assert_null(yoke_figure_name(-1));
    assert_null(yoke_figure_summary(-1));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(test_round),  TEST(test_known_already), TEST(test_refused),
        TEST(test_forget), TEST(test_mistakes),      TEST(test_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
