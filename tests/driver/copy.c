/* copy.c - copies and clearing: work for streams.
 *
 * Pinned host memory is read and written while the stream runs. A caller that does not wait sees
 * what a real GPU would do to that memory, and a race detector reports it. Other host memory is
 * copied aside before the call returns, or the call lasts as long as the copy. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

struct copy_work {
    struct standin_work work;
    void *to;
    const void *from;   /* NULL: clear */
    size_t bytes, rows; /* rows > 1: that many pieces of `bytes` each */
    size_t to_pitch, from_pitch;
    int value;
    unsigned char aside[]; /* copy of the source, if it is host memory that is not pinned */
};

static void copy_rows(const struct copy_work *copy)
{
    for (size_t row = 0; row < copy->rows; row++)
        memcpy((char *)copy->to + row * copy->to_pitch,
               (const char *)copy->from + row * copy->from_pitch, copy->bytes);
}

static CUresult run_copy(struct standin_work *work)
{
    const struct copy_work *copy = (const struct copy_work *)work;
    CUresult code = standin_due_later();
    if (code != CUDA_SUCCESS)
        return code;
    if (copy->from && copy->rows > 1)
        copy_rows(copy);
    else if (copy->from)
        memcpy(copy->to, copy->from, copy->bytes);
    else
        memset(copy->to, copy->value, copy->bytes);
    return CUDA_SUCCESS;
}

