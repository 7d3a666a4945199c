/* copy.h - copies between host memory and a place, piece by piece: pinned memory directly, other
 * memory through staging buffers, or by the driver's own means if there are none.
 *
 * For copies to the device, the issuing thread fills the buffers, and sleeps while all are in use.
 * For copies to the host, yk_haul_start issues what fits into free buffers; yk_haul_finish issues
 * the other bytes as buffers become free.
 */
#ifndef YK_ARRAY_COPY_H
#define YK_ARRAY_COPY_H

#include <yoke/array.h>

#include "place.h"

/* Copies to a device of at most this many bytes go straight to the driver, which buffers them. */
extern int64_t yk_copy_small_bytes;

/* Copies host memory of an array to the device. `array` NULL: the memory belongs to no array and is
 * never pinned. Under place->upload_lock. After a failure the parts already issued are still on the
 * upload queue. */
yoke_status yk_copy_up(struct yk_place *place, yoke_array *array, const struct yk_copy *copy);

/* The question to ask pages.h before `rows` (not empty) are copied between the host and the
 * place. */
struct yk_pages_question yk_copy_question(const struct yk_place *place, yoke_array *array,
                                          struct yk_interval rows, enum yk_copy_kind kind);
/* Orders the pinning of the rows' memory, where that pays, if the place lacks some of the rows.
 * Returns for how long, in ns, a copy to the place would wait for it now. */
double yk_copy_expect(const struct yk_place *place, yoke_array *array, struct yk_interval rows);

/* Rows on their way to the host. Zero-initialise, then set place, array and copy. */
struct yk_haul {
    struct yk_place *place;
    yoke_array *array; /* NULL: memory of no array */
    struct yk_copy copy;
    int lends; /* 1: the rows are on the device already, so they leave through place->lending, and
                * the thread that waits for them watches for their arrival */
    /* The rest is private to copy.c. */
    struct yk_queue *queue;       /* of all its copies; NULL: none was issued */
    int64_t issued;               /* bytes from the start that are under way or copied */
    struct yk_piece next;         /* how to copy the bytes from `issued` up to known_end */
    const char *known_end;        /* address in host memory; NULL: pages.h was not asked yet */
    struct yk_slot *first, *last; /* the staging buffers in use, in order */
    int direct;                   /* a copy without a staging buffer was issued: host memory may be
                                   * changing */
};
/* Issues what can be issued without waiting. *event becomes the event of the latest copy; it is not
 * changed if nothing was issued. After a failure, too, wait for *event; then drop the haul. */
yoke_status yk_haul_start(struct yk_haul *haul, struct yk_event **event);
/* Waits for the started copies, whose event it closes. */
yoke_status yk_haul_await(const struct yk_haul *haul, struct yk_event *started);
/* Returns 1 if yk_haul_finish will have work to do when the started copies are complete. */
int yk_haul_is_open(const struct yk_haul *haul);
/* Issues the bytes that yk_haul_start left, and empties the staging buffers. Sleeps until all bytes
 * have arrived. Call it only when the started copies, if any, are complete. */
yoke_status yk_haul_finish(struct yk_haul *haul);
/* Abandons the haul. Call it only when the started copies are complete or have failed. */
void yk_haul_drop(struct yk_haul *haul);

#endif
