/* drive.h - see drive.c. */
#ifndef YK_WORK_DRIVE_H
#define YK_WORK_DRIVE_H

#include "../job/job.h"

/* Drives job->driven until these find nothing more to do. */
void yk_drive(struct yk_job *job);

#endif
