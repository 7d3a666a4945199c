/* opencl_launch.c - a chunk of a range becomes one index space or several, as yoke/kernel_opencl.h
 * describes.
 *
 * Group sizes are the same for every chunk if possible, because PoCL compiles a kernel again for
 * each new group size. A device that is the CPU gets long groups, because it turns each into one
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
enum { PART_ARG = 0 };            /* number of the argument yk_space */

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
        to->local[2] = (size_t)block.deep;
    }
}

/* Indexes of the first dimension that a group or, without lanes, a work-item handles. A generated
 * text without lanes handles one: there the kernel's unit only sets the bounds of chunks. */
static int unit_of(const struct yk_program *program)
{
    return program->generated && !program->shape.lanes ? 1 : program->shape.unit;
}

static void set_global(const struct yk_program *program, const struct yk_launch *launch,
                       const struct yk_space *part, struct index_space *to)
{
    const int last = program->shape.dimensions - 1;
    const struct yk_groups all = yk_groups_of(launch, unit_of(program));
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

/* Sets the number of indexes along each dimension of the range that one index space can cover. */
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

/* Sets a kernel's arguments one after the other, until one fails. */
struct arguments {
    const struct yk_opencl_api *cl;
    cl_kernel kernel;
    cl_uint next; /* number of the next argument */
    cl_int code;
};

static void set(struct arguments *to, size_t size, const void *value)
{
    if (to->code == CL_SUCCESS)
        to->code = to->cl->SetKernelArg(to->kernel, to->next++, size, value);
}

/* A step kernel's queue; in a rehearsal there is none. */
static void set_queue(struct arguments *to, const struct yk_step_launch *steps)
{
    static const struct yk_step_plan none;
    cl_mem memory = steps ? steps->buffer->memory : NULL;
    const cl_long shift = steps ? steps->offset : 0;
    set(to, sizeof memory, &memory);
    set(to, sizeof shift, &shift);
    set(to, sizeof none, steps ? &steps->plan : &none);
}

static void set_array(struct arguments *to, const struct yk_launch_arg *arg, int has_copies)
{
    cl_mem memory = arg->buffer ? arg->buffer->memory : NULL;
    const cl_long shift = arg->shift;
    set(to, sizeof memory, &memory);
    set(to, sizeof shift, &shift);
    if (has_copies) {
        const cl_long copies = yk_launch_copies(arg, 0);
        set(to, sizeof copies, &copies);
    }
}

static cl_int set_arguments(const struct yk_program *program, cl_kernel kernel,
                            const struct yk_launch *launch)
{
    const struct yk_kernel_shape *shape = &program->shape;
    struct arguments to = { program->device->cl, kernel, 0, CL_SUCCESS };
    int64_t range[YK_RANGE_ARGS_MOST];
    const int count = yk_range_args(launch, shape->dimensions, range);
    if (program->generated)
        to.next = PART_ARG + 1; /* the part is set with its launch */
    else
        for (int r = 0; r < count; ++r)
            set(&to, sizeof *range, &range[r]);
    if (shape->is_step)
        set_queue(&to, launch->steps);
    for (int p = 0; p < shape->param_count; ++p) {
        const struct yk_launch_arg *arg = &launch->args[p];
        const yoke_param_mode mode = shape->params[p].mode;
        if (mode == YOKE_PARAM_VALUE)
            set(&to, shape->params[p].size, arg->value);
        else
            set_array(&to, arg, program->generated && mode == YOKE_PARAM_ADD);
    }
    if (shape->reduces) {
        const struct yk_groups all = yk_groups_of(launch, 1);
        set(&to, sizeof all.blocks, &all.blocks);
    }
    return to.code;
}

/* A chunk that is being enqueued. */
struct launching {
    struct yk_opencl_operation operation;
    struct yk_program *program;
    cl_kernel kernel; /* one of the program's */
    const struct yk_launch *launch;
    struct yk_opencl_waits waits;
};

/* An operation of several commands lies between two markers: the first waits for earlier work, and
 * its time is the start; the second's time is the end. */
static cl_int mark_begin(const struct launching *l)
{
    const struct yk_queue *queue = l->operation.queue;
    return queue->device->cl->EnqueueBarrierWithWaitList(
        queue->handle, l->waits.count, l->waits.list,
        yk_opencl_event_begin_slot(l->operation.made));
}

static cl_int mark_end(const struct launching *l)
{
    const struct yk_queue *queue = l->operation.queue;
    return queue->device->cl->EnqueueMarkerWithWaitList(queue->handle, 0, NULL,
                                                        yk_opencl_event_slot(l->operation.made));
}

static cl_int enqueue_part(const struct launching *l, const struct yk_space *part,
                           struct index_space *space, int is_all)
{
    const struct yk_opencl_api *cl = l->operation.queue->device->cl;
    cl_int code = CL_SUCCESS;
    if (l->program->generated)
        code = cl->SetKernelArg(l->kernel, PART_ARG, sizeof *part, part);
    if (code != CL_SUCCESS)
        return code;
    set_global(l->program, l->launch, part, space);
    return cl->EnqueueNDRangeKernel(l->operation.queue->handle, l->kernel, space->dimensions, NULL,
                                    space->global, space->local, is_all ? l->waits.count : 0,
                                    is_all ? l->waits.list : NULL,
                                    is_all ? yk_opencl_event_slot(l->operation.made) : NULL);
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
    const struct yk_opencl_device *device = l->operation.queue->device;
    const yoke_opencl_call call = { device->context, device->handle, l->operation.queue->handle,
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
    char what[96];
    struct launching l = { .operation = { queue, what, event, NULL },
                           .program = program,
                           .kernel = narrow ? program->narrow_kernel : program->kernel,
                           .launch = launch };
    yoke_status status = yk_opencl_alive(queue->device);
    if (status != YOKE_OK)
        return status;
    status = yk_opencl_waits_open(&l.waits, queue, launch->after, launch->after_count);
    if (status != YOKE_OK)
        return status;
    status = yk_opencl_operation_begin(&l.operation);
    if (status == YOKE_OK) {
        cl_int code = program->native ? launch_native(&l) : launch_source(&l);
        snprintf(what, sizeof what, "launching kernel %s", program->shape.name);
        status = yk_opencl_operation_end(&l.operation, code);
    }
    yk_opencl_waits_close(&l.waits);
    return status;
}
