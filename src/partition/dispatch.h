/* dispatch.h - PURE. Hands chunks of one job's range to lanes and takes the results back.
 *
 * A state machine without threads, clock or I/O: real workers drive it with the real clock under
 * the job's lock; the sim backend drives the same code with a virtual clock. The dispatcher keeps
 * the books (which items are free, out and done, each device's measured speed). A partitioner
 * (partitioner.h) only decides how much a lane gets next and where from. No item is ever lost:
 * items that were not completed return to the range.
 *
 * Times are ns of the driver's clock. Items are indexes of the job's range.
 */
#ifndef YK_PARTITION_DISPATCH_H
#define YK_PARTITION_DISPATCH_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

#include "../base/interval.h"
#include "../base/wake_time.h"
#include "../model/adjust.h"
#include "../model/line.h"

struct yk_fit;

struct yk_chunk {
    int64_t first, last; /* items first .. last - 1 */
    int64_t piece;   /* lanes of a CPU device may cut the chunk into pieces of this many items among
                        themselves (a lease, see partition/lease.h); last - first: not to be cut */
    int parts;       /* each time, a lane takes 1 / parts of what is left of its section; 0: half of
                      * it */
    uint32_t serial; /* unique in the job */
    uint32_t beside; /* not 0: only for the lane that asked, which works on it piece by piece
                      * while the chunk with this serial is out and not answered; items not
                      * completed by then go back with done() */
    int device;      /* it was handed to this device */
    int closes;      /* 1: probably the device's last chunk in the job */
    int form, tries; /* used by the driver: which of two kernels makes it, and whether to find
                      * out which is faster (choice.h: enum yk_tries) */
    const char
        *reason; /* why this size, in a few static words: "probe", "share", "tail", "taken over" */
};

/* What is known of a device before the job starts. */
struct yk_split_device {
    const char *name;
    int lanes;           /* consumers: cores of a CPU device, queues of a GPU; >= 1 */
    int host_memory;     /* 1: works in host memory, nothing to copy (a CPU device) */
    int cores;           /* cores of a CPU device with more lanes than cores; 0: one for each
                          * lane */
    int64_t fill;        /* items that give every processing element work once: the smallest
                          * efficient chunk; >= 1 */
    int64_t busy;        /* like fill, but without copies, if `fill` is the size that saturates the
                          * link; 0: fill */
    int64_t lane_fill;   /* items that fill the vectors of a CPU core, which does them in the time
                          * of one; pieces are multiples of it; 0: 1 */
    int64_t limit;       /* most items one chunk may have (device memory); 0: no limit */
    double rate;         /* items per ns learned in earlier runs of this kernel here; 0: unknown */
    double part;         /* items that it did in the run that showed its rate; 0: unknown */
    double cold;         /* part of its time in that run that may be a cold start; 0 for CPUs */
    double peak;         /* theoretical peak, in one unit for all devices of the job; 0: unknown */
    int make;            /* equal for devices of the same kind, whatever their manufacturer; 0:
                          * unlike all others */
    int steady;          /* 1: the rate was the same in two earlier runs */
    int crowded;         /* 1: other jobs ran beside the last similar job */
    int waited;          /* 1: in the last similar job, its chunks waited behind chunks of other
                          * jobs */
    double spread;       /* cost per item of its most expensive chunk / mean cost, in earlier
                          * runs; 0: unknown */
    double core_item_ns; /* time of an item on one core of a CPU device, without what the job lost
                          * besides; 0: unknown */
    double fixed_ns;     /* overhead of a chunk, learned or estimated; 0: unknown */
    double copy_item_ns; /* time of an item's copies on the link, both directions together; 0:
                          * none, or unknown */
    double busier_part;  /* part of copy_item_ns in the direction in which more is copied: 0.5
                          * to 1 */
    int64_t link_fill;   /* items whose copies saturate the link; 0: there are none */
    double copying; /* part of its time in the run that showed its rate in which a thread copied
                     * rows to it; 0: none, or unknown */
    struct yk_line line; /* its time for its whole part while the others work, from submission to
                          * its end; item_ns 0: unknown */
    int guessed;         /* 1: the line is only a guess */
    int tuned;           /* 1: yoke tune measured the line, with the device alone */
    int passed_over;     /* number of the latest jobs that were split by lines and gave it
                          * nothing */
    const struct yk_fit *fit; /* source of the line, to compute it for fewer devices; NULL: only
                               * the line is known. Read only while the dispatcher opens */
    double item_ns; /* time of an item in a planned job, without the wait for rows; 0: unknown */
    double row_ns;  /* time to get the rows of one more item from another device; 0: nothing, or
                     * unknown */
    double back_ns; /* time to get the results of one item that another device made instead */
    int fetches;    /* 1: rows of its part of a planned job are on other devices: larger pieces need
                     * fewer copies */
    double share;   /* fraction of the range this device got in the last run of this kernel
                       and range (data lie there); < 0: unknown */
    /* Number of threads that drive this device and are also lanes of the first CPU device: thread i
     * drives lane i of this device and is lane host_lane + i of the CPU. 0: threads that do nothing
     * else drive it. */
    int hosts, host_lane;
};

