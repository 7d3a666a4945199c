/* dispatch.h - PURE. Hands chunks of one job's range to lanes and takes the results back.
 *
 * A state machine without threads, clock or I/O: real workers drive it with the real clock under
 * the job's lock, the sim backend drives the very same code with a virtual clock. The dispatcher
 * owns the bookkeeping (what is free, what is out, what is done, each device's measured speed); a
 * partitioner (partitioner.h) only decides how much a lane gets next and where from. Nothing is
 * ever lost: what was not completed returns to the range.
 *
 * Times are ns of the driver's clock. Items are indexes of the job's range.
 */
#ifndef YK_PARTITION_DISPATCH_H
#define YK_PARTITION_DISPATCH_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

#include "../model/adjust.h"
#include "../model/line.h"

struct yk_fit;

struct yk_chunk {
    int64_t first, last; /* items first .. last - 1 */
    int64_t piece;   /* lanes of a CPU device may cut the chunk into pieces of this many items among
                        themselves (a lease, see runtime/lease.h); last - first: not to be cut */
    int parts;       /* a lane takes 1 / this of what its share of the chunk still has at once; 0:
                        half of it */
    uint32_t serial; /* unique in the job */
    uint32_t beside; /* not 0: for the lane that asked, alone, to be worked on piece by piece while
                        the chunk of this serial is out and not answered; what is not completed
                        by then goes back with done() */
    int form, tries; /* the driver's own: which of two kernels makes it, and whether to find out
                        which is faster (choice.h: enum yk_tries) */
    const char
        *reason; /* why this size, in a few static words: "probe", "share", "tail", "taken over" */
};

/* What is known of a device before the job starts. */
struct yk_split_device {
    const char *name;
    int lanes;         /* consumers: cores of a CPU device, queues of a GPU; >= 1 */
    int host_memory;   /* 1: works in host memory, nothing to copy (a CPU device) */
    int cores;         /* of a CPU device, if its lanes share fewer; 0: one for each lane */
    int64_t fill;      /* items that give every processing element work once: the least a chunk
                          should be to be efficient; >= 1 */
    int64_t busy;      /* the same where copies do not count and fill is as much as saturates the
                          link; 0: fill */
    int64_t lane_fill; /* items that a core of a CPU device does in the time of one (its kernel's
                          vectors): pieces are multiples of it; 0: 1 */
    int64_t limit;     /* most items one chunk may have (device memory); 0: no limit */
    double rate;       /* items per ns learned in earlier runs of this kernel here; 0: unknown */
    double peak;       /* theoretical peak, in one unit for all devices of the job; 0: unknown */
    int make;          /* devices that are alike, whoever made them, have the same; 0: unlike all */
    int steady;        /* 1: the rate was the same in two such runs */
    int crowded;       /* 1: other jobs ran beside the last one like this, */
    int waited;        /* and its chunks stood behind theirs */
    double spread;     /* by how much items of its dearest chunk were dearer than others, in earlier
                          runs: 2 is twice; 0: unknown */
    double fixed_ns;   /* cost of a chunk beside its items, learned or estimated; 0: unknown */
    double copy_item_ns; /* what an item's copies, in both directions together, take on the link; 0:
                            none, or unknown */
    double busier_part;  /* of that, in the direction in which more is copied: 0.5 to 1 */
    struct yk_line line; /* of its whole part of a job beside the others, from submission to its
                            end; item_ns 0: unknown */
    int guessed;         /* 1: the line is no more than a guess */
    int passed_over;     /* jobs in a row that lines split and gave it nothing of */
    const struct yk_fit *fit; /* where the line comes from, for who wants it for fewer devices;
                                 NULL: only the line is known. Looked at while the dispatcher opens
                                 and not later */
    double row_ns; /* to get the rows of one more item from another device, which will want them
                      back; 0: nothing, or unknown */
    int fetches;   /* rows of its part of a planned job are elsewhere: the larger its pieces, the
                      fewer   copies bring them */
    double doubt;  /* its part of a planned job may take longer by this fraction (a standard
                      deviation) */
    double share;  /* fraction of the range this device got in the last run of this kernel
                      and range (data lie there); < 0: unknown */
    /* Threads that drive this device and are lanes of the first CPU device too, one a lane of this
     * device from its lane 0 on; they are the CPU's lanes host_lane, host_lane + 1, ... 0: it is
     * driven by threads that do nothing else. */
    int hosts, host_lane;
};

