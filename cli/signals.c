/* signals.c - see signals.h.
 *
 * The handler is set before anything else of the process runs, and never taken back, so that each
 * request ends with its own exit status. A chunk that is under way cannot be interrupted, on a GPU
 * at all and on a core until its piece is done: so a timer ends the process if its time is over.
 * Nothing is lost by that: output files are written under other names until they are complete, and
 * the knowledge base stands kills.
 */
#include "signals.h"

#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "platform/new_file.h"

/* A user who presses twice takes longer. timeout(1) and job schedulers tell a process and then its
 * group, so one request comes as two signals a moment apart. */
static const double one_request_seconds = 0.2;

static volatile sig_atomic_t requested, obeys, told;
static volatile double requested_at;
static struct itimerval grace; /* written before `obeys` */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Only what a signal handler may call. */
static void end(int number)
{
    yk_new_files_abandon();
    _exit(128 + number);
}

static void request(int number)
{
    if (!obeys || (requested && seconds_now() - requested_at > one_request_seconds))
        end(number);
    if (requested)
        return;
    requested_at = seconds_now();
    requested = number;
    setitimer(ITIMER_REAL, &grace, NULL);
}

static void time_is_over(int number)
{
    static const char text[] =
        "\nyoke: stopped on request; a chunk was under way that could not be interrupted\n";
    (void)number;
    if (!told && write(STDERR_FILENO, text + !isatty(STDERR_FILENO), sizeof text - 1 -
                                          (size_t)!isatty(STDERR_FILENO)) < 0)
        told = 1;
    end(requested);
}

static void listen_first(void)
{
    struct sigaction action = { .sa_handler = request, .sa_flags = SA_RESTART };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = time_is_over;
    sigaction(SIGALRM, &action, NULL);
}
/* Before the constructors of any library. */
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = listen_first;

const volatile sig_atomic_t *signals_obey(double grace_seconds)
{
    const double whole = (double)(long)grace_seconds;
    grace.it_value.tv_sec = (time_t)whole;
    grace.it_value.tv_usec = (suseconds_t)((grace_seconds - whole) * 1e6);
    obeys = 1;
    return &requested;
}

void signals_obey_no_more(void)
{
    if (!requested) /* else what is left to do has the rest of the time */
        obeys = 0;
}

void signals_told(void)
{
    told = 1;
}

int signals_status(void)
{
    return requested ? 128 + requested : 0;
}