/* Returns 1 if the devices are of one kind: both are cores, or GPUs with the same `make`. */
static inline int yk_split_alike(const struct yk_split_device *one,
                                 const struct yk_split_device *other)
{
    if (one->host_memory || other->host_memory)
        return one->host_memory == other->host_memory;
    return one->make > 0 && one->make == other->make;
}

struct yk_split_spec {
    int64_t first, last; /* the job's range */
    int64_t unit;        /* chunk bounds are first + multiples of unit, or last; >= 1 */
    const struct yk_split_device *devices; /* copied */
    int device_count;
    const char *partitioner;        /* "name" or "name:key=value,..."; NULL: auto */
    const struct yk_adjust *adjust; /* notes about shares so far; NULL: none */
    double late; /* median ratio of measured to predicted time of such jobs; 0: unknown */
    int crowded; /* 1: other jobs run on the same devices */
    int planned; /* 1: shares are those of a plan (plan.h), which `auto` follows and which
                  * predicts planned_ns for the job */
    double planned_ns;
    /* While drivers of GPUs are being loaded, which then take part in the job: ns that this takes
     * at most; 0: no device is awaited. */
    double awaits_ns;
    int settles;        /* 1: rows stay with the devices that work on them now, for later jobs */
    int all_or_nothing; /* 1: a device's results count only when the job ends (mode add): if it
                         * fails, all items that it completed return to the range */
};

struct yk_chunk_times {
    int64_t issued;       /* lane got the chunk */
    int64_t started;      /* kernel started (0: unknown) */
    int64_t ended;        /* results usable */
    int64_t copied_bytes; /* moved to or from the device for it */
    int64_t work_ns;      /* sum of the times that the lanes which shared it spent on it; 0:
                           * unknown */
    int64_t free_ns;      /* when the device ended the chunks of other jobs that this one had to
                           * wait for; 0: it did not wait */
    int64_t once_ns;      /* part of its time spent on things that no later chunk of the device
                           * needs again, like rows that all chunks read; 0: none, or unknown */
    int64_t fetch_ns;     /* time that its kernel waited for rows; 0: none, or unknown */
    int64_t staged_ns;    /* time until its kernel was issued, in which a thread copied rows for it
                           * through staging buffers; 0: none */
    int64_t items;        /* completed items; set by the dispatcher */
    double given_back;    /* the chunk was given back: as many items' work was done on it, and does
                           * not count; 0: it was not */
    int beside;           /* 1: it was a chunk beside another device's; set by the dispatcher */
    int apart;            /* 1: made by a slower kernel than the one the device continues with,
                           * so it says nothing about that one */
};

/* Part of a chunk's time, ns, that counts for its items: without what no later chunk needs again,
 * but at least 1 / YK_ONCE_MOST of it. Otherwise one chunk could make a device look so fast that it
 * gets all the rest. */
enum { YK_ONCE_MOST = 10 };
static inline double yk_chunk_own_ns(const struct yk_chunk_times *times, double ns)
{
    const double own = ns - (double)times->once_ns;
    return own > ns / YK_ONCE_MOST ? own : ns / YK_ONCE_MOST;
}

/* Sets *earliest_ns to when_ns if that is earlier. Both are times at which to ask again;
 * 0: never. */
