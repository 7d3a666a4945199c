/* builders.h - which devices of a job must build its kernel first.
 *
 * A build takes from a millisecond to seconds. A job that will be over before that gains nothing
 * from the device: its thread, and pieces that are kept small for it, only make the job longer. So
 * once a build has begun, only jobs that it is expected to end in ask the device: a build that has
 * lasted for some time is expected to last as long again.
 */
#ifndef YK_LIFE_BUILDERS_H
#define YK_LIFE_BUILDERS_H

#include <stdint.h>

struct yk_job;
struct yk_split_device;

/* Returns the devices that take part, as bits, if `team` was chosen by speed. Adds GPUs that must
 * build the kernel before the plan of its arrays can be followed, and then the CPUs, which do these
 * GPUs' part meanwhile. known: speeds of the devices, so that GPUs may be left out; NULL: none is.
 * Sets job->split.builds and unbuilt. With runtime.lock held. */
uint32_t yk_job_call_builders(struct yk_job *job, uint32_t team,
                              const struct yk_split_device *known);

#endif
