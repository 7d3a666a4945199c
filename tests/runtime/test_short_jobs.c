/* test_short_jobs.c - which cores a job of cores is given to: none besides its caller's if it is
 * short, several if it is long. And that all items are done once, whoever did them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "base/typical.h"
#include "job/runtime.h"
#include "ok.h"
#include "platform/clock.h"
#include "under_sanitizer.h"

/* On a busy machine other threads often come too late, so jobs go on until SHARED of them were
 * shared. */
enum { ROWS = 64, LEARNING = 20, JOBS = 200, SHARED = 100, JOBS_MOST = 20000 };

static atomic_int job_number,
    threads; /* of the present job: its number, and threads that did some */

static void note_thread(void)
{
    static _Thread_local int latest;
    const int now = atomic_load(&job_number);
    if (latest != now)
        atomic_fetch_add(&threads, 1);
    latest = now;
}

/* Each item takes args[0] ns. */
static void work(void *const *args, const yoke_chunk *chunk)
{
    const int64_t *item_ns = args[0];
    int64_t *x = args[1], i;
    note_thread();
    for (i = chunk->first; i < chunk->last; i++) {
        const int64_t until = *item_ns ? yk_clock_ns() + *item_ns : 0;
        while (until && yk_clock_ns() < until)
            continue;
        x[i]++;
    }
}

static const yoke_param params[] = {
    { YOKE_PARAM_VALUE, "int64_t", "item_ns", sizeof(int64_t), _Alignof(int64_t) },
    { YOKE_PARAM_INOUT, "int64_t", "x", sizeof(int64_t), _Alignof(int64_t) },
};
static const yoke_kernel working = { .struct_size = sizeof(yoke_kernel),
                                     .kind = YOKE_KERNEL_NATIVE,
                                     .name = "working",
                                     .file = __FILE__,
                                     .params = params,
                                     .param_count = 2,
                                     .cpu.variant = { work } };

struct scene {
    yoke_runtime *runtime;
    yoke_array *array;
    int64_t rows[ROWS];
};

static void open_scene(struct scene *scene, int lanes)
{
    const yoke_config config = { .devices = "cpu", .threads = lanes };
    *scene = (struct scene){ 0 };
    OK(yoke_open(&config, &scene->runtime));
    OK(yoke_array_wrap(scene->runtime, scene->rows, ROWS, sizeof *scene->rows, &scene->array));
}

static void run(const struct scene *scene, int64_t item_ns)
{
    const yoke_job job = { .kernel = &working,
                           .range.last = ROWS,
                           .args = { yoke_value(item_ns), yoke_inout(scene->array) } };
    OK(yoke_run(scene->runtime, &job, NULL));
}

static void close_scene(const struct scene *scene, int64_t jobs)
{
    OK(yoke_array_close(scene->array));
    OK(yoke_close(scene->runtime));
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(scene->rows[i], jobs);
}

/* Runs jobs until several threads did `enough` of those after the first LEARNING ones, but at most
 * `most`. Returns their number. */
static int shared_jobs(int64_t item_ns, int enough, int most)
{
    struct scene scene;
    int shared = 0, k;
    open_scene(&scene, 2);
    for (k = 0; k < most && shared < enough; k++) {
        if (k == LEARNING) /* the other cores fall asleep */
            yk_clock_sleep_until(yk_clock_ns() + 5000000);
        atomic_fetch_add(&job_number, 1);
        atomic_store(&threads, 0);
        run(&scene, item_ns);
        shared += k >= LEARNING && atomic_load(&threads) > 1;
    }
    close_scene(&scene, k);
    return shared;
}

/* Under a microsecond. On a busy machine some seem to take longer. */
static void a_short_job_stays_with_its_caller(void **state)
{
    (void)state;
    if (RUNNING_UNDER_ASAN ||
        RUNNING_UNDER_TSAN) /* then a piece takes 10 us, however short it is */
        skip();
    assert_true(shared_jobs(0, JOBS, JOBS) < (JOBS - LEARNING) / 2);
}

/* 1.3 ms. */
static void a_long_job_is_shared(void **state)
{
    (void)state;
    assert_int_equal(shared_jobs(20000, SHARED, JOBS_MOST), SHARED);
}

/* 32 us: less than wakes take, but in a row of jobs the others need to be woken only once. On a
 * busy machine no other thread may come in time. */
static void jobs_in_a_row_are_shared(void **state)
{
    (void)state;
    assert_int_equal(shared_jobs(500, SHARED, JOBS_MOST), SHARED);
}

/* Also if the caller ended the job itself. Plans with cores count on this time. */
static void each_return_is_noted(void **state)
{
    struct scene scene;
    int64_t before;
    (void)state;
    open_scene(&scene, 2);
    for (int k = 0; k < LEARNING; k++) {
        before = yk_typical(&scene.runtime->core_return_ns);
        run(&scene, 0);
        assert_int_not_equal(yk_typical(&scene.runtime->core_return_ns), before);
    }
    close_scene(&scene, LEARNING);
}

/* Jobs to which a few cores are called; the runtime closes while some of these have yet to come. */
static void a_runtime_closes_at_once(void **state)
{
    const int64_t before = yk_alloc_outstanding();
    (void)state;
    for (int k = 0; k < JOBS / 4; k++) {
        struct scene scene;
        open_scene(&scene, 24);
        for (int jobs = 0; jobs < 4; jobs++)
            run(&scene, 2000);
        close_scene(&scene, 4);
    }
    assert_int_equal(yk_alloc_outstanding(), before);
}

static void *call(void *context)
{
    struct scene *scene = context;
    for (int k = 0; k < JOBS; k++)
        run(scene, 2000);
    return NULL;
}

/* Each calls cores, to which another job may have been given. */
static void several_threads_call(void **state)
{
    enum { CALLERS = 4 };
    struct scene scene[CALLERS];
    pthread_t thread[CALLERS];
    (void)state;
    open_scene(&scene[0], 4);
    for (int c = 1; c < CALLERS; c++) {
        scene[c] = (struct scene){ .runtime = scene[0].runtime };
        OK(yoke_array_wrap(scene[c].runtime, scene[c].rows, ROWS, sizeof *scene[c].rows,
                           &scene[c].array));
    }
    for (int c = 0; c < CALLERS; c++)
        assert_int_equal(pthread_create(&thread[c], NULL, call, &scene[c]), 0);
    for (int c = 0; c < CALLERS; c++)
        assert_int_equal(pthread_join(thread[c], NULL), 0);
    for (int c = 1; c < CALLERS; c++) {
        OK(yoke_array_close(scene[c].array));
        for (int i = 0; i < ROWS; i++)
            assert_int_equal(scene[c].rows[i], JOBS);
    }
    close_scene(&scene[0], JOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_job_stays_with_its_caller), cmocka_unit_test(a_long_job_is_shared),
        cmocka_unit_test(jobs_in_a_row_are_shared),          cmocka_unit_test(each_return_is_noted),
        cmocka_unit_test(a_runtime_closes_at_once),          cmocka_unit_test(several_threads_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
