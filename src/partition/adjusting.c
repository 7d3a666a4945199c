/* adjusting.c - computes the shares for the next job from the times of a finished one
 * (model/adjust.h), if the partitioner adjusts shares. */
#include "../base/alloc.h"
#include "dispatch_state.h"

/* Class 0: cores. One class for GPUs of one make. A class of its own for each other GPU. */
static int class_of(const struct yk_split_device *known, int device)
{
    if (known->host_memory)
        return 0;
    return known->make > 0 ? known->make : -1 - device;
}

/* Returns 0 if a device that had a share has left: then the times show nothing about shares. (A
 * device without a share may have left because it was not to take part.) */
static int parts_of(const struct yk_dispatch *dispatch, struct yk_adjust_part *parts)
{
    const double all = (double)(dispatch->view.last - dispatch->view.first);
    int d;
    for (d = 0; d < dispatch->view.device_count; d++) {
        const struct yk_split_status *status = &dispatch->status[d];
        if (!status->active && status->known.share > 0)
            return 0;
        parts[d] = (struct yk_adjust_part){ .class = class_of(&status->known, d),
                                            .share = (double)status->items_done / all,
                                            .ns = (double)status->busy_ns };
    }
    return all > 0 && dispatch->left == 0;
}

int yk_dispatch_adjust(const struct yk_dispatch *dispatch, struct yk_adjust *adjust, double *shares)
{
    const struct yk_partitioner *partitioner = dispatch->partitioner;
    const int count = dispatch->view.device_count;
    struct yk_adjust_part *parts;
    int d, level = 0;
    if (!partitioner->adjusts)
        return 0;
    parts = yk_calloc((size_t)count, sizeof *parts);
    if (!parts)
        return 0;
    if (parts_of(dispatch, parts))
        level = yk_adjust_run(adjust, partitioner->adjusts(dispatch->settings), parts, count);
    for (d = 0; d < count && level; d++)
        shares[d] = parts[d].share;
    yk_free(parts);
    return level != 0;
}
