/* test_steps.c - step kernels: every item is handled exactly once, on every device, whatever the
 * queues' sizes; and what a kernel does that it did not declare is an error and not a crash.
 *
 * Trees are drawn by hashes, and a sequential program says how often each bin is met and what the
 * keys add up to: an item that is lost, or done twice, is found. Nothing may hang: an alarm ends
 * the program. Words on the command line are machines, which must be there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "ok.h"
#include "step_kernels.h"
#include "walk.h"

enum { HANGS_SECONDS = 250 };

static const char *const all_machines[] = {
    "opencl:0",
    "cpu:1,opencl:0:lanes=2",
    "cpu",
    "cpu:1",
    "sim:cpu:cores=4",
    "sim:gpu",
    "sim:cpu:cores=2,sim:gpu*2:fill=64",
};
static const char *const *machines = all_machines;
static int machine_count = sizeof all_machines / sizeof *all_machines;
static const char *where = "";

static yoke_runtime *open_machine(int m)
{
    yoke_runtime *rt = NULL;
    yoke_status status = yoke_open(&(yoke_config){ .devices = where = machines[m] }, &rt);
    if (status == YOKE_ENODEV && machines == all_machines)
        return NULL;
    if (status != YOKE_OK)
        fail_msg("%s: %s", where, yoke_error_text());
    return rt;
}

/* ---- trees ---- */

struct tally {
    uint64_t counts[STEP_BINS], sums[STEP_BINS];
};

static int64_t visit(tree_t tree, node_t node, struct tally *tally)
{
    int64_t items = 1;
    tally->counts[node.key % STEP_BINS] += 1;
    tally->sums[node.key % STEP_BINS] += node.key;
    for (int c = 0, children = step_children(tree, node); c < children; c++)
        items += visit(tree, step_child(node, c), tally);
    return items;
}

struct wood { /* trees from `first` to `last`, and how they are done */
    tree_t tree;
    int64_t first, last;
    uint32_t room, turns, groups;
    const char *partitioner;
};

/* Of larger woods this part, by so many groups: emulated devices take long for a launch, for each
 * of its lanes, and a hundred times as long under the thread sanitizer. */
static int64_t part = 1;
static uint32_t groups_most;

static void compare(const struct tally *got, const struct tally *want)
{
    for (int b = 0; b < STEP_BINS; b++)
        if (got->counts[b] != want->counts[b] || got->sums[b] != want->sums[b])
            fail_msg("%s: bin %d was met %d times and not %d, or by others", where, b,
                     (int)got->counts[b], (int)want->counts[b]);
}

static void wood_on(yoke_runtime *rt, const struct wood *wood)
{
    struct tally *got = calloc(1, sizeof *got), *want = calloc(1, sizeof *want);
    yoke_kernel kernel = k_tree;
    yoke_array *counts, *sums;
    int64_t items = 0;
    kernel.step.room = wood->room;
    kernel.step.turns = wood->turns;
    kernel.step.groups =
        groups_most && (!wood->groups || wood->groups > groups_most) ? groups_most : wood->groups;
    OK(yoke_array_wrap(rt, got->counts, STEP_BINS, sizeof(uint64_t), &counts));
    OK(yoke_array_wrap(rt, got->sums, STEP_BINS, sizeof(uint64_t), &sums));
    yoke_job job = { .kernel = &kernel,
                     .range = { wood->first, wood->last },
                     .partitioner = wood->partitioner,
                     .args = { yoke_value(wood->tree), yoke_add_to(counts), yoke_add_to(sums) } };
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_acquire(counts, YOKE_READ));
    OK(yoke_array_acquire(sums, YOKE_READ));
    for (int64_t i = wood->first; i < wood->last; i++)
        items += visit(wood->tree, step_root(wood->tree, i), want);
    compare(got, want);
    OK(yoke_array_close(counts));
    OK(yoke_array_close(sums));
    free(got);
    free(want);
    if (wood->last > wood->first)
        print_message("%s: %lld items of %lld\n", where, (long long)items,
                      (long long)(wood->last - wood->first));
}

static void woods_everywhere(const struct wood *woods, int count)
{
    for (int m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_machine(m);
        if (!rt)
            continue;
        alarm(HANGS_SECONDS);
        for (int w = 0; w < count; w++) {
            struct wood wood = woods[w];
            wood.last = wood.first + (wood.last - wood.first + part - 1) / part;
            wood_on(rt, &wood);
        }
        OK(yoke_close(rt));
    }
}

