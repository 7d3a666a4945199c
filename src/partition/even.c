/* even.c - PURE. Contiguous equal shares, in the order of the devices. Right if all devices are
 * alike; the baseline for everything else. A share is one chunk, unless its rows are copied. */
#include "../base/alloc.h"
#include "shares.h"

static yoke_status open_even(const struct yk_split_view *view, const void *settings, void **state)
{
    double *weights = yk_calloc((size_t)view->device_count, sizeof *weights);
    yoke_status status;
    int d;
    (void)settings;
    if (!weights)
        return YOKE_ENOMEM;
    for (d = 0; d < view->device_count; d++)
        weights[d] = 1;
    status =
        yk_shares_open(view, &(struct yk_shares_spec){ .weights = weights, .chunks = 1 }, state);
    yk_free(weights);
    for (d = 0; status == YOKE_OK && d < view->device_count; d++)
        yk_shares_overlap(*state, d);
    return status;
}

const struct yk_partitioner yk_partitioner_even = {
    .name = "even",
    .summary = "equal contiguous shares; one chunk for each device, more if rows are copied",
    .open = open_even,
    .close = yk_shares_close,
    .take = yk_shares_take,
    .changed = yk_shares_changed,
    .explain = yk_shares_explain,
    .served = yk_shares_served,
};
