/* ticket.h - see ticket.c. runtime.lock must not be held. */
#ifndef YK_JOB_TICKET_H
#define YK_JOB_TICKET_H

#include "job.h"

/* Makes a ticket for a job that is about to be submitted. */
yoke_status yk_ticket_open(struct yk_job *job, yoke_ticket **out);
/* Ends the ticket of a job that was not submitted. */
void yk_ticket_close(const yoke_ticket *ticket);
/* take: ends the ticket and returns its job, with the ticket's reference. hold: returns its job
 * with an additional reference. Both return NULL if there is no such ticket, with an error text
 * that names `call`. */
struct yk_job *yk_ticket_take(const yoke_ticket *ticket, const char *call);
struct yk_job *yk_ticket_hold(const yoke_ticket *ticket, const char *call);
/* Ends all tickets of a runtime that is closing and has no unfinished jobs. */
void yk_tickets_forget(const yoke_runtime *runtime);

#endif
