/* kernel.h - the kernels that a runtime knows: its own copies, their builds for each device, and
 * what was learned about them.
 *
 * A descriptor is copied when it is first seen, because its build may continue in a device's host
 * thread after its first job is done. The texts and names that it points to are not copied, because
 * they are string literals in almost all programs. They must live as long as the runtime.
 */
#ifndef YK_JOB_KERNEL_H
#define YK_JOB_KERNEL_H

#include <stdatomic.h>
#include <yoke/kernel_type.h>

#include "../access/access.h"
#include "../array/place.h"
#include "../knowledge/lesson.h"
#include "../model/stall.h"
#include "../model/weight.h"
#include "../partition/choice.h"
#include "../partition/learned.h"
#include "../partition/plan.h"
#include "../partition/recall.h"
#include "../partition/team.h"

enum yk_build_state { YK_BUILD_NONE, YK_BUILD_RUNNING, YK_BUILD_READY, YK_BUILD_FAILED };

struct yk_build {
    atomic_int state;         /* stored with release after program or text is set */
    _Atomic int64_t begun_ns; /* clock when it began; 0: it did not */
    yk_mutex lock; /* held by the thread that builds; no lock is taken inside, except by backends */
    struct yk_kernel *kernel; /* set if a separate thread builds, which is joined at close */
    struct yk_device *device;
    struct yk_thread thread;
    struct yk_program *program;
    yoke_status status; /* of a failed build */
    char *text;         /* the complete error text */
    char *trouble;      /* the error in one line */
};

/* What was learned about jobs of one kernel, range and set of array shapes. */
struct yk_memory {
    uint64_t key;
    uint64_t used; /* kernel->clock at the latest use: the oldest is replaced */
    struct yk_learned device[YK_PLACES];
    struct yk_pace pace[YK_PLACES]
                       [YK_FORMS]; /* pace of the kernel's chunks, and of the alternative's */
    struct yk_cost cost[YK_PLACES];
    uint32_t costs_beside; /* devices whose cost was measured beside other jobs, because none ran by
                              itself yet, as bits */
    struct yk_team team;
    struct yk_stays stays; /* where plans found that rows should stay */
    int stays_of;          /* number of devices to which `stays` applies */
    uint64_t lasted; /* number of jobs over the latest of their arrays, from the first to the last
                      * one before these were closed; 0: unknown */
    int opened;      /* 1: the latest job was the first to use one of its arrays */
    struct yk_adjust adjust; /* of the devices' shares */
    struct yk_late late;     /* lateness of jobs split by lines */
    /* For later processes (knowledge.h): a hash that identifies these jobs. */
    uint64_t subject;
    char partitioner[64]; /* partitioner of the subject, to be printed; cut to fit */
    struct yk_sizes sizes;
    struct yk_pair *pair; /* the kernel and its alternative; NULL: there is none */
    int64_t jobs, kept;   /* jobs that went well; how many of them the knowledge base has */
    int64_t taught; /* number of earlier processes' jobs in the lesson with which this memory began;
                       0: no lesson */
    int derived;    /* 1: it began with a lesson derived from other sizes */
    int tuned;      /* 1: it began with lines that yoke tune measured with each device alone */
};

enum { YK_MEMORIES = 16 };

/* Which of two kernels that do the same work is faster on each device. Jobs with the same key as in
 * yk_memory share an entry. A new entry begins as a copy of the latest one. */
enum { YK_PAIR_ENTRIES = 8 };
struct yk_pair {
    struct yk_kernel *alternative;
    yk_mutex lock; /* a leaf lock */
    struct yk_pair_entry {
        uint64_t key, used;
        struct yk_choice device[YK_PLACES];
    } entries[YK_PAIR_ENTRIES];
    uint64_t clock;
    struct yk_pair *next;
};

