/* walk.h - runs a program again and again, each time with another failing call (under the thread
 * sanitizer every fifth), until the program no longer reaches the call. It must never hang or leak,
 * whatever fails. */
#ifndef WALK_H
#define WALK_H

#include <stdint.h>
#include <yoke/status.h>

/* From open to close on these devices. */
typedef yoke_status walk_program(const char *devices);

/* Each allocation fails once. Returns the number of allocations; every status must be in the bit
 * mask `allowed`. */
int64_t walk_allocations(walk_program *program, const char *devices, unsigned allowed);
/* Each backend call fails (yk_backend_fail_at). Returns the number of calls; *went_well: runs with
 * a correct result, each weighted with the runs that were skipped. */
int64_t walk_calls(walk_program *program, const char *devices, yoke_status kind,
                   int64_t *went_well);
/* Both, with devices checked: without memory some runs still succeed. */
void walk_everything(walk_program *program, const char *devices);

#endif
