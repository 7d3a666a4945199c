/* starpu_job.c - see starpu_job.h.
 *
 * The linker sends the application's calls of app_run_job and yoke_array_open here (--wrap). A job
 * is cut into blocks of indexes, one task each. Tasks have no data handles, so StarPU has nothing
 * to keep coherent. Of an array that is added to, each worker has its own copy, as in yoke: cleared
 * at its first use in a run, and added up at the end.
 */
#include "starpu_job.h"

#include <starpu.h>
#include <stdlib.h>
#include <string.h>

#include "../contest.h"
#include "backend/cpu/variant.h"

enum { WORKERS_MAX = 1024, ARRAYS_MAX = 64 };

/* --- the sizes of the application's arrays --- */

static struct extent {
    const yoke_array *array;
    int64_t elements, element_bytes;
} arrays[ARRAYS_MAX];
static int array_count;

yoke_status __real_yoke_array_open(yoke_runtime *runtime, const yoke_array_spec *spec,
                                   yoke_array **out);
yoke_status __wrap_yoke_array_open(yoke_runtime *runtime, const yoke_array_spec *spec,
                                   yoke_array **out);
yoke_status __wrap_yoke_array_open(yoke_runtime *runtime, const yoke_array_spec *spec,
                                   yoke_array **out)
{
    yoke_status status = __real_yoke_array_open(runtime, spec, out);
    if (status == YOKE_OK && array_count < ARRAYS_MAX) {
        arrays[array_count].array = *out;
        arrays[array_count].element_bytes = (int64_t)spec->element_size;
        arrays[array_count++].elements = spec->rows * (spec->row_elements ? spec->row_elements : 1);
    }
    return status;
}

static struct extent extent_of(const yoke_array *array)
{
    for (int k = array_count - 1; k >= 0; k--)
        if (arrays[k].array == array)
            return arrays[k];
    contest_well(app_fail(YOKE_EINVAL, "a job's array was not opened by yoke_array_open"));
    return arrays[0];
}

/* --- a job by StarPU --- */

struct copies { /* for an array that is added to */
    int64_t *of[WORKERS_MAX];
    int used[WORKERS_MAX]; /* in this run; a worker writes only its own element */
    int64_t count;
};

struct starpu_turn starpu_turn; /* written while there are no tasks, like the variables below */

static struct {
    yoke_array *written[YOKE_ARGS_MAX + 1]; /* by the latest job; NULL ends the list */
    const yoke_job *job;
    yoke_cpu_fn *run;
    void *args[YOKE_ARGS_MAX];
    struct copies *copies[YOKE_ARGS_MAX];
} now;

static int64_t *copy_of(struct copies *copies, int worker)
{
    const size_t bytes = (size_t)copies->count * sizeof(int64_t);
    if (!copies->of[worker])
        copies->of[worker] = malloc(bytes);
    if (!copies->of[worker])
        contest_well(app_fail(YOKE_ENOMEM, "no memory for a worker's copy"));
    if (!copies->used[worker])
        memset(copies->of[worker], 0, bytes);
    copies->used[worker] = 1;
    return copies->of[worker];
}

static void do_block(void *buffers[], void *argument)
{
    const int64_t last = now.job->range.last;
    const int worker = starpu_worker_get_id();
    yoke_chunk chunk = { .first =
                             now.job->range.first + (int64_t)(intptr_t)argument * starpu_turn.block,
                         .extent = { 1, 1 },
                         .lane = worker };
    void *args[YOKE_ARGS_MAX];
    (void)buffers;
    chunk.last = chunk.first + starpu_turn.block < last ? chunk.first + starpu_turn.block : last;
    memcpy(args, now.args, sizeof args);
    for (int p = 0; p < now.job->kernel->param_count; p++)
        if (now.copies[p])
            args[p] = copy_of(now.copies[p], worker);
    now.run(args, &chunk);
}

/* Blocks of different sizes take different times: dmda must not use what it learned about one size
 * for another. */
static uint32_t size_of_task(struct starpu_task *task)
{
    (void)task;
    return (uint32_t)starpu_turn.block;
}
static struct starpu_perfmodel model = { .type = STARPU_HISTORY_BASED,
                                         .symbol = "irregular_block",
                                         .footprint = size_of_task };
