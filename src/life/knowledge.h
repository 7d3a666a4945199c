/* knowledge.h - uses lessons of earlier processes for jobs that this process does for the first
 * time, and stores its own lessons for later processes: at close, and once a minute before that
 * (papers/003, section 3).
 *
 * A job queries the base before it takes runtime.lock, because the query may read from a disk. It
 * does so once for each kind of job and number of devices, because devices may be added later.
 * Another job of that kind costs one table lookup.
 *
 * Lessons of simulated machines are not stored unless a file is named. For jobs with an alternative
 * kernel the base stores which of the two is faster on each device, and its speed. If that is not
 * settled (cores that are too slow to try), it stores the speed of the job's own kernel.
 */
#ifndef YK_LIFE_KNOWLEDGE_H
#define YK_LIFE_KNOWLEDGE_H

#include "../job/runtime.h"

/* Makes the state of a knowledge base, without opening the file. path: the file; "off": *out
 * becomes NULL; NULL: the default file. */
yoke_status yk_knowledge_open(const char *path, struct yk_knowledge **out);
/* Closes the file and frees the state; `knowledge` may be NULL. */
void yk_knowledge_close(struct yk_knowledge *knowledge);
/* Opens the file and identifies the machine, so that the first job need not wait for that (1 ms).
 * Call it when the runtime has its first devices. Problems are only logged. Without locks. */
void yk_knowledge_get_ready(const yoke_runtime *runtime);
/* Returns 1 if lessons are read and stored. */
int yk_knowledge_keeps(const yoke_runtime *runtime);
/* Stores what has been learned and not stored yet, and the latest jobs' stories. Call it when all
 * jobs are over. */
void yk_knowledge_keep(const yoke_runtime *runtime);
/* Does the same without stories, if it is due and no job is under way. Without locks. */
void yk_knowledge_keep_by_and_by(yoke_runtime *runtime, int64_t now);

/* Sets job->lesson and job->lines if something is known. Without locks. */
void yk_knowledge_ask(struct yk_job *job, const yoke_kernel *kernel,
                      const yoke_kernel *alternative);
/* Copies the job's lesson to its memory, for devices of which nothing is known. Returns that
 * memory, or `memory` if there is no lesson. With runtime.lock held. */
const struct yk_memory *yk_knowledge_take(struct yk_job *job, const struct yk_memory *memory);
/* For a job that went well: marks its memory for storing. With runtime.lock held. */
void yk_knowledge_note(const struct yk_job *job, struct yk_memory *memory);

#endif
