/* pin.h - PURE. Which pages of host memory are pinned, block by block, for which device, and when
 * pinning pays.
 *
 * Copies of pinned memory run at the link's speed and need no core. Other memory is copied by a
 * core. Pinning costs as much as one or two copies, so memory is pinned only where chunks use it,
 * and when they do. A block is what one driver call pinned. Blocks are disjoint, and one copy never
 * lies in two of them. Ranges are the possible users of blocks (open arrays, memory of yoke_alloc).
 * A block is unpinned when no range touches it any more, so ranges that overlap share blocks
 * without a reference count.
 *
 * A range has whole pages only: a page that it shares with other data is left out, because its
 * other owner may return it to the system while the range is open. Memory that is returned and
 * mapped again at the same address must never be taken for the pages that were pinned there.
 *
 * Addresses are int64_t, so that the intervals of rows can be used for them, too. No threads,
 * clock, I/O: the owner (pages.c) serialises calls.
 */
#ifndef YK_ARRAY_PIN_H
#define YK_ARRAY_PIN_H

#include <stdint.h>
#include <yoke/status.h>

#include "../base/interval.h"

enum yk_pin_state {
    YK_PIN_NOT,     /* no block */
    YK_PIN_OURS,    /* pinned by us */
    YK_PIN_FOREIGN, /* pinned by other code in this process */
    YK_PIN_PENDING, /* being pinned or unpinned by a thread */
    YK_PIN_REFUSED  /* partly pinned by other code: leave it alone */
};

struct yk_pin_block {
    struct yk_interval bytes;
    enum yk_pin_state state;
    const void *kind; /* the kind of device it is pinned for: copies are fast only for that kind, or
                       * only for the owner */
    void *owner;      /* the pinner that pinned it; only pages.c knows its type */
};

enum yk_pin_way { YK_PIN_UP = 1, YK_PIN_HOME = 2 }; /* bits */
struct yk_pin_range { /* owned by the caller; in the map from join to leave */
    struct yk_interval pages;
    int is_array; /* 0: memory of yoke_alloc, for arrays to come */
    int joined;
    int refused; /* 1: it could not be pinned; pinning is not tried again */
    int ways; /* enum yk_pin_way, for an array of one job: each byte is copied once in each of these
               * ways; 0: not known how often */
    double moved; /* bytes that were copied unpinned and have not paid for a block yet */
    struct yk_pin_range *next, *previous;
};

struct yk_pin_map { /* zero-initialise */
    struct yk_pin_block *items;
    int count, capacity;
    struct yk_pin_range *ranges;
};
void yk_pin_map_close(struct yk_pin_map *map);

/* The sizes (bytes) and costs (ns) that decide whether pinning pays. Measured on a node with an
 * H100, where a driver pins a block in 50 us and 45 to 70 us a MiB, and a core copies a MiB into a
 * staging buffer in 120 to 160 us. Other nodes pin large pages in 18 us a MiB; workers that keep
 * all cores busy make pinning two to four times as slow. So the latest measurements replace these
 * first values (yk_pin_measured); tests set their own. `page`, `unit`, `grain` and `most` are
 * powers of two, in ascending order. */
struct yk_pin_terms {
    int64_t page, unit; /* blocks begin and end at multiples of `unit`, or with their range */
    int64_t grain;      /* in large ranges they do so at multiples of about 1 / 64 of the range, at
                         * most this */
    int64_t most;       /* largest block; all of it is pinned before its first copy can start */
    double pin_ns, unpin_ns;         /* overhead of one call to the driver */
    double pin_mib_ns, unpin_mib_ns; /* each MiB, in addition to that */
    double slow_mib_ns, fast_mib_ns; /* copying a MiB unpinned and pinned */
};
extern struct yk_pin_terms yk_pin_terms;

/* What it takes to pin bytes that are in no block, and to unpin them. */
struct yk_pin_time {
    double pin_ns, unpin_ns;
};
struct yk_pin_time yk_pin_time(int64_t bytes);

/* Notes that it took `ns` to pin `bytes`, to unpin them, or to copy them to or from a staging
 * buffer. The latest MEASURED_BYTES have weight one half. Calls of few bytes are ignored. */
