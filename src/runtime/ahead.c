/* ahead.c - host memory pinned before chunks need it.
 *
 * Copies of memory that is not pinned go through the processor, which the workers want for
 * themselves, and a chunk that is on its way like that holds up the whole job. Pinning takes a
 * while too. So from the second job like it on, the rows that a GPU will probably get are pinned by
 * a thread of their own, and until that is done the others work without that GPU. The first job
 * goes without pins: there may never be a second one.
 *
 * Regions lie in the order of the devices (partition/auto.h), so what a device will get ends where
 * the shares of those behind it begin.
 */
#include "job.h"

/* Below, copies hardly take longer without pins. */
static const int64_t worth_bytes = 4 << 20;
/* How much of the range a GPU may get whose share nobody knows, all such devices together. */
static const double unknown_share = 0.5;
/* Shares move: so many times the last one is pinned, and has to be there before it joins. */
static const double pin_ahead = 1.5, wait_for = 1.05;

static int may_wait(const struct yk_job *job, int device)
{
    return job->seen && job->device_count > 1 && job->alone < 0 &&
           yk_job_splits_freely(job->partitioner) &&
           job->devices[device].device->place->pinner != NULL;
}

static double share_of(const struct yk_job *job, int device)
{
    int d, pinning = 0;
    if (job->devices[device].share > 0)
        return job->devices[device].share;
    for (d = 0; d < job->device_count; d++)
        pinning += job->devices[d].device->place->pinner != NULL;
    return unknown_share / pinning;
}

/* The last `part` of the items up to where the next device's begin. */
static struct yk_interval likely_items(const struct yk_job *job, int device, double part)
{
    double items = (double)(job->last - job->first), behind = 0;
    struct yk_interval likely;
    int d;
    for (d = device + 1; d < job->device_count; d++)
        if (job->devices[d].share > 0)
            behind += job->devices[d].share;
    likely.last = job->last - (int64_t)(behind * items);
    likely.first = likely.last - (int64_t)(part * items);
    if (likely.first < job->first)
        likely.first = job->first;
    return likely;
}

static struct yk_pages_question question_of(const struct yk_job *job, int device, int p,
                                            struct yk_interval items)
{
    yoke_array *array = job->args[p].array;
    struct yk_interval rows = yk_job_rows(job, p, items);
    return (struct yk_pages_question){ .pinner = job->devices[device].device->place->pinner,
                                       .range = &array->pages,
                                       .name = array->name,
                                       .host = yk_array_address(array, rows.first),
                                       .bytes = (rows.last - rows.first) * array->row_bytes };
}

int yk_job_pins_ahead(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    double share;
    int p, pending = 0;
    if (!may_wait(job, device))
        return 0;
    share = share_of(job, device);
    for (p = 0; p < job->arg_count; p++) {
        struct yk_pages_question all, now;
        if (jd->holding[p] != YK_HELD_WHOLE || job->args[p].shape == YOKE_WHOLE)
            continue;
        all = question_of(job, device, p, likely_items(job, device, pin_ahead * share));
        now = question_of(job, device, p, likely_items(job, device, wait_for * share));
        if (all.bytes < worth_bytes)
            continue;
        yk_pages_order(&all);
        pending |= yk_pages_pending(&now);
    }
    return pending;
}
