/* dispatch_state.h - PURE. The dispatcher's internals, shared by dispatch_life.c (opening,
 * closing), dispatch.c (which devices take part), next_chunk.c (next), chunk_answer.c (done,
 * returned, failed) and outcome.c (results).
 *
 * Every item is in exactly one place: in the free set, in a chunk that is out, or completed. With
 * all_or_nothing a completed item is kept with its device's number, so that it can return. Chunks
 * that are out are in a pool, linked by device.
 *
 * Memory: the free set and the kept list each have room for free ranges + chunks out (twice with
 * all_or_nothing, because a partly completed chunk is both kept and free) + kept entries, and one
 * place in reserve. Answers (done, returned, failed) never increase that sum, so they need no
 * memory. Handing out may need memory: without it the dispatcher hands out whole ranges, or ends of
 * ranges, one chunk at a time. With all_or_nothing, partly completed chunks can use up the reserve:
 * then lanes wait until there is memory.
 */
#ifndef YK_PARTITION_DISPATCH_STATE_H
#define YK_PARTITION_DISPATCH_STATE_H

#include "partitioner.h"
#include "speed.h"

enum { reason_bytes = 224 };

struct yk_out {
    struct yk_chunk chunk;
    int64_t issued;
    int lane; /* the lane that asked for it */
    int next; /* next chunk of the same device, or next unused entry; -1: none */
};

struct yk_kept { /* completed, but may still return */
    struct yk_interval range;
    int device;
};

struct yk_device_state {
    int outs;          /* first of its chunks in the pool; -1: none */
    int64_t busy_mark; /* busy_ns includes the time up to here, while chunks are out */
    int64_t latest_end;
    int64_t fetch_ns, staged_ns, work_ns; /* of its chunks, together */
    int waited;                           /* 1: a chunk of it waited behind another job's */
    int64_t bound;                        /* most items of its next chunk; 0: any number */
    int64_t apart_items, apart_chunks,
        apart_ns;     /* what it did with kernels that it no longer uses */
    int kept;         /* its latest entry in the kept list; -1: none */
    unsigned refused; /* the epoch in which it last got nothing */
    int left_out;     /* 1: it asked while items were free, and got none */
    struct yk_speed speed;
    char *reason; /* reason_bytes; "": nothing to say */
};

struct yk_dispatch {
    struct yk_split_view view;
    struct yk_split_status *status; /* = view.devices, writable */
    struct yk_device_state *devices;
    char *texts; /* names, then reasons */
    size_t device_capacity, text_capacity;

    const struct yk_partitioner *partitioner;
    char *partitioner_text;
    void *settings, *state;
    int state_devices; /* number of devices that `state` was opened for */

    struct yk_ranges free;
    struct yk_out *outs;
    int64_t outs_capacity;
    int outs_unused, out_count;
    struct yk_kept *kept;
    int64_t kept_count, kept_capacity;
    int all_or_nothing;

    int64_t left, now;
    uint32_t serial;
    int active_count, joined_count; /* joined_count: of the active devices */
    unsigned epoch;                 /* changes with every event except refusals */
    int refused_count;

    struct yk_decision *decisions;
    size_t decision_count, decision_capacity;
    int recording;
};

/* --- dispatch.c --- */
/* Notes an event at time `now`, so that earlier refusals no longer count. Time never runs
 * backwards. */
void yk_dispatch_event(struct yk_dispatch *dispatch, int64_t now);

/* --- next_chunk.c --- */
/* Makes room for `more` ranges and chunks beyond the present ones. */
yoke_status yk_dispatch_reserve(struct yk_dispatch *dispatch, int64_t more);

/* --- chunk_answer.c --- */
/* Puts all chunks that the device has out back into the free set. */
void yk_dispatch_recall(struct yk_dispatch *dispatch, int device);

#endif
