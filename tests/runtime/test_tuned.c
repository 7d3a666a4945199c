/* test_tuned.c - lines of devices alone (yoke_keep_lines): `linear` begins with them in another
 * runtime, without `auto`, splits by them and ends as they predict; later its own jobs count. On
 * simulated devices, so the figures are always the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <yoke/explain.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "job/job.h"
#include "job_kernels.h"
#include "ok.h"

enum { ITEMS = 200000, DEVICES = 2 };
static const char machine[] = "sim:cpu:cores=4:rate=1e6:fixed=0,sim:gpu:rate=8e6:link=1e15",
                  changed[] = "sim:cpu:cores=5:rate=1e6:fixed=0,sim:gpu:rate=8e6:link=1e15";

static char folder[] = "/tmp/yoke-lines-XXXXXX", file[64];
static int32_t y[ITEMS];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/knowledge.db", folder);
    return 0;
}

static void remove_file(void)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal", "-lock" };
    char path[96];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", file, ends[i]);
        unlink(path);
    }
}

static int remove_folder(void **state)
{
    (void)state;
    remove_file();
    return rmdir(folder);
}

static yoke_runtime *opened(const char *devices, const char *knowledge)
{
    const yoke_config config = { .devices = devices, .knowledge = knowledge };
    yoke_runtime *rt;
    OK(yoke_open(&config, &rt));
    return rt;
}

static const int32_t offset = 7;

static yoke_job job_of(yoke_array *array, int64_t items, const char *partitioner)
{
    return (yoke_job){ .kernel = &k_index,
                       .range = { 0, items },
                       .partitioner = partitioner,
                       .args = { yoke_value(offset), yoke_out(array) } };
}

/* In a runtime of its own, as another process would do it. */
static yoke_status keep_in(const char *knowledge, const yoke_line *lines, int count)
{
    yoke_runtime *rt = opened(machine, knowledge);
    yoke_array *array;
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &array));
    const yoke_job job = job_of(array, ITEMS, NULL);
    const yoke_status status = yoke_keep_lines(rt, &job, lines, count);
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
    return status;
}

static yoke_result *run_in(yoke_runtime *rt, const char *partitioner, int64_t items)
{
    yoke_array *array;
    yoke_result *result;
    OK(yoke_array_wrap(rt, y, items, sizeof *y, &array));
    const yoke_job job = job_of(array, items, partitioner);
    OK(yoke_run(rt, &job, &result));
    OK(yoke_array_close(array));
    return result;
}

/* The first job of a new runtime, by `linear`. */
static yoke_result *first_job(const char *devices, int64_t items)
{
    yoke_runtime *rt = opened(devices, file);
    yoke_result *result = run_in(rt, "linear", items);
    OK(yoke_close(rt));
    return result;
}

/* Each device alone, in runtimes that keep nothing. */
static void measure(yoke_line lines[DEVICES])
{
    static const char *const alone[] = { "sim:cpu:cores=4:rate=1e6:fixed=0",
                                         "sim:gpu:rate=8e6:link=1e15" };
    for (int d = 0; d < DEVICES; d++) {
        yoke_sample samples[3];
        yoke_runtime *rt = opened(alone[d], "off");
        for (int b = 0; b < 3; b++) {
            yoke_result_close(run_in(rt, NULL, ITEMS * (b + 1) / 3));
            yoke_result *result = run_in(rt, NULL, ITEMS * (b + 1) / 3);
            samples[b] = (yoke_sample){ (double)result->devices[0].items, result->seconds };
            yoke_result_close(result);
        }
        OK(yoke_close(rt));
        OK(yoke_line_fit(samples, 3, &lines[d]));
    }
}

static void assert_is_autos(const yoke_result *result)
{
    assert_string_equal(result->partitioner, "auto (teaches linear)");
}

