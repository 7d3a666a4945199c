/* array.h - a registered array: the caller's memory, where its rows are current, and the devices'
 * copies.
 */
#ifndef YK_ARRAY_ARRAY_H
#define YK_ARRAY_ARRAY_H

#include <stdatomic.h>
#include <string.h>
#include <yoke/array.h>

#include "interval_map.h"
#include "pin.h"
#include "place.h"

/* Rows of a replica that are in use, so they must not be evicted. Owned by the user of the rows. */
struct yk_claim {
    struct yk_interval rows;
    struct yk_claim *next;
};

/* A device's copy of an array: a buffer as large as the whole array. Coherence says which of its
 * rows are current. A replica is in its place's list while it has a buffer. The replica of a panel
 * has none: it uses `whole`, the replica of the array that the panel belongs to. Of the fields
 * below, only `sent` is then the panel's own.
 *
 * If the device maps pages on demand and the array is not small, the buffer reserves addresses
 * only. It may then be larger than the device's memory: rows get memory when they are committed,
 * and some rows can be evicted while others stay. */
struct yk_replica {
    yoke_array *array;
    struct yk_place *place;
    struct yk_replica *whole; /* itself, if the array is not a panel */
    struct yk_buffer *buffer; /* NULL: none at present */
    /* The fields from here on are under place->lock, unless they name another lock. Fields that
     * yk_replica_lend reads are changed under place->lend_lock as well. */
    int users;               /* number of its users; > 0 forbids eviction. Under lend_lock */
    int by_rows;             /* 1: it reserves addresses only; rows are evicted separately */
    struct yk_claim *claims; /* if by_rows: rows that must not be evicted. Under lend_lock */
    uint64_t use;            /* value of place->uses when the replica was last held */
    /* 1: it, or some of its rows, is being evicted; it cannot be held until that is done. */
    int leaving;
    /* Only if the device maps pages on demand. For each row, the value of `use` when its pages were
     * last committed; 0 if it has no pages. */
    struct yk_interval_map committed;
    /* For each row: the number of the upload that brings it here from the host, or of a later
     * upload. Set when the copy was issued; 0 when it is settled, and for all other rows. Another
     * device may copy the row from here when that upload is complete. Under array->lock. */
    struct yk_interval_map sent;
    struct yk_replica *older, *newer;
    struct yk_replica *next_by_rows, **link_by_rows; /* in the place's list; link NULL: not there */
};

struct yoke_array {
    struct yk_places *places;
    yoke_runtime *runtime;
    char *name;
    char *host; /* address of row first_row, also in a panel (its columns begin `column` bytes
                 * later) */
    int owns_host;
    atomic_int placed;         /* 1: yk_pages_place has placed its pages */
    struct yk_pin_range pages; /* pages of `host`; in the map after a copy by a device that pins */
    int64_t first_row, rows;   /* global index of the first row; row count */
    int64_t row_bytes;         /* bytes of the array's own columns in one row */
    int64_t pitch, column;     /* bytes from row to row; bytes in a row before its columns */
    size_t element_size;

    /* See panel.h. While an array has panels, they cover all its columns and keep its coherence
     * state: coherence, replicas (except their memory), host_only and spoiled of the panels are
     * used, and its own are not. */
    yoke_array *whole;  /* the array that this is a panel of; otherwise itself */
    yoke_array *panels; /* in order of columns */
    yoke_array *next_panel;
    int is_named; /* 1: a panel that the program opened */

    yk_mutex home_lock; /* held during a transfer to the host; its thread may sleep */
    yk_mutex lock;      /* protects coherence, and which replicas exist */
    struct yk_coherence *coherence;
    struct yk_interval_map poisoned; /* checking mode (poison.h). Under lock */
    struct yk_interval landing;      /* host rows that a copy may be overwriting. Under lock */
    struct yk_replica *replicas[YK_PLACES]; /* by place number */
    /* 1: no device has ever had a row, and all rows at the host count as current. CPU chunks then
     * need not use coherence. Cleared before the first upload and never set again. */
    atomic_int host_only;

    /* 1: coherence could not record a failed copy, because memory ran out. It is wrong from then
     * on, so no rows are moved any more. */
    atomic_int spoiled;

    atomic_int_fast64_t bytes_to, bytes_from, bytes_between;

