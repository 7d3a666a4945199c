/* array.h - a registered array: the caller's memory, its rows' whereabouts, and the devices'
 * copies.
 */
#ifndef YK_ARRAY_ARRAY_H
#define YK_ARRAY_ARRAY_H

#include <stdatomic.h>
#include <string.h>
#include <yoke/array.h>

#include "pin.h"
#include "place.h"

/* Rows of a replica that somebody works on: they stay. Owned by whoever holds them. */
struct yk_claim {
    struct yk_interval rows;
    struct yk_claim *next;
};

/* A device's copy of an array: a buffer as large as the whole array, whose rows are current where
 * coherence says so. Lives in its place's list while it has a buffer. A panel's lies in that of the
 * array it is of (`whole`), to which all below belongs.
 *
 * Where the device has pages and the array is not small, the buffer is addresses alone: it may be
 * larger than the memory, rows get theirs when they are committed, and leave by themselves. */
struct yk_replica {
    yoke_array *array;
    struct yk_place *place;
    struct yk_replica *whole; /* itself, if the array is no panel */
    struct yk_buffer *buffer; /* NULL: none at present */
    /* Under place->lock, as all below; what others have to see who borrow it is changed under
     * place->lend_lock, too. */
    int users;               /* who holds all of it; > 0 forbids eviction. Under lend_lock */
    int by_rows;             /* the buffer is addresses: rows are evicted, */
    struct yk_claim *claims; /* but for these. Under lend_lock */
    uint64_t use;            /* place->uses when it was held last */
    /* 1: it is being evicted, or rows of it, and nobody may hold it before that is over. */
    int leaving;
    /* Of rows whose pages the buffer has, where the device has them only on demand, the `use` in
     * which they were committed last; 0: they have none. */
    struct yk_interval_map committed;
    /* Rows (value 1) that copies bring here from the host which have been issued and not settled:
     * whoever waits for what is on the upload queue can take them from here. Under array->lock. */
    struct yk_interval_map sent;
    struct yk_replica *older, *newer;
};

struct yoke_array {
    struct yk_places *places;
    yoke_runtime *runtime;
    char *name;
    char *host; /* address of row first_row; of a panel too, whose columns begin `column` later */
    int owns_host;
    struct yk_pin_range pages; /* of that memory; in the map once a device that pins copies rows */
    int64_t first_row, rows;   /* global index of the first, and how many */
    int64_t row_bytes;         /* of its own columns, */
    int64_t pitch, column;     /* from one row to the next, and before its columns (bytes) */
    size_t element_size;

    /* panel.h. While an array has panels they cover its columns and keep the books: coherence,
     * replicas but for the memory, host_only and spoiled are theirs. */
    yoke_array *whole;  /* what it is a panel of; itself */
    yoke_array *panels; /* in order of columns */
    yoke_array *next_panel;
    int is_named; /* a panel that the program has */

    yk_mutex home_lock; /* held through a transfer to the host, which may sleep */
    yk_mutex lock;      /* coherence and replicas' existence */
    struct yk_coherence *coherence;
    struct yk_interval_map veiled; /* checking mode (veil.h). Under lock */
    struct yk_interval landing;    /* rows of the host that a copy may be changing. Under lock */
    struct yk_replica *replicas[YK_PLACES]; /* by place number */
    /* 1 while no device ever had a row and the host's rows count as current: CPU chunks need not
     * ask or tell coherence. Cleared before the first upload and never set again. */
    atomic_int host_only;

    /* 1: for lack of memory coherence could not be told that a copy failed, so it is not to be
     * believed any more; rows are not moved from then on. */
    atomic_int spoiled;

    atomic_int_fast64_t bytes_to, bytes_from, bytes_between;

    /* Guarded by the runtime's lock. */
    struct yk_use *readers, *writers; /* by jobs that are not done (runtime/order.h) */
    int held;                         /* acquired for writing, */
    const void *holder;               /* by this thread */
    struct yk_decomposition
        *decomposition; /* its rows' bounds (runtime/decomposition.h); NULL: none */
    int changes;        /* a job wrote some of them */
    yoke_array *next, *previous;
};

