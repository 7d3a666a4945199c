/* runtime.h - the insides of a runtime: devices, threads, jobs. Private to this folder.
 *
 * Threads. A worker per lane of a CPU device and a host thread per device with memory of its own,
 * all asleep unless a job runs. Workers are bound to the device's cores; where there are more than
 * cores, these run wherever there is room. The thread that calls yoke_run works on its job as the
 * lane of the core it happens to be on. Where all devices are simulated there are no threads at
 * all: the waiting thread steps every lane and moves the virtual clock (virtual.c). All of them run
 * the same code on a lane: lane.c.
 *
 * Locks, outermost first: knowledge.lock (knowledge_state.h), runtime.lock (lists of jobs and
 * arrays), job.lock (dispatcher), an array's, a place's. Nobody sleeps holding the first two.
 */
#ifndef YK_JOB_RUNTIME_H
#define YK_JOB_RUNTIME_H

#include <stdatomic.h>
#include <yoke/yoke.h>

#include "../array/array.h"
#include "../model/stall.h"
#include "../partition/dispatch.h"
#include "../platform/clock.h"
#include "../trace/trace.h"
#include "kernel.h"
#include "lease.h"

struct yk_job;
struct yk_knowledge;
struct yk_loader;

/* A thread of the runtime, or a borrowed one. Sleeps on its parker when there is nothing to do. */
struct yk_worker {
    yoke_runtime *runtime;
    int device, lane; /* host threads: lane -1, they drive all lanes of the device */
    int cpu;          /* bound to, or -1 */
    /* Host threads: where it stays in jobs that keep cores free for it (partition/kept.h), or -1;
     * whether it is there now, and where else it may be. Its own. */
    int kept_cpu, stays;
    struct yk_affinity anywhere;
    uint64_t stepped; /* of its device, when it last looked (calls.c). Its own */
    struct yk_thread thread;
    struct yk_parker parker;
    atomic_int asleep;
};

/* A thread that steps lanes of a device with memory of its own; on its stack meanwhile. */
struct yk_stepper {
    struct yk_stepper *next;
    struct yk_escape *escape;
    double issue_ns; /* what it issues may take so long; 0: there is no telling; < 0: nothing */
    unsigned call;   /* in which it was seen last, 0: in none, */
    struct yk_stall stall; /* and for how long */
};

struct yk_runtime_device {
    struct yk_place *place;
    struct yk_device *device; /* place->device */
    int lanes;
    int number;               /* index in the runtime */
    struct yk_queue **queues; /* one a lane */
    struct yk_worker
        *workers; /* CPU: one a lane; other devices: one in all; NULL with a virtual clock */
    int worker_count;
    int *tracks;        /* one a lane, if tracing */
    int lost;           /* written off; under runtime.lock */
    yk_mutex admission; /* one job at a time takes memory for its arrays there; may sleep */
    int holders;        /* jobs that have some; under admission */
    uint32_t
        *spare_words; /* pinned, of all lanes, for the next step kernel; NULL: none; place->lock */
    yk_mutex stall_lock;         /* nothing is locked inside */
    struct yk_stall stall;       /* of the chunks of all jobs; under stall_lock, as are */
    struct yk_stepper *steppers; /* who steps it now, */
    uint64_t stepped;            /* how often somebody has come to do so, */
    atomic_int attends; /* and whether its host thread looks after those. Written under it */
    atomic_int_fast64_t served_ns; /* when the latest chunk of any job ended there, of a GPU */
};

enum { YK_SPARE_PARTIALS = 8 };

/* GPU drivers that no device was named of; loading.c. */
enum yk_loading {
    YK_LOADING_OVER,    /* the load has begun, or there is nothing to load, */
    YK_LOADING_AWAITED, /* the loader sleeps until it is due, */
    YK_LOADING_FAILED   /* or there was no loader to be had */
};
/* What made it begin, or not. */
enum yk_loading_cause {
    YK_CAUSE_NONE,
    YK_CAUSE_OPEN,     /* the runtime was to begin with all devices */
    YK_CAUSE_ASKED,    /* the program asked for all devices */
    YK_CAUSE_FORESEEN, /* a job will take longer than a load */
    YK_CAUSE_TIME,     /* the process has used yoke for as long */
    YK_CAUSE_NEVER     /* the runtime closed before */
};

