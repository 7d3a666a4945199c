/* unpin.c - unpins blocks that no array touches any more, hence when no copy is under way.
 *
 * A block is pinned through one device and disappears with that device's context. So the device has
 * to stay open until the block is unpinned. yk_pinner_close keeps it open while arrays of other
 * runtimes use its blocks; the unpinning of the last such block closes it. Blocks that no array
 * uses, in memory of yoke_alloc, are unpinned when their device closes; the next device pins them
 * again.
 *
 * After a fork the child has the map but not the driver: it unpins nothing.
 */
#include <unistd.h>

#include "../base/alloc.h"
#include "../platform/clock.h"
#include "pinner.h"

/* Lock held; released meanwhile. */
static void unpin(struct yk_device *device, struct yk_interval bytes)
{
    int64_t start;
    yk_unlock(&yk_pages_lock);
    start = yk_clock_ns();
    device->backend->unpin(device, yk_pages_address(bytes.first));
    start = yk_clock_ns() - start;
    yk_lock(&yk_pages_lock);
    if (!device->desc.virtual_clock)
        yk_pin_measured(YK_PIN_UNPINNED, yk_interval_length(bytes), start);
}

/* Unpins a block that is not pending, and removes it from the map. Lock held; released
 * meanwhile. */
static void let_go(struct yk_pin_block *block)
{
    int64_t first = block->bytes.first;
    struct yk_pinner *owner = block->owner;
    int orphan;
    if (block->state == YK_PIN_OURS && yk_pages_process == getpid()) {
        block->state = YK_PIN_PENDING;
        unpin(owner->device, block->bytes);
    }
    yk_pin_remove(&yk_pages_map, first);
    orphan = owner && --owner->blocks == 0 && owner->orphan;
    if (!orphan)
        return;
    yk_unlock(&yk_pages_lock);
    owner->device->backend->close(owner->device);
    yk_free(owner);
    yk_lock(&yk_pages_lock);
}

static void let_go_unused(struct yk_interval bytes)
{
    struct yk_pin_block *block;
    while ((block = yk_pin_unused(&yk_pages_map, bytes, YK_PIN_ANY_RANGE)))
        let_go(block);
}

/* Returns a block that no array needs: pinned by the device, or by other code for devices of its
 * kind. Lock held. */
static struct yk_pin_block *find_idle(const struct yk_pinner *pinner)
{
    const void *kind = pinner->device->desc.backend;
    int i;
    for (i = 0; i < yk_pages_map.count; i++) {
        struct yk_pin_block *block = &yk_pages_map.items[i];
        if ((block->owner == pinner || (!block->owner && block->kind == kind)) &&
            block->state != YK_PIN_PENDING &&
            !yk_pin_is_used(&yk_pages_map, block->bytes, YK_PIN_ARRAYS))
            return block;
    }
    return NULL;
}

void yk_pinner_close(struct yk_pinner *pinner, struct yk_device *device)
{
    struct yk_pin_block *block;
    int kept;
    if (pinner) {
        yk_pinner_stop(pinner);
        yk_lock(&yk_pages_lock);
        while ((block = find_idle(pinner)))
            let_go(block);
        kept = pinner->blocks > 0;
        pinner->orphan = kept;
        yk_pinners_look(); /* another pinner takes over what was unpinned */
        yk_unlock(&yk_pages_lock);
        if (kept)
            return;
        yk_free(pinner);
    }
    device->backend->close(device);
}

/* The range leaves the map: nothing of it is being pinned any more, and blocks that only it touched
 * are unpinned. Lock held, and released meanwhile. */
static void leave(struct yk_pin_range *range)
{
    if (!yk_pages_process || yk_pages_process == getpid()) /* a child has no threads that pin */
        yk_pinners_leave(range);
    yk_pin_leave(&yk_pages_map, range);
    let_go_unused(range->pages);
}

int yk_pages_end_waiting(struct yk_pin_range *range)
{
    if (yk_pin_is_used(&yk_pages_map, range->pages, YK_PIN_ARRAYS))
        return 0;
    range->refused = 1; /* no further pinning of it begins */
    leave(range);
    return 1;
}

void yk_pages_leave(struct yk_pin_range *range)
{
    if (!range->joined)
        return;
    yk_lock(&yk_pages_lock);
    leave(range);
    yk_unlock(&yk_pages_lock);
}
