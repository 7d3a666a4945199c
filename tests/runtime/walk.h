/* walk.h - a program run again and again, each time with another call that fails (under the thread
 * sanitizer each fifth), until none is left that it does not reach. It never hangs and never leaves
 * anything, whatever fails. */
#ifndef WALK_H
#define WALK_H

#include <stdint.h>
#include <yoke/status.h>

/* From open to close on these devices. */
typedef yoke_status walk_program(const char *devices);

/* Each allocation fails once. How many there were; every status is among `allowed`, a bit each. */
int64_t walk_allocations(walk_program *program, const char *devices, unsigned allowed);
/* Each backend call fails (yk_backend_fail_at). How many there were; *went_well of the runs were
 * right all the same, where each stands for those that were left out. */
int64_t walk_calls(walk_program *program, const char *devices, yoke_status kind,
                   int64_t *went_well);
/* Both, with devices checked: without memory some runs are right all the same. */
void walk_everything(walk_program *program, const char *devices);

#endif
