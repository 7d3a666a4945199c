/* takeover.h - see takeover.c. Functions need no lock. */
#ifndef YK_WORK_TAKEOVER_H
#define YK_WORK_TAKEOVER_H

#include "../job/job.h"

/* The device that a thread of the program steps while it waits, or wants to step. On that thread's
 * stack. */
struct yk_takeover {
    yoke_runtime *runtime;
    const struct yk_job *awaited; /* the job for which it waits; NULL: it submits one */
    int device;                   /* < 0: none yet */
    int held;                     /* 1: it has the device; 0: it waits for it */
    int over; /* 1: the device's host thread is needed, so this thread takes it no more */
};

/* For a thread that waits. look: takes the device of a running job if it can, steps it, and returns
 * 1 if it has one. close: gives it back. runtime NULL: look and close do nothing. */
void yk_takeover_open(struct yk_takeover *takeover, yoke_runtime *runtime);
int yk_takeover_look(struct yk_takeover *takeover);
void yk_takeover_close(struct yk_takeover *takeover);

/* For a thread that submits. stay: the host thread does not take the device that the program had
 * last, until close. suits: returns 1 if the job has begun on that device alone. launch: then steps
 * it once, closes, and returns 1; otherwise closes, and host threads must be woken. */
void yk_takeover_stay(struct yk_takeover *takeover);
int yk_takeover_suits(const struct yk_takeover *takeover, const struct yk_job *job);
int yk_takeover_launch(struct yk_takeover *takeover, const struct yk_job *job);

/* For a host thread. takes: returns 1 if it may step its device until it gives it back. may_take:
 * returns 1 if it could. is_off: returns 1 if a thread of the program has the device or waits for
 * it, which will wake the host thread. */
int yk_host_takes(const struct yk_worker *worker);
int yk_host_may_take(const struct yk_worker *worker);
int yk_host_is_off(const struct yk_worker *worker);
void yk_host_gives(const struct yk_worker *worker);

#endif
