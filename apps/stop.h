/* stop.h - stopping on request, whatever the applications are doing.
 *
 * A request may come from another thread at any time. It cancels the jobs of all watched runtimes,
 * and every job that an application runs later ends at once with YOKE_ECANCELED.
 */
#ifndef YOKE_APPS_STOP_H
#define YOKE_APPS_STOP_H

#include <yoke/yoke.h>

/* From now on a request cancels the runtime's jobs. Call app_stop_forget before closing the
 * runtime. Returns YOKE_ENOMEM if too many runtimes are watched. */
yoke_status app_stop_watch(yoke_runtime *runtime);
void app_stop_forget(yoke_runtime *runtime);

/* Requests the stop, for the rest of the process. Returns at once; thread-safe, but not for signal
 * handlers. */
void app_stop(void);
/* Returns YOKE_ECANCELED with its text after a request, otherwise YOKE_OK. */
yoke_status app_stop_check(void);

#endif
