/* test_step_queue.c - step kernels without a device: plans and their layout, what the status words
 * mean, and a core's stack when memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/step_queue.h"
#include "base/alloc.h"

static const yoke_step small = {
    .type = "t", .size = 12, .alignment = 4, .most = 3, .generations = 10
};

static void plans_fit(void **state)
{
    struct yk_step_plan plan;
    int64_t bytes, before = INT64_MAX;
    (void)state;
    for (int64_t most = INT64_C(1) << 30; most > 0; most /= 4) {
        bytes = yk_step_plan_make(&small, 1000, most, &plan);
        assert_true(bytes <= most || plan.groups == 1);
        assert_true(bytes <= before);
        assert_true(plan.groups >= 1 && plan.groups <= 1000 && plan.room >= 64 * 3);
        assert_int_equal(plan.reserve, 2 * 10);
        /* words, items, generations, in this order and complete */
        const uint64_t slots = 3 * (uint64_t)plan.groups * plan.room + plan.reserve;
        assert_true(plan.ages >= YK_STEP_HEAD_BYTES + slots * 12 && plan.ages % 4 == 0);
        assert_true((uint64_t)bytes >= plan.ages + 4 * slots && bytes % 256 == 0);
        before = bytes;
    }
    assert_int_equal(plan.groups, 1);
}

static void plans_that_cannot_be(void **state)
{
    struct yk_step_plan plan;
    yoke_step deep = small;
    (void)state;
    deep.generations = UINT32_MAX;
    assert_true(yk_step_plan_make(&deep, 10, INT64_MAX, &plan) == INT64_MAX);
    deep.most = 1; /* only the last item of a lane is ever kept */
    assert_true(yk_step_plan_make(&deep, 10, INT64_MAX, &plan) < 1 << 20);
    assert_int_equal(plan.reserve, 0);
}

/* With a declared bound on waiting items, that many additional slots are enough, for any number of
 * generations. */
static void what_waits_is_kept(void **state)
{
    struct yk_step_plan plan;
    yoke_step deep = small;
    (void)state;
    deep.generations = UINT32_MAX;
    deep.waiting = 7;
    assert_int_equal(yk_step_reserve(&deep), 7 + 2); /* and what the last of them emits */
    assert_true(yk_step_plan_make(&deep, 10, 1 << 20, &plan) < 1 << 20);
    assert_int_equal(plan.reserve, 9);
    deep.waiting = UINT32_MAX;
    assert_true(yk_step_plan_make(&deep, 10, INT64_MAX, &plan) == INT64_MAX);
}

static void launches_rotate(void **state)
{
    struct yk_step_plan plan = { 0 };
    (void)state;
    for (uint32_t launch = 0; launch < 13; launch++) {
        assert_int_equal(plan.phase, launch % 3);
        assert_int_equal(plan.odd, launch % 2);
        yk_step_plan_next(&plan);
    }
}

static void words_tell_what_is_left(void **state)
{
    struct yk_step_plan plan = { .phase = 1 };
    uint32_t words[YK_STEP_WORDS] = { 0 };
    (void)state;
    assert_true(yk_step_is_open(words, &plan, 5));
    assert_false(yk_step_is_open(words, &plan, 0));
    words[YK_STEP_SEEDS] = 4;
    assert_true(yk_step_is_open(words, &plan, 5));
    words[YK_STEP_SEEDS] = 64; /* the last request may exceed the limit */
    assert_false(yk_step_is_open(words, &plan, 5));
    words[YK_STEP_LEFT] = words[YK_STEP_LEFT + 2] = words[YK_STEP_DEEP] = 7; /* of other launches */
    assert_false(yk_step_is_open(words, &plan, 5));
    words[YK_STEP_LEFT + 1] = 1;
    assert_true(yk_step_is_open(words, &plan, 5));
    words[YK_STEP_LEFT + 1] = 0;
    words[YK_STEP_DEEP + 1] = 1;
    assert_true(yk_step_is_open(words, &plan, 5));
    words[YK_STEP_ERRORS] = YOKE_STEP_TOO_MANY;
    assert_false(yk_step_is_open(words, &plan, 5));
}

