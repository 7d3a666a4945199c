/* stranded.h - see stranded.c. */
#ifndef YK_LIFE_STRANDED_H
#define YK_LIFE_STRANDED_H

#include "../job/job.h"

/* Nobody takes part any more and items are left: that is the job's failure. Under job.lock. */
void yk_job_check_stranded(struct yk_job *job);

#endif
