/* builds.h - kernels that are being built, by all runtimes of the process: a driver's compiler may
 * crash where the process's end has taken its library down, so the end waits for them.
 */
#ifndef YK_JOB_BUILDS_H
#define YK_JOB_BUILDS_H

#include <stdint.h>

/* In pairs, around what calls a compiler; they may nest, and end in another thread. */
void yk_builds_enter(void);
void yk_builds_leave(void);
/* The process is ending: who has entered since begins no build that nobody waits for. */
int yk_builds_are_ending(void);
/* From here on the process is ending. Returns when nobody is in there, at the latest when the first
 * call's time is over. */
void yk_builds_end(int64_t most_ns);

#endif
