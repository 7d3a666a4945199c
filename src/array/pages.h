/* pages.h - the process's host memory as copies see it: what is pinned, and memory of yoke_alloc.
 *
 * One map (pin.h) for the whole process, because a page is pinned once in all of it: arrays of
 * several runtimes may lie on the same ones. It has a lock of its own, taken after all others, and
 * held through no call to a driver.
 */
#ifndef YK_ARRAY_PAGES_H
#define YK_ARRAY_PAGES_H

#include <stddef.h>

#include "../backend/backend.h"
#include "pin.h"

/* A device that pins. What it has pinned for arrays of another runtime outlives its own runtime:
 * then it is closed with the last of these blocks. */
struct yk_pinner;
yoke_status yk_pinner_open(struct yk_device *device, struct yk_pinner **out); /* borrows */
int64_t yk_pinner_pinned(struct yk_pinner *pinner); /* bytes so far, in all */
/* Nothing runs on the device any more. Closes it, at once or later; NULL pinner: at once. */
void yk_pinner_close(struct yk_pinner *pinner, struct yk_device *device);

/* The first part of some host memory, to be copied in one go. */
struct yk_piece {
    int64_t bytes;
    int fast; /* pinned */
};
struct yk_pages_question {
    struct yk_pinner *pinner;   /* of the device that copies; NULL: it does not pin */
    struct yk_pin_range *range; /* of the array, which is open; NULL: not an array's memory */
    const char *name;           /* of the array, for messages */
    void *host;
    int64_t bytes;
    double gaps; /* the part of them that lies between rows and is not copied */
    int fills;   /* the copy writes all of it */
};
/* How to copy the memory's beginning. Pins it first if that pays, which takes as long as copying
 * twice as much. YOKE_EINVAL: the memory is not there any more. */
yoke_status yk_pages_ready(const struct yk_pages_question *question, struct yk_piece *out);
/* Memory that is there and in no block is pinned soon, whether that pays or not. */
void yk_pages_order(const struct yk_pages_question *question);
/* Whether all of it is in blocks, pinned or not. */
int yk_pages_known(const struct yk_pages_question *question);
/* Whether some of it is being pinned. */
int yk_pages_pending(const struct yk_pages_question *question);
/* The array closes: what was pinned for it alone is let go. */
void yk_pages_leave(struct yk_pin_range *range);

/* Memory nobody has touched yet, so that each page comes to be where it is used first; in large
 * pages where it is large. It stays pinned, once it is, until it is freed or the device that pinned
 * it closes. NULL: none. */
void *yk_pages_alloc(size_t bytes);
void yk_pages_free(void *memory); /* NULL is fine */
/* Whether all of the bytes were had from yk_pages_alloc, as whole pages. */
int yk_pages_are_own(const void *memory, size_t bytes);

#endif
