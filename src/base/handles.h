/* handles.h - handles of objects that can be recognised after the object is gone: the use of such a
 * handle is then an error with a name, not a crash.
 *
 * A handle is not an address. Its lower half is the number of a slot, plus one; its upper half is
 * the number of times that slot was used. Slots are kept as long as the process lives.
 */
#ifndef YK_BASE_HANDLES_H
#define YK_BASE_HANDLES_H

#include <stdatomic.h>
#include <stdint.h>

#include "process_lock.h"

struct yk_handle {
    _Atomic uint64_t handle; /* 0: not in use */
    _Atomic(void *) object;
    uint32_t times, next; /* under the lock: number of uses; the next free slot, plus one */
};

enum {
    YK_HANDLE_BLOCKS = 24,
    YK_HANDLES_FIRST = 64
}; /* each block has twice as many as the one before */

struct yk_handles {
    struct yk_process_lock lock;
    _Atomic(struct yk_handle *) blocks[YK_HANDLE_BLOCKS];
    uint32_t capacity, first_free; /* under the lock; first_free plus one, 0: none */
};
#define YK_HANDLES_INITIAL                                                                         \
    {                                                                                              \
        .lock = YK_PROCESS_LOCK_INITIAL                                                            \
    }

/* A new handle of `object`; NULL: no memory. */
void *yk_handle_take(struct yk_handles *slots, void *object);
/* The handle's object; NULL: there is none, or it is gone. Takes no lock. */
void *yk_handle_find(struct yk_handles *slots, const void *handle);
/* Ends a handle. If several threads end the same handle, one gets the object and the others NULL.
 * `is_needed` (may be NULL) is called first, while no other thread can end the handle: if it
 * returns not 0, the handle stays valid, and the result is NULL. */
void *yk_handle_put_back(struct yk_handles *slots, const void *handle,
                         int (*is_needed)(const void *object));
/* The handle in slot `index`; NULL: none. Call with 0, 1, ... until *more is 0. */
void *yk_handle_at(struct yk_handles *slots, uint32_t index, int *more);

#endif
