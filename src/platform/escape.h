/* escape.h - out of a call that never returns.
 *
 * A driver may hang inside one of its functions, and the thread that called it with it, be it the
 * program's own. Before such a call the thread notes where it can go on without it; another thread
 * can send it there. What the call held is held for ever, so that driver is not called again.
 *
 *     if (sigsetjmp(yk_escape_self()->back, 0) != 0)
 *         return left();       nothing that was set since may be read here
 *     yk_escape_enter();
 *     status = driver_call();
 *     yk_escape_leave();
 *
 * A call costs some ns more. Calls do not nest. A thread that sleeps in the system where no signal
 * wakes it cannot be sent anywhere.
 */
#ifndef YK_PLATFORM_ESCAPE_H
#define YK_PLATFORM_ESCAPE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

struct yk_escape { /* one a thread */
    sigjmp_buf back;
    pthread_t thread;
    const char *of;       /* whose call it was sent out of last, for messages */
    atomic_uint calls;    /* begun and ended by now: odd in one */
    atomic_uint given_up; /* the call that it was sent out of last, until it has heard; 0: none */
};

/* The calling thread's. */
struct yk_escape *yk_escape_self(void);
void yk_escape_enter(void);
void yk_escape_leave(void);

/* The call that the thread is in, which must not end meanwhile; 0: it is in none. */
unsigned yk_escape_call(const struct yk_escape *escape);
/* The thread goes on without that call of `of`, which stays, if it is still in it. */
void yk_escape_force(struct yk_escape *escape, unsigned call, const char *of);

/* In a signal's handler: does not return if yk_escape_force sent the signal and the call goes on.
 * 1: it sent it, and the call is over; 0: somebody else did. */
int yk_escape_take(void);

#endif
