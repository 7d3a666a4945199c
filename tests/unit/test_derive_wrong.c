/* test_derive_wrong.c - invalid lessons are ignored, and extreme ones give a valid lesson or none.
 */
#include "derive_worlds.h"

/* Invalidates a lesson in the nth way; 0: there is no such way. */
static int ruin(struct yk_lesson *lesson, int way)
{
    struct yk_lesson_device *device = &lesson->devices[1];
    switch (way) {
    case 0:
        device->rate = (double)NAN;
        break;
    case 1:
        device->rate = -1;
        break;
    case 2:
        device->line.item_ns = (double)INFINITY;
        break;
    case 3:
        device->line.fixed_ns = -5;
        break;
    case 4:
        device->share = 2;
        break;
    case 5:
        device->name[0] = 0;
        break;
    case 6:
        strcpy(device->name, "cpu");
        break;
    case 7:
        strcpy(device->name, "cuda:7");
        break; /* another set of devices, and not the nearest */
    case 8:
        lesson->device_count = 2;
        lesson->team = 3;
        break;
    case 9:
        lesson->device_count = 0;
        break;
    case 10:
        lesson->device_count = YK_LESSON_DEVICES + 1;
        break;
    case 11:
        lesson->sizes.count--;
        break;
    case 12:
        lesson->sizes.count = YK_SIZES_MAX + 1;
        break;
    case 13:
        lesson->sizes.at[1] = (double)NAN;
        break;
    case 14:
        lesson->sizes.at[0] = -1;
        break;
    case 15:
        lesson->origin = YK_ORIGIN_DERIVED;
        break;
    case 16:
        lesson->origin = (enum yk_origin)7;
        break;
    case 17:
        for (int d = 0; d < DEVICES; d++) {
            lesson->devices[d].line.item_ns = 0;
            lesson->devices[d].rate = 0;
        }
        break;
    case 18:
        lesson->ns = (double)NAN;
        break;
    case 19:
        memset(device->name, 'x', sizeof device->name);
        break;
    default:
        return 0;
    }
    return 1;
}

/* Invalid lessons do not change what others give, and alone give nothing. */
static void test_garbage(void **state)
{
    (void)state;
    const struct world *world = &worlds[1];
    struct yk_lesson lessons[3], clean, out;
    struct yk_sizes sizes = { .count = world->sizes };
    world->measure(2000, 0, sizes.at);
    lessons[0] = teach(world, (struct spot){ 1800, 0 });
    lessons[1] = teach(world, (struct spot){ 4000, 0 });
    struct yk_lesson_list two = { lessons, 3, 2 }, three = { lessons, 3, 3 };
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &two, &clean), 1);
    for (int way = 0;; way++) {
        lessons[2] = teach(world, (struct spot){ 1700, 0 });
        lessons[2].devices[0].line.item_ns *= 3;
        if (!ruin(&lessons[2], way))
            break;
        assert_int_equal(yk_derive(&yk_derive_model, &sizes, &three, &out), 1);
        assert_memory_equal(&out, &clean, sizeof out);
        struct yk_lesson_list alone = { &lessons[2], 1, 1 };
        int helps = way == 7 || way == 8 || way == 15; /* valid, but not with the others */
        if (way != 11)
            assert_int_equal(yk_derive(&yk_derive_model, &sizes, &alone, &out), helps);
    }
    sizes.at[0] = (double)NAN;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &two, &out), 0);
    sizes.count = 0;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &two, &out), 0);
    sizes.count = YK_SIZES_MAX + 1;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &two, &out), 0);
}

/* However extreme the input, the result is a valid lesson. */
static void test_extremes(void **state)
{
    (void)state;
    static const double extremes[] = { 0, 1, 1e-300, 5e-324, 1e18, 1e300, 1.7e308 };
    enum { COUNT = sizeof extremes / sizeof *extremes };
    const struct world *world = &worlds[1];
    int derived = 0;
    for (int i = 0; i < COUNT * COUNT * COUNT; i++) {
        struct yk_lesson lessons[2] = { teach(world, (struct spot){ 100, 0 }),
                                        teach(world, (struct spot){ 200, 0 }) },
                         out;
        struct yk_lesson_list list = { lessons, 2, 2 };
        struct yk_sizes sizes = lessons[0].sizes;
        sizes.at[i % 8] = extremes[i % COUNT];
        lessons[0].devices[i % 3].line.item_ns = extremes[i / COUNT % COUNT];
        lessons[1].devices[i % 3].line.fixed_ns = extremes[i / COUNT / COUNT];
        lessons[0].devices[i % 3].grain = extremes[i / COUNT / COUNT];
        if (!yk_derive(&yk_derive_model, &sizes, &list, &out))
            continue;
        assert_null(yk_lesson_wrong(&out));
        derived++;
    }
    assert_int_equal(derived, COUNT * COUNT * COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
