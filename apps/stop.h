/* stop.h - stopping on request, whatever the applications are at.
 *
 * A request comes from another thread at any moment. It cancels the jobs of all runtimes that are
 * watched, and every job that an application would run later ends at once with YOKE_ECANCELED.
 */
#ifndef YOKE_APPS_STOP_H
#define YOKE_APPS_STOP_H

#include <yoke/yoke.h>

/* The runtime's jobs are canceled by requests, until it is forgotten, which is before it is closed.
 * YOKE_ENOMEM: it is not watched. */
yoke_status app_stop_watch(yoke_runtime *runtime);
void app_stop_forget(yoke_runtime *runtime);

/* For good. Returns at once; thread-safe, not for signal handlers. */
void app_stop(void);
/* YOKE_ECANCELED, and its text, after a request. */
yoke_status app_stop_check(void);

#endif