/* Time from the end of a chunk to the wake-up of the thread that slept until it: 30 to 60 us
 * measured if a driver wakes it on a machine with an H200. A thread that waits for a chunk of a few
 * such times does not sleep (forecast.c). */
enum { YK_WAKE_NS = 40000 };

/* A time slice of Linux. A thread of the program that sleeps may lose its core to a thread that
 * spins at a barrier, as OpenMP's do for some ms after a loop, and then waits for the end of that
 * one's slice: 3.7 ms measured for a first job of 0.7 (16 cores, one H100). So it watches that long
 * for what a GPU does in unknown time. */
enum { YK_SLICE_NS = 4000000 };

struct yoke_runtime {
    yoke_runtime *next_open; /* entry.c */
    int forks;               /* yk_fork_count() when it was opened */
    yk_mutex lock;
    struct yk_places places;
    struct yk_runtime_device devices[YK_PLACES - 1]; /* as places.items; count below */
    atomic_int device_count;                         /* release after the entry is complete */
    int checks;        /* it checks what kernels touch, and what the program does with arrays */
    int virtual_clock; /* set with the first device */
    const struct yk_backend *clock; /* whose now and advance, if virtual; */
    yk_mutex driving;               /* the thread that steps all lanes holds it */

    char *partitioner;
    yoke_waiting waiting;
    double watchdog; /* the factor of yk_stall_chunk; 0: devices are not watched */
    int threads;     /* lanes wanted of each CPU device; 0: one a core, and */
    int roams;       /* threads that are bound to no core may run on all of the cpuset */
    int extra_lanes; /* of the first one so many more: */
    int64_t streams; /* at most so many for each GPU, which stand for threads that drive it */

    struct yk_job *first_job, *last_job;     /* submitted and not done, in order, */
    struct yk_job *first_ready, *last_ready; /* of these: waiting for nothing but their turn, */
    struct yk_job *running, *last_running;   /* and begun, in the order of their turns */
    int running_count;
    struct yk_crew *idle_crews; /* of jobs that are over, for those to come */
    int idle_crew_count;
    atomic_int kept_jobs; /* that are over and have their crew still */
    uint64_t turns;       /* given so far */
    yoke_array *arrays;
    yoke_array *spare_partials[YK_SPARE_PARTIALS]; /* of jobs that reduced (reduction.h), and */
    unsigned spare_turn;                           /* which of them leaves next */
    uint64_t jobs_submitted;
    atomic_int stop;
    atomic_uint change;      /* grows whenever a lane may find work it did not find before */
    atomic_int next_to_wake; /* of the threads that have to hear of it, see wake.c */
    /* Typical time from the end of a job that another thread ended to the return of its
     * yoke_run. */
    _Atomic int64_t return_ns;

    struct yk_kernels kernels;
    struct yk_weight weight;        /* of kernels that have none of their own; under lock */
    atomic_int weighs;              /* there was a weight, of whichever kernel */
    struct yk_knowledge *knowledge; /* NULL: none is read or kept */
    struct yk_trace *trace;
    char *trace_path;
    int explains; /* at close, what the latest jobs did and why; */
    int tells;    /* somebody will want to know that */

    atomic_int loading;             /* enum yk_loading. One thread takes it from AWAITED to OVER, */
    atomic_int loading_cause;       /* and says why: enum yk_loading_cause, and after how long of */
    atomic_int_fast64_t loading_ns; /* the process's use of yoke, or for a job of which length */
    struct yk_loader *loader;       /* opens GPUs in the background; NULL: joined, left, or never
                                       started; under load_lock, */
    yk_mutex load_lock;             /* which is held while a thread waits for it */
};

/* By the clock of its devices. */
static inline int64_t yk_now(const yoke_runtime *runtime)
{
    return runtime->virtual_clock ? runtime->clock->now() : yk_clock_ns();
}
/* Whether its threads were told to look after their devices without sleeping. */
static inline int yk_runtime_polls(const yoke_runtime *runtime)
{
    return runtime->waiting == YOKE_WAIT_SPIN || runtime->waiting == YOKE_WAIT_YIELD;
}

#endif
