/* pin_ahead.c - pins host memory before chunks need it.
 *
 * A core copies memory that is not pinned, although the workers need the cores, and a chunk that
 * waits for such a copy delays the whole job. Pinning takes time, too. So from the second similar
 * job on, a separate thread pins the rows that a GPU will probably get and that this job copies.
 * Until that is done the other devices work without that GPU. The first job runs without pins,
 * because there may never be a second one. Pins must pay in the jobs for which the arrays last: in
 * this one for an array of one job (yoke_for).
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

/* Of one argument and some parts of the job: how to copy its rows of the device's likely items. */
static struct yk_pages_question ask(const struct yk_job *job, int device, int p, double part)
{
    return yk_copy_question(job->devices[device].device->place, job->args[p].array,
                            yk_job_rows(job, p, likely_items(job, device, part)),
                            YK_COPY_TO_DEVICE);
}

/* The device's part of the job, as far as it is known. */
static double share_of(const struct yk_job *job, int device)
{
    const double last = job->devices[device].share;
    return last > 0 ? last : unknown_share_of(job);
}

/* Returns 1 if pins for these arguments pay. In all jobs for which the arrays last the others would
 * take others_ns for what is left. The device takes its part of that, but in this job only when its
 * memory is pinned. When the arrays are closed, the program waits until it is unpinned. */
static int pays(const struct yk_job *job, int device, uint32_t args, double others_ns)
{
    const double share = share_of(job, device);
    double pin_ns = 0, unpin_ns = 0;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        struct yk_pages_question asked;
        struct yk_pin_time time;
        if (!(args >> p & 1))
            continue;
        asked = ask(job, device, p, share);
        time = yk_pages_pin_time(&asked);
        pin_ns += time.pin_ns;
        unpin_ns += time.unpin_ns;
    }
    return share * (others_ns - pin_ns) > unpin_ns;
}

/* Returns those of these arguments whose rows are worth pinning for the device, as bits. If it is
 * unknown for how many jobs arrays last, there will be many. */
static uint32_t worth_pinning(const struct yk_job *job, int device, uint32_t args, double rest_ns)
{
    const struct yk_interval likely = likely_items(job, device, wait_for * share_of(job, device));
    uint32_t brief = 0;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const uint32_t bit = (uint32_t)1 << p;
        if ((args & bit) &&
            (job->args[p].shape == YOKE_WHOLE || !copies_much(job, device, p, likely)))
            args &= ~bit;
        if ((args & bit) && yk_array_is_of_one_job(job->args[p].array))
            brief |= bit;
    }
    if (job->split.to_come > 0 && !pays(job, device, args & ~brief, job->split.to_come * rest_ns))
        args &= brief;
    return pays(job, device, brief, rest_ns) ? args : args & ~brief;
}

/* Orders pins for the arguments `args` (as bits); other devices do the rest of the job in rest_ns.
 * Returns 1 if memory is being pinned for which the device should wait. */
static int order(const struct yk_job *job, int device, uint32_t args, double rest_ns)
{
    const double share = share_of(job, device);
    const double most = fmax(pin_ahead * share, unknown_share_of(job));
    int p, pending = 0;
    args = worth_pinning(job, device, args, rest_ns);
    for (p = 0; p < job->arg_count; p++) {
        struct yk_pages_question asked;
        if (!(args >> p & 1))
            continue;
        asked = ask(job, device, p, most);
        if (asked.bytes < worth_bytes)
            continue;
        const struct yk_pages_question from = ask(job, device, p, pin_from * share);
        const struct yk_pages_question until = ask(job, device, p, wait_for * share);
        if (!yk_pages_known(&from))
            yk_pages_order(&asked);
        pending |= yk_pages_pending(&until);
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
    double rest_ns;
    if (!may_wait(job, device) || !yk_job_splits_freely(job->split.partitioner))
        return 0;
    yk_lock(&job->lock);
    rest_ns = yk_dispatch_others_ns(job->dispatch, device);
    yk_unlock(&job->lock);
    return order(job, device, held_whole(job, device), rest_ns);
}

/* Orders the pinning of the rows that argument p sends to the device, if they fit into *room bytes
 * there. Otherwise they will pass through a window, chunk by chunk. */
static void pin_sent(struct yk_job *job, int device, int p, int64_t *room)
{
    const yoke_arg *arg = &job->args[p];
    struct yk_interval rows;
    if (!yk_reads_rows(arg->mode) || arg->array->panels)
        return;
    rows = yk_job_rows(job, p, (struct yk_interval){ job->first, job->last });
    *room -= yk_array_span(arg->array, rows);
    if (*room >= 0)
        yk_copy_expect(job->devices[device].device->place, arg->array, rows);
}

void yk_job_pins_all(struct yk_job *job, int device)
{
    struct yk_place *place = job->devices[device].device->place;
    int64_t room;
    int p;
    if (!place->pinner || (job->device_count > 1 && job->split.alone != device))
        return;
    room = yk_place_room(place);
    for (p = 0; p < job->arg_count; p++)
        pin_sent(job, device, p, &room);
}

/* A job with a pair of kernels does not wait, because each process must first compare the two. */
int yk_job_awaits_pins(struct yk_job *job)
{
    int d, awaits = 0;
    if (job->pair || !yk_partitioner_needs_lessons(job->split.partitioner))
        return 0;
    for (d = 0; d < job->device_count; d++)
        if (yk_job_in_team(job, d) && may_wait(job, d) && !job->devices[d].device->lost)
            awaits |= order(job, d, yk_job_would_hold(job, d), INFINITY);
    return awaits;
}
