/* open.h - see open.c. */
#ifndef YK_RUNTIME_OPEN_H
#define YK_RUNTIME_OPEN_H

#include "../job/runtime.h"

/* Does all that yoke_close does before it takes the runtime apart: waits for jobs, stores what was
 * learned, prints what was asked for, writes the timeline. Without locks. */
yoke_status yk_runtime_conclude(yoke_runtime *runtime);

#endif
