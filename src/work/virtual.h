/* virtual.h - see virtual.c. */
#ifndef YK_WORK_VIRTUAL_H
#define YK_WORK_VIRTUAL_H

#include "../job/job.h"

/* Step all lanes of all jobs until `job` is done. */
void yk_drive_virtual(yoke_runtime *runtime, struct yk_job *job);

#endif
