/* starpu.c - the cases of resident.c by StarPU.
 *
 *     starpu-resident CASE ROWS STEPS BLOCKS [wait=1]
 *
 * Vectors are cut into BLOCKS blocks once, and a kernel is a task for each block. Tasks are
 * submitted without waiting, except for sums that the host needs; wait=1: until a kernel's tasks
 * have ended, the next one is not submitted. STARPU_SCHED, STARPU_NCPU and STARPU_NCUDA choose the
 * scheduler and the workers. Prints the line of resident.c, without bytes, and verifies alike.
 *
 * A task reads a whole vector as the handles of all blocks. These lie one after the other in each
 * memory, because the vector was there as a whole before it was cut. (Asynchronous partitions can
 * be joined in the home memory only: all would travel to the host and back in each step.)
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"
#include "starpu_kernels.h"

enum { BLOCKS_MOST = 64 };

struct vector {
    float *host, *host_ends;
    starpu_data_handle_t whole, block[BLOCKS_MOST], ends[BLOCKS_MOST];
};

struct mark {        /* when a step has ended */
    atomic_int left; /* its tasks that have not ended, and one until all are submitted */
    double seconds;
};

static struct {
    struct problem problem;
    int blocks, waits;
    double before; /* conjugate gradients: r r of the step before */
    struct vector *u, *w, *y, *r;
    struct matrix matrix;
    starpu_data_handle_t start[BLOCKS_MOST], column[BLOCKS_MOST], value[BLOCKS_MOST];
    starpu_data_handle_t sum[BLOCKS_MOST];
    double *sums;        /* of blocks */
    struct mark *marked; /* the current step's; NULL: it is not asked for */
} at;

static void must(int result, const char *what)
{
    if (result == 0)
        return;
    fprintf(stderr, "%s: StarPU says %s\n", what, strerror(-result));
    exit(1);
}

static double seconds(void)
{
    return 1e-6 * starpu_timing_now();
}

/* --- data --- */

static void *memory_of(int64_t count, size_t size)
{
    void *memory;
    must(starpu_malloc(&memory, (size_t)count * size), "memory");
    return memory;
}

static starpu_data_handle_t registered(void *memory, int64_t count, size_t size)
{
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)memory, (uint32_t)count, size);
    return handle;
}

static void cut(struct vector *x)
{
    struct starpu_data_filter filter = { .filter_func = starpu_vector_filter_block,
                                         .nchildren = (unsigned)at.blocks };
    int b;
    starpu_data_partition(x->whole, &filter);
    for (b = 0; b < at.blocks; b++)
        x->block[b] = starpu_data_get_sub_data(x->whole, 1, b);
}

/* The index of a block's first row. The vector is cut, and no task has begun. */
static int64_t first_of(const struct vector *x, int block)
{
    return (const float *)starpu_vector_get_local_ptr(x->block[block]) - x->host;
}

static void open_ends(struct vector *x)
{
    int64_t first, last;
    int b;
    x->host_ends = memory_of(2 * at.blocks, sizeof *x->host_ends);
    for (b = 0; b < at.blocks; b++) {
        first = first_of(x, b);
        last = first + starpu_vector_get_nx(x->block[b]) - 1;
        x->host_ends[2 * b] = x->host[first];
        x->host_ends[2 * b + 1] = x->host[last];
        x->ends[b] = registered(x->host_ends + 2 * b, 2, sizeof *x->host_ends);
    }
}

static struct vector *vector(float (*of)(int64_t i))
{
    struct vector *x = calloc(1, sizeof *x);
    int64_t i;
    if (!x)
        must(-ENOMEM, "vector");
    x->host = memory_of(at.problem.rows, sizeof *x->host);
    for (i = 0; i < at.problem.rows; i++)
        x->host[i] = of(i);
    x->whole = registered(x->host, at.problem.rows, sizeof *x->host);
    return x;
}

/* A block of the matrix has a start more than rows. */
static void open_matrix(void)
{
    struct matrix *m = &at.matrix;
    int64_t first, count;
    int b;
    m->start = memory_of(at.problem.rows + 1, sizeof *m->start);
    m->column = memory_of(at.problem.rows * NONZEROS, sizeof *m->column);
    m->value = memory_of(at.problem.rows * NONZEROS, sizeof *m->value);
    matrix_fill(m, at.problem.rows);
    for (b = 0; b < at.blocks; b++) {
        first = first_of(at.w, b);
        count = starpu_vector_get_nx(at.w->block[b]);
        at.start[b] = registered(m->start + first, count + 1, sizeof *m->start);
        at.column[b] =
            registered(m->column + NONZEROS * first, NONZEROS * count, sizeof *m->column);
        at.value[b] = registered(m->value + NONZEROS * first, NONZEROS * count, sizeof *m->value);
    }
}