static void linear_begins_with_them(void **state)
{
    yoke_line lines[DEVICES];
    int64_t parts[DEVICES];
    double seconds;
    char *story;
    (void)state;
    remove_file();
    yoke_result *result = first_job(machine, ITEMS);
    assert_is_autos(result);
    yoke_result_close(result);
    remove_file();
    measure(lines);
    OK(keep_in(file, lines, DEVICES));
    OK(yoke_line_split(lines, DEVICES, ITEMS, parts, &seconds));
    result = first_job(machine, ITEMS);
    assert_string_equal(result->partitioner, "linear");
    for (int d = 0; d < DEVICES; d++) {
        /* a core's part is whole pieces of the cores */
        assert_true(llabs(result->devices[d].items - parts[d]) <= 4);
        assert_non_null(strstr(result->devices[d].reason, "by its tuned line of "));
        assert_float_equal(result->models[d].item_seconds / lines[d].item_seconds, 1, 1e-9);
    }
    assert_float_equal(result->predicted_seconds / seconds, 1, 1e-3);
    assert_float_equal(result->seconds / result->predicted_seconds, 1, 0.02);
    yoke_result_close(result);
    OK(yoke_story_open(file, 0, &story));
    assert_non_null(strstr(story, "began with the lines that yoke tune measured"));
    assert_non_null(strstr(story, "\"tuned\":true"));
    yoke_story_close(story);
}

/* A line that is not the device's real one shows that the first job goes by it; from the second job
 * that counts on, the real ones do, also in a later process. */
static void its_own_jobs_replace_them(void **state)
{
    yoke_line lines[DEVICES];
    yoke_result *result;
    (void)state;
    remove_file();
    measure(lines);
    lines[0].item_seconds *= 2;
    OK(keep_in(file, lines, DEVICES));
    yoke_runtime *rt = opened(machine, file);
    result = run_in(rt, "linear", ITEMS);
    assert_true(result->devices[0].share < 0.23); /* really 1 / 3 */
    for (int i = 0; i < 3; i++) {
        yoke_result_close(result);
        result = run_in(rt, "linear", ITEMS);
    }
    assert_null(strstr(result->devices[0].reason, "tuned"));
    assert_float_equal(result->devices[0].share, 1.0 / 3, 0.01);
    yoke_result_close(result);
    sleep(1); /* lessons tell whole seconds apart */
    OK(yoke_close(rt));
    result = first_job(machine, ITEMS);
    assert_float_equal(result->devices[0].share, 1.0 / 3, 0.01);
    yoke_result_close(result);
}

/* What it saw beside each other in the process that stored the lines does not outdate them. */
static void they_outlast_the_process_that_kept_them(void **state)
{
    yoke_line lines[DEVICES];
    yoke_array *array;
    (void)state;
    remove_file();
    measure(lines);
    lines[0].item_seconds *= 2;
    yoke_runtime *rt = opened(machine, file);
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &array));
    const yoke_job job = job_of(array, ITEMS, NULL);
    OK(yoke_keep_lines(rt, &job, lines, DEVICES));
    OK(yoke_array_close(array));
    for (int i = 0; i < 4; i++)
        yoke_result_close(run_in(rt, "linear", ITEMS));
    sleep(1);
    OK(yoke_close(rt));
    yoke_result *result = first_job(machine, ITEMS);
    assert_non_null(strstr(result->devices[0].reason, "by its tuned line of "));
    assert_true(result->devices[0].share < 0.23);
    yoke_result_close(result);
}

/* Another number of cores is another machine, another size derives its lines, and other
 * partitioners do not use them. */
static void they_hold_for_this_machine_and_linear_only(void **state)
{
    yoke_line lines[DEVICES];
    (void)state;
    remove_file();
    measure(lines);
    OK(keep_in(file, lines, DEVICES));
    yoke_result *result = first_job(changed, ITEMS);
    assert_is_autos(result);
    yoke_result_close(result);
    result = first_job(machine, ITEMS / 2);
    assert_non_null(strstr(result->devices[0].reason, "by its tuned line of "));
    yoke_result_close(result);
    yoke_runtime *rt = opened(machine, file);
    result = run_in(rt, "trained", ITEMS);
    assert_string_equal(result->partitioner, "auto (teaches trained)");
    yoke_result_close(result);
    OK(yoke_close(rt));
}

