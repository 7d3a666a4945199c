/* place.h - a memory, besides the host's, where arrays can live: one device with its copy queues
 * and its replicas.
 *
 * Five kinds of queue keep copies and kernels apart. Rows from the host go through `upload`, in
 * order, and rows from other devices through `exchange`, so that a user of arriving rows only has
 * to wait for the latest operation of both. Results leave through `download`, behind their kernels,
 * and rows that are there already through `lending`, so that other devices get halos while kernels
 * run. Kernels run on the queues of the runtime's lanes. Any thread may call the backend, but one
 * at a time: all calls except poll, wait and build are made under `lock`.
 *
 * Order of locks: yk_place.upload_lock, yoke_array.home_lock, yoke_array.lock, yk_place.lock (of
 * two, the lower number first), yk_place.lend_lock, the lock of pages.c. No thread sleeps while it
 * holds one of the last four.
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

/* This many of the latest uploads have an event of their own to wait for. To wait for an older one,
 * wait for the oldest of these.
 */
enum { YK_RECENT_UPLOADS = 16 };

/* Device memory that is kept for later (spare_memory.c). Without a buffer, the entry is empty. */
struct yk_spare {
    struct yk_buffer *buffer;
    int64_t bytes;
    int64_t zeros; /* bytes at its beginning that are known to be 0 */
};
enum { YK_SPARES = 8 }; /* windows, queues and sums of a job, and some small arrays */

struct yk_place {
    struct yk_device *device; /* owned */
    int number;               /* in coherence; YK_HOST for a device that works in host memory */
    yk_mutex lock;
    /* Held from the note in coherence to the issue of each copy to this place. So its holder knows
     * that rows which coherence calls arriving are on a queue. */
    yk_mutex upload_lock;
    struct yk_queue *upload, *download; /* NULL for host memory */
    struct yk_queue *lending;           /* opened when it is needed first; under lock */
    struct yk_event
        *last_upload;       /* latest operation on `upload`; under lock; NULL: all are complete */
    struct yk_slot *lender; /* last_upload is this slot's event; NULL: the place owns it */
    /* For what other places borrow here: claims and users of replicas, their `leaving`, and the
     * next two fields. Never held during a driver call. (`lock` is held during them: nearly all the
     * time while several devices begin a job. If they took each other's `lock`, they would wait for
     * each other's calls.) */
    yk_mutex lend_lock;
    /* Number of uploads so far, and the events of the latest ones. The place frees these events. */
    uint64_t uploads;
    struct yk_event *recent_uploads[YK_RECENT_UPLOADS];
    struct yk_exchange exchange; /* under lock */
    /* Other places that it copies from directly, a bit each; and those of them that it copies from
     * faster than from the host. Bits are only ever added. */
    atomic_uint direct, nearer;
    double reach[YK_PLACES];            /* bytes per ns from each of them; 0: not directly */
    struct yk_pinner *pinner;           /* NULL: the device pins no host memory */
    atomic_int_fast64_t mapped;         /* bytes of its memory mapped so far */
    struct yk_stage stage;              /* under lock */
    struct yk_replica *oldest, *newest; /* replicas with a buffer, in the order these were made;
                                         * under lock */
    struct yk_replica *by_rows; /* those of them whose rows are evicted separately; under lock */
    int64_t idle_bytes; /* of the others, those that have no users; under lend_lock. A sum, because
                         * there may be thousands, and each job asks for the room */
    uint64_t uses;      /* number of times a replica was held; under lock */
    struct yk_spare spares[YK_SPARES]; /* under lock */
    atomic_int lost;                   /* 1: the device failed; never cleared */
};

/* Takes ownership of `device`, and closes it on failure. */
yoke_status yk_place_open(struct yk_device *device, int number, struct yk_place *out);
void yk_place_close(struct yk_place *place);
/* YOKE_EDEVICE, and the thread's error text, if the device was lost; otherwise YOKE_OK. */
yoke_status yk_place_check(const struct yk_place *place);
/* Sleeps until `event` is complete (on a virtual clock, advances time), closes it and returns its
 * outcome. NULL counts as complete. */
yoke_status yk_place_wait(struct yk_place *place, struct yk_event *event);
/* As yk_place_wait, for a copy of so many bytes: watches for its end if that comes soon. For a
 * thread that has nothing else to do. */
yoke_status yk_place_watch_copy(struct yk_place *place, struct yk_event *event, int64_t bytes);
/* The same as yk_place_wait, but does not close the event. */
yoke_status yk_place_await(struct yk_place *place, struct yk_event *event);
/* `event` becomes the latest operation on the upload queue. It is owned by `slot` if the copy reads
 * from a slot, otherwise by the place. Under place->lock. */
void yk_place_uploading(struct yk_place *place, struct yk_event *event, struct yk_slot *slot);
/* The number of the latest upload, for a copy that must come after it. */
uint64_t yk_place_uploaded(struct yk_place *place);
/* The event of that upload or of a later one; the caller closes it. NULL: the upload is
 * complete. */
struct yk_event *yk_place_upload_of(struct yk_place *place, uint64_t number);
/* Waits until everything that was issued to bring rows here is over, whatever its outcome. */
void yk_place_drain(struct yk_place *place);
void yk_place_drain_locked(struct yk_place *place); /* upload_lock is held */
/* Whether the event is complete. Never sleeps. */
int yk_place_poll(struct yk_place *place, struct yk_event *event, yoke_status *outcome);

/* All memories of a runtime. Entries are added while it runs and are removed only when it closes.
 * So a reader that loads `count` (acquire) may use the entries below it without a lock. */
struct yk_places {
    struct yk_place items[YK_PLACES];
    atomic_int count;
    int checks;          /* 1: check what programs do with host memory (poison.h) */
    int sleeps;          /* 1: threads that wait should sleep at once */
    yk_mutex evict_lock; /* one eviction or array close at a time */
};
/* Finds out which of the first `count` places can exchange rows directly with the next one, which
 * no other thread knows yet. If no queue for that can be opened, rows go by way of the host. */
void yk_places_connect(struct yk_places *places, int count);
/* The place with this number in coherence; NULL for the host. */
struct yk_place *yk_places_find(struct yk_places *places, int number);
/* Total bytes so far, of all places: device memory that was mapped, and host memory that was
 * pinned. While this grows, work takes longer than it will later. */
int64_t yk_places_readied(struct yk_places *places);

/* spare_memory.c; place->lock is held. The first returns the bytes kept for later. The second gives
 * the largest spare back to the device, and returns 0 if there is none. The third keeps memory, or
 * frees it if there are enough larger spares. */
int64_t yk_place_spare_bytes(const struct yk_place *place);
int yk_place_free_spare(struct yk_place *place);
void yk_place_keep(struct yk_place *place, const struct yk_spare *memory);

#endif
