/* test_cuda_ahead.c - a thread pins memory ahead of jobs while other threads work: results stay
 * correct, and nothing stays pinned in whatever order things are closed. Meanwhile `auto` splits
 * jobs of `linear`. */
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

#include "array/array.h"
#include "array/copy.h"
#include "base/alloc.h"
#include "job/kernel.h"
#include "job/runtime.h"
#include "job_kernels.h"
#include "life/decomposition.h"
#include "life/decomposition_plan.h"
#include "life/decomposition_ready.h"
#include "ok.h"
#include "standin.h"

enum { ROWS = 4 << 20, JOBS_MOST = 200 };

struct scene {
    yoke_runtime *runtime;
    float *from, *to;
    yoke_array *from_array, *to_array;
    int rows, times; /* number of times that `from` was added to `to` */
};

static int64_t pinned_bytes(const yoke_runtime *runtime)
{
    int64_t bytes = 0;
    for (int d = 0; d < atomic_load(&runtime->device_count); d++)
        if (runtime->devices[d].place->pinner)
            bytes += yk_pinner_pinned(runtime->devices[d].place->pinner);
    return bytes;
}

static void scene_open_with(struct scene *scene, const yoke_config *config)
{
    *scene = (struct scene){ .rows = ROWS };
    OK(yoke_open(config, &scene->runtime));
    scene->from = yoke_alloc(scene->runtime, ROWS * sizeof(float));
    scene->to = yoke_alloc(scene->runtime, ROWS * sizeof(float));
    assert_non_null(scene->from);
    assert_non_null(scene->to);
    for (int i = 0; i < ROWS; i++) {
        scene->from[i] = (float)(i % 16);
        scene->to[i] = 0;
    }
}

static void scene_open(struct scene *scene)
{
    scene_open_with(scene, &(yoke_config){ .devices = "cpu:1,cuda:0" });
}

static void arrays_open(struct scene *scene)
{
    OK(yoke_array_wrap(scene->runtime, scene->from, scene->rows, sizeof(float),
                       &scene->from_array));
    OK(yoke_array_wrap(scene->runtime, scene->to, scene->rows, sizeof(float), &scene->to_array));
}

static void arrays_close(struct scene *scene)
{
    assert_int_equal(yoke_array_close(scene->from_array), YOKE_OK);
    assert_int_equal(yoke_array_close(scene->to_array), YOKE_OK);
}

static void scene_close(struct scene *scene)
{
    yoke_free(scene->runtime, scene->from);
    yoke_free(scene->runtime, scene->to);
    assert_int_equal(yoke_close(scene->runtime), YOKE_OK);
    assert_int_equal(standin_outstanding(), 0);
}

/* to += from, after the host has acquired both arrays for writing. */
static yoke_status add(struct scene *scene, yoke_result **result)
{
    float one = 1;
    yoke_job job = { .kernel = &k_saxpy,
                     .range = { 0, scene->rows },
                     .args = { yoke_value(one), yoke_in(scene->from_array),
                               yoke_inout_home(scene->to_array) } };
    yoke_array *arrays[2] = { scene->from_array, scene->to_array };
    for (int a = 0; a < 2; a++) {
        assert_int_equal(yoke_array_acquire(arrays[a], YOKE_READ_WRITE), YOKE_OK);
        assert_int_equal(yoke_array_release(arrays[a]), YOKE_OK);
    }
    return yoke_run(scene->runtime, &job, result);
}

static yoke_result *run_for_result(struct scene *scene)
{
    yoke_result *result;
    OK(add(scene, &result));
    OK(yoke_array_acquire(scene->to_array, YOKE_READ));
    scene->times++;
    for (int i = 0; i < scene->rows; i += 97)
        assert_true(scene->to[i] == (float)scene->times * scene->from[i]);
    return result;
}

static void run(struct scene *scene)
{
    yoke_result_close(run_for_result(scene));
}

