/* open.h - see open.c. */
#ifndef YK_RUNTIME_OPEN_H
#define YK_RUNTIME_OPEN_H

#include "../job/runtime.h"

/* All that yoke_close does before it takes the runtime apart: waits for jobs, keeps what was
 * learned, tells what was asked for, writes the timeline. */
yoke_status yk_runtime_conclude(yoke_runtime *runtime);

#endif
