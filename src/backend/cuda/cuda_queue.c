/* cuda_queue.c - streams, copies and clearing.
 *
 * Streams do not synchronise with the null stream, which belongs to the program.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "cuda.h"

yoke_status yk_cuda_queue_open(struct yk_device *base, struct yk_queue **out)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    struct yk_queue *queue = yk_calloc(1, sizeof *queue);
    if (!queue)
        return YOKE_ENOMEM;
    yoke_status status = yk_cuda_enter(device);
    if (status != YOKE_OK) {
        yk_free(queue);
        return status;
    }
    queue->device = device;
    CUresult code = device->cu->StreamCreate(&queue->stream, CU_STREAM_NON_BLOCKING);
    yk_cuda_leave(device);
    if (code != CUDA_SUCCESS) {
        yk_free(queue);
        return yk_cuda_fail(device, code, "opening a queue");
    }
    *out = queue;
    return YOKE_OK;
}

/* cuStreamSynchronize sleeps (CU_CTX_SCHED_BLOCKING_SYNC); on a lost device it returns at once. */
void yk_cuda_queue_release(struct yk_queue *queue)
{
    if (!queue)
        return;
    if (yk_cuda_enter_anyway(queue->device)) {
        queue->device->cu->StreamSynchronize(queue->stream);
        queue->device->cu->StreamDestroy(queue->stream);
        yk_cuda_leave(queue->device);
    }
    yk_free(queue);
}

/* When it returns, the caller may free the contexts of notify functions for this queue. */
void yk_cuda_queue_close(struct yk_queue *queue)
{
    struct yk_cuda_device *device = queue ? queue->device : NULL;
    yk_cuda_queue_release(queue);
    if (device)
        yk_cuda_watcher_drain(device);
}

/* Largest pitch of a copy of rows, in bytes: the smallest CU_DEVICE_ATTRIBUTE_MAX_PITCH known. */
static const int64_t most_pitch = INT32_MAX;

static CUresult enqueue_run(const struct yk_queue *queue, const struct yk_copy *copy)
{
    const struct yk_cuda_api *cu = queue->device->cu;
    CUdeviceptr address = copy->buffer->address + (CUdeviceptr)copy->offset;
    size_t bytes = (size_t)copy->bytes;
    if (bytes == 0)
        return CUDA_SUCCESS;
    switch (copy->kind) {
    case YK_COPY_TO_DEVICE:
        return cu->MemcpyHtoDAsync(address, copy->host, bytes, queue->stream);
    case YK_COPY_FROM_DEVICE:
        return cu->MemcpyDtoHAsync(copy->host, address, bytes, queue->stream);
    case YK_COPY_WITHIN:
        return cu->MemcpyDtoDAsync(address, copy->from->address + (CUdeviceptr)copy->from_offset,
                                   bytes, queue->stream);
    case YK_COPY_PEER:
        return yk_cuda_copy_peer(queue, copy);
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult enqueue_rows(const struct yk_queue *queue, const struct yk_copy *copy)
{
    const CUmemcpySide other = copy->kind == YK_COPY_PEER
                                   ? yk_cuda_peer_side(copy)
                                   : (CUmemcpySide){ .type = CU_MEMORYTYPE_HOST,
                                                     .host = copy->host,
                                                     .pitch = (size_t)copy->host_pitch };
    const CUmemcpySide device = { .type = CU_MEMORYTYPE_DEVICE,
                                  .device = copy->buffer->address + (CUdeviceptr)copy->offset,
                                  .pitch = (size_t)copy->pitch };
    const int out = copy->kind == YK_COPY_FROM_DEVICE;
    const CUDA_MEMCPY2D both = { .from = out ? device : other,
                                 .to = out ? other : device,
                                 .row_bytes = (size_t)copy->bytes,
                                 .rows = (size_t)copy->rows };
    return queue->device->cu->Memcpy2DAsync(&both, queue->stream);
}

static CUresult enqueue_copy(const struct yk_queue *queue, const struct yk_copy *copy)
{
    struct yk_copy run = *copy;
    CUresult code = CUDA_SUCCESS;
    int64_t row;
    if (copy->rows <= 1)
        return enqueue_run(queue, copy);
    if (copy->pitch <= most_pitch && copy->host_pitch <= most_pitch)
        return enqueue_rows(queue, copy);
    for (row = 0; row < copy->rows && code == CUDA_SUCCESS; row++) {
        run.offset = copy->offset + row * copy->pitch;
        run.host = (char *)copy->host + row * copy->host_pitch;
        run.from_offset = copy->from_offset + row * copy->host_pitch;
        code = enqueue_run(queue, &run);
    }
    return code;
}

static int inside(const struct yk_buffer *buffer, int64_t offset, int64_t bytes)
{
    return buffer && offset >= 0 && bytes >= 0 && offset <= buffer->bytes - bytes;
}

yoke_status yk_cuda_copy(struct yk_queue *queue, const struct yk_copy *copy,
                         struct yk_event **event)
{
    struct yk_cuda_operation operation = { .queue = queue,
                                           .what = "copying",
                                           .after = copy->after,
                                           .after_count = copy->after_count,
                                           .timed = copy->timed,
                                           .passing = copy->passing,
                                           .event = event };
    if (!yk_copy_rows_ok(copy) || !inside(copy->buffer, copy->offset, yk_copy_span(copy)) ||
        ((copy->kind == YK_COPY_WITHIN || copy->kind == YK_COPY_PEER) &&
         !inside(copy->from, copy->from_offset, yk_copy_host_span(copy))))
        return yk_fail(YOKE_EINVAL, "%s: a copy of %lld bytes at %lld leaves its buffer",
                       queue->device->base.desc.name, (long long)copy->bytes,
                       (long long)copy->offset);
    yoke_status status = copy->kind == YK_COPY_PEER ? yk_cuda_peer_ready(queue, copy) : YOKE_OK;
    if (status == YOKE_OK)
        status = yk_cuda_enter(queue->device);
    if (status != YOKE_OK)
        return status;
    status = yk_cuda_operation_begin(&operation);
    if (status == YOKE_OK)
        status = yk_cuda_operation_end(&operation, enqueue_copy(queue, copy));
    yk_cuda_leave(queue->device);
    return status;
}

yoke_status yk_cuda_zero(struct yk_queue *queue, const struct yk_buffer_range *range,
                         struct yk_event **event)
{
    struct yk_cuda_operation operation = { .queue = queue,
                                           .what = "clearing memory",
                                           .event = event };
    if (!inside(range->buffer, range->offset, range->bytes))
        return yk_fail(YOKE_EINVAL, "%s: clearing %lld bytes at %lld leaves the buffer",
                       queue->device->base.desc.name, (long long)range->bytes,
                       (long long)range->offset);
    yoke_status status = yk_cuda_enter(queue->device);
    if (status != YOKE_OK)
        return status;
    status = yk_cuda_operation_begin(&operation);
    if (status == YOKE_OK) {
        CUresult code = CUDA_SUCCESS;
        if (range->bytes)
            code = queue->device->cu->MemsetD8Async(range->buffer->address +
                                                        (CUdeviceptr)range->offset,
                                                    0, (size_t)range->bytes, queue->stream);
        status = yk_cuda_operation_end(&operation, code);
    }
    yk_cuda_leave(queue->device);
    return status;
}