static void every_item_once(void **state)
{
    static const struct wood woods[] = {
        { { 1, 3, 9 }, 0, 3000, 0, 0, 0, NULL },
        { { 2, 3, 8 }, -700, 1300, 0, 0, 0, "dynamic:chunk=97" },
        { { 3, 5, 0 }, 5, 5000, 0, 0, 0, NULL },
        { { 4, 5, 6 }, 7, 7, 0, 0, 0, NULL },
        { { 5, 5, 6 }, 7, 8, 0, 0, 0, NULL },
        { { 6, 0, 6 }, 0, 1000, 0, 0, 0, NULL },
    };
    (void)state;
    woods_everywhere(woods, sizeof woods / sizeof *woods);
}

/* One index from which all comes: groups get their work from others. */
static void few_large_trees(void **state)
{
    static const struct wood woods[] = {
        { { 21, 4, 16 }, 3, 4, 0, 0, 0, NULL },
        { { 12, 4, 15 }, 0, 3, 0, 40, 0, NULL },
        { { 13, 1, STEP_GENERATIONS - 1 }, 0, 20000, 0, 7, 0, NULL },
    };
    (void)state;
    woods_everywhere(woods, sizeof woods / sizeof *woods);
}

/* Stacks that hold what a few items emit, launches of a few turns: hand-overs all the time, and
 * group 0's reserve. */
static void tiny_queues(void **state)
{
    static const struct wood woods[] = {
        { { 31, 5, 6 }, 0, 15, STEP_MOST, 3, 5, NULL },
        { { 32, 4, 8 }, 0, 10, 2 * STEP_MOST + 1, 1, 2, NULL },
        { { 33, 3, 9 }, 0, 2500, 64 * STEP_MOST, 5, 0, NULL },
        { { 34, 5, 5 }, 0, 30, STEP_MOST, 0, 9, NULL },
        { { 35, 4, 10 }, 0, 6, 7, 200, 1, NULL },
        { { 36, 4, 9 }, 0, 15, 9, 50, 3, NULL },
        { { 37, 3, 9 }, 0, 50, 0, 2, 1, NULL },
    };
    (void)state;
    woods_everywhere(woods, sizeof woods / sizeof *woods);
}

/* ---- rows, and items of other sizes ---- */

static void chains_on(yoke_runtime *rt, int64_t n, int comes_home)
{
    int32_t *add = malloc((size_t)n * sizeof *add), *y = calloc((size_t)n, sizeof *y);
    yoke_array *in, *out;
    for (int64_t i = 0; i < n; i++)
        add[i] = (int32_t)(i % 13 + 1);
    OK(yoke_array_wrap(rt, add, n, sizeof *add, &in));
    OK(yoke_array_wrap(rt, y, n, sizeof *y, &out));
    yoke_job job = { .kernel = &k_chain,
                     .range = { 0, n },
                     .args = { yoke_in(in), yoke_inout(out) } };
    if (comes_home)
        job.args[1].home = YOKE_HOME_NOW;
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_acquire(out, YOKE_READ));
    for (int64_t i = 0; i < n; i++)
        if (y[i] != (int32_t)((i % 50 + 1) * add[i]))
            fail_msg("%s: y[%d] is %d", where, (int)i, y[i]);
    OK(yoke_array_close(in));
    OK(yoke_array_close(out));
    free(add);
    free(y);
}

static void sizes_on(yoke_runtime *rt)
{
    int32_t bytes[7] = { 0 };
    uint64_t wide = 0, want = 0;
    yoke_array *a, *b;
    OK(yoke_array_wrap(rt, bytes, 7, sizeof *bytes, &a));
    OK(yoke_array_wrap(rt, &wide, 1, sizeof wide, &b));
    OK(yoke_run(rt,
                &(yoke_job){ .kernel = &k_byte, .range = { 0, 7000 }, .args = { yoke_add_to(a) } },
                NULL));
    OK(yoke_run(rt,
                &(yoke_job){ .kernel = &k_wide, .range = { 0, 20 }, .args = { yoke_add_to(b) } },
                NULL));
    OK(yoke_array_acquire(a, YOKE_READ));
    OK(yoke_array_acquire(b, YOKE_READ));
    for (int x = 0; x < 7; x++)
        assert_int_equal(bytes[x], 1000 * (7 - x));
    for (uint64_t i = 0; i < 20; i++) {
        want += i;
        for (uint64_t j = 1; j <= 32; j++) {
            want += i + j;
            for (uint64_t k = 1; k <= 32; k++)
                want += i + j + k;
        }
    }
    assert_true(wide == want);
    OK(yoke_array_close(a));
    OK(yoke_array_close(b));
}

static void rows_and_sizes(void **state)
{
    (void)state;
    for (int m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_machine(m);
        if (!rt)
            continue;
        alarm(HANGS_SECONDS);
        chains_on(rt, 1, 0);
        chains_on(rt, 5000, 0);
        chains_on(rt, 5000, 1);
        sizes_on(rt);
        OK(yoke_close(rt));
    }
}

/* ---- what was not declared ---- */

