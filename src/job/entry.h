/* entry.h - see entry.c. */
#ifndef YK_JOB_ENTRY_H
#define YK_JOB_ENTRY_H

#include "job.h"

/* 1, and the thread's error text: in a child of fork, which has none of the runtime's threads; in a
 * progress callback of one of its jobs, which would wait for itself. */
int yk_runtime_refuses(const yoke_runtime *runtime, const char *call);
/* Opened in this process, and known as open from here on until it is delisted, which only one call
 * does (0: it is not listed). Relisted where closing failed. */
void yk_runtime_enlist(yoke_runtime *runtime);
void yk_runtime_relist(yoke_runtime *runtime);
int yk_runtime_delist(yoke_runtime *runtime);
/* The calling thread is in a progress callback of that runtime from now on; NULL: in none. Returns
 * the one before, to be set again afterwards. */
const yoke_runtime *yk_callback_of(const yoke_runtime *runtime);

#endif