static inline void yk_sooner(int64_t *earliest_ns, int64_t when_ns)
{
    if (when_ns && (!*earliest_ns || when_ns < *earliest_ns))
        *earliest_ns = when_ns;
}

enum yk_verdict {
    YK_TAKE,    /* *chunk is for this lane; answer with done, returned or failed */
    YK_WAIT,    /* nothing for this lane now. Ask again after any other lane's done, returned or
                 * failed, after a device joined or left, and at the latest at *wake_ns if that
                 * is not 0 */
    YK_FINISHED /* every item is completed, or no device is left (yk_dispatch_left() > 0) */
};

struct yk_dispatch;

yoke_status yk_dispatch_open(const struct yk_split_spec *spec, struct yk_dispatch **out);
/* Like yk_dispatch_open, but reuses a finished dispatcher and its memory, which takes a fraction of
 * the time. If it fails, the dispatcher can only be reopened or closed. */
yoke_status yk_dispatch_reopen(struct yk_dispatch *dispatch, const struct yk_split_spec *spec);
void yk_dispatch_close(struct yk_dispatch *dispatch);

/* Adds a device behind the others, whose chunks and speeds stay; it may join later. The partitioner
 * begins anew with what is free. After an error (no memory) everything is as before. */
yoke_status yk_dispatch_admit(struct yk_dispatch *dispatch, const struct yk_split_device *device);
/* No further device is awaited. */
void yk_dispatch_await_none(struct yk_dispatch *dispatch);

/* A device takes part from the time it joins (its kernel is built); before that, its lanes get
 * YK_WAIT. */
void yk_dispatch_join(struct yk_dispatch *dispatch, int device, int64_t now);
/* The device does not take part (its kernel does not build), or no longer takes part, by decision.
 * Its chunks that are out still count when they are done. */
void yk_dispatch_leave(struct yk_dispatch *dispatch, int device, const char *reason);

/* A device that left (and did not fail) may join again. */
void yk_dispatch_readmit(struct yk_dispatch *dispatch, int device);

/* A lane of a device asks for a chunk. */
struct yk_request {
    int device, lane;
    int64_t now;
    int called; /* number of the device's lanes that were called to share the chunk; 0: unknown */
};
enum yk_verdict yk_dispatch_next(struct yk_dispatch *dispatch, const struct yk_request *request,
                                 struct yk_chunk *chunk, int64_t *wake_ns);
/* From now on the device's chunks have at most `limit` items; 0: any number. */
void yk_dispatch_limit(struct yk_dispatch *dispatch, int device, int64_t limit);
/* Until the next call, the device's chunks have at most `items` items; 0: any number. Unlike a
 * limit it does not change the device's fill. */
void yk_dispatch_bound(struct yk_dispatch *dispatch, int device, int64_t items);
/* The device has changed to a faster kernel: from now on, its speed is that of the chunks that end
 * after this call. */
void yk_dispatch_renew(struct yk_dispatch *dispatch, int device);
/* The first `completed` items of the chunk are done; the rest returns to the range. */
void yk_dispatch_done(struct yk_dispatch *dispatch, const struct yk_chunk *chunk, int64_t completed,
                      const struct yk_chunk_times *times);
/* Nothing of the chunk was done, because memory was short; its device still works. From now on its
 * chunks have at most `limit` items (0: as before). */
void yk_dispatch_returned(struct yk_dispatch *dispatch, const struct yk_chunk *chunk,
                          int64_t limit);
/* Returns 1 if the device should give a chunk back that it has begun: a lane needs left_ns more for
 * what it does of it, and an idle device would have done all of the chunk by then. It answers with
 * `done`, no item completed and times.given_back. */
int yk_dispatch_gives_back(const struct yk_dispatch *dispatch, const struct yk_chunk *chunk,
                           double left_ns);
/* Returns 1 if that may come to pass: another device would have done the chunk before a lane has
 * done one item of it, or it is not known how fast they are. */
int yk_dispatch_may_give_back(const struct yk_dispatch *dispatch, const struct yk_chunk *chunk);
/* The device is lost: it gets no more chunks, and all its chunks that are out return to the range;
 * with all_or_nothing, also all items that it completed. Returns their number. */