/* Of one make: both are cores, or GPUs that say so. */
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
    const struct yk_adjust *adjust; /* what was noted of shares so far; NULL: nothing */
    double late; /* such jobs took so many times what lines foretold; 0: nobody knows */
    int crowded; /* 1: other jobs run on the same devices */
    int planned; /* 1: shares are a plan's (plan.h), which `auto` follows: this long all will take
                  */
    double planned_ns;
    int settles;        /* 1: rows stay where they are worked on now, for jobs to come */
    int all_or_nothing; /* 1: a device's results count only when the job ends (mode add): if it
                           fails, all that it completed returns to the range */
};

struct yk_chunk_times {
    int64_t issued;       /* lane got the chunk */
    int64_t started;      /* kernel started (0 if unknown) */
    int64_t ended;        /* results usable */
    int64_t copied_bytes; /* moved to or from the device for it */
    int64_t work_ns;      /* lanes that shared it: what each spent on it, added up; 0: unknown */
    int64_t free_ns;      /* before this the device ended chunks of other jobs too, behind which
                             this one waited; 0: of none */
    int64_t once_ns;      /* of it went into what no later chunk of the device will need again, as
                             rows that all chunks read; 0: nothing, or unknown */
    int64_t fetch_ns;     /* its kernel waited so long for rows; 0: for none, or unknown */
    int beside;           /* 1: it was one beside another device's; the dispatcher knows */
    int apart;            /* 1: by a slower kernel than the one the device goes on with, so it says
                             nothing of what that one can do */
};

/* Of the times at which somebody wants to be asked again, 0 being none, the earlier one. */
static inline void yk_sooner(int64_t *earliest_ns, int64_t when_ns)
{
    if (when_ns && (!*earliest_ns || when_ns < *earliest_ns))
        *earliest_ns = when_ns;
}

enum yk_verdict {
    YK_TAKE,    /* *chunk is yours; answer with done, returned or failed */
    YK_WAIT,    /* nothing for you now. Ask again after any other lane's done, returned or failed,
                   after a device joined or left, and at the latest at *wake_ns if that is not 0 */
    YK_FINISHED /* every item is completed, or no device is left (yk_dispatch_left() > 0) */
};

struct yk_dispatch;

yoke_status yk_dispatch_open(const struct yk_split_spec *spec, struct yk_dispatch **out);
/* The same in the memory of one that is over, which takes a fraction of the time. Where it fails
 * the dispatcher can be reopened or closed, and nothing else. */
yoke_status yk_dispatch_reopen(struct yk_dispatch *dispatch, const struct yk_split_spec *spec);
void yk_dispatch_close(struct yk_dispatch *dispatch);

/* A device takes part from the time it joins (its kernel is built); before, lanes get YK_WAIT. */
void yk_dispatch_join(struct yk_dispatch *dispatch, int device, int64_t now);
/* It will not take part (kernel does not build), or not any more by decision; chunks of it that are
 * out still count when they are done. */
void yk_dispatch_leave(struct yk_dispatch *dispatch, int device, const char *reason);

/* A device that left (and did not fail) may join again. */
void yk_dispatch_readmit(struct yk_dispatch *dispatch, int device);

enum yk_verdict yk_dispatch_next(struct yk_dispatch *dispatch, int device, int lane, int64_t now,
                                 struct yk_chunk *chunk, int64_t *wake_ns);
/* From now on the device's chunks have at most `limit` items; 0: any number. */
void yk_dispatch_limit(struct yk_dispatch *dispatch, int device, int64_t limit);
/* Its next chunks have at most so many, until this is called again; 0: any number. Unlike a limit
 * it is nothing that its size depends on in the long run. */
void yk_dispatch_bound(struct yk_dispatch *dispatch, int device, int64_t items);
/* What the device did so far was done by another, slower kernel than it goes on with: its speed is
 * that of the chunks that are still to end. */
