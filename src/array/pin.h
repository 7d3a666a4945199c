/* pin.h - PURE. Which pages of host memory are pinned, block by block, for whom, and when pinning
 * pays.
 *
 * Copies reach pinned memory at the link's speed and beside everything else; other memory goes
 * through the processor. Pinning costs as much as a copy or two, so memory is pinned where chunks
 * use it and as they do: a block is what was pinned by one call to the driver, disjoint from all
 * others, so that one copy never lies in two of them. Ranges are those who may use blocks (open
 * arrays, memory of yoke_alloc); a block goes when no range touches it any more, so ranges that
 * overlap share blocks without counting.
 *
 * A range has whole pages only. What lies on its first and last page beside it is somebody else's,
 * who may give that page back to the system while the range is open; and memory that is given back
 * and comes again at the same address must never be taken for the pages that were pinned there.
 *
 * Addresses are int64_t, so that the interval of rows serves here too. No threads, clock, I/O: the
 * owner (pages.c) serialises calls.
 */
#ifndef YK_ARRAY_PIN_H
#define YK_ARRAY_PIN_H

#include <stdint.h>
#include <yoke/status.h>

#include "interval.h"

enum yk_pin_state {
    YK_PIN_NOT,     /* no block */
    YK_PIN_OURS,    /* pinned by us */
    YK_PIN_FOREIGN, /* pinned by somebody else of this process */
    YK_PIN_PENDING, /* being pinned or let go by some thread */
    YK_PIN_REFUSED  /* pinned by somebody else in part: leave it alone */
};

struct yk_pin_block {
    struct yk_interval bytes;
    enum yk_pin_state state;
    const void *kind; /* what it is pinned for: fast for nobody else, or for the owner alone */
    void *owner;      /* who pinned it; the map's owner knows what that is */
};

struct yk_pin_range { /* the owner's; in the map from join to leave */
    struct yk_interval pages;
    int is_array; /* 0: memory that waits for arrays */
    int joined;
    int refused;  /* it could not be pinned: not tried again */
    double moved; /* bytes that went another way and have not paid for a block yet */
    struct yk_pin_range *next, *previous;
};

struct yk_pin_map { /* zero-initialise */
    struct yk_pin_block *items;
    int count, capacity;
    struct yk_pin_range *ranges;
};
void yk_pin_map_close(struct yk_pin_map *map);

/* Sizes (bytes) and costs (ns) that decide; measured on a node with an H200, tests set their own.
 * Pinning a MiB takes 18 us (large pages) to 46 us by itself, and two to four times that beside
 * workers that keep all cores busy, when memory that is used once is better staged: what it took
 * lately replaces the first guess (yk_pin_measured).
 * `page`, `unit`, `grain` and `most` are powers of two, none less than the one before. */
struct yk_pin_terms {
    int64_t page, unit; /* blocks begin and end at multiples of unit, or where their range does; */
    int64_t grain;      /* in large ranges at multiples of some 1 / 64 of it, but at most this */
    int64_t most;       /* in one block: what is pinned before the first copy can start */
    double pin_ns;      /* a call */
    double pin_mib_ns, slow_mib_ns, fast_mib_ns; /* a MiB pinned; copied without and with it */
};
extern struct yk_pin_terms yk_pin_terms;

/* So many bytes were pinned in that time. The latest counts a half. */
void yk_pin_measured(int64_t bytes, int64_t ns);
/* How long a copy of the bytes may wait until they are pinned, instead of going another way; 0
 * where pinning takes longer than that other way. */
int64_t yk_pin_worth_waiting(struct yk_interval bytes);

/* The whole pages of memory. */
struct yk_interval yk_pin_pages(const void *memory, int64_t bytes);
void yk_pin_join(struct yk_pin_map *map, struct yk_pin_range *range);
/* Blocks that only it touched stay until the owner has removed them: yk_pin_unused finds them. */
void yk_pin_leave(struct yk_pin_map *map, struct yk_pin_range *range);

/* State of the first part of `bytes` (not empty), and where that part ends. */
struct yk_pin_block yk_pin_look(const struct yk_pin_map *map, struct yk_interval bytes);
/* The grain to which blocks of the range are rounded. */
int64_t yk_pin_grain(const struct yk_pin_range *range);
/* What would be pinned for a copy of `bytes`, whose first byte is in no block and on the range's
 * pages: a block that begins before or at that byte. */
struct yk_interval yk_pin_gap(const struct yk_pin_map *map, const struct yk_pin_range *range,
                              struct yk_interval bytes);
/* The whole units of `gap` that a copy of `bytes` fills. */
struct yk_interval yk_pin_filled(struct yk_interval gap, struct yk_interval bytes);
/* Whether pinning `gap` for a copy of `part` of what `bytes` and it have in common pays. With the
 * copy, and all of the range's before that went another way and paid for no block yet, as much time
 * was lost as pinning takes:
 *
 *     (slow - fast) * (moved + copied) >= pin_call + pin * gap
 *
 * So pinning costs at most as much as was lost without (the ski rental argument). The whole range
 * counts, for rows are mostly gone through in a row: chunks that are smaller than a block would
 * each find another block with nothing moved, and a first job would pin nothing. */
int yk_pin_pays(const struct yk_pin_range *range, struct yk_interval gap, struct yk_interval bytes,
                double part);
/* The gap is being pinned: what paid for it pays for nothing else. */
void yk_pin_paid(struct yk_pin_range *range, struct yk_interval gap, struct yk_interval bytes,
                 double part);
/* `part` of `bytes` went another way. */
void yk_pin_moved(struct yk_pin_range *range, struct yk_interval bytes, double part);

/* The block must touch no other. YOKE_ENOMEM leaves the map as it was. */
yoke_status yk_pin_insert(struct yk_pin_map *map, const struct yk_pin_block *block);
/* The block that begins at `first`; it is there. */
struct yk_pin_block *yk_pin_at(struct yk_pin_map *map, int64_t first);
void yk_pin_remove(struct yk_pin_map *map, int64_t first);
/* Whether some range, or some array's range, touches the bytes. */
enum yk_pin_who { YK_PIN_ANYBODY, YK_PIN_ARRAYS };
int yk_pin_is_used(const struct yk_pin_map *map, struct yk_interval bytes, enum yk_pin_who who);
/* The first block in `bytes` that is not pending and that nobody of `who` touches; NULL if there is
 * none. */
struct yk_pin_block *yk_pin_unused(struct yk_pin_map *map, struct yk_interval bytes,
                                   enum yk_pin_who who);
/* Of all blocks. */
int64_t yk_pin_total(const struct yk_pin_map *map);
/* The invariants: blocks sorted, disjoint, none empty. */
int yk_pin_map_check(const struct yk_pin_map *map);

#endif
