/* check_memory.c - device memory behind the wrapper: buffers, and which of their bytes may be used.
 *
 * If the backend maps pages on demand, bytes that were never committed may not be copied or zeroed,
 * even if a page around them happens to be mapped: a caller that relies on the page size would fail
 * on the next device. What a kernel touches is not known here; the sim backend checks that.
 */
#include "../../base/alloc.h"
#include "../../base/process_lock.h"
#include "../../base/status.h"
#include "../../platform/thread.h"
#include "check.h"

/* Guards the lists of committed ranges: one device may commit pages while another copies from pages
 * that were committed before. */
static struct yk_process_lock ranges_lock = YK_PROCESS_LOCK_INITIAL;

/* A slot that makes a buffer, and its name. */
struct making {
    const char *slot;
    yoke_status (*make)(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
};

static yoke_status make(struct check_device *device, const struct making *making, int64_t bytes,
                        struct yk_buffer **out)
{
    if (device->base.desc.host_memory)
        return yk_check_breach(device, making->slot,
                               "not used on a device that works in host memory");
    if (bytes < 1)
        return yk_check_breach(device, making->slot, "%lld bytes", (long long)bytes);
    const int was_lost =
        atomic_load(&device->lost); /* now: another thread may lose it during the call */
    yoke_status status = yk_check_inject(device, making->slot);
    if (status != YOKE_OK)
        return status;
    struct check_buffer *buffer = yk_calloc(1, sizeof *buffer);
    struct yk_buffer *made = yk_check_untouched();
    if (!buffer)
        return YOKE_ENOMEM;
    status = yk_check_enter(device, making->slot);
    if (status == YOKE_OK) {
        status = making->make(device->inner, bytes, &made);
        yk_check_leave(device);
        unsigned allowed = 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE;
        status = yk_check_returned(
            device, &(struct check_return){ making->slot, status, allowed, made, was_lost });
    }
    if (status != YOKE_OK) {
        yk_free(buffer);
        return status;
    }
    buffer->object = (struct check_object){ .kind = CHECK_BUFFER, .device = device };
    buffer->inner = made;
    buffer->bytes = bytes;
    yk_check_add(&buffer->object);
    *out = (struct yk_buffer *)buffer;
    return YOKE_OK;
}

yoke_status yk_check_alloc(struct yk_device *handle, int64_t bytes, struct yk_buffer **out)
{
    struct check_device *device = yk_check_device_find(handle, "alloc");
    if (!device)
        return YOKE_EINVAL;
    return make(device, &(struct making){ "alloc", device->backend->alloc }, bytes, out);
}

yoke_status yk_check_reserve(struct yk_device *handle, int64_t bytes, struct yk_buffer **out)
{
    struct check_device *device = yk_check_device_find(handle, "reserve");
    yoke_status status;
    if (!device)
        return YOKE_EINVAL;
    status = make(device, &(struct making){ "reserve", device->backend->reserve }, bytes, out);
    if (status == YOKE_OK)
        ((struct check_buffer *)*out)->reserved = 1;
    return status;
}

void yk_check_free(struct yk_device *handle, struct yk_buffer *buffer_handle)
{
    struct check_device *device = yk_check_device_find(handle, "free");
    if (!device || !buffer_handle)
        return;
    struct check_buffer *buffer = yk_check_find(device, CHECK_BUFFER, buffer_handle, "free");
    if (!buffer)
        return;
    if (yk_check_in_use(buffer)) {
        yk_check_breach(device, "free", "a buffer that an operation in flight uses; wait for it");
        return;
    }
    yk_check_remove(&buffer->object);
    device->backend->free(device->inner, buffer->inner);
    for (struct check_range *range; (range = buffer->committed);) {
        buffer->committed = range->next;
        yk_free(range);
    }
    yk_free(buffer);
}

int64_t yk_check_memory_free(struct yk_device *handle)
{
    struct check_device *device = yk_check_device_find(handle, "memory_free");
    int64_t bytes = device ? device->backend->memory_free(device->inner) : 0;
    if (bytes < 0)
        yk_check_breach(device, "memory_free", "%lld bytes", (long long)bytes);
    return bytes;
}

/* Returns the end of the committed bytes from `at` on, up to the first gap; `at` if that byte is
 * not committed. ranges_lock held. */
static int64_t committed_up_to(const struct check_buffer *buffer, int64_t at)
{
    const struct check_range *range = buffer->committed;
    while (range) {
        if (range->first <= at && at < range->last) {
            at = range->last;
            range = buffer->committed;
        } else {
            range = range->next;
        }
    }
    return at;
}

yoke_status yk_check_committed(const struct check_buffer *buffer, const char *slot, int64_t first,
                               int64_t last)
{
    const struct check_device *device = buffer->object.device;
    int64_t at;
    if (!device->backend->commit)
        return YOKE_OK;
    yk_process_lock(&ranges_lock);
    at = committed_up_to(buffer, first);
    yk_process_unlock(&ranges_lock);
    return at >= last ? YOKE_OK
                      : yk_check_breach(device, slot,
                                        "byte %lld of a buffer is used and was not committed",
                                        (long long)at);
}

/* Adds these bytes to the committed ones. Returns 0 if they were all known already; `range` is then
 * not used. */
static int note_committed(struct check_buffer *buffer, struct check_range *range, int64_t first,
                          int64_t last)
{
    int is_new;
    yk_process_lock(&ranges_lock);
    is_new = committed_up_to(buffer, first) < last;
    if (is_new) {
        *range = (struct check_range){ first, last, buffer->committed };
        buffer->committed = range;
    }
    yk_process_unlock(&ranges_lock);
    return is_new;
}

yoke_status yk_check_commit(struct yk_device *handle, struct yk_buffer *buffer_handle,
                            int64_t offset, int64_t bytes)
{
    struct check_device *device = yk_check_device_find(handle, "commit");
    struct check_buffer *buffer =
        device ? yk_check_find(device, CHECK_BUFFER, buffer_handle, "commit") : NULL;
    struct check_range *range;
    if (!buffer)
        return YOKE_EINVAL;
    if (offset < 0 || bytes < 1 || bytes > buffer->bytes || offset > buffer->bytes - bytes)
        return yk_check_breach(device, "commit", "%lld bytes at offset %lld of a buffer of %lld",
                               (long long)bytes, (long long)offset, (long long)buffer->bytes);
    yoke_status status = yk_check_inject(device, "commit");
    if (status != YOKE_OK)
        return status;
    range = yk_calloc(1, sizeof *range);
    if (!range)
        return YOKE_ENOMEM;
    status = yk_check_enter(device, "commit");
    if (status == YOKE_OK) { /* pages that are mapped stay so even if the device is lost */
        status = device->backend->commit(device->inner, buffer->inner, offset, bytes);
        yk_check_leave(device);
        status = yk_check_returned(
            device,
            &(struct check_return){ "commit", status, 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE,
                                    status == YOKE_OK ? range : yk_check_untouched(), 0 });
    }
    if (status == YOKE_OK && note_committed(buffer, range, offset, offset + bytes))
        return YOKE_OK;
    yk_free(range);
    return status;
}

/* Removes these bytes from the committed ones. `rest` takes the part after the cut, if a range is
 * cut in two, and is freed if not. Ranges may overlap; if several are cut in two, the parts after
 * the cut begin at the same byte, so `rest` covers all of them. */
static void cut_out(struct check_buffer *buffer, int64_t first, int64_t last,
                    struct check_range *rest)
{
    struct check_range **link = &buffer->committed;
    *rest = (struct check_range){ last, last, NULL };
    while (*link) {
        struct check_range *part = *link;
        if (part->last > first && part->first < last) {
            if (part->last > rest->last)
                rest->last = part->last;
            part->last = part->first < first ? first : part->first;
        }
        if (part->first < part->last) {
            link = &part->next;
            continue;
        }
        *link = part->next;
        yk_free(part);
    }
    if (rest->last > rest->first)
        *link = rest;
    else
        yk_free(rest);
}

void yk_check_decommit(struct yk_device *handle, struct yk_buffer *buffer_handle, int64_t offset,
                       int64_t bytes)
{
    struct check_device *device = yk_check_device_find(handle, "decommit");
    struct check_buffer *buffer =
        device ? yk_check_find(device, CHECK_BUFFER, buffer_handle, "decommit") : NULL;
    struct check_range *spare = yk_calloc(1, sizeof *spare);
    if (buffer && spare && buffer->reserved && offset >= 0 && bytes >= 1 &&
        bytes <= buffer->bytes && offset <= buffer->bytes - bytes) {
        yk_process_lock(&ranges_lock);
        cut_out(buffer, offset, offset + bytes, spare);
        yk_process_unlock(&ranges_lock);
        device->backend->decommit(device->inner, buffer->inner, offset, bytes);
        return;
    }
    yk_free(spare);
    if (buffer && spare)
        yk_check_breach(device, "decommit",
                        "%lld bytes at offset %lld of a buffer of %lld, %sreserved",
                        (long long)bytes, (long long)offset, (long long)buffer->bytes,
                        buffer->reserved ? "" : "not ");
}
