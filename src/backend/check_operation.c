/* check_operation.c - copy, zero and launch: are the arguments whole, and is the order there.
 *
 * Each slot checks its own arguments, lists the memory it uses, and then goes the way all go:
 * call_open (queue, events, order, injected failure), the backend, call_close (what came back).
 */
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "check.h"

struct call {
    struct check_operation_spec spec;
    struct check_device *device;
    struct yk_event **after; /* the backend's own */
    int after_count;
    struct check_operation *operation;
    struct check_event *event; /* for the caller, ready before the backend is called; its past is
                                  that of the operation */
    struct yk_event *made;     /* the backend's */
    int was_lost, reads_peer;
};

struct call_arguments {
    const char *slot;
    struct check_queue *queue;
    struct yk_event *const *after;
    int after_count;
    const struct check_use *uses;
    int use_count;
    const struct check_device *peer; /* whose events may be in `after`, too */
};

/* The events' past joins the operation's; their inner handles go to call->after. */
static yoke_status after_take(struct call *call, const struct call_arguments *a)
{
    call->after_count = 0;
    if (a->after_count < 0 || (a->after_count && !a->after))
        return yk_check_breach(call->device, a->slot, "after_count is %d without a list",
                               a->after_count);
    if (!a->after_count)
        return YOKE_OK;
    call->after = yk_calloc((size_t)a->after_count, sizeof *call->after);
    if (!call->after)
        return YOKE_ENOMEM;
    for (int i = 0; i < a->after_count; i++) {
        if (!a->after[i])
            continue;
        struct check_event *event =
            yk_check_find(a->peer ? NULL : call->device, CHECK_EVENT, a->after[i], a->slot);
        if (!event)
            return YOKE_EINVAL;
        if (a->peer && event->object.device != call->device && event->object.device != a->peer)
            return yk_check_breach(call->device, a->slot, "an event of neither device in `after`");
        yk_check_past_add(&call->event->past, &event->past);
        call->after[call->after_count++] = event->inner;
    }
    return YOKE_OK;
}

static void call_free(struct call *call)
{
    yk_free(call->after);
    yk_free(call->operation);
    yk_free(call->event);
}

static yoke_status call_open(struct call *call, const struct call_arguments *a)
{
    *call = (struct call){ .device = a->queue->object.device };
    call->was_lost = atomic_load(&call->device->lost); /* first: others may lose it at any time */
    call->made = yk_check_untouched();
    call->event = yk_calloc(1, sizeof *call->event);
    if (!call->event)
        return YOKE_ENOMEM;
    yk_check_past_copy(&call->event->past, &a->queue->past);
    call->spec = (struct check_operation_spec){ .queue = a->queue,
                                                .past = &call->event->past,
                                                .uses = a->uses,
                                                .use_count = a->use_count,
                                                .slot = a->slot };
    yoke_status status = after_take(call, a);
    if (status != YOKE_OK)
        goto failed;
    status = yk_check_order(&call->spec, &call->operation);
    if (status != YOKE_OK)
        goto failed;
    status = yk_check_inject(call->device, a->slot);
    if (status != YOKE_OK)
        goto failed;
    status = yk_check_enter(call->device, a->slot);
    if (status == YOKE_OK)
        return YOKE_OK;
failed:
    call_free(call);
    return status;
}

/* The caller gets an event where the backend made one, so that the callers' path for operations
 * complete on return is taken here too. */
static yoke_status call_close(struct call *call, yoke_status status, struct yk_event **event)
{
    struct check_event *mine = call->event;
    unsigned allowed = 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE | 1u << YOKE_EINVAL;
    yk_check_leave(call->device);
    if (call->reads_peer)
        allowed |= 1u << YOKE_ELOST;
    status = yk_check_returned(call->device, &(struct check_return){ .slot = call->spec.slot,
                                                                     .status = status,
                                                                     .allowed = allowed,
                                                                     .made = call->made,
                                                                     .was_lost = call->was_lost });
    if (status != YOKE_OK) {
        call_free(call);
        return status;
    }
    yk_check_issued(&call->spec, call->operation, call->made != NULL);
    call->operation = NULL;
    if (!call->made) {
        if (event)
            *event = NULL;
        call_free(call);
        return YOKE_OK;
    }
    if (!event) {
        call->device->backend->event_close(call->made);
        call_free(call);
        return YOKE_OK;
    }
    mine->object = (struct check_object){ .kind = CHECK_EVENT, .device = call->device };
    mine->inner = call->made;
    yk_check_add(&mine->object);
    *event = (struct yk_event *)mine;
    yk_free(call->after);
    return YOKE_OK;
}

