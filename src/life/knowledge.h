/* knowledge.h - what earlier processes learned, for jobs that this process does for the first time;
 * and what this process learned, stored at close and once a minute before, for later ones.
 * papers/003, section 3.
 *
 * Asked before a job takes the runtime's lock, because the query may read from a disk: once for
 * each kind of job and number of devices, as devices may be added later. A job whose kind is known,
 * or was asked for already, pays one table lookup.
 *
 * Simulated machines are not stored unless a file is named. For jobs with an alternative kernel the
 * base stores which of the two is faster on each device, and its speed; if that is not settled
 * (cores that are too slow to try), the speed of the job's own kernel.
 */
#ifndef YK_LIFE_KNOWLEDGE_H
#define YK_LIFE_KNOWLEDGE_H

#include "../job/runtime.h"

/* `path`: the file, "off", or NULL: the default file. */
yoke_status yk_knowledge_open(const char *path, struct yk_knowledge **out);
void yk_knowledge_close(struct yk_knowledge *knowledge);
/* Opens the file and identifies the machine, which takes a millisecond that a first job would wait
 * for. The runtime's first devices must be there. Problems are logged, and are no error. */
void yk_knowledge_get_ready(const yoke_runtime *runtime);
/* 1: lessons are read and stored. */
int yk_knowledge_keeps(const yoke_runtime *runtime);
/* Stores what has been learned and not stored yet, and the latest jobs' stories; all jobs must be
 * over. */
void yk_knowledge_keep(const yoke_runtime *runtime);
/* The same without stories, if the last time was long ago and no job is under way. Call without
 * locks. */
void yk_knowledge_keep_by_and_by(yoke_runtime *runtime, int64_t now);

/* Sets job->lesson if something is known. Call without locks. */
void yk_knowledge_ask(struct yk_job *job, const yoke_kernel *kernel,
                      const yoke_kernel *alternative);
/* Copies the lesson to memory, for devices of which nothing is known. With runtime.lock held. */
const struct yk_memory *yk_knowledge_take(struct yk_job *job, const struct yk_memory *memory);
/* A job went well: marks what it taught for storing. With runtime.lock held. */
void yk_knowledge_note(const struct yk_job *job, struct yk_memory *memory);

#endif
