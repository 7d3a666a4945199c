/* panel_calls.h - see panel_calls.c. */
#ifndef YK_RUNTIME_PANEL_CALLS_H
#define YK_RUNTIME_PANEL_CALLS_H

#include "../job/job.h"

/* Closes a panel after its jobs are done, and brings its rows home. Without locks. */
yoke_status yk_panel_close(yoke_array *panel);

#endif
