/* tracing.h - see tracing.c. */
#ifndef YK_RUNTIME_TRACING_H
#define YK_RUNTIME_TRACING_H

#include "../job/job.h"

/* Record from now on; devices that are open get their tracks. */
yoke_status yk_runtime_open_trace(yoke_runtime *runtime);
yoke_status yk_runtime_open_tracks(yoke_runtime *runtime, struct yk_runtime_device *device);

#endif
