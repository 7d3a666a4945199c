/* result.h - see result.c. */
#ifndef YK_LIFE_RESULT_H
#define YK_LIFE_RESULT_H

#include "../job/job.h"

yoke_status yk_result_open(struct yk_job *job, yoke_result **out);
/* Of a job that is over and has its crew: one account a device; */
struct yk_account;
yoke_status yk_job_account(const struct yk_job *job, struct yk_account *accounts);
/* why the device did what it did. NULL: nothing to say. */
enum { YK_REASON_TEXT = 256 };
const char *yk_job_reason(const struct yk_job *job, int device, char text[YK_REASON_TEXT]);

#endif