enum yk_pin_work { YK_PIN_PINNED, YK_PIN_UNPINNED, YK_PIN_STAGED };
void yk_pin_measured(enum yk_pin_work work, int64_t bytes, int64_t ns);
/* ns that a copy of the bytes may wait until they are pinned; after that it uses staging buffers. 0
 * if pinning is slower than these. */
int64_t yk_pin_worth_waiting(struct yk_interval bytes);

/* The whole pages of the memory. */
struct yk_interval yk_pin_pages(const void *memory, int64_t bytes);
void yk_pin_join(struct yk_pin_map *map, struct yk_pin_range *range);
/* Blocks that only this range touched stay until the owner has removed them; yk_pin_unused finds
 * them. */
void yk_pin_leave(struct yk_pin_map *map, struct yk_pin_range *range);

/* The state of the first part of `bytes` (not empty), and where that part ends. */
struct yk_pin_block yk_pin_look(const struct yk_pin_map *map, struct yk_interval bytes);
/* Whether some part of `bytes` has the state. */
int yk_pin_has(const struct yk_pin_map *map, struct yk_interval bytes, enum yk_pin_state state);
/* The block that would be pinned for a copy of `bytes`. Call it only if the first of the bytes is
 * in no block and on the range's pages. The block begins at or before that byte. */
struct yk_interval yk_pin_gap(const struct yk_pin_map *map, const struct yk_pin_range *range,
                              struct yk_interval bytes);
/* The whole units of `gap` that a copy of `bytes` overwrites. */
struct yk_interval yk_pin_filled(struct yk_interval gap, struct yk_interval bytes);
/* A copy of `bytes`; only the fraction `part` of them is copied (not gaps between rows). `passes`:
 * how many copies of them are still to come, this one included; 0: not known. */
struct yk_pin_copy {
    struct yk_interval bytes;
    double part;
    int passes;
};
/* Whether pinning `gap` pays for the copy. If it is known how often the bytes that the copy and
 * `gap` share are copied, it pays if it takes less time than it saves:
 *
 *     passes * (slow - fast) * copied >= pin_call + unpin_call + (pin + unpin) * gap
 *
 * Otherwise it pays if unpinned copies lose as much time as that: this copy, and all earlier ones
 * of the range that have not paid for a block yet:
 *
 *     (slow - fast) * (moved + copied) >= pin_call + unpin_call + (pin + unpin) * gap
 *
 * So pinning costs at most as much as was lost without it (the ski rental argument). The copies of
 * the whole range count, not only those of the gap, because rows are mostly used one after the
 * other: each chunk smaller than a block would come to a gap that was not copied before, so a first
 * job would pin nothing. */
int yk_pin_pays(const struct yk_pin_range *range, struct yk_interval gap,
                const struct yk_pin_copy *copy);
/* Call it when the gap is being pinned: the copies that paid for it no longer count. */
void yk_pin_paid(struct yk_pin_range *range, struct yk_interval gap,
                 const struct yk_pin_copy *copy);
/* Notes that the copy was unpinned. */
void yk_pin_moved(struct yk_pin_range *range, const struct yk_pin_copy *copy);

/* Adds a block, which must not overlap another. YOKE_ENOMEM leaves the map unchanged. */
yoke_status yk_pin_insert(struct yk_pin_map *map, const struct yk_pin_block *block);
/* The block that begins at `first`, which must exist. */
struct yk_pin_block *yk_pin_at(struct yk_pin_map *map, int64_t first);
void yk_pin_remove(struct yk_pin_map *map, int64_t first);
/* Returns 1 if some range (YK_PIN_ANY_RANGE), or some array's range (YK_PIN_ARRAYS), touches the
 * bytes. */
enum yk_pin_users { YK_PIN_ANY_RANGE, YK_PIN_ARRAYS };
int yk_pin_is_used(const struct yk_pin_map *map, struct yk_interval bytes, enum yk_pin_users users);
/* The first block in `bytes` that is not pending and that no range (YK_PIN_ANY_RANGE), or no
 * array's range (YK_PIN_ARRAYS), touches; NULL if there is none. */
struct yk_pin_block *yk_pin_unused(struct yk_pin_map *map, struct yk_interval bytes,
                                   enum yk_pin_users users);
/* Total bytes of all blocks. */
int64_t yk_pin_total(const struct yk_pin_map *map);
/* Returns 1 if the invariants hold: blocks are sorted, disjoint and not empty. */
int yk_pin_map_check(const struct yk_pin_map *map);

#endif
