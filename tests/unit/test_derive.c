/* test_derive.c - splits for sizes never seen, in worlds in which each device's line is known for
 * every size: they reach 97 % of the best split's speed. */
#include "derive_worlds.h"

enum { LESSONS = 12 };

/* The derived split's speed relative to the best one's. */
static double quality(const struct world *world, const struct yk_derivation *how,
                      const struct spot *known, struct spot asked)
{
    struct yk_lesson lessons[LESSONS], out;
    struct yk_lesson_list list = { lessons, LESSONS, 0 };
    struct yk_sizes sizes = { .count = world->sizes };
    double share[DEVICES], sum = 0;
    for (; known[list.count].n > 0; list.count++)
        lessons[list.count] = teach(world, known[list.count]);
    world->measure(asked.n, asked.m, sizes.at);
    assert_int_equal(yk_derive(how, &sizes, &list, &out), 1);
    assert_null(yk_lesson_wrong(&out));
    assert_int_equal(out.origin, YK_ORIGIN_DERIVED);
    assert_int_equal(out.confirmed, 0);
    for (int d = 0; d < DEVICES; d++)
        sum += share[d] = out.devices[d].share;
    assert_true(fabs(sum - 1) < 1e-9);
    return best_time(world, asked) / time_of(world, asked, share);
}

/* Requires the quality `least` at the spots `asked` in the first `count` worlds. */
static void demand(int count, const struct spot *known, const struct spot *asked, double least)
{
    int failed = 0;
    for (int w = 0; w < count; w++)
        for (int i = 0; asked[i].n > 0; i++) {
            double reached = quality(&worlds[w], &yk_derive_model, known, asked[i]);
            if (!(reached >= least))
                printf("%s %gx%g: %.4f\n", worlds[w].name, asked[i].n, asked[i].m, reached);
            failed += !(reached >= least);
        }
    assert_int_equal(failed, 0);
}

static void test_between(void **state)
{
    (void)state;
    static const struct spot known[] = { { 1000, 1000 }, { 8000, 8000 }, { 0 } };
    static const struct spot asked[] = { { 1200, 1200 }, { 2000, 2000 }, { 3000, 3000 },
                                         { 4500, 4500 }, { 7000, 7000 }, { 0 } };
    demand(SMOOTH, known, asked, 0.97);
}

static void test_beyond(void **state)
{
    (void)state;
    static const struct spot known[] = {
        { 1000, 1000 }, { 2000, 2000 }, { 4000, 4000 }, { 8000, 8000 }, { 0 }
    };
    static const struct spot asked[] = {
        { 500, 500 },     { 700, 700 },     { 1500, 1500 }, { 12000, 12000 },
        { 16000, 16000 }, { 32000, 32000 }, { 0 }
    };
    demand(SMOOTH, known, asked, 0.97);
}

/* Also if a device has a step, between lessons that are not far apart. */
static void test_dense(void **state)
{
    (void)state;
    struct spot known[LESSONS + 1] = { { 0 } }, asked[LESSONS] = { { 0 } };
    for (int i = 0; i < LESSONS; i++) {
        known[i].n = known[i].m = round(500 * pow(2, 0.5 * i));
        if (i < LESSONS - 1)
            asked[i].n = asked[i].m = round(500 * pow(2, 0.5 * i + 0.25));
    }
    demand(WORLDS, known, asked, 0.97);
}

/* Each of two sizes varies alone. */
static void test_two_sizes(void **state)
{
    (void)state;
    static const struct spot known[] = {
        { 1000, 1000 }, { 1000, 8000 }, { 8000, 1000 }, { 8000, 8000 }, { 0 }
    };
    static const struct spot asked[] = { { 2000, 1000 },  { 1000, 2000 },   { 3000, 3000 },
                                         { 8000, 500 },   { 500, 8000 },    { 16000, 4000 },
                                         { 4000, 16000 }, { 16000, 16000 }, { 0 } };
    demand(SMOOTH, known, asked, 0.97);
}