/* A range of a buffer as one more use. */
static yoke_status buffer_use(const struct check_device *device, const char *slot,
                              const struct yk_buffer *handle, struct check_use *use)
{
    struct check_buffer *buffer = yk_check_find(device, CHECK_BUFFER, handle, slot);
    int64_t offset = (int64_t)use->first, bytes = (int64_t)use->last;
    if (!buffer)
        return YOKE_EINVAL;
    if (offset < 0 || bytes < 1 || bytes > buffer->bytes || offset > buffer->bytes - bytes)
        return yk_check_breach(device, slot, "%lld bytes at offset %lld of a buffer of %lld",
                               (long long)bytes, (long long)offset, (long long)buffer->bytes);
    use->buffer = buffer;
    use->last = (uintptr_t)(offset + bytes);
    return yk_check_committed(buffer, slot, offset, offset + bytes);
}

/* The other side of a copy that the host is no part of; `peer` is the device it is on. */
static yoke_status source_use(const struct check_device *device, const struct check_device *peer,
                              const struct yk_copy *copy, struct check_use uses[2])
{
    yoke_status status;
    if (!peer)
        return YOKE_EINVAL;
    if (copy->kind == YK_COPY_PEER && (peer == device || !atomic_load(&device->reaches)))
        return yk_check_breach(device, "copy", "%s was not asked for with reach",
                               peer->base.desc.name);
    uses[1] = (struct check_use){ .first = (uintptr_t)copy->from_offset,
                                  .last = (uintptr_t)yk_copy_host_span(copy),
                                  .run = copy->rows > 1 ? copy->bytes : 0,
                                  .pitch = copy->host_pitch };
    status = buffer_use(peer, "copy", copy->from, &uses[1]);
    if (status == YOKE_OK && uses[0].buffer == uses[1].buffer && uses[0].first < uses[1].last &&
        uses[1].first < uses[0].last)
        return yk_check_breach(device, "copy", "source and destination overlap");
    return status;
}

/* The two sides of a copy. */
static yoke_status copy_uses(const struct check_device *device, const struct yk_copy *copy,
                             struct check_use uses[2])
{
    int out = copy->kind == YK_COPY_FROM_DEVICE;
    if (!yk_copy_rows_ok(copy))
        return yk_check_breach(device, "copy", "%lld rows of %lld bytes, %lld and %lld apart",
                               (long long)copy->rows, (long long)copy->bytes,
                               (long long)copy->pitch, (long long)copy->host_pitch);
    uses[0] = (struct check_use){ .first = (uintptr_t)copy->offset,
                                  .last = (uintptr_t)yk_copy_span(copy),
                                  .run = copy->rows > 1 ? copy->bytes : 0,
                                  .pitch = copy->pitch,
                                  .writes = !out };
    yoke_status status = buffer_use(device, "copy", copy->buffer, &uses[0]);
    if (status != YOKE_OK)
        return status;
    if (copy->kind == YK_COPY_TO_DEVICE || out) {
        uintptr_t host = (uintptr_t)copy->host;
        if (!copy->host)
            return yk_check_breach(device, "copy", "no host memory given");
        uses[1] = (struct check_use){ .first = host,
                                      .last = host + (uintptr_t)yk_copy_host_span(copy),
                                      .run = copy->rows > 1 ? copy->bytes : 0,
                                      .pitch = copy->host_pitch,
                                      .writes = out };
        return yk_check_in_one(device, copy->host, yk_copy_host_span(copy));
    }
    if (copy->kind != YK_COPY_WITHIN && copy->kind != YK_COPY_PEER)
        return yk_check_breach(device, "copy", "kind %d does not exist", (int)copy->kind);
    return source_use(
        device, copy->kind == YK_COPY_PEER ? yk_check_device_find(copy->peer, "copy") : device,
        copy, uses);
}

double yk_check_reach(struct yk_device *handle, struct yk_device *from_handle)
{
    struct check_device *device = yk_check_device_find(handle, "reach");
    struct check_device *from = yk_check_device_find(from_handle, "reach");
    double speed = 0;
    if (!device || !from)
        return 0;
    if (device == from || device->base.desc.backend != from->base.desc.backend) {
        yk_check_breach(device, "reach", "%s is no other device of its backend",
                        from->base.desc.name);
        return 0;
    }
    if (yk_check_enter(device, "reach") != YOKE_OK)
        return 0;
    if (yk_check_enter(from, "reach") == YOKE_OK) {
        speed = device->backend->reach(device->inner, from->inner);
        yk_check_leave(from);
    }
    yk_check_leave(device);
    if (speed < 0)
        yk_check_breach(device, "reach", "a speed of %g", speed);
    else if (speed > 0)
        atomic_store(&device->reaches, 1);
    return speed > 0 ? speed : 0;
}

