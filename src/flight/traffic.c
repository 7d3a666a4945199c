/* traffic.c - estimates the bytes that a job's items will move over a device's link, as far as is
 * known before the job begins. Rows that the device already has do not move.
 *
 * Which part the device will get is not known yet. As far as possible it will be rows that it has
 * (regions keep to the shares of the last such job, partition/auto.h). So the number of rows that
 * it lacks counts only as far as it exceeds the share of the other devices. Arrays that all items
 * need whole do not count per item.
 */

#include "traffic.h"

#include <math.h>

#include "../job/order.h"
#include "../job/rows.h"

/* Number of rows that an item touches: one, or the average if a function of the program says which
 * rows items touch. */
static double rows_per_item(const struct yk_job *job, int p)
{
    const struct yk_interval rows = yk_job_all_rows(job, p);
    if (job->args[p].shape != YOKE_CUSTOM)
        return 1;
    return (double)(rows.last - rows.first) / (double)(job->last - job->first);
}

/* The part of the device's items for which it lacks rows. */
static double lacking_part(const struct yk_job *job, int device, int p, double share)
{
    struct yk_interval rows = yk_job_all_rows(job, p);
    int place = job->runtime->devices[device].place->number;
    double all = (double)(rows.last - rows.first), missing;
    if (all <= 0)
        return 0;
    missing = (double)yk_array_missing(job->args[p].array, place, rows) / all;
    return share > 0 ? fmax(0, missing - (1 - share)) / share : missing;
}

static int is_by_rows(const yoke_arg *arg)
{
    return arg->array && arg->shape != YOKE_WHOLE;
}

static int others_are_in(const struct yk_use *uses, const struct yk_job *job)
{
    while (uses && uses->job == job)
        uses = uses->next;
    return uses != NULL;
}

static int some_are_busy(const struct yk_job *job)
{
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (is_by_rows(&job->args[p]) && (others_are_in(job->args[p].array->readers, job) ||
                                          others_are_in(job->args[p].array->writers, job)))
            return 1;
    return 0;
}

/* Bytes to the device per item, if it does the part `share` of the items. busy: jobs under way
 * still move rows, so every row counts. */
static double item_up(const struct yk_job *job, int device, double share, int busy)
{
    double up = 0;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        if (is_by_rows(arg) && arg->mode != YOKE_PARAM_OUT)
            up += (busy ? 1 : lacking_part(job, device, p, share)) * rows_per_item(job, p) *
                  (double)arg->array->row_bytes;
    }
    return up;
}

/* Bytes of arrays that all items need whole, as far as the host must send them. */
static double whole_from_host(const struct yk_job *job, int device)
{
    const struct yk_place *place = job->runtime->devices[device].place;
    double bytes = 0;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        if (arg->array && arg->shape == YOKE_WHOLE && arg->mode == YOKE_PARAM_IN)
            bytes += (double)yk_array_from_host(arg->array, place, yk_job_all_rows(job, p));
    }
    return bytes;
}

void yk_job_traffic(const struct yk_job *job, int device, const struct yk_learned *learned,
                    struct yk_traffic *out)
{
    const int busy = some_are_busy(job);
    const double up =
        job->last > job->first ? item_up(job, device, learned ? learned->share : -1, busy) : 0;
    double down = 0, last;
    int p;
    for (p = 0; p < job->arg_count && job->last > job->first; p++) {
        const yoke_arg *arg = &job->args[p];
        /* when arrays are closed after the job, results come home then */
        if (is_by_rows(arg) && yk_writes_rows(arg->mode) &&
            (arg->home == YOKE_HOME_NOW || job->split.to_come == 1))
            down += rows_per_item(job, p) * (double)arg->array->row_bytes;
    }
    out->both = up + down;
    out->busier = fmax(up, down);
    out->whole = whole_from_host(job, device);
    if (!busy || !learned || learned->rate <= 0)
        return;
    last = fmin(1, learned->copied_bytes / fmax(1, out->both));
    out->both *= last;
    out->busier *= last;
}
