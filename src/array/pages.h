/* pages.h - the process's host memory as copies see it: what is pinned, and memory of yoke_alloc.
 *
 * There is one map (pin.h) for the whole process, because a page is pinned once for all of it, and
 * arrays of several runtimes may share pages. The map has its own lock, which is taken after all
 * others and never held during a driver call.
 */
#ifndef YK_ARRAY_PAGES_H
#define YK_ARRAY_PAGES_H

#include <stddef.h>

#include "../backend/backend.h"
#include "pin.h"

/* A device that pins. If arrays of another runtime use blocks that it pinned, it outlives its own
 * runtime and is closed with the last of these blocks. */
struct yk_pinner;
yoke_status yk_pinner_open(struct yk_device *device, struct yk_pinner **out); /* borrows */
int64_t yk_pinner_pinned(struct yk_pinner *pinner);    /* total bytes so far */
int yk_pinner_is_busy(const struct yk_pinner *pinner); /* whether the driver is pinning for it */
/* Nothing runs on the device any more. Closes it, at once or later; if `pinner` is NULL, at
 * once. */
void yk_pinner_close(struct yk_pinner *pinner, struct yk_device *device);

/* The first part of some host memory, to be copied in one piece. */
struct yk_piece {
    int64_t bytes;
    int fast; /* pinned */
};
struct yk_pages_question {
    struct yk_pinner *pinner;   /* of the copying device; NULL: it does not pin */
    struct yk_pin_range *range; /* of the array, which is open; NULL: the memory belongs to no
                                 * array */
    const char *name;           /* of the array, for messages */
    void *host;
    int64_t bytes;
    double gaps; /* fraction of the bytes that lies between rows and is not copied */
    int fills;   /* 1: the copy writes all of the bytes */
    int passes;  /* copies of each byte that are still to come, this one included; 0: not known */
};
/* How to copy the beginning of the memory. If pinning it pays, orders that and waits for it at most
 * as long as a core would take to copy it. YOKE_EINVAL: the memory is no longer mapped. */
yoke_status yk_pages_ready(const struct yk_pages_question *question, struct yk_piece *out);
/* The memory is to be copied soon: begins to pin what yk_pages_ready would, and does not wait. */
void yk_pages_expect(const struct yk_pages_question *question);
/* A core took `ns` to copy the bytes to or from a staging buffer. */
void yk_pages_staged(int64_t bytes, int64_t ns);
/* Memory that is present and in no block will be pinned soon, whether that pays or not. */
void yk_pages_order(const struct yk_pages_question *question);
/* Whether all of it is in blocks, pinned or not. */
int yk_pages_known(const struct yk_pages_question *question);
/* Whether some of it is being pinned. */
int yk_pages_pending(const struct yk_pages_question *question);
/* The array closes: blocks that only it used are unpinned. */
void yk_pages_leave(struct yk_pin_range *range);

/* Allocates memory that no thread has touched yet, so that each page is placed where it is first
 * used; in large pages if it is large. Once it is pinned it stays so, until it is freed or the
 * device that pinned it closes. NULL: no memory. */
void *yk_pages_alloc(size_t bytes);
/* The same, but large memory is pinned when this returns if a device that pins is open
 * (page_placement.c). */
void *yk_pages_alloc_pinned(size_t bytes);
/* Does that later, for memory of yk_pages_alloc: places the pages and waits until they are pinned;
 * at most as long as a core would take to copy them. 0: it is small, or there is no such device
 * yet. */
int yk_pages_place(const struct yk_pin_range *range);
void yk_pages_free(void *memory); /* NULL is allowed */
/* Whether all of the bytes are from yk_pages_alloc, as whole pages. */
int yk_pages_are_own(const void *memory, size_t bytes);

#endif
