/* exchange.h - copies that a place takes directly from other devices' memories.
 *
 * They have their own in-order queue beside the uploads, so that both links are busy. A launch
 * waits for the latest of them. A source can be lost while it is read: then the copy has failed but
 * this device is well. So a chunk that relies on copies asks for their outcome. Copies are numbered
 * for this: a chunk relies on all copies that are not settled when it looks for its rows. A copy is
 * settled when coherence knows its end; until then its rows count as arriving.
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
    int unsettled;   /* users that have issued copies and not settled them yet; */
    uint64_t since;  /* their copies have this number or a later one */
    int timed;       /* 1: record when copies ran: */
    struct yk_event_times ran; /* from the first start to the last end since it was last read; 0:
                                * none */
};

/* Opens the queue. The place has a lock of its own. Either that is held, or no other thread knows
 * the place yet. */
yoke_status yk_exchange_open(struct yk_place *place);
void yk_exchange_close(struct yk_place *place); /* all copies are over */

/* What the copy waits for, beside the exchange copies before it: the upload that brings the rows to
 * its source; all uploads to this place so far, because an overtaken copy of the same rows may be
 * among them. */
struct yk_exchange_after {
    uint64_t upload; /* number of an upload to the source; 0: none */
    int own;
};
/* Issues a copy of copy->bytes from `source`'s copy->from to `place`'s copy->buffer. Takes the
 * lock, and for a moment the source's lend_lock. The driver takes some 10 us for each call, so the
 * source's lock, which its own calls need, is not taken. */
yoke_status yk_exchange_issue(struct yk_place *place, struct yk_place *source,
                              const struct yk_copy *copy, const struct yk_exchange_after *after);
/* The event of the latest copy, to wait for; NULL: none is under way. */
struct yk_event *yk_exchange_latest(const struct yk_exchange *exchange);
/* Each takes the lock. Call begin before the first copy is issued, and settled when all are
 * settled. */
void yk_exchange_begin(struct yk_place *place);
void yk_exchange_settled(struct yk_place *place);
/* Takes the lock. The number of the oldest copy that rows looked for now may depend on. */
uint64_t yk_exchange_oldest(struct yk_place *place);
/* Takes the lock. All copies that a chunk relied on are over. YOKE_ELOST if one of them, with
 * number `oldest` or later, failed; possibly also if only a later one did. */
yoke_status yk_exchange_outcome(struct yk_place *place, uint64_t oldest);
/* Takes the lock. Returns exchange.ran and resets it. */
struct yk_event_times yk_exchange_ran(struct yk_place *place);
/* Takes the lock. Sleeps until all copies are over, whatever their outcome. */
void yk_exchange_drain(struct yk_place *place);

#endif
