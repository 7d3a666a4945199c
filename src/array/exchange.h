/* exchange.h - copies that a place takes straight from other devices' memories.
 *
 * They have an in-order queue of their own, beside the uploads, so that both links are busy. Who
 * launches waits for the latest of them. A source may be lost while it is read: then the copy
 * failed and the device is well, so whoever relied on it asks how it ended. That is told by
 * numbers: each copy has the next one, and a chunk relies on all that are not settled (told to
 * coherence, which calls their rows arriving until then) when its rows are looked for.
 *
 * All under the lock of the place, unless it says otherwise.
 */
#ifndef YK_ARRAY_EXCHANGE_H
#define YK_ARRAY_EXCHANGE_H

#include "../backend/backend.h"

struct yk_place;

struct yk_exchange_copy; /* one that was issued and is not forgotten */

struct yk_exchange {        /* zero-initialise */
    struct yk_queue *queue; /* NULL: no other device can be read */
    struct yk_exchange_copy *copies;
    int count, capacity;
    uint64_t issued; /* number of the latest; the oldest of `copies` is issued - count + 1 */
    uint64_t failed; /* the latest of which that is known; 0: none */
    int unsettled;   /* who has issued some and not settled them, */
    uint64_t since;  /* all with this number or a later one */
    int timed;       /* 1: somebody wants to know when they ran: */
    struct yk_event_times ran; /* from the first to the last since that was taken; 0: none */
};

/* The place has a lock of its own and nobody else knows it yet, or its lock is held. */
yoke_status yk_exchange_open(struct yk_place *place);
void yk_exchange_close(struct yk_place *place); /* all are over */

/* What the copy comes after beside those before it: the upload that brings the rows to its source;
 * all that has been uploaded to this place, for an overtaken copy of the rows may be among that. */
struct yk_exchange_after {
    uint64_t upload; /* by the source's numbers; 0: none */
    int own;
};
/* Issue copy->bytes from `source`'s copy->from to `place`'s copy->buffer. Takes the lock, and for a
 * moment the source's: the driver takes some 10 us for each of the calls, and the source and all
 * others who copy from it have their own to make. */
yoke_status yk_exchange_issue(struct yk_place *place, struct yk_place *source,
                              const struct yk_copy *copy, const struct yk_exchange_after *after);
/* The latest one's event, for others to come after; NULL: none is under way. */
struct yk_event *yk_exchange_latest(const struct yk_exchange *exchange);
/* Take the lock. Somebody is about to issue copies; he has settled them. */
void yk_exchange_begin(struct yk_place *place);
void yk_exchange_settled(struct yk_place *place);
/* Takes the lock. The oldest that whoever looks for rows now may come to rely on. */
uint64_t yk_exchange_oldest(struct yk_place *place);
/* Takes the lock. All that a chunk relied on is over: YOKE_ELOST if some of that, from number
 * `oldest` on, failed. May say so also if only a later one did. */
yoke_status yk_exchange_outcome(struct yk_place *place, uint64_t oldest);
/* Takes the lock. exchange.ran, which begins anew. */
struct yk_event_times yk_exchange_ran(struct yk_place *place);
/* Takes the lock; asleep until all are over, however they went. */
void yk_exchange_drain(struct yk_place *place);

#endif
