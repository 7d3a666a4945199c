/* builds.h - counts the kernel builds under way in all runtimes of the process. A driver's compiler
 * may crash if the process ends and takes the driver's library down, so the end of the process
 * waits for builds. No lock need be held. */
#ifndef YK_JOB_BUILDS_H
#define YK_JOB_BUILDS_H

#include <stdint.h>

/* Marks the beginning and end of a call into a compiler. Pairs may nest, and leave may be called by
 * another thread than enter. */
void yk_builds_enter(void);
void yk_builds_leave(void);
/* Returns 1 if the process is ending: then its end may not wait for a build that starts now. Call
 * it after yk_builds_enter. */
int yk_builds_are_ending(void);
/* Marks the process as ending and returns when no build is under way, at the latest `most_ns` after
 * the first call. */
void yk_builds_end(int64_t most_ns);
/* Calls yk_builds_end when main returns or the main thread calls exit, if the caller is the main
 * thread: a program may end with a runtime that it did not close. */
void yk_builds_end_with_main(void);

/* Most time, in ns, that the end of the process waits for builds: a compiler that never returns
 * must not keep it from ending. PoCL takes 0.3 to 3 s for a kernel, on a core of its own. */
#define YK_BUILDS_MOST_NS 30000000000

#endif
