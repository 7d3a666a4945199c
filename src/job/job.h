/* job.h - a submitted job: a copy of what the user asked for, its dispatcher, and what each
 * device's lanes are doing.
 *
 * A job is WAITING for earlier jobs, or for its turn; it has no devices and no dispatcher yet. Then
 * it is RUNNING: lanes take chunks. Then it is ENDING: one thread merges private copies and writes
 * the outcome. When it is DONE it is off all lists but one (work/ticketless.c), and the ticket's
 * owner frees it. From ENDING it can return to RUNNING if a device fails while its private copy is
 * fetched, because all that this device did is lost.
 */
#ifndef YK_JOB_JOB_H
#define YK_JOB_JOB_H

#include "../platform/gate.h"
#include "job_device.h"
#include "order.h"

enum yk_phase { YK_WAITING, YK_RUNNING, YK_ENDING, YK_DONE };

/* What one device did in a job that is over and no longer has its workspace. */
struct yk_figures {
    int64_t items, chunks, busy_ns;
    int64_t by_alternative; /* items that the alternative kernel did */
};

/* Whether a job's result will be asked for. PERHAPS: by the ticket's owner. CALLER: by the caller
 * of yoke_run. NEVER: it will not. */
enum yk_asks { YK_ASKS_PERHAPS, YK_ASKS_CALLER, YK_ASKS_NEVER };

/* What mode add needs. */
struct yk_job_sums {
    int has_add;                            /* 1: an argument has mode add */
    struct yk_kernel *folds[YOKE_ARGS_MAX]; /* folds a device's copies; NULL: none */
    _Atomic(char *) joined[YOKE_ARGS_MAX];  /* sum of cores that are done (merge.c); NULL: none */
    /* Bytes from one copy to the next. Computed at submit, because the array may be closed before a
     * device prepares. */
    int64_t apart[YOKE_ARGS_MAX];
};

/* How the job is split: decided at submit and when it begins, with runtime.lock held, and when a
 * device is added to it. Lanes only read it. */
struct yk_job_split {
    const char *partitioner; /* NULL: auto */
    const char *asked_for;   /* the requested partitioner, if `auto` splits instead */
    int until_pinned;        /* why `auto` splits: 1: memory is not pinned yet; 0: there are too few
                                lessons */
    int names_partitioner;   /* 1: the user's job names a partitioner */
    double weight;           /* the CPU weight that splits the job; < 0: none */
    char weight_text[80];    /* text of the partitioner, if there is a weight */
    uint64_t key;            /* key of its yk_memory */
    uint64_t free_key;       /* the key that it has if `auto` splits it */
    struct yk_lesson *lesson; /* from an earlier process, until the job begins; NULL: none */
    struct yk_lesson *lines;  /* likewise, but lines of each device alone */
    double
        items_per_ns; /* items per ns of its devices together in earlier jobs like it; 0: unknown */
    double core_item_ns; /* time of an item on one core in these; 0: unknown */
    int keeps_cores;     /* 1: some cores are left to threads that drive GPUs */
    int queued;          /* 1: it waited for other jobs before it began */
    int crowded;         /* 1: other jobs were running when it began */
    int disturbed;       /* 1: one of these does not belong to its decomposition */
    uint64_t foreign;    /* number of jobs that did not, when it began */
    struct yk_decomposition *decomposition; /* of its arrays; NULL: no plan applies */
    int member;                             /* its kernel's place in the decomposition */
    int planned;                            /* 1: split by the decomposition's plan */
    double planned_ns;                      /* time of the longest part, by that plan */
    _Atomic uint32_t team;                  /* devices that take part, as bits (partition/team.h) */
    int builds;                             /* 1: one of them must build the kernel first */
    uint32_t unbuilt; /* devices that do not take part, as bits, because the job will be over
                       * before they have built the kernel */
    int alone;        /* the only one of several devices that takes part; else -1 */
    int has_memory;   /* 1: there was a job like it */
    double to_come;   /* number of jobs, this one included, for which its arrays will probably last,
                       * except those of one job; 0: unknown */
    int opens;        /* 1: it is the first job to use one of its arrays */
    int64_t readied;  /* value of yk_places_readied when it began */
};

/* NONE: the thread that called the job works alone. SOME: a few cores were called. ALL: all threads
 * of the job's devices. */
enum yk_woken { YK_WOKEN_NONE, YK_WOKEN_SOME, YK_WOKEN_ALL };

/* Why a job ended early: the program wanted that, or something failed. */
enum yk_stop { YK_STOP_NOT, YK_STOP_ASKED, YK_STOP_FAILED };

/* What lanes tell each other. Atomics are read without job.lock. */
struct yk_job_lanes {
    int hosting;        /* the CPU device with lanes that stand for threads that drive GPUs; -1:
                         * none */
    int hosts_work;     /* 1: these lanes get chunks beside their GPU's */
    atomic_int stop;    /* enum yk_stop: lanes take no more chunks unless it is NOT */
    int handed_out;     /* 1: a chunk was handed out, so rows that it writes may have changed; under
                           lock */
    atomic_int woken;   /* enum yk_woken: which other threads were woken for the job */
    atomic_int helpers; /* number of cores that help the caller's; set before `woken` */
    atomic_int hungry;  /* 1: a lane was told to wait, and no chunk was reported since */
    _Atomic int64_t due_ns; /* predicted end of all chunks under way; 0: no prediction */
    atomic_int all_out;     /* 1: nothing is left to hand out; written under lock */
    int host_checked;       /* 1: yk_job_check_host has run (overlap.c) */
};

