/* place.h - a memory where arrays can live beside the host's: one device with its copy queues and
 * its replicas.
 *
 * Four kinds of queue keep copies and kernels apart: everything from the host goes through
 * `upload` in order and everything from other devices through `exchange`, so that whoever needs
 * rows that are arriving only waits for the latest of both; results leave through `download`;
 * kernels run on queues of the runtime's lanes. A device is driven by one thread at a time: all
 * backend calls but poll, wait and build are made under `lock`, from whichever thread needs them.
 *
 * Order of locks: yk_place.upload_lock, yoke_array.home_lock, yoke_array.lock, yk_place.lock (of
 * two, that of the lower number first), yk_place.lend_lock, that of pages.c. Nobody sleeps holding
 * the last four.
 */
#ifndef YK_ARRAY_PLACE_H
#define YK_ARRAY_PLACE_H

#include <stdatomic.h>

#include "../backend/backend.h"
#include "../platform/thread.h"
#include "coherence.h"
#include "exchange.h"
#include "pages.h"
#include "stage.h"

struct yk_replica;

/* Uploads so far back are told apart by who follows them; of older ones the oldest of these does.
 */
enum { YK_RECENT_UPLOADS = 16 };

/* Device memory that nobody uses. NULL: an empty place for some. */
struct yk_spare {
    struct yk_buffer *buffer;
    int64_t bytes;
};
enum { YK_SPARES = 4 }; /* a job has windows, queues and sums at most, or several sums */

struct yk_place {
    struct yk_device *device; /* owned */
    int number;               /* in coherence; YK_HOST for a device that works in host memory */
    yk_mutex lock;
    /* Held by whoever uploads rows, through all of it: rows that coherence calls arriving are on
     * the upload queue when it is free. */
    yk_mutex upload_lock;
    struct yk_queue *upload, *download; /* NULL for host memory */
    struct yk_event
        *last_upload;       /* latest operation on `upload`; under lock; NULL: all are complete */
    struct yk_slot *lender; /* last_upload is this slot's event; NULL: the place's own */
    /* Of what other places borrow here: the claims and users of replicas, whether one is leaving,
     * and the next two. Never held in a call of the driver, which `lock` is, nearly all of the time
     * while several devices begin a job: they would wait for each other's calls, asleep. */
    yk_mutex lend_lock;
    /* How many uploads there were, and the events of the latest, each held once more. */
    uint64_t uploads;
    struct yk_event *recent_uploads[YK_RECENT_UPLOADS];
    struct yk_exchange exchange; /* under lock */
    /* Other places that it copies from directly, a bit each, and of them those that it does so from
     * faster than from the host. Bits are only added. */
    atomic_uint direct, nearer;
    double reach[YK_PLACES];            /* bytes per ns from each of them; 0: not directly */
    struct yk_pinner *pinner;           /* NULL: the device pins no host memory */
    atomic_int_fast64_t mapped;         /* bytes of its memory, in all */
    struct yk_stage stage;              /* under lock */
    struct yk_replica *oldest, *newest; /* that have a buffer, by its making; under lock */
    uint64_t uses;                      /* times that a replica was held; under lock */
    /* What jobs left for those behind them (spare.c); under lock. */
    struct yk_spare spares[YK_SPARES];
    atomic_int lost; /* the device failed; set once */
};

/* Takes `device`; on failure it is closed. */
yoke_status yk_place_open(struct yk_device *device, int number, struct yk_place *out);
void yk_place_close(struct yk_place *place);
/* Sleep until `event` is complete (virtual time moves on where the clock is virtual), close it,
 * return how it went. NULL is complete. */
yoke_status yk_place_wait(struct yk_place *place, struct yk_event *event);
/* The same, and the event stays. */
yoke_status yk_place_await(struct yk_place *place, struct yk_event *event);
/* `event` is the latest operation on the upload queue from now on; taken, by the slot it reads from
 * if that is not NULL. Under place->lock. */
void yk_place_uploading(struct yk_place *place, struct yk_event *event, struct yk_slot *slot);
/* The number of the latest upload, for others to come after; */
uint64_t yk_place_uploaded(struct yk_place *place);
/* and the event of that one or one behind it, to be closed; NULL: it is complete. */
struct yk_event *yk_place_upload_of(struct yk_place *place, uint64_t number);
/* Wait until everything that was issued to bring rows here is over, however it went. */
void yk_place_drain(struct yk_place *place);
void yk_place_drain_locked(struct yk_place *place); /* upload_lock is held */
/* Bytes of its own memory mapped and of the host's pinned for it so far, in all: while this grows,
 * work takes longer than it will. */
int64_t yk_place_readied(struct yk_place *place);
/* Whether the event is complete, without sleeping. */
int yk_place_poll(struct yk_place *place, struct yk_event *event, yoke_status *outcome);

/* All memories of a runtime. Entries are added while it runs and never removed before it closes, so
 * a reader that loads `count` (acquire) may use what lies below it without a lock. */
struct yk_places {
    struct yk_place items[YK_PLACES];
    atomic_int count;
    int checks;          /* what programs do with host memory is checked (veil.h) */
    yk_mutex evict_lock; /* one eviction or array close at a time */
};
/* Find out which of the first `count` places and the one behind them, which nobody else knows yet,
 * can copy from each other. Where a queue for that cannot be had they go by way of the host. */
void yk_places_connect(struct yk_places *places, int count);
/* The place behind a number of coherence; NULL for the host. */
struct yk_place *yk_places_find(struct yk_places *places, int number);

/* spare.c; place->lock is held. Bytes that wait for the next job; one of them, the largest, goes
 * back to the device (0: there is none). */
int64_t yk_place_spare_bytes(const struct yk_place *place);
int yk_place_free_spare(struct yk_place *place);

#endif