/* What messages and traces call an array that the program gave no name. */
#define YK_UNNAMED "(unnamed)"
static inline int yk_array_has_name(const yoke_array *array)
{
    return strcmp(array->name, YK_UNNAMED) != 0;
}
/* An array in a message: "array xs", or "the array" if it has no name. */
#define YK_THE_ARRAY "%s%s"
#define YK_NAME_OF(array)                                                                          \
    yk_array_has_name(array) ? "array " : "the array", yk_array_has_name(array) ? (array)->name : ""

static inline struct yk_interval yk_array_rows(const yoke_array *array)
{
    return (struct yk_interval){ array->first_row, array->first_row + array->rows };
}

/* Of its own columns. */
static inline int64_t yk_array_bytes(const yoke_array *array)
{
    return array->rows * array->row_bytes;
}
/* Where a row begins: in a buffer that holds the whole array, and in host memory. */
static inline int64_t yk_array_offset(const yoke_array *array, int64_t row)
{
    return (row - array->first_row) * array->pitch + array->column;
}
static inline char *yk_array_address(const yoke_array *array, int64_t row)
{
    return array->host + yk_array_offset(array, row);
}
/* From the first byte of rows to the last, with those of other panels between them. */
static inline int64_t yk_array_span(const yoke_array *array, struct yk_interval rows)
{
    return yk_interval_empty(rows) ? 0
                                   : (rows.last - rows.first - 1) * array->pitch + array->row_bytes;
}
/* Between the host and a buffer that holds the whole array; rows are not empty. */
static inline void yk_array_shape_copy(const yoke_array *array, struct yk_interval rows,
                                       struct yk_copy *copy)
{
    copy->host = yk_array_address(array, rows.first);
    copy->offset = yk_array_offset(array, rows.first);
    copy->bytes = array->row_bytes;
    copy->rows = rows.last - rows.first;
    copy->pitch = copy->host_pitch = array->pitch;
    if (array->row_bytes == array->pitch) {
        copy->bytes *= copy->rows;
        copy->rows = 1;
    }
}

/* Those that keep the array's books, one after the other: itself, or its panels. NULL before the
 * first and behind the last. */
static inline yoke_array *yk_array_part(yoke_array *array, const yoke_array *before)
{
    if (!array->panels)
        return before ? NULL : array;
    return before ? before->next_panel : array->panels;
}
/* Those that have columns in common with it, likewise: itself, then what it is a panel of or its
 * panels. */
static inline const yoke_array *yk_array_kin(const yoke_array *array, const yoke_array *before)
{
    if (!before)
        return array;
    if (array->whole != array)
        return before == array ? array->whole : NULL;
    return before == array ? array->panels : before->next_panel;
}

/* Bytes that were moved, or are being. A panel's are the whole array's too. */
static inline void yk_array_count(atomic_int_fast64_t *own, atomic_int_fast64_t *of_whole,
                                  int64_t bytes)
{
    atomic_fetch_add(own, bytes);
    if (of_whole != own)
        atomic_fetch_add(of_whole, bytes);
}
static inline void yk_array_count_up(yoke_array *array, int64_t bytes)
{
    yk_array_count(&array->bytes_to, &array->whole->bytes_to, bytes);
}
static inline void yk_array_count_down(yoke_array *array, int64_t bytes)
{
    yk_array_count(&array->bytes_from, &array->whole->bytes_from, bytes);
}
static inline void yk_array_count_across(yoke_array *array, int64_t bytes)
{
    yk_array_count(&array->bytes_between, &array->whole->bytes_between, bytes);
}

static inline int yk_array_is_host_only(yoke_array *array)
{
    yoke_array *part = NULL;
    while ((part = yk_array_part(array, part)))
        if (!atomic_load_explicit(&part->host_only, memory_order_acquire))
            return 0;
    return 1;
}
static inline void yk_array_leaves_host(yoke_array *array)
{
    yoke_array *part = NULL;
    while ((part = yk_array_part(array, part)))
        atomic_store_explicit(&part->host_only, 0, memory_order_release);
}

/* --- array.c --- */
/* The part of opening and closing that needs no runtime lock. */
yoke_status yk_array_open(struct yk_places *places, const yoke_array_spec *spec, yoke_array **out);
/* Frees every replica, and panels; rows only devices have are gone. */
void yk_array_close(yoke_array *array);
/* What every array has that keeps books: coherence and locks. */
yoke_status yk_array_open_books(yoke_array *array, enum yk_coherence_start start);
void yk_array_close_books(yoke_array *array);