static struct starpu_codelet codelet = { .cpu_funcs = { do_block },
                                         .model = &model,
                                         .name = "block" };

static void submit_all(int64_t blocks)
{
    for (int64_t b = 0; b < blocks; b++) {
        struct starpu_task *task = starpu_task_create();
        task->cl = &codelet;
        task->cl_arg = (void *)(intptr_t)b;
        if (starpu_task_submit(task) != 0)
            contest_well(app_fail(YOKE_EDEVICE, "StarPU takes no task"));
    }
    starpu_task_wait_for_all();
}

static void add_up(struct copies *copies, int64_t *into)
{
    for (int w = 0; w < WORKERS_MAX; w++) {
        for (int64_t k = 0; copies->used[w] && k < copies->count; k++)
            into[k] += copies->of[w][k];
        copies->used[w] = 0;
    }
}

/* Finds the job's arguments in host memory. Until the job ends, the host holds its arrays. */
static void take_arguments(const yoke_job *job)
{
    static struct copies all[YOKE_ARGS_MAX];
    for (int p = 0; p < job->kernel->param_count; p++) {
        const yoke_arg *arg = &job->args[p];
        now.copies[p] = NULL;
        if (arg->mode == YOKE_PARAM_VALUE) {
            now.args[p] = (void *)(uintptr_t)arg->value;
            continue;
        }
        contest_well(yoke_array_acquire(arg->array,
                                        arg->mode == YOKE_PARAM_IN ? YOKE_READ : YOKE_READ_WRITE));
        now.args[p] = yoke_array_host(arg->array);
        if (arg->mode != YOKE_PARAM_ADD)
            continue;
        if (strcmp(job->kernel->params[p].type, "int64_t") != 0)
            contest_well(app_fail(YOKE_EINVAL, "nothing but int64_t is added to here"));
        now.copies[p] = &all[p];
        all[p].count = extent_of(arg->array).elements;
    }
}

static void run_by_starpu(const yoke_job *job)
{
    now.job = job;
    now.run = yk_cpu_variant_choose(job->kernel, yk_cpu_variant_best());
    take_arguments(job);
    submit_all((job->range.last - job->range.first + starpu_turn.block - 1) / starpu_turn.block);
    for (int p = 0; p < job->kernel->param_count; p++) {
        if (now.copies[p])
            add_up(now.copies[p], now.args[p]);
        if (job->args[p].mode != YOKE_PARAM_VALUE)
            contest_well(yoke_array_release(job->args[p].array));
    }
}

static void note_written(const yoke_job *job)
{
    int count = 0;
    for (int p = 0; p < job->kernel->param_count; p++)
        if (job->args[p].mode != YOKE_PARAM_VALUE && job->args[p].mode != YOKE_PARAM_IN)
            now.written[count++] = job->args[p].array;
    now.written[count] = NULL;
}

yoke_status __real_app_run_job(struct app_run *run, const yoke_job *job);
yoke_status __wrap_app_run_job(struct app_run *run, const yoke_job *job);
yoke_status __wrap_app_run_job(struct app_run *run, const yoke_job *job)
{
    double start = app_wall_seconds(), seconds;
    starpu_turn.unit = job->kernel->cpu.unit ? job->kernel->cpu.unit : job->kernel->unit;
    note_written(job);
    if (!starpu_turn.wanted)
        return __real_app_run_job(run, job);
    run_by_starpu(job);
    seconds = app_wall_seconds() - start;
    run->job_seconds += seconds;
    run->job_wall_seconds += seconds;
    return YOKE_OK;
}

/* FNV-1a over eight bytes at a time. */
uint64_t starpu_job_digest(void)
{
    uint64_t all = 0xcbf29ce484222325u, some;
    for (int k = 0; now.written[k]; k++) {
        const struct extent extent = extent_of(now.written[k]);
        const size_t bytes = (size_t)(extent.elements * extent.element_bytes);
        contest_well(yoke_array_acquire(now.written[k], YOKE_READ));
        const unsigned char *at = yoke_array_host(now.written[k]);
        for (size_t b = 0; b < bytes; b += sizeof some) {
            some = 0;
            memcpy(&some, at + b, bytes - b < sizeof some ? bytes - b : sizeof some);
            all = (all ^ some) * 0x100000001b3u;
        }
        contest_well(yoke_array_release(now.written[k]));
    }
    return all;
}
