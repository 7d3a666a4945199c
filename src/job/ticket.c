/* ticket.c - tickets. A ticket stays recognisable after it ended, so waiting for a job twice is an
 * error with a message, not a crash. The lock is taken before runtime.lock. */

#include "ticket.h"

#include "../base/handles.h"
#include "../base/process_lock.h"
#include "../base/status.h"
#include "workspace.h"

/* Protects a job between finding its ticket and taking the reference. */
static struct yk_process_lock lock = YK_PROCESS_LOCK_INITIAL;
static struct yk_handles tickets = YK_HANDLES_INITIAL;

yoke_status yk_ticket_open(struct yk_job *job, yoke_ticket **out)
{
    yoke_ticket *ticket = yk_handle_take(&tickets, job);
    if (!ticket)
        return yk_fail(YOKE_ENOMEM,
                       "no memory for another ticket; wait for jobs that were submitted");
    *out = ticket;
    return YOKE_OK;
}

void yk_ticket_close(const yoke_ticket *ticket)
{
    yk_handle_put_back(&tickets, ticket, NULL);
}

static struct yk_job *unknown(const yoke_ticket *ticket, const char *call)
{
    if (!ticket) {
        yk_fail(YOKE_EINVAL, "%s: the ticket is NULL", call);
        return NULL;
    }
    yk_fail(YOKE_EINVAL,
            "%s: no job has this ticket (any more); each job is waited for once, with the "
            "ticket that yoke_submit gave",
            call);
    return NULL;
}

struct yk_job *yk_ticket_hold(const yoke_ticket *ticket, const char *call)
{
    struct yk_job *job;
    yk_process_lock(&lock);
    job = yk_handle_find(&tickets, ticket);
    if (job)
        yk_job_hold(job);
    yk_process_unlock(&lock);
    return job ? job : unknown(ticket, call);
}

yoke_status yk_ticket_claim(struct yk_job *job, const char *call)
{
    if (!atomic_exchange(&job->life.awaited, 1))
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL, "%s: another thread waits for %s; each job is waited for once",
                   call, job->name);
}

/* If the runtime was closed meanwhile, the ticket has ended already. */
void yk_ticket_end(const yoke_ticket *ticket)
{
    struct yk_job *job;
    yk_process_lock(&lock);
    job = yk_handle_put_back(&tickets, ticket, NULL);
    yk_process_unlock(&lock);
    if (job)
        yk_job_forsake(job);
}

void yk_tickets_forget(const yoke_runtime *runtime)
{
    uint32_t index = 0;
    int more;
    yk_process_lock(&lock);
    do {
        void *ticket = yk_handle_at(&tickets, index++, &more);
        struct yk_job *job = ticket ? yk_handle_find(&tickets, ticket) : NULL;
        if (job && job->runtime == runtime && yk_handle_put_back(&tickets, ticket, NULL))
            yk_job_forsake(job);
    } while (more);
    yk_process_unlock(&lock);
}
