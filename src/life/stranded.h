/* stranded.h - see stranded.c. */
#ifndef YK_LIFE_STRANDED_H
#define YK_LIFE_STRANDED_H

#include "../job/job.h"

/* If items are left and no device takes part any more, lets benched devices step in; fails the job
 * if there are none. With job.lock held. */
void yk_job_check_stranded(struct yk_job *job);

#endif
