/* pinner.h - a device that pins, and the thread that does it. For pages.c and region.c; the lock is
 * held throughout (and opened by the thread while a driver works).
 */
#ifndef YK_ARRAY_PINNER_H
#define YK_ARRAY_PINNER_H

#include <stdatomic.h>

#include "../platform/thread.h"
#include "pages.h"

struct yk_pin_order { /* a pending block to be pinned */
    struct yk_pages_question question;
    struct yk_interval gap;
    struct yk_pin_order *next;
};

struct yk_pinner {
    struct yk_device *device;
    int64_t quiet_since_ns;     /* when it last found memory that the program had filled */
    atomic_int_fast64_t pinned; /* bytes, in all */
    int blocks;                 /* of it in the map */
    int orphan;                 /* its runtime has closed */
    int ill;                    /* its device pins no more */
    int forks;                  /* yk_fork_count() when it was opened */
    struct yk_pinner *next;     /* of those that may have a thread */

    struct yk_pin_order *first, **end; /* not begun */
    struct yk_pin_range *busy;         /* of the one that is being carried out */
    struct yk_thread thread;
    struct yk_parker parker;
    int runs, stops;
};

/* --- pages.c --- */
extern yk_mutex yk_pages_lock;
extern struct yk_pin_map yk_pages_map; /* under the lock */
/* Bytes in blocks above which nothing is pinned before it is copied: half of what the machine or
 * the cgroup has, for pinned pages cannot be swapped. Tests make it smaller. */
extern int64_t yk_pages_filled_most;
/* Whether every page is there: 1, 0, or -1: some are not even mapped. */
int yk_pages_resident(struct yk_interval bytes);
/* The gap, which is in no block, becomes a pending one of the pinner's. 0: no memory for that. */
int yk_pages_claim(struct yk_pinner *pinner, struct yk_interval gap);
/* Pins the pending block that begins at gap.first; afterwards the map says how it went. */
void yk_pages_pin(const struct yk_pages_question *question, struct yk_interval gap);
/* The range is memory that waits for arrays: blocks on it stay. */
void yk_pages_wait_for_arrays(struct yk_pin_range *range);
/* 1: it is no longer in the map, and blocks that nobody else touches are let go; 0: an open array
 * uses it. */
int yk_pages_end_waiting(struct yk_pin_range *range);
/* There will be no such block. */
void yk_pages_forget(struct yk_pinner *pinner, struct yk_interval gap);

/* --- region.c --- */
/* Memory of yoke_alloc: the first range for NULL, else the next; NULL: that was the last. */
struct yk_pin_range *yk_regions_next(const struct yk_pin_range *range);

/* --- filled.c --- */
/* Pins one block that the program has filled; the lock is opened meanwhile. How long to sleep
 * before the next look: 0: not at all; < 0: until memory is allocated. */
int64_t yk_filled_pin(struct yk_pinner *pinner);
/* Large enough to be pinned ahead of copies. */
int yk_filled_counts(const struct yk_pin_range *range);

/* --- pinner.c --- */
void yk_pinner_start(struct yk_pinner *pinner);
/* There may be memory to be pinned as it is filled: the pinner whose task that is looks. */
void yk_pinners_look(void);
int yk_pinner_fills(const struct yk_pinner *pinner); /* whether it is that one */
/* The pending block is pinned soon; forgotten if there is no memory for that. */
void yk_pinner_order(const struct yk_pages_question *question, struct yk_interval gap);
/* Nobody needs the range any more: nothing of it is being pinned when this returns. */
void yk_pinners_leave(const struct yk_pin_range *range);
/* Lock not held. The thread has ended when this returns, orders not begun are forgotten. */
void yk_pinner_stop(struct yk_pinner *pinner);

#endif
