/* stranded.h - see stranded.c. */
#ifndef YK_LIFE_STRANDED_H
#define YK_LIFE_STRANDED_H

#include "../job/job.h"

/* If no device takes part any more and items are left, benched devices step in; if there are none,
 * the job fails. With job.lock held. */
void yk_job_check_stranded(struct yk_job *job);

#endif