    /* Under the runtime's lock. */
    struct yk_use *readers, *writers; /* uses by unfinished jobs (job/order.h) */
    /* Readers, too: a later job writes some of their rows, so while there is one the array, or one
     * of its kin, has a writer. */
    struct yk_use *overwritten;
    int held;           /* 1: a thread has acquired it for writing */
    const void *holder; /* which thread that is */
    int64_t reads;      /* acquires for reading by other threads that none has released */
    struct yk_decomposition
        *decomposition; /* bounds of its rows (life/decomposition.h); NULL: none */
    int changes;        /* 1: a job wrote some of its rows */
    int came_home;      /* 1: the program has waited for some of its rows */
    /* Numbers of the decomposition's latest job that wrote its rows, and of the latest one that
     * wrote or read them, so that they are where that job was split; 0: none */
    uint64_t written, used;
    int in_use;        /* 1: a job has used it */
    int carried;       /* 1: the first job of each round that uses its rows reads some, so they have
                        * to be where that job is split */
    int64_t sent_rows; /* rows that the program has written since the latest job that used it */
    yoke_array *next, *previous;
};

/* Replaces the name of an unnamed array in messages and traces. */
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
/* The elements from one row to the next. */
static inline int64_t yk_array_row_elements(const yoke_array *array)
{
    return array->pitch / (int64_t)array->element_size;
}

/* Returns 1 if the array is opened for one job (yoke_for) and closed after it. */
static inline int yk_array_is_of_one_job(const yoke_array *array)
{
    return array->whole->pages.ways != 0;
}

/* Bytes of all rows, own columns only. */
static inline int64_t yk_array_bytes(const yoke_array *array)
{
    return array->rows * array->row_bytes;
}
/* Bytes from the start of host memory, or of a buffer that holds the whole array, to the row's own
 * columns. */
static inline int64_t yk_array_offset(const yoke_array *array, int64_t row)
{
    return (row - array->first_row) * array->pitch + array->column;
}
static inline char *yk_array_address(const yoke_array *array, int64_t row)
{
    return array->host + yk_array_offset(array, row);
}
/* Bytes from the first byte of `rows` to the last, including the bytes of other panels that lie
 * between the rows. */
static inline int64_t yk_array_span(const yoke_array *array, struct yk_interval rows)
{
    return yk_interval_empty(rows) ? 0
                                   : (rows.last - rows.first - 1) * array->pitch + array->row_bytes;
}
/* Fills in a copy between the host and a buffer that holds the whole array. `rows` is not empty. */
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

/* Iterates over the arrays that keep this array's coherence state: the array itself, or its panels.
 * Start with NULL; returns NULL at the end. */
static inline yoke_array *yk_array_part(yoke_array *array, const yoke_array *before)
{
    if (!array->panels)
        return before ? NULL : array;
    return before ? before->next_panel : array->panels;
}
/* Iterates over the arrays that share columns with this one: the array itself, then the array it is
 * a panel of, or its own panels. Start with NULL; returns NULL at the end. */
static inline const yoke_array *yk_array_kin(const yoke_array *array, const yoke_array *before)
{
    if (!before)
        return array;
    if (array->whole != array)
        return before == array ? array->whole : NULL;
    return before == array ? array->panels : before->next_panel;
}

/* Counts bytes that were or are being moved. A panel's bytes also count for the whole array. */
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
/* Do the part of opening and closing that needs no runtime lock. */
yoke_status yk_array_open(struct yk_places *places, const yoke_array_spec *spec, yoke_array **out);
/* Frees all replicas and panels. Rows that only devices have are lost. */
void yk_array_close(yoke_array *array);
/* Opens coherence and locks, which every array that keeps coherence state has. */
yoke_status yk_array_open_state(yoke_array *array, enum yk_coherence_start start);
void yk_array_close_state(yoke_array *array);

/* --- replica.c --- */
/* Holds the array's buffer at `place` until it is unclaimed, or claim->rows only, if rows are
 * evicted separately (by_rows) and `claim` is not NULL. Allocates the buffer if there is none; to
 * make room, the least recently used rows that are not held are written back and evicted.
 * YOKE_ENOMEM if there is still no room. On success there is room for these rows and for all other
 * claims at the same time. */
typedef yoke_status yk_claim_fn(yoke_array *array, struct yk_place *place, struct yk_claim *claim,
                                struct yk_replica **out);
yk_claim_fn yk_replica_claim;
/* The same without that promise: call yk_place_check_room after the last of several claims, and
 * take them back if it fails. */
yk_claim_fn yk_replica_claim_unchecked;
void yk_replica_unclaim(struct yk_replica *replica, struct yk_claim *claim);
/* Holds rows so that another device can copy from them, without allocating anything. Returns NULL
 * if the array has no buffer there, or if it is being evicted. Never sleeps. */
