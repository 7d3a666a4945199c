/* runtime.h - what a runtime consists of: devices, threads, jobs.
 *
 * Threads. There is a worker per lane of a CPU device and a host thread per device with memory of
 * its own. All sleep unless a job runs. Each worker is bound to one of the device's cores; workers
 * beyond the number of cores are not bound. The thread that calls yoke_run works on its job as the
 * lane of the core on which it runs. If all devices are simulated there are no threads: the waiting
 * thread steps every lane and moves the virtual clock (virtual.c). All threads run the same code
 * for a lane: lane.c.
 *
 * Locks, outermost first: knowledge.lock (knowledge_state.h), runtime.lock (lists of jobs and
 * arrays), job.lock (dispatcher), an array's lock, a place's lock. A thread that holds runtime.lock
 * or job.lock does not sleep.
 */
#ifndef YK_JOB_RUNTIME_H
#define YK_JOB_RUNTIME_H

#include <stdatomic.h>
#include <yoke/yoke.h>

#include "../array/array.h"
#include "../model/stall.h"
#include "../partition/dispatch.h"
#include "../partition/lease.h"
#include "../platform/clock.h"
#include "../trace/trace.h"
#include "kernel.h"

struct yk_job;
struct yk_knowledge;
struct yk_loader;

/* A thread of the runtime. It sleeps on its parker when there is nothing to do. */
struct yk_worker {
    _Alignas(64) yoke_runtime *runtime;
    int device, lane; /* lane -1: a host thread, which drives all lanes of the device */
    int cpu;          /* the processor to which it is bound, or -1 */
    /* Host threads only, used by the thread itself. kept_cpu: its processor in jobs that keep cores
     * free for it (partition/kept_cores.h), or -1. stays: 1: it is bound to that now. anywhere:
     * where it may run otherwise. */
    int kept_cpu, stays;
    struct yk_affinity anywhere;
    /* Value of the device's `stepped` when the thread last looked (stuck_calls.c); used by the
     * thread itself. */
    uint64_t stepped;
    unsigned change; /* value of its device's `change` when it last looked for work; its own */
    /* Used by the thread itself. processors: number of those on which a host thread may run.
     * disturbs: 1: a job needs its core for other threads: those of cores if it is a host thread,
     * otherwise those that drive GPUs. */
    int processors, disturbs;
    struct yk_thread thread;
    struct yk_parker parker;
    /* Other threads use these, so they have a cache line of their own. */
    _Alignas(64) atomic_int asleep;
    struct yk_job *_Atomic given; /* a job that it should step, with a reference to the workspace
                                   * (yk_job_look); NULL: none */
};

/* A thread that steps lanes of a device with memory of its own. On that thread's stack, from
 * yk_calls_enter to yk_calls_leave. */
struct yk_stepper {
    struct yk_stepper *next;
    struct yk_escape *escape;
    double issue_ns;       /* time limit of what it issues; 0: unknown; < 0: it issues nothing */
    unsigned call;         /* number of the driver call in which it was seen last; 0: none */
    struct yk_stall stall; /* how long it has been in that call */
};

/* Which thread steps a device with memory of its own: its host thread or one of the program
 * (work/takeover.c). */
enum yk_stepped_by { YK_STEPPED_BY_NONE, YK_STEPPED_BY_HOST_THREAD, YK_STEPPED_BY_PROGRAM };

