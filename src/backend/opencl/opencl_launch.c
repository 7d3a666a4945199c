/* opencl_launch.c - a chunk of a range becomes one index space or several, as yoke/kernel_opencl.h
 * describes.
 *
 * Group sizes are the same for every chunk if possible, because PoCL compiles a kernel again for
 * each new group size. A device that is the CPU gets long groups, each of which it turns into one
 * vectorised loop. A GPU gets groups of some warps, wide along the fastest dimension.
 *
 * Handwritten kernels loop with the index space's stride and get one index space.
 */
#include <stdio.h>
#include <yoke/job.h>

#include "../launch_space.h"
#include "opencl.h"

struct index_space {
    cl_uint dimensions;
    size_t global[3], local[3];
};

enum { GROUP_COUNT_MAX = 65535 }; /* NVIDIA's limit in dimensions 1 and 2 */
enum { PART_ARG = 0 };            /* a made entry's yk_space */

static int64_t groups(int64_t items, int64_t size)
{
    return (items + size - 1) / size;
}

/* Groups have the same shape in all parts of a chunk. */
static void set_local(const struct yk_program *program, const struct yk_space *all,
                      struct index_space *to)
{
    const int is_cpu = program->device->base.desc.is_cpu, last = program->shape.dimensions - 1;
    const size_t budget = program->group_items;
    *to = (struct index_space){ (cl_uint)last + 1, { 1, 1, 1 }, { 1, 1, 1 } };
    if (program->shape.lanes) {
        to->dimensions = 1;
        to->local[0] = (size_t)program->shape.lanes;
    } else if (last == 0) {
        to->local[0] = budget;
    } else if (is_cpu) {
        to->local[0] = (size_t)yk_space_span(yk_space_length(all, last), (int)budget);
    } else {
        const struct yk_block block = yk_space_block(all, last, (int)budget);
        to->local[0] = (size_t)block.wide;
        to->local[1] = (size_t)block.high;
    }
}

static void set_global(const struct yk_program *program, const struct yk_launch *launch,
                       const struct yk_space *part, struct index_space *to)
{
    const int last = program->shape.dimensions - 1;
    const struct yk_groups all = yk_groups_of(launch, program->shape.unit);
    int64_t split = program->shape.is_step && launch->steps
                        ? launch->steps->plan.groups
                        : yk_groups_count(&all, yk_space_length(part, 0));
    if (split == 0)
        split = program->rehearsal_items;
    if (program->shape.lanes) {
        to->global[0] = (size_t)(program->shape.lanes * split);
        return;
    }
    for (int d = 0; d <= last; ++d) {
        const int64_t items = d == last ? split : yk_space_length(part, last - d);
        int64_t count = groups(items, (int64_t)to->local[d]);
        to->global[d] = (size_t)count * to->local[d];
    }
}

/* Indexes along each dimension of the range that one index space of a made kernel covers. */
static void set_most(const struct yk_program *program, const struct index_space *space,
                     int64_t most[3])
{
    const int last = program->shape.dimensions - 1;
    for (int d = 0; d < 3; ++d)
        most[d] = INT64_MAX;
    if (!program->device->base.desc.is_cpu && program->generated && !program->shape.lanes)
        for (int d = 1; d <= last; ++d)
            most[last - d] = GROUP_COUNT_MAX * (int64_t)space->local[d];
}

/* Sets the arguments of a step kernel's queue; in a rehearsal there is no queue. */
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

static cl_int set_arguments(const struct yk_program *program, cl_kernel kernel,
                            const struct yk_launch *launch)
{
    const struct yk_opencl_api *cl = program->device->cl;
    int64_t range[YK_RANGE_ARGS_MOST];
    const cl_uint count = (cl_uint)yk_range_args(launch, program->shape.dimensions, range);
    cl_uint index = program->generated ? PART_ARG + 1 : 0; /* the part is set with its launch */
    cl_int code = CL_SUCCESS;
    for (; !program->generated && index < count && code == CL_SUCCESS; ++index)
        code = cl->SetKernelArg(kernel, index, sizeof *range, &range[index]);
    if (program->shape.is_step && code == CL_SUCCESS)
        code = set_queue(program, launch->steps, &index);
    for (int p = 0; p < program->shape.param_count && code == CL_SUCCESS; ++p) {
        const struct yk_launch_arg *arg = &launch->args[p];
        if (program->shape.params[p].mode == YOKE_PARAM_VALUE) {
            code = cl->SetKernelArg(kernel, index++, program->shape.params[p].size, arg->value);
            continue;
        }
        cl_mem memory = arg->buffer ? arg->buffer->memory : NULL;
        const cl_long shift = arg->shift;
        code = cl->SetKernelArg(kernel, index++, sizeof(cl_mem), &memory);
        if (code == CL_SUCCESS)
            code = cl->SetKernelArg(kernel, index++, sizeof shift, &shift);
        if (code == CL_SUCCESS && program->generated &&
            program->shape.params[p].mode == YOKE_PARAM_ADD) {
            const cl_long copies = yk_launch_copies(arg);
            code = cl->SetKernelArg(kernel, index++, sizeof copies, &copies);
        }
    }
    if (program->shape.reduces && code == CL_SUCCESS) {
        const struct yk_groups all = yk_groups_of(launch, 1);
        code = cl->SetKernelArg(kernel, index, sizeof all.blocks, &all.blocks);
    }
    return code;
}

