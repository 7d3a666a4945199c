/* regions.h - PURE. A range cut into one contiguous region a device, in device order, by weights.
 *
 * The order never changes, so that in a series of jobs each device meets the same rows again.
 */
#ifndef YK_PARTITION_REGIONS_H
#define YK_PARTITION_REGIONS_H

#include "partitioner.h"

/* bounds[d] .. bounds[d + 1] is device d's region of [span); bounds has device_count + 1 entries.
 * Bounds are on the view's grid of units. Weights are >= 0; if all are 0 the first device gets
 * everything. */
void yk_regions_cut(const struct yk_split_view *view, struct yk_span span, const double *weights,
                    int64_t *bounds);

#endif
