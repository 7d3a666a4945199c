/* check_host.c - host memory behind the wrapper: what was pinned, and the driver's own.
 *
 * The caller must pin nothing twice; unpin on the device that pinned, while no operation uses the
 * memory; release everything before the device closes; and issue no copy that covers parts pinned
 * separately. Memory pinned by other code is not known here.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "check.h"

struct check_host {
    uintptr_t first, last;
    const struct check_device *device;
    int pinned; /* 0: the driver's own memory */
    struct check_host *next;
};

static struct check_host *all; /* guarded by the lock of check_object.c */

/* Whether the memory, which host->device pinned, is pinned for `device`, too. */
static int is_for(const struct check_host *host, const struct check_device *device)
{
    return device->base.desc.pins_alone
               ? host->device == device
               : host->device->base.desc.backend == device->base.desc.backend;
}

static struct check_host *overlapping(const struct check_device *device, uintptr_t first,
                                      uintptr_t last)
{
    struct check_host *host = all;
    while (host && (!is_for(host, device) || host->last <= first || last <= host->first))
        host = host->next;
    return host;
}

/* Removes the entry of `memory` from the list and returns it; NULL if there is none. */
static struct check_host *take(const struct check_device *device, const void *memory, int pinned)
{
    struct check_host **at = &all, *host;
    yk_check_lock();
    while (*at && ((*at)->device != device || (*at)->pinned != pinned ||
                   (*at)->first != (uintptr_t)memory))
        at = &(*at)->next;
    host = *at;
    if (host)
        *at = host->next;
    yk_check_unlock();
    return host;
}

static void add(const struct check_device *device, struct check_host *host)
{
    host->device = device;
    yk_check_lock();
    host->next = all;
    all = host;
    yk_check_unlock();
}

static int is_pinned_in(const struct check_device *device, uintptr_t first, uintptr_t last)
{
    yk_check_lock();
    int found = overlapping(device, first, last) != NULL;
    yk_check_unlock();
    return found;
}

yoke_status yk_check_pin(struct yk_device *handle, void *memory, int64_t bytes, int *foreign)
{
    struct check_device *device = yk_check_device_find(handle, "pin");
    uintptr_t first = (uintptr_t)memory, last = first + (uintptr_t)bytes;
    if (!device)
        return YOKE_EINVAL;
    *foreign = 0;
    if (!memory || bytes < 1 || first % 4096 || bytes % 4096)
        return yk_check_breach(device, "pin", "%lld bytes at %p are not whole pages",
                               (long long)bytes, memory);
    if (is_pinned_in(device, first, last))
        return yk_check_breach(device, "pin", "%lld bytes at %p are pinned already",
                               (long long)bytes, memory);
    int was_lost = atomic_load(&device->lost); /* now: another thread may lose it during the call */
    yoke_status status = yk_check_inject(device, "pin");
    if (status != YOKE_OK)
        return status;
    struct check_host *host = yk_calloc(1, sizeof *host);
    if (!host)
        return YOKE_ENOMEM;
    *host = (struct check_host){ .first = first, .last = last, .pinned = 1 };
    status = device->backend->pin(device->inner, memory, bytes, foreign);
    unsigned allowed = 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE | 1u << YOKE_EINVAL;
    if (*foreign && status != YOKE_EINVAL)
        yk_check_breach(device, "pin", "foreign memory is YOKE_EINVAL, not '%s'",
                        yoke_status_text(status));
    status = yk_check_returned(
        device,
        &(struct check_return){ "pin", status, allowed,
                                status == YOKE_OK ? host : yk_check_untouched(), was_lost });
    if (status == YOKE_OK)
        add(device, host);
    else
        yk_free(host);
    return status;
}

const void *yk_check_pinned_until(struct yk_device *handle, const void *host)
{
    struct check_device *device = yk_check_device_find(handle, "pinned_until");
    const void *end = device && host ? device->backend->pinned_until(device->inner, host) : NULL;
    if (end && (uintptr_t)end <= (uintptr_t)host)
        yk_check_breach(device, "pinned_until", "the memory at %p ends before it", host);
    return end;
}

