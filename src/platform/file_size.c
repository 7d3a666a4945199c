/* file_size.c - the signal is sent to the writing thread. So it is blocked there, and removed
 * before it is unblocked. If the caller had already blocked it, it stays pending.
 */
#include "file_size.h"

#include <signal.h>
#include <time.h>

static sigset_t the_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

void yk_file_size_begin(struct yk_file_size *guard)
{
    sigset_t set = the_signal(), before;
    guard->blocked =
        pthread_sigmask(SIG_BLOCK, &set, &before) == 0 && !sigismember(&before, SIGXFSZ);
}

void yk_file_size_end(const struct yk_file_size *guard)
{
    static const struct timespec at_once = { 0, 0 };
    sigset_t set = the_signal(), waiting;
    if (!guard->blocked)
        return;
    if (sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ))
        sigtimedwait(&set, NULL, &at_once);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
