/* wait.h - see wait.c. */
#ifndef YK_WORK_WAIT_H
#define YK_WORK_WAIT_H

#include "../job/job.h"

void yk_job_wait(struct yk_job *job); /* until it is done; the caller holds it */
/* Sleep until no job submitted so far conflicts with the host reading (writing 0) or writing the
 * array; NULL: until all jobs are done. */
void yk_jobs_wait_for(yoke_runtime *runtime, const yoke_array *array, int writing);
/* The same for the host, which then has the array: what conflicts is refused until it is released.
 * YOKE_EBUSY: another thread writes it. */
yoke_status yk_jobs_make_way(yoke_array *array, int writing);

#endif
