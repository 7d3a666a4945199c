/* kernel.h - the kernels that a runtime has met: own copies, builds for each device, and what was
 * learned.
 *
 * A descriptor is copied when first seen, because its build may continue in a device's host thread
 * after the job that brought it is done. The texts and names that it points to are string literals
 * in all but unusual programs and are not copied: they must live as long as the runtime.
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
    atomic_int state;         /* release when program or text is there */
    yk_mutex lock;            /* its holder builds; a leaf lock, except for what backends lock */
    struct yk_kernel *kernel; /* set if a separate thread was started to build it: joined at
                               * close */
    struct yk_device *device;
    struct yk_thread thread;
    struct yk_program *program;
    yoke_status status; /* of a failed build */
    char *text;         /* the whole error text */
    char *trouble;      /* the error in one line */
};

/* What was learned with one kernel, range and set of array shapes. */
struct yk_memory {
    uint64_t key;
    uint64_t used; /* for replacing the oldest */
    struct yk_learned device[YK_PLACES];
    struct yk_pace pace[YK_PLACES][YK_FORMS]; /* of its own chunks, and of the alternative's */
    struct yk_cost cost[YK_PLACES];
    struct yk_team team;
    struct yk_stays stays;   /* what plans found for it, of ... */
    int stays_of;            /* ... this number of devices */
    struct yk_adjust adjust; /* of the devices' shares */
    struct yk_late late;     /* lateness of jobs split by lines */
    /* For later processes (knowledge.h): identifies these jobs, and counts those that went well. */
    uint64_t subject;
    char partitioner[64]; /* of the subject, for people: cut to fit */
    struct yk_sizes sizes;
    struct yk_pair *pair; /* the pair of their kernel and the alternative; NULL: there is none */
    int64_t jobs, kept;   /* jobs that went well; number of these in the knowledge base */
    int64_t taught; /* similar jobs of earlier processes from which this memory began; 0: none */
    int derived;    /* 1: it began from jobs of other sizes */
    int tuned;      /* 1: it began with lines of devices alone (yoke tune) */
};

enum { YK_MEMORIES = 16 };

/* A kernel and one that does the same work: which is faster on each device. Jobs with the same key
 * as in yk_memory share the result; a new key begins with what the latest one knew. */
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
    yoke_kernel kernel; /* a copy */
    struct yk_access access;
    struct yk_pair *pairs;
    struct yk_build builds[YK_PLACES];
    struct yk_weight weight; /* with the runtime's lock held, like all fields below */
    struct yk_memory memories[YK_MEMORIES];
    uint64_t clock;
    uint64_t content;     /* hash of its content; 0: not computed yet */
    uint64_t jobs;        /* number of its jobs that went well, if their stories are kept */
    struct yk_told *told; /* the story of a recent one (explain.h); NULL: none */
    struct yk_kernel *next;
};

struct yk_kernels {
    struct yk_kernel *first;
};

/* The runtime's copy of `kernel`, made at the first call. With the runtime's lock held. */
yoke_status yk_kernel_intern(struct yk_kernels *kernels, const yoke_kernel *kernel,
                             struct yk_kernel **out);
void yk_kernels_close(struct yk_kernels *kernels, struct yk_places *places);
/* Builds the kernel's program for a device if necessary, or waits for another thread that builds
 * it. Any thread may call it (CPU devices: with the runtime's lock held). */
yoke_status yk_kernel_build(struct yk_kernel *kernel, struct yk_device *device, int number);

/* Why the device cannot run it, with the compiler's first error. NULL: it can, or is still
 * building. Lives as long as the kernel. */
const char *yk_kernel_trouble(const struct yk_kernel *kernel, int number);

static inline int yk_kernel_runs_on_host(const yoke_kernel *kernel)
{
    return kernel->cpu.variant[0] || kernel->cpu.variant[1] || kernel->cpu.variant[2] ||
           kernel->cpu.team;
}

/* The same in a separate thread, unless another thread builds it or has; at once if time is
 * virtual. */
void yk_kernel_build_beside(struct yk_kernel *kernel, struct yk_device *device, int number);
/* ready: the device can run it now. failed: it could not be built. */
static inline int yk_kernel_is_ready(const struct yk_kernel *kernel, int number)
{
    return atomic_load_explicit(&kernel->builds[number].state, memory_order_acquire) ==
           YK_BUILD_READY;
}
static inline int yk_kernel_has_failed(const struct yk_kernel *kernel, int number)
{
    return atomic_load_explicit(&kernel->builds[number].state, memory_order_acquire) ==
           YK_BUILD_FAILED;
}

/* --- pair.c --- */
/* With the runtime's lock held. */
yoke_status yk_pair_intern(struct yk_kernel *kernel, struct yk_kernel *alternative,
                           struct yk_pair **out);
void yk_pairs_close(struct yk_kernel *kernel);
/* What is known about a device in jobs with that key. With the pair's lock held. */
struct yk_choice *yk_pair_choice(struct yk_pair *pair, uint64_t key, int device);

const struct yk_memory *yk_kernel_recall(struct yk_kernel *kernel, uint64_t key);
struct yk_memory *yk_kernel_memorise(struct yk_kernel *kernel, uint64_t key);

#endif