static void fails_with(yoke_runtime *rt, yoke_job *job, const char *words)
{
    static int32_t sum;
    yoke_array *array;
    yoke_status status;
    int last = job->kernel->param_count - 1;
    OK(yoke_array_wrap(rt, &sum, 1, sizeof sum, &array));
    job->args[last] = (yoke_arg)yoke_add_to(array);
    status = yoke_run(rt, job, NULL);
    if (status != YOKE_EINVAL || !strstr(yoke_error_text(), words))
        fail_msg("%s, %s: %s: %s", where, job->kernel->name, yoke_status_text(status),
                 yoke_error_text());
    OK(yoke_array_close(array));
}

static void undeclared_on(yoke_runtime *rt)
{
    static const int64_t which[] = { 0, 777, 4999 };
    for (int w = 0; w < 3; w++) {
        yoke_job greedy = { .kernel = &k_greedy,
                            .range = { 0, 5000 },
                            .args = { yoke_value(which[w]) } };
        fails_with(rt, &greedy, "k_greedy: an item emitted more than the 2 that are declared");
    }
    fails_with(rt, &(yoke_job){ .kernel = &k_endless, .range = { 0, 1000 } },
               "k_endless: items of the last of its 300 generations");
    fails_with(rt, &(yoke_job){ .kernel = &k_flood, .range = { 0, 100 } },
               "k_flood: items of the last of its 200 generations");
}

static void undeclared_is_an_error(void **state)
{
    static const struct wood after = { { 41, 3, 6 }, 0, 500, 0, 0, 0, NULL };
    (void)state;
    for (int m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_machine(m);
        if (!rt)
            continue;
        alarm(HANGS_SECONDS);
        undeclared_on(rt);
        wood_on(rt, &after); /* the devices are well */
        OK(yoke_close(rt));
    }
}

static void refused(yoke_runtime *rt, const yoke_kernel *kernel, const char *words)
{
    yoke_job job = { .kernel = kernel, .range = { 0, 10 } };
    if (!strstr(kernel->name, "endless"))
        fail_msg("only of k_endless");
    fails_with(rt, &job, words);
}

static void by_hand(void *const *args, const yoke_chunk *chunk)
{
    (void)args, (void)chunk;
}

static void bad_declarations(void **state)
{
    yoke_runtime *rt = open_runtime("sim:cpu");
    yoke_kernel kernel;
    (void)state;
    where = "declarations";
    kernel = k_endless, kernel.step.most = 0, refused(rt, &kernel, "at most 0 emitted");
    kernel = k_endless, kernel.step.most = 300, refused(rt, &kernel, "at most 300 emitted");
    kernel = k_endless, kernel.step.generations = 0, refused(rt, &kernel, "0 generations");
    kernel = k_endless, kernel.step.size = 0, refused(rt, &kernel, "items of 0 bytes");
    kernel = k_endless, kernel.step.most = 9, kernel.step.room = 8;
    refused(rt, &kernel, "room for 8 items, of which one may emit 9");
    kernel = k_endless, kernel.step.room = UINT32_MAX, refused(rt, &kernel, "room for 4294967295");
    kernel = k_endless, kernel.dimensions = 2, refused(rt, &kernel, "of one dimension");
    kernel = k_endless, kernel.lanes = 64, refused(rt, &kernel, "of one dimension");
    kernel = k_endless, kernel.cpu.team = by_hand, refused(rt, &kernel, "implementations by hand");
    OK(yoke_close(rt));
}

/* A declaration that no GPU has memory for leaves the work to the cores. */
static void queues_too_large(void **state)
{
    yoke_runtime *rt = open_runtime(where = "sim:cpu:cores=2,sim:gpu:mem=1M");
    yoke_kernel kernel = k_tree;
    struct tally *got = calloc(1, sizeof *got), *want = calloc(1, sizeof *want);
    const tree_t tree = { 51, 3, 6 };
    yoke_array *counts, *sums;
    yoke_result *result;
    (void)state;
    OK(yoke_array_wrap(rt, got->counts, STEP_BINS, sizeof(uint64_t), &counts));
    OK(yoke_array_wrap(rt, got->sums, STEP_BINS, sizeof(uint64_t), &sums));
    for (uint32_t more = 0; more < 2; more++) {
        kernel.step.generations = more ? UINT32_MAX : 100000;
        yoke_job job = { .kernel = &kernel,
                         .range = { 0, 500 },
                         .args = { yoke_value(tree), yoke_add_to(counts), yoke_add_to(sums) } };
        OK(yoke_run(rt, &job, &result));
        assert_int_equal(result->devices[0].items, 500);
        if (!strstr(result->devices[1].reason, "queues of step kernel k_tree"))
            fail_msg("%s", result->devices[1].reason);
        yoke_result_close(result);
        for (int64_t i = 0; i < 500; i++)
            visit(tree, step_root(tree, i), want);
        OK(yoke_array_acquire(counts, YOKE_READ));
        OK(yoke_array_acquire(sums, YOKE_READ));
        compare(got, want);
        OK(yoke_array_release(counts));
        OK(yoke_array_release(sums));
    }
    OK(yoke_array_close(counts));
    OK(yoke_array_close(sums));
    OK(yoke_close(rt));
    free(got);
    free(want);
}

