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
    atomic_int_fast64_t pinned; /* bytes, in all */
    int blocks;                 /* of it in the map */
    int orphan;                 /* its runtime has closed */
    struct yk_pinner *next;     /* of those that may have a thread */

    struct yk_pin_order *first, **end; /* not begun */
    struct yk_pin_range *busy;         /* of the one that is being carried out */
    struct yk_thread thread;
    struct yk_parker parker;
    int runs, stops;
};

/* --- pages.c --- */
extern yk_mutex yk_pages_lock;
/* Pins the pending block that begins at gap.first; afterwards the map says how it went. */
void yk_pages_pin(const struct yk_pages_question *question, struct yk_interval gap);
/* The range is memory that waits for arrays: blocks on it stay. */
void yk_pages_wait_for_arrays(struct yk_pin_range *range);
/* 1: it is no longer in the map, and blocks that nobody else touches are let go; 0: an open array
 * uses it. */
int yk_pages_end_waiting(struct yk_pin_range *range);
/* There will be no such block. */
void yk_pages_forget(struct yk_pinner *pinner, struct yk_interval gap);

/* --- pinner.c --- */
void yk_pinner_start(struct yk_pinner *pinner);
/* The pending block is pinned soon; forgotten if there is no memory for that. */
void yk_pinner_order(const struct yk_pages_question *question, struct yk_interval gap);
/* Nobody needs the range any more: nothing of it is being pinned when this returns. */
void yk_pinners_leave(const struct yk_pin_range *range);
/* Lock not held. The thread has ended when this returns, orders not begun are forgotten. */
void yk_pinner_stop(struct yk_pinner *pinner);

#endif
