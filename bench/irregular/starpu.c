/* starpu.c - an application's jobs by StarPU instead of yoke, and by yoke, in turns, on the cores
 * of this machine; with the same CPU function of the same kernel.
 *
 *     yoke-bench-irregular-starpu APP SIZE ROUNDS [OPTION=VALUE ...]
 *
 * The linker sends the application's calls of app_run_job and yoke_array_open here (--wrap). A job
 * is cut into blocks of so many indexes, a task each; tasks have no data handles, so StarPU has
 * nothing to keep coherent; of an array that is added to each worker has a copy, cleared when it
 * first needs it and added up at the end, as yoke has. Each of StarPU's schedulers tries a range of
 * block sizes. StarPU is paused while yoke works, for its idle workers poll; yoke's sleep. One more
 * run of each is verified, once for all that wrote the same bits, as a digest tells.
 * Written: one JSON object with all seconds, and the scheduler that StarPU has where none is named.
 *
 * Options are as contest.h has them.
 */
#include <inttypes.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../contest.h"
#include "backend/cpu/variant.h"

enum { WORKERS_MAX = 1024, SIZES_MAX = 7, BLOCK_LEAST = 64, ARRAYS_MAX = 64 };

static const char *const schedulers[] = { "eager", "lws", "dmda" };

/* --- how long the application's arrays are --- */

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

struct copies { /* of an array that is added to */
    int64_t *of[WORKERS_MAX];
    int used[WORKERS_MAX]; /* in this run; a worker writes its own only */
    int64_t count;
};

static struct {
    int wanted; /* 1: jobs go to StarPU */
    int unit;   /* of the latest job: indexes that its CPU function does at once */
    yoke_array *written[YOKE_ARGS_MAX + 1]; /* by the latest job; NULL ends them */
    int64_t block;
    const yoke_job *job;
    yoke_cpu_fn *run;
    void *args[YOKE_ARGS_MAX];
    struct copies *copies[YOKE_ARGS_MAX];
} now; /* written while there is no task */

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
    yoke_chunk chunk = { .first = now.job->range.first + (int64_t)(intptr_t)argument * now.block,
                         .extent = { 1, 1 },
                         .lane = worker };
    void *args[YOKE_ARGS_MAX];
    (void)buffers;
    chunk.last = chunk.first + now.block < last ? chunk.first + now.block : last;
    memcpy(args, now.args, sizeof args);
    for (int p = 0; p < now.job->kernel->param_count; p++)
        if (now.copies[p])
            args[p] = copy_of(now.copies[p], worker);
    now.run(args, &chunk);
}

/* Blocks of different sizes take different times: what dmda has learned of one is not asked of
 * another. */
static uint32_t size_of_task(struct starpu_task *task)
{
    (void)task;
    return (uint32_t)now.block;
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

/* Where the job's arguments lie; the host holds its arrays meanwhile. */
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
    submit_all((job->range.last - job->range.first + now.block - 1) / now.block);
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
    now.unit = job->kernel->cpu.unit ? job->kernel->cpu.unit : job->kernel->unit;
    note_written(job);
    if (!now.wanted)
        return __real_app_run_job(run, job);
    run_by_starpu(job);
    seconds = app_wall_seconds() - start;
    run->job_seconds += seconds;
    run->job_wall_seconds += seconds;
    return YOKE_OK;
}

/* --- the contest --- */

struct contestant { /* yoke: block 0 */
    int64_t block;
    uint64_t bits; /* a digest of what its latest job wrote */
    double seconds[CONTEST_ROUNDS_MAX];
    int rounds, verified;
};

static void time_one(struct app_session *session, struct contestant *one, int counts)
{
    double seconds;
    now.wanted = one->block != 0;
    now.block = one->block;
    contest_well(app_session_time(session, "run", &seconds));
    if (counts)
        one->seconds[one->rounds++] = seconds;
}

/* FNV-1a, eight bytes at a time. */
static uint64_t digest(void)
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

/* What has the bits of one that is right is right. Looked at while StarPU, which polls, is paused.
 */
