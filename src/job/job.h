/* job.h - a submitted job: a copy of what the user asked, its dispatcher, and what each device's
 * lanes are doing.
 *
 * Life: WAITING (for earlier jobs, or for its turn; it has no devices and no dispatcher yet) ->
 * RUNNING (lanes take chunks) -> ENDING (one thread folds private copies together, writes the
 * outcome) -> DONE (off the list; the ticket's owner frees it). From ENDING it can go back to
 * RUNNING once more: a device that fails while its private copy is fetched has done nothing.
 */
#ifndef YK_JOB_JOB_H
#define YK_JOB_JOB_H

#include "../array/copy.h"
#include "../platform/gate.h"
#include "array_handle.h"
#include "order.h"
#include "runtime.h"

enum yk_phase { YK_WAITING, YK_RUNNING, YK_ENDING, YK_DONE };

/* How a device with memory of its own holds an array during a job. */
enum yk_holding {
    YK_HELD_NOT,
    YK_HELD_WHOLE,  /* a replica: rows stay, coherence knows */
    YK_HELD_WINDOW, /* does not fit: each chunk brings its rows and takes results home */
    YK_HELD_PACKED, /* a panel that chunks read whole, without the columns beside it: packed.c */
    YK_HELD_HOST    /* partial results, which kernels write into host memory: host_results.c */
};

struct yk_window { /* device memory of one lane for one argument; kept from chunk to chunk */
    struct yk_buffer *buffer;
    int64_t offset, bytes;
    int apart; /* a buffer of its own: its part of yk_job_device.windows was too small for a chunk
                */
};

/* A chunk that a lane of the CPU works on by itself while a lane of a GPU has one out. */
struct yk_beside {
    struct yk_chunk chunk;         /* serial 0: there is none */
    int64_t next;                  /* items before it are done */
    int64_t issued_ns, work_ns;    /* work: of its pieces so far */
    const _Atomic uint32_t *other; /* the other one's flight.out */
};

/* A chunk (or a piece of a lease, or of a chunk beside another's) that a lane is working on. */
struct yk_flight {
    struct yk_chunk chunk;
    /* Devices with memory of their own: serial of the chunk from when it is handed out until it is
     * answered; 0: there is none. Written under job.lock. */
    _Atomic uint32_t out;
    int refused; /* the lane got nothing when it asked last */
    struct yk_beside beside;
    int busy;
    int launched; /* the kernel may have run, or is running */
    int homing;   /* results may have begun to reach the host */
    int slot;     /* of the lease; -1: a chunk of its own, or one beside another's */
    int64_t done; /* items of that lease that the lane did since issued_ns */
    int64_t issued_ns, bytes_in, bytes_out;
    int64_t bytes_between, bytes_passed; /* from other devices; from the host to others */
    int64_t bytes_once; /* of bytes_in what all chunks of the job read, so no later one brings it:
                           counted while the device's speed is unknown */
    int64_t once_ns;    /* how much of its time that took; 0: it cannot tell */
    int64_t fetch_ns;   /* its kernel began so long after it was issued, for what came; 0: nothing
                           did, or it cannot tell */
    uint64_t relies_on; /* yk_exchange_oldest when its rows were looked for */
    int64_t ended_ns; /* by the device's clock, however late that was noticed; 0: it cannot tell */
    int64_t lasts_ns, expected_ns;  /* forecast of its duration and end; 0: there is none */
    int guarded;                    /* the watchdog knows of it, */
    double allowed_ns;              /* and may take so long; 0: there is no telling */
    int64_t seen_busy_ns;           /* when it was last found to be under way; 0: never */
    struct yk_event *kernel, *home; /* launch, and last copy to the host */
    struct yk_haul *hauls; /* results that come through staging buffers, by argument; NULL: none */
    int watched;           /* their end wakes the host thread */
    struct yk_step_flight *steps; /* of a step kernel; NULL until used */
    struct yk_load loads[YOKE_ARGS_MAX];
    struct yk_window windows[YOKE_ARGS_MAX];
};