/* Threads that are in the job. Each core that comes and goes writes this, so it shares no cache
 * line with what cores read, wherever the job's memory begins. */
struct yk_job_presence {
    char before[64];
    atomic_int flying; /* number of lanes that have entered the job and not left it (end.c) */
    atomic_int looks;  /* number of references to the job's workspace */
    atomic_int called; /* number of cores that were called, or more (wake.c) */
    char after[64];
};

/* What the thread that called yoke_run does: the work of one lane, while `borrowing` is 1; or the
 * work of the host threads of the devices `driven`, as bits. */
struct yk_job_caller {
    int borrowed_device, borrowed_lane;
    atomic_int borrowing;
    _Atomic uint32_t driven;
    int calls;      /* 1: it has still to call other cores, once its own lane has a chunk */
    int roams;      /* 1: the job is too short to bind it to its core */
    int moves;      /* 1: its processor is kept free, so it moves to the core of its lane */
    int attended;   /* 1: it waits, and has a reference to the workspace, as it may take part */
    uint32_t drove; /* devices that it drove, or another thread of the program (takeover.c) */
};

/* The job's end and result. Under job.lock, or by the thread that ends the job, until it is DONE;
 * then constant. */
struct yk_job_outcome {
    yoke_status status;
    char *text;
    int64_t submitted_ns, ended_ns;
    int ended_by_caller; /* 1: the thread that called yoke_run ended it */
    int canceled_late;   /* 1: it was canceled when it was ENDING; under lock */
    /* When the last chunk was reported; 0: it had ended some time before its report. Under lock. */
    int64_t reported_ns;
    atomic_int_fast64_t bytes_to, bytes_from, bytes_between;
};

/* Deadline and progress. The first three are the user's; `reporting` protects `reported`. */
struct yk_job_progress {
    int64_t deadline_ns; /* 0: none */
    int (*callback)(void *context, int64_t done, int64_t all);
    void *context;
    atomic_int reporting;        /* 1: a thread is in the callback */
    _Atomic int64_t reported_ns; /* when the callback was last called */
    int64_t reported;            /* number of items in the last report */
};

/* See flight/pipeline.h. Fields without a remark are under runtime.lock. */
struct yk_job_pipeline {
    struct yk_job *before; /* the job behind which this one began, with a reference; NULL: none.
                              Constant from the begin to the end */
    atomic_int waits;      /* 1: `before` is not over */
    int followers;         /* number of jobs that began behind this one */
    int64_t freed_ns;      /* end of `before`; 0: it had none */
    /* Devices whose host threads wait for chunks of this job or for its end, as bits. */
    _Atomic uint32_t awaited;
    /* Devices whose chunks of this job had chunks of the next one launched behind them, as bits: on
     * any device; on another one. */
    _Atomic uint32_t followed, crossed;
    atomic_uint undone; /* number of its chunks that were launched and did not count */
    /* Devices to which a job that began behind this one gives its first chunk, as bits. A launch
     * comes before a look, so each skips one look at this job. */
    _Atomic uint32_t launches_first;
};

/* What keeps the job alive. Under runtime.lock, except atomics and the gate. */
struct yk_job_life {
    struct yk_gate done; /* opens when the job is DONE */
    /* Number of references: of the ticket, of threads that use the job, and of its workspace. The
     * last one must be dropped without runtime.lock. */
    atomic_int references;
    enum yk_asks asks;
    atomic_int awaited; /* 1: a thread is in yoke_wait for it */
    int keeps; /* 1: it is over, and the ticket has a reference to the workspace; 0: see `figures`
                */
    struct yk_figures *figures;
    int figure_room;    /* number of devices for which `figures` has room */
    size_t block_bytes; /* of the block that the job is in */
};

/* The job in the runtime's lists. Under runtime.lock. */
struct yk_job_lists {
    struct yk_job *next, *previous;
    struct yk_job *next_ready;
    struct yk_job *next_running, *previous_running;
    struct yk_job *next_ticketless;
};

struct yk_job { /* in one block with its arguments, their values and the texts */
    /* What the user asked for. Set at submit (`turn`: when the job begins); constant while it
     * runs. */
    yoke_runtime *runtime;
    const char *name;
    struct yk_kernel *kernel;
    struct yk_pair *pair;  /* the kernel and its alternative; NULL: no alternative */
    uint64_t number, turn; /* number among submitted jobs; among jobs that began, 0: not begun */
    int64_t first, last, extent[2];
    struct yk_interval along[2]; /* indexes of the second and third dimension, never empty */
    int arg_count;
    yoke_arg *args;
    struct yk_job_sums sums;
    struct yk_reduction *reduction; /* NULL: the kernel does not reduce */
    uint32_t packs; /* arguments whose row distance is passed to the kernel, as bits */
    /* 1 + the argument whose row distance this value is; 0: an ordinary value. */
    uint8_t distance_of[YOKE_ARGS_MAX];