static void open_sums(void)
{
    int b;
    at.sums = memory_of(at.blocks, sizeof *at.sums);
    for (b = 0; b < at.blocks; b++)
        starpu_variable_data_register(&at.sum[b], STARPU_MAIN_RAM, (uintptr_t)&at.sums[b],
                                      sizeof *at.sums);
}

static void open_all(void)
{
    at.u = vector(wave);
    at.w = vector(zero);
    at.y = vector(zero);
    cut(at.w);
    cut(at.y);
    if (problem_has_matrix(&at.problem)) {
        open_matrix(); /* u is cut later, by cut_in_devices */
        if (at.problem.which == CG) {
            at.r = vector(wave);
            cut(at.r);
            open_sums();
        }
        return;
    }
    cut(at.u);
    open_ends(at.u);
    open_ends(at.w);
}

/* The vector's blocks then lie one after the other in each GPU, too. */
static void cut_in_devices(struct vector *x)
{
    int workers[STARPU_NMAXWORKERS];
    const int count =
        (int)starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, workers, STARPU_NMAXWORKERS);
    int k;
    for (k = 0; k < count; k++)
        must(starpu_data_fetch_on_node(x->whole, starpu_worker_get_memory_node(workers[k]), 0),
             "fetch");
    cut(x);
}

/* The results are then in the host's memory. */
static void join(struct vector *x)
{
    int b;
    if (!x)
        return;
    for (b = 0; x->host_ends && b < at.blocks; b++)
        starpu_data_unregister(x->ends[b]);
    starpu_data_unpartition(x->whole, STARPU_MAIN_RAM);
    starpu_data_unregister(x->whole);
}

/* StarPU keeps what it learned when it ends. The memory ends with the process. */
static void close_all(void)
{
    int b;
    for (b = 0; at.sums && b < at.blocks; b++)
        starpu_data_unregister(at.sum[b]);
    for (b = 0; at.matrix.start && b < at.blocks; b++) {
        starpu_data_unregister(at.start[b]);
        starpu_data_unregister(at.column[b]);
        starpu_data_unregister(at.value[b]);
    }
    join(at.u);
    join(at.w);
    join(at.y);
    join(at.r);
    starpu_shutdown();
}

/* --- kernels --- */

static void task_ended(void *mark_of_step)
{
    struct mark *mark = mark_of_step;
    if (atomic_fetch_sub(&mark->left, 1) == 1)
        mark->seconds = seconds();
}

static void submit(struct starpu_task *task)
{
    if (at.marked) {
        atomic_fetch_add(&at.marked->left, 1);
        task->callback_func = task_ended;
        task->callback_arg = at.marked;
    }
    must(starpu_task_submit(task), "task");
}

/* Submits a block's task. Its codelet says how many handles there are. */
static void submit_block(struct starpu_codelet *codelet, void *argument,
                         const starpu_data_handle_t *handles)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = codelet;
    task->cl_arg = argument;
    memcpy(task->handles, handles, (size_t)codelet->nbuffers * sizeof *handles);
    submit(task);
}

static void end_kernel(void)
{
    if (at.waits)
        must(starpu_task_wait_for_all(), "wait");
}

/* axpy, scale, aim: codelets of a block of x and the same block of y. */
static void run_pairs(struct starpu_codelet *codelet, float factor, const struct vector *x,
                      const struct vector *y)
{
    int b;
    for (b = 0; b < at.blocks; b++)
        submit_block(codelet, word_of(factor),
                     (starpu_data_handle_t[]){ x->block[b], y->block[b] });
    end_kernel();
}

static void run_scale_ends(float factor, const struct vector *w, const struct vector *u)
{
    int b;
    for (b = 0; b < at.blocks; b++)
        submit_block(&scale_ends, word_of(factor),
                     (starpu_data_handle_t[]){ w->block[b], u->block[b], u->ends[b] });
    end_kernel();
}

/* At the vector's ends, a block's own ends stand for those of a neighbour; they are not used. */
static void run_smooth(const struct vector *u, const struct vector *w)
{
    const int last = at.blocks - 1;
    int b, place;
    for (b = 0; b <= last; b++) {
        place = (b == 0 ? IS_FIRST : 0) | (b == last ? IS_LAST : 0);
        submit_block(&smooth, (void *)(intptr_t)place,
                     (starpu_data_handle_t[]){ u->block[b], u->ends[b > 0 ? b - 1 : b],
                                               u->ends[b < last ? b + 1 : b], w->block[b],
                                               w->ends[b] });
    }
    end_kernel();
}

