/* progress.c - one line on standard error, only if that is a terminal and the work takes long.
 *
 * The line appears after a second, changes ten times a second at most and is erased at the end, so
 * that what stays on the terminal is the answer. The signal handler only sets a flag; the driver
 * looks at it between jobs.
 */
#include "progress.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };
static const double patience = 1, interval = 0.1;
/* Whoever presses twice takes longer. timeout(1) and job schedulers tell a process and then its
 * group, so one request comes as two signals a moment apart. */
static const double one_request = 0.2;

static struct {
    int terminal, drawn;
    double started, last;
} line;
static volatile sig_atomic_t canceled; /* the signal's number */
static double canceled_at;
/* Ctrl-C, and what a batch system sends before it kills. */
static const int requests[] = { SIGINT, SIGTERM };
enum { REQUESTS = sizeof requests / sizeof *requests };
static struct sigaction before[REQUESTS];

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void draw(void *context, const char *what, int64_t done, int64_t total)
{
    char bar[BAR_WIDTH + 1];
    double now = seconds_now();
    (void)context;
    if (!line.terminal || now - line.started < patience || now - line.last < interval)
        return;
    line.last = now;
    line.drawn = 1;
    if (total <= 0) {
        fprintf(stderr, "\r\033[K%.40s ...", what);
        return;
    }
    int full = (int)(BAR_WIDTH * done / total);
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)(full < 0 ? 0 : full > BAR_WIDTH ? BAR_WIDTH : full));
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r\033[K%.40s [%s] %d %%", what, bar, (int)(100 * done / total));
}

static void interrupt(int number)
{
    double now = seconds_now();
    if (canceled && now - canceled_at > one_request)
        _exit(128 + number);
    if (canceled)
        return;
    canceled_at = now;
    canceled = number;
}

struct measure_watch progress_open(void)
{
    struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
    canceled = 0;
    for (int i = 0; i < REQUESTS; i++)
        sigaction(requests[i], &action, &before[i]);
    line.terminal = isatty(STDERR_FILENO);
    line.drawn = 0;
    line.started = seconds_now();
    return (struct measure_watch){ .progress = draw, .canceled = &canceled };
}

void progress_close(void)
{
    for (int i = 0; i < REQUESTS; i++)
        sigaction(requests[i], &before[i], NULL);
    if (line.drawn)
        fputs("\r\033[K", stderr);
    line.drawn = 0;
}

int progress_canceled_status(void)
{
    return 128 + (canceled ? canceled : SIGINT);
}