    struct yk_job_split split;

    /* `lock` protects the dispatcher, changes of `phase`, publishing of leases, and the fields
     * joined, failed, retired and benched of devices. */
    yk_mutex lock;
    struct yk_workspace
        *workspace; /* owns the next three; NULL before the job begins and after its end */
    struct yk_dispatch *dispatch;
    struct yk_job_device *devices;
    atomic_int device_count; /* grows if devices are added while it runs (life/admit.c) */
    atomic_int phase;

    struct yk_job_lanes lanes;
    struct yk_job_presence presence;
    struct yk_job_caller caller;
    struct yk_job_outcome outcome;
    struct yk_job_progress progress;
    struct yk_order order; /* its place among other jobs; under runtime.lock */
    struct yk_job_pipeline pipeline;
    struct yk_job_life life;
    struct yk_job_lists lists;
};

/* Returns 1 if devices were added while the job ran (life/admit.c). They are the last ones. */
static inline int yk_job_grew(const struct yk_job *job)
{
    return job->devices[job->device_count - 1].admitted_ns != 0;
}

/* Returns 1 if the device takes part. Other devices are benched: they step in if all of these
 * fail. */
static inline int yk_job_in_team(const struct yk_job *job, int device)
{
    return (job->split.team & yk_team_bit(device)) != 0;
}

/* Returns 1 if the device is a CPU that takes part. Needs no workspace, so the job may be over. */
static inline int yk_job_asks_cpu(const struct yk_job *job, int device)
{
    return job->runtime->devices[device].device->desc.host_memory && yk_job_in_team(job, device);
}

/* Returns 1 if the thread that called yoke_run drives the device; then its host thread does not. */
static inline int yk_job_is_driven(const struct yk_job *job, int device)
{
    return (atomic_load(&job->caller.driven) & yk_team_bit(device)) != 0;
}

/* Form 0 is the job's kernel, form 1 its alternative. */
static inline struct yk_kernel *yk_job_kernel(const struct yk_job *job, int form)
{
    return form ? job->pair->alternative : job->kernel;
}

/* Returns when the job's time begins: when it began or, if it began behind another job, when that
 * one ended. For a job that is over. */
static inline int64_t yk_job_since(const struct yk_job *job)
{
    const int64_t begun_ns = job->outcome.submitted_ns, freed_ns = job->pipeline.freed_ns;
    return freed_ns > begun_ns ? freed_ns : begun_ns;
}

/* Returns the number of indexes of the second and third dimension for one index of the first. */
static inline int64_t yk_job_indexes_each(const struct yk_job *job)
{
    return yk_interval_length(job->along[0]) * yk_interval_length(job->along[1]);
}

/* Whether the mode reads or writes rows of the array in place. yk_changes_array includes modes with
 * private copies or partial results, which are merged into the array at the job's end. */
static inline int yk_reads_rows(yoke_param_mode mode)
{
    return mode == YOKE_PARAM_IN || mode == YOKE_PARAM_INOUT;
}
static inline int yk_writes_rows(yoke_param_mode mode)
{
    return mode == YOKE_PARAM_OUT || mode == YOKE_PARAM_INOUT;
}
static inline int yk_changes_array(yoke_param_mode mode)
{
    return yk_writes_rows(mode) || mode == YOKE_PARAM_ADD || mode == YOKE_PARAM_REDUCE;
}

/* Checks the user's job and sets *out to a copy of it, which has no references yet. Takes
 * runtime.lock if the kernel reduces. */
yoke_status yk_job_open(yoke_runtime *runtime, const yoke_job *spec, struct yk_job **out);
/* Returns 1 if yoke chooses the devices that take part, as for `auto` (NULL) and `alone`. */
int yk_job_splits_freely(const char *partitioner);
/* Returns 1 if jobs with this partitioner may follow the plan of their arrays (decomposition.h). */
int yk_job_goes_by_plan(const char *partitioner);
/* Frees a job that has no other user: its last reference is dropped, or it was never submitted.
 * runtime.lock must not be held. */
void yk_job_close(struct yk_job *job);
/* Frees the block that is kept for the next job. */
void yk_job_forget_spare(yoke_runtime *runtime);
/* Records the job's first error, with the thread's error text; ignores later ones, which follow
 * from it. Stops the job: lanes take no more chunks. No lock need be held. */
void yk_job_fail(struct yk_job *job, yoke_status status);
/* Returns 1 if the job is stopped; first stops it if its deadline has passed. Without locks. */
int yk_job_is_stopped(struct yk_job *job);
/* Adds a reference to the job. The caller has one already, or holds the lock under which it found
 * the job. */
void yk_job_hold(struct yk_job *job);
/* Drops a reference; the last one frees the job. runtime.lock must not be held. */
void yk_job_release(struct yk_job *job);

#endif
