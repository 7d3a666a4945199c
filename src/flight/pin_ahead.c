/* pin_ahead.c - pins host memory before chunks need it.
 *
 * A core copies memory that is not pinned, although the workers need the cores, and a chunk that
 * waits for such a copy delays the whole job. Pinning takes time, too. So from the second similar
 * job on, a separate thread pins the rows that a GPU will probably get and that this job copies.
 * Until that is done the other devices work without that GPU. The first job runs without pins,
 * because there may never be a second one.
 *
 * A partitioner that splits by lessons shares out only once, so a GPU without pins delays the whole
 * job: with the shares of an earlier process the first saxpy of 134 million elements took 53 ms on
 * an H200, and 11 ms with `auto`. Until the rows of such a GPU are pinned, `auto` splits the job
 * (remembered.c). The same decision orders the pins. So `auto` gets such jobs only while memory is
 * being pinned, and none if memory cannot be pinned.
 *
 * Regions lie in the order of the devices (partition/auto.h), so a device's rows end where the
 * shares of the devices behind it begin.
 */

#include "pin_ahead.h"

#include <math.h>

#include "../job/rows.h"
#include "../partition/partitioner.h"
#include "held_memory.h"

/* Copies of fewer bytes hardly take longer without pins. */
static const int64_t worth_bytes = 4 << 20;
/* Pin rows only if at least this part of them is copied: otherwise pinning costs more than it
 * saves. (Denoising's third step on an H200 takes 2 ms; it began 5 to 9 ms late because a sixth of
 * its rows were pinned.) */
static const double much_copied = 0.5;
/* If the shares of GPUs are unknown, they may get this part of the range together. */
static const double unknown_share = 0.5;
/* Pin pin_ahead times the last share once pin_from times it is not pinned; wait_for times it must
 * be pinned before the device joins. Shares change, and pinning blocks other calls of the driver,
 * so it is done in a few large steps. The first step is at least as large as for an unknown share,
 * because speeds were measured without pins. */
static const double pin_ahead = 1.5, pin_from = 1.2, wait_for = 1.05;

static int may_wait(const struct yk_job *job, int device)
{
    return job->split.has_memory && job->device_count > 1 && job->split.alone < 0 &&
           job->devices[device].device->place->pinner != NULL;
}

static double unknown_share_of(const struct yk_job *job)
{
    int d, pinning = 0;
    for (d = 0; d < job->device_count; d++)
        pinning += job->devices[d].device->place->pinner != NULL;
    return unknown_share / pinning;
}

/* The device's likely items: this part of all items, just before those of the devices behind it. */
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

/* Returns 1 if the job itself copies much of the argument's rows. Rows that stay on the device, or
 * come home only on request, need no pins now. */
static int copies_much(const struct yk_job *job, int device, int p, struct yk_interval items)
{
    const yoke_arg *arg = &job->args[p];
    struct yk_interval rows = yk_job_rows(job, p, items);
    int64_t copied = 0;
    if (arg->mode != YOKE_PARAM_OUT)
        copied = yk_array_missing(arg->array, job->devices[device].device->place->number, rows);
    if (yk_writes_rows(arg->mode) && arg->home == YOKE_HOME_NOW)
        copied += rows.last - rows.first;
    return copied * arg->array->row_bytes >= worth_bytes &&
           (double)copied >= much_copied * (double)(rows.last - rows.first);
}

/* Orders pins for the arguments `args` (as bits). Returns 1 if memory is being pinned for which the
 * device should wait. */
static int order(const struct yk_job *job, int device, uint32_t args)
{
    const double unknown = unknown_share_of(job), last = job->devices[device].share;
    const double share = last > 0 ? last : unknown;
    int p, pending = 0;
    for (p = 0; p < job->arg_count; p++) {
        double parts[] = { fmax(pin_ahead * share, unknown), pin_from * share, wait_for * share };
        struct yk_pages_question asked[3];
        int i;
        if (!(args >> p & 1) || job->args[p].shape == YOKE_WHOLE ||
            !copies_much(job, device, p, likely_items(job, device, wait_for * share)))
            continue;
        for (i = 0; i < 3; i++)
            asked[i] = yk_copy_question(job->devices[device].device->place, job->args[p].array,
                                        yk_job_rows(job, p, likely_items(job, device, parts[i])),
                                        YK_COPY_TO_DEVICE);
        if (asked[0].bytes < worth_bytes)
            continue;
        if (!yk_pages_known(&asked[1]))
            yk_pages_order(&asked[0]);
        pending |= yk_pages_pending(&asked[2]);
    }
    return pending;
}

static uint32_t held_whole(const struct yk_job *job, int device)
{
    uint32_t held = 0;
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->devices[device].holding[p] == YK_HELD_WHOLE)
            held |= (uint32_t)1 << p;
    return held;
}

int yk_job_pins_ahead(struct yk_job *job, int device)
{
    return may_wait(job, device) && yk_job_splits_freely(job->split.partitioner) &&
           order(job, device, held_whole(job, device));
}

/* A job with a pair of kernels does not wait, because each process must first compare the two. */
int yk_job_awaits_pins(struct yk_job *job)
{
    int d, awaits = 0;
    if (job->pair || !yk_partitioner_needs_lessons(job->split.partitioner))
        return 0;
    for (d = 0; d < job->device_count; d++)
        if (yk_job_in_team(job, d) && may_wait(job, d) && !job->devices[d].device->lost)
            awaits |= order(job, d, yk_job_would_hold(job, d));
    return awaits;
}
