/* stage.h - a place's staging buffers: a little memory pinned by the driver itself, for copies of
 * rows whose memory is not pinned.
 *
 * Slots for copies to the device are used in turn; each is filled again when the copy out of it is
 * complete. Slots for copies to the host are taken and returned by the thread that brings rows
 * home. A chunk's results may stay in them until the chunk has landed, so some slots are kept for
 * threads that wait (YK_STAGE_WAITING). No thread waits for a slot that another thread has: if none
 * is free, rows are copied without one.
 *
 * Changed under the place's lock. Copies to the device also hold its upload_lock.
 */
#ifndef YK_ARRAY_STAGE_H
#define YK_ARRAY_STAGE_H

#include "../backend/backend.h"

enum { YK_STAGE_UP = 8, YK_STAGE_DOWN = 16, YK_STAGE_KEPT = 4 }; /* numbers of slots */

struct yk_slot {
    char *memory;
    struct yk_event *event; /* of the latest copy through it; owned; NULL: complete */
    /* Its contents: `rows` rows of `bytes` bytes each, without gaps; on the host they are `pitch`
     * bytes apart. */
    char *host;
    int64_t bytes, rows, pitch;
    struct yk_slot *next; /* in its haul, or in the list of free slots */
};

struct yk_stage { /* zero-initialise */
    struct yk_slot up[YK_STAGE_UP], down[YK_STAGE_DOWN];
    char *memory; /* of all slots; NULL: not opened */
    int next_up;
    struct yk_slot *free_down;
    int free_count;
    int refused; /* 1: no memory for it could be had */
};

/* Bytes of a slot: few enough to stay in a core's cache between the two copies. Tests make it
 * smaller. */
extern int64_t yk_stage_slot_bytes;

/* Opens the stage if it is not open. Returns whether it is open now. */
int yk_stage_open(struct yk_stage *stage, struct yk_device *device);
void yk_stage_close(struct yk_stage *stage, struct yk_device *device); /* only when its queues are
                                                                        * closed */
/* Returns the next slot for a copy to the device, when `filled` slots (at most YK_STAGE_UP - 2) are
 * filled and not sent yet. Its event has to be complete before it is filled. */
struct yk_slot *yk_stage_next_up(struct yk_stage *stage, int filled);
void yk_stage_used_up(struct yk_stage *stage); /* the first filled slot was sent */
/* A slot for a copy to the host; NULL if none is free. YK_STAGE_FLYING leaves YK_STAGE_KEPT
 * slots. */
enum yk_stage_who { YK_STAGE_WAITING, YK_STAGE_FLYING };
struct yk_slot *yk_stage_take_down(struct yk_stage *stage, enum yk_stage_who who);
void yk_stage_give_down(struct yk_stage *stage, struct yk_slot *slot);

#endif