/* Jobs that are known have chunks whose end is foretold, though they are series of launches. */
static void ends_are_foretold(void **state)
{
    static const tree_t tree = { 71, 3, 8 };
    static struct tally got;
    yoke_runtime *rt = NULL;
    yoke_array *counts, *sums;
    const yoke_status status = yoke_open(&(yoke_config){ .devices = where = "opencl:0" }, &rt);
    (void)state;
    if (status == YOKE_ENODEV)
        skip();
    OK(status);
    OK(yoke_array_wrap(rt, got.counts, STEP_BINS, sizeof(uint64_t), &counts));
    OK(yoke_array_wrap(rt, got.sums, STEP_BINS, sizeof(uint64_t), &sums));
    for (int jobs = 0; jobs < 3; jobs++) {
        yoke_result *result;
        OK(yoke_run(
            rt,
            &(yoke_job){ .kernel = &k_tree,
                         .range = { 0, 3000 },
                         .args = { yoke_value(tree), yoke_add_to(counts), yoke_add_to(sums) } },
            &result));
        if (jobs == 2 && strstr(result->waits[0].reason, "was not known"))
            fail_msg("%s", result->waits[0].reason);
        yoke_result_close(result);
    }
    OK(yoke_array_close(counts));
    OK(yoke_array_close(sums));
    OK(yoke_close(rt));
}

/* ---- calls and devices that fail ---- */

static yoke_status small_wood(const char *devices)
{
    static const tree_t tree = { 61, 3, 4 };
    static struct tally got, want;
    yoke_runtime *rt = NULL;
    yoke_array *counts = NULL, *sums = NULL;
    yoke_kernel kernel = k_tree;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt), closed;
    kernel.step.room = 16;
    kernel.step.turns = 4;
    memset(&got, 0, sizeof got);
    memset(&want, 0, sizeof want);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, got.counts, STEP_BINS, sizeof(uint64_t), &counts);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, got.sums, STEP_BINS, sizeof(uint64_t), &sums);
    yoke_job job = { .kernel = &kernel,
                     .range = { 0, 40 },
                     .partitioner = "dynamic:chunk=10",
                     .args = { yoke_value(tree), yoke_add_to(counts), yoke_add_to(sums) } };
    if (status == YOKE_OK)
        status = yoke_run(rt, &job, NULL);
    if (status == YOKE_OK)
        status = yoke_array_acquire(counts, YOKE_READ);
    if (status == YOKE_OK)
        status = yoke_array_acquire(sums, YOKE_READ);
    if (status == YOKE_OK) {
        for (int64_t i = 0; i < 40; i++)
            visit(tree, step_root(tree, i), &want);
        compare(&got, &want);
    }
    closed = counts ? yoke_array_close(counts) : YOKE_OK;
    status = status == YOKE_OK ? closed : status;
    closed = sums ? yoke_array_close(sums) : YOKE_OK;
    status = status == YOKE_OK ? closed : status;
    closed = rt ? yoke_close(rt) : YOKE_OK;
    return status == YOKE_OK ? closed : status;
}

static void whatever_fails(void **state)
{
    (void)state;
    where = "sim";
    walk_everything(small_wood, "sim:cpu:cores=2,sim:gpu:lanes=2:fill=64");
}

/* The GPU is lost after so many operations, and what it had counts once. */
static void devices_that_fail(void **state)
{
    char devices[80];
    (void)state;
    for (int after = 1; after < 60; after++) {
        alarm(HANGS_SECONDS);
        snprintf(devices, sizeof devices, "sim:cpu:cores=2,sim:gpu:fail_after=%d", after);
        where = devices;
        OK(small_wood(devices));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_once),
        cmocka_unit_test(few_large_trees),
        cmocka_unit_test(tiny_queues),
        cmocka_unit_test(rows_and_sizes),
        cmocka_unit_test(undeclared_is_an_error),
        cmocka_unit_test(bad_declarations),
        cmocka_unit_test(queues_too_large),
        cmocka_unit_test(ends_are_foretold),
        cmocka_unit_test(whatever_fails),
        cmocka_unit_test(devices_that_fail),
    };
    if (argc > 1) {
        machines = (const char *const *)argv + 1;
        machine_count = argc - 1;
        part = 32;
        groups_most = 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
