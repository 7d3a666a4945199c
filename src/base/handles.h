/* handles.h - handles of objects that stay recognisable after the object is gone: using one then is
 * an error with a name, not a crash.
 *
 * A handle is no address: it has the number of a slot, plus one, in its lower half, and in its
 * upper half how often that slot was given. Slots are kept for as long as the process lives.
 */
#ifndef YK_BASE_HANDLES_H
#define YK_BASE_HANDLES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct yk_handle {
    _Atomic uint64_t handle; /* 0: not given */
    _Atomic(void *) object;
    uint32_t times, next; /* under the lock: it was given; the next free one, plus one */
};

enum {
    YK_HANDLE_BLOCKS = 24,
    YK_HANDLES_FIRST = 64
}; /* each block has twice as many as the one before */

struct yk_handles {
    pthread_mutex_t lock;
    _Atomic(struct yk_handle *) blocks[YK_HANDLE_BLOCKS];
    uint32_t capacity, first_free; /* under the lock; first_free plus one, 0: none */
};
#define YK_HANDLES_INITIAL                                                                         \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/* A new handle; NULL: no memory. */
void *yk_handle_take(struct yk_handles *slots, void *object);
/* What the handle is of; NULL: nothing, or no more. Without a lock. */
void *yk_handle_find(struct yk_handles *slots, const void *handle);
/* End a handle. Of several calls with the same one, only one gets the object; the others NULL. */
void *yk_handle_put_back(struct yk_handles *slots, const void *handle);
/* The handle in slot `index`, NULL: none; from 0 on, until *more is 0. */
void *yk_handle_at(struct yk_handles *slots, uint32_t index, int *more);

#endif
