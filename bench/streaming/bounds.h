/* bounds.h - the least time that a device's link, and its cores, need for a job, each alone. */
#ifndef YOKE_BENCH_BOUNDS_H
#define YOKE_BENCH_BOUNDS_H

#include "work.h"

/* Seconds for the job's copies in both directions at the same time, in pieces of `piece` bytes of
 * pinned memory, by direct calls of the backend. */
yoke_status bound_of_links(const char *device, const struct work_spec *spec, int64_t piece,
                           double *seconds);
/* Seconds for the job on a device that holds all its data already: the best of `repeat` runs. */
yoke_status bound_of_cores(const char *device, const struct work_spec *spec, int repeat,
                           double *seconds);

#endif
