/* test_trained.c - jobs of the partitioner `trained`: shares that `auto` found are kept, and
 * changed if runs become unbalanced. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job/kernel.h"
#include "job/runtime.h"
#include "job_kernels.h"
#include "ok.h"

enum { ITEMS = 100000, CORES = 0, GPU = 1 };

/* The cores do one item in the time in which the GPU does nine. */
static const char machine[] = "sim:cpu:cores=2:rate=5e5:fixed=0,"
                              "sim:gpu:rate=9e6:fixed=0:latency=0:link=1e15";

static int32_t y[ITEMS];

/* Returns the items of the cores; stores the GPU's reason in `why` and the partitioner in `who`. */
static int64_t run(yoke_runtime *rt, yoke_array *array, char why[256], char who[128])
{
    static const int32_t offset = 7;
    const yoke_job job = { .kernel = &k_index,
                           .range = { 0, ITEMS },
                           .partitioner = "trained:w=1",
                           .args = { yoke_value(offset), yoke_out(array) } };
    yoke_result *result;
    int64_t items;
    OK(yoke_run(rt, &job, &result));
    items = result->devices[CORES].items;
    snprintf(why, 256, "%s", result->devices[GPU].reason);
    snprintf(who, 128, "%s", result->partitioner);
    yoke_result_close(result);
    return items;
}

/* Of the jobs that `trained` split. */
static struct yk_memory *memory_of(const yoke_runtime *rt)
{
    struct yk_kernel *kernel = rt->kernels.first;
    int i;
    for (i = 0; i < YK_MEMORIES && kernel->memories[i]; i++)
        if (kernel->memories[i]->adjust.dev > 0)
            return kernel->memories[i];
    return NULL;
}

static void shares_stay_and_are_mended(void **state)
{
    yoke_runtime *rt = open_runtime(machine);
    char why[256], who[128] = "";
    struct yk_memory *memory;
    yoke_array *array;
    int64_t taught = 0, items = 0;
    int i;
    (void)state;
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &array));
    for (i = 0; i < 10 && strcmp(who, "trained:w=1") != 0; i++)
        taught = run(rt, array, why, who);
    assert_in_range(i, 2, 4); /* `auto` does the first ones */
    assert_float_equal((double)taught / ITEMS, 0.1, 0.02);
    assert_int_equal(run(rt, array, why, who), taught);
    memory = memory_of(rt);
    assert_non_null(memory);
    assert_true(memory->adjust.dev > 0.88);

    /* As if the cores had been as fast as the GPU until now. */
    memory->device[CORES].share = memory->device[GPU].share = 0.5;
    assert_int_equal(run(rt, array, why, who), ITEMS / 2);
    items = run(rt, array, why, who);
    assert_float_equal((double)items / ITEMS, 0.1, 0.005);
    assert_non_null(strstr(why, "the run before: dev 0.11, lbt 1.00, level 2"));
    assert_int_equal(run(rt, array, why, who), items);
    assert_non_null(strstr(why, "level 0 (shares stayed)"));
    OK(yoke_array_acquire(array, YOKE_READ));
    for (i = 0; i < ITEMS; i++)
        assert_int_equal(y[i], i + 7);
    OK(yoke_array_release(array));
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
}

/* An adjustment for one job does not affect jobs of another size. */
static void other_jobs_keep_theirs(void **state)
{
    yoke_runtime *rt = open_runtime(machine);
    char why[256], who[128] = "";
    yoke_array *array;
    yoke_job other;
    yoke_result *result;
    int i;
    (void)state;
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &array));
    for (i = 0; i < 4; i++)
        run(rt, array, why, who);
    memory_of(rt)->device[CORES].share = 0.5;
    static const int32_t offset = 7;
    other = (yoke_job){ .kernel = &k_index,
                        .range = { 0, ITEMS / 2 },
                        .args = { yoke_value(offset), yoke_out(array) } };
    for (i = 0; i < 4; i++) {
        OK(yoke_run(rt, &other, &result));
        assert_true((double)result->devices[CORES].share < 0.25);
        yoke_result_close(result);
    }
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_stay_and_are_mended),
        cmocka_unit_test(other_jobs_keep_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