static struct check_queue *queue_find(const struct yk_queue *handle, const char *slot,
                                      int needs_memory)
{
    struct check_queue *queue = yk_check_find(NULL, CHECK_QUEUE, handle, slot);
    if (!queue || !needs_memory || !queue->object.device->base.desc.host_memory)
        return queue;
    yk_check_breach(queue->object.device, slot, "not used on a device that works in host memory");
    return NULL;
}

yoke_status yk_check_copy(struct yk_queue *handle, const struct yk_copy *copy,
                          struct yk_event **event)
{
    struct check_queue *queue = queue_find(handle, "copy", 1);
    struct check_use uses[2];
    struct call call;
    if (!queue)
        return YOKE_EINVAL;
    yoke_status status = copy_uses(queue->object.device, copy, uses);
    if (status != YOKE_OK)
        return status;
    int by_host = copy->kind == YK_COPY_TO_DEVICE || copy->kind == YK_COPY_FROM_DEVICE;
    struct check_device *peer = copy->kind == YK_COPY_PEER ? uses[1].buffer->object.device : NULL;
    status = call_open(&call, &(struct call_arguments){ "copy", queue, copy->after,
                                                        copy->after_count, uses, 2, peer });
    if (status != YOKE_OK)
        return status;
    struct yk_copy inner = *copy;
    inner.buffer = uses[0].buffer->inner;
    inner.from = by_host ? NULL : uses[1].buffer->inner;
    inner.peer = peer ? peer->inner : NULL;
    inner.after = call.after;
    inner.after_count = call.after_count;
    call.reads_peer = peer != NULL;
    status = call.device->backend->copy(queue->inner, &inner, &call.made);
    return call_close(&call, status, event);
}

yoke_status yk_check_zero(struct yk_queue *handle, struct yk_buffer *buffer, int64_t offset,
                          int64_t bytes, struct yk_event **event)
{
    struct check_queue *queue = queue_find(handle, "zero", 1);
    struct check_use use = { .first = (uintptr_t)offset, .last = (uintptr_t)bytes, .writes = 1 };
    struct call call;
    if (!queue)
        return YOKE_EINVAL;
    yoke_status status = buffer_use(queue->object.device, "zero", buffer, &use);
    if (status != YOKE_OK)
        return status;
    status = call_open(&call, &(struct call_arguments){ "zero", queue, NULL, 0, &use, 1 });
    if (status != YOKE_OK)
        return status;
    status = call.device->backend->zero(queue->inner, use.buffer->inner, offset, bytes, &call.made);
    return call_close(&call, status, event);
}

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
        return yk_check_breach(device, "launch", "empty chunk %lld to %lld",
                               (long long)launch->first, (long long)launch->last);
    if (launch->extent[0] < 1 || launch->extent[1] < 1)
        return yk_check_breach(device, "launch", "extents %lld and %lld; they are 1 at least",
                               (long long)launch->extent[0], (long long)launch->extent[1]);
    /* There may be more threads than cores, but not than simulated ones. */
    if (device->base.desc.host_memory &&
        (launch->lane < 0 ||
         (device->base.desc.virtual_clock && launch->lane >= device->base.desc.lanes)))
        return yk_check_breach(device, "launch", "lane %d of %d", launch->lane,
                               device->base.desc.lanes);
    if (launch->team < 1)
        return yk_check_breach(device, "launch", "a team of %d", launch->team);
    return YOKE_OK;
}

/* A step kernel's. */
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

/* One block for both: arguments with the backend's buffers, and what they use. */
static yoke_status launch_args(const struct check_device *device,
                               const struct check_program *program, struct yk_launch *launch,
                               struct check_use **uses)
{
    const size_t count = (size_t)program->param_count, queue = count; /* its use is the last */
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
    struct check_queue *queue = queue_find(handle, "launch", 0);
    struct check_device *device = queue ? queue->object.device : NULL;
    struct check_program *program =
        device ? yk_check_find(device, CHECK_PROGRAM, program_handle, "launch") : NULL;
    struct check_use *uses = NULL;
    struct yk_launch inner = *launch;
    struct yk_step_launch steps;
    struct call call;
    if (!program)
        return YOKE_EINVAL;
    yoke_status status = launch_whole(device, launch);
    if (status == YOKE_OK)
        status = launch_args(device, program, &inner, &uses);
    if (status != YOKE_OK)
        return status;
    status = call_open(&call, &(struct call_arguments){ "launch", queue, launch->after,
                                                        launch->after_count, uses,
                                                        program->param_count + 1 });
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
        status = call_close(&call, status, event);
    }
    yk_free((void *)inner.args);
    return status;
}
