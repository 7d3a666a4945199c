/* tracing.h - see tracing.c. */
#ifndef YK_RUNTIME_TRACING_H
#define YK_RUNTIME_TRACING_H

#include "../job/job.h"

/* Records from now on, and makes the tracks of open devices. Call it while no job runs and no
 * device can join. */
yoke_status yk_runtime_open_trace(yoke_runtime *runtime);
/* Makes a track for each of the device's lanes. The runtime must have its trace. */
yoke_status yk_runtime_open_tracks(yoke_runtime *runtime, struct yk_runtime_device *device);

#endif
