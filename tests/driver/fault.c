/* fault.c - a kernel that accesses an illegal address: the signal plays the part of the GPU's
 * memory management unit, and the rest of the process continues.
 *
 * Sanitizers use that signal themselves; with them the process ends, as it should. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#include "driver.h"

static _Thread_local sigjmp_buf
    *volatile guarded; /* where the kernel of this thread began; NULL: no kernel runs */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void strayed(int number)
{
    if (guarded)
        siglongjmp(*guarded, 1);
    signal(number, SIG_DFL); /* not a kernel: fault again, without this handler */
}

static void install(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct sigaction action = { .sa_handler = strayed, .sa_flags = SA_NODEFER };
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
#else
    (void)strayed;
#endif
}

int standin_guard(void (*kernel)(void *const *args), void *const *args)
{
    sigjmp_buf here;
    pthread_once(&once, install);
    if (sigsetjmp(here, 0)) {
        guarded = NULL;
        return 0;
    }
    guarded = &here;
    kernel(args);
    guarded = NULL;
    return 1;
}

void *standin_guard_leave(void)
{
    void *guard = guarded;
    guarded = NULL;
    return guard;
}

void standin_guard_return(void *guard)
{
    guarded = guard;
}
