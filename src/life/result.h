/* result.h - see result.c. */
#ifndef YK_LIFE_RESULT_H
#define YK_LIFE_RESULT_H

#include "../job/job.h"

/* Makes the result of a job that is DONE. Without locks. */
yoke_status yk_result_open(struct yk_job *job, yoke_result **out);
/* Computes one account per device of a job that is over and has its workspace. */
struct yk_account;
yoke_status yk_job_account(const struct yk_job *job, struct yk_account *accounts);
/* Returns why the device did what it did, in `text` or a constant; NULL: there is nothing to say.
 * The job is over and has its workspace. */
enum { YK_REASON_TEXT = 256 };
const char *yk_job_reason(const struct yk_job *job, int device, char text[YK_REASON_TEXT]);

#endif
