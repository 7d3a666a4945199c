/* progress.h - how far the work is, on a terminal; and Ctrl-C, or SIGTERM. */
#ifndef YOKE_CLI_PROGRESS_H
#define YOKE_CLI_PROGRESS_H

#include "driver.h"

/* From here Ctrl-C asks the run to stop, and so does SIGTERM; a second one ends the process at
 * once.
 */
struct measure_watch progress_open(void);
/* The exit status of a run that was asked to stop: 130 or 143. */
int progress_canceled_status(void);
/* Erases the line. */
void progress_close(void);

#endif
