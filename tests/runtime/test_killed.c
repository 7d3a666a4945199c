/* test_killed.c - a process that is killed has saved what it had learned up to the last interval;
 * one that closes its runtime has saved everything, and each job once. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/knowledge.h>
#include <yoke/yoke.h>

#include "job/runtime.h"
#include "job_kernels.h"
#include "life/knowledge_state.h"
#include "ok.h"

enum { ITEMS = 4000, JOBS = 5 };

static char folder[] = "/tmp/yoke-killed-XXXXXX", file[64];

static void remove_file(void)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal", "-lock" };
    char path[96];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
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

enum end { KILLED, CLOSED };

/* Runs some jobs; after each the interval has passed, or has not. */
static int live(int64_t interval_ns, enum end end)
{
    static int32_t y[ITEMS];
    const int32_t offset = 7;
    yoke_runtime *rt;
    yoke_array *array;
    if (yoke_open(&(yoke_config){ .devices = "cpu:1", .knowledge = file }, &rt) != YOKE_OK ||
        yoke_array_wrap(rt, y, ITEMS, sizeof *y, &array) != YOKE_OK)
        return 1;
    rt->knowledge->interval_ns = interval_ns;
    atomic_store(&rt->knowledge->keep_ns, interval_ns);
    for (int j = 0; j < JOBS; j++) {
        const yoke_job job = { .kernel = &k_index,
                               .range = { 0, ITEMS },
                               .args = { yoke_value(offset), yoke_out(array) } };
        if (yoke_run(rt, &job, NULL) != YOKE_OK)
            return 1;
    }
    if (end == KILLED)
        _exit(0);
    return yoke_array_close(array) != YOKE_OK || yoke_close(rt) != YOKE_OK;
}

static void in_a_child(int64_t interval_ns, enum end end)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(live(interval_ns, end));
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

enum { THREADS = 4, EACH = 100 };

/* Jobs of sizes that no other thread has, so that some look up while others save. */
static void *work(void *given)
{
    static atomic_int next;
    static int32_t y[THREADS][ITEMS];
    const int32_t offset = 7, number = atomic_fetch_add(&next, 1);
    yoke_runtime *rt = given;
    yoke_array *array;
    OK(yoke_array_wrap(rt, y[number], ITEMS, sizeof **y, &array));
    for (int j = 0; j < EACH; j++) {
        const yoke_job job = { .kernel = &k_index,
                               .range = { 0, 100 * (number + 1) + j % 3 },
                               .args = { yoke_value(offset), yoke_out(array) } };
        OK(yoke_run(rt, &job, NULL));
    }
    OK(yoke_array_close(array));
    return NULL;
}

static int add_confirmed(void *context, const yoke_lesson *lesson)
{
    *(int64_t *)context += lesson->confirmed;
    return 1;
}

/* Number of jobs in all lessons. */
static int64_t confirmed(void)
{
    yoke_knowledge *knowledge;
    int64_t jobs = 0;
    OK(yoke_knowledge_open(file, &knowledge));
    OK(yoke_knowledge_each(knowledge, &(yoke_lesson_filter){ 0 }, add_confirmed, &jobs));
    yoke_knowledge_close(knowledge);
    return jobs;
}

static void who_is_killed_has_taught(void **state)
{
    (void)state;
    remove_file();
    in_a_child(0, KILLED);
    assert_int_equal(confirmed(), JOBS);
}

static void not_what_was_just_learned(void **state)
{
    (void)state;
    remove_file();
    in_a_child(INT64_MAX, KILLED);
    assert_int_equal(confirmed(), 0);
}

static void each_job_counts_once(void **state)
{
    (void)state;
    remove_file();
    in_a_child(0, CLOSED);
    assert_int_equal(confirmed(), JOBS);
    in_a_child(INT64_MAX, CLOSED);
    assert_int_equal(confirmed(), 2 * JOBS);
}

static void several_threads_keep(void **state)
{
    pthread_t threads[THREADS];
    yoke_runtime *rt;
    (void)state;
    remove_file();
    OK(yoke_open(&(yoke_config){ .devices = "cpu:2", .knowledge = file }, &rt));
    rt->knowledge->interval_ns = 0;
    atomic_store(&rt->knowledge->keep_ns, 0);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, work, rt), 0);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(threads[t], NULL), 0);
    OK(yoke_close(rt));
    assert_int_equal(confirmed(), THREADS * EACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_killed_has_taught),
        cmocka_unit_test(not_what_was_just_learned),
        cmocka_unit_test(each_job_counts_once),
        cmocka_unit_test(several_threads_keep),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
