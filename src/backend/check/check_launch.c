/* check_launch.c - launch: checks that the chunk is valid and that the arguments match the kernel's
 * parameters.
 */
#include "../../base/alloc.h"
#include "../launch_space.h"
#include "check_call.h"

static yoke_status launch_arg(const struct check_device *device, const yoke_param *param,
                              struct yk_launch_arg *arg, struct check_use *use)
{
    int host_memory = device->base.desc.host_memory;
    if (param->mode == YOKE_PARAM_VALUE)
        return arg->value ? YOKE_OK
                          : yk_check_breach(device, "launch", "no value for %s", param->name);
    if (param->alignment && arg->shift % (int64_t)param->alignment)
        return yk_check_breach(device, "launch", "shift %lld of %s is not a multiple of %u",
                               (long long)arg->shift, param->name, param->alignment);
    if (host_memory)
        return arg->host && !arg->buffer
                   ? YOKE_OK
                   : yk_check_breach(device, "launch", "%s has to be host memory", param->name);
    if (device->base.desc.reaches_host && arg->host && !arg->buffer)
        return yk_check_host_is_own(device, arg->host, use)
                   ? YOKE_OK
                   : yk_check_breach(device, "launch", "%s is not memory of its host_alloc",
                                     param->name);
    struct check_buffer *buffer = yk_check_find(device, CHECK_BUFFER, arg->buffer, "launch");
    if (!buffer)
        return YOKE_EINVAL;
    *use = (struct check_use){ .buffer = buffer, .by_kernel = 1 };
    arg->buffer = buffer->inner;
    return YOKE_OK;
}

static yoke_status launch_whole(const struct check_device *device, const struct yk_launch *launch)
{
    if (launch->first >= launch->last)
        return yk_check_breach(device, "launch", "empty chunk [%lld, %lld)",
                               (long long)launch->first, (long long)launch->last);
    if (launch->extent[0] < 1 || launch->extent[1] < 1)
        return yk_check_breach(device, "launch", "extents %lld and %lld; they are 1 at least",
                               (long long)launch->extent[0], (long long)launch->extent[1]);
    const struct yk_space all = yk_space_of(launch);
    for (int d = 1; d < 3; d++)
        if (all.along[d].first < 0 || all.along[d].first >= all.along[d].last ||
            all.along[d].last > launch->extent[d - 1])
            return yk_check_breach(device, "launch", "indexes [%lld, %lld) along an extent of %lld",
                                   (long long)all.along[d].first, (long long)all.along[d].last,
                                   (long long)launch->extent[d - 1]);
    /* There may be more lanes than real cores, but not more than simulated ones. */
    if (device->base.desc.host_memory &&
        (launch->lane < 0 ||
         (device->base.desc.virtual_clock && launch->lane >= device->base.desc.lanes)))
        return yk_check_breach(device, "launch", "lane %d of %d", launch->lane,
                               device->base.desc.lanes);
    if (launch->team < 1)
        return yk_check_breach(device, "launch", "a team of %d", launch->team);
    return YOKE_OK;
}

/* Checks the queue of a step kernel. */
static yoke_status launch_queue(const struct check_device *device,
                                const struct check_program *program, const struct yk_launch *launch,
                                struct check_use *use)
{
    const struct yk_step_launch *steps = launch->steps;
    if (!program->is_step != !steps)
        return yk_check_breach(device, "launch", "%s",
                               steps ? "a queue that no kernel asked for"
                                     : "no queue for a step kernel");
    if (!steps)
        return YOKE_OK;
    if (device->base.desc.host_memory)
        return steps->words ? YOKE_OK : yk_check_breach(device, "launch", "no words of a queue");
    if (launch->last - launch->first >= YK_STEP_INDEXES_MOST || steps->offset % 256)
        return yk_check_breach(device, "launch", "a queue at %lld for %lld indexes",
                               (long long)steps->offset, (long long)(launch->last - launch->first));
    struct check_buffer *buffer = yk_check_find(device, CHECK_BUFFER, steps->buffer, "launch");
    if (!buffer)
        return YOKE_EINVAL;
    *use = (struct check_use){ .buffer = buffer, .by_kernel = 1 };
    return YOKE_OK;
}

/* Checks the arguments, and replaces their buffers by the backend's. One allocation holds them and
 * their uses. */
static yoke_status launch_args(const struct check_device *device,
                               const struct check_program *program, struct yk_launch *launch,
                               struct check_use **uses)
{
    const size_t count = (size_t)program->param_count, queue = count; /* the queue's use is the
                                                                       * last */
    if (count && !launch->args)
        return yk_check_breach(device, "launch", "no arguments for %d parameters",
                               program->param_count);
    struct yk_launch_arg *args = yk_calloc(1, count * sizeof *args + (count + 1) * sizeof **uses);
    if (!args)
        return YOKE_ENOMEM;
    *uses = (struct check_use *)(args + count);
    for (size_t p = 0; p < count; p++) {
        args[p] = launch->args[p];
        yoke_status status = launch_arg(device, &program->params[p], &args[p], &(*uses)[p]);
        if (status != YOKE_OK) {
            yk_free(args);
            return status;
        }
    }
    yoke_status status = launch_queue(device, program, launch, &(*uses)[queue]);
    if (status != YOKE_OK)
        yk_free(args);
    else
        launch->args = args;
    return status;
}

yoke_status yk_check_launch(struct yk_queue *handle, struct yk_program *program_handle,
                            const struct yk_launch *launch, struct yk_event **event)
{
    struct check_queue *queue = yk_check_call_queue(handle, "launch", 0);
    struct check_device *device = queue ? queue->object.device : NULL;
    struct check_program *program =
        device ? yk_check_find(device, CHECK_PROGRAM, program_handle, "launch") : NULL;
    struct check_use *uses = NULL;
    struct yk_launch inner = *launch;
    struct yk_step_launch steps;
    struct check_call call;
    if (!program)
        return YOKE_EINVAL;
    yoke_status status = launch_whole(device, launch);
    if (status == YOKE_OK)
        status = launch_args(device, program, &inner, &uses);
    if (status != YOKE_OK)
        return status;
    status = yk_check_call_open(
        &call, &(struct check_call_arguments){ "launch", queue, launch->after, launch->after_count,
                                               uses, program->param_count + 1 });
    if (launch->steps && status == YOKE_OK) {
        steps = *launch->steps;
        if (uses[program->param_count].buffer)
            steps.buffer = uses[program->param_count].buffer->inner;
        inner.steps = &steps;
    }
    if (status == YOKE_OK) {
        inner.after = call.after;
        inner.after_count = call.after_count;
        status = device->backend->launch(queue->inner, program->inner, &inner, &call.made);
        status = yk_check_call_close(&call, status, event);
    }
    yk_free((void *)inner.args);
    return status;
}
