/* default.h - see default.c. */
#ifndef YK_RUNTIME_DEFAULT_H
#define YK_RUNTIME_DEFAULT_H

#include "../job/job.h"

/* Sets *out to the default runtime, which the first call opens. Without locks. */
yoke_status yk_default_get(yoke_runtime **out);
/* Call it before a runtime is closed. If it is the default one, there is no default runtime from
 * then on. Without locks. */
void yk_default_forget(const yoke_runtime *runtime);

#endif
