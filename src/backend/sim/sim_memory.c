/* sim_memory.c - memory of virtual devices: real host memory, limited to the device's `mem`.
 *
 * It is filled with poison, so that a read of unwritten memory shows. If pages are mapped on
 * demand, an unmapped page is poison, too, and must still be poison when an operation has ended.
 * With results=no nothing touches the memory, so the system gives it no pages.
 */
#include <string.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "sim.h"

static int64_t pages_of(const struct sim_device *device, int64_t bytes)
{
    return (bytes + device->settings.pages - 1) / device->settings.pages;
}

void yk_sim_poison(struct yk_buffer *buffer, int64_t offset, int64_t bytes)
{
    if (buffer->device->settings.results)
        memset(buffer->data + offset, YK_SIM_POISON, (size_t)bytes);
}

static struct yk_buffer *buffer_new(struct sim_device *device, int64_t bytes)
{
    struct yk_buffer *buffer = yk_calloc(1, sizeof *buffer);
    if (!buffer)
        return NULL;
    *buffer = (struct yk_buffer){ .device = device, .bytes = bytes };
    buffer->data = yk_alloc_aligned((size_t)bytes, 4096);
    if (!buffer->data)
        goto free_buffer;
    if (device->settings.pages) {
        buffer->mapped = yk_calloc((size_t)pages_of(device, bytes), 1);
        if (!buffer->mapped)
            goto free_data;
    }
    yk_sim_poison(buffer, 0, bytes);
    return buffer;
free_data:
    yk_free(buffer->data);
free_buffer:
    yk_free(buffer);
    return NULL;
}

enum sim_taking { SIM_ALL, SIM_ADDRESSES };

static yoke_status take(struct sim_device *device, int64_t bytes, enum sim_taking taking,
                        struct yk_buffer **out)
{
    struct yk_device *base = &device->base;
    yk_lock(&yk_sim.mutex);
    int lost = device->lost;
    int64_t available =
        taking == SIM_ADDRESSES ? INT64_MAX : device->settings.memory - device->memory_used;
    yk_unlock(&yk_sim.mutex);
    if (lost)
        return yk_sim_lost(device);
    if (bytes < 1)
        return yk_fail(YOKE_EINVAL, "%s: %lld bytes of memory were asked for", base->desc.name,
                       (long long)bytes);
    if (bytes > available)
        return yk_fail(YOKE_ENOMEM,
                       "%s has %lld bytes of memory left, %lld are needed; free some "
                       "or use smaller chunks",
                       base->desc.name, (long long)available, (long long)bytes);
    struct yk_buffer *buffer = buffer_new(device, bytes);
    if (!buffer)
        return YOKE_ENOMEM;
    yk_lock(&yk_sim.mutex);
    buffer->next = device->buffers;
    device->buffers = buffer;
    buffer->reserved = taking == SIM_ADDRESSES;
    device->memory_used += buffer->reserved ? 0 : bytes;
    yk_unlock(&yk_sim.mutex);
    *out = buffer;
    return YOKE_OK;
}

yoke_status yk_sim_alloc(struct yk_device *base, int64_t bytes, struct yk_buffer **out)
{
    return take((struct sim_device *)base, bytes, SIM_ALL, out);
}

yoke_status yk_sim_reserve(struct yk_device *base, int64_t bytes, struct yk_buffer **out)
{
    return take((struct sim_device *)base, bytes, SIM_ADDRESSES, out);
}

/* Bytes of the buffer on page `page`; the last page may be shorter. */
static int64_t page_bytes(const struct yk_buffer *buffer, int64_t page)
{
    int64_t size = buffer->device->settings.pages, left = buffer->bytes - page * size;
    return left < size ? left : size;
}

/* Bytes of memory that the page takes. As with real drivers, buffers of reserved addresses take
 * whole pages. */
static int64_t taken_bytes(const struct yk_buffer *buffer, int64_t page)
{
    return buffer->reserved ? buffer->device->settings.pages : page_bytes(buffer, page);
}

static int64_t mapped_bytes(const struct yk_buffer *buffer)
{
    int64_t bytes = 0;
    for (int64_t page = 0; buffer->mapped && page < pages_of(buffer->device, buffer->bytes); page++)
        bytes += buffer->mapped[page] ? taken_bytes(buffer, page) : 0;
    return bytes;
}

