/* entry.h - see entry.c. */
#ifndef YK_JOB_ENTRY_H
#define YK_JOB_ENTRY_H

#include "job.h"

/* Returns 1, with the thread's error text, if the calling thread may not use the runtime: in a
 * child of fork, which has none of the runtime's threads, or in a progress callback of one of its
 * jobs, which would wait for itself. No lock need be held. */
int yk_runtime_refuses(const yoke_runtime *runtime, const char *call);
/* enlist: adds a runtime that was opened in this process to the list of open runtimes. delist:
 * removes it and returns 1; returns 0 if it is not listed, so only one of several calls gets 1.
 * relist: adds it again after closing failed. */
void yk_runtime_enlist(yoke_runtime *runtime);
void yk_runtime_relist(yoke_runtime *runtime);
int yk_runtime_delist(yoke_runtime *runtime);
/* Notes that the calling thread is in a progress callback of `runtime` from now on; NULL: in none.
 * Returns the previous value, which the caller restores afterwards. */
const yoke_runtime *yk_callback_enter(const yoke_runtime *runtime);

#endif
