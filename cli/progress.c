/* progress.c - one line on standard error, only if that is a terminal and the work takes long.
 *
 * The line appears after a second, changes at most ten times per second and is erased at the end,
 * so that only the result stays on the terminal.
 */
#include "progress.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "request.h"

enum { BAR_WIDTH = 30 };
static const double patience = 1, interval = 0.1;

static struct {
    int terminal;
    volatile sig_atomic_t drawn;
    double started, last;
} line;

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
    request_at(what);
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

struct measure_watch progress_open(double grace_seconds)
{
    line.terminal = isatty(STDERR_FILENO);
    line.drawn = 0;
    line.started = seconds_now();
    return (struct measure_watch){ .progress = draw, .canceled = request_begin(grace_seconds) };
}

void progress_erase(void)
{
    static const char erase[] = "\r\033[K";
    if (line.drawn && write(STDERR_FILENO, erase, sizeof erase - 1) > 0)
        line.drawn = 0;
}

void progress_close(void)
{
    request_end();
    progress_erase();
}
