/* request.h - requests to stop: Ctrl-C, and the SIGTERM that batch systems send before they kill.
 *
 * They are handled from before main() until the process ends, so that the exit status is always 130
 * or 143, no incomplete file stays, and the terminal's line is clean. If no work is under way, the
 * process ends at once. Work gets some time to end in order; what cannot be interrupted (a chunk on
 * a GPU) is not waited for longer than that. A second request ends the process at once. Signals
 * that were ignored when the process began stay ignored.
 */
#ifndef YOKE_CLI_REQUEST_H
#define YOKE_CLI_REQUEST_H

#include <signal.h>

/* Call when work begins. After a request its jobs are canceled (apps/stop.h), and it has
 * grace_seconds to end. Returns a flag that is not 0 after a request. */
const volatile sig_atomic_t *request_begin(double grace_seconds);
/* Says what the work is doing now, for the message; the text is copied. */
void request_at(const char *what);
/* Call when the work has ended. */
void request_end(void);
/* Returns the exit status for a request, 130 or 143; 0 if there was none. */
int request_status(void);

#endif
