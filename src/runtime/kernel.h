/* kernel.h - the kernels a runtime has met: own copies, what was built for each device, what was
 * learned.
 *
 * A descriptor is copied when first seen, because building it may go on in a device's host thread
 * after the job that brought it is done. The texts and names it points to are string literals in
 * all but unusual programs and are not copied: they must live as long as the runtime.
 */
#ifndef YK_RUNTIME_KERNEL_H
#define YK_RUNTIME_KERNEL_H

#include <stdatomic.h>
#include <yoke/kernel_type.h>

#include "../access/access.h"
#include "../array/place.h"
#include "../model/lesson.h"
#include "../model/stall.h"
#include "../model/weight.h"
#include "../partition/choice.h"
#include "../partition/learned.h"
#include "../partition/plan.h"
#include "../partition/team.h"

enum yk_build_state { YK_BUILD_NONE, YK_BUILD_RUNNING, YK_BUILD_READY, YK_BUILD_FAILED };

struct yk_build {
    atomic_int state;         /* release when program or text is there */
    yk_mutex lock;            /* who holds it builds; a leaf but for what backends lock */
    struct yk_kernel *kernel; /* a thread of its own was asked to build it: joined at close */
    struct yk_device *device;
    struct yk_thread thread;
    struct yk_program *program;
    yoke_status status; /* of a failed build, */
    char *text;         /* all that was said of it, */
    char *trouble;      /* and in one line */
};

/* A job that its team has not heard of yet (moved.c). */
struct yk_held {
    struct yk_team_job job;  /* asked 0: there is none */
    int64_t moved;           /* bytes brought to devices, from the host and from others */
    double share[YK_PLACES]; /* of its items, by each device */
};

/* Speeds seen with one kernel, range and set of array shapes. */
struct yk_memory {
    uint64_t key;
    uint64_t used; /* for replacing the oldest */
    struct yk_learned device[YK_PLACES];
    struct yk_pace pace[YK_PLACES][YK_FORMS]; /* of its own chunks, and of the alternative's */
    struct yk_cost cost[YK_PLACES];
    struct yk_team team;
    struct yk_held held;
    struct yk_adjust adjust; /* of the devices' shares */
    struct yk_late late;     /* of jobs split by lines */
    /* For processes to come (knowledge.h): which jobs these are, and how many went well. */
    uint64_t subject;
    char partitioner[64]; /* of the subject, for people: what is beyond the room is left out */
    struct yk_sizes sizes;
    struct yk_pair *pair; /* their kernel's and the alternative's; NULL: there is none */
    int64_t jobs, kept;   /* of these so many are in the knowledge base */
    int64_t taught; /* jobs of earlier processes like it, that all this began with; 0: of none */
    int derived;    /* it began with what jobs of other sizes had taught */
};

enum { YK_MEMORIES = 16 };

/* A kernel and one that does the same work: which is the faster on each device. Jobs with the same
 * key as in yk_memory share what was found; a new key begins with what the latest one knew. */
enum { YK_PAIR_ENTRIES = 8 };
struct yk_pair {
    struct yk_kernel *alternative;
    yk_mutex lock; /* nothing is locked inside */
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
    struct yk_weight weight; /* under the runtime's lock, as is all below */
    struct yk_memory memories[YK_MEMORIES];
    uint64_t clock;
    uint64_t content;     /* hash of what it is; 0: not looked at */
    uint64_t jobs;        /* of it that went well, where their stories are kept, */
    struct yk_told *told; /* and that of a late one (explain.h); NULL: none */
    struct yk_kernel *next;
};

struct yk_kernels {
    struct yk_kernel *first;
};

/* The runtime's copy of `kernel`, made at the first call. Under the runtime's lock. */
yoke_status yk_kernel_intern(struct yk_kernels *kernels, const yoke_kernel *kernel,
                             struct yk_kernel **out);
void yk_kernels_close(struct yk_kernels *kernels, struct yk_places *places);
/* The kernel's program on a device, built now if need be, or waited for if another thread is at it.
 * Any thread may call it (CPU devices: under the runtime's lock). */
yoke_status yk_kernel_build(struct yk_kernel *kernel, struct yk_device *device, int number);

/* Why the device cannot run it, with the compiler's first error. NULL: it can, or is still
 * building. Lives as long as the kernel. */
const char *yk_kernel_trouble(const struct yk_kernel *kernel, int number);

static inline int yk_kernel_runs_on_host(const yoke_kernel *kernel)
{
    return kernel->cpu.variant[0] || kernel->cpu.variant[1] || kernel->cpu.variant[2] ||
           kernel->cpu.team;
}

/* The same in a thread of its own, if nobody builds it or has; at once where time is virtual. */
void yk_kernel_build_beside(struct yk_kernel *kernel, struct yk_device *device, int number);
/* Whether the device can run it by now; it failed to build. */
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
/* Under the runtime's lock. */
yoke_status yk_pair_intern(struct yk_kernel *kernel, struct yk_kernel *alternative,
                           struct yk_pair **out);
void yk_pairs_close(struct yk_kernel *kernel);
/* What is known of a device in jobs with that key. Under the pair's lock. */
struct yk_choice *yk_pair_choice(struct yk_pair *pair, uint64_t key, int device);

const struct yk_memory *yk_kernel_recall(struct yk_kernel *kernel, uint64_t key);
struct yk_memory *yk_kernel_memorise(struct yk_kernel *kernel, uint64_t key);

#endif
