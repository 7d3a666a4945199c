/* wait_text.h - see wait_text.c. */
#ifndef YK_LIFE_WAIT_TEXT_H
#define YK_LIFE_WAIT_TEXT_H

#include "../job/job.h"

/* Writes how and why threads waited for the device in this job or, for a CPU, what is unusual about
 * its threads. Returns how they waited. The job is over and has its workspace. */
enum { YK_WAIT_TEXT = 192 };
yoke_waiting yk_wait_explain(const struct yk_job *job, int device, char text[YK_WAIT_TEXT]);

#endif
