/* stage.h - a few staging buffers of a place: pinned memory of the driver's own, through which rows
 * go whose memory is not pinned.
 *
 * Slots to the device are used in turn, each again when the copy out of it is complete. Slots to
 * the host are taken and given back by whoever brings rows home; a chunk's results may stay in them
 * until it has landed, so some are kept for those who wait (YK_STAGE_WAITING), and nobody waits for
 * a slot that another thread has: where there is none, rows go without.
 *
 * All under the lock of the place.
 */
#ifndef YK_ARRAY_STAGE_H
#define YK_ARRAY_STAGE_H

#include "../backend/backend.h"

enum { YK_STAGE_UP = 8, YK_STAGE_DOWN = 16, YK_STAGE_KEPT = 4 };

struct yk_slot {
    char *memory;
    struct yk_event *event; /* of the latest copy through it; owned; NULL: complete */
    /* What is in it: so many rows of `bytes` each, one behind the other, which on the host are
     * `pitch` apart. */
    char *host;
    int64_t bytes, rows, pitch;
    struct yk_slot *next; /* in its haul, or in the list of those that are free */
};

struct yk_stage { /* zero-initialise */
    struct yk_slot up[YK_STAGE_UP], down[YK_STAGE_DOWN];
    char *memory; /* of all slots; NULL: not opened */
    int next_up;
    struct yk_slot *free_down;
    int free_count;
    int refused; /* there is none to be had */
};

/* Bytes of a slot: small enough to stay in a core's cache between the two copies. Tests make it
 * smaller. */
extern int64_t yk_stage_slot_bytes;

/* Opens the stage at first use. Whether there is one. */
int yk_stage_open(struct yk_stage *stage, struct yk_device *device);
void yk_stage_close(struct yk_stage *stage, struct yk_device *device); /* its queues are closed */
/* The slot whose turn it is to the device; its event has to be complete before it is filled. */
struct yk_slot *yk_stage_next_up(struct yk_stage *stage);
void yk_stage_used_up(struct yk_stage *stage); /* it was filled, on to the next */
/* A slot to the host; NULL if none is free. */
enum yk_stage_who { YK_STAGE_WAITING, YK_STAGE_FLYING };
struct yk_slot *yk_stage_take_down(struct yk_stage *stage, enum yk_stage_who who);
void yk_stage_give_down(struct yk_stage *stage, struct yk_slot *slot);

#endif
