/* request.h - requests to stop: Ctrl-C, and the SIGTERM that batch systems send before they kill.
 *
 * They are handled from before main() until the process is gone, so that the exit status is always
 * 130 or 143, no half file stays, and the terminal's line is clean. Where no work is under way the
 * process ends at once. Work has some grace to end in order; what cannot be interrupted (a chunk on
 * a GPU) is not waited for longer than that. A second request ends the process at once. Signals
 * that were ignored when the process began stay ignored.
 */
#ifndef YOKE_CLI_REQUEST_H
#define YOKE_CLI_REQUEST_H

#include <signal.h>

/* Work begins, which a request leaves so many seconds, and whose jobs a request cancels
 * (apps/stop.h). The flag is not 0 after a request. */
const volatile sig_atomic_t *request_begin(double grace_seconds);
/* What it is at, for the message; copied. */
void request_at(const char *what);
/* It is over, in order. */
void request_end(void);
/* The exit status that a request asked for, 130 or 143; 0: there was none. */
int request_status(void);

#endif
