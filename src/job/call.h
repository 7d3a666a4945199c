/* call.h - see call.c. Functions need no lock unless their comment says so. */
#ifndef YK_JOB_CALL_H
#define YK_JOB_CALL_H

#include "job.h"

/* In ns. Waking a worker costs it and its waker some microseconds. So work, or copies, predicted to
 * take less than this stay with the caller. */
#define YK_WORTH_WAKING_NS 20000.0
/* Returns 1 if a CPU takes part in the job; if another device does. */
int yk_job_asks_cores(const struct yk_job *job);
int yk_job_asks_gpus(const struct yk_job *job);
/* Returns 1 if one core, which needs work_ns for what is left of the job, should do it alone: it is
 * predicted to be done before other threads that are woken could help, and no other device has a
 * part by a plan or by a partitioner that gives each one its part. */
int yk_job_suits_one(const struct yk_job *job, double work_ns);
/* Returns 1 if a CPU takes part, one core should do the whole job, and no GPU has to be woken to
 * build the kernel. */
int yk_job_is_brief(const struct yk_job *job);
/* Returns 1 if the job has been running so long that one core should not have done it alone. */
int yk_job_is_overdue(struct yk_job *job);
/* Wakes all threads that take part in the job, and notes that they were woken. */
void yk_job_tell(struct yk_job *job);
/* For the thread that called the job, and works as a lane. yk_job_invite: one core needs work_ns
 * for the job; the caller works alone, or as many cores help it as pay. yk_job_call calls them. */
void yk_job_invite(struct yk_job *job, double work_ns, int alone);
void yk_job_call(struct yk_job *job);
/* For a core to which the job was given: calls others that should be called. */
void yk_job_call_on(struct yk_job *job);
/* For the calling thread. Returns 1 if it should be bound to its core: all threads were called, or
 * are still to be. */
int yk_job_binds_caller(const struct yk_job *job);
/* Wakes the threads that take part in the job, because there may be work. */
void yk_job_wake(struct yk_job *job);
/* Updates lanes.all_out of the job after the dispatcher handed out items or got some back. With
 * job.lock held. */
void yk_job_note_free(struct yk_job *job);

#endif
