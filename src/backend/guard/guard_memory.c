/* guard_memory.c - memory of the guard device: host memory between pages that cannot be touched. */
#include <string.h>
#include <sys/mman.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "guard.h"

/* Addresses without memory before and after each buffer: for an access there, the report names the
 * array. */
enum { MARGIN_BYTES = 64 << 20 };
/* Memory that was never written is NaN as float and double, and not a valid index. */
enum { POISON = 0xFF };

unsigned char *yk_guard_map(int64_t bytes, int64_t open)
{
    const size_t all = (size_t)bytes + 2 * (size_t)MARGIN_BYTES;
    unsigned char *memory;
    if (yk_alloc_due())
        return NULL;
    memory = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (open == 0 || mprotect(memory + MARGIN_BYTES, (size_t)open, PROT_READ | PROT_WRITE) == 0)
        return memory + MARGIN_BYTES;
    munmap(memory, all);
    return NULL;
}

void yk_guard_unmap(unsigned char *memory, int64_t bytes)
{
    if (memory)
        munmap(memory - MARGIN_BYTES, (size_t)bytes + 2 * (size_t)MARGIN_BYTES);
}

yoke_status yk_guard_alloc(struct yk_device *base, int64_t bytes, struct yk_buffer **out)
{
    struct guard_device *device = (struct guard_device *)base;
    struct yk_buffer *buffer;
    if (bytes < 1)
        return yk_fail(YOKE_EINVAL, "%s: %lld bytes of memory were asked for", base->desc.name,
                       (long long)bytes);
    if (bytes > base->desc.memory_bytes - device->used)
        return yk_fail(YOKE_ENOMEM, "%s has %lld bytes of memory left, %lld are needed",
                       base->desc.name, (long long)(base->desc.memory_bytes - device->used),
                       (long long)bytes);
    buffer = yk_calloc(1, sizeof *buffer);
    if (!buffer)
        return YOKE_ENOMEM;
    *buffer = (struct yk_buffer){ .device = device, .bytes = bytes };
    buffer->mapped = (bytes + device->page - 1) / device->page * device->page;
    buffer->data = yk_guard_map(buffer->mapped, buffer->mapped);
    if (!buffer->data) {
        yk_free(buffer);
        return yk_fail(YOKE_ENOMEM, "%s: no host memory for %lld bytes; use smaller arrays",
                       base->desc.name, (long long)bytes);
    }
    memset(buffer->data, POISON, (size_t)bytes);
    buffer->next = device->buffers;
    device->buffers = buffer;
    device->used += bytes;
    *out = buffer;
    return YOKE_OK;
}

void yk_guard_free(struct yk_device *base, struct yk_buffer *buffer)
{
    struct guard_device *device = (struct guard_device *)base;
    struct yk_buffer **at = &device->buffers;
    if (!buffer)
        return;
    while (*at != buffer)
        at = &(*at)->next;
    *at = buffer->next;
    device->used -= buffer->bytes;
    yk_guard_views_close(buffer);
    yk_guard_unmap(buffer->data, buffer->mapped);
    yk_free(buffer);
}

int64_t yk_guard_memory_free(struct yk_device *base)
{
    return base->desc.memory_bytes - ((struct guard_device *)base)->used;
}

static int is_inside(const struct yk_buffer *buffer, int64_t offset, int64_t bytes)
{
    return buffer && bytes >= 1 && offset >= 0 && bytes <= buffer->bytes &&
           offset <= buffer->bytes - bytes;
}

yoke_status yk_guard_copy(struct yk_queue *queue, const struct yk_copy *copy,
                          struct yk_event **event)
{
    const int out = copy->kind == YK_COPY_FROM_DEVICE, within = copy->kind == YK_COPY_WITHIN;
    unsigned char *here, *there;
    int64_t row = 0;
    if (!yk_copy_rows_ok(copy) || copy->kind == YK_COPY_PEER ||
        !is_inside(copy->buffer, copy->offset, yk_copy_span(copy)) ||
        (within && !is_inside(copy->from, copy->from_offset, copy->bytes)) ||
        (!within && !copy->host))
        return yk_fail(YOKE_EINVAL, "%s: a copy of %lld bytes lies outside its buffers",
                       queue->device->base.desc.name, (long long)copy->bytes);
    here = copy->buffer->data + copy->offset;
    there = within ? copy->from->data + copy->from_offset : copy->host;
    do {
        memcpy(out ? there : here, out ? here : there, (size_t)copy->bytes);
        here += copy->pitch;
        there += copy->host_pitch;
    } while (++row < copy->rows);
    if (event)
        *event = NULL;
    return YOKE_OK;
}

yoke_status yk_guard_zero(struct yk_queue *queue, const struct yk_buffer_range *range,
                          struct yk_event **event)
{
    if (!is_inside(range->buffer, range->offset, range->bytes))
        return yk_fail(YOKE_EINVAL, "%s: %lld bytes to set to zero lie outside their buffer",
                       queue->device->base.desc.name, (long long)range->bytes);
    memset(range->buffer->data + range->offset, 0, (size_t)range->bytes);
    if (event)
        *event = NULL;
    return YOKE_OK;
}