int64_t yk_dispatch_failed(struct yk_dispatch *dispatch, int device, const char *reason);

/* ns that a chunk of `items` adds to the device's work; 0: unknown. */
int64_t yk_dispatch_forecast(const struct yk_dispatch *dispatch, int device, int64_t items);

/* ns in which the other devices (-1: all) would do all free items, at their present speeds;
 * INFINITY: there are no others. 0: the speed of a device that works or will join is still
 * unknown. */
double yk_dispatch_others_ns(const struct yk_dispatch *dispatch, int device);
/* The part of a job that the device is expected to do, by the speeds so far; while they are
 * unknown, as much as each other one. */
double yk_dispatch_part_of(const struct yk_dispatch *dispatch, int device);

int64_t yk_dispatch_left(const struct yk_dispatch *dispatch); /* items not yet completed */
int64_t yk_dispatch_free(const struct yk_dispatch *dispatch); /* items not handed out */
int yk_dispatch_out(const struct yk_dispatch *dispatch); /* chunks handed out and not answered */

/* Items that are not completed: free ones, or those of a chunk that is out. */
struct yk_undone {
    struct yk_interval items;
    int device, lane; /* that have the chunk; -1: the items are free */
};
/* Calls `each` for all items that are not completed, until it returns 1. */
void yk_dispatch_find_undone(const struct yk_dispatch *dispatch,
                             int (*each)(void *context, const struct yk_undone *undone),
                             void *context);

/* What a device did and what was learned about it. */
struct yk_split_outcome {
    int64_t items, chunks;
    double given_back; /* as many items' work in chunks that it gave back */
    int64_t busy_ns;   /* time during which at least one of its chunks was out */
    double rate;       /* items per ns while busy; yk_split_device.rate of the next job. 0 if it
                        * did nothing, or if its first chunk ever was its only one: that may have
                        * been warming up, so it is tried once more */
    double item_ns, fixed_ns;  /* of its chunks, as in yk_split_status */
    double spread;             /* see yk_split_device; 0: it had only one chunk, or short ones */
    int64_t copied_bytes;      /* for all its items together */
    double copying;            /* as in yk_split_device */
    int64_t fetch_ns, work_ns; /* of its chunks, together */
    int64_t ended_ns;          /* end of its last chunk, by the driver's clock; 0: it had none */
    int waited;                /* 1: a chunk of it waited behind another job's */
    int left_out;              /* 1: it asked while items were free, and got none */
    int active;                /* 1: it still takes part */
};
void yk_dispatch_outcome(const struct yk_dispatch *dispatch, int device,
                         struct yk_split_outcome *out);
/* Call it after a finished job. If the partitioner adjusts shares, updates *adjust and returns 1 if
 * the next job needs other shares: *shares are then those of all devices. Otherwise returns 0. */
int yk_dispatch_adjust(const struct yk_dispatch *dispatch, struct yk_adjust *adjust,
                       double *shares);
/* Why the device left, was dropped or, when the job is over, got its part: a sentence, formatted
 * only when asked for, because that takes longer than a short job. NULL: nothing to say. Owned by
 * the dispatcher until it is closed. */
const char *yk_dispatch_reason(const struct yk_dispatch *dispatch, int device);

/* Every decision in order, for the result and for tests. Owned by the dispatcher. If memory for the
 * record runs out, recording stops (count stays) and the job goes on. */
struct yk_decision {
    int64_t when, first, last;
    int device, lane;
    const char *reason;
};
const struct yk_decision *yk_dispatch_decisions(const struct yk_dispatch *dispatch, size_t *count);

/* The job's duration as its partitioner predicts it; 0: no prediction. */
double yk_dispatch_predicted_ns(const struct yk_dispatch *dispatch);
/* Devices that get items even if none fails, as bits; all devices if the partitioner does not know
 * yet. */
uint32_t yk_dispatch_asked(const struct yk_dispatch *dispatch);

/* Full name and settings of the partitioner in use, e.g. "dynamic:chunk=4096". */
const char *yk_dispatch_partitioner(const struct yk_dispatch *dispatch);
/* Returns 1 if free ranges are disjoint and sorted, and free + out + done = range. */
int yk_dispatch_check(const struct yk_dispatch *dispatch);

#endif
