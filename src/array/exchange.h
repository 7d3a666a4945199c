/* exchange.h - copies that a place takes directly from other devices' memories.
 *
 * They have their own queue beside the uploads, so that both links are busy; short ones take the
 * queue of the kernel that needs them. They run in order, whatever their queues, so a launch waits
 * for the latest of them. A source can be lost while it is read: then the copy has failed but
 * this device is well. So a chunk that relies on copies asks for their outcome at its end. Copies
 * are numbered for this: a chunk relies on all copies that are not settled when it looks for its
 * rows. A copy is settled when coherence knows its end; until then its rows count as arriving.
 *
 * All calls are made under the place's lock, unless they say otherwise.
 */
#ifndef YK_ARRAY_EXCHANGE_H
#define YK_ARRAY_EXCHANGE_H

#include "../backend/backend.h"

struct yk_place;

struct yk_exchange_copy; /* one copy, from issue until it is forgotten */

struct yk_exchange {        /* zero-initialise */
    struct yk_queue *queue; /* NULL: no other device can be read */
    struct yk_exchange_copy *copies;
    int count, capacity;
    uint64_t issued; /* number of the latest copy; the oldest in `copies` has issued - count + 1 */
    uint64_t failed; /* the latest number that is known to have failed; 0: none */
    int unsettled;   /* number of users with copies that are not settled yet */
    uint64_t since;  /* the lowest number that a copy of these users can have */
    int timed;       /* 1: record when copies ran */
    struct yk_event_times ran; /* first start and last end of the copies since yk_exchange_ran; 0:
                                * none */
};

/* Opens the queue. Either the lock is held, or no other thread knows the place yet. */
yoke_status yk_exchange_open(struct yk_place *place);
void yk_exchange_close(struct yk_place *place); /* only when all copies are over */

/* Kernels of other flights, behind which a flight is launched (flight/pipeline.h). */
enum { YK_BEHIND_MOST = 4 };
struct yk_behind {
    struct yk_event *kernel[YK_BEHIND_MOST];
    int count;
};

/* Where the copy goes, and what it waits for, besides earlier exchange copies: the upload that
 * brings the rows to its source; if `own` is 1, all uploads to this place so far, because an
 * overtaken copy of the same rows may be among them; and kernels that write the rows, or still use
 * the older ones. */
struct yk_exchange_after {
    uint64_t upload; /* number of an upload to the source; 0: none */
    int own;
    const struct yk_behind *behind; /* NULL: none */
    struct yk_queue *queue;         /* of the kernel that needs the rows; NULL: none */
};
/* Issues a copy of copy->bytes from `source`'s copy->from to `place`'s copy->buffer. Takes the
 * lock, and for a moment the source's lend_lock. Does not take the source's lock, because a driver
 * call takes some 10 us, in which the source's own calls would wait. */
yoke_status yk_exchange_issue(struct yk_place *place, struct yk_place *source,
                              const struct yk_copy *copy, const struct yk_exchange_after *after);
/* What comes next on `queue` must wait for this event of the latest copy; NULL: it need not wait.
 */
struct yk_event *yk_exchange_latest(const struct yk_exchange *exchange,
                                    const struct yk_queue *queue);
/* Each takes the lock. A user calls begin before its first copy is issued, and settled when all its
 * copies are settled. */
void yk_exchange_begin(struct yk_place *place);
void yk_exchange_settled(struct yk_place *place);
/* The numbers of the copies on which a chunk may rely: from the oldest one that was not settled
 * when it looked for its rows, to the latest one when it was launched. */
struct yk_reliance {
    uint64_t oldest, latest;
};
/* Takes the lock. Returns `oldest` for a chunk that now looks for its rows. */
uint64_t yk_exchange_oldest(struct yk_place *place);
/* Takes the lock. Call it when the chunk's operations ended well. Returns YOKE_ELOST if copy
 * `oldest` or a later one failed, even if the chunk does not rely on that one. */
yoke_status yk_exchange_outcome(struct yk_place *place, const struct yk_reliance *relies);
/* Takes the lock. Returns exchange.ran and resets it. */
struct yk_event_times yk_exchange_ran(struct yk_place *place);
/* Takes the lock. Sleeps until all copies are over, whatever their outcome. */
void yk_exchange_drain(struct yk_place *place);

#endif
