/* virtual.h - see virtual.c. */
#ifndef YK_WORK_VIRTUAL_H
#define YK_WORK_VIRTUAL_H

#include "../job/job.h"

/* Steps all lanes of all jobs until `job` is done. Without locks; takes runtime.driving. */
void yk_drive_virtual(yoke_runtime *runtime, struct yk_job *job);

#endif