/* A chunk that is being enqueued. */
struct launching {
    struct yk_queue *queue;
    struct yk_program *program;
    cl_kernel kernel; /* one of the program's */
    const struct yk_launch *launch;
    struct yk_event *event;
    struct yk_opencl_waits waits;
};

/* Work of several commands lies between two markers: the first waits for earlier work and has the
 * start time, the second has the end. */
static cl_int mark_begin(const struct launching *l)
{
    return l->queue->device->cl->EnqueueBarrierWithWaitList(
        l->queue->handle, l->waits.count, l->waits.list, yk_opencl_event_begin_slot(l->event));
}

static cl_int mark_end(const struct launching *l)
{
    return l->queue->device->cl->EnqueueMarkerWithWaitList(l->queue->handle, 0, NULL,
                                                           yk_opencl_event_slot(l->event));
}

static cl_int enqueue_part(const struct launching *l, const struct yk_space *part,
                           struct index_space *space, int is_all)
{
    const struct yk_opencl_api *cl = l->queue->device->cl;
    cl_int code = CL_SUCCESS;
    if (l->program->generated)
        code = cl->SetKernelArg(l->kernel, PART_ARG, sizeof *part, part);
    if (code != CL_SUCCESS)
        return code;
    set_global(l->program, l->launch, part, space);
    return cl->EnqueueNDRangeKernel(l->queue->handle, l->kernel, space->dimensions, NULL,
                                    space->global, space->local, is_all ? l->waits.count : 0,
                                    is_all ? l->waits.list : NULL,
                                    is_all ? yk_opencl_event_slot(l->event) : NULL);
}

static cl_int launch_source(const struct launching *l)
{
    const struct yk_space all = yk_space_of(l->launch);
    struct index_space space;
    struct yk_space part, next;
    int64_t most[3];
    cl_int code = set_arguments(l->program, l->kernel, l->launch);
    if (code != CL_SUCCESS)
        return code;
    set_local(l->program, &all, &space);
    set_most(l->program, &space, most);
    yk_space_begin(&all, most, &part);
    next = part;
    if (!yk_space_next(&all, most, &next))
        return enqueue_part(l, &part, &space, 1);
    code = mark_begin(l);
    do {
        if (code == CL_SUCCESS)
            code = enqueue_part(l, &part, &space, 0);
    } while (code == CL_SUCCESS && yk_space_next(&all, most, &part));
    return code == CL_SUCCESS ? mark_end(l) : code;
}

static cl_int launch_native(const struct launching *l)
{
    const struct yk_launch *launch = l->launch;
    const struct yk_kernel_shape *shape = &l->program->shape;
    const void *args[YOKE_ARGS_MAX];
    int64_t shifts[YOKE_ARGS_MAX];
    for (int p = 0; p < shape->param_count; ++p) {
        const struct yk_launch_arg *arg = &launch->args[p];
        int is_value = shape->params[p].mode == YOKE_PARAM_VALUE;
        shifts[p] = is_value ? 0 : arg->shift;
        args[p] = is_value ? arg->value : arg->buffer ? arg->buffer->memory : NULL;
    }
    const struct yk_opencl_device *device = l->queue->device;
    const yoke_opencl_call call = { device->context, device->handle, l->queue->handle,
                                    (void *const *)args, shifts };
    yoke_chunk chunk = yk_chunk_of(launch);
    chunk.team = 1;
    cl_int code = mark_begin(l);
    if (code == CL_SUCCESS)
        code = l->program->native(&call, &chunk);
    return code == CL_SUCCESS ? mark_end(l) : code;
}

yoke_status yk_opencl_launch(struct yk_queue *queue, struct yk_program *program,
                             const struct yk_launch *launch, struct yk_event **event)
{
    const int narrow =
        program->narrow_kernel && yk_narrow_choose(&program->narrow, &program->shape, launch);
    struct launching l = { .queue = queue,
                           .program = program,
                           .kernel = narrow ? program->narrow_kernel : program->kernel,
                           .launch = launch };
    char what[96];
    yoke_status status = yk_opencl_alive(queue->device);
    if (status != YOKE_OK)
        return status;
    status = yk_opencl_waits_open(&l.waits, queue, launch->after, launch->after_count);
    if (status != YOKE_OK)
        return status;
    status = yk_opencl_event_prepare(queue, event, &l.event);
    if (status == YOKE_OK) {
        cl_int code = program->native ? launch_native(&l) : launch_source(&l);
        snprintf(what, sizeof what, "launching kernel %s", program->shape.name);
        status = yk_opencl_event_submit(queue, l.event, code, event, what);
    }
    yk_opencl_waits_close(&l.waits);
    return status;
}
