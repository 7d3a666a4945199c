/* pages.h - the process's host memory as copies see it: what is pinned, and memory of yoke_alloc.
 *
 * There is one map (pin.h) for the whole process, because a page is pinned once for the whole
 * process, and arrays of several runtimes may share pages. The map has its own lock, which is taken
 * after all others and never held during a driver call.
 */
#ifndef YK_ARRAY_PAGES_H
#define YK_ARRAY_PAGES_H

#include <stddef.h>

#include "../backend/backend.h"
#include "pin.h"

/* A device that pins. If arrays of another runtime use blocks that it pinned, it outlives its own
 * runtime and is closed with the last of these blocks. */
struct yk_pinner;
yoke_status yk_pinner_open(struct yk_device *device, struct yk_pinner **out); /* borrows `device` */
int64_t yk_pinner_pinned(struct yk_pinner *pinner);    /* total bytes so far */
int yk_pinner_is_busy(const struct yk_pinner *pinner); /* whether the driver is pinning for it */
/* Keeps the pinner's thread on the processor. A thread that pins holds locks of the driver. If it
 * lost its core to a worker, other threads would wait in the driver for some ms. Without the lock.
 */
void yk_pinner_stay(struct yk_pinner *pinner, int cpu);
/* Call it when nothing runs on the device any more. Closes the device: at once, or, if arrays of
 * other runtimes use its blocks, with the last of these. `pinner` may be NULL. */
void yk_pinner_close(struct yk_pinner *pinner, struct yk_device *device);

/* The first part of some host memory, to be copied in one piece. */
struct yk_piece {
    int64_t bytes;
    int fast; /* 1: pinned */
};
struct yk_pages_question {
    struct yk_pinner *pinner;   /* of the copying device; NULL: it does not pin */
    struct yk_pin_range *range; /* of the open array; NULL: the memory belongs to no array */
    const char *name;           /* of the array, for messages */
    void *host;
    int64_t bytes;
    double gaps; /* fraction of the bytes that lies between rows and is not copied */
    int fills;   /* 1: the copy writes all of the bytes */
    int passes;  /* copies of each byte that are still to come, this one included; 0: not known */
};
/* Tells how to copy the beginning of the memory. If pinning it pays, orders the pinning, and waits
 * for it at most as long as a core would take to copy the memory. YOKE_EINVAL: the memory is no
 * longer mapped. */
yoke_status yk_pages_ready(const struct yk_pages_question *question, struct yk_piece *out);
/* Call it for memory that will be copied soon: begins to pin what yk_pages_ready would pin, and
 * does not wait. The second one orders all of it, not only the first blocks, and leaves all driver
 * calls to the pinner's thread: the first ones of a thread take 0.1 to 0.4 ms. */
void yk_pages_expect(const struct yk_pages_question *question);
void yk_pages_expect_all(const struct yk_pages_question *question);
/* Notes that a core took `ns` to copy the bytes to or from a staging buffer. */
void yk_pages_staged(int64_t bytes, int64_t ns);
/* Orders the pinning of all memory that is present and in no block, whether that pays or not. */
void yk_pages_order(const struct yk_pages_question *question);
/* What it takes to pin all of it that is in no block, and to unpin that when the array closes. */
struct yk_pin_time yk_pages_pin_time(const struct yk_pages_question *question);
/* Whether all of the memory is in blocks, pinned or not. */
int yk_pages_known(const struct yk_pages_question *question);
/* Whether some of the memory is being pinned. */
int yk_pages_pending(const struct yk_pages_question *question);
/* ns that a copy of the memory might wait until it is pinned; 0 if none of it is being pinned. */
int64_t yk_pages_wait_ns(const struct yk_pages_question *question);
/* Call it when the array closes: unpins blocks that only this array used. */
void yk_pages_leave(struct yk_pin_range *range);

/* Allocates memory, in large pages if it is large. No thread has touched it yet, so each page is
 * placed on the NUMA node of the thread that first uses it. Once pinned, it stays pinned until it
 * is freed or the device that pinned it closes. NULL: no memory. */
void *yk_pages_alloc(size_t bytes);
/* The same, but large memory is pinned when this returns if a device that pins is open
 * (page_placement.c). */
void *yk_pages_alloc_pinned(size_t bytes);
/* Does the same later, for memory of yk_pages_alloc: places the pages and waits until they are
 * pinned, but at most as long as a core would take to copy them. Returns 0, and does nothing, if
 * the memory is small or may not be pinned now. */
int yk_pages_place(const struct yk_pin_range *range);
void yk_pages_free(void *memory); /* NULL is allowed */
/* Whether all of the bytes lie in memory of yk_pages_alloc that consists of whole pages. */
int yk_pages_are_own(const void *memory, size_t bytes);

#endif
