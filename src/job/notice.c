/* notice.c - see notice.h. A separate thread waits and prints: the compiling thread is busy. */

#include "notice.h"

#include <stdio.h>

#include "../base/status.h"
#include "../platform/terminal.h"

/* Time until the line is printed. Kernels from the cache take milliseconds; a user begins to wonder
 * after about a second. */
#define PATIENCE_NS 1000000000

static void wait_beside(void *context)
{
    struct yk_notice *notice = context;
    char line[256];
    if (yk_parker_sleep(&notice->parker, PATIENCE_NS))
        return;
    snprintf(line, sizeof line,
             "compiling kernel %s for %s (at its first use; the result is kept in the cache)",
             notice->kernel, notice->device);
    yk_log_progress(line);
}

void yk_notice_open(struct yk_notice *notice, const char *kernel, const char *device)
{
    const struct yk_thread_spec spec = {
        .name = "yk-notice", .cpu = -1, .run = wait_beside, .context = notice
    };
    *notice = (struct yk_notice){ .kernel = kernel, .device = device };
    if (!kernel || !yk_log_shows_progress(yk_stderr_is_terminal()) ||
        yk_thread_open(&spec, &notice->thread) != YOKE_OK)
        notice->kernel = NULL;
}

void yk_notice_close(struct yk_notice *notice)
{
    if (!notice->kernel)
        return;
    yk_parker_wake(&notice->parker);
    yk_thread_join(&notice->thread);
}