/* How chunks of a device with memory of its own were waited for. */
struct yk_waits {
    int64_t flights;  /* there were in all, */
    int64_t foretold; /* of which it was known before how long they take, */
    int64_t lasts_ns; /* together so long, */
    int64_t brief;    /* and of which so many were too short for a sleep */
};

struct yk_job_device {
    struct yk_runtime_device *device;
    struct yk_leases leases;   /* CPU devices */
    struct yk_flight *flights; /* one a lane */
    unsigned char *stepped;    /* lanes that were in the job, the only ones whose flights it used */
    struct yk_split_outcome outcome; /* once it is over: what it did, asked for that one time */
    /* From here to `holding` all is zero when a job begins, and so are the first of each array at
     * the end, as many as it has arguments. */
    int joined;           /* host thread has prepared it (or given up) */
    atomic_int ready;     /* its kernel is built and its arrays have room, */
    yoke_status status;   /* or why not */
    double share;         /* of the range that it will probably get; < 0: unknown */
    int steady;           /* as in yk_learned */
    int driven;           /* 1: by the thread that called yoke_run */
    double copying_ns;    /* what copies of the rows that it probably gets take, in all */
    int failed;           /* it is lost: what it had out is taken back */
    int retired;          /* it gets no more; what it has out counts */
    int benched;          /* left out of this job; steps in if the others fail */
    int hosts, host_lane; /* as in yk_split_device */
    int kept;             /* of a CPU's lanes so many, the last ones, do nothing (kept.h) */
    int64_t expected_ns;  /* when the last chunk it was given should end */
    struct yk_waits waits;
    struct yk_buffer *windows; /* of all lanes; NULL: there are none */
    int64_t windows_bytes;
    struct yk_slot *results;           /* of what is held in host memory; NULL: nothing is */
    int64_t window_items;              /* the most a chunk may have for their sake */
    struct yk_buffer *queues;          /* of step kernels, one a lane; NULL: there are none */
    int64_t queues_bytes, queue_bytes; /* of all together, of one */
    struct yk_step_plan step_plans[YK_FORMS];
    uint32_t *step_words;       /* pinned, of all lanes; NULL: there is no such memory */
    unsigned forms;             /* which of the job's kernels may be wanted here, as bits, */
    int out[YK_FORMS];          /* chunks of theirs that are out, */
    int64_t made[YK_FORMS];     /* and items that they did */
    int64_t fill;               /* the least that a chunk which measures them has */
    int trying, tried;          /* what is out, or was last, is one; there was one */
    double spare_ns;            /* as in choice.h; < 0: it depends on what others do in this job */
    int told;                   /* 1 + the one whose speed the dispatcher knows; 0: it knows none */
    int64_t ended_ns;           /* when its latest chunk did, of a GPU */
    struct yk_stepper *stepper; /* who steps it now, where its calls are watched; its own */
    struct yk_pace pace[YK_FORMS]; /* of each of the job's kernels, and of earlier jobs like it */
    int packed_ahead;     /* rows were sent there that no chunk waits for; under upload_lock */
    int admitted;         /* it is one of device->holders */
    char **private_hosts; /* mode add, on CPUs: [lane * args + arg]; NULL until used */
    enum yk_holding holding[YOKE_ARGS_MAX];
    struct yk_replica *replicas[YOKE_ARGS_MAX];
    struct yk_claim claims[YOKE_ARGS_MAX]; /* of rows that the whole range touches */
    /* Where it begins in `windows`, if it is held packed, or in `results`; set with `holding`. */
    int64_t held_at[YOKE_ARGS_MAX];
    /* Held packed: number of rows that were sent there. Under place->upload_lock */
    int64_t packed_rows[YOKE_ARGS_MAX];
    struct yk_buffer *private_buffers[YOKE_ARGS_MAX]; /* mode add, on devices, */
    int64_t private_bytes[YOKE_ARGS_MAX];             /* and how large it is, */
    int private_copies[YOKE_ARGS_MAX];                /* so many in each (copies.c) */
};

