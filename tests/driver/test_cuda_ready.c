/* test_cuda_ready.c - rows that stay on devices move when their memory is pinned and kernels are
 * built, and wait for nothing else (life/decomposition_ready.h). Memory is pinned before that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "ahead_scene.h"
#include "array/array.h"
#include "array/copy.h"
#include "job/kernel.h"
#include "job/runtime.h"
#include "job_kernels.h"
#include "life/decomposition.h"
#include "life/decomposition_ready.h"

enum { SHORT = 1 << 20, HELD_JOBS = 20 };
static const char building[] = "cuModuleLoadData";

/* What is known of the devices from now on. */
static void know(const yoke_runtime *runtime, const struct yk_kept_cost costs[2])
{
    for (struct yk_kernel *kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        for (int m = 0; m < YK_MEMORIES && kernel->memories[m]; m++)
            for (int d = 0; d < 2; d++)
                yk_cost_recall(&kernel->memories[m]->cost[d], &costs[d]);
}

/* By what is known the GPU is a thousand times as fast, and each job gains less than pinning takes.
 */
static void favour_gpu(const yoke_runtime *runtime)
{
    static const struct yk_kept_cost costs[] = { { 0.05, 10, 0.001, 0.01 },
                                                 { 0.00005, 10, 0.001, 0.01 } };
    know(runtime, costs);
}

/* A job on the arrays that jobs have used. */
static struct yk_job job_of(const struct scene *scene)
{
    struct yk_job job = { .runtime = scene->runtime, .device_count = 2 };
    const yoke_array *array = scene->runtime->arrays;
    while (!array->decomposition)
        array = array->next;
    job.split.decomposition = array->decomposition;
    return job;
}

/* Forgets which trials were lost: on a busy machine the GPU is slow, and may be tried again. */
static void forget_trials(const struct scene *scene)
{
    const struct yk_job job = job_of(scene);
    struct yk_explorer *explorer = &job.split.decomposition->explorer;
    if (!explorer->trying)
        *explorer = (struct yk_explorer){ .best = explorer->best, .all_ns = explorer->all_ns };
}

/* `to` += `from`. */
static yoke_job addition(const struct scene *scene)
{
    return (yoke_job){ .kernel = &k_saxpy,
                       .range = { 0, scene->rows },
                       .args = { yoke_value(1.0f), yoke_in(scene->from_array),
                                 yoke_inout(scene->to_array) } };
}

/* Adds, and the rows stay where they are. Returns the GPU's part. */
static double stay(struct scene *scene)
{
    yoke_result *result;
    double share;
    const yoke_job job = addition(scene);
    OK(yoke_run(scene->runtime, &job, &result));
    favour_gpu(scene->runtime);
    forget_trials(scene);
    scene->times++;
    share = result->devices[1].share;
    yoke_result_close(result);
    return share;
}

/* Runs jobs until the kernel is built for the GPU, beside them. Returns the GPU's part of the last
 * one, in which it may have taken part. */
static double stay_until_built(struct scene *scene)
{
    double share;
    do
        share = stay(scene);
    while (!yk_kernel_is_ready(scene->runtime->kernels.first, 1));
    return share;
}

/* The driver holds pins from now on. They count as fast ones: copies would not wait for slow ones,
 * such as those that it held before or made on a busy machine. */
static void hold_fast_pins(void)
{
    yk_pin_terms.pin_mib_ns = 1;
    standin_hold("cuMemHostRegister", 1);
}

/* Opens a scene of SHORT rows in which no memory is pinned yet. Nothing is known from an earlier
 * process, for example what favour_gpu has said there. threads: lanes of the core; 0: one. */
static void open_unpinned_with(struct scene *scene, int threads)
{
    hold_fast_pins();
    scene_open_with(
        scene, &(yoke_config){ .devices = "cpu:1,cuda:0", .threads = threads, .knowledge = "off" });
    scene->rows = SHORT;
    arrays_open(scene);
}

static void open_unpinned(struct scene *scene)
{
    open_unpinned_with(scene, 0);
}

/* Rows move to the GPU when their memory is pinned, and none before. (On a busy machine the GPU may
 * seem slow, and the rows that it has go home.) */
static void rows_move_when_memory_is_pinned(void **state)
{
    struct scene scene;
    double share;
    int jobs;
    (void)state;
    open_unpinned(&scene);
    share = stay_until_built(&scene);
    for (jobs = 0; jobs < HELD_JOBS; jobs++)
        assert_true(stay(&scene) <= share);
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

/* The question about all of the memory of `from` or, if not from, of `to`. */
static struct yk_pages_question question_of(const struct scene *scene, int from)
{
    yoke_array *array = scene->runtime->arrays;
    while ((char *)array->host != (char *)(from ? scene->from : scene->to))
        array = array->next;
    return yk_copy_question(scene->runtime->devices[scene->runtime->device_count - 1].place, array,
                            yk_array_rows(array), YK_COPY_TO_DEVICE);
}

/* Whether all memory of the two arrays is pinned. */
static int is_pinned(const struct scene *scene)
{
    int pinned = 1;
    for (int from = 0; from < 2; from++) {
        const struct yk_pages_question asked = question_of(scene, from);
        pinned &= yk_pages_known(&asked) && !yk_pages_pending(&asked);
    }
    return pinned;
}

/* Whether rows that would all go to the GPU wait if each job gains that much. */
static int waits(const struct scene *scene, double gain_ns)
{
    const struct yk_job job = job_of(scene);
    struct yk_cuts cuts = { .tied = 1 };
    for (int k = 0; k < YK_PLAN_KERNELS; k++)
        cuts.share[k][1] = 1;
    return yk_decomposition_awaits(&job, &cuts, gain_ns);
}

/* Orders pins of another array, which the driver holds: the plan does not wait for these. */
static void order_for_others(const struct scene *scene)
{
    const struct yk_job job = job_of(scene);
    struct yk_pages_question asked;
    yoke_array *array;
    float *memory;
    memory = yoke_alloc(scene->runtime, ROWS * sizeof *memory);
    assert_non_null(memory);
    memset(memory, 0, ROWS * sizeof *memory);
    OK(yoke_array_wrap(scene->runtime, memory, ROWS, sizeof *memory, &array));
    asked = yk_copy_question(scene->runtime->devices[1].place, scene->runtime->arrays,
                             yk_array_rows(scene->runtime->arrays), YK_COPY_TO_DEVICE);
    assert_ptr_equal(asked.host, memory);
    scene->runtime->arrays->carried = 1; /* as if jobs without the scene's arrays read it */
    yk_pages_expect_all(&asked);
    assert_true(yk_pages_pending(&asked));
    assert_true(!waits(scene, 0) && !yk_decomposition_is_unready(&job));
    standin_hold("cuMemHostRegister", 0);
    OK(yoke_array_close(array));
    yoke_free(scene->runtime, memory);
}

/* Rows wait only while memory is being pinned, and only if they gain less. A trial that will
 * probably lose does not wait for nothing. */
static void rows_wait_for_nothing_else(void **state)
{
    struct scene scene;
    (void)state;
    open_unpinned(&scene);
    stay_until_built(&scene);
    yoke_array *const arrays[] = { scene.from_array, scene.to_array };
    for (int a = 0; a < 2; a++) { /* now only the host has the rows */
        OK(yoke_array_acquire(arrays[a], YOKE_READ_WRITE));
        OK(yoke_array_release(arrays[a]));
    }
    assert_true(waits(&scene, 0) && waits(&scene, -1) && !waits(&scene, 1e9));
    standin_hold("cuMemHostRegister", 0);
    for (int tries = 0; tries < JOBS_MOST && !is_pinned(&scene); tries++)
        usleep(1000);
    hold_fast_pins();
    assert_true(is_pinned(&scene) && !waits(&scene, 0) && !waits(&scene, -1));
    order_for_others(&scene);
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

/* When the memory for which rows wait is pinned, jobs begin to read one more array: rows wait for
 * its memory, too. */
static void rows_wait_for_more_arrays(void **state)
{
    struct scene scene, other;
    double share;
    (void)state;
    open_unpinned(&scene);
    share = stay_until_built(&scene);
    for (int jobs = 0; jobs < HELD_JOBS; jobs++)
        assert_true(stay(&scene) <= share);
    standin_hold("cuMemHostRegister", 0);
    for (int tries = 0; tries < 20 * JOBS_MOST && !is_pinned(&scene); tries++)
        usleep(1000);
    assert_true(is_pinned(&scene));
    hold_fast_pins();
    other = scene;
    other.from = yoke_alloc(scene.runtime, SHORT * sizeof(float));
    assert_non_null(other.from);
    memset(other.from, 0, SHORT * sizeof(float));
    OK(yoke_array_wrap(scene.runtime, other.from, SHORT, sizeof(float), &other.from_array));
    for (int jobs = 0; jobs < HELD_JOBS; jobs++)
        assert_true(stay(&other) <= share);
    standin_hold("cuMemHostRegister", 0);
    for (int jobs = 0; stay(&other) < 0.9; jobs++) {
        assert_true(jobs < 20 * JOBS_MOST);
        usleep(1000);
    }
    OK(yoke_array_close(other.from_array));
    yoke_free(scene.runtime, other.from);
    arrays_close(&scene);
    scene_close(&scene);
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
    asked = question_of(&scene, 1);
    yk_pages_expect_all(&asked);
    assert_true(yk_pages_pending(&asked) && yk_pages_wait_ns(&asked) > 0);
    while (standin_held_calls() == 0)
        usleep(1000);
    asked = question_of(&scene, 0);
    yk_pages_expect_all(&asked);
    assert_true(yk_pages_pending(&asked));
    OK(yoke_array_close(scene.to_array));
    standin_hold("cuPointerGetAttribute", 0);
    standin_hold("cuMemHostRegister", 0);
    asked = question_of(&scene, 1);
    for (int tries = 0; tries < JOBS_MOST && !yk_pages_known(&asked); tries++)
        usleep(1000);
    assert_true(yk_pages_known(&asked));
    OK(yoke_array_close(scene.from_array));
    scene_close(&scene);
}

/* `to` becomes `from`, by another kernel. Returns the GPU's part. */
static double copy(struct scene *scene)
{
    const bounds_t alone = { .last = scene->rows };
    yoke_result *result;
    double share;
    const yoke_job job = { .kernel = &k_blur,
                           .range = { 0, scene->rows },
                           .args = { yoke_value(alone), yoke_in(scene->from_array),
                                     yoke_out(scene->to_array) } };
    OK(yoke_run(scene->runtime, &job, &result));
    share = result->devices[1].share;
    yoke_result_close(result);
    return share;
}

/* By what is known the core is a thousand times as fast. */
static void favour_core(const yoke_runtime *runtime)
{
    static const struct yk_kept_cost costs[] = { { 0.00005, 10, 0.001, 0.01 },
                                                 { 0.05, 10, 0.001, 0.01 } };
    know(runtime, costs);
}

/* Runs jobs until the plan gives all rows to the core. */
static void stay_on_core(struct scene *scene)
{
    const struct yk_decomposition *decomposition;
    int jobs = 0;
    do {
        stay(scene);
        favour_core(scene->runtime);
        decomposition = job_of(scene).split.decomposition;
    } while (++jobs < 20 * JOBS_MOST &&
             !(decomposition->division.stand && !decomposition->division.guessed &&
               decomposition->division.team == 1 &&
               yk_kernel_is_ready(scene->runtime->kernels.first, 1)));
    assert_true(jobs < 20 * JOBS_MOST);
}

/* A kernel is built for a GPU that has no rows, beside the jobs, and rows that would go there wait
 * for it, whatever they would gain. Otherwise they would have to come back for this kernel. */
static void kernels_are_built_ahead(void **state)
{
    struct scene scene;
    struct yk_job job;
    (void)state;
    scene_open_with(&scene, &(yoke_config){ .devices = "cpu:1,cuda:0", .knowledge = "off" });
    scene.rows = SHORT;
    arrays_open(&scene);
    stay_on_core(&scene);
    standin_hold(building, 1);
    for (int jobs = 0; jobs < 20 * JOBS_MOST && !standin_held_calls(); jobs++) {
        assert_true(copy(&scene) == 0);
        usleep(1000);
    }
    assert_int_equal(standin_held_calls(), 1);
    job = job_of(&scene);
    assert_true(waits(&scene, 1e9) && yk_decomposition_is_unready(&job));
    standin_hold(building, 0);
    for (int tries = 0; tries < 20 * JOBS_MOST && yk_decomposition_is_unready(&job); tries++)
        usleep(1000);
    assert_true(!waits(&scene, 1e9) && !yk_decomposition_is_unready(&job));
    arrays_close(&scene);
    scene_close(&scene);
}

static yoke_ticket *submit_addition(const struct scene *scene)
{
    const yoke_job job = addition(scene);
    yoke_ticket *ticket;
    OK(yoke_submit(scene->runtime, &job, &ticket));
    return ticket;
}

/* All that a GPU alone reads is pinned while its kernel is built, before any of it is copied. */
static void a_gpu_alone_has_pins_before_its_kernel(void **state)
{
    static float from[SHORT], to[SHORT];
    struct scene scene = { .from = from, .to = to, .rows = SHORT };
    yoke_ticket *ticket;
    (void)state;
    OK(yoke_open(&(yoke_config){ .devices = "cuda:0", .knowledge = "off" }, &scene.runtime));
    yk_pin_terms.pin_mib_ns = 1;
    for (int i = 0; i < SHORT; i++)
        from[i] = (float)i, to[i] = 1;
    arrays_open(&scene);
    standin_hold(building, 1);
    ticket = submit_addition(&scene);
    for (int tries = 0; tries < 20 * JOBS_MOST; tries++) {
        if (standin_held_calls() == 1 && is_pinned(&scene))
            break;
        usleep(1000);
    }
    assert_int_equal(standin_held_calls(), 1);
    assert_true(is_pinned(&scene));
    standin_hold(building, 0);
    OK(yoke_wait(ticket, NULL));
    OK(yoke_array_acquire(scene.to_array, YOKE_READ));
    for (int i = 0; i < SHORT; i += 97)
        assert_true(to[i] == from[i] + 1);
    OK(yoke_array_release(scene.to_array));
    arrays_close(&scene);
    OK(yoke_close(scene.runtime));
}

/* Returns the number of cores that a job keeps free; -1: it was not seen while it ran. */
static int kept_by_a_job(struct scene *scene)
{
    yoke_ticket *const ticket = submit_addition(scene);
    int kept = -1;
    yk_lock(&scene->runtime->lock);
    if (scene->runtime->running)
        kept = scene->runtime->running->devices[0].kept;
    yk_unlock(&scene->runtime->lock);
    OK(yoke_wait(ticket, NULL));
    return kept;
}

/* While rows wait for pins, the cores leave one core to the thread that pins. */
static void a_core_is_free_while_rows_wait(void **state)
{
    struct scene scene;
    int jobs, kept = -1;
    (void)state;
    open_unpinned_with(&scene, 4);
    stay_until_built(&scene);
    for (jobs = 0; jobs < JOBS_MOST && kept != 1; jobs++) {
        stay(&scene);
        kept = kept_by_a_job(&scene);
    }
    assert_true(jobs < JOBS_MOST);
    standin_hold("cuMemHostRegister", 0);
    arrays_close(&scene);
    scene_close(&scene);
}

/* The same of the first job that is seen. No plan waits: all rows are to stay on the core. */
static int kept_by_jobs(struct scene *scene)
{
    int jobs, kept = -1;
    for (jobs = 0; jobs < 20 * JOBS_MOST && kept < 0; jobs++) {
        kept = kept_by_a_job(scene);
        favour_core(scene->runtime);
    }
    return kept;
}

/* So they do while a kernel is built beside their jobs. */
static void a_core_is_free_while_kernels_are_built(void **state)
{
    struct scene scene;
    (void)state;
    scene_open_with(&scene,
                    &(yoke_config){ .devices = "cpu:1,cuda:0", .threads = 4, .knowledge = "off" });
    scene.rows = SHORT;
    arrays_open(&scene);
    stay_on_core(&scene);
    standin_hold(building, 1);
    for (int jobs = 0; jobs < 20 * JOBS_MOST && !standin_held_calls(); jobs++)
        copy(&scene);
    assert_int_equal(standin_held_calls(), 1);
    assert_int_equal(kept_by_jobs(&scene), 1);
    standin_hold(building, 0);
    arrays_close(&scene);
    scene_close(&scene);
}

static int let_builds_go(void **state)
{
    (void)state;
    standin_hold(building, 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rows_move_when_memory_is_pinned, let_pins_go),
        cmocka_unit_test_teardown(rows_wait_for_nothing_else, let_pins_go),
        cmocka_unit_test(rows_move_where_pins_do_not_pay),
        cmocka_unit_test_teardown(rows_wait_for_more_arrays, let_pins_go),
        cmocka_unit_test_teardown(orders_make_no_driver_calls, let_pins_go),
        cmocka_unit_test_teardown(kernels_are_built_ahead, let_builds_go),
        cmocka_unit_test_teardown(a_gpu_alone_has_pins_before_its_kernel, let_builds_go),
        cmocka_unit_test_teardown(a_core_is_free_while_rows_wait, let_pins_go),
        cmocka_unit_test_teardown(a_core_is_free_while_kernels_are_built, let_builds_go),
    };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
