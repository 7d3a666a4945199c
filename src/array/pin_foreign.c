/* pin_foreign.c - memory that the program itself has pinned (cudaMallocHost, cudaHostRegister)
 * becomes blocks of the map when an array on it is first copied. Otherwise yoke would try to pin
 * it: each try takes 0.1 ms a block, and rows are staged until it has failed.
 *
 * Memory that the program pins later is found when pinning it fails (pages.c).
 */
#include "pinner.h"

/* The end of the pinned memory that begins at `address`, cut to whole pages. Lock held, but
 * released during the call. */
static int64_t pinned_until(struct yk_device *device, int64_t address)
{
    const void *end;
    yk_process_unlock(&yk_pages_lock);
    end = device->backend->pinned_until(device, yk_pages_address(address));
    yk_process_lock(&yk_pages_lock);
    return (int64_t)(intptr_t)end & ~(yk_pin_terms.page - 1);
}

void yk_foreign_find(struct yk_pinner *pinner, const struct yk_pin_range *range)
{
    struct yk_interval left = range->pages;
    if (!pinner->device->backend->pinned_until || yk_interval_length(left) < yk_pin_terms.unit)
        return;
    while (left.first < left.last) {
        struct yk_pin_block block = yk_pin_look(&yk_pages_map, left);
        if (block.state == YK_PIN_NOT) {
            block.bytes.last = pinned_until(pinner->device, left.first);
            if (block.bytes.last <= left.first)
                return;
            block = yk_pin_look(&yk_pages_map, yk_interval_common(left, block.bytes));
        }
        if (block.state == YK_PIN_NOT) { /* checked again, because the lock was released */
            block.state = YK_PIN_FOREIGN;
            block.kind = pinner->device->desc.backend;
            if (yk_pin_insert(&yk_pages_map, &block) != YOKE_OK)
                return;
        }
        left.first = block.bytes.last;
    }
}
