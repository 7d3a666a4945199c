/* copy.h - copies between host memory and a place, piece by piece: pinned memory at once, other
 * memory through staging buffers, and where there are none the driver's own way.
 *
 * Up, whoever issues copies fills the buffers, asleep while all are in use. Down, what fits into
 * free buffers is issued at once; the rest is when the haul is finished, as buffers are emptied.
 */
#ifndef YK_ARRAY_COPY_H
#define YK_ARRAY_COPY_H

#include <yoke/array.h>

#include "place.h"

/* Copies of up to so many bytes to a device go straight to the driver, which takes them along. */
extern int64_t yk_copy_small_bytes;

/* Host memory of an array; array NULL: of nobody, so it is never pinned. Under place->upload_lock;
 * what was issued before a failure is on the upload queue. */
yoke_status yk_copy_up(struct yk_place *place, yoke_array *array, const struct yk_copy *copy);

/* Rows on their way to the host. Zero-initialise, then set place, array and copy. */
struct yk_haul {
    struct yk_place *place;
    yoke_array *array; /* NULL: nobody's memory */
    struct yk_copy copy;
    /* The rest is its own. */
    int64_t issued;               /* bytes from the start that are on their way, or there */
    struct yk_piece next;         /* how those behind go, */
    const char *known_end;        /* in host memory up to here; NULL: not asked yet */
    struct yk_slot *first, *last; /* what is in staging buffers, in order */
    int direct;                   /* host memory may be changing since it was started */
};
/* Issue what can be without waiting. *event becomes that of the latest copy; it is not touched if
 * nothing was issued. After a failure too it has to be waited for, and the haul dropped. */
yoke_status yk_haul_start(struct yk_haul *haul, struct yk_event **event);
/* Whether there is more to be done when what was started is complete. */
int yk_haul_is_open(const struct yk_haul *haul);
/* What was started (if it was) is complete: bring the rest, asleep while it arrives. */
yoke_status yk_haul_finish(struct yk_haul *haul);
/* Forget it. What was started is complete, or failed. */
void yk_haul_drop(struct yk_haul *haul);

#endif
