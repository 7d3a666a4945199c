/* check_operation.c - copy, zero and reach: checks that the arguments are valid and the memory
 * exists. */
#include "check_call.h"

/* Completes *use for a range of a buffer: on entry first is its offset, last its number of
 * bytes. */
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

/* Makes the use of the source of a copy WITHIN or PEER; `peer` is the device that has it. */
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

/* Makes the uses of both sides of a copy. */
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

yoke_status yk_check_copy(struct yk_queue *handle, const struct yk_copy *copy,
                          struct yk_event **event)
{
    struct check_queue *queue = yk_check_call_queue(handle, "copy", 1);
    struct check_use uses[2];
    struct check_call call;
    if (!queue)
        return YOKE_EINVAL;
    yoke_status status = copy_uses(queue->object.device, copy, uses);
    if (status != YOKE_OK)
        return status;
    int by_host = copy->kind == YK_COPY_TO_DEVICE || copy->kind == YK_COPY_FROM_DEVICE;
    struct check_device *peer = copy->kind == YK_COPY_PEER ? uses[1].buffer->object.device : NULL;
    status = yk_check_call_open(&call,
                                &(struct check_call_arguments){ "copy", queue, copy->after,
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
    return yk_check_call_close(&call, status, event);
}

yoke_status yk_check_zero(struct yk_queue *handle, const struct yk_buffer_range *range,
                          struct yk_event **event)
{
    struct check_queue *queue = yk_check_call_queue(handle, "zero", 1);
    struct check_use use = { .first = (uintptr_t)range->offset,
                             .last = (uintptr_t)range->bytes,
                             .writes = 1 };
    struct check_call call;
    if (!queue)
        return YOKE_EINVAL;
    yoke_status status = buffer_use(queue->object.device, "zero", range->buffer, &use);
    if (status != YOKE_OK)
        return status;
    status = yk_check_call_open(&call,
                                &(struct check_call_arguments){ "zero", queue, NULL, 0, &use, 1 });
    if (status != YOKE_OK)
        return status;
    status = call.device->backend->zero(
        queue->inner, &(struct yk_buffer_range){ use.buffer->inner, range->offset, range->bytes },
        &call.made);
    return yk_check_call_close(&call, status, event);
}