static void jobs_go_on_while_memory_is_pinned(void **state)
{
    struct scene scene;
    int jobs = 0;
    (void)state;
    scene_open(&scene);
    arrays_open(&scene);
    do
        jobs++, run(&scene);
    while (pinned_bytes(scene.runtime) < (4 << 20) && jobs < JOBS_MOST);
    assert_true(jobs < JOBS_MOST);
    for (int more = 0; more < 5; more++)
        run(&scene);
    arrays_close(&scene);
    scene_close(&scene);
}

/* Closes arrays while pin requests for them wait or are being carried out. */
static void closing_in_between(void **state)
{
    struct scene scene;
    (void)state;
    scene_open(&scene);
    for (int round = 0; round < 12; round++) {
        arrays_open(&scene);
        for (int job = 0; job <= round % 4; job++)
            run(&scene);
        arrays_close(&scene);
    }
    scene_close(&scene);
}

/* Each allocation fails once, those of the requests and of the thread too. */
static void without_memory(void **state)
{
    struct scene scene;
    (void)state;
    scene_open(&scene);
    arrays_open(&scene);
    run(&scene);
    run(&scene);
    for (int nth = 1; nth <= 40; nth++) {
        yk_alloc_fail_at(nth);
        yoke_status status = add(&scene, NULL);
        yk_alloc_fail_at(0);
        /* Lost: rows that a chunk had changed in place when memory ran out. */
        assert_true(status == YOKE_OK || status == YOKE_ENOMEM || status == YOKE_ELOST);
        scene.times = 0; /* a job that failed leaves rows undefined */
        assert_int_equal(yoke_array_acquire(scene.to_array, YOKE_WRITE), YOKE_OK);
        memset(scene.to, 0, ROWS * sizeof(float));
        assert_int_equal(yoke_array_release(scene.to_array), YOKE_OK);
        run(&scene);
    }
    arrays_close(&scene);
    scene_close(&scene);
}

/* --- a partitioner that splits with models from an earlier process --- */

static const char until_pinned[] = "auto (until memory is pinned: linear)";
static char folder[] = "/tmp/yoke-ahead-XXXXXX", file[64];

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

