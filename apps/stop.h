/* stop.h - stopping on request, whatever the applications are doing.
 *
 * A request may come from another thread at any time. It cancels the jobs of all watched runtimes,
 * and every job that an application runs later ends at once with YOKE_ECANCELED.
 */
#ifndef YOKE_APPS_STOP_H
#define YOKE_APPS_STOP_H

#include <yoke/yoke.h>

/* Requests cancel the runtime's jobs until it is forgotten, which must be done before it is closed.
 * YOKE_ENOMEM: it is not watched. */
yoke_status app_stop_watch(yoke_runtime *runtime);
void app_stop_forget(yoke_runtime *runtime);

/* Takes effect for good. Returns at once; thread-safe, not for signal handlers. */
void app_stop(void);
/* After a request: YOKE_ECANCELED and its text. */
yoke_status app_stop_check(void);

#endif
