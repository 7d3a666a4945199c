/* remembered.h - see remembered.c. All with runtime.lock held, except the last. */
#ifndef YK_LIFE_REMEMBERED_H
#define YK_LIFE_REMEMBERED_H

#include "../job/job.h"

/* Returns what is remembered of jobs like this one; NULL: nothing. If its partitioner splits by
 * lessons and there are too few of them, the job is split by `auto` from here on. */
const struct yk_memory *yk_job_recall(struct yk_job *job, int device_count);
/* Lets `auto` split the job, because memory must be pinned first. Returns the memory with which
 * `auto` begins. */
const struct yk_memory *yk_job_yield(struct yk_job *job, const struct yk_memory *memory);
/* For a job that its own partitioner splits: if that needs lessons, gives it a memory of its own,
 * which begins as a copy of `memory`. */
void yk_job_keep_apart(struct yk_job *job, const struct yk_memory *memory);
/* Returns the job's partitioner as the user should see it: in `text`, or a constant. Without locks.
 */
enum { YK_PARTITIONER_TEXT = 128 };
const char *yk_job_partitioner_text(const struct yk_job *job, char text[YK_PARTITIONER_TEXT]);

#endif