/* Adds samples to the models by which both devices do half. */
static void halve(const yoke_runtime *runtime, int rows)
{
    const double half = rows / 2.0, item_ns = 5;
    for (struct yk_kernel *kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        for (int m = 0; m < YK_MEMORIES && kernel->memories[m]; m++)
            for (int d = 0; d < 2; d++) {
                struct yk_learned *learned = &kernel->memories[m]->device[d];
                *learned = (struct yk_learned){ .rate = 1 / item_ns, .share = 0.5 };
                yk_fit_add(&learned->fit, &(struct yk_fit_sample){ .items = half,
                                                                   .ns = half * item_ns,
                                                                   .item_ns = item_ns,
                                                                   .team = 3 });
            }
}

struct life { /* settings of one process */
    const char *devices, *partitioner;
    int rows;
};

/* Zero fields: this test's defaults. */
static void life_open(const struct life *life, struct scene *scene)
{
    const yoke_config config = { .devices = life->devices ? life->devices : "cpu:1,cuda:0",
                                 .partitioner = life->partitioner ? life->partitioner : "linear",
                                 .knowledge = file };
    scene_open_with(scene, &config);
    if (life->rows)
        scene->rows = life->rows;
    arrays_open(scene);
}

static void life_close(struct scene *scene)
{
    arrays_close(scene);
    scene_close(scene);
}

static void teach(const struct life *life)
{
    struct scene scene;
    life_open(life, &scene);
    for (int job = 0; job < 3; job++)
        run(&scene);
    halve(scene.runtime, scene.rows);
    life_close(&scene);
}

/* The partitioner that split the next job; *share: the GPU's part of it. */
static const char *next_by(struct scene *scene, double *share, char text[64])
{
    yoke_result *result = run_for_result(scene);
    snprintf(text, 64, "%s", result->partitioner);
    *share = result->devices[1].share;
    yoke_result_close(result);
    return text;
}

static int let_pins_go(void **state)
{
    (void)state;
    standin_hold("cuMemHostRegister", 0);
    return 0;
}

/* `auto` splits until memory is pinned; samples from jobs without pins do not enter the split that
 * `linear` begins with. */
static void linear_does_not_wait_for_pins(void **state)
{
    const struct life life = { 0 };
    struct scene scene;
    char text[64];
    double share;
    int jobs = 0;
    (void)state;
    teach(&life);
    standin_hold("cuMemHostRegister", 1); /* otherwise memory is pinned as it is filled */
    life_open(&life, &scene);
    for (int job = 0; job < 4; job++)
        assert_string_equal(next_by(&scene, &share, text), until_pinned);
    standin_hold("cuMemHostRegister", 0);
    while (strcmp(next_by(&scene, &share, text), "linear") && jobs < JOBS_MOST) {
        assert_string_equal(text, until_pinned);
        jobs++;
    }
    assert_string_equal(text, "linear");
    assert_true(share > 0.49 && share < 0.51);
    assert_true(pinned_bytes(scene.runtime) >= (int64_t)(ROWS / 2 * sizeof(float)));
    life_close(&scene);
}

/* Few rows; more than the GPU's memory holds; splits that a user has fixed. */
static const struct life lives[] = {
    { .rows = ROWS / 16 },
    { .devices = "cpu:1,cuda:0:mem=16M" },
    { .partitioner = "static:shares=1/1" },
};

static void where_pins_are_not_worth_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        struct scene scene;
        char text[64];
        double share;
        teach(&lives[i]);
        life_open(&lives[i], &scene);
        assert_string_equal(next_by(&scene, &share, text),
                            lives[i].partitioner ? lives[i].partitioner : "linear");
        assert_true(share > 0.49 && share < 0.51);
        life_close(&scene);
    }
}

/* After a refused attempt to pin memory, `linear` does not wait for it any longer. */
static void where_pins_are_not_to_be_had(void **state)
{
    const struct standin_failure refused = { 1, 2, STANDIN_ONCE, "cuMemHostRegister" };
    const struct life life = { 0 };
    struct scene scene;
    char text[64];
    double share;
    (void)state;
    teach(&life);
    life_open(&life, &scene);
    for (int job = 0; job < JOBS_MOST; job++) {
        standin_fail(&refused); /* one array's pin; the other array may be pinned by then */
        if (!strcmp(next_by(&scene, &share, text), "linear"))
            break;
    }
    standin_fail(NULL);
    assert_string_equal(text, "linear");
    life_close(&scene);
}

/* --- rows that stay --- */

enum { SHORT = 1 << 20, HELD_JOBS = 20 };

/* By what is known the GPU is a thousand times as fast, and each job gains less than pinning takes.
 */