void yk_check_unpin(struct yk_device *handle, void *memory)
{
    struct check_device *device = yk_check_device_find(handle, "unpin");
    struct check_host *host = device ? take(device, memory, 1) : NULL;
    if (!device)
        return;
    if (!host) {
        yk_check_breach(device, "unpin", "%p was not pinned by this device", memory);
        return;
    }
    if (yk_check_host_in_use(host->first, host->last))
        yk_check_breach(device, "unpin", "an operation in flight uses the memory at %p", memory);
    device->backend->unpin(device->inner, memory);
    yk_free(host);
}

yoke_status yk_check_host_alloc(struct yk_device *handle, int64_t bytes, void **out)
{
    struct check_device *device = yk_check_device_find(handle, "host_alloc");
    void *made = yk_check_untouched();
    if (!device)
        return YOKE_EINVAL;
    if (bytes < 1)
        return yk_check_breach(device, "host_alloc", "%lld bytes", (long long)bytes);
    int was_lost = atomic_load(&device->lost); /* now: another thread may lose it during the call */
    yoke_status status = yk_check_inject(device, "host_alloc");
    if (status != YOKE_OK)
        return status;
    struct check_host *host = yk_calloc(1, sizeof *host);
    if (!host)
        return YOKE_ENOMEM;
    status = device->backend->host_alloc(device->inner, bytes, &made);
    unsigned allowed = 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE;
    status = yk_check_returned(
        device, &(struct check_return){ "host_alloc", status, allowed, made, was_lost });
    if (status != YOKE_OK) {
        yk_free(host);
        return status;
    }
    *host =
        (struct check_host){ .first = (uintptr_t)made, .last = (uintptr_t)made + (uintptr_t)bytes };
    add(device, host);
    *out = made;
    return YOKE_OK;
}

void yk_check_host_free(struct yk_device *handle, void *memory)
{
    struct check_device *device = yk_check_device_find(handle, "host_free");
    struct check_host *host = device && memory ? take(device, memory, 0) : NULL;
    if (!device || !memory)
        return;
    if (!host) {
        yk_check_breach(device, "host_free", "%p is not of this device", memory);
        return;
    }
    if (yk_check_host_in_use(host->first, host->last))
        yk_check_breach(device, "host_free", "an operation in flight uses the memory at %p",
                        memory);
    device->backend->host_free(device->inner, memory);
    yk_free(host);
}

yoke_status yk_check_in_one(const struct check_device *device, const void *memory, int64_t bytes)
{
    uintptr_t first = (uintptr_t)memory, last = first + (uintptr_t)bytes;
    yk_check_lock();
    const struct check_host *host = overlapping(device, first, last);
    int apart = host && (first < host->first || host->last < last);
    yk_check_unlock();
    return apart ? yk_check_breach(device, "copy", "%lld bytes at %p lie in parts pinned apart",
                                   (long long)bytes, memory)
                 : YOKE_OK;
}

int yk_check_host_is_own(const struct check_device *device, const void *memory,
                         struct check_use *use)
{
    const uintptr_t at = (uintptr_t)memory;
    yk_check_lock();
    const struct check_host *host = all;
    while (host && (host->device != device || host->pinned || at < host->first || host->last <= at))
        host = host->next;
    if (host)
        *use = (struct check_use){ .first = host->first, .last = host->last, .by_kernel = 1 };
    yk_check_unlock();
    return host != NULL;
}

static struct check_host *left(const struct check_device *device)
{
    struct check_host *host;
    yk_check_lock();
    for (host = all; host && host->device != device; host = host->next)
        ;
    yk_check_unlock();
    return host;
}

void yk_check_host_left(struct check_device *device)
{
    for (struct check_host *host; (host = left(device));) {
        void *memory = (void *)host->first;
        yk_check_breach(device, "close", "host memory at %p is still %s", memory,
                        host->pinned ? "pinned" : "out");
        if (host->pinned)
            yk_check_unpin(&device->base, memory);
        else
            yk_check_host_free(&device->base, memory);
    }
}
