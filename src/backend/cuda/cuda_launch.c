/* cuda_launch.c - a chunk of a range becomes a grid, as yoke/kernel_cuda.h describes.
 *
 * Blocks are some warps, wide along the fastest dimension; the grid covers the chunk as far as the
 * hardware counts, and made kernels loop over the rest. Kernels by hand get the same grid. Pointers
 * are those of the arrays' global element 0: arithmetic on integers, so that an address outside the
 * buffer is fine as long as nobody uses it.
 */
#include <stdio.h>
#include <yoke/job.h>

#include "cuda.h"

enum { STEP_ARGS = 3 }; /* a step kernel's queue */
static const int64_t grid_most[3] = { INT32_MAX, 65535, 65535 };

struct grid {
    unsigned blocks[3], threads[3];
};

/* The least power of two that holds `items`, at most `most` (a power of two). */
static int span(int64_t items, int most)
{
    int size = 1;
    while (size < most && size < items)
        size *= 2;
    return size;
}

static void make_grid(const struct yk_program *program, const struct yk_launch *launch,
                      struct grid *grid)
{
    int64_t split = (launch->last - launch->first + program->shape.unit - 1) / program->shape.unit;
    if (program->shape.is_step)
        split = launch->steps ? launch->steps->plan.groups : 1;
    int64_t items[3] = { split, 1, 1 }; /* fastest first */
    int threads[3] = { program->block_items, 1, 1 };
    if (program->shape.lanes) {
        threads[0] = program->shape.lanes;
        items[0] = split * program->shape.lanes;
    } else if (program->shape.dimensions == 2) {
        items[0] = launch->extent[0];
        items[1] = split;
    } else if (program->shape.dimensions == 3) {
        items[0] = launch->extent[1];
        items[1] = launch->extent[0];
        items[2] = split;
    }
    if (!program->shape.lanes && program->shape.dimensions > 1) {
        threads[0] = span(items[0], program->block_items < 64 ? program->block_items : 64);
        threads[1] = span(items[1], program->block_items / threads[0]);
    }
    for (int d = 0; d < 3; ++d) {
        int64_t blocks = (items[d] + threads[d] - 1) / threads[d];
        blocks = blocks < 1 ? 1 : blocks > grid_most[d] ? grid_most[d] : blocks;
        grid->blocks[d] = (unsigned)blocks;
        grid->threads[d] = (unsigned)threads[d];
    }
}

static CUdeviceptr address_of(const struct yk_launch_arg *arg)
{
    return arg->buffer ? arg->buffer->address + (CUdeviceptr)arg->shift : 0;
}

static CUresult launch_source(struct yk_queue *queue, const struct yk_program *program,
                              const struct yk_launch *launch)
{
    int64_t range[4] = { launch->first, launch->last, launch->extent[0], launch->extent[1] };
    CUdeviceptr pointers[YOKE_ARGS_MAX];
    int64_t copies[YOKE_ARGS_MAX];
    void *args[4 + STEP_ARGS + 2 * YOKE_ARGS_MAX];
    struct grid grid;
    struct yk_step_plan none = { 0 }; /* a rehearsal */
    const struct yk_step_launch *steps = launch->steps;
    CUdeviceptr queue_memory = steps ? steps->buffer->address : 0;
    int64_t queue_shift = steps ? steps->offset : 0;
    int count = 4;
    for (int i = 0; i < 4; ++i)
        args[i] = &range[i];
    if (program->shape.is_step) {
        args[count++] = &queue_memory;
        args[count++] = &queue_shift;
        args[count++] = steps ? (void *)&steps->plan : &none;
    }
    for (int p = 0; p < program->shape.param_count; ++p) {
        pointers[p] = address_of(&launch->args[p]);
        args[count++] = program->shape.params[p].mode == YOKE_PARAM_VALUE
                            ? (void *)launch->args[p].value
                            : &pointers[p];
        copies[p] = yk_launch_copies(&launch->args[p]);
        if (program->generated && program->shape.params[p].mode == YOKE_PARAM_ADD)
            args[count++] = &copies[p];
    }
    make_grid(program, launch, &grid);
    return queue->device->cu->LaunchKernel(program->function, grid.blocks[0], grid.blocks[1],
                                           grid.blocks[2], grid.threads[0], grid.threads[1],
                                           grid.threads[2], 0, queue->stream, args, NULL);
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
    const yoke_chunk chunk = { .first = launch->first,
                               .last = launch->last,
                               .extent = { launch->extent[0], launch->extent[1] },
                               .team = 1 };
    return program->native(&call, &chunk);
}

yoke_status yk_cuda_launch(struct yk_queue *queue, struct yk_program *program,
                           const struct yk_launch *launch, struct yk_event **event)
{
    char what[96];
    struct yk_cuda_operation operation = { .queue = queue,
                                           .what = what,
                                           .after = launch->after,
                                           .after_count = launch->after_count,
                                           .timed = launch->timed,
                                           .passing = launch->passing,
                                           .event = event };
    yoke_status status = yk_cuda_enter(queue->device);
    if (status != YOKE_OK)
        return status;
    snprintf(what, sizeof what, "launching kernel %s", program->shape.name);
    status = yk_cuda_operation_begin(&operation);
    if (status == YOKE_OK)
        status = yk_cuda_operation_end(&operation, program->native
                                                       ? launch_native(queue, program, launch)
                                                       : launch_source(queue, program, launch));
    yk_cuda_leave(queue->device);
    return status;
}
