/* signals.h - Ctrl-C, and the SIGTERM that batch systems send before they kill. */
#ifndef YOKE_CLI_SIGNALS_H
#define YOKE_CLI_SIGNALS_H

#include <signal.h>

/* From here on a request to stop sets this flag to the signal's number, and the process has so many
 * seconds to end in order; then it ends all the same. Before and after, a request ends it at once. */
const volatile sig_atomic_t *signals_obey(double grace_seconds);
void signals_obey_no_more(void);
/* The request was told to the user: nothing more is said of it. */
void signals_told(void);
/* 128 + the number of the signal that asked to stop; 0: none did. */
int signals_status(void);

#endif
