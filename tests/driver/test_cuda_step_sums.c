/* test_cuda_step_sums.c - sums of a step kernel go home behind its last launch. Every driver call
 * fails in turn meanwhile, once or with the context dead from then on, and so does work on streams:
 * totals are right, because the CPU can do all items, and nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "standin.h"
#include "step_kernels.h"
#include "under_sanitizer.h"

enum { ROOTS = 3000, JOBS = 2, OUT_OF_MEMORY = 2, LAUNCH_FAILED = 719, ILLEGAL_ADDRESS = 700 };
static const tree_t tree = { .seed = 7, .most = 3, .depth = 4 };

struct tally {
    uint64_t counts[STEP_BINS], sums[STEP_BINS];
};
static struct tally want; /* of all jobs */

static void visit(node_t node)
{
    want.counts[node.key % STEP_BINS] += JOBS;
    want.sums[node.key % STEP_BINS] += JOBS * node.key;
    for (int c = 0, children = step_children(tree, node); c < children; c++)
        visit(step_child(node, c));
}

static yoke_status add_up(yoke_runtime *rt, struct tally *got)
{
    yoke_array *counts, *sums;
    yoke_status status = YOKE_OK;
    assert_int_equal(yoke_array_wrap(rt, got->counts, STEP_BINS, sizeof *got->counts, &counts),
                     YOKE_OK);
    assert_int_equal(yoke_array_wrap(rt, got->sums, STEP_BINS, sizeof *got->sums, &sums), YOKE_OK);
    const yoke_job job = { .kernel = &k_tree,
                           .range = { 0, ROOTS },
                           .partitioner = "static:shares=0.2/0.4/0.4",
                           .args = { yoke_value(tree), yoke_add_to(counts), yoke_add_to(sums) } };
    for (int j = 0; j < JOBS && status == YOKE_OK; j++)
        status = yoke_run(rt, &job, NULL);
    assert_int_equal(yoke_array_close(counts), YOKE_OK);
    assert_int_equal(yoke_array_close(sums), YOKE_OK);
    return status;
}

/* Returns 0 if the call that should fail was not reached. */
static int walk_step(const struct standin_failure *failure)
{
    const int64_t before = yk_alloc_outstanding();
    struct tally *got = calloc(1, sizeof *got);
    yoke_runtime *rt;
    yoke_status status;
    int reached;
    alarm(60);
    assert_int_equal(yoke_open(&(yoke_config){ .devices = "cpu:1,cuda:0,cuda:1" }, &rt), YOKE_OK);
    standin_fail(failure);
    status = add_up(rt, got);
    reached = standin_failed();
    assert_int_equal(yoke_close(rt), YOKE_OK);
    standin_fail(NULL);
    if (status != YOKE_OK)
        fail_msg("call %ld fails with %d: the jobs could have ended on the CPU: %s", failure->nth,
                 failure->code, yoke_error_text());
    if (memcmp(got, &want, sizeof want) != 0)
        fail_msg("call %ld fails with %d: other totals", failure->nth, failure->code);
    free(got);
    assert_int_equal(yk_alloc_outstanding(), before);
    assert_int_equal(standin_outstanding(), 0);
    return reached;
}

static void walk(enum standin_kind kind, int code)
{
    const int slow = RUNNING_UNDER_ASAN && kind != STANDIN_LATER; /* thousands of calls */
    long nth = 1, failed = 0;
    while (walk_step(&(struct standin_failure){ nth, code, kind, NULL })) {
        failed++;
        nth += 1 + nth / (slow ? 2 : 8); /* their number differs from run to run */
    }
    print_message("%ld calls of up to %ld failed\n", failed, nth);
    assert_true(failed > 10);
}

static void without_memory(void **state)
{
    (void)state;
    walk(STANDIN_ONCE, OUT_OF_MEMORY);
}

static void on_a_dying_gpu(void **state)
{
    (void)state;
    walk(STANDIN_FOR_GOOD, LAUNCH_FAILED);
}

static void with_faulting_kernels(void **state)
{
    (void)state;
    walk(STANDIN_LATER, ILLEGAL_ADDRESS);
}

/* Objects loaded or compiled once per process do not count as leaked. */
static int warm_up(void **state)
{
    (void)state;
    for (int64_t i = 0; i < ROOTS; i++)
        visit(step_root(tree, i));
    walk_step(&(struct standin_failure){ .nth = INT32_MAX, .kind = STANDIN_ONCE });
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory),
        cmocka_unit_test(on_a_dying_gpu),
        cmocka_unit_test(with_faulting_kernels),
    };
    return cmocka_run_group_tests_name("sums of step kernels", tests, warm_up, NULL);
}
