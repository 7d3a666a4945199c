/* cuda_launch.c - a chunk of a range becomes one grid or several, as yoke/kernel_cuda.h describes.
 *
 * Blocks are some warps, wide along the fastest dimension. For 2-D and 3-D kernels 64 x 4 threads,
 * or 32 x 8, were within 1 % of the best of eight shapes in five kernels
 * (docs/results/kernels-h200.md). If a dimension is short, the block is deeper along the one before
 * it. Kernels made by YOKE_KERNEL have no loops: one grid covers the
 * chunk exactly, or several if it exceeds a grid's limits. Handwritten kernels loop with the grid's
 * stride and get one grid. Kernels get the address of each array's global element 0, computed as an
 * integer: outside the buffer it is harmless as long as no thread uses it.
 */
#include <yoke/job.h>

#include "../launch_space.h"
#include "cuda.h"

enum { STEP_ARGS = 3 }; /* number of arguments for a step kernel's queue */
static const int64_t grid_most[3] = { INT32_MAX, 65535, 65535 };
/* Limit of a grid's indexes along a dimension: entries count its threads in 32 bits. */
static const int64_t indexes_most = (int64_t)1 << 31;

struct grid {
    unsigned blocks[3], threads[3];
    int64_t gathered; /* bytes of shared memory in which a block gathers; 0: it does not */
    int keeps_sums;   /* 1: each thread keeps all its sums */
};

static int64_t threads_of(const struct grid *grid)
{
    return (int64_t)grid->threads[0] * grid->threads[1] * grid->threads[2];
}

/* Blocks have the same shape in all parts of a chunk. */
static void set_threads(const struct yk_program *program, const struct yk_launch *launch,
                        const struct yk_space *all, struct grid *grid)
{
    const int budget = program->block_items, last = program->shape.dimensions - 1;
    struct yk_block block = { budget, 1, 1 };
    if (program->shape.lanes)
        block.wide = yk_cuda_spread(program, launch);
    else if (last > 0)
        block = yk_space_block(all, last, budget);
    grid->threads[0] = (unsigned)block.wide;
    grid->threads[1] = (unsigned)block.high;
    grid->threads[2] = (unsigned)block.deep;
}

static void set_blocks(const struct yk_program *program, const struct yk_launch *launch,
                       const struct yk_space *part, struct grid *grid)
{
    const int last = program->shape.dimensions - 1;
    int64_t count[3] = { 1, 1, 1 };
    if (program->shape.is_step)
        count[0] = launch->steps ? launch->steps->plan.groups : 1;
    else if (program->shape.lanes) {
        const struct yk_groups groups = yk_groups_of(launch, program->shape.unit);
        count[0] = yk_groups_count(&groups, yk_space_length(part, 0));
    } else
        for (int d = 0; d <= last; ++d)
            count[d] = (yk_space_length(part, last - d) + grid->threads[d] - 1) / grid->threads[d];
    for (int d = 0; d < 3; ++d)
        grid->blocks[d] = (unsigned)(count[d] < 1              ? 1
                                     : count[d] > grid_most[d] ? grid_most[d]
                                                               : count[d]);
}

/* Takes blocks away along the first dimension, so that the others do several turns. */
static void set_turns(const struct yk_program *program, struct grid *grid)
{
    unsigned *first = &grid->blocks[program->shape.dimensions - 1];
    const int64_t blocks = (int64_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2];
    const int64_t turns = yk_cuda_gather_turns(program, grid->keeps_sums, blocks, threads_of(grid));
    *first = (unsigned)((*first + turns - 1) / turns);
}

/* Sets the number of indexes along each dimension of the range that one grid can cover. */
static void set_most(const struct yk_program *program, const struct yk_launch *launch,
                     const struct grid *grid, int64_t most[3])
{
    const int last = program->shape.dimensions - 1;
    for (int d = 0; d < 3; ++d)
        most[d] = INT64_MAX;
    if (program->shape.lanes && !program->shape.is_step)
        most[0] = grid_most[0] / yk_groups_of(launch, 1).blocks.parts *
                  yk_groups_of(launch, program->shape.unit).unit;
    else if (program->generated && !program->shape.is_step)
        for (int d = 0; d <= last; ++d) {
            const int64_t covered = grid_most[d] * grid->threads[d];
            most[last - d] = covered < indexes_most ? covered : indexes_most;
        }
}

/* Host memory has the same address on the device (desc.reaches_host). A kernel's writes there are
 * visible to the host once an event behind the kernel is complete: the end of a kernel is a fence
 * of system scope. */
static CUdeviceptr address_of(const struct yk_launch_arg *arg)
{
    const CUdeviceptr base = arg->buffer ? arg->buffer->address : (CUdeviceptr)(uintptr_t)arg->host;
    return base ? base + (CUdeviceptr)arg->shift : 0;
}

/* The values to which `list`, a launch's arguments, points. */
struct arguments {
    struct yk_space part;
    int64_t range[YK_RANGE_ARGS_MOST], queue_shift;
    CUdeviceptr queue_memory, pointers[YOKE_ARGS_MAX];
    int64_t copies[YOKE_ARGS_MAX];
    struct yk_step_plan no_plan; /* for a rehearsal */
    struct yk_groups groups;
    void *list[YK_RANGE_ARGS_MOST + STEP_ARGS + 2 * YOKE_ARGS_MAX + 1];
    int count;
};

