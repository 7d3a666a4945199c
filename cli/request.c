/* request.c - see request.h.
 *
 * The handler only notes the request and posts a semaphore. Canceling jobs takes locks, so a thread
 * does it: the guard, which sleeps until there is a request. It also ends the process if the work
 * does not end.
 */
#include "request.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "platform/new_file.h"
#include "progress.h"
#include "stop.h"

/* A job may be submitted just after all jobs were canceled, so canceling is repeated at this
 * interval. */
static const int64_t again_ns = 20000000;
/* Signals within this time are one request. A person takes longer to press twice. timeout(1) and
 * job schedulers signal a process and then its group, so one request arrives as two signals. */
static const int64_t one_request_ns = 200000000;

static const int signals[] = { SIGINT, SIGTERM };
enum { SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t requested; /* the signal's number */
static _Atomic int64_t requested_ns;
static atomic_int working;
static int64_t grace_ns; /* for the current work; set before it begins */

static sem_t wanted; /* posted by the handler, and when the work is over */
static pthread_t guard;
static pthread_mutex_t leaving = PTHREAD_MUTEX_INITIALIZER; /* held while the work, or the process,
                                                             * is ended */
static char at[64];                                         /* under `leaving` */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Safe in a signal handler. */
_Noreturn static void leave(int number)
{
    progress_erase();
    yk_new_files_abandon();
    _exit(128 + number);
}

static void handle(int number)
{
    const int before = errno;
    if (requested && now_ns() - atomic_load(&requested_ns) > one_request_ns)
        leave(number);
    if (!requested) {
        if (!atomic_load(&working))
            leave(number);
        atomic_store(&requested_ns, now_ns());
        requested = number;
        sem_post(&wanted);
    }
    errno = before;
}

/* Runs before main, so that no signal's default action ends the process. The parent may have
 * blocked the signals until now. */
static void handle_from_the_start(void)
{
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART }, before;
    sigset_t handled;
    sigemptyset(&handled);
    for (int i = 0; i < SIGNALS; i++) {
        sigaddset(&action.sa_mask, signals[i]);
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaddset(&handled, signals[i]);
    }
    for (int i = 0; i < SIGNALS; i++)
        if (sigismember(&handled, signals[i]))
            sigaction(signals[i], &action, NULL);
    sigprocmask(SIG_UNBLOCK, &handled, NULL);
}

/* Runs before the constructors of any library. */
__attribute__((section(".preinit_array"),
               used)) static void (*const first)(void) = handle_from_the_start;

/* Cancels the work's jobs repeatedly for up to `ns`. Returns 1 if the work ended in that time. */
static int ends_within(int64_t ns)
{
    const struct timespec pause = { .tv_nsec = again_ns };
    for (int64_t start = now_ns(); now_ns() - start < ns; nanosleep(&pause, NULL)) {
        app_stop();
        if (!atomic_load(&working))
            return 1;
    }
    return 0;
}

static void *watch(void *unused)
{
    while (sem_wait(&wanted) != 0)
        continue;
    if (!requested || ends_within(grace_ns))
        return unused;
    pthread_mutex_lock(&leaving);
    if (atomic_load(&working)) {
        progress_erase();
        fprintf(stderr,
                "yoke: stopped on request; '%s' could not be interrupted at once (a device ends "
                "the chunk that it began) and was not waited for\n",
                at);
        leave(requested);
    }
    pthread_mutex_unlock(&leaving);
    return unused;
}

const volatile sig_atomic_t *request_begin(double grace_seconds)
{
    grace_ns = (int64_t)(1e9 * grace_seconds);
    snprintf(at, sizeof at, "opening");
    /* Without a guard a request ends the process at once. */
    if (sem_init(&wanted, 0, 0) == 0 && pthread_create(&guard, NULL, watch, NULL) == 0)
        atomic_store(&working, 1);
    return &requested;
}

void request_at(const char *what)
{
    pthread_mutex_lock(&leaving);
    snprintf(at, sizeof at, "%s", what);
    pthread_mutex_unlock(&leaving);
}

void request_end(void)
{
    pthread_mutex_lock(&leaving);
    int guarded = atomic_exchange(&working, 0);
    pthread_mutex_unlock(&leaving);
    if (!guarded)
        return;
    sem_post(&wanted);
    pthread_join(guard, NULL);
}

int request_status(void)
{
    return requested ? 128 + requested : 0;
}
