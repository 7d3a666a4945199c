/* knowledge.h - what earlier processes learned, for jobs that this one does for the first time; and
 * at close, and once a minute before, what this one learned, for those to come. papers/003,
 * section 3.
 *
 * Asked before a job takes the runtime's lock, for it may look at a disk: once for each kind of job
 * and number of devices, as devices may come later. A job that finds its kind known, or asked for
 * already, pays one look at a table.
 *
 * Simulated machines are not remembered unless a file is named. Of jobs with an alternative kernel
 * it is remembered which of the two is the faster one on each device, and how fast that is; where
 * that is not settled (cores that are too slow to try), how fast the job's own kernel is.
 */
#ifndef YK_RUNTIME_KNOWLEDGE_H
#define YK_RUNTIME_KNOWLEDGE_H

#include "runtime.h"

/* `path`: of the file, "off", or NULL: where it usually is. */
yoke_status yk_knowledge_open(const char *path, struct yk_knowledge **out);
void yk_knowledge_close(struct yk_knowledge *knowledge);
/* Opens the file and looks at the machine, a millisecond that a first job would wait for; the
 * runtime's first devices are there. What hinders it is told, and no error. */
void yk_knowledge_get_ready(const yoke_runtime *runtime);
/* Whether anything is read or kept. */
int yk_knowledge_keeps(const yoke_runtime *runtime);
/* What has been learned and is not kept yet, and the latest jobs' stories; all jobs are over. */
void yk_knowledge_keep(const yoke_runtime *runtime);
/* The same without stories, if it was long ago and no job is under way. Without locks. */
void yk_knowledge_keep_by_and_by(yoke_runtime *runtime, int64_t now);

/* Sets job->lesson where something is known. Without locks. */
void yk_knowledge_ask(struct yk_job *job, const yoke_kernel *kernel,
                      const yoke_kernel *alternative);
/* The lesson becomes memory: of devices that nothing is known of. Under runtime.lock. */
const struct yk_memory *yk_knowledge_take(struct yk_job *job, const struct yk_memory *memory);
/* A job went well: what it taught is worth keeping. Under runtime.lock. */
void yk_knowledge_note(const struct yk_job *job, struct yk_memory *memory);

#endif
