/* ticket.h - see ticket.c: runtime.lock is not held. */
#ifndef YK_JOB_TICKET_H
#define YK_JOB_TICKET_H

#include "job.h"

/* For a job that is about to be submitted; nobody knows it yet. */
yoke_status yk_ticket_open(struct yk_job *job, yoke_ticket **out);
/* The job was not submitted. */
void yk_ticket_close(const yoke_ticket *ticket);
/* Its job, and no job has it any more; or its job, held. NULL with an error text that names `call`:
 * there is none. */
struct yk_job *yk_ticket_take(const yoke_ticket *ticket, const char *call);
struct yk_job *yk_ticket_hold(const yoke_ticket *ticket, const char *call);
/* The runtime closes, all its jobs are done: tickets that nobody waited for end. */
void yk_tickets_forget(const yoke_runtime *runtime);

#endif
