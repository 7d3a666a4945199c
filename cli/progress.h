/* progress.h - how far the work is, on a terminal; and Ctrl-C. */
#ifndef YOKE_CLI_PROGRESS_H
#define YOKE_CLI_PROGRESS_H

#include "driver.h"

/* From here Ctrl-C asks the run to stop; a second one ends the process at once (130). */
struct measure_watch progress_open(void);
/* Erases the line. */
void progress_close(void);

#endif