/* Lessons close to each other mostly show noise, not the trend. */
static void test_close_lessons(void **state)
{
    (void)state;
    static const struct spot known[] = { { 4000, 4000 }, { 4010, 4010 }, { 4020, 4020 }, { 0 } };
    static const struct spot asked[] = { { 3000, 3000 }, { 4005, 4005 }, { 6000, 6000 }, { 0 } };
    demand(SMOOTH, known, asked, 0.95);
}

static void test_one_lesson(void **state)
{
    (void)state;
    static const struct spot known[] = { { 4000, 4000 }, { 0 } };
    static const struct spot asked[] = { { 2000, 2000 }, { 3000, 3000 }, { 8000, 8000 }, { 0 } };
    demand(SMOOTH, known, asked, 0.84); /* the paper's figure */
}

static void test_exact_where_known(void **state)
{
    (void)state;
    static const struct spot known[] = { { 1000, 1000 }, { 4000, 4000 }, { 0 } };
    static const struct spot asked[] = { { 1000, 1000 }, { 4000, 4000 }, { 0 } };
    demand(SMOOTH, known, asked, 0.985);
}

/* If a device can choose between two kernels, lessons of the other kernel are not used for the
 * speed of this one. */
static void test_forms(void **state)
{
    static const struct spot spots[] = { { 1000, 1000 }, { 8000, 8000 } };
    const struct world *world = &worlds[0];
    struct yk_lesson lessons[2], alone, both;
    struct yk_lesson_list list = { lessons, 2, 0 };
    struct yk_sizes sizes = { .count = world->sizes };
    (void)state;
    for (; list.count < 2; list.count++)
        lessons[list.count] = teach(world, spots[list.count]);
    world->measure(1500, 1500, sizes.at);
    lessons[0].devices[1].form = 1;
    lessons[1].devices[1].form = 2;
    list.count = 1;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &alone), 1);
    list.count = 2;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &both), 1);
    assert_int_equal(both.devices[1].form, 1);
    assert_int_equal(yk_lesson_checksum(&both), yk_lesson_checksum(&alone));
    lessons[1].devices[1].form = 1;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &both), 1);
    assert_int_not_equal(yk_lesson_checksum(&both), yk_lesson_checksum(&alone));
}

/* A GPU that pays only above some size is in the team from that size on. */
static void test_team(void **state)
{
    (void)state;
    const struct world *world = &worlds[0];
    struct yk_lesson lessons[2] = { teach(world, (struct spot){ 1e5, 0 }),
                                    teach(world, (struct spot){ 1e8, 0 }) },
                     out;
    struct yk_lesson_list list = { lessons, 2, 2 };
    struct yk_sizes sizes = lessons[0].sizes;
    sizes.at[0] = sizes.at[2] = 2e5;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &out), 1);
    assert_int_equal(out.team, 3);
    assert_true(out.devices[2].share == 0);
    assert_true(fabs(out.ns / best_time(world, (struct spot){ 2e5, 0 }) - 1) < 0.05);
    sizes.at[0] = sizes.at[2] = 2e7;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &out), 1);
    assert_int_equal(out.team, 7);
}

static void test_nearest(void **state)
{
    (void)state;
    const struct world *world = &worlds[1];
    struct yk_lesson lessons[3], out;
    struct yk_lesson_list list = { lessons, 3, 3 };
    for (int i = 0; i < 3; i++) {
        lessons[i] = teach(world, (struct spot){ 1000 << i, 0 });
        lessons[i].devices[0].share = 0.1 * (1 + i);
        lessons[i].devices[1].share = 0.9 - 0.1 * (1 + i);
        lessons[i].devices[2].share = 0.1;
    }
    struct yk_sizes sizes = { .count = world->sizes };
    world->measure(2100, 0, sizes.at);
    assert_int_equal(yk_derive(&yk_derive_nearest, &sizes, &list, &out), 1);
    assert_true(out.devices[0].share == 0.2);
    assert_true(out.sizes.at[0] == 2100);
    assert_int_equal(out.origin, YK_ORIGIN_DERIVED);
    assert_int_equal(out.confirmed, 0);
    assert_int_equal(out.team, 7);
}

