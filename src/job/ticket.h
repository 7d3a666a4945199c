/* ticket.h - see ticket.c. runtime.lock must not be held. */
#ifndef YK_JOB_TICKET_H
#define YK_JOB_TICKET_H

#include "job.h"

/* Makes a ticket for a job that is about to be submitted. */
yoke_status yk_ticket_open(struct yk_job *job, yoke_ticket **out);
/* Ends the ticket of a job that was not submitted. */
void yk_ticket_close(const yoke_ticket *ticket);
/* Returns the ticket's job with an additional reference. NULL: there is no such ticket; the error
 * text names `call`. */
struct yk_job *yk_ticket_hold(const yoke_ticket *ticket, const char *call);
/* For the thread that will wait for a held job. The first call for a job returns YOKE_OK, later
 * ones YOKE_EINVAL. The ticket stays valid, so that other threads can cancel the job. */
yoke_status yk_ticket_claim(struct yk_job *job, const char *call);
/* Ends the ticket of a job that is over, and drops the ticket's reference. */
void yk_ticket_end(const yoke_ticket *ticket);
/* Ends all tickets of a runtime that is closing and has no unfinished jobs. */
void yk_tickets_forget(const yoke_runtime *runtime);

#endif