struct yk_runtime_device {
    struct yk_place *place;
    struct yk_device *device; /* place->device */
    int lanes;
    int number;                /* index in runtime->devices */
    struct yk_queue **queues;  /* one per lane */
    struct yk_worker *workers; /* a CPU: one per lane, otherwise one; NULL with a virtual clock */
    int worker_count;
    int *tracks;        /* one per lane, if there is a trace */
    int lost;           /* 1: it failed and gets no more work; under runtime.lock */
    yk_mutex admission; /* held while a job takes memory for its arrays; its holder may sleep */
    int holders;        /* number of jobs that hold memory; under admission */
    /* Pinned words of all lanes for the next step kernel; NULL: none. Under place->lock. */
    uint32_t *spare_words;
    yk_mutex stall_lock;         /* protects the next four; a leaf lock */
    struct yk_stall stall;       /* chunks of all jobs that are under way, for the watchdog */
    struct yk_stepper *steppers; /* threads that step the device now */
    uint64_t stepped;            /* number of times that a thread began to step it */
    atomic_int attends; /* 1: its host thread watches the steppers; read without the lock */
    /* What the latest jobs lost because their callers worked alone while other cores slept. */
    atomic_int_fast64_t missed_ns;
    /* End of the latest chunk of any job; of a CPU, of its latest part of a job that is over. */
    atomic_int_fast64_t served_ns;
    /* Typical time in ns from a job's begin until the device, whose host thread must be woken,
     * begins its part beside cores. Not used with a virtual clock. */
    _Atomic int64_t late_ns;
    /* Of a device with memory of its own (work/takeover.c): enum yk_stepped_by; number of threads
     * of the program that step it or wait for that; when one last stepped it, 0: the host thread
     * has since. */
    _Alignas(64) atomic_int stepped_by;
    atomic_int wanted;
    _Atomic int64_t left_ns;
    /* Incremented whenever a lane of the device may find work that it did not find before. The
     * threads that are awake watch it, so it has a cache line of its own, and each device has one:
     * cores that looked for work at each job of a GPU would slow the thread that launches these. */
    _Alignas(64) atomic_uint change;
};

enum { YK_SPARE_PARTIALS = 8 };

/* State of loading GPU drivers when no devices were named; loading.c. */
enum yk_loading {
    YK_LOADING_OVER,    /* the load has begun, or there is nothing to load */
    YK_LOADING_AWAITED, /* the loader sleeps until the load is due */
    YK_LOADING_FAILED   /* the loader could not be started */
};
/* Why the load began, or did not. */
enum yk_loading_cause {
    YK_CAUSE_NONE,
    YK_CAUSE_OPEN,     /* the runtime should begin with all devices */
    YK_CAUSE_ASKED,    /* the program asked for all devices */
    YK_CAUSE_FORESEEN, /* a job was expected to take longer than a load */
    YK_CAUSE_TIME,     /* the process has used yoke for as long as a load takes */
    YK_CAUSE_NEVER     /* the runtime closed before the load was due */
};

/* A time slice of Linux in ns. For so long a thread watches a GPU before it sleeps, if it does not
 * know when the GPU will be done. If it slept at once, it could lose its core to a thread that
 * spins at a barrier, as OpenMP's threads do for some ms after a loop, and wait until that thread's
 * slice ends: a first job of 0.7 ms then took 3.7 ms (16 cores, one H100). */
enum { YK_SLICE_NS = 4000000 };

/* Jobs without a ticket (work/ticketless.c). Under runtime.lock. */
struct yk_ticketless {
    struct yk_job *first, **end; /* in the order of submission; where the next one is linked */
    int count;                   /* number of jobs in the list */
    yoke_status status;          /* of the first one that failed; YOKE_OK: none did */
    char *text;                  /* its error; NULL: that of the status */
};

struct yoke_runtime {
    int forks; /* yk_fork_count() when it was opened */
    yk_mutex lock;
    struct yk_places places;
    struct yk_runtime_device devices[YK_PLACES - 1]; /* in the order of places.items */
    atomic_int device_count; /* stored with release after the entry is complete */
    int checks; /* 1: checking mode: checks what kernels touch, and what the program does with
                   arrays */
    int virtual_clock;              /* 1: all devices are simulated; set with the first device */
    const struct yk_backend *clock; /* with a virtual clock: has now() and advance() */
    yk_mutex driving; /* held by the thread that steps all lanes, with a virtual clock */

    char *partitioner;
    yoke_waiting waiting;
    double watchdog; /* factor of yk_stall_chunk; 0: devices are not watched */
    int threads;     /* lanes of each CPU device; 0: one per core, and extra_lanes */
    int roams; /* 1: threads that are not bound to a core may run on all processors of the cpuset */
    int extra_lanes; /* additional lanes of the first CPU device */
    /* For each GPU: most lanes that also count as lanes of the CPU, because a thread drives each of
     * them; 0: none. */
    int64_t streams;

