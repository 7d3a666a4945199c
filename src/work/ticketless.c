/* ticketless.c - jobs that were submitted without a ticket. The runtime lists them until they are
 * over, and keeps the first failure among them until the program asks for it (yoke_wait_all).
 *
 * The list is bounded, because a program may submit steps for hours and never wait. If it is full,
 * a submit waits until the job in its middle is over. So the thread is woken once for many jobs,
 * and the devices still have the other half to do.
 */
#include "ticketless.h"

#include "../base/alloc.h"
#include "../base/status.h"
#include "wait.h"

/* A submit looks at the uses of all jobs that are not over. The devices need 1 ms to do half of
 * these, if each takes 10 us; the thread that waits is woken in 0.05 ms. */
enum { TICKETLESS_MOST = 256 };

static void note_failure(struct yk_job *job)
{
    struct yk_ticketless *list = &job->runtime->ticketless;
    if (job->outcome.status == YOKE_OK || list->status != YOKE_OK)
        return;
    list->status = job->outcome.status;
    list->text = job->outcome.text;
    job->outcome.text = NULL;
}

/* Takes jobs that are over off the list: those at its beginning, or all. Returns them, linked. With
 * runtime.lock held. */
static struct yk_job *remove_over(yoke_runtime *runtime, int all)
{
    struct yk_ticketless *list = &runtime->ticketless;
    struct yk_job **link = &list->first, *job, *removed = NULL;
    while ((job = *link)) {
        if (atomic_load(&job->phase) == YK_DONE) {
            *link = job->lists.next_ticketless;
            job->lists.next_ticketless = removed;
            removed = job;
            list->count--;
            note_failure(job);
        } else if (all) {
            link = &job->lists.next_ticketless;
        } else {
            break;
        }
    }
    if (!job)
        list->end = link;
    return removed;
}

static void release(struct yk_job *removed)
{
    struct yk_job *job;
    while ((job = removed)) {
        removed = job->lists.next_ticketless;
        yk_job_release(job);
    }
}

/* The job in the middle of the list, with a reference. With runtime.lock held. */
static struct yk_job *middle(const yoke_runtime *runtime)
{
    struct yk_job *job = runtime->ticketless.first;
    int i;
    for (i = 0; i < runtime->ticketless.count / 2; i++)
        job = job->lists.next_ticketless;
    yk_job_hold(job);
    return job;
}

void yk_ticketless_make_room(yoke_runtime *runtime)
{
    int is_full, all;
    for (all = 0;; all = 1) {
        struct yk_job *removed, *awaited = NULL;
        yk_lock(&runtime->lock);
        removed = remove_over(runtime, all);
        is_full = runtime->ticketless.count >= TICKETLESS_MOST;
        if (is_full && all)
            awaited = middle(runtime);
        yk_unlock(&runtime->lock);
        release(removed);
        if (!is_full)
            return;
        if (awaited) {
            yk_job_wait(awaited);
            yk_job_release(awaited);
        }
    }
}

void yk_ticketless_add(struct yk_job *job)
{
    struct yk_ticketless *list = &job->runtime->ticketless;
    yk_job_hold(job);
    if (!list->first)
        list->end = &list->first;
    *list->end = job;
    list->end = &job->lists.next_ticketless;
    list->count++;
}

yoke_status yk_ticketless_outcome(yoke_runtime *runtime)
{
    struct yk_ticketless *list = &runtime->ticketless;
    struct yk_job *removed;
    yoke_status status;
    char *text;
    yk_lock(&runtime->lock);
    removed = remove_over(runtime, 1);
    status = list->status;
    text = list->text;
    list->status = YOKE_OK;
    list->text = NULL;
    yk_unlock(&runtime->lock);
    release(removed);
    if (status != YOKE_OK)
        yk_fail(status, "%s", text ? text : yoke_status_text(status));
    yk_free(text);
    return status;
}

void yk_ticketless_close(yoke_runtime *runtime)
{
    if (yk_ticketless_outcome(runtime) != YOKE_OK)
        yk_log(YOKE_LOG_WARN, "a job without a ticket failed: %s", yoke_error_text());
}
