/* wait.h - see wait.c. */
#ifndef YK_WORK_WAIT_H
#define YK_WORK_WAIT_H

#include "takeover.h"

/* Waits until the job is done. The caller has a reference to it. Without locks. */
void yk_job_wait(struct yk_job *job);
/* The same for a thread that may have a device already. Closes `takeover`. */
void yk_job_wait_on(struct yk_job *job, struct yk_takeover *takeover);
/* Waits until all jobs submitted so far are done, and not for later ones. Without locks. */
void yk_jobs_wait_for_submitted(yoke_runtime *runtime);
/* Waits until no job submitted so far conflicts with a read (writing 0) or write of the array by
 * the host. NULL: waits until all jobs are done. Without locks. */
void yk_jobs_wait_for(yoke_runtime *runtime, const yoke_array *array, int writing);
/* Waits as yk_jobs_wait_for. If writing, the calling thread then has acquired the array: jobs that
 * use it are refused until it is released. YOKE_EBUSY: another thread has acquired it for writing.
 */
yoke_status yk_jobs_make_way(yoke_array *array, int writing);
/* Ends the calling thread's acquires of the array. YOKE_EINVAL: it has none, and another thread has
 * acquired the array for writing. */
yoke_status yk_jobs_take_way(yoke_array *array);

#endif