void yk_sim_free(struct yk_device *base, struct yk_buffer *buffer)
{
    struct sim_device *device = (struct sim_device *)base;
    if (!buffer)
        return;
    yk_lock(&yk_sim.mutex);
    struct yk_buffer **at = &device->buffers;
    while (*at != buffer)
        at = &(*at)->next;
    *at = buffer->next;
    device->memory_used -= buffer->reserved ? mapped_bytes(buffer) : buffer->bytes;
    device->memory_mapped -= mapped_bytes(buffer);
    yk_unlock(&yk_sim.mutex);
    yk_free(buffer->mapped);
    yk_free(buffer->data);
    yk_free(buffer);
}

int64_t yk_sim_memory_free(struct yk_device *base)
{
    struct sim_device *device = (struct sim_device *)base;
    yk_lock(&yk_sim.mutex);
    int64_t bytes = device->lost ? 0 : device->settings.memory - device->memory_used;
    yk_unlock(&yk_sim.mutex);
    return bytes;
}

/* Lock held. Returns the bytes of pages first .. last - 1 that are not mapped yet. */
static int64_t missing_bytes(const struct yk_buffer *buffer, int64_t first, int64_t last)
{
    int64_t bytes = 0;
    for (int64_t page = first; page < last; page++)
        bytes += buffer->mapped[page] ? 0 : taken_bytes(buffer, page);
    return bytes;
}

yoke_status yk_sim_commit(struct yk_device *base, struct yk_buffer *buffer, int64_t offset,
                          int64_t bytes)
{
    struct sim_device *device = (struct sim_device *)base;
    yoke_status status = YOKE_OK;
    if (!buffer || bytes < 1 || offset < 0 || bytes > buffer->bytes ||
        offset > buffer->bytes - bytes)
        return yk_fail(YOKE_EINVAL, "%s: %lld bytes to commit lie outside their buffer",
                       base->desc.name, (long long)bytes);
    int64_t first = offset / device->settings.pages, last = pages_of(device, offset + bytes);
    yk_lock(&yk_sim.mutex);
    int lost = device->lost;
    int64_t missing = missing_bytes(buffer, first, last);
    int64_t left = device->settings.memory - device->settings.taken - device->memory_mapped;
    if (buffer->reserved && left > device->settings.memory - device->memory_used)
        left = device->settings.memory - device->memory_used;
    if (lost)
        status = yk_sim_lost(device);
    else if (missing > left)
        status = yk_fail(YOKE_ENOMEM, "%s: pages for %lld bytes are needed, others have the memory",
                         base->desc.name, (long long)missing);
    if (status == YOKE_OK) {
        memset(buffer->mapped + first, 1, (size_t)(last - first));
        device->memory_mapped += missing;
        device->memory_used += buffer->reserved ? missing : 0;
    }
    yk_unlock(&yk_sim.mutex);
    return status;
}

void yk_sim_decommit(struct yk_device *base, struct yk_buffer *buffer, int64_t offset,
                     int64_t bytes)
{
    struct sim_device *device = (struct sim_device *)base;
    int64_t size = device->settings.pages, first = (offset + size - 1) / size;
    int64_t last =
        offset + bytes == buffer->bytes ? pages_of(device, buffer->bytes) : (offset + bytes) / size;
    yk_lock(&yk_sim.mutex);
    for (int64_t page = first; page < last; page++) {
        if (!buffer->mapped[page])
            continue;
        buffer->mapped[page] = 0;
        yk_sim_poison(buffer, page * size, page_bytes(buffer, page));
        device->memory_mapped -= taken_bytes(buffer, page);
        device->memory_used -= taken_bytes(buffer, page);
    }
    yk_unlock(&yk_sim.mutex);
}

int yk_sim_is_mapped(const struct yk_buffer *buffer, int64_t offset, int64_t bytes)
{
    int64_t size = buffer->device->settings.pages;
    for (int64_t page = buffer->mapped ? offset / size : INT64_MAX;
         buffer->mapped && page * size < offset + bytes; page++)
        if (!buffer->mapped[page])
            return 0;
    return 1;
}

static int page_is_poison(const struct yk_buffer *buffer, int64_t page)
{
    const unsigned char *data = buffer->data + page * buffer->device->settings.pages;
    int64_t bytes = page_bytes(buffer, page);
    return data[0] == YK_SIM_POISON && memcmp(data, data + 1, (size_t)(bytes - 1)) == 0;
}

int yk_sim_strayed(const struct sim_device *device)
{
    const struct yk_buffer *buffer = device->settings.results ? device->buffers : NULL;
    for (; buffer; buffer = buffer->next)
        for (int64_t page = 0; buffer->mapped && page < pages_of(device, buffer->bytes); page++)
            if (!buffer->mapped[page] && !page_is_poison(buffer, page))
                return 1;
    return 0;
}
