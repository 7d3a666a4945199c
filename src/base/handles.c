/* handles.c - see handles.h. Blocks never move, so a slot is found without the lock. yk_handle_find
 * reads the slot's handle before its object and again after it, because the slot may be reused
 * between these reads.
 */
#include "handles.h"

#include "alloc.h"

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a handle has two halves of 32 bits");

/* Block b begins with slot (2^b - 1) * YK_HANDLES_FIRST. */
static struct yk_handle *slot_at(struct yk_handles *slots, uint32_t index)
{
    const uint64_t scaled = (uint64_t)index / YK_HANDLES_FIRST + 1;
    const int block = 63 - __builtin_clzll(scaled);
    if (block >= YK_HANDLE_BLOCKS)
        return NULL;
    struct yk_handle *first = atomic_load_explicit(&slots->blocks[block], memory_order_acquire);
    return first ? first + (index - (((uint32_t)1 << block) - 1) * YK_HANDLES_FIRST) : NULL;
}

static int grow(struct yk_handles *slots)
{
    int block = 0;
    while (block < YK_HANDLE_BLOCKS &&
           atomic_load_explicit(&slots->blocks[block], memory_order_relaxed))
        block++;
    if (block == YK_HANDLE_BLOCKS)
        return 0;
    const uint32_t count = (uint32_t)YK_HANDLES_FIRST << block;
    struct yk_handle *fresh = yk_alloc_kept((size_t)count * sizeof *fresh);
    if (!fresh)
        return 0;
    for (uint32_t s = 0; s < count; s++) {
        fresh[s] = (struct yk_handle){ .next = s + 1 < count ? slots->capacity + s + 2 : 0 };
    }
    slots->first_free = slots->capacity + 1;
    slots->capacity += count;
    atomic_store_explicit(&slots->blocks[block], fresh, memory_order_release);
    return 1;
}

void *yk_handle_take(struct yk_handles *slots, void *object)
{
    uint64_t handle = 0;
    yk_process_lock(&slots->lock);
    if (slots->first_free || grow(slots)) {
        const uint32_t number = slots->first_free;
        struct yk_handle *slot = slot_at(slots, number - 1);
        slots->first_free = slot->next;
        handle = (uint64_t)++slot->times << 32 | number;
        atomic_store_explicit(&slot->object, object, memory_order_relaxed);
        atomic_store_explicit(&slot->handle, handle, memory_order_release);
    }
    yk_process_unlock(&slots->lock);
    return (void *)(uintptr_t)handle;
}

void *yk_handle_find(struct yk_handles *slots, const void *handle)
{
    const uint64_t bits = (uint64_t)(uintptr_t)handle;
    struct yk_handle *slot = (uint32_t)bits ? slot_at(slots, (uint32_t)bits - 1) : NULL;
    if (!slot || atomic_load_explicit(&slot->handle, memory_order_acquire) != bits)
        return NULL;
    void *object = atomic_load_explicit(&slot->object, memory_order_acquire);
    return atomic_load_explicit(&slot->handle, memory_order_relaxed) == bits ? object : NULL;
}

void *yk_handle_put_back(struct yk_handles *slots, const void *handle,
                         int (*is_needed)(const void *object))
{
    const uint64_t bits = (uint64_t)(uintptr_t)handle;
    void *object = NULL;
    yk_process_lock(&slots->lock);
    struct yk_handle *slot = (uint32_t)bits ? slot_at(slots, (uint32_t)bits - 1) : NULL;
    if (slot && atomic_load_explicit(&slot->handle, memory_order_relaxed) == bits)
        object = atomic_load_explicit(&slot->object, memory_order_relaxed);
    if (object && is_needed && is_needed(object))
        object = NULL;
    if (object) {
        atomic_store_explicit(&slot->handle, 0, memory_order_relaxed);
        slot->next = slots->first_free;
        slots->first_free = (uint32_t)bits;
    }
    yk_process_unlock(&slots->lock);
    return object;
}

void *yk_handle_at(struct yk_handles *slots, uint32_t index, int *more)
{
    struct yk_handle *slot = slot_at(slots, index);
    *more = slot != NULL;
    return slot ? (void *)(uintptr_t)atomic_load_explicit(&slot->handle, memory_order_acquire)
                : NULL;
}