static void add_range(const struct yk_program *program, const struct yk_launch *launch,
                      struct arguments *to)
{
    if (program->generated) {
        to->list[to->count++] = &to->part;
        return;
    }
    const int count = yk_range_args(launch, program->shape.dimensions, to->range);
    for (int i = 0; i < count; ++i)
        to->list[to->count++] = &to->range[i];
}

static void add_queue(const struct yk_step_launch *steps, struct arguments *to)
{
    to->queue_memory = steps ? steps->buffer->address : 0;
    to->queue_shift = steps ? steps->offset : 0;
    to->list[to->count++] = &to->queue_memory;
    to->list[to->count++] = &to->queue_shift;
    to->list[to->count++] = steps ? (void *)&steps->plan : &to->no_plan;
}

static void arguments_take(const struct yk_program *program, const struct yk_launch *launch,
                           int gathers, struct arguments *to)
{
    to->count = 0;
    add_range(program, launch, to);
    if (program->shape.is_step) {
        to->no_plan = (struct yk_step_plan){ 0 };
        add_queue(launch->steps, to);
    }
    for (int p = 0; p < program->shape.param_count; ++p) {
        to->pointers[p] = address_of(&launch->args[p]);
        to->list[to->count++] = program->shape.params[p].mode == YOKE_PARAM_VALUE
                                    ? (void *)launch->args[p].value
                                    : &to->pointers[p];
        to->copies[p] = yk_launch_copies(&launch->args[p], gathers);
        if (program->generated && program->shape.params[p].mode == YOKE_PARAM_ADD)
            to->list[to->count++] = &to->copies[p];
    }
    if (program->shape.reduces) {
        to->groups = yk_groups_of(launch, 1);
        to->list[to->count++] = &to->groups.blocks;
    }
}

static CUfunction function_of(const struct yk_program *program, const struct grid *grid, int narrow)
{
    if (program->spread_function && (int)grid->threads[0] > program->shape.lanes)
        return program->spread_function;
    return narrow ? program->narrow_function : program->function;
}

static CUresult launch_source(struct yk_queue *queue, struct yk_program *program,
                              const struct yk_launch *launch)
{
    const struct yk_space all = yk_space_of(launch);
    const int narrow =
        program->narrow_function && yk_narrow_choose(&program->narrow, &program->shape, launch);
    struct arguments args;
    struct grid grid;
    int64_t most[3];
    CUresult code;
    set_threads(program, launch, &all, &grid);
    grid.gathered = narrow || !program->narrow_function
                        ? yk_cuda_gathered_bytes(program, launch, threads_of(&grid))
                        : 0;
    grid.keeps_sums = narrow && program->narrow.is.keeps_sums;
    arguments_take(program, launch, grid.gathered > 0, &args);
    set_most(program, launch, &grid, most);
    yk_space_begin(&all, most, &args.part);
    do {
        set_blocks(program, launch, &args.part, &grid);
        if (grid.gathered)
            set_turns(program, &grid);
        code = queue->device->cu->LaunchKernel(
            function_of(program, &grid, narrow), grid.blocks[0], grid.blocks[1], grid.blocks[2],
            grid.threads[0], grid.threads[1], grid.threads[2], (unsigned)grid.gathered,
            queue->stream, args.list, NULL);
    } while (code == CUDA_SUCCESS && yk_space_next(&all, most, &args.part));
    return code;
}

static CUresult launch_native(struct yk_queue *queue, const struct yk_program *program,
                              const struct yk_launch *launch)
{
    void *args[YOKE_ARGS_MAX];
    for (int p = 0; p < program->shape.param_count; ++p)
        args[p] = program->shape.params[p].mode == YOKE_PARAM_VALUE
                      ? (void *)launch->args[p].value
                      : (void *)(uintptr_t)address_of(&launch->args[p]);
    const yoke_cuda_call call = { queue->device->context, queue->stream, queue->device->handle,
                                  args };
    yoke_chunk chunk = yk_chunk_of(launch);
    chunk.team = 1;
    return program->native(&call, &chunk);
}

yoke_status yk_cuda_launch(struct yk_queue *queue, struct yk_program *program,
                           const struct yk_launch *launch, struct yk_event **event)
{
    struct yk_cuda_operation operation = { .queue = queue,
                                           .what = program->launching,
                                           .after = launch->after,
                                           .after_count = launch->after_count,
                                           .timed = launch->timed,
                                           .passing = launch->passing,
                                           .event = event };
    yoke_status status = yk_cuda_enter(queue->device);
    if (status != YOKE_OK)
        return status;
    status = yk_cuda_operation_begin(&operation);
    if (status == YOKE_OK)
        status = yk_cuda_operation_end(&operation, program->native
                                                       ? launch_native(queue, program, launch)
                                                       : launch_source(queue, program, launch));
    yk_cuda_leave(queue->device);
    return status;
}