struct yk_replica *yk_replica_lend(yoke_array *array, struct yk_place *place,
                                   struct yk_claim *claim);
/* Bytes of the place's room that a claim of these rows would take. */
int64_t yk_replica_cost(yoke_array *array, struct yk_place *place, struct yk_interval rows);
/* Whether the first of `rows` is held. The answer is the same for all rows before `last`. */
struct yk_claimed {
    int64_t last;
    int claimed;
};
struct yk_claimed yk_replica_claimed(const struct yk_replica *replica, struct yk_interval rows);
/* Both remove the replica with all its rows; place->lock is held. The first frees its memory. The
 * second is for an array that closes: it keeps small memory for the next array of the same size. */
void yk_replica_free(struct yk_replica *replica);
void yk_replica_close(struct yk_replica *replica);

/* --- map_pages.c --- */
/* Maps the pages of `rows` of a held replica, before a copy or a kernel uses them. Nearly free if
 * they have pages. YOKE_ENOMEM: another process has taken the memory; nothing is left to evict. */
yoke_status yk_replica_commit(struct yk_replica *replica, struct yk_interval rows);

/* --- evict.c --- */
/* Takes device memory; YOKE_ENOMEM if there is too little. place->lock is held. */
typedef yoke_status yk_place_taking(struct yk_place *place, void *context);
/* Calls `take` until it has enough memory. Before each further call, evicts the least recently used
 * rows that are not held. YOKE_ENOMEM, without a message: nothing is left to evict. */
yoke_status yk_place_evict_for(struct yk_places *places, struct yk_place *place,
                               yk_place_taking *take, void *context);

/* --- device_memory.c --- */
/* Bytes that an allocation at `place` could get if all rows that are not held were evicted, less
 * the bytes already promised to claims. Only a hint: it may change at any time. */
int64_t yk_place_room(struct yk_place *place);
/* YOKE_ENOMEM: there is no room for all rows that are claimed at the place at the same time. */
yoke_status yk_place_check_room(struct yk_place *place);
/* Allocates device memory outside replicas (windows, private copies), and evicts rows if it has to.
 * All of the memory is committed. */
yoke_status yk_place_alloc(struct yk_places *places, struct yk_place *place, int64_t bytes,
                           struct yk_buffer **out);
/* The same for a replica's memory. Takes a spare of that size if there is one. The memory's pages
 * may not be committed yet. */
yoke_status yk_place_book(struct yk_places *places, struct yk_place *place, int64_t bytes,
                          struct yk_buffer **out);
/* Returns such memory to the place, which keeps it for yk_place_borrow, because the next job is
 * likely to need it. It is freed when its room is needed. */
void yk_place_give(struct yk_place *place, const struct yk_spare *memory);
/* Like yk_place_alloc, but takes returned memory of at least that size, if there is any. */
yoke_status yk_place_borrow(struct yk_places *places, struct yk_place *place, int64_t bytes,
                            struct yk_spare *out);

/* --- transfer.c --- */
/* Brings rows to the host. Sleeps while they arrive. YOKE_ELOST if some were lost with a device. */
yoke_status yk_transfer_home(yoke_array *array, struct yk_interval rows);
/* The same, but takes rows only from `place`, where no job may be writing them. Leaves out rows
 * that would come from other places, because jobs may be writing them there. */
yoke_status yk_transfer_back(yoke_array *array, int place, struct yk_interval rows);
/* Reports lost rows. Returns YOKE_ELOST. */
yoke_status yk_transfer_lost(const yoke_array *array, struct yk_interval rows);
/* YOKE_ENOMEM if the array is spoiled. */
yoke_status yk_transfer_check(yoke_array *array);
/* Number of rows that are not current at `place` (or the host). */
int64_t yk_array_missing(yoke_array *array, int place, struct yk_interval rows);
/* Bytes of `rows` that `place` has to get from the host, or through it. */
int64_t yk_array_from_host(yoke_array *array, const struct yk_place *place,
                           struct yk_interval rows);
/* Notes that `place` (or the host) has a new version of `rows`. For the host, waits until no copy
 * of an older version can land in them. So call this before rows are overwritten at the host
 * without having been read there. */
yoke_status yk_transfer_written(yoke_array *array, int place, struct yk_interval rows);
/* Notes in one step that the device of `place` has written `rows` and that they have arrived at the
 * host. Between two calls the device could be written off, and the rows would be lost. */