static void where_nothing_is_kept_it_says_so(void **state)
{
    static const yoke_line lines[DEVICES] = { { 1e-6, 0, 0, 0 }, { 1e-7, 0, 0, 0 } };
    char nowhere[96];
    (void)state;
    remove_file();
    assert_int_equal(keep_in("off", lines, DEVICES), YOKE_ENODEV);
    assert_non_null(strstr(yoke_error_text(), "switched off (YOKE_KB=off)"));
    const char *given = getenv("YOKE_KB");
    unsetenv("YOKE_KB");
    const yoke_status unnamed = keep_in(NULL, lines, DEVICES);
    if (given)
        setenv("YOKE_KB", given, 1);
    assert_int_equal(unnamed, YOKE_ENODEV);
    assert_non_null(strstr(yoke_error_text(), "simulated"));
    snprintf(nowhere, sizeof nowhere, "%s/nowhere/knowledge.db", folder);
    assert_int_equal(keep_in(nowhere, lines, DEVICES), YOKE_EIO);
    assert_non_null(strstr(yoke_error_text(), "see that it may be read and written"));
}

static void lines_that_cannot_be_are_refused(void **state)
{
    static const yoke_line wrong[] = {
        { NAN, 0, 0, 0 },   { -1, 0, 0, 0 },     { INFINITY, 0, 0, 0 }, { 1e-6, NAN, 0, 0 },
        { 1e-6, -1, 0, 0 }, { 1e-6, 0, NAN, 0 }, { 1e-6, 0, -1, 0 },    { 1e-6, 0, 0, NAN },
    };
    yoke_line lines[DEVICES] = { { 1e-6, 0, INFINITY, 0 }, { 1e-6, 0, 0, 0 } };
    (void)state;
    remove_file();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lines[1] = wrong[i];
        assert_int_equal(keep_in(file, lines, DEVICES), YOKE_EINVAL);
    }
    assert_int_equal(keep_in(file, NULL, DEVICES), YOKE_EINVAL);
    assert_int_equal(keep_in(file, wrong, DEVICES + 1), YOKE_EINVAL);
    yoke_result *result = first_job(machine, ITEMS);
    assert_is_autos(result);
    yoke_result_close(result);
}

/* Numbers that another program wrote into the file, and at last one that no part's time can have.
 */
static void hostile_lines_are_ignored(void **state)
{
    static const char *const values[] = { "NULL", "-1", "9e999", "'a'", "1e-300", "1e308" };
    yoke_line lines[DEVICES];
    (void)state;
    measure(lines);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char sql[96];
        sqlite3 *base;
        remove_file();
        OK(keep_in(file, lines, DEVICES));
        snprintf(sql, sizeof sql, "UPDATE devices SET item_ns = %s", values[i]);
        assert_int_equal(sqlite3_open(file, &base), SQLITE_OK);
        assert_int_equal(sqlite3_exec(base, sql, NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_close(base), SQLITE_OK);
        yoke_result *result = first_job(machine, ITEMS);
        assert_is_autos(result);
        yoke_result_close(result);
    }
    remove_file();
    lines[0].item_seconds = lines[1].item_seconds = 1e298; /* its checksum is right */
    OK(keep_in(file, lines, DEVICES));
    yoke_result *result = first_job(machine, ITEMS);
    assert_is_autos(result);
    yoke_result_close(result);
}

/* Every allocation fails in turn. */
static void without_memory_it_fails_cleanly(void **state)
{
    static const yoke_line lines[DEVICES] = { { 1e-6, 0, 0, 0 }, { 1e-7, 0, 0, 0 } };
    yoke_runtime *rt;
    yoke_array *array;
    yoke_status status = YOKE_ENOMEM;
    (void)state;
    remove_file();
    rt = opened(machine, file);
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &array));
    const yoke_job job = job_of(array, ITEMS, NULL);
    const int64_t before = yk_alloc_outstanding();
    for (int64_t nth = 1; nth < 1000 && status != YOKE_OK; nth++) {
        yk_alloc_fail_at(nth);
        status = yoke_keep_lines(rt, &job, lines, DEVICES);
        yk_alloc_fail_at(0);
        assert_true(status == YOKE_OK || status == YOKE_ENOMEM);
        yk_job_forget_spare(rt);
        assert_int_equal(yk_alloc_outstanding(), before);
    }
    OK(status);
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_begins_with_them),
        cmocka_unit_test(its_own_jobs_replace_them),
        cmocka_unit_test(they_outlast_the_process_that_kept_them),
        cmocka_unit_test(they_hold_for_this_machine_and_linear_only),
        cmocka_unit_test(where_nothing_is_kept_it_says_so),
        cmocka_unit_test(lines_that_cannot_be_are_refused),
        cmocka_unit_test(hostile_lines_are_ignored),
        cmocka_unit_test(without_memory_it_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
