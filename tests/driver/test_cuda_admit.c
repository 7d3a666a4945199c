/* test_cuda_admit.c - GPUs whose drivers are loaded while a job runs take part in the rest of it.
 *
 * On a core an item of that job takes long until a GPU has done one. So the job ends in time only
 * if a GPU takes part, or if the test opens the gate itself.
 */
#include <stdatomic.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "late_load.h"
#include "runtime/loading.h"
#include "scenes.h"
#include "standin.h"

extern const yoke_kernel k_long, k_long_again, k_long_add, k_long_sum;

enum { ITEMS = 400000, DEVICES = 3 };

static int32_t y[ITEMS];
static volatile int gate;

/* What a kernel does with y, and what must be there afterwards. */
static const struct form {
    const yoke_kernel *kernel, *alternative;
    int rows;
} forms[] = { { &k_long, NULL, ITEMS },
              { &k_long, &k_long_again, ITEMS },
              { &k_long_add, NULL, 2 },
              { &k_long_sum, NULL, 1 } };
enum { FORMS = sizeof forms / sizeof *forms };

struct task {
    yoke_runtime *runtime;
    yoke_array *array;
    yoke_ticket *ticket;
    const struct form *form;
    int64_t items;
};

static void begin(struct task *task, const struct form *form, int64_t items)
{
    yoke_job job = { .kernel = form->kernel,
                     .alternative = form->alternative,
                     .range = { 0, items },
                     .args = { yoke_value((int64_t){ (intptr_t)&gate }) } };
    task->form = form;
    task->items = items;
    gate = 0;
    memset(y, 0, sizeof y);
    must(yoke_array_wrap(task->runtime, y, form->rows, sizeof *y, &task->array) == YOKE_OK);
    if (form->kernel == &k_long_add)
        job.args[1] = (yoke_arg)yoke_add_to(task->array);
    else if (form->kernel == &k_long_sum)
        job.args[1] = (yoke_arg)yoke_reduce_to_array(task->array);
    else
        job.args[1] = (yoke_arg)yoke_inout(task->array);
    must(yoke_submit(task->runtime, &job, &task->ticket) == YOKE_OK);
}

static void must_be_right(const struct task *task)
{
    for (int i = 0, rows = task->form->rows; i < rows; i++)
        must(y[i] == (task->items + rows - 1 - i) / rows);
}

/* Returns the number of devices that came while the job ran. */
static int end(struct task *task)
{
    yoke_result *result;
    int64_t items = 0;
    int late = 0;
    must(yoke_wait(task->ticket, &result) == YOKE_OK);
    for (int d = 0; d < result->device_count; d++) {
        items += result->devices[d].items;
        late += strstr(result->devices[d].reason, "when its driver was loaded") != NULL;
    }
    must(items == task->items && late < DEVICES);
    yoke_result_close(result);
    must(yoke_array_close(task->array) == YOKE_OK);
    must_be_right(task);
    return late;
}

static void wait_for_all_devices(yoke_runtime *runtime)
{
    while (atomic_load(&runtime->awaits_ns) > 0)
        yk_clock_sleep_ns(ms / 10);
}

/* --- scenes, each in a process of its own --- */

/* The load begins by the clock, while the program's first job runs. */
static void gpus_take_part(void)
{
    yk_loading_price_ns = ms;
    for (int f = 0; f < FORMS; f++) {
        struct task task = { .runtime = open_default() };
        begin(&task, &forms[f], ITEMS);
        must(end(&task) > 0 && gate);
        wait_for_all_devices(task.runtime);
        must(atomic_load(&task.runtime->device_count) == DEVICES);
        close_and_wait(task.runtime);
    }
    must(standin_outstanding() == 0 && standin_swept() == 0);
}

/* Its first items show that the job will take longer than a load, so the load begins before its
 * time. Two cores need 40 s for the job. */
static void the_start_foretells_the_end(void)
{
    char text[YK_LOADING_TEXT];
    must(setenv("HWLOC_SYNTHETIC", "pack:1 core:2 pu:1", 1) == 0);
    yk_loading_price_ns = 4000 * ms;
    struct task task = { .runtime = open_default() };
    begin(&task, &forms[0], ITEMS);
    must(end(&task) > 0 && gate);
    yk_loading_explain(task.runtime, text);
    must(strstr(text, "for a job of about") != NULL);
    close_and_wait(task.runtime);
}

/* While drivers are loaded, one of eight cores has nothing to do, for the thread that loads them.
 */
