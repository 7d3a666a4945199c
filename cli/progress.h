/* progress.h - how far the work is, on a terminal. */
#ifndef YOKE_CLI_PROGRESS_H
#define YOKE_CLI_PROGRESS_H

#include "driver.h"

/* Seconds that work may take to end in order after a request to stop. Users wait half a second for
 * the command to be gone; a matrix has an answer of what was measured until then. */
static const double progress_grace = 0.35, progress_grace_answer = 5;
/* Work begins: it tells how far it is, and a request to stop cancels it (request.h). */
struct measure_watch progress_open(double grace_seconds);
/* It is over. Erases the line. */
void progress_close(void);
/* Erases the line. Safe in a signal handler. */
void progress_erase(void);

#endif