/* Without lines, the rates of chunks give the shares, but neither the time nor another team. */
static void test_rates_only(void **state)
{
    (void)state;
    const struct world *world = &worlds[3];
    struct yk_lesson lessons[2] = { teach(world, (struct spot){ 1e4, 0 }),
                                    teach(world, (struct spot){ 4e4, 0 }) },
                     out;
    struct yk_lesson_list list = { lessons, 2, 2 };
    struct yk_sizes sizes = { .count = world->sizes };
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < DEVICES; d++)
            lessons[i].devices[d].line = (struct yk_line){ 0 };
    lessons[0].team = lessons[1].team = 3;
    world->measure(2e4, 0, sizes.at);
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &out), 1);
    assert_true(out.ns == 0);
    assert_int_equal(out.team, 3);
    assert_true(fabs(out.devices[1].share - 8.0 / 11) < 0.02);
    assert_true(fabs(out.devices[1].rate * 0.5 * 2e4 / 8 - 1) < 0.05);
    for (int i = 0; i < 2; i++) /* a device's speed is unknown: the shares stay */
        lessons[i].devices[2].rate = 0;
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &out), 1);
    assert_true(out.devices[1].share == 1.0 / DEVICES);
}

/* Observed: a thousand saxpies of 10,000 items on a core alone, and some of a million items on the
 * core and PoCL, during which the core's line was mostly noise. The fixed cost of PoCL's chunk
 * stays the same at 100,000 items. */
static void test_cost_of_its_own(void **state)
{
    (void)state;
    struct yk_lesson lessons[2] = { { .sizes = { 1, { 1e4 } }, .confirmed = 4392 },
                                    { .sizes = { 1, { 1e6 } }, .confirmed = 7 } },
                     out;
    struct yk_lesson_list list = { lessons, 2, 2 };
    const struct yk_sizes sizes = { 1, { 1e5 } };
    for (int i = 0; i < 2; i++) {
        lessons[i].device_count = 2;
        strcpy(lessons[i].devices[0].name, "cpu");
        strcpy(lessons[i].devices[1].name, "opencl:0");
        lessons[i].devices[0].share = 1;
    }
    lessons[0].devices[0].line = (struct yk_line){ 0.425, 470 };
    lessons[1].devices[0].line = (struct yk_line){ 0.405, 265e3 };
    lessons[1].devices[1].line = (struct yk_line){ 3.02, 617e3 };
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &out), 1);
    assert_true(out.devices[1].line.fixed_ns > 600e3);
    assert_int_equal(out.team, 1);
}

static void test_many(void **state)
{
    (void)state;
    const struct world *world = &worlds[2];
    struct yk_lesson lessons[64], out;
    struct yk_lesson_list list = { lessons, 64, 64 };
    struct yk_sizes sizes = { .count = world->sizes };
    for (int i = 0; i < 64; i++)
        lessons[63 - i] = teach(world, (struct spot){ 100 * (1 + i), 0 });
    world->measure(2050, 0, sizes.at);
    assert_int_equal(yk_derive(&yk_derive_model, &sizes, &list, &out), 1);
    for (int d = 0; d < DEVICES; d++) {
        struct yk_line line = world->line(d, 2050, 0);
        assert_true(fabs(out.devices[d].line.item_ns / line.item_ns - 1) < 0.03);
    }
}

static void test_table(void **state)
{
    (void)state;
    assert_ptr_equal(yk_derivation_find("nearest"), &yk_derive_nearest);
    assert_ptr_equal(yk_derivation_find("model"), &yk_derive_model);
    assert_ptr_equal(yk_derivations[0], &yk_derive_model);
    assert_null(yk_derivation_find("neares"));
    assert_null(yk_derivation_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between),    cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_two_sizes),  cmocka_unit_test(test_close_lessons),
        cmocka_unit_test(test_one_lesson), cmocka_unit_test(test_exact_where_known),
        cmocka_unit_test(test_team),       cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_rates_only), cmocka_unit_test(test_cost_of_its_own),
        cmocka_unit_test(test_many),       cmocka_unit_test(test_table),
        cmocka_unit_test(test_dense),      cmocka_unit_test(test_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
