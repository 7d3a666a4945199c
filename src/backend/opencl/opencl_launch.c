/* opencl_launch.c - a chunk of a range becomes an index space, as yoke/kernel_opencl.h describes.
 *
 * Group sizes are the same for every chunk wherever possible, because PoCL compiles a kernel anew
 * for each group size it meets. A device that is the CPU gets long groups, which it turns into one
 * vectorised loop each; a GPU gets groups of some warps, wide along the fastest dimension.
 *
 * Kernels by hand get the same index space as made ones.
 */
#include <stdio.h>
#include <yoke/job.h>

#include "opencl.h"

struct space {
    cl_uint dimensions;
    size_t global[3], local[3];
};

enum {
    GROUP_COUNT_MAX = 65535
}; /* NVIDIA's limit in dimensions 1 and 2; made kernels loop there */

static int64_t groups(int64_t items, int64_t size)
{
    return (items + size - 1) / size;
}

/* The least power of two that holds `items`, at most `most` (a power of two). */
static size_t span(int64_t items, size_t most)
{
    size_t size = 1;
    while (size < most && (int64_t)size < items)
        size *= 2;
    return size;
}

static void make_space(const struct yk_program *program, const struct yk_launch *launch,
                       struct space *space)
{
    int64_t split = program->shape.is_step && launch->steps
                        ? launch->steps->plan.groups
                        : groups(launch->last - launch->first, program->shape.unit);
    int is_cpu = program->device->base.desc.is_cpu;
    size_t budget = program->group_items;
    if (split == 0)
        split = program->rehearsal_items;
    *space = (struct space){ 1, { 1, 1, 1 }, { 1, 1, 1 } };
    if (program->shape.lanes) {
        space->local[0] = (size_t)program->shape.lanes;
        space->global[0] = (size_t)(program->shape.lanes * split);
        return;
    }
    int64_t items[3] = { split, 1, 1 }; /* fastest first */
    if (program->shape.dimensions == 2) {
        items[0] = launch->extent[0];
        items[1] = split;
    } else if (program->shape.dimensions == 3) {
        items[0] = launch->extent[1];
        items[1] = launch->extent[0];
        items[2] = split;
    }
    space->dimensions = (cl_uint)program->shape.dimensions;
    if (program->shape.dimensions == 1)
        space->local[0] = budget;
    else {
        space->local[0] = span(items[0], is_cpu || budget < 64 ? budget : 64);
        if (!is_cpu)
            space->local[1] = span(items[1], budget / space->local[0]);
    }
    for (int d = 0; d < program->shape.dimensions && d < 3; ++d) {
        int64_t count = groups(items[d], (int64_t)space->local[d]);
        if (d > 0 && !is_cpu && program->generated && count > GROUP_COUNT_MAX)
            count = GROUP_COUNT_MAX;
        space->global[d] = (size_t)count * space->local[d];
    }
}

/* A step kernel's queue; in a rehearsal there is none. */
static cl_int set_queue(const struct yk_program *program, const struct yk_step_launch *steps,
                        cl_uint *index)
{
    const struct yk_opencl_api *cl = program->device->cl;
    static const struct yk_step_plan none;
    cl_mem memory = steps ? steps->buffer->memory : NULL;
    const cl_long shift = steps ? steps->offset : 0;
    cl_int code = cl->SetKernelArg(program->kernel, (*index)++, sizeof memory, &memory);
    if (code == CL_SUCCESS)
        code = cl->SetKernelArg(program->kernel, (*index)++, sizeof shift, &shift);
    if (code == CL_SUCCESS)
        code = cl->SetKernelArg(program->kernel, (*index)++, sizeof none,
                                steps ? &steps->plan : &none);
    return code;
}

