/* progress.h - shows the progress of work on a terminal. */
#ifndef YOKE_CLI_PROGRESS_H
#define YOKE_CLI_PROGRESS_H

#include "driver.h"

/* Seconds that work gets to end in order after a request to stop: users accept half a second until
 * the command ends; a matrix gets more, so that the results so far are not lost. */
static const double progress_grace = 0.35, progress_grace_answer = 5;
/* Call when work begins: it reports its progress, and a request to stop cancels it (request.h). */
struct measure_watch progress_open(double grace_seconds);
/* Call when the work is over. Erases the line. */
void progress_close(void);
/* Erases the line. Safe in a signal handler. */
void progress_erase(void);

#endif
