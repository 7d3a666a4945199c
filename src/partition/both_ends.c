/* both_ends.c - see both_ends.h: chunks from both ends of a range. */
#include "both_ends.h"

#include <stdio.h>

struct yk_ends yk_ends_of(const struct yk_split_view *view)
{
    struct yk_ends ends = { .view = view };
    int d;
    for (d = 0; d < view->device_count; d++)
        ends.lanes += view->devices[d].known.lanes;
    while (ends.low < view->device_count && !view->devices[ends.low].known.host_memory)
        ends.low++;
    return ends;
}

/* Number of chunks per lane to hand out at once: as many as its lanes do in about YK_PIECE_NS. */
static int64_t chunks_each(const struct yk_split_view *view, int device, int64_t chunk)
{
    const struct yk_split_status *status = &view->devices[device];
    int64_t most = view->free_items / (4 * status->known.lanes) / chunk;
    double all_ns = status->item_ns * (double)chunk * (double)status->known.lanes;
    if (most <= 1 || all_ns * 2 > YK_PIECE_NS || all_ns <= 0)
        return 1;
    return YK_PIECE_NS / all_ns < (double)most ? (int64_t)(YK_PIECE_NS / all_ns) : most;
}

void yk_ends_take(const struct yk_ends *ends, int device, int64_t chunk, struct yk_take *out)
{
    const struct yk_split_view *view = ends->view;
    const struct yk_split_device *known = &view->devices[device].known;
    int64_t lanes = known->lanes;
    out->from_high = device != ends->low;
    out->items = chunk;
    if (!known->host_memory)
        return;
    /* Near the end of the range, each request gets one chunk. */
    if (chunk <= view->free_items / (4 * lanes)) {
        out->items = chunk * lanes * chunks_each(view, device, chunk);
        out->piece = chunk;
        out->parts = YK_ONE_BY_ONE;
    }
}

void yk_ends_explain(const struct yk_split_view *view, int device, char *text, size_t size)
{
    const struct yk_split_status *status = &view->devices[device];
    if (size > 0)
        *text = '\0';
    if (status->chunks_done == 0)
        snprintf(text, size, "%s",
                 status->joined ? "did nothing: the other devices took all items before it asked"
                                : "did nothing: its kernel was not ready before the job ended");
}
