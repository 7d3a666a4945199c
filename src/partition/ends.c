/* ends.c - see ends.h. */
#include "ends.h"

#include <stdio.h>

struct yk_ends yk_ends_of(const struct yk_split_view *view)
{
    struct yk_ends ends = { .low = 0 };
    int d;
    for (d = 0; d < view->device_count; d++)
        ends.lanes += view->devices[d].known.lanes;
    while (ends.low < view->device_count && !view->devices[ends.low].known.host_memory)
        ends.low++;
    return ends;
}

void yk_ends_take(const struct yk_ends *ends, const struct yk_split_view *view, int device,
                  int64_t chunk, struct yk_take *out)
{
    const struct yk_split_device *known = &view->devices[device].known;
    int64_t lanes = known->host_memory ? known->lanes : 1;
    out->from_high = device != ends->low;
    out->items = chunk;
    if (lanes == 1)
        return;
    /* The last pieces go one by one, to whoever comes. */
    if (chunk <= view->free_items / (4 * lanes)) {
        out->items = chunk * lanes;
        out->piece = chunk;
    }
}

void yk_ends_explain(const struct yk_split_view *view, int device, char *text, size_t size)
{
    const struct yk_split_status *status = &view->devices[device];
    if (size > 0)
        *text = '\0';
    if (status->chunks_done == 0)
        snprintf(text, size, "%s",
                 status->joined ? "did nothing: the others took all there was before it asked"
                                : "did nothing: its kernel was not ready before all was done");
}