/* --- replica.c --- */
/* The array's buffer at `place`, allocated if need be (rows that nobody holds and that were not
 * used for longest make room, written back first), and held until released. YOKE_ENOMEM if there is
 * no room for it. */
yoke_status yk_replica_hold(yoke_array *array, struct yk_place *place, struct yk_replica **out);
void yk_replica_release(struct yk_replica *replica);
/* The same for claim->rows alone, where rows come and go by themselves: there is room for them,
 * beside what others have claimed. */
yoke_status yk_replica_claim(yoke_array *array, struct yk_place *place, struct yk_claim *claim,
                             struct yk_replica **out);
void yk_replica_unclaim(struct yk_replica *replica, struct yk_claim *claim);
/* The same of rows that are there now and stay; NULL otherwise. Never sleeps. */
struct yk_replica *yk_replica_lend(yoke_array *array, struct yk_place *place,
                                   struct yk_claim *claim);
/* Bytes that claiming rows of the array there would take of the place's room. */
int64_t yk_replica_cost(yoke_array *array, struct yk_place *place, struct yk_interval rows);
/* The first of the rows, up to `last`, are held, or none of them is. */
struct yk_claimed {
    int64_t last;
    int claimed;
};
struct yk_claimed yk_replica_claimed(const struct yk_replica *replica, struct yk_interval rows);
/* Its buffer goes, with all that is there. place->lock is held. */
void yk_replica_free(struct yk_replica *replica);

/* --- commit.c --- */
/* `rows` of a held replica are about to be copied to or used by a kernel: they get their pages.
 * Nearly free once they have. YOKE_ENOMEM: others took the memory, and nothing could be evicted. */
yoke_status yk_replica_commit(struct yk_replica *replica, struct yk_interval rows);

/* --- evict.c --- */
/* Something that takes device memory: YOKE_ENOMEM if there is too little. place->lock is held. */
typedef yoke_status yk_place_taking(struct yk_place *place, void *context);
/* `take` is called until there is enough for it: each time the longest unused rows that nobody
 * holds leave. YOKE_ENOMEM, about which nothing is said: there are none. */
yoke_status yk_place_evict_for(struct yk_places *places, struct yk_place *place,
                               yk_place_taking *take, void *context);

/* --- room.c --- */
/* Bytes that could be had there by evicting all that nobody holds, and that nobody counts on who
 * does; a hint. */
int64_t yk_place_room(struct yk_place *place);
int64_t yk_place_room_locked(struct yk_place *place); /* place->lock is held */
/* Device memory outside replicas (windows, private copies), making room the same way. All of it is
 * committed. */
yoke_status yk_place_alloc(struct yk_places *places, struct yk_place *place, int64_t bytes,
                           struct yk_buffer **out);
/* A replica's memory, pages of which may still have to be committed. */
yoke_status yk_place_book(struct yk_places *places, struct yk_place *place, int64_t bytes,
                          struct yk_buffer **out);
/* Such memory that is likely to be wanted again: it stays for yk_place_borrow until it has to make
 * room. */
void yk_place_give(struct yk_place *place, struct yk_buffer *buffer, int64_t bytes);
/* As yk_place_alloc, or what was given, if that is as large; *got says how large it is. */
yoke_status yk_place_borrow(struct yk_places *places, struct yk_place *place, int64_t bytes,
                            struct yk_buffer **out, int64_t *got);

/* --- transfer.c --- */
/* Bring rows to the host. Sleeps while they arrive. YOKE_ELOST if some were lost with a device. */
yoke_status yk_transfer_home(yoke_array *array, struct yk_interval rows);
/* The same of what only `place` has, which nobody is writing there. Rows that others have stay
 * where they are, as jobs may be writing them. */
yoke_status yk_transfer_back(yoke_array *array, int place, struct yk_interval rows);
/* Rows were lost: says so, YOKE_ELOST. */
yoke_status yk_transfer_lost(const yoke_array *array, struct yk_interval rows);
/* YOKE_ENOMEM if the array is spoiled. */
yoke_status yk_transfer_check(yoke_array *array);
/* How many of the rows are not current at `place` (or the host). */
int64_t yk_array_missing(yoke_array *array, int place, struct yk_interval rows);
/* `place` (or the host) holds the new version of rows. For the host, waits until no copy of an
 * older version may land in them: whoever is about to overwrite rows there without reading them
 * says so before he does. */