struct yk_kernel {
    yoke_kernel kernel; /* a copy of the user's */
    struct yk_access access;
    uint64_t right_terms; /* of its latest job with right touches (touches.c); with runtime.lock */
    struct yk_pair *pairs;
    struct yk_build builds[YK_PLACES];
    struct yk_weight weight;                 /* under runtime.lock, like all fields below */
    struct yk_memory *memories[YK_MEMORIES]; /* at least one; the first NULL ends the list */
    uint64_t clock;
    uint64_t content;       /* hash of its content; 0: not computed yet */
    uint64_t jobs;          /* number of its jobs that went well, if their stories are kept */
    struct yk_story *story; /* the story of a recent job (explain.h); NULL: none */
    struct yk_kernel *next;
};

struct yk_kernels {
    struct yk_kernel *first;
};

/* Sets *out to the runtime's copy of `kernel`, which the first call makes. With runtime.lock held.
 */
yoke_status yk_kernel_intern(struct yk_kernels *kernels, const yoke_kernel *kernel,
                             struct yk_kernel **out);
/* Frees all kernels and their programs. Call it when all threads that use them have ended. */
void yk_kernels_close(struct yk_kernels *kernels, struct yk_places *places);
/* Builds the kernel's program for a device, or waits for another thread that builds it; returns at
 * once if it is built. Any thread may call it. For CPU devices runtime.lock must be held. */
yoke_status yk_kernel_build(struct yk_kernel *kernel, struct yk_device *device, int number);

/* Returns why the device cannot run the kernel, with the compiler's first error; NULL if it can, or
 * if the build is not over. The text lives as long as the kernel. */
const char *yk_kernel_trouble(const struct yk_kernel *kernel, int number);

/* Returns 1 if the kernel has a function for CPUs. */
static inline int yk_kernel_runs_on_host(const yoke_kernel *kernel)
{
    return kernel->cpu.variant[0] || kernel->cpu.variant[1] || kernel->cpu.variant[2] ||
           kernel->cpu.team;
}

/* Builds the program in a separate thread, unless a thread builds it or has built it. With a
 * virtual clock it is built before the call returns. */
void yk_kernel_build_beside(struct yk_kernel *kernel, struct yk_device *device, int number);
/* is_ready: returns 1 if the device can run the kernel now. is_building: returns 1 while a thread
 * builds it. has_failed: returns 1 if the build failed. */
static inline int yk_kernel_is_ready(const struct yk_kernel *kernel, int number)
{
    return atomic_load_explicit(&kernel->builds[number].state, memory_order_acquire) ==
           YK_BUILD_READY;
}
static inline int yk_kernel_is_building(const struct yk_kernel *kernel, int number)
{
    return atomic_load_explicit(&kernel->builds[number].state, memory_order_acquire) ==
           YK_BUILD_RUNNING;
}
/* Returns the clock (yk_clock_ns) when a thread began to build it; 0: none did. */
static inline int64_t yk_kernel_build_begun(const struct yk_kernel *kernel, int number)
{
    return atomic_load_explicit(&kernel->builds[number].begun_ns, memory_order_relaxed);
}
static inline int yk_kernel_has_failed(const struct yk_kernel *kernel, int number)
{
    return atomic_load_explicit(&kernel->builds[number].state, memory_order_acquire) ==
           YK_BUILD_FAILED;
}

/* --- pair.c --- */
/* Sets *out to the pair of a kernel and its alternative, which the first call makes. With
 * runtime.lock held. */
yoke_status yk_pair_intern(struct yk_kernel *kernel, struct yk_kernel *alternative,
                           struct yk_pair **out);
/* Frees the kernel's pairs. */
void yk_pairs_close(struct yk_kernel *kernel);
/* Returns what is known about a device in jobs with that key. With pair->lock held. */
struct yk_choice *yk_pair_choice(struct yk_pair *pair, uint64_t key, int device);

/* recall: returns the memory of jobs with that key, or NULL. memorise: makes an empty one if there
 * is none. If the kernel has YK_MEMORIES of them, or if the allocation fails, it empties the one
 * that was unused for longest. With runtime.lock held. */
const struct yk_memory *yk_kernel_recall(struct yk_kernel *kernel, uint64_t key);
struct yk_memory *yk_kernel_memorise(struct yk_kernel *kernel, uint64_t key);

#endif