void yk_dispatch_renew(struct yk_dispatch *dispatch, int device);
/* The first `completed` items of the chunk are done; the rest returns to the range. */
void yk_dispatch_done(struct yk_dispatch *dispatch, int device, const struct yk_chunk *chunk,
                      int64_t completed, const struct yk_chunk_times *times);
/* Nothing of the chunk was done and the device lives on: no memory for so many items. From now on
 * its chunks have at most `limit` items (0: as before). */
void yk_dispatch_returned(struct yk_dispatch *dispatch, int device, const struct yk_chunk *chunk,
                          int64_t limit);
/* The device is gone: all its chunks that are out return to the range (with all_or_nothing those it
 * completed too), and it gets no more. */
void yk_dispatch_failed(struct yk_dispatch *dispatch, int device, const char *reason);

/* How much later the device will end for a chunk of `items` more, in ns; 0 if nobody knows. */
int64_t yk_dispatch_forecast(const struct yk_dispatch *dispatch, int device, int64_t items);

/* In how many ns the others would do all that nobody has been given yet, at the speeds they have;
 * INFINITY: there are no others. 0: one of them that is at work, or will come, has not shown how
 * fast it is. */
double yk_dispatch_others_ns(const struct yk_dispatch *dispatch, int device);

int64_t yk_dispatch_left(const struct yk_dispatch *dispatch); /* items not yet completed */
int64_t yk_dispatch_free(const struct yk_dispatch *dispatch); /* items that nobody has been given */
int yk_dispatch_out(const struct yk_dispatch *dispatch); /* chunks handed out and not answered */

/* What a device did and what was learned of it. */
struct yk_split_outcome {
    int64_t items, chunks;
    int64_t busy_ns; /* at least one chunk of it was out */
    double rate;     /* items per ns while busy. Feeds yk_split_device.rate next time. 0 if it did
                        nothing, or one chunk only, its first ever: that may have been warming up, so
                        it is tried once more */
    double item_ns, fixed_ns; /* of its chunks, as in yk_split_status */
    double spread;            /* see yk_split_device; 0: it had one chunk only, or short ones */
    int64_t copied_bytes;     /* for all its items together */
    int64_t fetch_ns;         /* of its chunks, together */
    int64_t ended_ns;         /* when its last chunk ended, by the driver's clock; 0: it had none */
    int waited;               /* a chunk of it stood behind another job's */
    int active;               /* still taking part */
};
void yk_dispatch_outcome(const struct yk_dispatch *dispatch, int device,
                         struct yk_split_outcome *out);
/* What the job, now that it is over, says of the next one's shares, where its partitioner adjusts
 * them. It is noted in *adjust; 1: the shares of all devices change to these. */
int yk_dispatch_adjust(const struct yk_dispatch *dispatch, struct yk_adjust *adjust,
                       double *shares);
/* Why it left, was dropped or, when the job is over, got what it got: a sentence, worked out when
 * asked for, which takes longer than a short job; NULL if nothing to say. Owned by the dispatcher
 * until it is closed. */
const char *yk_dispatch_reason(const struct yk_dispatch *dispatch, int device);

/* Every decision in order, for the result and for tests. Owned by the dispatcher. When memory for
 * the record runs out, recording stops (count stays), the job goes on. */
struct yk_decision {
    int64_t when, first, last;
    int device, lane;
    const char *reason;
};
const struct yk_decision *yk_dispatch_decisions(const struct yk_dispatch *dispatch, size_t *count);

/* How long the job takes, as its partitioner has it; 0: that says nothing. */
double yk_dispatch_predicted_ns(const struct yk_dispatch *dispatch);
/* Devices that will be given something unless others fail, as bits; all of them where the
 * partitioner cannot tell yet. */
uint32_t yk_dispatch_asked(const struct yk_dispatch *dispatch);

/* Full name and settings of the partitioner in use, e.g. "dynamic:chunk=4096". */
const char *yk_dispatch_partitioner(const struct yk_dispatch *dispatch);
/* Free intervals disjoint and sorted; free + out + done = range. 1 if so. */
int yk_dispatch_check(const struct yk_dispatch *dispatch);

#endif