static struct starpu_task *multiply_task(int block, const struct vector *x, const struct vector *y)
{
    const starpu_data_handle_t own[MULTIPLY_BLOCKS] = { at.start[block], at.column[block],
                                                        at.value[block], y->block[block] };
    const int count = MULTIPLY_BLOCKS + at.blocks;
    struct starpu_task *task = starpu_task_create();
    int k;
    task->cl = &multiply;
    task->nbuffers = count; /* StarPU frees the two lists */
    task->dyn_handles = malloc((size_t)count * sizeof *task->dyn_handles);
    task->dyn_modes = malloc((size_t)count * sizeof *task->dyn_modes);
    if (!task->dyn_handles || !task->dyn_modes)
        must(-ENOMEM, "task");
    for (k = 0; k < count; k++) {
        task->dyn_handles[k] = k < MULTIPLY_BLOCKS ? own[k] : x->block[k - MULTIPLY_BLOCKS];
        task->dyn_modes[k] = k == MULTIPLY_BLOCKS - 1 ? STARPU_W : STARPU_R;
    }
    return task;
}

static void run_multiply(const struct vector *x, const struct vector *y)
{
    int b;
    for (b = 0; b < at.blocks; b++)
        submit(multiply_task(b, x, y));
    end_kernel();
}

static void release(void *handle)
{
    starpu_data_release(handle);
}

/* The blocks' sums travel to the host as soon as each is there, and not one by one when the host
 * comes to them. */
static double run_dot(const struct vector *x, const struct vector *y)
{
    double sum = 0;
    int b;
    for (b = 0; b < at.blocks; b++) {
        submit_block(&dot, NULL, (starpu_data_handle_t[]){ x->block[b], y->block[b], at.sum[b] });
        must(starpu_data_acquire_cb(at.sum[b], STARPU_R, release, at.sum[b]), "sum");
    }
    for (b = 0; b < at.blocks; b++) {
        must(starpu_data_acquire(at.sum[b], STARPU_R), "sum");
        sum += at.sums[b];
        starpu_data_release(at.sum[b]);
    }
    return sum;
}

/* --- steps --- */

static void step_axpy(void)
{
    run_pairs(&axpy, 0.5f, at.u, at.y);
}

static void step_stencil(void)
{
    struct vector *kept = at.u;
    run_smooth(at.u, at.w);
    at.u = at.w;
    at.w = kept;
}

static void step_turns(void)
{
    run_smooth(at.u, at.w);
    run_scale_ends(1, at.w, at.u);
}

static void step_chain(void)
{
    step_turns();
    run_pairs(&axpy, 0.5f, at.w, at.y);
}

static void step_spmv(void)
{
    run_multiply(at.u, at.w);
    run_pairs(&scale, 1.0f / 16, at.w, at.u);
}

/* u: direction, w: the matrix times u, y: solution, r: residual. */
static void step_cg(void)
{
    double alpha, next;
    run_multiply(at.u, at.w);
    alpha = at.before / run_dot(at.u, at.w);
    run_pairs(&axpy, (float)alpha, at.u, at.y);
    run_pairs(&axpy, (float)-alpha, at.w, at.r);
    next = run_dot(at.r, at.r);
    run_pairs(&aim, (float)(next / at.before), at.r, at.u);
    at.before = next;
}

static void (*const step_of[CASES])(void) = {
    [AXPY] = step_axpy,   [STENCIL] = step_stencil, [CHAIN] = step_chain,
    [TURNS] = step_turns, [SPMV] = step_spmv,       [CG] = step_cg,
};

/* The steps before the half end before the others begin: tasks of different blocks may be many
 * steps apart, so that nothing else tells what the second half takes. */
static struct problem_times run_all(void)
{
    struct problem_times times = { .begin = seconds() };
    struct mark first = { .left = 1 };
    int step;
    if (problem_has_matrix(&at.problem))
        cut_in_devices(at.u);
    if (at.problem.which == CG)
        at.before = run_dot(at.r, at.r);
    at.marked = &first;
    for (step = 0; step < at.problem.steps; step++) {
        if (step == at.problem.steps / 2) {
            must(starpu_task_wait_for_all(), "wait");
            times.half = seconds();
        }
        step_of[at.problem.which]();
        if (step == 0) {
            at.marked = NULL;
            task_ended(&first);
        }
    }
    must(starpu_task_wait_for_all(), "wait");
    times.end = seconds();
    times.first = first.seconds;
    return times;
}

static int read_words(int count, char **words)
{
    if (count < 5 || count > 6 || !problem_read(words + 1, &at.problem))
        return 0;
    at.blocks = atoi(words[4]);
    at.waits = count == 6 && strcmp(words[5], "wait=1") == 0;
    return at.blocks >= 1 && at.blocks <= BLOCKS_MOST && at.problem.rows >= 2 * at.blocks;
}

int main(int count, char **words)
{
    struct problem_times times;
    struct problem_results found;
    if (!read_words(count, words)) {
        fprintf(stderr, "usage: starpu-resident " PROBLEM_WORDS " BLOCKS [wait=1]\n");
        return 2;
    }
    must(starpu_init(NULL), "start");
    open_all();
    times = run_all();
    problem_print(&at.problem, &times);
    printf("\n");
    close_all();
    found = (struct problem_results){ at.u->host, at.y->host, at.before };
    return problem_verify(&at.problem, &found) ? 0 : 1;
}
