/* test_knowledge.c - a runtime begins with what another one learned: of the same sizes, of other
 * sizes, by the partitioners asked for; and jobs run whatever happens to the file. On simulated
 * devices, so the figures are always the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/explain.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "job_kernels.h"
#include "ok.h"

enum { MOST = 40000, CPU = 0, GPU = 1 };
static const char machine[] = "sim:cpu:cores=1:rate=1e6,sim:gpu:rate=3e6:link=1e9",
                  slower[] = "sim:cpu:cores=1:rate=2e6,sim:gpu:rate=1e6:link=1e9";

static char folder[] = "/tmp/yoke-knowledge-XXXXXX", file[64];

static void remove_file(void)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal", "-lock", ".corrupt-1" };
    char path[96];
    size_t i;
    for (i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", file, ends[i]);
        unlink(path);
    }
}

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
    (void)state;
    remove_file();
    return rmdir(folder);
}

struct life { /* settings of one runtime */
    const char *devices, *partitioner, *knowledge;
    int items, jobs;
};

/* Returns the result of its first job. */
static yoke_status live(const struct life *life, yoke_result **first)
{
    static int32_t y[MOST];
    const yoke_config config = { .devices = life->devices ? life->devices : machine,
                                 .partitioner = life->partitioner,
                                 .knowledge = life->knowledge ? life->knowledge : file };
    const int32_t offset = 7;
    yoke_array *array = NULL;
    yoke_runtime *rt;
    yoke_status closed, status = yoke_open(&config, &rt);
    int job;
    if (status != YOKE_OK)
        return status;
    status = yoke_array_wrap(rt, y, life->items, sizeof *y, &array);
    for (job = 0; status == YOKE_OK && job < life->jobs; job++) {
        const yoke_job one = { .kernel = &k_index,
                               .range = { 0, life->items },
                               .args = { yoke_value(offset), yoke_out(array) } };
        status = yoke_run(rt, &one, job == 0 ? first : NULL);
    }
    closed = yoke_array_close(array);
    if (status == YOKE_OK)
        status = closed;
    closed = yoke_close(rt);
    return status == YOKE_OK ? closed : status;
}

static int probes_in(const yoke_result *result)
{
    int64_t i;
    int count = 0;
    for (i = 0; i < result->decision_count; i++)
        count += strstr(result->decisions[i].reason, "probe") != NULL;
    return count;
}

static double first_seconds(const struct life *life, int *probes)
{
    yoke_result *first = NULL;
    double seconds;
    OK(live(life, &first));
    seconds = first->seconds;
    *probes = probes_in(first);
    yoke_result_close(first);
    return seconds;
}

/* No probe, and as fast as the first runtime's later jobs: 4,000 items at 4 per us. */
static void a_second_runtime_begins_where_the_first_ended(void **state)
{
    const struct life life = { .items = 4000, .jobs = 20 };
    double before, after;
    int probes;
    (void)state;
    remove_file();
    before = first_seconds(&life, &probes);
    assert_true(probes > 0);
    after = first_seconds(&life, &probes);
    assert_int_equal(probes, 0);
    assert_true(after < before);
    assert_true(after < 1.05e-3);
}

/* From 4,000 and 16,000 items it derives a split for 10,000 that is nearly as good as one learned
 * with 10,000. */
static void other_sizes_teach_too(void **state)
{
    const struct life small = { .items = 4000, .jobs = 20 }, large = { .items = 16000, .jobs = 20 },
                      between = { .items = 10000, .jobs = 1 },
                      more = { .items = 10000, .jobs = 20 };
    double seconds;
    int probes;
    (void)state;
    remove_file();
    first_seconds(&small, &probes);
    first_seconds(&large, &probes);
    seconds = first_seconds(&between, &probes);
    assert_int_equal(probes, 0);
    first_seconds(&more, &probes);
    assert_true(seconds < 1.03 * first_seconds(&between, &probes));
}

/* Speeds of another machine are not used. */
static void another_machine_knows_nothing(void **state)
{
    const struct life life = { .items = 4000, .jobs = 20 },
                      other = { .devices = slower, .items = 4000, .jobs = 1 };
    int probes;
    (void)state;
    remove_file();
    first_seconds(&life, &probes);
    first_seconds(&other, &probes);
    assert_true(probes > 0);
}

static void off_is_off(void **state)
{
    const struct life life = { .items = 4000, .jobs = 20, .knowledge = "off" };
    int probes;
    (void)state;
    remove_file();
    first_seconds(&life, &probes);
    first_seconds(&life, &probes);
    assert_true(probes > 0);
    assert_int_not_equal(access(file, F_OK), 0);
}

static void a_damaged_file_stops_no_job(void **state)
{
    const struct life life = { .items = 4000, .jobs = 2 };
    FILE *stream;
    int probes;
    (void)state;
    remove_file();
    stream = fopen(file, "w");
    assert_non_null(stream);
    assert_int_equal(fwrite("SQLite format 3", 1, 16, stream), 16);
    fputs("and nothing else that a database has, but long enough to be looked at\n", stream);
    assert_int_equal(fclose(stream), 0);
    first_seconds(&life, &probes);
    assert_true(probes > 0);
    first_seconds(&life, &probes); /* a new file was begun */
    assert_int_equal(probes, 0);
}

static void the_story_can_be_read(void **state)
{
    const struct life life = { .items = 4000, .jobs = 3 };
    char *story = NULL;
    int probes;
    (void)state;
    remove_file();
    OK(yoke_story_open(file, 0, &story));
    assert_null(story);
    first_seconds(&life, &probes);
    OK(yoke_story_open(file, 0, &story));
    assert_non_null(strstr(story, "\"program\":\"test_knowledge\""));
    assert_non_null(strstr(story, "\"name\":\"sim:gpu\""));
    assert_non_null(strstr(story, "\"known_jobs\":0,\"derived\":false"));
    yoke_story_close(story);
    first_seconds(&life, &probes);
    OK(yoke_story_open(file, 0, &story));
    assert_non_null(strstr(story, "\"known_jobs\":3,\"derived\":false"));
    yoke_story_close(story);
    OK(yoke_story_open(file, 2, &story));
    assert_null(story);
    assert_int_equal(yoke_story_open("off", 0, &story), YOKE_EINVAL);
    assert_int_equal(yoke_story_open(file, -1, &story), YOKE_EINVAL);
}

/* Every allocation fails in turn: jobs work or return ENOMEM, and nothing leaks. */
static void without_memory_it_does_without(void **state)
{
    const struct life life = { .items = 4000, .jobs = 2 };
    const int64_t before = yk_alloc_outstanding();
    int64_t nth;
    (void)state;
    remove_file();
    OK(live(&life, NULL));
    for (nth = 1; nth < 100000; nth++) {
        yoke_status status;
        int failed;
        yk_alloc_fail_at(nth);
        status = live(&life, NULL);
        failed = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_true(status == YOKE_OK || status == YOKE_ENOMEM);
        assert_int_equal(yk_alloc_outstanding(), before);
        if (!failed)
            break;
    }
    assert_in_range(nth, 20, 99999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_runtime_begins_where_the_first_ended),
        cmocka_unit_test(other_sizes_teach_too),
        cmocka_unit_test(another_machine_knows_nothing),
        cmocka_unit_test(off_is_off),
        cmocka_unit_test(a_damaged_file_stops_no_job),
        cmocka_unit_test(the_story_can_be_read),
        cmocka_unit_test(without_memory_it_does_without),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
