/* launch.c - a kernel's grid, block by block on its stream's thread.
 *
 * A fiber runs the threads of a block one after another until one stops at a barrier. That fiber
 * waits, and a new fiber continues with the threads that have not begun. When none are left, the
 * waiting fibers continue in turn. A thread that accesses an illegal address ends its grid and, as
 * on a GPU, its context (fault.c). So a kernel without barriers is a plain loop on one fiber, and a
 * kernel with barriers has one fiber for each thread of a block. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "image.h"

enum { THREADS_MOST = 1024, PARAMETERS_BYTES = 4096 };

struct launch_work {
    struct standin_work work;
    CUfunction function;
    struct standin_triple grid, block;
    void **args; /* addresses of elements of `values` */
    _Alignas(16) unsigned char values[];
};

struct lane { /* a fiber and the thread of the block that it runs */
    struct standin_fiber *fiber;
    struct grid *grid;
    unsigned thread;
    int waits; /* at a barrier */
};

struct grid {
    const struct launch_work *launch;
    struct standin_indices *indices;
    unsigned threads, begun; /* threads of the block; how many of them have begun */
    int strayed;             /* a thread accessed an illegal address */
    struct lane lanes[THREADS_MOST];
    unsigned lane_count;
};

static _Thread_local struct lane *running;

static void set_thread(struct grid *grid, unsigned thread)
{
    const struct standin_triple *block = &grid->launch->block;
    grid->indices->thread =
        (struct standin_triple){ thread % block->x, thread / block->x % block->y,
                                 thread / block->x / block->y };
}

/* Runs the threads of each block that no other lane has begun. */
static void lane_run(void *context)
{
    struct lane *lane = context;
    struct grid *grid = lane->grid;
    for (;;) {
        while (grid->begun < grid->threads) {
            lane->thread = grid->begun++;
            set_thread(grid, lane->thread);
            if (!standin_guard(grid->launch->function->entry->call, grid->launch->args)) {
                grid->strayed = 1;
                grid->begun = grid->threads;
            }
        }
        standin_fiber_yield(lane->fiber);
    }
}

void standin_barrier(void)
{
    struct lane *lane = running;
    void *guard = standin_guard_leave();
    lane->waits = 1;
    standin_fiber_yield(lane->fiber);
    lane->waits = 0;
    standin_guard_return(guard);
    set_thread(lane->grid, lane->thread);
}

static void resume(struct lane *lane)
{
    running = lane;
    standin_fiber_resume(lane->fiber);
}

/* A lane that does not wait; NULL: no memory. */
static struct lane *free_lane(struct grid *grid, unsigned waiting)
{
    struct lane *lane = &grid->lanes[waiting];
    if (waiting < grid->lane_count)
        return lane;
    *lane = (struct lane){ .grid = grid };
    lane->fiber = standin_fiber_open(lane_run, lane);
    grid->lane_count += lane->fiber != NULL;
    return lane->fiber ? lane : NULL;
}

static int run_block(struct grid *grid)
{
    unsigned waiting = 0;
    for (grid->begun = 0; grid->begun < grid->threads;) {
        struct lane *lane = free_lane(grid, waiting);
        if (!lane)
            return 0;
        resume(lane);
        waiting += (unsigned)lane->waits;
    }
    for (unsigned still = waiting; still && !grid->strayed;) {
        still = 0;
        for (unsigned i = 0; i < waiting; ++i)
            if (grid->lanes[i].waits) {
                resume(&grid->lanes[i]);
                still += (unsigned)grid->lanes[i].waits;
            }
    }
    return !grid->strayed;
}

static int run_blocks(struct grid *grid)
{
    const struct standin_triple size = grid->launch->grid;
    int fine = 1;
    for (unsigned z = 0; z < size.z && fine; ++z)
        for (unsigned y = 0; y < size.y && fine; ++y)
            for (unsigned x = 0; x < size.x && fine; ++x) {
                grid->indices->block = (struct standin_triple){ x, y, z };
                fine = run_block(grid);
            }
    return fine;
}