yoke_status yk_transfer_written_home(yoke_array *array, int place, struct yk_interval rows);
/* Returns 1 if the host has all of `rows` and no copy may land in them. With YK_HOST_WRITES the
 * host is then the only place that has them, as after yk_transfer_written. Returns 0 if the calls
 * above have work to do first. Never sleeps. Cores call it once for all pieces of a lease: dozens
 * of cores that called it for each piece would wait for the array's lock. */
enum yk_host_use { YK_HOST_READS, YK_HOST_WRITES };
int yk_transfer_is_ready(yoke_array *array, struct yk_interval rows, enum yk_host_use use);
/* Sleeps until no copy of an older version to these rows of the host is under way: it would
 * overwrite results that are sent there. This is enough for rows that the sender has read, because
 * no other place has an older version of them that could still arrive. For other rows use
 * yk_transfer_written. */
void yk_transfer_await_landing(yoke_array *array, struct yk_interval rows);
/* Unpoisons rows that are about to arrive at the host (checking mode, poison.h). */
void yk_transfer_landing(yoke_array *array, struct yk_interval rows);
/* Makes `place` give up its copy of those rows that other places have too. It keeps rows that only
 * it has; *kept is their number. First waits until no copy to the host's rows is under way, because
 * it may be reading them at `place`. `array` must keep its own coherence state (have no panels). */
yoke_status yk_transfer_drop(yoke_array *array, int place, struct yk_interval rows, int64_t *kept);
/* Notes that the rows at `place` (or the host) are no longer valid. *lost is the number of rows
 * that no other place has. */
yoke_status yk_transfer_spoilt(yoke_array *array, int place, struct yk_interval rows,
                               int64_t *lost);

/* Notes that the device of `place` is lost. *lost is the number of rows that only it had. */
void yk_transfer_place_failed(yoke_array *array, int place, int64_t *lost);
/* The same, for a thread whose copy from or to the device reported the loss. Sets the place's
 * `lost`, from which the device's own threads learn of it. */
void yk_transfer_write_off(yoke_array *array, int place);
/* Notes in array->coherence that a copy of `rows` to `place` has ended, or could not be issued.
 * Returns `outcome`, or the error if the end of a copy could not be noted: then the rows count as
 * not arrived. array->lock is held. */
yoke_status yk_array_copy_ended(yoke_array *array, int place, struct yk_interval rows,
                                yoke_status outcome);

/* --- upload.c, with upload_copy.c and upload_shared.c --- */
/* Rows of another place's replica that must stay there while they are copied from or to it. */
struct yk_loan {
    struct yk_claim claim;
    struct yk_replica *replica;
    struct yk_loan *next;
};
/* The copies issued to bring one chunk's rows of an array to its device, from the host and from
 * other devices. Zero-initialise; free with yk_load_close. */
struct yk_load {
    /* Set by the caller: a bit for each other place that needs all these rows at about the same
     * time. These places then share the host's links and pass rows on to each other. */
    uint32_t sharers;
    /* Set by the caller: kernels under way that write some of the rows, as coherence knows already;
     * NULL: none. */
    const struct yk_behind *behind;
    /* Set by the caller: the queue of the kernel that will read the rows; NULL: none. */
    struct yk_queue *queue;
    struct yk_copy_needs issued; /* copies to the device; `source`: from where */
    struct yk_copy_needs passed; /* copies from the host to other places (`source`), from which this
                                  * device then copies the rows */
    int exchanges;               /* 1: some copies come from other devices */
    uint32_t unfollowed;         /* places in `passed` with rows that were not copied here */
    struct yk_loan *loans;       /* held until all these copies are settled */
    int64_t from_host, from_devices, to_others; /* bytes of these copies */
    struct yk_copy_needs asked;                 /* scratch */
};
void yk_load_close(struct yk_load *load); /* only when all its copies are settled */
/* Issues copies of the rows that a held replica lacks. A kernel launched afterwards must wait for
 * place->last_upload and for the place's latest exchange. When the kernel has ended, the caller
 * reports the outcome with yk_transfer_settle. After a failure the caller does the same when
 * everything on the place's queues is over. */
yoke_status yk_transfer_up(struct yk_replica *replica, struct yk_interval rows,
                           struct yk_load *load);
/* If load->sharers is set, call this before yk_transfer_up: it issues only the pieces that other
 * devices will copy from this place. Rows of other arrays can then follow at once, before the
 * pieces for which this device has to wait. */
yoke_status yk_transfer_up_own(struct yk_replica *replica, struct yk_interval rows,
                               struct yk_load *load);
void yk_transfer_settle(struct yk_replica *replica, struct yk_load *load, yoke_status outcome);

#endif