static void *device_memory(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* The common part of all copies. The caller fills in the rest of *made and adds it. */
static CUresult prepare(const char *function, CUstream stream, size_t aside,
                        struct copy_work **made)
{
    CUcontext context;
    CUresult code = standin_enter(function, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!stream)
        return STANDIN_INVALID_HANDLE;
    *made = calloc(1, sizeof **made + aside);
    if (!*made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*made)->work.run = run_copy;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    struct copy_work *copy;
    enum standin_host kind = standin_host_kind(from, bytes);
    CUresult code = prepare(__func__, stream, kind == STANDIN_PAGEABLE ? bytes : 0, &copy);
    if (code != CUDA_SUCCESS)
        return code;
    if (kind == STANDIN_CROSSING || !standin_ranges_cover(to, bytes)) {
        free(copy);
        return CUDA_ERROR_INVALID_VALUE;
    }
    copy->to = device_memory(to);
    copy->from = from;
    copy->bytes = bytes;
    if (kind == STANDIN_PAGEABLE)
        copy->from = memcpy(copy->aside, from, bytes);
    standin_stream_add(stream, &copy->work);
    return code;
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    struct copy_work *copy;
    enum standin_host kind = standin_host_kind(to, bytes);
    CUresult code = prepare(__func__, stream, 0, &copy);
    if (code != CUDA_SUCCESS)
        return code;
    if (kind == STANDIN_CROSSING || !standin_ranges_cover(from, bytes)) {
        free(copy);
        return CUDA_ERROR_INVALID_VALUE;
    }
    copy->to = to;
    copy->from = device_memory(from);
    copy->bytes = bytes;
    standin_stream_add(stream, &copy->work);
    if (kind == STANDIN_PINNED)
        return code;
    standin_stream_wait(stream);
    return standin_health(standin_stream_context(stream));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return standin_copy_add(__func__, stream, to, from, bytes);
}

CUresult standin_copy_add(const char *function, CUstream stream, CUdeviceptr to, CUdeviceptr from,
                          size_t bytes)
{
    struct copy_work *copy;
    CUresult code = prepare(function, stream, 0, &copy);
    if (code != CUDA_SUCCESS)
        return code;
    if (!standin_ranges_cover(to, bytes) || !standin_ranges_cover(from, bytes)) {
        free(copy);
        return CUDA_ERROR_INVALID_VALUE;
    }
    copy->to = device_memory(to);
    copy->from = device_memory(from);
    copy->bytes = bytes;
    standin_stream_add(stream, &copy->work);
    return code;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream)
{
    struct copy_work *copy;
    CUresult code = prepare(__func__, stream, 0, &copy);
    if (code != CUDA_SUCCESS)
        return code;
    if (!standin_ranges_cover(to, bytes)) {
        free(copy);
        return CUDA_ERROR_INVALID_VALUE;
    }
    copy->to = device_memory(to);
    copy->value = value;
    copy->bytes = bytes;
    standin_stream_add(stream, &copy->work);
    return code;
}

/* True for arguments that a driver would refuse, and for kinds of sides that yoke does not use. */
static int rows_are_wrong(const CUDA_MEMCPY2D *rows)
{
    const CUmemcpySide *sides[] = { &rows->from, &rows->to };
    int hosts = 0;
    for (int i = 0; i < 2; i++) {
        if (sides[i]->x_bytes || sides[i]->y || sides[i]->pitch < rows->row_bytes ||
            sides[i]->pitch > INT_MAX)
            return 1;
        hosts += sides[i]->type == CU_MEMORYTYPE_HOST;
    }
    return hosts > 1 || !rows->row_bytes || !rows->rows;
}

static size_t span(const CUDA_MEMCPY2D *rows, const CUmemcpySide *side)
{
    return (rows->rows - 1) * side->pitch + rows->row_bytes;
}

/* Between two devices, or within one. */
static CUresult rows_within(const CUDA_MEMCPY2D *rows, CUstream stream)
{
    struct copy_work *copy;
    CUresult code = prepare("cuMemcpy2DAsync", stream, 0, &copy);
    if (code != CUDA_SUCCESS)
        return code;
    const int device = standin_device_of(standin_stream_context(stream));
    if (!standin_ranges_open_to(device, rows->from.device, span(rows, &rows->from)) ||
        !standin_ranges_open_to(device, rows->to.device, span(rows, &rows->to))) {
        free(copy);
        return CUDA_ERROR_INVALID_VALUE;
    }
    copy->to = device_memory(rows->to.device);
    copy->from = device_memory(rows->from.device);
    copy->to_pitch = rows->to.pitch;
    copy->from_pitch = rows->from.pitch;
    copy->bytes = rows->row_bytes;
    copy->rows = rows->rows;
    standin_stream_add(stream, &copy->work);
    return code;
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *rows, CUstream stream)
{
    const int up = rows->from.type == CU_MEMORYTYPE_HOST;
    const CUmemcpySide *host = up ? &rows->from : &rows->to, *device = up ? &rows->to : &rows->from;
    struct copy_work *copy;
    if (rows_are_wrong(rows))
        return CUDA_ERROR_INVALID_VALUE;
    if (device->type == CU_MEMORYTYPE_DEVICE && host->type == CU_MEMORYTYPE_DEVICE)
        return rows_within(rows, stream);
    enum standin_host kind = standin_host_kind(host->host, span(rows, host));
    const size_t aside = up && kind == STANDIN_PAGEABLE ? span(rows, host) : 0;
    CUresult code = prepare(__func__, stream, aside, &copy);
    if (code != CUDA_SUCCESS)
        return code;
    if (kind == STANDIN_CROSSING || !standin_ranges_cover(device->device, span(rows, device))) {
        free(copy);
        return CUDA_ERROR_INVALID_VALUE;
    }
    copy->to = up ? device_memory(device->device) : (void *)host->host;
    copy->from = up ? host->host : device_memory(device->device);
    copy->to_pitch = rows->to.pitch;
    copy->from_pitch = rows->from.pitch;
    copy->bytes = rows->row_bytes;
    copy->rows = rows->rows;
    if (aside)
        copy->from = memcpy(copy->aside, host->host, aside);
    standin_stream_add(stream, &copy->work);
    if (up || kind == STANDIN_PINNED)
        return code;
    standin_stream_wait(stream);
    return standin_health(standin_stream_context(stream));
}
