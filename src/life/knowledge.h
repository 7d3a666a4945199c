/* knowledge.h - lessons of earlier processes, for jobs that this process does for the first time;
 * and lessons of this process, stored at close and once a minute before, for later ones.
 * papers/003, section 3.
 *
 * The base is asked before a job takes runtime.lock, because the query may read from a disk: once
 * for each kind of job and number of devices, because devices may be added later. A job of a kind
 * that is known, or was asked for already, costs one table lookup.
 *
 * Lessons of simulated machines are not stored unless a file is named. For jobs with an alternative
 * kernel the base stores which of the two is faster on each device, and its speed. If that is not
 * settled (cores that are too slow to try), it stores the speed of the job's own kernel.
 */
#ifndef YK_LIFE_KNOWLEDGE_H
#define YK_LIFE_KNOWLEDGE_H

#include "../job/runtime.h"

/* Makes the state of a knowledge base, without opening the file. path: the file, "off" (*out
 * becomes NULL), or NULL: the default file. */
yoke_status yk_knowledge_open(const char *path, struct yk_knowledge **out);
/* Closes the file and frees the state; `knowledge` may be NULL. */
void yk_knowledge_close(struct yk_knowledge *knowledge);
/* Opens the file and identifies the machine. That takes a millisecond for which a first job would
 * have to wait. The runtime's first devices must be there. Problems are logged, and are no error.
 * Without locks. */
void yk_knowledge_get_ready(const yoke_runtime *runtime);
/* 1: lessons are read and stored. */
int yk_knowledge_keeps(const yoke_runtime *runtime);
/* Stores what has been learned and not stored yet, and the latest jobs' stories. All jobs must be
 * over. */
void yk_knowledge_keep(const yoke_runtime *runtime);
/* The same without stories, if it is due and no job is under way. Without locks. */
void yk_knowledge_keep_by_and_by(yoke_runtime *runtime, int64_t now);

/* Sets job->lesson and job->lines if something is known. Without locks. */
void yk_knowledge_ask(struct yk_job *job, const yoke_kernel *kernel,
                      const yoke_kernel *alternative);
/* Copies the job's lesson to its memory, for devices of which nothing is known. Returns that
 * memory, or `memory` if there is no lesson. With runtime.lock held. */
const struct yk_memory *yk_knowledge_take(struct yk_job *job, const struct yk_memory *memory);
/* A job went well: marks its memory for storing. With runtime.lock held. */
void yk_knowledge_note(const struct yk_job *job, struct yk_memory *memory);

#endif
