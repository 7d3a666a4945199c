/* starpu.c - the contestant StarPU, with the scheduler from STARPU_SCHED. A variant is a number of
 * blocks, one task each. The vectors that a loop uses are registered once. A run partitions them,
 * submits the tasks, waits and joins the vectors again; `inner` is the time between partitioning
 * and joining. Loop nothing has as many tasks as the variant says, and no data.
 *
 * Idle workers of StarPU poll, therefore hush and wake.
 */
#include <starpu.h>
#include <stdlib.h>

#include "contestant.h"

static starpu_data_handle_t x, y, out;
static const struct loop *current; /* written while there are no tasks */
static int64_t block_count;

/* The items of a task's block: starpu_vector_filter_block gives one more item to each of the first
 * (items % blocks) blocks. */
static void do_block(void *const *buffers, void *argument)
{
    int64_t block = (int64_t)(intptr_t)argument, each = current->items / block_count;
    int64_t more = current->items % block_count;
    int64_t first = block * each + (block < more ? block : more);
    (void)buffers;
    current->body(first, first + each + (block < more), starpu_worker_get_id());
}

static void block_cpu(void *buffers[], void *argument)
{
    do_block(buffers, argument);
}

static struct starpu_perfmodel saxpy_model = { .type = STARPU_HISTORY_BASED,
                                               .symbol = "peers_saxpy" };
static struct starpu_perfmodel uneven_model = { .type = STARPU_HISTORY_BASED,
                                                .symbol = "peers_uneven" };
static struct starpu_codelet saxpy_codelet = { .cpu_funcs = { block_cpu },
                                               .nbuffers = 2,
                                               .modes = { STARPU_R, STARPU_RW },
                                               .model = &saxpy_model,
                                               .name = "saxpy" };
static struct starpu_codelet uneven_codelet = { .cpu_funcs = { block_cpu },
                                                .nbuffers = 1,
                                                .modes = { STARPU_W },
                                                .model = &uneven_model,
                                                .name = "uneven" };
static struct starpu_codelet empty_codelet = { .cpu_funcs = { block_cpu }, .name = "nothing" };

static void must(int result, const char *what)
{
    if (result != 0)
        contestant_refuse(what, "StarPU says no");
}

static void open_starpu(int threads)
{
    struct starpu_conf conf;
    must(starpu_conf_init(&conf), "starpu_conf_init");
    conf.ncpus = threads;
    conf.ncuda = 0;
    conf.nopencl = 0;
    must(starpu_init(&conf), "starpu_init");
    starpu_vector_data_register(&x, STARPU_MAIN_RAM, (uintptr_t)loops.x, (uint32_t)loops.floats,
                                sizeof *loops.x);
    starpu_vector_data_register(&y, STARPU_MAIN_RAM, (uintptr_t)loops.y, (uint32_t)loops.floats,
                                sizeof *loops.y);
    starpu_vector_data_register(&out, STARPU_MAIN_RAM, (uintptr_t)loops.out,
                                (uint32_t)loops.uneven_items, sizeof *loops.out);
}

static void close_starpu(void)
{
    starpu_data_unregister(x);
    starpu_data_unregister(y);
    starpu_data_unregister(out);
    starpu_shutdown();
}

static void submit(struct starpu_codelet *codelet, int64_t block)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = codelet;
    task->cl_arg = (void *)(intptr_t)block;
    if (codelet == &saxpy_codelet) {
        task->handles[0] = starpu_data_get_sub_data(x, 1, (unsigned)block);
        task->handles[1] = starpu_data_get_sub_data(y, 1, (unsigned)block);
    } else if (codelet == &uneven_codelet) {
        task->handles[0] = starpu_data_get_sub_data(out, 1, (unsigned)block);
    }
    must(starpu_task_submit(task), "starpu_task_submit");
}

static void submit_all(struct starpu_codelet *codelet)
{
    for (int64_t block = 0; block < block_count; block++)
        submit(codelet, block);
    must(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
}

static void run_starpu(const struct loop *loop, const char *variant)
{
    struct starpu_data_filter filter = { .filter_func = starpu_vector_filter_block };
    int saxpy = loop == &loops.saxpy;
    starpu_data_handle_t *cut[] = { saxpy ? &y : &out, &x };
    int cuts = loop == &loops.nothing ? 0 : saxpy ? 2 : 1, i;
    double start;
    current = loop;
    block_count = atoll(variant);
    if (block_count < 1)
        contestant_refuse(variant, "give a number of blocks");
    filter.nchildren = (unsigned)block_count;
    for (i = 0; i < cuts; i++)
        starpu_data_partition(*cut[i], &filter);
    start = contestant_seconds();
    submit_all(cuts == 0 ? &empty_codelet : saxpy ? &saxpy_codelet : &uneven_codelet);
    contestant_inner = contestant_seconds() - start;
    for (i = 0; i < cuts; i++)
        starpu_data_unpartition(*cut[i], STARPU_MAIN_RAM);
}

const struct contestant contestant = { .open = open_starpu,
                                       .close = close_starpu,
                                       .run = run_starpu,
                                       .hush = starpu_pause,
                                       .wake = starpu_resume };