    struct yk_job *first_job, *last_job;     /* submitted and not done, in that order */
    struct yk_job *first_ready, *last_ready; /* of these: jobs that wait only for their turn */
    struct yk_job *running, *last_running;   /* jobs that have begun, in the order of their turns */
    /* Read without the lock, too: number of running jobs, and of jobs that have begun. */
    atomic_int running_count;
    _Atomic uint64_t turns;
    atomic_int behind_due; /* 1: yk_jobs_start_behind was put off until devices have work */
    struct yk_workspace *idle_workspaces; /* workspaces of finished jobs, for later ones */
    int idle_workspace_count;
    _Atomic(struct yk_job *) spare_job; /* the block of a finished job, for the next one */
    atomic_int kept_jobs;               /* number of finished jobs that keep their workspace */
    yoke_array *arrays;
    yoke_array *spare_partials[YK_SPARE_PARTIALS]; /* arrays of partial results of finished jobs
                                                      (reduction.h) */
    unsigned spare_turn;                           /* the next one to be replaced */
    uint64_t jobs_submitted;
    struct yk_ticketless ticketless;
    _Alignas(64) atomic_int stop;         /* 1: the threads end; those that are awake watch it */
    _Alignas(64) atomic_int next_to_wake; /* index of the next thread to be woken, see wake.c */
    atomic_int wake_from; /* number of the first of a device's threads to be woken */
    /* Typical time in ns from a job's end until its yoke_run returns, if another thread ended the
     * job. */
    _Atomic int64_t return_ns;
    /* The same for jobs in which the calling thread worked as a core, whichever thread ended them.
     */
    _Atomic int64_t core_return_ns;

    struct yk_kernels kernels;
    struct yk_weight weight;        /* for kernels that have no weight of their own; under lock */
    atomic_int weighs;              /* 1: a weight was set, for any kernel */
    struct yk_knowledge *knowledge; /* NULL: nothing learned is read or stored */
    struct yk_trace *trace;
    char *trace_path;
    int explains; /* 1: print at close what the latest jobs did and why */
    int tells;    /* 1: stories of jobs are kept, to be printed or stored */

    /* While GPUs may still be added: ns that loading their drivers takes at most. 0: all devices
     * are there. */
    _Atomic int64_t awaits_ns;
    /* enum yk_loading. One thread takes it from AWAITED to OVER and then sets the next two. */
    atomic_int loading;
    atomic_int loading_cause; /* enum yk_loading_cause */
    /* For the causes TIME and NEVER: how long the process had used yoke. For FORESEEN: the job's
     * expected duration. */
    atomic_int_fast64_t loading_ns;
    /* Opens GPUs in the background. NULL: joined, left, or never started. Under load_lock. */
    struct yk_loader *loader;
    yk_mutex load_lock; /* held while a thread waits for the loader */
};

/* Returns 1 from the begin of a load until the runtime has all its devices. */
static inline int yk_runtime_is_loading(const yoke_runtime *runtime)
{
    return atomic_load_explicit(&runtime->awaits_ns, memory_order_relaxed) > 0 &&
           atomic_load_explicit(&runtime->loading, memory_order_relaxed) == YK_LOADING_OVER;
}

/* The time by the clock of the runtime's devices. */
static inline int64_t yk_now(const yoke_runtime *runtime)
{
    return runtime->virtual_clock ? runtime->clock->now() : yk_clock_ns();
}
/* can_run: returns 1 if the device can run the kernel, perhaps after a build: a CPU needs a
 * function for CPUs; any other device must not be lost, nor have failed to build it. must_build:
 * returns 1 if it must be built before that, which may take seconds; CPUs build nothing. */
static inline int yk_device_can_run(const struct yk_runtime_device *device,
                                    const struct yk_kernel *kernel)
{
    return device->device->desc.host_memory
               ? yk_kernel_runs_on_host(&kernel->kernel)
               : !device->lost && !yk_kernel_has_failed(kernel, device->number);
}
static inline int yk_device_must_build(const struct yk_runtime_device *device,
                                       const struct yk_kernel *kernel)
{
    return !device->device->desc.host_memory && !yk_kernel_is_ready(kernel, device->number) &&
           yk_device_can_run(device, kernel);
}
/* Returns 1 if threads watch their devices without sleeping. */
static inline int yk_runtime_polls(const yoke_runtime *runtime)
{
    return runtime->waiting == YOKE_WAIT_SPIN || runtime->waiting == YOKE_WAIT_YIELD;
}

#endif