static void words_tell_how_it_went(void **state)
{
    uint32_t words[YK_STEP_WORDS] = { 0 };
    (void)state;
    assert_int_equal(yk_step_outcome(words, "k", &small), YOKE_OK);
    words[YK_STEP_ERRORS] = YOKE_STEP_TOO_DEEP;
    assert_int_equal(yk_step_outcome(words, "k", &small), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "k: more items wait than the 0"));
    words[YK_STEP_ERRORS] = YOKE_STEP_TOO_OLD;
    assert_int_equal(yk_step_outcome(words, "k", &small), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "k: items of the last of its 10 generations"));
    words[YK_STEP_ERRORS] |= YOKE_STEP_TOO_MANY;
    assert_int_equal(yk_step_outcome(words, "k", &small), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "more than the 3"));
    words[YK_STEP_ERRORS] |= YK_STEP_NO_MEMORY;
    assert_int_equal(yk_step_outcome(words, "k", &small), YOKE_ENOMEM);
}

/* A hand-written body: item d emits three items d + 1 while d is below 8, and is counted. */
typedef struct item {
    int32_t depth, pad[2];
} item_t;

static int64_t handled, widest;

static void three_each(void *const *args, const yoke_chunk *chunk)
{
    yoke_batch *batch = chunk->batch;
    (void)args;
    batch->made = 0;
    batch->errors = 0;
    handled += batch->count;
    if (batch->count > widest)
        widest = batch->count;
    for (int64_t k = 0; k < batch->count; k++)
        ((int32_t *)batch->emitted)[k] = batch->items ? ((const item_t *)batch->items)[k].depth : 0;
    for (int64_t k = 0; k < batch->count; k++) {
        const int32_t depth = ((int32_t *)batch->emitted)[k];
        assert_int_equal(batch->ages ? batch->ages[k] : 0, depth);
        for (int e = 0; e < 3 && depth < 8; e++) {
            batch->out_ages[batch->made] = (uint32_t)depth + 1;
            ((item_t *)batch->out)[batch->made++] = (item_t){ .depth = depth + 1 };
        }
    }
}

static uint32_t run_trees(uint32_t room, uint32_t waiting)
{
    static const yoke_chunk chunk = { .first = 10, .last = 210 };
    yoke_step step = small;
    uint32_t words[YK_STEP_WORDS];
    step.room = room;
    step.waiting = waiting;
    handled = widest = 0;
    yk_step_run(&(struct yk_step_work){ .run = three_each, .step = &step, .chunk = &chunk }, words);
    return words[YK_STEP_ERRORS];
}

static void stacks_handle_all(void **state)
{
    const int64_t all = 200 * ((19683 - 1) / 2); /* 1 + 3 + ... + 3^8 */
    (void)state;
    assert_int_equal(run_trees(0, 0), 0);
    assert_int_equal(handled, all);
    assert_int_equal(widest, 64);
    assert_int_equal(run_trees(3, 0), 0);
    assert_int_equal(handled, all);
    assert_int_equal(widest, 1);
    assert_int_equal(run_trees(3, 8 * 2), 0); /* two of each generation except the last */
    assert_int_equal(handled, all);
    assert_int_equal(run_trees(3, 8 * 2 - 5), YOKE_STEP_TOO_DEEP); /* some have room anyway */
}

static void stacks_without_memory(void **state)
{
    const int64_t before = yk_alloc_outstanding();
    uint32_t errors;
    int64_t nth;
    (void)state;
    for (nth = 1;; nth++) {
        yk_alloc_fail_at(nth);
        errors = run_trees(0, 0);
        if (!yk_alloc_failed())
            break;
        yk_alloc_fail_at(0);
        assert_int_equal(errors, YK_STEP_NO_MEMORY);
        assert_true(yk_alloc_outstanding() == before);
    }
    yk_alloc_fail_at(0);
    assert_true(nth > 5); /* the stack grows during the run */
    assert_int_equal(errors, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_fit),
        cmocka_unit_test(plans_that_cannot_be),
        cmocka_unit_test(what_waits_is_kept),
        cmocka_unit_test(launches_rotate),
        cmocka_unit_test(words_tell_what_is_left),
        cmocka_unit_test(words_tell_how_it_went),
        cmocka_unit_test(stacks_handle_all),
        cmocka_unit_test(stacks_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