static CUresult run_launch(struct standin_work *work)
{
    const struct launch_work *launch = (const struct launch_work *)work;
    CUresult code = standin_due_later();
    if (code != CUDA_SUCCESS)
        return code;
    struct grid *grid = calloc(1, sizeof *grid);
    if (!grid)
        return CUDA_ERROR_OUT_OF_MEMORY;
    grid->launch = launch;
    grid->threads = launch->block.x * launch->block.y * launch->block.z;
    grid->indices = standin_module_indices(launch->function->module);
    grid->indices->block_size = launch->block;
    grid->indices->grid_size = launch->grid;
    if (!run_blocks(grid))
        code = grid->strayed ? STANDIN_ILLEGAL_ADDRESS : CUDA_ERROR_OUT_OF_MEMORY;
    for (unsigned i = 0; i < grid->lane_count; ++i)
        standin_fiber_close(grid->lanes[i].fiber);
    free(grid);
    return code;
}

static void close_launch(struct standin_work *work)
{
    free(((struct launch_work *)work)->args);
    free(work);
}

/* ---- the call ---- */

static struct launch_work *launch_open(CUfunction function, void *const *args)
{
    const struct standin_entry *entry = function->entry;
    size_t bytes = 0;
    for (int p = 0; p < entry->count; ++p)
        bytes += (entry->sizes[p] + 15) / 16 * 16;
    if (bytes > PARAMETERS_BYTES + 16 * (size_t)entry->count)
        return NULL;
    struct launch_work *launch = calloc(1, sizeof *launch + bytes);
    if (!launch)
        return NULL;
    launch->args = calloc((size_t)entry->count + 1, sizeof *launch->args);
    if (!launch->args) {
        free(launch);
        return NULL;
    }
    unsigned char *at = launch->values;
    for (int p = 0; p < entry->count; at += (entry->sizes[p] + 15) / 16 * 16, ++p)
        launch->args[p] = memcpy(at, args[p], entry->sizes[p]);
    launch->work.run = run_launch;
    launch->work.close = close_launch;
    launch->function = function;
    return launch;
}

static int has_size(const struct standin_triple *grid, const struct standin_triple *block)
{
    unsigned long threads = (unsigned long)block->x * block->y * block->z;
    return grid->x && grid->y && grid->z && grid->x <= INT32_MAX && grid->y <= 65535 &&
           grid->z <= 65535 && threads && threads <= THREADS_MOST && block->z <= 64;
}

static _Atomic(const char *) counted;
static atomic_long launches;
static atomic_uint shared;

void standin_count_launches(const char *prefix)
{
    atomic_store(&launches, 0);
    atomic_store(&shared, 0);
    atomic_store(&counted, prefix);
}

long standin_launches(void)
{
    return atomic_load(&launches);
}

unsigned standin_shared(void)
{
    return atomic_load(&shared);
}

static void count_launch(CUfunction function, unsigned shared_bytes)
{
    const char *prefix = atomic_load(&counted);
    unsigned most = atomic_load(&shared);
    if (!prefix || strncmp(function->name, prefix, strlen(prefix)) != 0)
        return;
    atomic_fetch_add(&launches, 1);
    while (most < shared_bytes && !atomic_compare_exchange_weak(&shared, &most, shared_bytes))
        continue;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **args, void **extra)
{
    const struct standin_triple grid = { grid_x, grid_y, grid_z };
    const struct standin_triple block = { block_x, block_y, block_z };
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!function || !stream || standin_module_context(function->module) != context)
        return STANDIN_INVALID_HANDLE;
    if (shared_bytes > STANDIN_SHARED_BYTES || extra || !has_size(&grid, &block))
        return CUDA_ERROR_INVALID_VALUE;
    struct launch_work *launch = launch_open(function, args);
    if (!launch)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    count_launch(function, shared_bytes);
    launch->grid = grid;
    launch->block = block;
    standin_stream_add(stream, &launch->work);
    return code;
}
