/* escape.h - leaving a call that never returns.
 *
 * A driver may hang in one of its functions, and with it the calling thread, which may be the
 * program's own. Before such a call the thread saves a place where it can continue without it;
 * another thread can send it there. What the call locked stays locked, so that driver is not called
 * again.
 *
 *     if (sigsetjmp(yk_escape_self()->back, 0) != 0)
 *         return left();       variables set since then must not be read here
 *     yk_escape_enter();
 *     status = driver_call();
 *     yk_escape_leave();
 *
 * This costs a call some ns. Calls do not nest. A thread that sleeps in the system where no signal
 * wakes it cannot be sent anywhere.
 */
#ifndef YK_PLATFORM_ESCAPE_H
#define YK_PLATFORM_ESCAPE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

struct yk_escape { /* one per thread */
    sigjmp_buf back;
    pthread_t thread;
    const char *of;       /* owner of the call that the thread was last sent out of, for messages */
    atomic_uint calls;    /* number of begins and ends of calls: odd during a call */
    atomic_uint given_up; /* the call that the thread is being sent out of, until its handler has
                           * run; 0: none */
};

/* The calling thread's. */
struct yk_escape *yk_escape_self(void);
void yk_escape_enter(void);
void yk_escape_leave(void);

/* The call that the thread is in; 0: none. The thread must not end meanwhile. */
unsigned yk_escape_call(const struct yk_escape *escape);
/* Sends the thread out of that call, if it is still in it. `of` is kept. */
void yk_escape_force(struct yk_escape *escape, unsigned call, const char *of);

/* For a signal handler. Does not return if yk_escape_force sent the signal and the call has not
 * ended. Returns 1 if the call has ended, 0 if the signal came from elsewhere. */
int yk_escape_take(void);

#endif