static cl_int set_arguments(const struct yk_program *program, const struct yk_launch *launch)
{
    const struct yk_opencl_api *cl = program->device->cl;
    const cl_long range[4] = { launch->first, launch->last, launch->extent[0], launch->extent[1] };
    cl_uint index = 0;
    cl_int code = CL_SUCCESS;
    while (index < 4 && code == CL_SUCCESS) {
        code = cl->SetKernelArg(program->kernel, index, sizeof *range, &range[index]);
        ++index;
    }
    if (program->shape.is_step && code == CL_SUCCESS)
        code = set_queue(program, launch->steps, &index);
    for (int p = 0; p < program->shape.param_count && code == CL_SUCCESS; ++p) {
        const struct yk_launch_arg *arg = &launch->args[p];
        if (program->shape.params[p].mode == YOKE_PARAM_VALUE) {
            code = cl->SetKernelArg(program->kernel, index++, program->shape.params[p].size,
                                    arg->value);
            continue;
        }
        cl_mem memory = arg->buffer ? arg->buffer->memory : NULL;
        const cl_long shift = arg->shift;
        code = cl->SetKernelArg(program->kernel, index++, sizeof(cl_mem), &memory);
        if (code == CL_SUCCESS)
            code = cl->SetKernelArg(program->kernel, index++, sizeof shift, &shift);
        if (code == CL_SUCCESS && program->generated &&
            program->shape.params[p].mode == YOKE_PARAM_ADD) {
            const cl_long copies = yk_launch_copies(arg);
            code = cl->SetKernelArg(program->kernel, index++, sizeof copies, &copies);
        }
    }
    return code;
}

static cl_int launch_source(struct yk_queue *queue, const struct yk_program *program,
                            const struct yk_launch *launch, cl_event *event,
                            const struct yk_opencl_waits *waits)
{
    struct space space;
    cl_int code = set_arguments(program, launch);
    if (code != CL_SUCCESS)
        return code;
    make_space(program, launch, &space);
    return queue->device->cl->EnqueueNDRangeKernel(queue->handle, program->kernel, space.dimensions,
                                                   NULL, space.global, space.local, waits->count,
                                                   waits->list, event);
}

/* The function enqueues what it likes between two markers: the first makes it wait for others and
 * tells when it began, the second is its end. */
static cl_int launch_native(struct yk_queue *queue, const struct yk_program *program,
                            const struct yk_launch *launch, struct yk_event *event,
                            const struct yk_opencl_waits *waits)
{
    const struct yk_opencl_api *cl = queue->device->cl;
    const void *args[YOKE_ARGS_MAX];
    int64_t shifts[YOKE_ARGS_MAX];
    for (int p = 0; p < program->shape.param_count; ++p) {
        const struct yk_launch_arg *arg = &launch->args[p];
        int is_value = program->shape.params[p].mode == YOKE_PARAM_VALUE;
        shifts[p] = is_value ? 0 : arg->shift;
        args[p] = is_value ? arg->value : arg->buffer ? arg->buffer->memory : NULL;
    }
    const yoke_opencl_call call = { queue->device->context, queue->device->handle, queue->handle,
                                    (void *const *)args, shifts };
    const yoke_chunk chunk = { .first = launch->first,
                               .last = launch->last,
                               .extent = { launch->extent[0], launch->extent[1] },
                               .team = 1 };
    cl_int code = cl->EnqueueBarrierWithWaitList(queue->handle, waits->count, waits->list,
                                                 yk_opencl_event_begin_slot(event));
    if (code == CL_SUCCESS)
        code = program->native(&call, &chunk);
    if (code == CL_SUCCESS)
        code = cl->EnqueueMarkerWithWaitList(queue->handle, 0, NULL, yk_opencl_event_slot(event));
    return code;
}

yoke_status yk_opencl_launch(struct yk_queue *queue, struct yk_program *program,
                             const struct yk_launch *launch, struct yk_event **event)
{
    struct yk_opencl_waits waits;
    struct yk_event *made;
    char what[96];
    yoke_status status = yk_opencl_alive(queue->device);
    if (status != YOKE_OK)
        return status;
    status = yk_opencl_waits_open(&waits, queue, launch->after, launch->after_count);
    if (status != YOKE_OK)
        return status;
    status = yk_opencl_event_prepare(queue, event, &made);
    if (status == YOKE_OK) {
        cl_int code = program->native ? launch_native(queue, program, launch, made, &waits)
                                      : launch_source(queue, program, launch,
                                                      yk_opencl_event_slot(made), &waits);
        snprintf(what, sizeof what, "launching kernel %s", program->shape.name);
        status = yk_opencl_event_submit(queue, made, code, event, what);
    }
    yk_opencl_waits_close(&waits);
    return status;
}
