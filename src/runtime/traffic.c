/* traffic.c - what a job's items will move over a device's link, as far as it can be told before it
 * begins: rows that the device has already stay where they are.
 *
 * Which part it gets is not known yet. It will be rows that it has as far as possible (regions keep
 * to the shares of the last such job, partition/auto.h), so of the rows that it lacks those count
 * that are more than others will do. Arrays that all items need whole are no matter of an item.
 */
#include <math.h>

#include "flight.h"

/* One, but where a callback gives them: there as many as on average. */
static double rows_per_item(const struct yk_job *job, int p)
{
    const struct yk_interval rows = yk_job_all_rows(job, p);
    if (job->args[p].shape != YOKE_CUSTOM)
        return 1;
    return (double)(rows.last - rows.first) / (double)(job->last - job->first);
}

/* The part of the device's items whose row it lacks. Jobs under way still move rows: then it is as
 * in the last job like this one. */
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

void yk_job_traffic(const struct yk_job *job, int device, const struct yk_learned *learned,
                    struct yk_traffic *out)
{
    double share = learned ? learned->share : -1, up = 0, down = 0, last;
    int p, busy = some_are_busy(job);
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        double bytes;
        if (!is_by_rows(arg) || job->last == job->first)
            continue;
        bytes = rows_per_item(job, p) * (double)arg->array->row_bytes;
        if (arg->mode != YOKE_PARAM_OUT)
            up += (busy ? 1 : lacking_part(job, device, p, share)) * bytes;
        if (yk_writes_rows(arg->mode) && arg->home == YOKE_HOME_NOW)
            down += bytes;
    }
    out->both = up + down;
    out->busier = fmax(up, down);
    if (!busy || !learned || learned->rate <= 0)
        return;
    last = fmin(1, learned->copied_bytes / fmax(1, out->both));
    out->both *= last;
    out->busier *= last;
}
