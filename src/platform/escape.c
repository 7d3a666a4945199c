/* escape.c - see escape.h. The signal is one that no thread of yoke blocks. Its handler is that of
 * fault.c, which passes on signals that are not meant for yoke.
 */
#include "escape.h"

#include <signal.h>

#include "fault.h"

enum { SIGNAL = SIGILL };

static _Thread_local struct yk_escape self;

struct yk_escape *yk_escape_self(void)
{
    return &self;
}

void yk_escape_enter(void)
{
    if (atomic_load_explicit(&self.calls, memory_order_relaxed) == 0)
        self.thread = pthread_self();
    atomic_fetch_add(&self.calls, 1);
}

void yk_escape_leave(void)
{
    atomic_fetch_add(&self.calls, 1);
}

unsigned yk_escape_call(const struct yk_escape *escape)
{
    const unsigned calls = atomic_load(&escape->calls);
    return calls % 2 ? calls : 0;
}

void yk_escape_force(struct yk_escape *escape, unsigned call, const char *of)
{
    escape->of = of;
    yk_faults_renew();
    atomic_store(&escape->given_up, call);
    pthread_kill(escape->thread, SIGNAL);
}

int yk_escape_take(void)
{
    const unsigned calls = atomic_load(&self.calls);
    const unsigned given_up = atomic_exchange(&self.given_up, 0);
    sigset_t taken;
    if (!given_up || given_up != calls)
        return given_up != 0;
    atomic_store(&self.calls, calls + 1);
    sigemptyset(&taken); /* the signal is blocked while its handler runs */
    sigaddset(&taken, SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &taken, NULL);
    siglongjmp(self.back, 1);
}
