/* sim_host.c - host memory pinned for virtual devices, as a driver would record it.
 *
 * As with a real driver, memory is pinned for the whole process, whichever device did it. Memory
 * that overlaps pinned memory cannot be pinned again, and one copy may not cover parts that were
 * pinned separately. Each device has a limit (pinnable=), like the system's limit on locked memory.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "sim.h"

/* Lock held. Returns an entry that overlaps these addresses; NULL if there is none. */
static struct sim_host *overlapping(uintptr_t first, uintptr_t last)
{
    struct sim_host *host = yk_sim.host;
    while (host && (host->last <= first || last <= host->first))
        host = host->next;
    return host;
}

static void add(struct sim_host *host, const struct sim_device *device)
{
    host->device = device;
    host->next = yk_sim.host;
    yk_sim.host = host;
}

yoke_status yk_sim_pin(struct yk_device *base, void *memory, int64_t bytes, int *foreign)
{
    struct sim_device *device = (struct sim_device *)base;
    uintptr_t first = (uintptr_t)memory;
    yoke_status status = YOKE_OK;
    *foreign = 0;
    if (device->settings.pin == YK_MACHINE_REFUSED)
        return yk_fail(YOKE_EINVAL, "%s: the memory at %p cannot be pinned (simulated)",
                       base->desc.name, memory);
    struct sim_host *host = yk_calloc(1, sizeof *host);
    if (!host)
        return YOKE_ENOMEM;
    *host = (struct sim_host){ .first = first, .last = first + (uintptr_t)bytes };
    yk_lock(&yk_sim.mutex);
    int64_t limit = device->settings.pinnable;
    if (device->lost) {
        status = yk_sim_lost(device);
    } else if (overlapping(host->first, host->last)) {
        *foreign = 1;
        status = yk_fail(YOKE_EINVAL, "%s: some of %lld bytes at %p is pinned already",
                         base->desc.name, (long long)bytes, memory);
    } else if (limit && yk_sim.pinned_bytes + bytes > limit) {
        status = yk_fail(YOKE_ENOMEM, "%s: %lld bytes may be pinned in all, and %lld are",
                         base->desc.name, (long long)limit, (long long)yk_sim.pinned_bytes);
    } else {
        yk_sim.pinned_bytes += bytes;
        add(host, device);
    }
    yk_unlock(&yk_sim.mutex);
    if (status != YOKE_OK)
        yk_free(host);
    return status;
}

const void *yk_sim_pinned_until(struct yk_device *base, const void *memory)
{
    const uintptr_t address = (uintptr_t)memory;
    const void *end = NULL;
    (void)base;
    yk_lock(&yk_sim.mutex);
    const struct sim_host *host = overlapping(address, address + 1);
    if (host)
        end = (const void *)host->last;
    yk_unlock(&yk_sim.mutex);
    return end;
}

/* Removes the entry of `memory` from the list and returns it; NULL if there is none. Lock held. */
static struct sim_host *take(const void *memory)
{
    struct sim_host **at = &yk_sim.host, *host;
    while (*at && (*at)->first != (uintptr_t)memory)
        at = &(*at)->next;
    host = *at;
    if (host)
        *at = host->next;
    return host;
}

void yk_sim_unpin(struct yk_device *base, void *memory)
{
    yk_lock(&yk_sim.mutex);
    struct sim_host *host = take(memory);
    if (host)
        yk_sim.pinned_bytes -= (int64_t)(host->last - host->first);
    yk_unlock(&yk_sim.mutex);
    if (!host)
        yk_log(YOKE_LOG_ERROR, "%s: unpin of %p, which was not pinned", base->desc.name, memory);
    yk_free(host);
}

yoke_status yk_sim_host_alloc(struct yk_device *base, int64_t bytes, void **out)
{
    struct sim_device *device = (struct sim_device *)base;
    struct sim_host *host;
    void *memory;
    if (device->settings.staging == YK_MACHINE_REFUSED)
        return yk_fail(YOKE_ENOMEM, "%s: no pinned memory for %lld bytes (simulated)",
                       base->desc.name, (long long)bytes);
    host = yk_calloc(1, sizeof *host);
    memory = host ? yk_alloc_aligned((size_t)bytes, 4096) : NULL;
    if (!memory) {
        yk_free(host);
        return YOKE_ENOMEM;
    }
    *host = (struct sim_host){ .first = (uintptr_t)memory,
                               .last = (uintptr_t)memory + (uintptr_t)bytes };
    yk_lock(&yk_sim.mutex);
    yoke_status status = device->lost ? yk_sim_lost(device) : YOKE_OK;
    if (status == YOKE_OK)
        add(host, device);
    yk_unlock(&yk_sim.mutex);
    if (status != YOKE_OK) {
        yk_free(host);
        yk_free(memory);
        return status;
    }
    *out = memory;
    return YOKE_OK;
}

void yk_sim_host_free(struct yk_device *base, void *memory)
{
    (void)base;
    yk_lock(&yk_sim.mutex);
    struct sim_host *host = take(memory);
    yk_unlock(&yk_sim.mutex);
    yk_free(host);
    yk_free(memory);
}

enum sim_pinned yk_sim_pinned(const void *memory, int64_t bytes)
{
    uintptr_t first = (uintptr_t)memory, last = first + (uintptr_t)bytes;
    yk_lock(&yk_sim.mutex);
    const struct sim_host *host = overlapping(first, last);
    int whole = host && host->first <= first && last <= host->last;
    yk_unlock(&yk_sim.mutex);
    return whole ? SIM_PINNED : host ? SIM_PINNED_IN_PARTS : SIM_PINNED_NOT;
}
