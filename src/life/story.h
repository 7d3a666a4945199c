/* story.h - the story of each kernel's latest job, what it did and why, for explain.h.
 *
 * A story is made when it is asked for, at the latest when the runtime closes. Until then the job
 * keeps its workspace, which has all the figures. When a later job of the kernel is kept, the
 * earlier one drops its workspace. So no time is spent on sentences at the end of a job. The story
 * of a job with a very large workspace is made at once; such jobs are long. Of jobs under a
 * millisecond only the 1st, 2nd, 4th, 8th ... of a kernel are kept. The others reuse one workspace,
 * which is still in the caches.
 */
#ifndef YK_LIFE_STORY_H
#define YK_LIFE_STORY_H

#include "../job/job.h"
#include "../partition/device_account.h"

enum { YK_STORY_NAME = 96, YK_STORY_REASON = 256 };

struct yk_story_device {
    char name[YOKE_DEVICE_NAME_MAX];
    int64_t items, chunks;
    double busy_ns, link_bytes_per_ns;
    struct yk_account account;
    char reason[YK_STORY_REASON];
};

struct yk_story {
    struct yk_job *from; /* the job from which the story is to be made; NULL: it has been made */
    int64_t items, ns;
    uint64_t jobs;      /* number of the kernel's jobs, up to this one */
    int64_t known_jobs; /* number of earlier processes' jobs in the lesson that it began with */
    int derived;        /* 1: it began with a lesson derived from other sizes */
    int tuned;          /* 1: it began with lines of each device alone */
    int of_jobs; /* 1: lines are of whole jobs, because the partitioner splits by them; 0: of chunks
                  */
    char job[YK_STORY_NAME], partitioner[YK_STORY_NAME];
    int room;         /* number of devices for which `devices` has room */
    int device_count; /* 0: there was no memory for the story */
    struct yk_story_device devices[];
};

/* Keeps a job that went well and still has its workspace as its kernel's story. Returns the job
 * that it replaces if that has no other reference to its workspace: the caller must release it
 * without the lock. NULL: there is none. With runtime.lock held. */
struct yk_job *yk_story_note(struct yk_job *job);
/* Drops the kept jobs without their stories. All jobs must be over. Without locks. */
void yk_story_forget(const yoke_runtime *runtime);
/* Makes all stories that are still to be made. All jobs must be over. Without locks. */
void yk_story_work_out(const yoke_runtime *runtime);

#endif
