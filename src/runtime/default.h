/* default.h - see default.c. */
#ifndef YK_RUNTIME_DEFAULT_H
#define YK_RUNTIME_DEFAULT_H

#include "../job/job.h"

yoke_status yk_default_get(yoke_runtime **out);
/* The runtime is about to be closed: should it be the default one, there is none then. */
void yk_default_forget(const yoke_runtime *runtime);

#endif
