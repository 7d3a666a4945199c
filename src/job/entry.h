/* entry.h - see entry.c. */
#ifndef YK_JOB_ENTRY_H
#define YK_JOB_ENTRY_H

#include "job.h"

/* Every public function that is given a runtime calls this first. Returns YOKE_EINVAL, with the
 * thread's error text, which begins with `call`, if the runtime is NULL or not open, or if the
 * calling thread may not use it. No lock need be held. */
yoke_status yk_runtime_check(const yoke_runtime *runtime, const char *call);
/* The same for the runtime of an array or a job, which is open. Returns 1 if the calling thread may
 * not use it: in a child of fork, which has none of the runtime's threads, or in a progress
 * callback of one of its jobs, which would wait for itself. */
int yk_runtime_refuses(const yoke_runtime *runtime, const char *call);
/* Notes how yoke_default() ended in this thread; unless YOKE_OK, the thread's error text says why.
 * Calls that are given NULL repeat it. */
void yk_runtime_no_default(yoke_status status);
/* Returns 1 in a child of fork. */
int yk_runtime_refuses_child(const yoke_runtime *runtime, const char *call);
/* Returns 1 if the runtime is open. NULL is not. */
int yk_runtime_is_open(const yoke_runtime *runtime);
/* YOKE_EINVAL, with the text for a runtime that is not open. */
yoke_status yk_runtime_unknown(const char *call);
/* enlist: from now on the runtime, opened in this process, is open. delist: it is not any more. */
yoke_status yk_runtime_enlist(yoke_runtime *runtime);
void yk_runtime_delist(const yoke_runtime *runtime);
/* claim: returns 1 if the calling thread alone may close the runtime; 0 if it is not open or
 * another thread closes it. disclaim: it stays open after all. */
int yk_runtime_claim(const yoke_runtime *runtime);
void yk_runtime_disclaim(const yoke_runtime *runtime);
/* Notes that the calling thread is in a progress callback of `runtime` from now on; NULL: in none.
 * Returns the previous value, which the caller restores afterwards. */
const yoke_runtime *yk_callback_enter(const yoke_runtime *runtime);

#endif