static void a_core_is_lent(void)
{
    enum { LANES = 8 };
    const struct standin_failure no_driver = { 1, 999, STANDIN_ONCE, "cuInit" };
    must(setenv("HWLOC_SYNTHETIC", "pack:1 core:8 pu:1", 1) == 0);
    yk_loading_price_ns = ms;
    standin_hold("cuInit", 1);
    standin_fail(&no_driver);
    struct task task = { .runtime = open_default() };
    const struct yk_runtime_device *cores = &task.runtime->devices[0];
    begin(&task, &forms[0], ITEMS);
    while (standin_held_calls() == 0)
        yk_clock_sleep_ns(ms / 10);
    if (cores->worker_count == LANES) { /* without hwloc there are as many as the machine has */
        while (!atomic_load(&cores->workers[LANES - 1].asleep))
            yk_clock_sleep_ns(ms / 10);
        yk_clock_sleep_ns(20 * ms);
        must(atomic_load(&cores->workers[LANES - 1].asleep));
        must(!atomic_load(&cores->workers[LANES - 2].asleep));
    }
    standin_hold("cuInit", 0);
    wait_for_all_devices(task.runtime);
    while (atomic_load(&cores->workers[cores->worker_count - 1].asleep))
        yk_clock_sleep_ns(ms / 10);
    gate = 1;
    must(end(&task) == 0);
    close_and_wait(task.runtime);
}

/* A job that is cancelled does not wait for devices. */
static void a_cancelled_job(void)
{
    yk_loading_price_ns = ms;
    standin_hold("cuInit", 1);
    struct task task = { .runtime = open_default() };
    begin(&task, &forms[0], ITEMS);
    while (standin_held_calls() == 0)
        yk_clock_sleep_ns(ms / 10);
    must(yoke_cancel(task.ticket) == YOKE_OK);
    must(yoke_wait(task.ticket, NULL) == YOKE_ECANCELED);
    const yoke_status closed = yoke_array_close(task.array);
    must(closed == YOKE_ELOST || closed == YOKE_OK); /* OK: no item had begun */
    standin_hold("cuInit", 0);
    close_and_wait(task.runtime);
}

/* An allocation fails while devices are added. The job goes on without a device, and ends when the
 * gate is open, or it says that its own memory is missing. */
static void without_memory(void)
{
    enum { MOST = 80 };
    int failed = 0, done = 0, nth;
    for (nth = 1; nth <= MOST; nth++) {
        yk_loading_price_ns = ms;
        standin_hold("cuCtxCreate", 1);
        struct task task = { .runtime = open_default() };
        begin(&task, &forms[nth % FORMS], ITEMS);
        while (standin_held_calls() == 0)
            yk_clock_sleep_ns(ms / 10);
        yk_alloc_fail_at(nth);
        standin_hold("cuCtxCreate", 0);
        wait_for_all_devices(task.runtime);
        gate = 1;
        const yoke_status status = yoke_wait(task.ticket, NULL);
        failed += yk_alloc_failed();
        yk_alloc_fail_at(0);
        yoke_array_close(task.array);
        must(status == YOKE_OK || status == YOKE_ENOMEM);
        if (status == YOKE_OK)
            must_be_right(&task);
        done += status == YOKE_OK;
        close_and_wait(task.runtime);
    }
    must(failed > MOST / 4 && done > MOST / 2);
    must(standin_outstanding() == 0);
}

/* A GPU that was added fails at its first kernel, which ends well or not; others do its part. */
static void a_gpu_fails(void)
{
    static const enum standin_kind kinds[] = { STANDIN_ONCE, STANDIN_FOR_GOOD, STANDIN_LATER };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    yk_loading_price_ns = ms;
    for (int i = 0; i < KINDS * FORMS; i++) {
        const struct standin_failure failure = { 1, 719, kinds[i / FORMS], "cuLaunchKernel" };
        standin_fail(&failure);
        struct task task = { .runtime = open_default() };
        begin(&task, &forms[i % FORMS], ITEMS);
        while (!standin_failed())
            yk_clock_sleep_ns(ms / 10);
        gate = 1;
        end(&task);
        standin_fail(NULL);
        close_and_wait(task.runtime);
    }
    must(standin_outstanding() == 0);
}

/* Jobs begin and end while devices are added. */
static void races(void)
{
    uint32_t random = 1;
    for (int round = 0; round < 60; round++) {
        yk_loading_price_ns = round % 8 * ms / 4;
        struct task task = { .runtime = open_default() };
        for (int jobs = 0; jobs < 4; jobs++) {
            random = random * 1664525u + 1013904223u;
            begin(&task, &forms[random >> 30], 1 + (random >> 8) % 200);
            gate = (random >> 6) % 2;
            end(&task);
        }
        close_and_wait(task.runtime);
    }
    must(standin_outstanding() == 0);
}

static const struct scene scenes[] = {
    { "gpus_take_part", gpus_take_part },
    { "the_start_foretells_the_end", the_start_foretells_the_end },
    { "a_core_is_lent", a_core_is_lent },
    { "a_cancelled_job", a_cancelled_job },
    { "without_memory", without_memory },
    { "a_gpu_fails", a_gpu_fails },
    { "races", races },
    { NULL, NULL },
};

int main(int argc, char **argv)
{
    return play_all(argc, argv, scenes);
}