/* A job's devices and dispatcher, from when it begins; see crew.c. */
struct yk_crew {
    struct yk_dispatch *dispatch;
    struct yk_crew *next; /* idle */
    struct yk_team team;  /* what was known of teams, if somebody is benched */
    int device_count;
    struct yk_job_device devices[];
};

/* Of a job that is over and has no crew any more: what one device did. */
struct yk_figures {
    int64_t items, chunks, busy_ns;
    int64_t by_alternative; /* of its items */
};

/* Who will ask for a job's result. */
enum yk_asks { YK_ASKS_PERHAPS, YK_ASKS_CALLER, YK_ASKS_NOBODY };

struct yk_job { /* in one block with its arguments, their values and the texts */
    yoke_runtime *runtime;
    struct yk_kernel *kernel;
    struct yk_pair *pair;  /* with its alternative; NULL: it has none */
    uint64_t number, turn; /* of the jobs submitted, and of those begun */
    int64_t first, last, extent[2];
    struct yk_interval along[2]; /* indexes of the second and third dimension, never empty */
    int arg_count;
    yoke_arg *args;
    int has_add;
    struct yk_reduction *reduction;         /* NULL: its kernel does not reduce */
    int host_checked;                       /* overlap.c */
    struct yk_kernel *folds[YOKE_ARGS_MAX]; /* mode add: what folds a device's copies; NULL: none */
    int64_t
        apart[YOKE_ARGS_MAX]; /* mode add: bytes from one copy to the next. Known here, for a device
                                 that prepares may do so when the array has been closed */
    uint32_t packs;           /* arguments the distance of whose rows the kernel is told, as bits */
    uint8_t distance_of[YOKE_ARGS_MAX]; /* 1 + whose rows' distance this value is; 0: its own */
    const char *partitioner, *name;     /* partitioner NULL: auto */
    const char *asked_for;              /* the one that was, where `auto` does it instead: */
    int until_pinned;                   /* until memory is pinned, or 0: until more is known */
    int names_partitioner;              /* it does so itself */
    double weight;                      /* the CPU weight that splits it, < 0: none does, */
    char weight_text[80];               /* and then its partitioner */
    uint64_t key;                       /* of yk_memory */
    uint64_t free_key;                  /* and what it is for those that `auto` splits */
    struct yk_lesson *lesson;           /* of another process, until it begins; NULL: none */
    struct yk_lesson *lines;            /* the same: lines of each device alone */
    double recalled; /* items per ns of all devices in earlier jobs like it; 0: there were none */
    int keeps_cores; /* for GPUs' threads */
    int crowded;     /* others were running when it began */
    struct yk_decomposition *decomposition; /* of its arrays; NULL: it is not planned for them */
    int member;                             /* which of its kernels */
    int planned;                            /* it is split by the plan of that, */
    double planned_ns;                      /* which says that the longest part takes so long */
    uint32_t team;   /* the devices that are asked, as bits (partition/team.h), */
    int alone;       /* and which it is if that is only one of several; else -1 */
    int seen;        /* there was one like it */
    int tells;       /* its time says how fast that team is */
    int64_t readied; /* yk_place_readied of all devices when it began */

    yk_mutex lock;        /* dispatch, joined, failed, publishing leases, phase */
    struct yk_crew *crew; /* whose are the next three. NULL: before and after */
    struct yk_dispatch *dispatch;
    struct yk_job_device *devices;
    int device_count;
    int hosting; /* the CPU device some lanes of which stand for threads that drive GPUs; -1: no */
    int hosts_work; /* these get chunks beside their GPU's */
    atomic_int phase;
    atomic_int stop;   /* an error ended it: take nothing more */
    int handed_out;    /* a chunk was: from then on rows it writes may have changed. Under lock */
    atomic_int flying; /* lanes between asking for a chunk and having reported it */
    /* What the caller of yoke_run does itself: the lane of a core, while `borrowing` is 1; */
    int borrowed_device, borrowed_lane;
    atomic_int borrowing;
    _Atomic uint32_t driven; /* or the host threads' part for these devices, as bits */
    int attended;            /* the calling thread looks at the crew, for it may take part */
    uint32_t drove;          /* devices that it drove, as bits */
    atomic_int woken;        /* the other threads were told of the job */
    atomic_int hungry;       /* a lane was told to wait since somebody last reported */
    /* When the chunks that devices have should all be over, as far as is foretold; 0: nothing is.
     */
    _Atomic int64_t due_ns;
    atomic_int all_out; /* nothing is left to be handed out. Written under lock */

