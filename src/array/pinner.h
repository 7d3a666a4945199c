/* pinner.h - a device that pins, and its thread. Only for the files that share yk_pages_lock. Calls
 * are made with that lock held, unless they say otherwise; driver calls release it. */
#ifndef YK_ARRAY_PINNER_H
#define YK_ARRAY_PINNER_H

#include <stdatomic.h>

#include "../base/process_lock.h"
#include "../platform/thread.h"
#include "pages.h"

/* Makes blocks of the memory and orders them, with the lock held, but released for a time. */
typedef void yk_pin_maker(const struct yk_pages_question *question);

struct yk_pin_order {
    struct yk_pages_question question;
    yk_pin_maker *make; /* NULL: pin the pending block `gap` */
    struct yk_interval gap;
    struct yk_pin_order *next;
};

struct yk_pinner {
    struct yk_device *device;
    int64_t quiet_since_ns;     /* when it last found memory that the program had filled */
    atomic_int_fast64_t pinned; /* total bytes */
    int blocks;                 /* number of its blocks in the map */
    int orphan;                 /* 1: its runtime has closed */
    int ill;                    /* 1: its device no longer pins */
    int forks;                  /* yk_fork_count() when it was opened */
    struct yk_pinner *next;     /* in the list of pinners that may have a thread */

    struct yk_pin_order *first, **end; /* orders that have not begun */
    struct yk_pin_range *busy;         /* range of the order that is being carried out */
    int makes;                         /* 1: that order is to make blocks */
    struct yk_thread thread;
    struct yk_parker parker;
    int runs, stops;     /* 1: the thread was started; 1: it must end */
    atomic_int moves_to; /* the processor on which the thread should stay from now on; -1: none */
};

/* --- pages.c --- */
extern struct yk_process_lock yk_pages_lock;
extern struct yk_pin_map yk_pages_map; /* under the lock */
/* If blocks have more bytes than this, memory is pinned only when it is copied. Half of the memory
 * of the machine or cgroup, because pinned pages cannot be swapped. Tests make it smaller. */
extern int64_t yk_pages_filled_most;
static inline void *yk_pages_address(int64_t address)
{
    return (void *)(intptr_t)address;
}
/* Returns 1 if all pages are present, 0 if not, -1 if some are not even mapped. */
int yk_pages_resident(struct yk_interval bytes);
/* Makes the gap, which is in no block, a pending block of the pinner. Returns 0 if there is no
 * memory for that. */
int yk_pages_claim(struct yk_pinner *pinner, struct yk_interval gap);
/* Pins the pending block that begins at gap.first; afterwards the map has the outcome. */
void yk_pages_pin(const struct yk_pages_question *question, struct yk_interval gap);
/* Adds a range of yoke_alloc to the map: blocks on it stay when arrays close. */
void yk_pages_wait_for_arrays(struct yk_pin_range *range);
/* Removes such a range, and unpins its blocks that no other range touches. Returns 0, and does
 * nothing, if an open array uses it. */
int yk_pages_end_waiting(struct yk_pin_range *range);
/* Makes a block of the gap, which is in no block, and pins it at once (on a virtual clock) or soon.
 */
void yk_pages_make_block(const struct yk_pages_question *question, struct yk_interval gap);
/* Adds the question's range to the map, if it is not there yet. The lock is released for a time. */
void yk_pages_take_in(const struct yk_pages_question *question);
/* The whole pages of the question's memory; its range is taken in. */
struct yk_interval yk_pages_asked(const struct yk_pages_question *question);
/* Removes a pending block that will not be pinned. */
void yk_pages_forget(struct yk_pinner *pinner, struct yk_interval gap);

/* --- large_pages.c --- */
/* Iterates over the memory of yoke_alloc: NULL gives the first range; returns NULL at the end. */
struct yk_pin_range *yk_regions_next(const struct yk_pin_range *range);

/* --- pin_foreign.c --- */
/* Adds blocks for memory of the range that other code has pinned. The range is in the map. The lock
 * is released for a time. */
void yk_foreign_find(struct yk_pinner *pinner, const struct yk_pin_range *range);

/* --- pin_filled.c --- */
/* Pins one block that the program has filled; the lock is released for a time. Returns how many ns
 * to sleep before the next call; < 0: until memory is allocated. */
int64_t yk_filled_pin(struct yk_pinner *pinner);
/* Whether the range is large enough to be pinned ahead of copies. */
int yk_filled_counts(const struct yk_pin_range *range);

/* --- pinner.c --- */
/* Starts its thread, too, except on a virtual clock. */
void yk_pinner_start(struct yk_pinner *pinner);
/* Wakes the pinner that pins memory as it is filled, because there may be such memory. */
void yk_pinners_look(void);
int yk_pinners_are_there(void); /* whether a pinner pins memory as it is filled */
int yk_pinner_fills(const struct yk_pinner *pinner); /* whether it is that pinner */
/* Orders the pending block to be pinned soon. Forgets the block if there is no memory for that. */
void yk_pinner_order(const struct yk_pages_question *question, struct yk_interval gap);
/* Orders its thread to make the memory's blocks, which takes driver calls. The range is in the map.
 */
void yk_pinner_expect(const struct yk_pages_question *question, yk_pin_maker *make);
/* Whether blocks of the range are still to be made. */
int yk_pinner_expects(const struct yk_pinner *pinner, const struct yk_pin_range *range);
/* Cancels the orders for the range. When this returns, nothing of it is being pinned. */
void yk_pinners_leave(const struct yk_pin_range *range);
/* Lock not held. When this returns, the thread has ended and orders that had not begun are
 * cancelled. */
void yk_pinner_stop(struct yk_pinner *pinner);

#endif
