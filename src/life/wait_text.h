/* wait_text.h - see wait_text.c. */
#ifndef YK_LIFE_WAIT_TEXT_H
#define YK_LIFE_WAIT_TEXT_H

#include "../job/job.h"

/* How and why the job's threads waited for the device as they did, and how many there were. */
enum { YK_WAIT_TEXT = 192 };
yoke_waiting yk_wait_explain(const struct yk_job *job, int device, char text[YK_WAIT_TEXT]);

#endif