    yoke_status status; /* under lock until DONE */
    char *text;
    int64_t submitted_ns, ended_ns;
    int ended_by_caller; /* 1: the thread that called yoke_run ended it */
    int64_t
        reported_ns; /* when the last chunk was reported, 0: a while after its end. Under lock */
    atomic_int_fast64_t bytes_to, bytes_from, bytes_between;

    int64_t deadline_ns; /* 0: none */
    int (*progress)(void *context, int64_t done, int64_t all);
    void *progress_context;
    atomic_int telling;      /* a thread is in it */
    _Atomic int64_t told_ns; /* when it last was, */
    int64_t told;            /* and how much had been done */

    struct yk_order order; /* under runtime.lock, as is all below */
    struct yk_gate done;   /* for whoever waits */
    /* The ticket, threads that have to do with it, and its crew; only released without lock. */
    atomic_int references;
    atomic_int looks; /* at its crew */
    enum yk_asks asks;
    int keeps; /* it is over, and the ticket looks at the crew, too; else there are figures */
    struct yk_figures *figures;
    int figure_room;
    struct yk_job *next, *previous;
    struct yk_job *next_ready;
    struct yk_job *next_running, *previous_running;
};

/* Whether the device is asked; those that are not step in if all others fail. */
static inline int yk_job_in_team(const struct yk_job *job, int device)
{
    return (job->team & yk_team_bit(device)) != 0;
}

/* Whether the device is a CPU that is asked. Also for a job that may be over, whose crew is gone.
 */
static inline int yk_job_asks_cpu(const struct yk_job *job, int device)
{
    return job->runtime->devices[device].device->desc.host_memory && yk_job_in_team(job, device);
}

/* Whether the caller of yoke_run drives the device, and its host thread does not. */
static inline int yk_job_is_driven(const struct yk_job *job, int device)
{
    return (atomic_load(&job->driven) & yk_team_bit(device)) != 0;
}

/* Form 0 is its kernel, 1 the alternative. */
static inline struct yk_kernel *yk_job_kernel(const struct yk_job *job, int form)
{
    return form ? job->pair->alternative : job->kernel;
}

/* Of the second and third dimension together, for each index of the first. */
static inline int64_t yk_job_indexes_each(const struct yk_job *job)
{
    return yk_interval_length(job->along[0]) * yk_interval_length(job->along[1]);
}

/* Modes that change an array: its rows in place, or at the job's end through private copies too. */
static inline int yk_writes_rows(yoke_param_mode mode)
{
    return mode == YOKE_PARAM_OUT || mode == YOKE_PARAM_INOUT;
}
static inline int yk_changes_array(yoke_param_mode mode)
{
    return yk_writes_rows(mode) || mode == YOKE_PARAM_ADD || mode == YOKE_PARAM_REDUCE;
}

yoke_status yk_job_open(yoke_runtime *runtime, const yoke_job *spec, struct yk_job **out);
/* 1: yoke chooses the devices that take part: `auto` (NULL) and `alone`. */
int yk_job_splits_freely(const char *partitioner);
/* 1: by a plan for all jobs on its arrays (decomposition.h), where there can be one. */
int yk_job_goes_by_plan(const char *partitioner);
void yk_job_close(struct yk_job *job);
/* Bytes of memory that its devices have made ready so far, in all. */
int64_t yk_job_readied(const struct yk_job *job);
/* Record the first error (texts of later ones are consequences) and let the job run out. */
void yk_job_fail(struct yk_job *job, yoke_status status);
/* One more needs it; somebody else does, or the lock is held. */
void yk_job_hold(struct yk_job *job);
void yk_job_release(struct yk_job *job); /* the last one frees it */

#endif
