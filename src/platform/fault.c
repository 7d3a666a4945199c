/* fault.c - see fault.h.
 *
 * The handler runs on its own stack. If its thread is in a call that is being tried, it leaves by
 * siglongjmp to that call. Otherwise the handler that was installed before ours gets the signal.
 */
#include "fault.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

#include "../base/alloc.h"
#include "../base/process_lock.h"
#include "escape.h"

enum { STACK_BYTES = 64 << 10 }; /* AVX-512's registers alone take 3 KiB of a signal's frame */

struct yk_faults {
    char *stack; /* for handlers: after a stack overflow there is no room on the normal stack */
};

struct attempt {
    sigjmp_buf back;
    struct yk_fault fault;
};

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
enum { SIGNALS = sizeof signals / sizeof *signals };

static struct yk_process_lock lock = YK_PROCESS_LOCK_INITIAL;
static int users;                          /* under lock */
static struct sigaction original[SIGNALS]; /* the handlers before ours was first installed */
static struct sigaction earlier[SIGNALS];  /* the handlers that ours replaced last */
static _Atomic(void (*)(const struct yk_fault *)) teller;
/* Handlers read these, so they exist from the thread's beginning: otherwise their first use in a
 * library that was loaded late would allocate memory. */
#define YK_IN_HANDLER __attribute__((tls_model("initial-exec")))
static _Thread_local struct attempt *trying YK_IN_HANDLER;
static _Thread_local const siginfo_t *passing YK_IN_HANDLER; /* the signal being passed on */

/* Whether the fault was a write: from the page-fault error code of x86 or the syndrome of
 * AArch64. */
static int is_write(const void *context)
{
#if defined(__x86_64__)
    return (int)(((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] >> 1 & 1);
#else
    (void)context;
    return 0;
#endif
}

/* A program's handler that was installed after ours, and was then replaced by ours again, may pass
 * the signal back to ours. To end that circle, the signal then goes to the handler that was there
 * before both. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
    const int is_back = passing == info;
    const struct sigaction *to;
    int i = 0;
    while (signals[i] != signal)
        i++;
    to = is_back ? &original[i] : &earlier[i];
    passing = info;
    if (to->sa_flags & SA_SIGINFO) {
        to->sa_sigaction(signal, info, context);
    } else if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN) {
        to->sa_handler(signal);
    } else if (to->sa_handler == SIG_DFL || info->si_code > 0) {
        /* the instruction runs again and ends the process; a signal sent by kill is sent again */
        struct sigaction plain = { .sa_handler = SIG_DFL };
        sigaction(signal, &plain, NULL);
        if (info->si_code <= 0)
            raise(signal);
    }
    passing = NULL;
}

static void handle(int signal, siginfo_t *info, void *context)
{
    struct attempt *attempt = trying;
    void (*tell)(const struct yk_fault *) = atomic_load(&teller);
    const int sent = info->si_code <= 0; /* by kill or raise */
    const struct yk_fault fault = { .signal = signal,
                                    .address = sent ? 0 : (uintptr_t)info->si_addr,
                                    .writes = signal == SIGSEGV && is_write(context) };
    if (attempt && !sent) {
        attempt->fault = fault;
        trying = NULL;
        siglongjmp(attempt->back, 1);
    }
    if (sent && signal == SIGILL && yk_escape_take())
        return;
    if (tell && !sent)
        tell(&fault);
    pass_on(signal, info, context);
}

static int is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == handle;
}

/* Lock held. */
static void install(void)
{
    static int has_original;
    struct sigaction ours = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK }, now;
    int i;
    sigemptyset(&ours.sa_mask);
    for (i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &now);
        if (is_ours(&now))
            continue;
        earlier[i] = now;
        if (!has_original)
            original[i] = now;
        sigaction(signals[i], &ours, NULL);
    }
    has_original = 1;
}

void yk_faults_renew(void)
{
    yk_process_lock(&lock);
    install();
    yk_process_unlock(&lock);
}

yoke_status yk_faults_open(struct yk_faults **out)
{
    struct yk_faults *faults = yk_calloc(1, sizeof *faults);
    if (!faults)
        return YOKE_ENOMEM;
    faults->stack = yk_alloc_aligned(STACK_BYTES, 0);
    if (!faults->stack) {
        yk_free(faults);
        return YOKE_ENOMEM;
    }
    yk_process_lock(&lock);
    users++;
    install();
    yk_process_unlock(&lock);
    *out = faults;
    return YOKE_OK;
}

/* A signal that other code has taken over meanwhile is left to it. */
void yk_faults_close(struct yk_faults *faults)
{
    int i;
    if (!faults)
        return;
    yk_process_lock(&lock);
    for (i = 0; users == 1 && i < SIGNALS; i++) {
        struct sigaction now;
        sigaction(signals[i], NULL, &now);
        if (is_ours(&now))
            sigaction(signals[i], &earlier[i], NULL);
    }
    users--;
    yk_process_unlock(&lock);
    yk_free(faults->stack);
    yk_free(faults);
}

static int attempt_call(void (*fn)(void *), void *context, struct yk_fault *out)
{
    struct attempt attempt;
    if (sigsetjmp(attempt.back, 1)) {
        *out = attempt.fault;
        return 0;
    }
    trying = &attempt;
    fn(context);
    trying = NULL;
    return 1;
}

int yk_fault_try(struct yk_faults *faults, void (*fn)(void *), void *context, struct yk_fault *out)
{
    const stack_t own = { .ss_sp = faults->stack, .ss_size = STACK_BYTES };
    stack_t before;
    int returned;
    sigaltstack(&own, &before);
    returned = attempt_call(fn, context, out);
    sigaltstack(&before, NULL);
    return returned;
}

void yk_fault_tell(void (*fn)(const struct yk_fault *))
{
    atomic_store(&teller, fn);
}