static void verify_one(struct app_session *session, struct contestant *one)
{
    static uint64_t right;
    static int is_known;
    char note[APP_NOTE_MAX];
    time_one(session, one, 0);
    now.wanted = 0;
    one->bits = digest();
    one->verified = is_known && one->bits == right;
    if (one->verified)
        return;
    starpu_pause();
    one->verified = session->spec->app->verify(session->state, note) == YOKE_OK;
    starpu_resume();
    if (!one->verified)
        fprintf(stderr, "%s\n", app_error_text());
    else if (!is_known)
        right = one->bits;
    is_known |= one->verified;
}

/* From one block a core to ever smaller ones, all of whole units. */
static int block_sizes(int64_t items, struct contestant *out)
{
    const int64_t cores = starpu_cpu_worker_get_count(), unit = now.unit > 1 ? now.unit : 1;
    const int64_t least = unit > BLOCK_LEAST ? unit : BLOCK_LEAST;
    int64_t block = (items + cores - 1) / cores;
    int count = 0;
    for (; count < SIZES_MAX && (block >= least || !count); block /= 4) {
        out[count++] = (struct contestant){ .block = (block + unit - 1) / unit * unit };
    }
    return count;
}

static void print(const char *name, const struct contestant *one)
{
    printf("{\"name\":\"%s\",\"block\":%" PRId64 ",\"verified\":%s,\"bits\":\"%016" PRIx64
           "\",\"seconds\":[",
           name, one->block, one->verified ? "true" : "false", one->bits);
    for (int r = 0; r < one->rounds; r++)
        printf("%s%.9g", r ? "," : "", one->seconds[r]);
    printf("]}");
}

/* 0: StarPU does not start. NULL: the scheduler that it has where nobody names one. */
static int begin(const char *scheduler)
{
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncuda = conf.nopencl = 0;
    conf.sched_policy_name = scheduler;
    return starpu_init(&conf) == 0;
}

static void meet(struct contest *contest, const char *scheduler)
{
    static struct contestant all[1 + SIZES_MAX];
    struct app_session *session = &contest->session;
    int count, k, r;
    if (!begin(scheduler))
        contest_well(
            app_fail(YOKE_EDEVICE, "StarPU does not start with the scheduler %s", scheduler));
    starpu_pause();
    all[0] = (struct contestant){ .block = 0 };
    time_one(session, &all[0], 0); /* tells what its unit is */
    starpu_resume();
    count = 1 + block_sizes(contest->spec.app->items(contest->state), &all[1]);
    for (r = -1; r < contest->rounds; r++) /* the first warms up */
        for (k = 0; k < count; k++) {
            if (k == 0)
                starpu_pause();
            time_one(session, &all[k], r >= 0);
            if (k == 0)
                starpu_resume();
        }
    for (k = 0; k < count; k++) {
        verify_one(session, &all[k]);
        printf("%s", strcmp(scheduler, schedulers[0]) || k ? "," : "");
        print(k ? scheduler : "yoke", &all[k]);
    }
    starpu_shutdown();
}

/* Also what StarPU does by itself. */
static void print_head(const struct contest *contest)
{
    if (!begin(NULL))
        contest_well(app_fail(YOKE_EDEVICE, "StarPU does not start"));
    printf("{\"app\":\"%s\",\"size\":%" PRId64 ",\"starpu\":\"%d.%d\",\"workers\":%u,"
           "\"initial_scheduler\":\"%s\",",
           contest->spec.app->name, contest->spec.input.size[0], STARPU_MAJOR_VERSION,
           STARPU_MINOR_VERSION, starpu_cpu_worker_get_count(),
           starpu_sched_ctx_get_sched_policy(0)->policy_name);
    starpu_shutdown();
}

int main(int argc, char **argv)
{
    struct contest contest = { .spec.config.devices = "cpu" };
    if (argc < 4 || !contest_words(app_find(argv[1]), argv + 2, &contest)) {
        fprintf(stderr, "usage: %s APP SIZE ROUNDS [OPTION=VALUE ...]\n", argv[0]);
        return 2;
    }
    contest_open(&contest);
    print_head(&contest);
    printf("\"contestants\":[");
    for (size_t s = 0; s < sizeof schedulers / sizeof *schedulers; s++)
        meet(&contest, schedulers[s]);
    printf("]");
    if (contest.spec.app->work)
        printf(",\"work\":%.17g,\"work_words\":\"%s\"", contest.spec.app->work(contest.state),
               contest.spec.app->work_words);
    printf("}\n");
    contest_close(&contest);
    return 0;
}
