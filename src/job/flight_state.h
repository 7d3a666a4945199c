/* flight_state.h - what a lane works on: a chunk, from when it is handed out until it is reported.
 * For a device with memory of its own: what its copies and kernel wait for, when they are expected
 * to end, and the memory of their arguments. src/flight/ takes it through these states.
 */
#ifndef YK_JOB_FLIGHT_STATE_H
#define YK_JOB_FLIGHT_STATE_H

#include "../array/copy.h"
#include "runtime.h"

/* Device memory of one lane for one argument, kept from chunk to chunk. */
struct yk_window {
    struct yk_buffer *buffer;
    int64_t offset, bytes;
    int apart; /* 1: a separate buffer, because the lane's part of yk_job_device.windows was too
                  small for a chunk */
};

/* A chunk that a lane of the CPU does alone, piece by piece, as long as a lane of a GPU has its
 * chunk (host_lane.c). */
struct yk_beside {
    struct yk_chunk chunk;         /* serial 0: none */
    int64_t next;                  /* first item that is not done */
    int64_t issued_ns, work_ns;    /* start; time of its pieces so far */
    const _Atomic uint32_t *other; /* `out` of the flight of the GPU's lane */
};

/* When a lane may issue its chunk if another job is before this one (flight/pipeline.h). */
enum yk_turn {
    YK_TURN_NOW,    /* at once: nothing is before it */
    YK_TURN_LATER,  /* not yet: it keeps the chunk */
    YK_TURN_BEHIND, /* behind flights of the job before, which are still under way */
    YK_TURN_REACHED /* the same, and these have been reported since */
};

/* Whether coherence was told, before a flight's end, that its rows are written. */
enum yk_told { YK_TOLD_NOTHING, YK_TOLD_PART, YK_TOLD_ALL };

/* What a lane works on: a chunk, a piece of a lease, or a piece of a chunk beside another one. Only
 * the thread that steps the lane uses it, except `out`. */
struct yk_flight {
    _Alignas(64) struct yk_chunk chunk;
    uint64_t turn_of_job; /* turn of the job in which the lane works; 0: none yet */
    int inside; /* 1: a core that has entered the job and not left it. It stays inside until it gets
                 * nothing more, because each change of `flying` delays the other cores. */
    /* Devices with memory of their own: serial of the chunk that was handed out and not reported
     * yet; 0: none. Written with job.lock held. */
    _Atomic uint32_t out;
    int refused; /* 1: the lane got nothing when it asked last */
    struct yk_beside beside;
    int busy; /* 1: issued, and not finished or abandoned */
    enum yk_turn turn;
    unsigned undone_before; /* a chained flight: pipeline.undone of that job when it was issued */
    /* What it is launched behind, besides its queue. The first `crosses` kernels are other
     * devices'; it has a reference to them until it is issued. */
    struct yk_behind behind;
    int crosses;
    int alone; /* 1: there was no memory for it beside the job before, so it waits until that
                * job is over */
    int64_t behind_ns; /* predicted end of these `crosses` kernels; 0: none, or unknown */
    /* Its kernel, if others may be launched behind it; else NULL. Until it is NULL again, this and
     * the next two are under job.lock. */
    struct yk_event *leads;
    int64_t leads_until_ns; /* its predicted end; 0: unknown */
    enum yk_told told;      /* what coherence knows of the rows that it writes */
    int launched;           /* 1: the kernel may have run, or is running */
    int homing;             /* 1: results may have begun to reach the host */
    int slot;               /* slot of the lease; -1: the chunk is not a piece of a lease */
    int64_t done;           /* items of that lease that the lane did since issued_ns */
    int64_t issued_ns, bytes_in, bytes_out;
    int64_t bytes_between, bytes_passed; /* from other devices; from the host to other devices */
    /* Part of bytes_in that all chunks of the job read, so no later chunk has to copy it. Counted
     * while the device's speed is unknown. */
    int64_t bytes_once;
    int64_t once_ns;   /* time in which bytes_once arrived; 0: unknown */
    int64_t fetch_ns;  /* time that the kernel waited for rows, from issued_ns on; 0: no rows came,
                          or unknown */
    int64_t staged_ns; /* time from issued_ns on in which the thread brought rows; 0: none came */
    struct yk_reliance relies; /* on copies from other devices */
    int64_t ended_ns;          /* end by the device's clock, even if noticed later; 0: unknown */
    int64_t lasts_ns, expected_ns;  /* predicted duration and end; 0: none */
    int guarded;                    /* 1: the watchdog watches it */
    double allowed_ns;              /* its time limit for the watchdog; 0: none */
    int64_t seen_busy_ns;           /* when it was last seen under way; 0: never */
    struct yk_event *kernel, *home; /* launch, and last copy to the host */
    struct yk_event *folded; /* fold of the device's sums, which go home with it; NULL: none */
    struct yk_haul *hauls;   /* results that go through staging buffers, per argument; NULL: none */
    int watched;             /* 1: its end wakes the host thread */
    struct yk_step_flight *steps; /* of a step kernel; NULL until used */
    /* Devices with memory of their own: one entry per argument, kept from job to job. Lane 0's
     * entries begin the block that holds those of all lanes. */
    struct yk_load *loads;
    struct yk_window *windows;
};
/* Whether the flight was issued behind flights of the job before. */
static inline int yk_flight_is_chained(const struct yk_flight *flight)
{
    return flight->turn == YK_TURN_BEHIND || flight->turn == YK_TURN_REACHED;
}

#endif
