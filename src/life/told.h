/* told.h - what the latest job of each kernel did, and why, for explain.h.
 *
 * A story is worked out when somebody asks, at the latest when the runtime closes: until then the
 * job keeps its crew, which has all the figures, and the next job of the kernel that is kept lets
 * it go. So nobody waits for sentences at the end of a job. A crew that would keep more memory than
 * is good tells at once; such jobs are long. Of jobs under a millisecond only some are kept, the
 * 1st, 2nd, 4th, 8th ... of a kernel: the others have one crew between them, still warm from the
 * job before.
 */
#ifndef YK_LIFE_TOLD_H
#define YK_LIFE_TOLD_H

#include "../job/job.h"
#include "../partition/account.h"

enum { YK_TOLD_NAME = 96, YK_TOLD_REASON = 256 };

struct yk_told_device {
    char name[YOKE_DEVICE_NAME_MAX];
    int64_t items, chunks;
    double busy_ns, link_bytes_per_ns;
    struct yk_account account;
    char reason[YK_TOLD_REASON];
};

struct yk_told {
    struct yk_job *from; /* it is to be worked out from this one; NULL: it has been */
    int64_t items, ns;
    uint64_t jobs;      /* of the kernel, this one being the latest */
    int64_t known_jobs; /* of earlier processes, that it began with */
    int derived;        /* it began with what was derived from other sizes */
    int tuned;          /* it began with lines of each device alone */
    int of_jobs; /* lines are of whole jobs, as its partitioner split by them; else of chunks */
    char job[YK_TOLD_NAME], partitioner[YK_TOLD_NAME];
    int room;         /* for so many devices */
    int device_count; /* 0: there was no memory to work it out */
    struct yk_told_device devices[];
};

/* A job went well and has its crew still. Under runtime.lock. Gives the one before, if nobody else
 * looks at it any more: to be released without the lock. NULL: nothing is. */
struct yk_job *yk_told_note(struct yk_job *job);
/* The jobs kept so are let go, their stories with them. No job is left; no lock is held. */
void yk_told_forget(const yoke_runtime *runtime);
/* Works out all stories that are still to be. No job is left. */
void yk_told_work_out(const yoke_runtime *runtime);

#endif
