/* opencl_queue.c - in-order queues, copies and clearing.
 *
 * Every operation is flushed at once, because work in other queues and callbacks wait for its
 * start. A flush takes a few hundred ns, which is little compared with a chunk. Times are always
 * recorded (profiling), because schedulers need them.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "opencl.h"

yoke_status yk_opencl_queue_open(struct yk_device *base, struct yk_queue **out)
{
    struct yk_opencl_device *device = (struct yk_opencl_device *)base;
    yoke_status status = yk_opencl_alive(device);
    if (status != YOKE_OK)
        return status;
    struct yk_queue *queue = yk_calloc(1, sizeof *queue);
    if (!queue)
        return YOKE_ENOMEM;
    cl_int code;
    queue->device = device;
    queue->handle = device->cl->CreateCommandQueue(device->context, device->handle,
                                                   CL_QUEUE_PROFILING_ENABLE, &code);
    if (!queue->handle) {
        yk_free(queue);
        return yk_opencl_fail(device, code, "opening a queue");
    }
    *out = queue;
    return YOKE_OK;
}

void yk_opencl_queue_drain(struct yk_queue *queue)
{
    struct yk_event *last = NULL;
    /* With some drivers clFinish spins, so sleep until a marker's event is complete. */
    struct yk_opencl_operation marker = { queue, "ending a queue's work", &last, NULL };
    if (yk_opencl_operation_begin(&marker) == YOKE_OK &&
        yk_opencl_operation_end(
            &marker, queue->device->cl->EnqueueMarkerWithWaitList(
                         queue->handle, 0, NULL, yk_opencl_event_slot(marker.made))) == YOKE_OK)
        yk_opencl_wait(last);
    yk_opencl_event_close(last);
    if (yk_opencl_alive(queue->device) == YOKE_OK) /* a lost device may never finish */
        queue->device->cl->Finish(queue->handle);
}

void yk_opencl_queue_close(struct yk_queue *queue)
{
    if (!queue)
        return;
    yk_opencl_queue_drain(queue);
    queue->device->cl->ReleaseCommandQueue(queue->handle);
    yk_free(queue);
}

static cl_int enqueue_rows(struct yk_queue *queue, const struct yk_copy *copy,
                           const struct yk_opencl_waits *waits, cl_event *event)
{
    static const size_t host_origin[3];
    const struct yk_opencl_api *cl = queue->device->cl;
    const size_t pitch = (size_t)copy->pitch, offset = (size_t)copy->offset;
    const size_t origin[3] = { offset % pitch, offset / pitch, 0 };
    const size_t region[3] = { (size_t)copy->bytes, (size_t)copy->rows, 1 };
    if (copy->kind == YK_COPY_FROM_DEVICE)
        return cl->EnqueueReadBufferRect(queue->handle, copy->buffer->memory, 0, origin,
                                         host_origin, region, pitch, 0, (size_t)copy->host_pitch, 0,
                                         copy->host, waits->count, waits->list, event);
    return cl->EnqueueWriteBufferRect(queue->handle, copy->buffer->memory, 0, origin, host_origin,
                                      region, pitch, 0, (size_t)copy->host_pitch, 0, copy->host,
                                      waits->count, waits->list, event);
}

static cl_int enqueue_copy(struct yk_queue *queue, const struct yk_copy *copy,
                           const struct yk_opencl_waits *waits, cl_event *event)
{
    const struct yk_opencl_api *cl = queue->device->cl;
    size_t offset = (size_t)copy->offset, bytes = (size_t)copy->bytes;
    cl_mem memory = copy->buffer->memory;
    if (bytes == 0)
        return cl->EnqueueMarkerWithWaitList(queue->handle, waits->count, waits->list, event);
    if (copy->rows > 1)
        return enqueue_rows(queue, copy, waits, event);
    switch (copy->kind) {
    case YK_COPY_TO_DEVICE:
        return cl->EnqueueWriteBuffer(queue->handle, memory, 0, offset, bytes, copy->host,
                                      waits->count, waits->list, event);
    case YK_COPY_FROM_DEVICE:
        return cl->EnqueueReadBuffer(queue->handle, memory, 0, offset, bytes, copy->host,
                                     waits->count, waits->list, event);
    case YK_COPY_WITHIN:
        return cl->EnqueueCopyBuffer(queue->handle, copy->from->memory, memory,
                                     (size_t)copy->from_offset, offset, bytes, waits->count,
                                     waits->list, event);
    case YK_COPY_PEER: /* cannot be: there is no reach slot */
        break;
    }
    return CL_INVALID_VALUE;
}

static int inside(const struct yk_buffer *buffer, int64_t offset, int64_t bytes)
{
    return buffer && offset >= 0 && bytes >= 0 && offset <= buffer->bytes - bytes;
}

yoke_status yk_opencl_copy(struct yk_queue *queue, const struct yk_copy *copy,
                           struct yk_event **event)
{
    struct yk_opencl_operation operation = { queue, "copying", event, NULL };
    struct yk_opencl_waits waits;
    yoke_status status = yk_opencl_alive(queue->device);
    if (status != YOKE_OK)
        return status;
    if (!yk_copy_rows_ok(copy) || !inside(copy->buffer, copy->offset, yk_copy_span(copy)) ||
        (copy->kind == YK_COPY_WITHIN && !inside(copy->from, copy->from_offset, copy->bytes)))
        return yk_fail(YOKE_EINVAL, "%s: a copy of %lld bytes at %lld leaves its buffer",
                       queue->device->base.desc.name, (long long)copy->bytes,
                       (long long)copy->offset);
    status = yk_opencl_waits_open(&waits, queue, copy->after, copy->after_count);
    if (status != YOKE_OK)
        return status;
    status = yk_opencl_operation_begin(&operation);
    if (status == YOKE_OK)
        status = yk_opencl_operation_end(
            &operation, enqueue_copy(queue, copy, &waits, yk_opencl_event_slot(operation.made)));
    yk_opencl_waits_close(&waits);
    return status;
}

yoke_status yk_opencl_zero(struct yk_queue *queue, const struct yk_buffer_range *range,
                           struct yk_event **event)
{
    static const cl_uint zeros[4];
    struct yk_opencl_operation operation = { queue, "clearing memory", event, NULL };
    yoke_status status = yk_opencl_alive(queue->device);
    if (status != YOKE_OK)
        return status;
    if (!inside(range->buffer, range->offset, range->bytes))
        return yk_fail(YOKE_EINVAL, "%s: clearing %lld bytes at %lld leaves the buffer",
                       queue->device->base.desc.name, (long long)range->bytes,
                       (long long)range->offset);
    status = yk_opencl_operation_begin(&operation);
    if (status != YOKE_OK)
        return status;
    /* The pattern size must divide offset and bytes; the largest is the fastest. */
    size_t pattern = sizeof zeros;
    while ((range->offset | range->bytes) & (int64_t)(pattern - 1))
        pattern /= 2;
    cl_event *slot = yk_opencl_event_slot(operation.made);
    const struct yk_opencl_api *cl = queue->device->cl;
    cl_int code = range->bytes ? cl->EnqueueFillBuffer(queue->handle, range->buffer->memory, zeros,
                                                       pattern, (size_t)range->offset,
                                                       (size_t)range->bytes, 0, NULL, slot)
                               : cl->EnqueueMarkerWithWaitList(queue->handle, 0, NULL, slot);
    return yk_opencl_operation_end(&operation, code);
}
