/* test_recalled_kernels.c - a runtime begins with the knowledge which of two kernels is faster on a
 * device; not with results of other kernels. On simulated devices, so the figures are always the
 * same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alternative_work.h"
#include "ok.h"

enum { ITEMS = 200000, FEW = 20000, JOBS = 8, CORES = 0, GPU = 1 };
/* Cores are faster with k_at_once, the GPU with k_by_steps. */
static const char machine[] =
    "sim:cpu:cores=4:rate=1e4:slow=k_by_steps,sim:gpu:rate=1e5:slow=k_at_once";

static char folder[] = "/tmp/yoke-recalled-XXXXXX", file[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/knowledge.db", folder);
    return 0;
}

static int remove_folder(void **state)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal", "-lock" };
    char path[96];
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", file, ends[i]);
        unlink(path);
    }
    return rmdir(folder);
}

/* The first of `jobs` jobs of a new runtime. */
static struct did first_on(const char *devices, int jobs, const yoke_kernel *alternative)
{
    yoke_runtime *rt;
    struct work work;
    struct did first, did;
    where = devices;
    alarm(HANGS_SECONDS);
    OK(yoke_open(&(yoke_config){ .devices = devices, .knowledge = file }, &rt));
    OK(open_work(rt, devices == machine ? ITEMS : FEW, &work));
    yoke_job job = job_of(&work);
    job.alternative = alternative;
    for (int j = 0; j < jobs; j++)
        OK(run_work(&work, &job, j == 0 ? &first : &did));
    OK(close_work(&work));
    OK(yoke_close(rt));
    return first;
}

static struct did first_of(int jobs, const yoke_kernel *alternative)
{
    return first_on(machine, jobs, alternative);
}

static void the_second_runtime_tries_nothing(void **state)
{
    struct did before, after;
    (void)state;
    before = first_of(JOBS, &k_by_steps);
    assert_true(before.items[CORES][1] > 0 && before.items[GPU][0] > 0);
    after = first_of(1, &k_by_steps);
    assert_int_equal(after.items[CORES][1], 0);
    assert_int_equal(after.items[GPU][0], 0);
    assert_true(after.items[CORES][0] > 0 && after.items[GPU][1] > 0);
    assert_non_null(strstr(after.reasons[CORES], "k_at_once, as an earlier process found"));
    assert_non_null(strstr(after.reasons[GPU], "k_by_steps, as an earlier process found"));
    assert_true(after.seconds < before.seconds);
}

static void other_kernels_are_tried(void **state)
{
    yoke_kernel other = k_by_steps;
    struct did did;
    (void)state;
    other.file = "elsewhere.c";
    did = first_of(1, &other);
    assert_true(did.items[CORES][1] > 0);
    assert_null(strstr(did.reasons[CORES], "earlier process"));
}

/* Cores that are slow enough to delay the GPU try nothing, and so never find out. Their speed is
 * still known, and no later job waits for them. */
static void slow_cores_are_known(void **state)
{
    static const char slow[] = "sim:cpu:cores=4:rate=50,sim:gpu:rate=8e6:link=1e9";
    struct did before, after;
    (void)state;
    before = first_on(slow, 6, &k_by_steps);
    after = first_on(slow, 1, &k_by_steps);
    assert_true(before.items[CORES][0] > 0);
    assert_non_null(strstr(before.reasons[CORES], "so far"));
    assert_int_equal(after.items[CORES][0], 0);
    assert_true(after.seconds < 0.2 * before.seconds);
}

/* Knowledge survives a runtime that ended before it could find anything. */
static void it_is_kept_on(void **state)
{
    struct did did;
    (void)state;
    for (int i = 0; i < 3; i++)
        did = first_of(1, &k_by_steps);
    assert_int_equal(did.items[CORES][1] + did.items[GPU][0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_runtime_tries_nothing),
        cmocka_unit_test(other_kernels_are_tried),
        cmocka_unit_test(it_is_kept_on),
        cmocka_unit_test(slow_cores_are_known),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
