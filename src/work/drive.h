/* drive.h - see drive.c. */
#ifndef YK_WORK_DRIVE_H
#define YK_WORK_DRIVE_H

#include "../job/job.h"

/* Drives the devices caller.driven of the job until they find nothing more to do. Only for the
 * thread that called yoke_run, which must hold no lock. */
void yk_drive(struct yk_job *job);

#endif
