/* progress.h - how far the work is, on a terminal; and Ctrl-C, or SIGTERM. */
#ifndef YOKE_CLI_PROGRESS_H
#define YOKE_CLI_PROGRESS_H

#include "driver.h"

/* From here Ctrl-C asks the run to stop, and so does SIGTERM (signals.h): seconds that it may take.
 */
/* Half a second is what a user waits; a matrix has an answer of what was measured until then. */
static const double progress_grace = 0.45, progress_grace_answer = 5;
struct measure_watch progress_open(double grace_seconds);
/* Erases the line. */
void progress_close(void);

#endif