static void favour_gpu(const yoke_runtime *runtime)
{
    static const struct yk_kept_cost costs[] = { { 0.05, 10, 0.001, 0.01 },
                                                 { 0.00005, 10, 0.001, 0.01 } };
    for (struct yk_kernel *kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        for (int m = 0; m < YK_MEMORIES && kernel->memories[m]; m++)
            for (int d = 0; d < 2; d++)
                yk_cost_recall(&kernel->memories[m]->cost[d], &costs[d]);
}

/* `to` += `from`, and the rows stay where they are. Returns the GPU's part. */
static double stay(struct scene *scene)
{
    yoke_result *result;
    double share;
    const yoke_job job = { .kernel = &k_saxpy,
                           .range = { 0, scene->rows },
                           .args = { yoke_value(1.0f), yoke_in(scene->from_array),
                                     yoke_inout(scene->to_array) } };
    OK(yoke_run(scene->runtime, &job, &result));
    favour_gpu(scene->runtime);
    scene->times++;
    share = result->devices[1].share;
    yoke_result_close(result);
    return share;
}

/* Opens a scene of SHORT rows in which no memory is pinned yet. Nothing is known from an earlier
 * process, for example what favour_gpu has said there. Pins that were held before count as slow
 * ones, for which no copy would wait. */
static void open_unpinned(struct scene *scene)
{
    yk_pin_terms.pin_mib_ns = yk_pin_terms.slow_mib_ns / 2;
    standin_hold("cuMemHostRegister", 1);
    scene_open_with(scene, &(yoke_config){ .devices = "cpu:1,cuda:0", .knowledge = "off" });
    scene->rows = SHORT;
    arrays_open(scene);
}

/* Rows move to the GPU when their memory is pinned. Until then jobs go on where they are. */
static void rows_move_when_memory_is_pinned(void **state)
{
    struct scene scene;
    double share;
    int jobs;
    (void)state;
    open_unpinned(&scene);
    do /* the kernel is compiled beside the jobs, in the last of which the GPU may take part */
        share = stay(&scene);
    while (!yk_kernel_is_ready(scene.runtime->kernels.first, 1));
    for (jobs = 0; jobs < HELD_JOBS; jobs++)
        assert_true(stay(&scene) == share);
    standin_hold("cuMemHostRegister", 0);
    for (jobs = 0; jobs < JOBS_MOST && stay(&scene) < 0.9; jobs++)
        usleep(1000);
    assert_true(jobs < JOBS_MOST);
    OK(yoke_array_acquire(scene.to_array, YOKE_READ));
    for (int i = 0; i < SHORT; i += 97)
        assert_true(scene.to[i] == (float)scene.times * scene.from[i]);
    OK(yoke_array_release(scene.to_array));
    arrays_close(&scene);
    scene_close(&scene);
}

/* Whether rows that would all go to the GPU wait if each job gains that much. */
static int waits(const struct scene *scene, double gain_ns)
{
    struct yk_job job = { .runtime = scene->runtime, .device_count = 2 };
    struct yk_cuts cuts = { .tied = 1 };
    for (int k = 0; k < YK_PLAN_KERNELS; k++)
        cuts.share[k][1] = 1;
    job.split.decomposition = scene->runtime->arrays->decomposition;
    return yk_decomposition_awaits(&job, &cuts, gain_ns);
}

/* Rows wait only while memory is being pinned, and only if they gain less. A trial that will
 * probably lose does not wait for nothing. */
static void rows_wait_for_nothing_else(void **state)
{
    struct scene scene;
    (void)state;
    open_unpinned(&scene);
    do
        stay(&scene);
    while (!yk_kernel_is_ready(scene.runtime->kernels.first, 1));
    yoke_array *const arrays[] = { scene.from_array, scene.to_array };
    for (int a = 0; a < 2; a++) { /* now only the host has the rows */
        OK(yoke_array_acquire(arrays[a], YOKE_READ_WRITE));
        OK(yoke_array_release(arrays[a]));
    }
    assert_true(waits(&scene, 0) && waits(&scene, -1) && !waits(&scene, 1e9));
    standin_hold("cuMemHostRegister", 0);
    for (int tries = 0; tries < JOBS_MOST && waits(&scene, 0); tries++)
        usleep(1000);
    assert_true(!waits(&scene, 0) && !waits(&scene, -1));
    arrays_close(&scene);
    scene_close(&scene);
}

/* Rows wait once for memory whose pinning does not pay, and move without pins. Memory of yoke_alloc
 * would be pinned in any case. */
static void rows_move_where_pins_do_not_pay(void **state)
{
    static float from[SHORT], to[SHORT];
    const double pin_ns = yk_pin_terms.pin_ns;
    struct scene scene = { .from = from, .to = to, .rows = SHORT };
    int jobs;
    (void)state;
    OK(yoke_open(&(yoke_config){ .devices = "cpu:1,cuda:0", .knowledge = "off" }, &scene.runtime));
    yk_pin_terms.pin_ns = 1e15;
    memset(from, 0, sizeof from);
    memset(to, 0, sizeof to);
    arrays_open(&scene);
    for (jobs = 0; jobs < JOBS_MOST && stay(&scene) < 0.9; jobs++)
        usleep(1000);
    yk_pin_terms.pin_ns = pin_ns;
    assert_true(jobs < JOBS_MOST);
    arrays_close(&scene);
    OK(yoke_close(scene.runtime));
}

/* The question about all of an array's memory. */
static struct yk_pages_question question_of(const struct scene *scene, yoke_array *wrapped)
{
    yoke_array *array = scene->runtime->arrays;
    while ((char *)array->host != (char *)(wrapped ? scene->from : scene->to))
        array = array->next;
    return yk_copy_question(scene->runtime->devices[1].place, array, yk_array_rows(array),
                            YK_COPY_TO_DEVICE);
}

/* Who orders that memory be pinned waits for no driver call, not even for the first look at the
 * memory. An order that has not begun is cancelled when its array closes. */
static void orders_make_no_driver_calls(void **state)
{
    struct yk_pages_question asked;
    struct scene scene;
    (void)state;
    open_unpinned(&scene);
    standin_hold("cuPointerGetAttribute", 1);
    asked = question_of(&scene, scene.from_array);
    yk_pages_expect_all(&asked);
    assert_true(yk_pages_pending(&asked) && yk_pages_wait_ns(&asked) > 0);
    while (standin_held_calls() == 0)
        usleep(1000);
    asked = question_of(&scene, NULL);
    yk_pages_expect_all(&asked);
    assert_true(yk_pages_pending(&asked));
    OK(yoke_array_close(scene.to_array));
    standin_hold("cuPointerGetAttribute", 0);
    standin_hold("cuMemHostRegister", 0);
    asked = question_of(&scene, scene.from_array);
    for (int tries = 0; tries < JOBS_MOST && !yk_pages_known(&asked); tries++)
        usleep(1000);
    assert_true(yk_pages_known(&asked));
    OK(yoke_array_close(scene.from_array));
    scene_close(&scene);
}

/* A new plan may cost more than its part of the time if jobs differ from what the present one
 * promised: if they take longer, and if they take less time. */
static void a_wrong_plan_is_made_anew(void **state)
{
    struct yk_decomposition decomposition = { .jobs = 20,
                                              .division = { .stand = 1 },
                                              .planning = { .at = 10, .spent_ns = 1e5 },
                                              .explorer = { .all_ns = 1e6 } };
    static const double unexplained_ns[] = { 2e5, -2e5 };
    (void)state;
    assert_int_equal(yk_decomposition_is_due(&decomposition), 0);
    for (int i = 0; i < 2; i++) {
        decomposition.planning.unexplained_ns = unexplained_ns[i];
        assert_int_equal(yk_decomposition_is_due(&decomposition), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_go_on_while_memory_is_pinned),
        cmocka_unit_test(closing_in_between),
        cmocka_unit_test(without_memory),
        cmocka_unit_test_teardown(linear_does_not_wait_for_pins, let_pins_go),
        cmocka_unit_test(where_pins_are_not_worth_it),
        cmocka_unit_test(where_pins_are_not_to_be_had),
        cmocka_unit_test_teardown(rows_move_when_memory_is_pinned, let_pins_go),
        cmocka_unit_test(rows_move_where_pins_do_not_pay),
        cmocka_unit_test_teardown(orders_make_no_driver_calls, let_pins_go),
        cmocka_unit_test(a_wrong_plan_is_made_anew),
        cmocka_unit_test_teardown(rows_wait_for_nothing_else, let_pins_go),
    };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