yoke_status yk_transfer_written(yoke_array *array, int place, struct yk_interval rows);
/* The device behind `place` has written rows and sent them home, where they have arrived. In one
 * step: it may be written off at any moment. */
yoke_status yk_transfer_written_home(yoke_array *array, int place, struct yk_interval rows);
/* 1: the host has all of the rows, no copy may land in them, and if they are to be written there
 * nobody else has them any more, as after yk_transfer_written. 0: something of that has to be done
 * first, by the calls above. Never sleeps. Cores ask this for many pieces at a time: with dozens of
 * them the array's lock would be what each piece waits for. */
enum yk_host_use { YK_HOST_READS, YK_HOST_WRITES };
int yk_transfer_is_ready(yoke_array *array, struct yk_interval rows, enum yk_host_use use);
/* Sleeps until no copy of an older version may land in the host's rows: results that are sent there
 * would be overwritten. For rows that the sender has read, so that nobody else has an older version
 * which could yet come; others are announced with yk_transfer_written. */
void yk_transfer_await_landing(yoke_array *array, struct yk_interval rows);
/* Rows that are sent to the host are about to land there. */
void yk_transfer_landing(yoke_array *array, struct yk_interval rows);
/* `place` gives up what others have of the rows, too; *kept counts the others. Waits until no copy
 * may land in those of the host, for that may be reading them at the place. Keeps no books for
 * panels. */
yoke_status yk_transfer_drop(yoke_array *array, int place, struct yk_interval rows, int64_t *kept);
/* What is at `place` (or the host) of the rows is not to be believed any more; *lost counts those
 * that nobody else has. */
yoke_status yk_transfer_spoilt(yoke_array *array, int place, struct yk_interval rows,
                               int64_t *lost);

/* The device behind `place` is lost. *lost counts rows that only it had. */
void yk_transfer_place_failed(yoke_array *array, int place, int64_t *lost);
/* So it is, as a copy from or to it said; its own threads learn of it from its place. */
void yk_transfer_write_off(yoke_array *array, int place);
/* A copy to `place` that coherence was told of is over, or was not issued. Returns the outcome, or
 * why that could not be noted: then the rows did not arrive. array->lock held; keeps no books for
 * its panels. */
yoke_status yk_array_copy_ended(yoke_array *array, int place, struct yk_interval rows,
                                yoke_status outcome);

/* --- load.c, with lift.c and share.c --- */
/* Rows of another place's replica that stay while they are read or sent. */
struct yk_loan {
    struct yk_claim claim;
    struct yk_replica *replica;
    struct yk_loan *next;
};
/* What was issued to bring one chunk's rows of an array to its device, from the host and from other
 * devices. Zero-initialise; free with yk_load_close. */
struct yk_load {
    /* To be set before: other places that want all these rows at about the same time, a bit each;
     * then they share the host's links and pass rows on to each other. */
    uint32_t sharers;
    struct yk_copy_needs issued; /* to the device; source: from where */
    struct yk_copy_needs passed; /* from the host to other places (source), which have them then */
    int exchanges;               /* some were issued from other devices */
    uint32_t unfollowed;         /* of these: places from which not all of it was copied on */
    struct yk_loan *loans;       /* until all that is settled */
    int64_t from_host, from_devices, to_others; /* bytes of all that */
    struct yk_copy_needs asked;                 /* scratch */
};
void yk_load_close(struct yk_load *load); /* it is settled */
/* Issue copies of what a held replica lacks of `rows`; whoever launches afterwards waits for
 * place->last_upload and the place's latest exchange. When the launch has ended, the caller reports
 * how what was issued went with yk_transfer_settle; so he does after a failure, when all that is on
 * the place's queues is over. */
yoke_status yk_transfer_up(struct yk_replica *replica, struct yk_interval rows,
                           struct yk_load *load);
/* Before that, if load->sharers share them out: what the others will take from this place. Other
 * arrays' rows follow it on the link, before those which have to be waited for. */
yoke_status yk_transfer_up_own(struct yk_replica *replica, struct yk_interval rows,
                               struct yk_load *load);
void yk_transfer_settle(struct yk_replica *replica, struct yk_load *load, yoke_status outcome);

#endif
